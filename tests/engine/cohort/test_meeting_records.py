"""Decisions about several applicants, what was opened, and who took on the clear zones."""

import json

import pytest

from swapflow.domain.cohort.meeting import Shown, Word, ZoneSide
from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.rules import Purpose, SeatLine
from swapflow.engine.cohort.meeting_records import AS_PROPOSED, SaidOutcome
from swapflow.engine.cohort.recorded_outcomes import CLEAR_OF_THE_CUT
from swapflow.errors import ConflictError, InvalidInputError, NotReadyError
from tests.engine.cycle_by_hand import CYCLE, World, rules
from tests.engine.offers.fixed_cohorts import PEOPLE, rising


LINES = (SeatLine(name="funded", places=2), SeatLine(name="unfunded", places=1))


def met(**changes: object) -> World:
    """A list that is to be decided, and its meeting, which is open."""
    settings: dict[str, object] = {"budget": 8, "purpose": Purpose.REAL, **changes}
    world = World(rules=rules(**settings), applications=PEOPLE)
    world.run(rising)
    assert world.product.meetings.open(CYCLE, by="chair")
    return world


def together(world: World, numbers: list[int], word: Word, reason: str, line: str = "") -> None:
    said = SaidOutcome(word=word, reason=reason, by="chair", seat=None, line=line)
    world.product.meetings.record_together(CYCLE, dict.fromkeys(numbers, ""), said)


def outside(world: World) -> list[int]:
    """Return the numbers of three who are proposed for the waitlist."""
    agenda = world.product.meetings.agenda(CYCLE)
    return [p.application for p in agenda.places if p.application not in agenda.chosen][:3]


def test_one_act_about_several_is_recorded_as_one_decision() -> None:
    world = met()
    three = outside(world)

    for _ in range(2):
        together(world, three, Word.OUT, "no supervisor is free")

    meeting = world.product.meetings.agenda(CYCLE).meeting
    assert meeting is not None
    assert [(s.application, s.together) for s in meeting.said] == [(n, 3) for n in sorted(three)]
    (event,) = [e for e in world.product.reports.events(CYCLE) if e.type == "meeting_said"]
    assert event.payload["together"] == sorted(three)
    assert world.product.reports.verify(CYCLE, live=False).findings == ()


def test_erasing_one_of_several_who_were_decided_together_leaves_the_others_reason_sealed() -> (
    None
):
    world = met()
    three = outside(world)
    together(world, three, Word.OUT, "the same for all three")

    first, *others = sorted(three)
    world.product.applicants.erase(CYCLE, world.names()[first], by="ops")

    assert world.product.reports.verify(CYCLE, live=False).findings == ()
    words = world.product.meetings.agenda(CYCLE).words
    assert words[first].reason == ""
    assert {words[number].reason for number in others} == {"the same for all three"}
    (event,) = [e for e in world.product.reports.events(CYCLE) if e.type == "meeting_said"]
    # One seal each: the digest of one's reason says nothing of another's.
    carried = json.loads(json.dumps(event.payload))["rows"]["meeting_outcome"]
    column = carried["columns"].index("reason")
    assert len({row[column] for row in carried["rows"]}) == len(three)
    assert "the same for all three" not in json.dumps(event.payload)


def test_rules_may_want_each_applicant_decided_alone() -> None:
    world = met(group_outcomes=False)
    one, other, _ = outside(world)

    with pytest.raises(InvalidInputError, match="one by one"):
        together(world, [one, other], Word.OUT, "both")
    together(world, [one], Word.OUT, "alone")

    assert set(world.product.meetings.agenda(CYCLE).words) == {one}


def test_an_outcome_as_proposed_needs_no_reason_and_every_other_does() -> None:
    world = met()
    one, other, _ = outside(world)

    together(world, [one], Word.WAITLIST, "")
    for word in (Word.IN, Word.OUT):
        with pytest.raises(InvalidInputError, match="write why"):
            together(world, [other], word, " ")

    words = world.product.meetings.agenda(CYCLE).words
    assert (words[one].reason, other in words) == (AS_PROPOSED, False)


