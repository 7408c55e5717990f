"""Deciding at the screen: the list, changes with reasons, signatures, the result, its files."""

import io
import re
import zipfile
from dataclasses import replace

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import ApplicationStatus
from swapflow.engine.ports.records import PreparedDecision
from swapflow.identity.permissions import Role
from swapflow.web.cohort.release_steps import release_steps
from tests.engine.cycle_by_hand import applicant
from tests.web.cohort.fixed_cohorts import chair, digest, ended, sign
from tests.web.forms import fields_of
from tests.web.site import Site


def swap(site: Site) -> tuple[int, int]:
    """Return the number of one on the list and of one who is not."""
    places = site.product.cohort.propose("fall").places
    return places[0].application, places[-1].application


def test_a_list_is_prepared_signed_and_fixed_as_proposed(site: Site) -> None:
    path = ended(site)
    client = chair(site)
    proposed = {p.external_id for p in site.product.cohort.propose("fall").cohort}

    prepared = client.post(f"{path}/prepare")
    assert site.product.cycles.get("fall").status is CycleStatus.ENDED
    signed = sign(client)

    assert (prepared.status_code, signed) == (303, 303)
    assert site.product.cycles.get("fall").status is CycleStatus.FINALIZED
    page = client.get(path).text
    assert "The list is final (version 1)" in page
    assert "This is about marks, not merit." in page
    assert all(name in page for name in proposed)
    assert site.product.cohort.signatures("fall", 1) == (("chair@example.org", "chair"),)


def test_the_chair_decides_otherwise_only_with_a_reason_and_the_size_stays(site: Site) -> None:
    path = ended(site)
    client = chair(site)
    inside, outside = swap(site)
    both = {f"change.{inside}": "out", f"change.{outside}": "in"}

    lopsided = client.post(f"{path}/changes", data={f"change.{inside}": "out"})
    asked = client.post(f"{path}/changes", data=both)
    silent = client.post(f"{path}/prepare", data=both)
    reasons = {f"reason.{inside}": "moved away", f"reason.{outside}": "told us more"}
    prepared = client.post(f"{path}/prepare", data={**both, **reasons})
    sign(client)

    assert lopsided.status_code == 422
    assert "must stay 3" in lopsided.text
    assert asked.status_code == 200
    assert silent.status_code == 422
    assert silent.text.count('aria-invalid="true"') == 2
    assert prepared.status_code == 303, prepared.text
    verdicts = {
        o.application: (o.verdict, o.reason) for o in site.product.cohort.outcomes("fall", 1)
    }
    assert verdicts[inside] == (Verdict.WAITLISTED, "moved away")
    assert verdicts[outside] == (Verdict.SELECTED, "told us more")


def test_whoever_lacks_a_review_needs_a_waiver_with_a_reason(site: Site) -> None:
    path = ended(site, complete=False)
    client = chair(site)

    without = client.post(f"{path}/prepare")
    given = client.post(f"{path}/prepare", data={"waiver": "no time is left"})

    assert without.status_code == 422
    assert "Say why it is accepted" in without.text
    assert given.status_code == 303, given.text
    assert sign(client) == 303
    assert site.product.cycles.get("fall").status is CycleStatus.FINALIZED


def test_two_signatures_are_given_by_two_people_each_signed_in_themselves(site: Site) -> None:
    path = ended(site, signatures=2)
    first, second = chair(site, "one"), chair(site, "two")
    first.post(f"{path}/prepare")

    sign(first)
    sign_again = first.post(f"{path}/sign", data={"digest": digest(second)})
    assert sign_again.status_code == 303
    assert site.product.cycles.get("fall").status is CycleStatus.ENDED
    assert "1 of 2 signatures given" in second.get(path).text
    sign(second)

    assert site.product.cycles.get("fall").status is CycleStatus.FINALIZED
    assert {by for by, _ in site.product.cohort.signatures("fall", 1)} == {
        "one@example.org",
        "two@example.org",
    }


