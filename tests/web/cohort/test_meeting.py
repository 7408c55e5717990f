"""The meeting: projected in the order of the proposal, recorded at once, and followed."""

import re
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import Purpose
from swapflow.errors import NotReadyError
from swapflow.files.exports.document import can_make_pdf
from swapflow.identity.account import Method
from swapflow.identity.permissions import Role
from tests.web.cohort.fixed_cohorts import chair, digest, ended, sign
from tests.web.forms import revision_in
from tests.web.site import SITE_RULES, Site


PATH = "/decide/fall/meeting"
API = "/api/v1/cycles/fall"


def opened(site: Site) -> TestClient:
    """A meeting about a list on which some are too close to call; gives the chair's browser."""
    ended(site)
    client = chair(site)
    assert client.post(f"{PATH}/open").status_code == 303
    assert site.product.meetings.agenda("fall").missing, (
        "nobody is too close to call in this example"
    )
    return client


def record(client: TestClient, number: int, outcome: str, reason: str = "we agreed") -> int:
    data = {"outcome": outcome, "reason": reason}
    page = client.get(f"{PATH}/{number}?shown=true").text
    if f'action="{PATH}/{number}"' in page:
        data["revision"] = revision_in(page, f"{PATH}/{number}")
    return client.post(f"{PATH}/{number}", data=data).status_code


def record_all(site: Site, client: TestClient) -> None:
    """Record for everybody too close to call what is proposed."""
    for place in site.product.meetings.agenda("fall").missing:
        proposed = "in" if place.standing.value == "cohort" else "waitlist"
        assert record(client, place.application, proposed) == 303


def close(client: TestClient) -> int:
    page = client.get(PATH).text
    # A meeting that is closed shows no such form.
    told = {"revision": revision_in(page, f"{PATH}/close")} if "meeting/close" in page else {}
    return client.post(f"{PATH}/close", data=told).status_code


def test_without_a_meeting_a_list_is_signed_as_before(site: Site) -> None:
    path = ended(site)
    client = chair(site)
    assert site.product.meetings.agenda("fall").close

    client.post(f"{path}/prepare")

    assert sign(client) == 303
    assert site.product.cycles.get("fall").status is CycleStatus.FINALIZED
    assert "no meeting was opened about it" in client.get(PATH).text


def test_those_too_close_to_call_come_first_and_nobody_who_reviewed_is_named(site: Site) -> None:
    client = opened(site)
    close = site.product.meetings.agenda("fall").close

    page = client.get(PATH).text

    order = [int(n) for n in re.findall(r'id="a-(\d+)"', page)]
    by_number = sorted(close, key=lambda place: place.external_id)
    assert order[: len(close)] == [place.application for place in by_number]
    assert "of 3 places filled" in page
    applicant = client.get(f"{PATH}/{close[0].application}").text
    assert "a remark" in applicant
    assert 'href="/decide/fall" aria-current="page"' in applicant
    for text in (page, applicant, client.get(f"{PATH}/files/html").text):
        assert not re.search(r"Reviewer \d|\bR[1-4]\b|r[1-4]@example", text)


def test_every_change_is_saved_at_once_with_who_and_the_earlier_one_is_kept(site: Site) -> None:
    client = opened(site)
    number = site.product.meetings.agenda("fall").close[0].application

    assert record(client, number, "discuss", "") == 303
    assert number in {p.application for p in site.product.meetings.agenda("fall").missing}
    assert record(chair(site, "deputy"), number, "in", "a strong essay") == 303

    agenda = site.product.meetings.agenda("fall")
    assert agenda.meeting is not None
    assert [(s.word.value, s.by) for s in agenda.meeting.said] == [
        ("discuss", "chair@example.org"),
        ("in", "deputy@example.org"),
    ]
    assert number not in {p.application for p in agenda.missing}
    assert "a strong essay" in client.get(PATH).text


def test_a_form_that_is_sent_twice_is_recorded_once(site: Site) -> None:
    client = opened(site)
    number = site.product.meetings.agenda("fall").close[0].application

    for _ in range(2):
        assert record(client, number, "in", "a strong essay") == 303
        words = client.post(f"{PATH}/{number}/endorse", data={"words": "a builder"})
        assert words.status_code == 303

    agenda = site.product.meetings.agenda("fall")
    assert agenda.meeting is not None
    assert (len(agenda.meeting.said), len(agenda.endorsements)) == (1, 1)


