"""The API's files and what staff do for reviewers: as the pages do it, row by row named."""

import csv
import io
import zipfile
from dataclasses import replace
from typing import Any

from starlette.testclient import TestClient

from swapflow.identity.permissions import Role
from tests.web.api.programs import GOOD, V1, program
from tests.web.roles import API, PAGES
from tests.web.site import SITE_RULES, Site


FALL = f"{V1}/cycles/fall"


def file(text: str | bytes, name: str = "list.csv") -> dict[str, Any]:
    return {"file": (name, text.encode() if isinstance(text, str) else text)}


# What pages do has a counterpart


NOT_FOR_PROGRAMS = {
    "/undo/": "acts of a program take effect at once; what staff press can be taken back by staff",
    "/waiting": "a review that waited on a device; a program sends its reviews itself",
    "sign-in": "a key needs none",
    "answer/{token}": "an applicant's own, by the link in a mail",
    "/try": "a program reads a table by `swapflow advise --json`, or by the library",
    "sign-out": "a key is revoked",
    "language": "how pages speak to a person; the API speaks English",
    "me/password": "a person's own, in a session",
    "me/devices": "a person's own, in a session",
    "me/shortcuts": "keys in a person's browser",
    "/ticked": "several at once for a person; a program asks for one after the other",
    "ask/undo": "a press by mistake; a program asks for what it means",
    "rubrics": "a rubric is a part of the rules, which are read and put",
    "rules/file": "the rules are put as text",
    "/questions": "five fields of the rules, which are put as text",
    "questions/forecast": "`swapflow plan` forecasts rules in files",
    "monitoring": "read by a person in that role, and each look is on record",
}