def test_a_changed_list_voids_the_signatures(site: Site) -> None:
    path = ended(site, signatures=2)
    first, second = chair(site, "one"), chair(site, "two")
    first.post(f"{path}/prepare")
    sign(first)
    old = digest(second)
    inside, _ = swap(site)
    gone = next(a for a in site.product.applicants.list("fall") if a.number == inside)

    site.product.applicants.move("fall", gone.external_id, ApplicationStatus.WITHDRAWN, by="ops")
    refused = second.post(f"{path}/sign", data={"digest": old})

    assert refused.status_code == 409
    assert "The list has changed" in refused.text
    assert site.product.cycles.get("fall").status is CycleStatus.ENDED
    waiting = site.product.cohort.pending("fall")
    assert waiting is not None, "what was typed is not lost"
    assert not waiting.current


def test_nobody_signs_what_was_prepared_anew_under_the_old_digest(site: Site) -> None:
    path = ended(site, signatures=2)
    first, second = chair(site, "one"), chair(site, "two")
    first.post(f"{path}/prepare")
    old = digest(second)
    inside, outside = swap(site)
    changes = {f"change.{inside}": "out", f"change.{outside}": "in"}
    reasons = {f"reason.{inside}": "a", f"reason.{outside}": "b"}
    first.post(f"{path}/prepare", data={**changes, **reasons, "revision": old})

    assert second.post(f"{path}/sign", data={"digest": old}).status_code == 409
    pending = site.product.cohort.pending("fall")
    assert pending is not None
    assert pending.prepared.signed == ()


def test_operations_prepare_but_do_not_sign_and_a_committee_only_reads(site: Site) -> None:
    path = ended(site)
    operations, committee = site.signed_in(Role.OPERATIONS), site.signed_in(Role.COMMITTEE)

    assert committee.get(path).status_code == 200
    assert 'type="checkbox"' not in committee.get(path).text
    assert committee.post(f"{path}/prepare").status_code == 403
    assert operations.post(f"{path}/prepare").status_code == 303
    assert operations.post(f"{path}/sign", data={"digest": "x"}).status_code == 403
    assert "Sign as" not in operations.get(path).text
    assert committee.get(f"{path}/files/evidence.csv").status_code == 403


def test_while_it_runs_there_is_a_list_but_no_decision(site: Site) -> None:
    site.launched("fall")
    client = chair(site)

    assert "can be decided once asking has ended" in client.get("/decide/fall").text
    assert client.post("/decide/fall/prepare").status_code == 422
    assert site.product.cohort.pending("fall") is None


def test_pins_are_ticked_beforehand_and_their_reasons_suggested(site: Site) -> None:
    path = ended(site)
    inside, outside = swap(site)
    site.product.cohort.propose_pin("fall", inside, "out", by="ops", reason="asked to wait")
    site.product.cohort.propose_pin("fall", outside, "in", by="ops", reason="promised last year")
    client = chair(site)

    page = client.get(path).text
    asked = client.post(
        f"{path}/changes", data={f"change.{inside}": "out", f"change.{outside}": "in"}
    )

    for number, to in ((inside, "out"), (outside, "in")):
        assert f'name="change.{number}" value="{to}" checked' in page
    assert "asked to wait" in asked.text
    assert "promised last year" in asked.text


def test_a_list_is_reopened_by_two_people_and_the_first_version_stays(site: Site) -> None:
    path = ended(site)
    first, second = chair(site, "one"), chair(site, "two")
    first.post(f"{path}/prepare")
    sign(first)

    unreasoned = first.post(f"{path}/reopen", data={"reason": ""})
    asked = first.post(f"{path}/reopen", data={"reason": "a score was wrong"})
    alone = first.post(f"{path}/sign", data={"digest": digest(second)})
    assert site.product.cycles.get("fall").status is CycleStatus.FINALIZED
    agreed = sign(second)

    assert (unreasoned.status_code, asked.status_code, alone.status_code) == (422, 303, 422)
    assert agreed == 303
    assert site.product.cycles.get("fall").status is CycleStatus.ENDED
    assert "Version 1 of the list is on record" in first.get(f"{path}?version=1").text


