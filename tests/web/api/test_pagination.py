"""Long lists of the API in pages."""

import pytest

from tests.web.api.programs import V1, program
from tests.web.site import Site


def test_a_list_is_read_in_pages_that_rows_coming_in_do_not_move(site: Site) -> None:
    site.launched(launch=False, applicants=7)
    api = program(site)
    seen: list[str] = []
    address: str | None = f"{V1}/cycles/fall/applicants?limit=3"
    while address:
        page = api.get(address)
        seen += [row["external_id"] for row in page.json()["items"]]
        address = page.links["next"]["url"] if "next" in page.links else None
        assert (address is None) == (page.json()["next"] is None)
        if len(seen) == 3:
            extra = {"applicants": [{"external_id": "LATE"}]}
            api.post(f"{V1}/cycles/fall/applicants", json=extra)
    assert seen == [*(f"A{n:03d}" for n in range(1, 8)), "LATE"]


def test_a_page_that_is_exactly_full_is_the_last_where_nothing_follows(site: Site) -> None:
    site.launched(launch=False, applicants=6)
    api = program(site)
    first = api.get(f"{V1}/cycles/fall/applicants?limit=3")

    second = api.get(first.links["next"]["url"])

    assert [len(page.json()["items"]) for page in (first, second)] == [3, 3]
    assert second.json()["next"] is None
    assert "next" not in second.links


def test_the_record_is_read_whole_in_pages(site: Site) -> None:
    site.launched()
    api = program(site)
    numbers: list[int] = []
    cursor = ""
    while True:
        page = api.get(f"{V1}/cycles/fall/events", params={"limit": 5, "cursor": cursor}).json()
        numbers += [row["number"] for row in page["items"]]
        if page["next"] is None:
            break
        cursor = page["next"]
    assert numbers == [event.position.seq for event in site.product.reports.events("fall")]


@pytest.mark.parametrize("cursor", ["x", "bnVsbA", "WzFd!", "W10", "WyJhIl0", "WzFlOTk5XQ", "é"])
def test_a_cursor_that_no_list_gave_is_refused(site: Site, cursor: str) -> None:
    site.launched(launch=False)
    refused = program(site).get(f"{V1}/cycles/fall/applicants", params={"cursor": cursor})
    assert refused.status_code == 422
    assert "cursor" in refused.json()["detail"]
