"""Pages, API and command have the same numbers about a list, in one unit."""

import re

import pytest

from swapflow.identity.permissions import Role
from tests.web.everyone import busy
from tests.web.site import Site


def sentence_on(page: str) -> str:
    found = re.search(r'<(p|span) id="quality"[^>]*>(.*?)</\1>', page, re.DOTALL)
    assert found
    return " ".join(found[2].split())


def test_today_decide_and_the_api_say_the_same_of_the_list(site: Site) -> None:
    """Points a place with their range, and how many belong: read off the pages."""
    busy(site)
    client = site.signed_in(Role.ADMINISTRATOR)
    site.product.context.state.forget("fall")

    today, decide = client.get("/today/fall").text, client.get("/decide/fall").text
    figures = site.product.reports.progress("fall").figures
    api = site.product.cohort.propose("fall").sheet

    assert figures is not None
    assert figures.points is not None
    assert figures.points_range is not None
    low, high = figures.points_range
    for page in (today, decide):
        said = sentence_on(page)
        assert f"about {figures.points:.1f} of 100 points a place short" in said
        assert f"({{}} % range {low:.1f} to {high:.1f})".format(90) in said
        assert f"about {figures.belong:.0f} of its {figures.places} place" in said
    assert api.belong == figures.belong
    change = re.search(r'id="could-change">(\d+)<', today)
    assert change
    assert int(change[1]) == round(figures.could_change)
    assert "points in all" not in today + decide
    assert "chance of a place" not in today + decide


def test_staff_see_how_likely_somebody_is_and_why_the_score_is_what_it_is(site: Site) -> None:
    """On the applicant's page; never on a reviewer's, and not in a card's file."""
    busy(site)
    client = site.signed_in(Role.ADMINISTRATOR)
    place = site.product.cohort.propose("fall").cohort[0]

    page = client.get(f"/applicants/fall/{place.application}").text
    card = client.get(f"/applicants/fall/{place.application}/card/html").text

    assert "likely among the top" in page
    assert re.search(r'class="lede">\d reviews?(, average|:) \d+', page)
    assert 'class="water"' in page
    assert "likely among the top" not in card


@pytest.mark.parametrize("role", [Role.OBSERVER])
def test_an_observer_sees_the_list_as_a_whole_and_nobody_in_it(site: Site, role: Role) -> None:
    """The sentence has no applicant in it."""
    busy(site)

    page = site.signed_in(role).get("/today/fall").text

    assert sentence_on(page)
    assert "likely among" not in page