def test_a_place_is_on_the_line_that_was_named() -> None:
    world = met(lines=LINES)
    first = min(world.product.meetings.agenda(CYCLE).chosen)
    one = outside(world)[0]

    together(world, [one], Word.IN, "brings a scholarship", "unfunded")
    with pytest.raises(InvalidInputError, match="no line of places"):
        together(world, [first], Word.IN, "x", "golden")
    with pytest.raises(InvalidInputError, match="no line of places"):
        together(world, [first], Word.OUT, "x", "funded")

    agenda = world.product.meetings.agenda(CYCLE)
    assert agenda.words[one].line == "unfunded"
    assert [taken for name, taken, _ in agenda.lines if name == "unfunded"] == [1]


def test_what_the_meeting_opened_is_written_down_once_with_who() -> None:
    world = met()
    one = outside(world)[0]

    assert world.product.meetings.look(CYCLE, one, Shown.FILE, by="chair", seat=None)
    assert not world.product.meetings.look(CYCLE, one, Shown.FILE, by="dean", seat=None)
    assert world.product.meetings.look(CYCLE, one, Shown.ESTIMATE, by="dean", seat=None)

    meeting = world.product.meetings.agenda(CYCLE).meeting
    assert meeting is not None
    assert [(x.what, x.by) for x in meeting.looks] == [("file", "chair"), ("estimate", "dean")]
    world.product.meetings.close(CYCLE, by="chair")
    with pytest.raises(NotReadyError):
        world.product.meetings.look(CYCLE, outside(world)[1], Shown.FILE, by="chair", seat=None)


def test_a_clear_zone_is_confirmed_as_it_was_listed_and_its_person_stands_behind_each() -> None:
    world = met()
    agenda = world.product.meetings.agenda(CYCLE)
    out = [p.application for p in agenda.unsaid(ZoneSide.OUT)]
    assert out, "nobody is clear of the cut in this example"
    world.product.meetings.look(CYCLE, out[0], Shown.FILE, by="chair", seat=None)

    with pytest.raises(ConflictError, match="whose file was opened"):
        world.product.meetings.confirm_zone(
            CYCLE, ZoneSide.OUT, by="dean", shown=agenda.zone_seal(ZoneSide.OUT).digest
        )
    shown = world.product.meetings.agenda(CYCLE).zone_seal(ZoneSide.OUT).digest
    for _ in range(2):
        world.product.meetings.confirm_zone(CYCLE, ZoneSide.OUT, by="dean", shown=shown)

    meeting = world.product.meetings.agenda(CYCLE).meeting
    assert meeting is not None
    (confirmed,) = meeting.zones
    assert (confirmed.applications, confirmed.opened) == (tuple(sorted(out)), 1)
    for place in world.product.meetings.agenda(CYCLE).missing:
        together(
            world,
            [place.application],
            Word.IN if place.application in agenda.chosen else Word.WAITLIST,
            "",
        )
    world.product.meetings.close(CYCLE, by="chair")
    digest = world.product.cohort.prepare(CYCLE, by="chair")
    assert world.product.cohort.sign(CYCLE, digest, by="chair")

    outcomes = {o.application: o for o in world.product.cohort.outcomes(CYCLE, 1)}
    assert {outcomes[n].verdict for n in out} == {Verdict.NOT_SELECTED}
    assert {(outcomes[n].by, outcomes[n].reason) for n in out} == {("dean", CLEAR_OF_THE_CUT)}
    assert world.product.reports.verify(CYCLE, live=False).findings == ()


def test_an_offer_is_on_the_line_that_the_meeting_named() -> None:
    world = met(lines=LINES)
    agenda = world.product.meetings.agenda(CYCLE)
    best = next(p.application for p in agenda.places if p.application in agenda.chosen)
    together(world, [best], Word.IN, "has a scholarship", "unfunded")
    for place in world.product.meetings.agenda(CYCLE).missing:
        word = Word.IN if place.application in agenda.chosen else Word.WAITLIST
        together(world, [place.application], word, "")
    world.product.meetings.close(CYCLE, by="chair")
    digest = world.product.cohort.prepare(CYCLE, by="chair")
    assert world.product.cohort.sign(CYCLE, digest, by="chair")

    world.product.offers.make(CYCLE, by="ops")

    lines = {o.application: o.line for o in world.product.offers.standing(CYCLE).offers}
    assert lines.pop(best) == "unfunded"
    assert set(lines.values()) == {"funded"}
