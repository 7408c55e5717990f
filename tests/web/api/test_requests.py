"""Every request of a program, as another system reads it."""

from typing import Any

from starlette.testclient import TestClient

from tests.web.api.programs import GOOD, V1, program
from tests.web.site import Site


FALL = f"{V1}/cycles/fall"


def test_every_request_is_listed_with_what_became_of_it_and_what_staff_said(site: Site) -> None:
    site.launched()
    api = program(site)
    first, second = (row["number"] for row in api.get(f"{FALL}/reviewers").json()["items"][:2])
    before = api.get(f"{FALL}/requests", params={"limit": 200}).json()["items"]
    mine = [row for row in before if row["reviewer"] == first]
    theirs = next(row for row in before if row["reviewer"] == second)
    answered, open_ = mine[0], mine[1]

    entered = f"{FALL}/reviewers/{first}/tasks/{answered['task']}/review"
    assert api.put(entered, json=GOOD).status_code == 200
    gone = f"{FALL}/reviewers/{second}/tasks/{theirs['task']}/reassignment"
    assert api.post(gone, json={"reason": "is ill"}).status_code == 204
    voided = {"scores": [answered["id"]], "reason": "deleted there"}
    assert api.post(f"{FALL}/scores/void", json=voided).json() == {"count": 1}

    rows = {row["id"]: row for row in every_row(api, f"{FALL}/requests", limit=3)}
    told = ("status", "waits", "given_away", "said")
    assert {row["id"] for row in before} <= set(rows)
    assert [rows[answered["id"]][name] for name in told] == [
        "scored",
        False,
        False,
        "deleted there",
    ]
    assert [rows[theirs["id"]][name] for name in told] == ["taken back", False, True, ""]
    assert [rows[open_["id"]][name] for name in told] == ["delivered", True, False, ""]
    (score,) = api.get(f"{FALL}/scores").json()["items"]
    assert rows[answered["id"]]["score"] == score
    assert (score["counts"], rows[open_["id"]]["score"]) == (False, None)
    names = {
        row["number"]: row["external_id"] for row in api.get(f"{FALL}/reviewers").json()["items"]
    }
    assert all(row["reviewer_id"] == names[row["reviewer"]] for row in rows.values())


def every_row(api: TestClient, address: str, *, limit: int) -> list[dict[str, Any]]:
    """Read a list page by page."""
    rows: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = api.get(address, params={"limit": limit, "cursor": cursor}).json()
        assert len(page["items"]) <= limit
        rows += page["items"]
        cursor = page["next"]
    return rows