def test_whatever_a_page_changes_the_api_changes_too_or_there_is_a_reason() -> None:
    counterparts = {
        "/me/keys": "/keys",
        "/setup/mail/probe": "/mail-check/probe",
        "/setup/mail/settled": "/mail-check/settled",
        "/setup/mail/strays": "/mail-check/strays",
        "/me/keys/{key_id}/revoke": "DELETE /api/v1/keys/{key_id}",
        "/inbox/{cycle_id}/absences": "/availability/absences",
        "/inbox/{cycle_id}/absences/remove": "/availability/absences/remove",
        "/inbox/{cycle_id}/packet": "/availability/packet",
        "/practice/{cycle_id}/{file}": "/own-practice/{file}/mark",
        "/practice/{cycle_id}/{file}/notes": "/own-practice/{file}/notes",
        "/setup/{cycle_id}/copies/practice": "/practice-programs",
        "/setup/{cycle_id}/copies/next-year": "/next-year",
        "/setup/{cycle_id}/automatic-reviews": "/automatic-reviews",
        "/setup/{cycle_id}/throw-away": "/throw-away",
        "/setup/{cycle_id}/practice": "POST /api/v1/cycles/{cycle_id}/practice",
        "/setup/{cycle_id}/practice/{file}/notes": "/practice/{file}/notes",
        "/setup/{cycle_id}/exchange": "POST /api/v1/cycles/{cycle_id}/exchange",
        "/setup/{cycle_id}/exchange/words": "PUT /api/v1/cycles/{cycle_id}/results",
        "/setup/{cycle_id}/exchange/results": "POST /api/v1/cycles/{cycle_id}/results",
        "/setup/{cycle_id}/exchange/{number:int}/done": "/exchange/{number}/done",
        "/tasks/{task}": "/tasks/{task}/review",
        "/tasks/{task}/correct": "/tasks/{task}/review",
        "/reviewers/{cycle_id}/{reviewer_number}/tasks/{task}": "/tasks/{task}/review",
        "/applicants/{cycle_id}/files": "/documents",
        "/applicants/{cycle_id}/slots": "/interviews/{pull}",
        "/applicants/{cycle_id}/slots/cancel": "/interviews/{pull}",
        "/applicants/{cycle_id}/slots/import": "/interviews/import",
        "/applicants/{cycle_id}/slots/proposal": "/interviews/import",
        "/setup/users/{account_id}/invite": "/users/{user_id}/invitation",
        "/setup/users/{account_id}/grants/remove": "/users/{user_id}/grants",
        "/setup/groups/remove": "DELETE /api/v1/groups",
        "/setup/rounds": "/rounds",
        "/setup/rounds/{round_id}/forget-erasures": "DELETE /api/v1/rounds/{round_id}/erasures",
        "/setup/rounds/{round_id}/retention/rules": (
            "PUT /api/v1/rounds/{round_id}/retention/{kind}"
        ),
        "/setup/rounds/{round_id}/retention/delete": "/retention/delete-due",
        "/setup/rounds/{round_id}/retention/holds": "/rounds/{round_id}/holds",
        "/setup/rounds/{round_id}/retention/holds/{hold}/lift": "/holds/{hold}/lift",
        "/setup/rounds/{round_id}/units/{unit_id}/name": "PATCH /api/v1/units/{unit_id}",
        "/setup/rounds/{round_id}/units/{unit_id}/remove": "DELETE /api/v1/units/{unit_id}",
        "/setup/rounds/{round_id}/units/{unit_id}/grants/remove": "/units/{unit_id}/grants",
        "/setup/programs": "/cycles",
        "/setup/{cycle_id}/applicants": "/applicants/import",
        "/setup/{cycle_id}/applicants/{key}": "/applicants/import",
        "/setup/{cycle_id}/reviewers": "/reviewers/import",
        "/setup/{cycle_id}/reviewers/{key}": "/reviewers/import",
        "/decide/{cycle_id}/changes": "/decision",
        "/decide/{cycle_id}/prepare": "/decision",
        "/decide/{cycle_id}/take-back": "/decision",
        "/decide/{cycle_id}/sign": "/decision/signatures",
        "/decide/{cycle_id}/reopen": "/reopening",
        "/decide/{cycle_id}/calibration": "PUT /api/v1/cycles/{cycle_id}/estimates",
        "/decide/{cycle_id}/meeting/open": "POST /api/v1/cycles/{cycle_id}/meeting",
        "/decide/{cycle_id}/meeting/close": "/meeting/close",
        "/decide/{cycle_id}/meeting/reopen": "/meeting/reopen",
        "/decide/{cycle_id}/meeting/{number}": "/meeting-outcome",
        "/decide/{cycle_id}/outcomes": "/meeting/outcomes",
        "/decide/{cycle_id}/zones/{zone}": "/meeting/zones/{zone}",
        "/decide/{cycle_id}/meeting/{number}/look": "/looks/{what}",
        "/decide/{cycle_id}/meeting/{number}/endorse": "/endorsements",
        "/decide/{cycle_id}/offers/make": "POST /api/v1/cycles/{cycle_id}/offers",
        "/decide/{cycle_id}/offers/answer": "/offer/answer",
        "/decide/{cycle_id}/offers/rate": "/yield-rate",
        "/decide/{cycle_id}/reconsiderations/{number}/prepare": "/{number}/decision",
        "/decide/{cycle_id}/letters/look": "/letters/draft",
        "/decide/{cycle_id}/letters/announce": "POST /api/v1/cycles/{cycle_id}/letters",
        "/decide/{cycle_id}/letters/take-back": "/letters/take-back",
        "/today/{cycle_id}/requests": "/proposed-requests/approve",
        "/today/{cycle_id}/remind": "/nudge",
        "/today/{cycle_id}/swap": "/proposed-requests/{pull}/swap",
        "/today/{cycle_id}/{what}": "/pause",
        "/applicants/{cycle_id}/{number}/ask": "/requests",
        "/applicants/{cycle_id}/{number}/erase": "DELETE /api/v1/cycles/{cycle_id}/applicants/",
        "/reviewers/{cycle_id}/{number}/erase": "DELETE /api/v1/cycles/{cycle_id}/reviewers/",
        "/reviewers/{cycle_id}/figures": "/reviewer-figures",
        "/reviewers/{cycle_id}/sheets": "/scores/import",
        "/reviewers/{cycle_id}/sheets/{key}": "/scores/import",
        "/reviewers/{cycle_id}/{number}/reviews/void": "/scores/void",
        "/reviewers/{cycle_id}/{number}/{what}": "/take-back",
    }
    writes = {page.split(" ")[1] for page in PAGES if not page.startswith("GET")}
    alone = []
    for path in sorted(writes):
        if any(part in path for part in NOT_FOR_PROGRAMS):
            continue
        last = counterparts.get(path, "/" + path.rsplit("/", 1)[-1])
        if not any(last in asked for asked in API):
            alone.append(path)

    assert alone == []


