"""Writes of the API tell what they were made from: what others stored meanwhile is not lost."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import httpx2
import pytest
from starlette.testclient import TestClient

from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.web.api.openapi import document
from tests.web.api.programs import GOOD, V1, program
from tests.web.cohort.fixed_cohorts import chair, ended
from tests.web.cohort.reconsidered import answered, opened
from tests.web.cohort.reconsidered import fixed as fixed_list
from tests.web.site import SITE_RULES, Site


HERE = f"{V1}/cycles/fall"

VERSIONED_OTHERWISE = {
    # A draft's version is a field, as it is in the page's script.
    "/api/v1/tasks/{task}/draft",
    # Each applicant of one decision has a revision of their own, in the body.
    "/api/v1/cycles/{cycle_id}/meeting/outcomes",
    # A practice file is marked once: another mark is refused, so nothing is overwritten.
    "/api/v1/cycles/{cycle_id}/own-practice/{file}/mark",
    # The name or the unit that was read is a field: what is there now is refused by it.
    "/api/v1/units/{unit_id}",
    "/api/v1/cycles/{cycle_id}/unit",
    # A piece says at which byte it begins, and is added nowhere else.
    "/api/v1/cycles/{cycle_id}/uploads/{upload}",
}

POSTS = {
    "/api/v1/cycles/{cycle_id}/applicants/{number}/contact",
    "/api/v1/cycles/{cycle_id}/applicants/{number}/status",
    "/api/v1/cycles/{cycle_id}/meeting/close",
    "/api/v1/cycles/{cycle_id}/panels/import",
    "/api/v1/cycles/{cycle_id}/scores/{score}/correction",
}
"""Writes that overwrite something although they are POSTs."""


def test_every_write_that_overwrites_something_takes_the_revision_it_was_made_from() -> None:
    silent, taken = [], set()
    for path, operations in document()["paths"].items():
        for method, operation in operations.items():
            names = {one["name"].casefold() for one in operation.get("parameters", ())}
            if "if-match" in names:
                taken.add(path)
            elif method in {"put", "patch"} and path not in VERSIONED_OTHERWISE:
                silent.append(f"{method} {path}")

    assert silent == []
    assert taken >= POSTS


@dataclass
class Write:
    """One write of the API, and what came in between.

    Attributes:
        tag: Reads its revision.
        send: Sends it with headers; the first time, and once more with the same content.
        between: Stores something else.
        there: What of that the refusal tells.
        events: Whether an event comes of it, which then comes once.
    """

    tag: Callable[[], str]
    send: Callable[[dict[str, str]], httpx2.Response]
    between: Callable[[], httpx2.Response]
    there: str
    events: bool = True


def etag(client: TestClient, path: str) -> Callable[[], str]:
    """Read the revision of a resource."""
    return lambda: client.get(path).headers["etag"].strip('"')


def contact(site: Site) -> Write:
    site.launched()
    api, path = program(site), f"{HERE}/applicants/1"
    new = {"name": "Ann Lee", "reason": "she wrote"}
    return Write(
        etag(api, path),
        lambda headers: api.post(f"{path}/contact", json=new, headers=headers),
        lambda: api.post(f"{path}/contact", json={**new, "name": "Ann Li"}),
        "Ann Li",
    )


def status(site: Site) -> Write:
    site.launched()
    api, path = program(site), f"{HERE}/applicants/1"
    hold = {"status": "held", "reason": "papers are missing"}
    gone = {"status": "withdrawn", "reason": "she wrote"}
    return Write(
        etag(api, path),
        lambda headers: api.post(f"{path}/status", json=hold, headers=headers),
        lambda: api.post(f"{path}/status", json=gone),
        "withdrawn",
    )


def panels(site: Site) -> Write:
    site.launched()
    api, path = program(site), f"{HERE}/panels"
    one, two = ([{"applicant": "A001", "reviewer": name}] for name in ("R1", "R2"))
    return Write(
        etag(api, path),
        lambda headers: api.put(path, json={"pairs": one}, headers=headers),
        lambda: api.put(path, json={"pairs": two}),
        "R2",
    )


def panels_of_a_file(site: Site) -> Write:
    site.launched()
    api, path = program(site), f"{HERE}/panels"

    def send(headers: dict[str, str]) -> httpx2.Response:
        file = {"file": ("panels.csv", "applicant,reviewer\nA001,R1\n")}
        return api.post(f"{path}/import", files=file, headers=headers)

    two = {"pairs": [{"applicant": "A001", "reviewer": "R2"}]}
    return Write(etag(api, path), send, lambda: api.put(path, json=two), "R2")


def webhook(site: Site) -> Write:
    site.launched()
    api = program(site)
    made = api.post(
        f"{V1}/webhooks", json={"url": "https://93.184.215.14/told", "events": ["score.received"]}
    )
    assert made.status_code == 201, made.text
    path = f"{V1}/webhooks/{made.json()['id']}"
    api.patch(path, json={"active": False})
    return Write(
        etag(api, path),
        lambda headers: api.patch(path, json={"active": False}, headers=headers),
        lambda: api.patch(path, json={"active": True}),
        "active",
        events=False,
    )


def decision(site: Site) -> Write:
    ended(site, signatures=2)
    one, two = chair(site, "one"), chair(site, "two")
    path = f"{HERE}/decision"

    def tag() -> str:
        found = one.get(path)
        return found.headers["etag"].strip('"') if found.status_code == 200 else "0"

    return Write(
        tag,
        lambda headers: one.put(path, json={}, headers=headers),
        lambda: two.put(path, json={}),
        "two@example.org",
        events=False,
    )


def conclusion(site: Site) -> Write:
    client, number = fixed_list(site)
    opened(site, client, number)
    answered(site)
    path = f"{HERE}/reconsiderations/{number}"
    new = {"result": "stays", "reason": "as it was"}
    return Write(
        etag(client, path),
        lambda headers: client.put(f"{path}/decision", json=new, headers=headers),
        lambda: chair(site, "deputy").put(f"{path}/decision", json={**new, "reason": "other"}),
        "deputy@example.org",
        events=False,
    )


def correction(site: Site) -> Write:
    site.launched()
    _, assignment = site.assigned()
    marks: dict[str, float | None] = {"Preparation": 3.0, "Promise": 3.0}
    site.product.tasks.submit([Answer(assignment_id=assignment.id, marks=marks)])
    api, path = program(site), f"{HERE}/scores/{assignment.id}/correction"
    new = {**GOOD, "reason": "a slip"}

    def tag() -> str:
        (row,) = (one for one in api.get(f"{HERE}/scores").json()["items"])
        return str(row["revision"])

    return Write(
        tag,
        lambda headers: api.post(path, json=new, headers=headers),
        lambda: api.post(path, json={**new, "remark": "read again"}),
        "read again",
    )


def closing(site: Site) -> Write:
    ended(site)
    api = chair(site)
    path = f"{HERE}/meeting"
    number = api.post(path).json()["without_outcome"][0]
    said = {"outcome": "in", "reason": "a letter came"}
    return Write(
        etag(api, path),
        lambda headers: api.post(f"{path}/close", headers=headers),
        lambda: api.put(f"{HERE}/applicants/{number}/meeting-outcome", json=said),
        f"applicant {number}",
    )


def retention(site: Site) -> Write:
    site.launched()
    path = f"{V1}/rounds/{site.product.cycles.get('fall').round_id}/retention"
    api = program(site)

    def tag() -> str:
        kinds = {one["kind"]: one for one in api.get(path).json()["kinds"]}
        return str(kinds["drafts"]["revision"])

    return Write(
        tag,
        lambda headers: api.put(f"{path}/drafts", json={"days": 30}, headers=headers),
        lambda: api.put(f"{path}/drafts", json={"days": 60}),
        "60",
        events=False,
    )


WRITES = {
    "name and address": contact,
    "a state": status,
    "panels": panels,
    "panels of a file": panels_of_a_file,
    "a webhook": webhook,
    "a decision for signature": decision,
    "a reconsideration's result": conclusion,
    "a correction": correction,
    "closing a meeting": closing,
    "how long data is kept": retention,
}


@pytest.mark.parametrize("write", WRITES)
def test_a_stale_write_is_refused_and_tells_what_is_stored(site: Site, write: str) -> None:
    one = WRITES[write](site)
    read = one.tag()
    between = one.between()
    assert between.status_code < 300, between.text
    before = site.product.cycles.get("fall").position

    refused = one.send({"If-Match": f'"{read}"'})

    assert refused.status_code == 409, refused.text
    assert refused.json()["code"] == "changed_since_form"
    assert one.there in str(refused.json()["params"]["stored"])
    assert site.product.cycles.get("fall").position == before
    fresh = one.send({"If-Match": f'"{one.tag()}"'})
    assert fresh.status_code < 300, fresh.text


@pytest.mark.parametrize("write", sorted(WRITES.keys() - {"a state", "name and address"}))
def test_equal_content_is_taken_whatever_it_was_made_from_and_is_no_event(
    site: Site, write: str
) -> None:
    one = WRITES[write](site)
    read = one.tag()
    first = one.send({"If-Match": f'"{read}"'})
    before = site.product.cycles.get("fall").position

    again = [one.send({"If-Match": f'"{read}"'}) for _ in range(3)]

    assert first.status_code < 300, first.text
    assert [other.status_code for other in again] == [first.status_code] * 3
    assert site.product.cycles.get("fall").position == before


@pytest.mark.parametrize("write", ["a state", "name and address"])
def test_what_an_applicant_is_already_is_said_and_is_no_event(site: Site, write: str) -> None:
    one = WRITES[write](site)
    one.send({})
    before = site.product.cycles.get("fall").position

    assert one.send({}).status_code == 422
    assert site.product.cycles.get("fall").position == before


def test_the_same_decision_once_more_keeps_its_signatures(site: Site) -> None:
    ended(site, signatures=2)
    one, two = chair(site, "one"), chair(site, "two")
    prepared = one.put(f"{HERE}/decision", json={})
    two.post(f"{HERE}/decision/signatures", json={"digest": prepared.json()["digest"]})

    again = one.put(f"{HERE}/decision", json={})

    assert again.json()["signed"] == ["two@example.org"]


def test_a_new_address_makes_no_move_stale(site: Site) -> None:
    site.launched()
    api, path = program(site), f"{HERE}/applicants/1"
    read = api.get(path).headers["etag"]
    api.post(f"{path}/contact", json={"name": "Ann Lee", "reason": "she wrote"})
    hold = {"status": "held", "reason": "papers are missing"}

    assert api.post(f"{path}/status", json=hold, headers={"If-Match": read}).status_code == 200


@pytest.mark.parametrize("act", ["void", "restore"])
def test_scores_corrected_since_are_neither_voided_nor_restored_and_none_is(
    site: Site, act: str
) -> None:
    site.launched()
    marks: dict[str, float | None] = {"Preparation": 3.0, "Promise": 3.0}
    tasks = [t.id for r in ("R1", "R2") for t in site.product.tasks.inbox("fall", r)][:2]
    site.product.tasks.submit([Answer(assignment_id=t, marks=marks) for t in tasks])
    if act == "restore":
        site.product.scores.void(tasks, by="ops", reason="a mix-up")
    api = program(site)
    rows = api.get(f"{HERE}/scores").json()["items"]
    read = {row["id"]: row["revision"] for row in rows}
    other: dict[str, float | None] = {"Preparation": 1.0, "Promise": 1.0}
    last = max(tasks)
    site.product.scores.correct(Answer(assignment_id=last, marks=other), by="ops", reason="slip")
    body = {"scores": tasks, "reason": "a mix-up", "revisions": read}
    counting = [row["counts"] for row in api.get(f"{HERE}/scores").json()["items"]]

    refused = api.post(f"{HERE}/scores/{act}", json=body)

    assert (refused.status_code, refused.json()["code"]) == (409, "changed_since_form")
    assert [row["counts"] for row in api.get(f"{HERE}/scores").json()["items"]] == counting
    fresh = {row["id"]: row["revision"] for row in api.get(f"{HERE}/scores").json()["items"]}
    assert api.post(f"{HERE}/scores/{act}", json={**body, "revisions": fresh}).json() == {
        "count": 2
    }


def test_rows_of_pins_outcomes_and_interviews_carry_the_revision_that_a_write_sends(
    site: Site,
) -> None:
    panel = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=3, quorum=3)
    lines = (SeatLine(name="all", places=1),)
    site.launched(rules=replace(SITE_RULES, kinds=(panel,), lines=lines), applicants=2, roster=6)
    api = program(site)
    slot = {"starts_at": "2031-03-10T14:00:00Z", "minutes": 45, "place": "Room 2"}
    pin = {"verdict": "in", "reason": "promised last year"}
    (pull, *_) = (row["request"] for row in api.get(f"{HERE}/interviews").json()["items"])

    def interview() -> str:
        rows = api.get(f"{HERE}/interviews").json()["items"]
        return str(next(row["revision"] for row in rows if row["request"] == pull))

    def pinned() -> str:
        rows = api.get(f"{HERE}/pins").json()["items"]
        return str(next((row["revision"] for row in rows if row["applicant"] == 1), "0"))

    for path, body, other, row in (
        (f"{HERE}/interviews/{pull}", slot, {**slot, "place": "Room 8"}, interview),
        (f"{HERE}/applicants/1/pin", pin, {**pin, "verdict": "out"}, pinned),
    ):
        first = row()
        stored = api.put(path, json=body, headers={"If-Match": f'"{first}"'})
        stale = api.put(path, json=other, headers={"If-Match": f'"{first}"'})
        assert (stored.status_code, stale.status_code) == (204, 409), (path, stored.text)
        assert stored.headers["etag"] == f'"{row()}"' != f'"{first}"'
        fresh = api.put(path, json=other, headers={"If-Match": f'"{row()}"'})
        assert fresh.status_code == 204


def test_a_meetings_outcome_carries_its_revision(site: Site) -> None:
    ended(site)
    api = chair(site)
    number = api.post(f"{HERE}/meeting").json()["without_outcome"][0]
    path = f"{HERE}/applicants/{number}/meeting-outcome"

    def row() -> str:
        rows = api.get(f"{HERE}/meeting").json()["applicants"]
        return str(next(one["revision"] for one in rows if one["applicant"] == number))

    first, said = row(), {"outcome": "in", "reason": "a letter came"}
    stored = api.put(path, json=said, headers={"If-Match": f'"{first}"'})
    other = {"outcome": "out", "reason": "withdrawn"}
    stale = api.put(path, json=other, headers={"If-Match": f'"{first}"'})

    assert (first, stored.status_code, stale.status_code) == ("0", 204, 409)
    assert stored.headers["etag"] == f'"{row()}"'
    assert "a letter came" in str(stale.json()["params"]["stored"])
    assert api.put(path, json=other, headers={"If-Match": f'"{row()}"'}).status_code == 204
