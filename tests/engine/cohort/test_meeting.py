"""What a meeting counts, and what it cannot undo."""

from dataclasses import replace

import pytest

from swapflow.domain.cohort.meeting import Word
from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.rules import Purpose, SeatLine
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.cohort.recorded_outcomes import follow
from swapflow.errors import InvalidInputError, NotReadyError
from tests.engine.cycle_by_hand import CYCLE, World, rules
from tests.engine.offers.fixed_cohorts import NORTH, PEOPLE, fixed, rising


def met(**changes: object) -> World:
    """A list that is to be decided, and its meeting, which is open."""
    settings: dict[str, object] = {"budget": 8, "purpose": Purpose.REAL, **changes}
    world = World(rules=rules(**settings), applications=PEOPLE)
    world.run(rising)
    assert world.product.meetings.open(CYCLE, by="chair")
    return world


def says(world: World, external_id: str, word: Word, reason: str = "as we said") -> None:
    number = next(n for n, name in world.names().items() if name == external_id)
    world.product.meetings.record(CYCLE, number, word, reason=reason, by="chair", seat=None)


def through(world: World) -> None:
    """Record what is proposed about everybody too close to call who has no outcome."""
    chosen = world.product.meetings.agenda(CYCLE).chosen
    for place in world.product.meetings.agenda(CYCLE).missing:
        inside = place.application in chosen
        says(world, place.external_id, Word.IN if inside else Word.WAITLIST)


def test_limits_and_lines_are_counted_as_it_was_recorded() -> None:
    lines = (SeatLine(name="funded", places=2), SeatLine(name="unfunded", places=1))
    world = met(quotas=(NORTH,), lines=lines)
    names = world.names()
    before = world.product.meetings.agenda(CYCLE)
    (northern,) = [names[n] for n in before.chosen if names[n] <= "A004"]
    assert before.limits == (("region = North: 1 chosen, at least 1 wanted", True),)
    assert before.lines == (("funded", 2, 2), ("unfunded", 1, 1))

    says(world, northern, Word.OUT)

    after = world.product.meetings.agenda(CYCLE)
    assert after.limits == (("region = North: 0 chosen, at least 1 wanted", False),)
    assert after.lines == (("funded", 2, 2), ("unfunded", 0, 1))


def test_a_word_that_is_taken_up_again_counts_as_it_is_said_now() -> None:
    world = met()
    chosen = world.product.meetings.agenda(CYCLE).chosen

    says(world, "A008", Word.OUT)
    assert len(world.product.meetings.agenda(CYCLE).chosen) == len(chosen) - 1
    says(world, "A008", Word.DISCUSS, "")

    assert world.product.meetings.agenda(CYCLE).chosen == chosen


def test_no_meeting_opens_while_it_is_still_asked_or_once_the_list_is_fixed() -> None:
    running = World()
    running.turn()
    with pytest.raises(NotReadyError, match="once asking has ended"):
        running.product.meetings.open(CYCLE, by="chair")

    with pytest.raises(NotReadyError, match="once asking has ended"):
        fixed().product.meetings.open(CYCLE, by="chair")


def test_the_command_that_fixes_a_list_keeps_to_the_meeting_too() -> None:
    world = met()
    through(world)
    says(world, "A001", Word.OUT, "does not meet the terms")
    says(world, "A008", Word.WAITLIST, "next year")
    says(world, "A005", Word.IN, "a builder")

    with pytest.raises(NotReadyError, match="still open; close it"):
        world.product.cohort.finalize(CYCLE, by="chair")
    assert world.product.meetings.close(CYCLE, by="chair")
    assert not world.product.meetings.close(CYCLE, by="chair")
    with pytest.raises(InvalidInputError, match="the meeting recorded otherwise: A008"):
        world.product.cohort.finalize(CYCLE, by="chair")
    changes = [
        Override(external_id="A008", verdict=Verdict.WAITLISTED, reason="next year"),
        Override(external_id="A005", verdict=Verdict.SELECTED, reason="a builder"),
    ]
    world.product.cohort.finalize(CYCLE, by="chair", overrides=changes)

    names = world.names()
    verdicts = {names[o.application]: o for o in world.product.cohort.outcomes(CYCLE, 1)}
    assert verdicts["A001"].verdict is Verdict.NOT_SELECTED
    assert verdicts["A001"].reason == "does not meet the terms"
    assert verdicts["A005"].verdict is Verdict.SELECTED
    assert verdicts["A008"].verdict is Verdict.WAITLISTED
    waiting = [names[n] for n in world.product.offers.standing(CYCLE).waitlist]
    assert "A001" not in waiting
    assert "A008" in waiting


def test_a_later_meeting_takes_no_place_from_whoever_was_offered_one() -> None:
    world = fixed()
    world.product.offers.make(CYCLE, by="ops")
    world.product.cohort.reopen(CYCLE, names=["a", "b"], reason="an appeal")
    world.product.meetings.open(CYCLE, by="chair")
    for word in (Word.OUT, Word.WAITLIST):
        with pytest.raises(InvalidInputError, match="an offer is not taken back"):
            says(world, "A008", word)

    says(world, "A008", Word.IN)
    through(world)
    world.product.meetings.close(CYCLE, by="chair")
    digest = world.product.cohort.prepare(CYCLE, by="chair")
    assert world.product.cohort.sign(CYCLE, digest, by="chair")
    names = world.names()
    chosen = {
        names[o.application]
        for o in world.product.cohort.outcomes(CYCLE, 2)
        if o.verdict is Verdict.SELECTED
    }
    assert chosen == {"A006", "A007", "A008"}


def test_somebody_with_an_offer_is_in_though_the_proposal_has_others_now() -> None:
    world = met()
    says(world, "A001", Word.IN)
    proposal = world.product.cohort.propose(CYCLE)
    meeting = world.product.meetings.agenda(CYCLE).meeting
    assert meeting is not None
    (number,) = meeting.words

    with pytest.raises(InvalidInputError, match="A001"):
        follow(proposal, (), meeting)
    assert follow(replace(proposal, promised=frozenset({number})), (), meeting) == ()