# Lists


APPLICANTS = "external_id,name,email\nN1,Nora,nora@example.org\nN2,Nils,nils@example.org\n"


def test_applicants_come_from_a_file_after_a_dry_run_and_only_once(site: Site) -> None:
    site.launched(launch=False, applicants=0)
    api = program(site)
    looked = api.post(f"{FALL}/applicants/import?dry_run=true", files=file(APPLICANTS))
    assert (looked.status_code, looked.json()["new"]) == (200, 2)
    assert site.product.applicants.list("fall") == ()

    first = api.post(f"{FALL}/applicants/import", files=file(APPLICANTS)).json()
    again = api.post(f"{FALL}/applicants/import", files=file(APPLICANTS)).json()

    assert (first["new"], first["known"]) == (2, 0)
    assert (again["new"], again["known"]) == (0, 2)
    assert len(site.product.applicants.list("fall")) == 2


def test_a_bad_row_is_named_and_nothing_of_the_file_is_stored(site: Site) -> None:
    site.launched(launch=False, applicants=0)
    api = program(site)
    bad = APPLICANTS + ",Nobody,\n"

    looked = api.post(f"{FALL}/applicants/import?dry_run=true", files=file(bad)).json()
    refused = api.post(f"{FALL}/applicants/import", files=file(bad))

    assert [row["line"] for row in looked["bad"]] == [4]
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["errors"][0]["field"].startswith("line 4")
    assert site.product.applicants.list("fall") == ()


def test_reviewers_conflicts_and_panels_come_from_files(site: Site) -> None:
    site.launched(launch=False)
    api = program(site)
    roster = "external_id,name,capacity:review\nR8,Rita,3\n"
    pairs = "applicant,reviewer\nA001,R1\n"

    assert api.post(f"{FALL}/reviewers/import", files=file(roster)).json()["new"] == 1
    assert api.post(f"{FALL}/conflicts/import", files=file(pairs)).json()["new"] == 1
    assert api.post(f"{FALL}/panels/import?dry_run=true", files=file(pairs)).json()["new"] == 1
    stranger = api.post(f"{FALL}/conflicts/import", files=file(pairs.replace("R1", "R99")))
    assert stranger.status_code == 422
    assert "no reviewer of that id" in stranger.text


def test_a_file_sent_twice_under_a_key_is_taken_once_whatever_its_boundary(site: Site) -> None:
    site.launched(launch=False, applicants=0)
    api = program(site)
    key = {"Idempotency-Key": "import-1"}
    first = api.post(f"{FALL}/applicants/import", files=file(APPLICANTS), headers=key)
    again = api.post(f"{FALL}/applicants/import", files=file(APPLICANTS), headers=key)
    other = api.post(f"{FALL}/applicants/import", files=file("id\nX\n"), headers=key)

    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert again.headers["idempotency-replayed"] == "true"
    assert other.status_code == 422


NO_LISTS = {
    "empty": b"",
    "control characters": b"\x00\x01",
    "a document": b"%PDF-1.4",
    "a broken workbook": b"PK\x03\x04broken",
    "an open quotation mark": b'a,b\n"open\n',
    "one long word": b"x" * 300_000,
}


