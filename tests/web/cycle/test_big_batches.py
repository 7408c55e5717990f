"""Batches of thousands: the decision log names some and counts the others."""

import pytest

from swapflow.identity.permissions import Role
from swapflow.web.cycle.today import decisions
from tests.web.everyone import busy
from tests.web.site import Site


def test_the_log_names_some_of_a_batch_and_counts_the_others(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = busy(site).signed_in(Role.ADMINISTRATOR)
    asked = max(len(record.picks) for record, _ in site.product.reports.decisions_before("fall"))
    whole = client.get("/today/fall/decisions").text
    monkeypatch.setattr(decisions, "ASKED", 1)

    page = client.get("/today/fall/decisions").text

    assert asked > 1
    assert f"Asked for {asked} reviews" in page
    assert f"and {asked - 1} more" in page
    assert f"and {asked - 1} more" not in whole