def test_what_cannot_be_recorded_is_said_beside_its_field(site: Site) -> None:
    path = ended(site)
    client = chair(site)
    number = site.product.cohort.propose("fall").places[0].application
    early = client.post(f"{PATH}/{number}", data={"outcome": "in", "reason": "x"})
    client.post(f"{PATH}/open")

    silent = client.post(f"{PATH}/{number}", data={"outcome": "out", "reason": " "})
    strange = client.post(f"{PATH}/{number}", data={"outcome": "maybe", "reason": "x"})
    nothing = client.post(f"{PATH}/{number}/endorse", data={"words": ""})
    nobody = client.post(f"{PATH}/9999", data={"outcome": "in", "reason": "x"})

    assert early.status_code == 422
    assert "no meeting about this list is open" in early.text.lower()
    for page in (silent, strange):
        assert page.status_code == 422
        assert 'id="outcome-reason-problem"' in page.text
    assert (nothing.status_code, nobody.status_code) == (422, 404)
    assert 'id="favour-words-problem"' in nothing.text
    meeting = site.product.meetings.agenda("fall").meeting
    assert meeting is not None
    assert meeting.said == ()
    assert path == "/decide/fall"


def test_signing_names_who_has_no_outcome_and_leads_there(site: Site) -> None:
    client = opened(site)
    missing = site.product.meetings.agenda("fall").missing
    for place in missing[1:]:
        record(client, place.application, _as_proposed(place.standing.value))
    client.post("/decide/fall/prepare")

    page = client.get("/decide/fall").text
    refused = client.post("/decide/fall/sign", data={"digest": digest(client)})

    assert f'href="{PATH}/{missing[0].application}"' in page
    assert refused.status_code == 422
    assert f"no outcome yet (in, out or waitlist) for {missing[0].external_id};" in refused.text
    assert f'href="{PATH}/{missing[0].application}"' in refused.text
    assert site.product.cycles.get("fall").status is CycleStatus.ENDED
    with pytest.raises(NotReadyError, match=missing[0].external_id):
        site.product.cohort.finalize("fall", by="ops")

    record(client, missing[0].application, _as_proposed(missing[0].standing.value))
    still_open = client.post("/decide/fall/sign", data={"digest": digest(client)})
    assert still_open.status_code == 422
    assert "The meeting is still open; close it, then sign" in still_open.text
    with pytest.raises(NotReadyError, match="still open"):
        site.product.cohort.finalize("fall", by="ops")

    assert close(client) == 303
    assert sign(client) == 303
    assert site.product.cycles.get("fall").status is CycleStatus.FINALIZED


def _as_proposed(standing: str) -> str:
    return "in" if standing == "cohort" else "waitlist"


def test_the_list_is_decided_as_it_was_recorded_or_not_at_all(site: Site) -> None:
    client = opened(site)
    record_all(site, client)
    places = site.product.cohort.propose("fall").places
    left, let_in, dropped = places[0], places[-1], places[-2]
    record(client, left.application, "waitlist", "next year")
    record(client, let_in.application, "in", "a builder")
    record(client, dropped.application, "out", "does not meet the terms")

    against = client.post("/decide/fall/prepare")
    assert against.status_code == 422
    assert "the meeting recorded otherwise" in against.text
    assert let_in.external_id in against.text

    ticked = client.get("/decide/fall").text
    both = {f"change.{left.application}": "out", f"change.{let_in.application}": "in"}
    for name in both:
        assert re.search(rf'type="hidden" name="{re.escape(name)}" value="\w+"', ticked)
    asked = client.post("/decide/fall/changes", data=both).text
    assert "meeting: a builder" in asked
    reasons = {f"reason.{p.application}": "as the meeting said" for p in (left, let_in)}
    assert client.post("/decide/fall/prepare", data={**both, **reasons}).status_code == 303
    assert "is not selected" in client.get("/decide/fall").text
    assert close(client) == 303
    assert sign(client) == 303

    verdicts = {o.application: o.verdict for o in site.product.cohort.outcomes("fall", 1)}
    assert verdicts[let_in.application] is Verdict.SELECTED
    assert verdicts[left.application] is Verdict.WAITLISTED
    assert verdicts[dropped.application] is Verdict.NOT_SELECTED
    assert dropped.application not in site.product.offers.standing("fall").waitlist


def test_what_the_meeting_says_after_it_was_prepared_voids_the_signature(site: Site) -> None:
    client = opened(site)
    record_all(site, client)
    assert close(client) == 303
    client.post("/decide/fall/prepare")
    last = site.product.cohort.propose("fall").places[-1]
    client.post(f"{PATH}/reopen", data={"reason": "somebody withdrew"})
    assert record(client, last.application, "out", "withdrew by phone") == 303
    assert close(client) == 303

    refused = client.post("/decide/fall/sign", data={"digest": digest(client)})

    assert refused.status_code == 422
    assert "The meeting recorded something else" in refused.text
    assert site.product.cycles.get("fall").status is CycleStatus.ENDED