def test_what_is_no_list_is_refused_in_words(site: Site) -> None:
    site.launched()
    api = program(site)
    lists = ("applicants", "reviewers", "conflicts", "panels", "scores", "interviews")
    wrong = []
    for what in lists:
        for name, body in NO_LISTS.items():
            refused = api.post(f"{FALL}/{what}/import", files=file(body))
            if refused.status_code != 422 or len(refused.json()["detail"]) < 10:
                wrong.append((what, name, refused.status_code, refused.text[:200]))

    assert wrong == []
    assert site.product.scores.list("fall") == ()


# Reviews


def test_a_sheet_is_taken_looked_at_and_brought_back(site: Site) -> None:
    site.launched()
    api = program(site)
    number = site.product.reviewers.list("fall")[0].number
    sheet = api.get(f"{FALL}/reviewers/{number}/sheet?form=csv")
    rows = list(csv.DictReader(io.StringIO(sheet.content.decode("utf-8-sig"), newline="")))
    for name in rows[0]:
        if name.startswith("mark: "):
            rows[0][name] = "3"
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)

    looked = api.post(f"{FALL}/scores/import?dry_run=true", files=file(text.getvalue())).json()
    wrong = api.post(f"{FALL}/scores/import?reviewer={number + 1}", files=file(text.getvalue()))
    stored = api.post(f"{FALL}/scores/import", files=file(text.getvalue())).json()
    again = api.post(f"{FALL}/scores/import", files=file(text.getvalue())).json()

    assert f'filename="fall-reviewer-{number}.csv"' in sheet.headers["content-disposition"]
    assert (looked["dry_run"], looked["new"], looked["blank"]) == (True, 1, len(rows) - 1)
    assert wrong.status_code == 422
    assert (stored["new"], again["new"], again["unchanged"]) == (1, 0, 1)
    score = site.product.scores.list("fall")[0]
    assert (score.reviewer, score.typed_by) == (number, "administrator@example.org")


def test_staff_enter_a_review_for_a_reviewer_under_both_names(site: Site) -> None:
    site.launched()
    api = program(site)
    number = site.product.reviewers.list("fall")[0].number
    task = api.get(f"{FALL}/reviewers/{number}/tasks").json()["items"][0]["task"]
    address = f"{FALL}/reviewers/{number}/tasks/{task}"
    first = api.put(f"{address}/review", json=GOOD).json()
    lower = {**GOOD, "marks": {"Preparation": 1, "Promise": 1}}
    second = api.put(f"{address}/review", json=lower).json()

    assert (first["corrected"], second["corrected"]) == (False, True)
    assert first["typed_by"] == "administrator@example.org"
    assert api.get(address).json()["review"]["marks"] == lower["marks"]
    elsewhere = f"{FALL}/reviewers/{number + 1}/tasks/{task}"
    assert api.get(elsewhere).status_code == 404
    assert api.put(f"{elsewhere}/review", json=GOOD).status_code == 404


NOT_ASKED: tuple[dict[str, Any], ...] = (
    {"confidence": 3},
    {"recommendation": "yes"},
    {"questions": {"1": "a"}},
    {"criterion_notes": {"Charm": "much"}},
    {"criterion_notes": {"Promise": "a\x00b"}},
    {"criterion_notes": {"Promise": "x" * 4001}},
    {"confidence": "sure"},
)


def test_what_a_form_does_not_ask_is_refused_by_the_name_of_the_field(site: Site) -> None:
    site.launched()
    api = program(site)
    number = site.product.reviewers.list("fall")[0].number
    task = api.get(f"{FALL}/reviewers/{number}/tasks").json()["items"][0]["task"]
    for more in NOT_ASKED:
        refused = api.put(f"{FALL}/reviewers/{number}/tasks/{task}/review", json={**GOOD, **more})
        assert refused.status_code == 422, more
        assert next(iter(more)) in refused.json()["detail"]

    assert site.product.scores.list("fall") == ()