def test_a_reason_that_cannot_be_used_is_refused_beside_its_field_and_kept(site: Site) -> None:
    site.launched("fall")
    client = site.signed_in(Role.ADMINISTRATOR, email="boss@example.org")

    stopped = client.post("/decide/fall/stop", data={"reason": "enough\x07"})

    assert stopped.status_code == 422
    assert 'id="stop-problem"' in stopped.text
    assert 'value="enough' in stopped.text
    assert 'class="notice bad"' not in stopped.text
    site.product.cycles.stop("fall", by="ops", reason="enough")
    late = client.post("/decide/fall/stop", data={"reason": "enough"})
    assert late.status_code == 422
    assert 'class="notice bad"' in late.text, "a field that is not there has nothing beside it"


def test_a_reason_to_reopen_is_refused_beside_its_field(site: Site) -> None:
    path = ended(site)
    client = chair(site)
    client.post(f"{path}/prepare")
    sign(client)

    refused = client.post(f"{path}/reopen", data={"reason": ""})

    assert refused.status_code == 422
    assert 'id="reopen-problem"' in refused.text
    assert 'class="notice bad"' not in refused.text


def test_the_files_hold_what_was_decided_and_guard_formulas(site: Site) -> None:
    path = ended(site)
    client = chair(site)
    inside, outside = swap(site)
    changes = {f"change.{inside}": "out", f"change.{outside}": "in"}
    reasons = {f"reason.{inside}": '=HYPERLINK("http://x")', f"reason.{outside}": "b"}
    client.post(f"{path}/prepare", data={**changes, **reasons})
    sign(client)

    cohort = client.get(f"{path}/files/cohort.csv").text
    outcomes = client.get(f"{path}/files/outcomes.csv").text
    everything = zipfile.ZipFile(io.BytesIO(client.get(f"{path}/files/all.zip").content))
    names = {a.number: a.external_id for a in site.product.applicants.list("fall")}

    assert names[outside] in cohort
    assert names[inside] not in cohort
    assert '"\t=HYPERLINK' in outcomes
    assert {"cohort.csv", "method.md", "events.jsonl", "rules.toml", "scores.csv"} <= set(
        everything.namelist()
    )
    for name in ("cohort.xlsx", "waitlist.json", "evidence.csv", "method.json", "events.jsonl"):
        assert client.get(f"{path}/files/{name}").status_code == 200, name
    assert client.get(f"{path}/files/nothing.csv").status_code == 404


def test_compliance_downloads_the_method_but_no_names(site: Site) -> None:
    path = ended(site)
    client = site.signed_in(Role.COMPLIANCE)

    assert client.get(f"{path}/files/method.md").status_code == 200
    assert client.get(f"{path}/files/evidence.csv").status_code == 404
    assert client.get(f"{path}/files/all.zip").status_code == 404


def test_erasing_somebody_takes_back_what_quotes_them(site: Site) -> None:
    path = ended(site)
    inside, outside = swap(site)
    changes = {f"change.{inside}": "out", f"change.{outside}": "in"}
    reasons = {f"reason.{inside}": "said so himself", f"reason.{outside}": "b"}
    chair(site).post(f"{path}/prepare", data={**changes, **reasons})
    gone = next(a for a in site.product.applicants.list("fall") if a.number == inside)

    site.product.applicants.erase("fall", gone.external_id, by="ops")

    assert site.ledger.prepared("fall") is None


def test_a_signature_is_for_one_digest_only(site: Site) -> None:
    site.launched("fall")
    first = PreparedDecision(what="decision", digest="a" * 64, body={"waiver": ""}, by="ops")
    site.ledger.prepare("fall", first)

    assert site.ledger.sign_prepared("fall", "a" * 64, by="one")
    site.ledger.prepare("fall", replace(first, digest="b" * 64))

    assert not site.ledger.sign_prepared("fall", "a" * 64, by="two")
    stored = site.ledger.prepared("fall")
    assert stored is not None
    assert stored.signed == ()