def test_members_in_conflict_are_named_first_and_neither_see_nor_record(site: Site) -> None:
    client = opened(site)
    place = site.product.meetings.agenda("fall").close[0]
    number = place.application
    site.product.reviewers.add_conflicts("fall", [(place.external_id, "R1")], source="test")
    site.product.reviewers.add_conflicts("fall", [(place.external_id, "R2")], source="test")
    member = site.signed_in(Role.CHAIR, email="r1@example.org", method=Method.LINK)
    site.account("r2@example.org")  # reviews only: no member of the committee

    listed = client.get(PATH).text
    before = client.get(f"{PATH}/{number}").text
    after = client.get(f"{PATH}/{number}?shown=true").text
    own = member.get(f"{PATH}/{number}?shown=true").text

    assert "In conflict: r1@example.org" in listed
    assert "r2@example.org" not in listed
    assert "In conflict: r1@example.org" in before
    assert "a remark" not in before
    assert "a remark" in after
    assert "a remark" not in own
    assert record(member, number, "in") == 403
    words = member.post(f"{PATH}/{number}/endorse", data={"words": "my student"})
    assert words.status_code == 403
    api = member.put(f"{API}/applicants/{number}/meeting-outcome", json={"outcome": "discuss"})
    assert api.status_code == 403
    agenda = site.product.meetings.agenda("fall")
    assert agenda.meeting is not None
    assert (agenda.meeting.said, agenda.endorsements) == ((), ())


def test_a_committee_looks_and_endorses_and_does_not_record(site: Site) -> None:
    opened(site)
    member = site.signed_in(Role.COMMITTEE)
    number = site.product.meetings.agenda("fall").close[0].application

    assert record(member, number, "in") == 403
    assert member.post(f"{PATH}/open").status_code == 403
    said = member.post(f"{PATH}/{number}/endorse", data={"words": "builds <b>bridges</b>"})

    assert said.status_code == 303
    page = member.get(f"{PATH}/{number}").text
    assert "builds &lt;b&gt;bridges&lt;/b&gt;" in page
    assert "committee@example.org" not in page.split("<main", 1)[1]
    assert "1 endorsement" in member.get(PATH).text


def test_minutes_hold_every_change_as_a_page_as_json_and_as_pdf(site: Site) -> None:
    client = opened(site)
    number = site.product.meetings.agenda("fall").close[0].application
    record(client, number, "discuss", "")
    record(client, number, "in", "a strong essay")

    page = client.get(f"{PATH}/files/html").text
    data = client.get(f"{PATH}/files/json").json()

    assert "a strong essay" in page
    assert "Still without an outcome" in page
    assert [one["outcome"] for one in data["recorded"]] == ["discuss", "in"]
    assert data["recorded"][1]["by"] == "chair@example.org"
    assert client.get(f"{PATH}/files/docx").status_code == 404
    if can_make_pdf():
        made = client.get(f"{PATH}/files/pdf")
        assert made.headers["content-type"] == "application/pdf"
        assert made.content.startswith(b"%PDF-")


def test_an_erased_applicant_leaves_no_reason_in_the_minutes(site: Site) -> None:
    client = opened(site)
    place = site.product.meetings.agenda("fall").close[0]
    record(client, place.application, "out", "told us of an illness")
    client.post(f"{PATH}/{place.application}/endorse", data={"words": "knows the field"})

    site.product.applicants.erase("fall", place.external_id, by="ops")

    for form in ("html", "json"):
        text = client.get(f"{PATH}/files/{form}").text
        assert "illness" not in text
        assert place.external_id not in text
    assert site.product.meetings.agenda("fall").endorsements == ()


def test_a_reopened_list_has_a_meeting_of_its_own(site: Site) -> None:
    client = opened(site)
    record_all(site, client)
    close(client)
    client.post("/decide/fall/prepare")
    sign(client)
    assert "Open the meeting" not in client.get(PATH).text
    assert record(client, site.product.meetings.agenda("fall").places[0].application, "out") == 422

    site.product.cohort.reopen("fall", names=["a", "b"], reason="an appeal")

    agenda = site.product.meetings.agenda("fall")
    assert (agenda.version, agenda.meeting) == (2, None)
    assert "Open the meeting" in client.get(PATH).text


