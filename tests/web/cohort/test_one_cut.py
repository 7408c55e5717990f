"""The cut of a program is one number, on every page that draws it."""

import re

from swapflow.identity.permissions import Role
from tests.web.cohort.fixed_cohorts import ended
from tests.web.site import Site


PAGES = ("/today/fall", "/applicants/fall", "/decide/fall")


def test_every_page_draws_the_cut_at_the_same_estimate(site: Site) -> None:
    """It was 64 on one page and 65 on the next, where each had a rule of its own."""
    ended(site)
    site.turn()
    client = site.signed_in(Role.ADMINISTRATOR)

    cuts = {path: set(re.findall(r">cut (\d+)", client.get(path).text)) for path in PAGES}

    (cut,) = cuts["/decide/fall"]
    assert cuts == {path: {cut} for path in PAGES}