def test_a_score_form_that_was_changed_after_the_first_requests_is_named_to_whoever_signs(
    site: Site,
) -> None:
    path = ended(site)
    client = site.signed_in(Role.OPERATIONS)
    before = client.get(path).text
    assert "Score forms changed after the first review was asked for: 0" in before
    fields = fields_of(client.get("/setup/fall/rubrics/review").text)
    change = {"criteria.0.weight": "5", "reason": "asked for", "do": "save"}
    saved = client.post("/setup/fall/rubrics/review", data={**fields, **change})
    assert saved.status_code == 303, saved.text

    page = client.get(path).text

    assert "after the first review was asked for: 1: review by operations" in page
    assert "(asked for). Signing accepts them." in page


def test_the_checks_say_that_groups_are_recorded_and_never_what_they_are(site: Site) -> None:
    site.launched("plain")
    site.launched("watched", launch=False)
    site.product.applicants.import_all(
        "watched", [applicant("A001", monitor={"colour": "heliotrope"})]
    )
    site.product.cycles.launch("watched", by="ops")
    client = chair(site)

    assert "No groups of applicants are recorded" in client.get("/decide/plain").text
    page = client.get("/decide/watched").text
    assert "groups are recorded for monitoring" in page
    assert "heliotrope" not in page
    assert "colour" not in page


def test_a_list_that_moved_while_reasons_were_written_is_shown_with_them(site: Site) -> None:
    path = ended(site)
    client = chair(site)
    inside, outside = swap(site)
    shown = site.product.cohort.propose("fall").seal.digest
    left = {inside, outside}
    places = site.product.cohort.propose("fall").places
    gone = next(p for p in reversed(places) if p.application not in left)
    site.product.applicants.move("fall", gone.external_id, ApplicationStatus.WITHDRAWN, by="ops")
    changes = {f"change.{inside}": "out", f"change.{outside}": "in", "shown": shown}
    reasons = {f"reason.{inside}": "a second thought", f"reason.{outside}": "another one"}

    stale = client.post(f"{path}/prepare", data={**changes, **reasons})

    assert stale.status_code == 409
    assert site.ledger.prepared("fall") is None
    assert "who is on the list, or the order" in stale.text
    assert "The list as it is proposed now" in stale.text
    assert "a second thought" in stale.text
    again = re.search(r'name="shown" value="([^"]+)"', stale.text)
    assert again is not None
    done = client.post(f"{path}/prepare", data={**changes, **reasons, "shown": again[1]})
    assert done.status_code == 303


def test_a_program_without_a_review_has_no_list_yet(site: Site) -> None:
    site.launched("fall")

    page = chair(site).get("/decide/fall").text

    assert "No review has come in yet, so there is no list." in page
    assert "clear of the cut" not in page
    assert 'class="board"' not in page


def test_only_those_with_a_review_are_numbered_and_the_cut_lies_below_the_last_of_them(
    site: Site,
) -> None:
    ended(site, complete=False)
    site.turn()
    client = chair(site)
    seen = [bool(place.evidence) for place in site.product.cohort.propose("fall").places]

    board = client.get("/decide/fall?all=true").text
    table = site.signed_in(Role.ADMINISTRATOR).get("/applicants/fall").text

    shown = re.findall(r'<td class="rk">([^<]+)</td>', board)
    wanted, rank = [], 0
    for one in seen:
        rank += one
        wanted.append(str(rank) if one else "–")
    assert 0 < sum(seen) < len(seen)
    assert shown == wanted
    numbers = re.findall(r'<td class="rk">(\d+)</td>', table)
    assert numbers == [str(n) for n in range(1, sum(seen) + 1)]
    above = table[: table.index('class="cutrow"')]
    assert len(re.findall(r'<td class="rk">\d', above)) == sum(seen[:3]) - 1


def test_zones_in_which_there_is_no_one_are_not_called_confirmed(site: Site) -> None:
    ended(site)
    proposal = site.product.cohort.propose("fall")
    agenda = site.product.meetings.agenda("fall", proposal=proposal)

    zones = {
        len(places): release_steps(
            proposal, replace(agenda, places=places), ready=True, signatures=(-1, 1)
        )[2].note
        for places in (agenda.places, agenda.close)
    }

    assert zones[len(agenda.close)] == "none clear of the cut"
    assert "to confirm" in zones[len(agenda.places)]