def test_a_closed_meeting_takes_nothing_more_until_it_is_reopened_for_a_reason(site: Site) -> None:
    client = opened(site)
    first, second, *_ = site.product.meetings.agenda("fall").close
    record(client, first.application, "in", "a strong essay")

    assert [close(client), close(client)] == [303, 303]
    page = client.get(PATH).text
    late = client.post(f"{PATH}/{second.application}", data={"outcome": "in", "reason": "x"})
    assert "Closed by chair@example.org" in page
    assert "Close the meeting" not in page
    assert late.status_code == 422
    assert "was closed by chair@example.org" in late.text
    assert "The meeting is closed" in client.get(f"{PATH}/{second.application}").text

    for nothing in (" ", "a\x00b"):
        silent = client.post(f"{PATH}/reopen", data={"reason": nothing})
        assert silent.status_code == 422
        assert 'id="reopen-reason-problem"' in silent.text
    why = {"reason": "a letter came <late>"}
    assert client.post(f"{PATH}/reopen", data=why).status_code == 303
    assert client.post(f"{PATH}/reopen", data=why).status_code == 303
    assert record(client, second.application, "waitlist") == 303

    minutes = client.get(f"{PATH}/files/html").text
    assert "Closed by chair@example.org" in minutes
    assert "a letter came &lt;late&gt;" in minutes
    assert "The meeting is still open." in minutes
    turns = client.get(f"{PATH}/files/json").json()["closed_and_reopened"]
    assert [(t["closed"], t["reason"]) for t in turns] == [(True, ""), (False, why["reason"])]
    whats = [e.what for _, e in site.office.context.ledger.audit(cycle_id="fall")]
    assert (whats.count("closed the meeting"), whats.count("reopened the meeting")) == (1, 1)


def test_a_meeting_closed_too_early_says_that_nobody_can_sign(site: Site) -> None:
    client = opened(site)

    assert close(client) == 303

    assert "without an outcome: reopen the meeting" in client.get(PATH).text
    member = site.signed_in(Role.COMMITTEE)
    assert member.post(f"{PATH}/reopen", data={"reason": "x"}).status_code == 403
    assert member.post(f"{PATH}/close").status_code == 403
    assert "Reopen the meeting" not in member.get(PATH).text


def test_what_was_not_opened_is_not_closed(site: Site) -> None:
    ended(site)
    client = chair(site)

    page = client.post(f"{PATH}/close")
    api = client.post(f"{API}/meeting/reopen", json={"reason": "x"})

    assert (page.status_code, api.status_code) == (422, 422)
    assert "no meeting about this list is open" in page.text.lower()


def test_programs_close_and_reopen_it_too(site: Site) -> None:
    client = opened(site)

    closed = client.post(f"{API}/meeting/close").json()
    bare = client.post(f"{API}/meeting/reopen", json={"reason": ""})
    again = client.post(f"{API}/meeting/reopen", json={"reason": "a letter"}).json()

    assert (closed["open"], closed["closed_by"]) == (False, "chair@example.org")
    assert bare.status_code == 422
    assert (again["open"], again["closed_by"], again["closed_at"]) == (True, None, None)


def test_programs_read_and_record_the_same_at_the_api(site: Site) -> None:
    ended(site)
    client = chair(site)
    number = site.product.cohort.propose("fall").places[0].application
    put = f"{API}/applicants/{number}/meeting-outcome"
    early = client.put(put, json={"outcome": "in", "reason": "x"})
    begun = client.post(f"{API}/meeting").json()
    bare = client.put(put, json={"outcome": "out"})
    said = client.put(put, json={"outcome": "in", "reason": "a strong essay"})
    words = client.post(f"{API}/applicants/{number}/endorsements", json={"text": "a builder"})

    assert (early.status_code, bare.status_code) == (422, 422)
    assert (said.status_code, words.status_code) == (204, 204)
    assert (begun["open"], begun["opened_by"]) == (True, "chair@example.org")
    read = client.get(f"{API}/meeting").json()
    (mine,) = [one for one in read["applicants"] if one["applicant"] == number]
    assert (mine["outcome"], mine["endorsements"]) == ("in", ["a builder"])
    assert [one["reason"] for one in read["recorded"]] == ["a strong essay"]


def test_places_are_counted_as_they_were_recorded(site: Site) -> None:
    site.launched("quick", rules=replace(SITE_RULES, purpose=Purpose.REAL), applicants=6)
    site.product.cycles.stop("quick", by="ops", reason="enough")
    client = chair(site)
    client.post("/decide/quick/meeting/open")
    first, *_, last = site.product.cohort.propose("quick").places
    path = "/decide/quick/meeting"
    client.post(f"{path}/{last.application}", data={"outcome": "in", "reason": "x"})

    assert last.application in site.product.meetings.agenda("quick").chosen
    assert "<strong>4</strong> of 3 places filled" in client.get(path).text
    client.post(f"{path}/{first.application}", data={"outcome": "out", "reason": "x"})
    assert first.application not in site.product.meetings.agenda("quick").chosen
    assert "<strong>3</strong> of 3 places filled" in client.get(path).text