def test_how_sure_and_what_was_noted_is_stored(site: Site) -> None:
    kinds = tuple(replace(kind, confidence=True) for kind in SITE_RULES.kinds)
    site.launched(rules=replace(SITE_RULES, kinds=kinds))
    api = program(site)
    number = site.product.reviewers.list("fall")[0].number
    task = api.get(f"{FALL}/reviewers/{number}/tasks").json()["items"][0]["task"]
    address = f"{FALL}/reviewers/{number}/tasks/{task}"
    said = {**GOOD, "confidence": 4, "criterion_notes": {"Promise": "high"}}

    assert api.put(f"{address}/review", json=said).status_code == 200
    notes = api.get(address).json()["review"]["notes"]
    assert notes == {"confidence": "4", "criterion:Promise": "high"}


def test_tasks_are_passed_on_taken_back_and_reviewers_paused(site: Site) -> None:
    site.launched()
    api = program(site)
    reviewer = site.product.reviewers.list("fall")[0]
    seat = f"{FALL}/reviewers/{reviewer.number}"
    before = api.get(f"{seat}/tasks").json()["items"]
    days = {"first": "2027-01-04", "last": "2027-01-08"}

    assert api.post(f"{seat}/absences", json=days).status_code == 204
    assert api.post(f"{seat}/absences/remove", json=days).status_code == 204
    assert api.post(f"{seat}/absences/remove", json=days).status_code == 422
    assert api.post(f"{seat}/take-back", json={"reason": ""}).status_code == 422
    task = before[0]["task"]
    why = {"reason": "is ill"}
    assert api.post(f"{seat}/tasks/{task}/reassignment", json=why).status_code == 204
    assert api.post(f"{seat}/tasks/{task}/reassignment", json=why).status_code == 409
    assert api.post(f"{seat}/take-back", json=why).json()["count"] == len(before) - 1
    assert api.get(f"{seat}/tasks").json()["items"] == []


# Documents and downloads


PDF = b"%PDF-1.4\n%%EOF\n"


def test_documents_come_singly_and_in_a_zip_and_the_unmatched_are_listed(site: Site) -> None:
    site.launched()
    api = program(site)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("A002_essay.pdf", PDF)
        archive.writestr("nobody.pdf", PDF)
    done = api.post(
        f"{FALL}/documents?redacted=true",
        files=[("files", ("A001.pdf", PDF)), ("files", ("all.zip", packed.getvalue()))],
    ).json()

    assert {row["applicant"] for row in done["stored"]} == {"A001", "A002"}
    assert [row["file"] for row in done["left_out"]] == ["nobody.pdf"]
    listed = api.get(f"{FALL}/applicants/0/documents").json()["items"]
    assert [(d["redacted"], d["media"]) for d in listed] == [(True, "application/pdf")]
    body = api.get(f"{FALL}/applicants/0/documents/{listed[0]['position']}")
    assert body.content == PDF
    assert api.get(f"{FALL}/applicants/0/documents/99").status_code == 404
    assert api.post(f"{FALL}/documents").status_code == 422


def test_the_lists_and_the_record_are_taken_away_as_files(site: Site) -> None:
    site.launched()
    api = program(site)

    assert b"external_id" in api.get(f"{FALL}/files/proposed.csv").content
    assert api.get(f"{FALL}/files/rules.toml").status_code == 200
    assert api.get(f"{FALL}/files/events.jsonl").text.count("\n") > 3
    assert api.get(f"{FALL}/files/nothing.csv").status_code == 404
    assert program(site, Role.OBSERVER).get(f"{FALL}/files/proposed.csv").status_code == 403


# Course


def test_a_program_is_extended_by_another_version_of_its_rules(site: Site) -> None:
    site.launched()
    api = program(site)
    more = {"budget": 90, "deadline": "2099-01-01T12:00:00+00:00", "reason": "more time"}

    done = api.post(f"{FALL}/extension", json=more)

    assert done.status_code == 200
    rules = site.product.cycles.rules("fall")
    assert (rules.version, rules.budget) == (2, 90)
    assert rules.deadline is not None
    for bad in (
        {"reason": "x"},
        {"budget": 90},
        {"budget": "much", "reason": "x"},
        {"budget": 0, "reason": "x"},
        {"deadline": "2001-01-01T00:00:00Z", "reason": "x"},
        {"deadline": "2099-01-01T00:00:00", "reason": "x"},
        {"budget": 95, "reason": "a\x00"},
    ):
        assert api.post(f"{FALL}/extension", json=bad).status_code == 422
    assert site.product.cycles.rules("fall").version == 2


