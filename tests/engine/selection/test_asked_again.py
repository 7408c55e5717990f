"""Who may be asked again about an applicant has a version: launched programs keep theirs."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import Absence, DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.rules import Floor, Purpose, Rules
from swapflow.domain.rules_text import from_text, to_text
from swapflow.domain.rules_versions import FIRST_ASKING, LATEST_ASKING
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.errors import InvalidInputError
from tests.engine.cycle_by_hand import CYCLE, REVIEW, World, rules


ONCE = replace(REVIEW, maximum=1, window_days=7)
REAL = rules(kinds=(ONCE,), purpose=Purpose.REAL, budget=20)
OLD = replace(REAL, asking=FIRST_ASKING)


def launched_before(kind_of: Rules = OLD, *, roster: int = 1) -> World:
    """A program that the release before launched: its rules name no version."""
    world = World(rules=kind_of, roster=roster, launch=False)
    with world.ledger.write(CYCLE) as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
        tx.set_status(CycleStatus.RUNNING)
    return world


def barred(world: World, asked: Assignment) -> bool:
    projection = read_projection(CYCLE, ledger=world.ledger)
    return projection.is_barred(asked.application, asked.reviewer)


def checked(world: World) -> None:
    world.check()
    world.verify()


def test_rules_stored_without_a_version_have_the_first() -> None:
    assert "asking" not in json.loads(to_text(OLD))
    assert from_text(to_text(OLD)).asking == FIRST_ASKING
    assert from_text(to_text(REAL)).asking == LATEST_ASKING


def test_a_draft_is_launched_with_the_latest_version() -> None:
    assert World(rules=OLD).product.cycles.rules(CYCLE).asking == LATEST_ASKING


def test_a_launched_program_keeps_its_version_and_asks_nobody_twice() -> None:
    world = launched_before()
    world.turn()
    first = world.waiting()[0]
    world.product.cycles.change_rules(CYCLE, replace(REAL, version=2), by="ops", reason="new")

    world.later(days=8)
    world.turn()

    assert world.product.cycles.rules(CYCLE).asking == FIRST_ASKING
    assert barred(world, first)
    assert world.waiting() == ()
    checked(world)


def test_a_lapsed_request_goes_back_to_its_reviewer_where_nobody_else_can_take_it(
    url: str,
) -> None:
    world = World(url=url, rules=REAL, roster=1)
    world.turn()
    first = world.waiting()[0]

    world.later(days=8)
    world.turn()

    again = next(a for a in world.waiting() if a.pull_id == first.pull_id)
    assert (again.reviewer, again.attempt) == (first.reviewer, 2)
    checked(world)
    world.ledger.dispose()


def test_others_come_before_a_reviewer_whose_request_lapsed() -> None:
    world = World(rules=REAL, roster=2)
    world.turn()
    before = {a.pull_id: a.reviewer for a in world.waiting()}

    world.later(days=8)
    world.turn()

    after = {a.pull_id: a.reviewer for a in world.waiting()}
    assert after.keys() == before.keys()
    assert all(after[pull] != before[pull] for pull in before)
    checked(world)


def test_a_late_answer_takes_the_place_of_the_request_that_its_reviewer_got_again() -> None:
    world = World(rules=REAL, roster=1)
    world.turn()
    first = world.waiting()[0]
    world.later(days=8)
    world.turn()
    again = next(a for a in world.waiting() if a.pull_id == first.pull_id)
    world.product.tasks.open(again.id)

    receipt = world.submit(first, 0.8)
    late = world.submit(again, 0.2)

    assert (receipt.counts, late.counts) == (True, False)
    assert barred(world, first)
    world.turn()
    checked(world)


def test_a_lapsed_request_counts_no_more_once_the_second_one_is_answered() -> None:
    world = World(rules=REAL, roster=1)
    world.turn()
    first = world.waiting()[0]
    world.later(days=8)
    world.turn()
    again = next(a for a in world.waiting() if a.pull_id == first.pull_id)

    assert world.submit(again, 0.8).counts
    assert not world.submit(first, 0.2).counts
    checked(world)


def test_busy_until_a_day_bars_until_that_day_and_no_longer() -> None:
    world = World(rules=REAL, roster=1)
    world.turn()
    first = world.waiting()[0]
    today = world.ledger.now().date()
    busy = Absence(first=today, last=today)

    world.product.tasks.decline(first.id, DeclineKind.BUSY, by="R1", busy=busy)
    world.turn()
    assert barred(world, first)
    world.later(days=1)
    world.turn()

    assert not barred(world, first) or first.reviewer in {
        a.reviewer for a in world.waiting() if a.application == first.application
    }
    checked(world)


@pytest.mark.parametrize("kind", [DeclineKind.UNQUALIFIED, DeclineKind.CONFLICT])
def test_who_cannot_judge_an_applicant_is_never_asked_again(kind: DeclineKind) -> None:
    world = World(rules=REAL, roster=1)
    world.turn()
    first = world.waiting()[0]

    world.product.tasks.decline(first.id, kind, by="R1")
    world.later(days=30)
    world.turn()

    assert barred(world, first)
    checked(world)


def test_a_voided_review_bars_its_reviewer() -> None:
    world = World(rules=REAL, roster=2)
    world.turn()
    first = world.waiting()[0]
    world.submit(first, 0.8)

    world.product.scores.void([first.id], by="ops", reason="wrong file")
    world.turn()

    assert barred(world, first)
    checked(world)


def test_reinstating_gives_the_same_request_back_opened_as_it_was(url: str) -> None:
    world = World(url=url, rules=REAL, roster=2)
    world.turn()
    first = world.waiting()[0]
    name = world.names()[first.application]
    world.product.tasks.open(first.id)
    spent = world.cycle.committed
    move = world.product.applicants.move

    move(CYCLE, name, ApplicationStatus.WITHDRAWN, by="ops", reason="left")
    world.turn()
    assert world.ledger.assignment(first.id).status is AssignmentStatus.CANCELLED
    assert not barred(world, first)
    move(CYCLE, name, ApplicationStatus.READY, by="ops", reason="a mistake")
    world.turn()

    assert world.ledger.assignment(first.id).status is AssignmentStatus.OPENED
    assert world.cycle.committed == spent
    assert world.submit(first, 0.8).counts
    checked(world)
    world.ledger.dispose()


@pytest.mark.parametrize("left", [3, 2, 1, 0])
def test_reinstating_gives_back_as_many_requests_as_the_budget_pays_for(left: int) -> None:
    thrice = rules(floors=(Floor(kind="review", count=3),), budget=24)
    world = World(rules=thrice)
    world.turn()
    assert world.cycle.committed == 24
    name = world.names()[world.waiting()[0].application]
    move = world.product.applicants.move

    move(CYCLE, name, ApplicationStatus.WITHDRAWN, by="ops", reason="left")
    lower = replace(thrice, version=2, budget=21 + left)
    world.product.cycles.change_rules(CYCLE, lower, by="ops", reason="less money")
    move(CYCLE, name, ApplicationStatus.READY, by="ops", reason="a mistake")

    assert world.cycle.committed == 21 + left
    checked(world)


def test_a_request_that_lapsed_during_a_withdrawal_comes_back_with_its_window() -> None:
    world = World(rules=REAL, roster=2)
    world.turn()
    first = world.waiting()[0]
    name = world.names()[first.application]
    move = world.product.applicants.move
    move(CYCLE, name, ApplicationStatus.WITHDRAWN, by="ops", reason="left")
    world.later(days=8)

    move(CYCLE, name, ApplicationStatus.READY, by="ops", reason="a mistake")

    due = world.ledger.assignment(first.id).due_at
    assert due is not None
    assert due - world.ledger.now() > timedelta(days=6)


def test_nothing_goes_back_to_a_reviewer_in_conflict() -> None:
    world = World(rules=REAL, roster=2)
    world.turn()
    first = world.waiting()[0]
    name, whom = world.names()[first.application], world.people()[first.reviewer]
    move = world.product.applicants.move
    move(CYCLE, name, ApplicationStatus.WITHDRAWN, by="ops", reason="left")
    world.product.reviewers.add_conflicts(CYCLE, [(name, whom)], source="staff")

    move(CYCLE, name, ApplicationStatus.READY, by="ops", reason="a mistake")
    world.turn()

    assert world.ledger.assignment(first.id).status is AssignmentStatus.CANCELLED
    (other,) = [a for a in world.waiting() if a.pull_id == first.pull_id]
    assert other.reviewer != first.reviewer
    checked(world)


def test_a_review_that_came_during_a_withdrawal_can_be_admitted() -> None:
    world = World(rules=REAL, roster=2)
    world.turn()
    first = world.waiting()[0]
    name = world.names()[first.application]
    move = world.product.applicants.move
    move(CYCLE, name, ApplicationStatus.WITHDRAWN, by="ops", reason="left")
    assert not world.submit(first, 0.8).counts
    move(CYCLE, name, ApplicationStatus.READY, by="ops", reason="a mistake")

    world.product.scores.admit(first.id, by="ops", reason="it was asked for")

    assert world.standing()[first.id].counts
    assert barred(world, first)
    with pytest.raises(InvalidInputError):
        world.product.scores.admit(first.id, by="ops", reason="twice")
    world.run()
    checked(world)


def test_a_panel_that_is_set_again_replaces_the_one_before() -> None:
    world = World(rules=REAL, roster=3)
    world.product.reviewers.set_panel(CYCLE, [("A001", "R1"), ("A001", "R2")])
    world.product.reviewers.set_panel(CYCLE, [("A001", "R3")])
    world.turn()

    number = world.number("A001")
    projection = read_projection(CYCLE, ledger=world.ledger)
    assert projection.panels[number] == {n for n, p in world.people().items() if p == "R3"}
    assert {p for a, p in world.asked() if a == "A001"} == {"R3"}
    checked(world)