def test_a_launch_is_looked_at_first_and_names_what_keeps_it(site: Site) -> None:
    site.launched(launch=False, applicants=1)

    seen = program(site).get(f"{FALL}/launch-preview").json()

    assert (seen["applicants"], seen["places"]) == (1, SITE_RULES.cohort_size)
    assert seen["obstacles"]


def test_mails_are_read_in_pages_that_new_ones_do_not_move(site: Site) -> None:
    site.launched(roster=7, applicants=14)
    api = program(site)
    everything = [m["id"] for m in api.get(f"{FALL}/mails").json()["items"]]
    seen: list[str] = []
    address = f"{FALL}/mails?limit=2"
    while address:
        page = api.get(address)
        seen += [m["id"] for m in page.json()["items"]]
        address = page.links["next"]["url"] if "next" in page.links else ""
        if len(seen) == 2:
            site.later(86_400)
            site.product.reviewers.nudge("fall", "R1", by="ops")

    assert len(seen) == len(everything) >= 4
    assert seen == everything
    assert "waiting" in seen[0]
    one = api.get(f"{FALL}/mails/{seen[0]}").json()
    assert one["text"]
    for cursor in ("WyJ4IiwieSJd", "WyIyMDI3LTAxLTAxIiwieSJd", "bm8"):
        assert api.get(f"{FALL}/mails", params={"cursor": cursor}).status_code == 422


def reviewing(site: Site) -> tuple[TestClient, str]:
    _, task = site.assigned()
    reviewer = next(r for r in site.product.reviewers.list("fall") if r.number == task.reviewer)
    client = program(site, None, email=reviewer.email, scopes=("review",))
    return client, site.product.tasks.code(task.id)


def test_a_reviewer_s_program_keeps_days_free_and_takes_dates_along(site: Site) -> None:
    site.launched()
    api, task = reviewing(site)
    days = {"first": "2027-01-04", "last": "2027-01-08"}

    assert api.post(f"{FALL}/availability/absences", json=days).status_code == 204
    assert api.post(f"{FALL}/availability/absences/remove", json=days).status_code == 204
    assert api.get(f"{V1}/tasks/{task}/invitation.ics").status_code == 404
    staff = program(site)
    assert staff.get(f"{FALL}/interviews").json()["items"] == [], "its only kind reads files"
    owned = site.product.tasks.find(task, reviewer=site.assigned()[1].reviewer)
    slot = {"starts_at": "2099-01-04T10:00:00Z", "place": "Room 1"}
    assert staff.put(f"{FALL}/interviews/{owned.assignment.pull_id}", json=slot).status_code == 204
    listed = {one["request"] for one in staff.get(f"{FALL}/interviews").json()["items"]}
    assert owned.assignment.pull_id in listed, "a kind that has a date is one of interviews"
    assert "BEGIN:VEVENT" in api.get(f"{V1}/tasks/{task}/invitation.ics").text
    too_long = {"note": "x" * 4001}
    assert api.post(f"{V1}/tasks/{task}/no-show", json=too_long).status_code == 422
    assert api.post(f"{V1}/tasks/{task}/no-show", json={"note": "waited"}).status_code == 204


def test_the_old_address_of_a_no_show_answers_like_the_new_one(site: Site) -> None:
    site.launched()
    api, task = reviewing(site)

    assert api.post(f"{V1}/tasks/{task}/missed", json={"note": "x" * 4001}).status_code == 422
    assert api.post(f"{V1}/tasks/{task}/missed", json={"note": "waited"}).status_code == 204
