"""How a cycle comes to its end, and what keeps it from ending."""

from dataclasses import replace
from datetime import timedelta
from typing import cast

from swapflow.bandit.situation import StopReason
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.reviewer import Absence
from swapflow.domain.reviewing.assignment import PullStatus
from swapflow.domain.rules import Purpose, RuleName, Rules
from swapflow.engine.read_models.proposal import STOP_SENTENCES, USED_UP
from tests.engine.answered_cycles import apart
from tests.engine.cycle_by_hand import (
    CYCLE,
    INTERVIEW,
    REVIEW,
    World,
    marks,
    reviewer,
    reviewers,
    rules,
)


BOTH: dict[str, int | None] = {"review": None, "interview": None}


def rules_now(world: World) -> Rules:
    """Return the rules in force."""
    return world.product.cycles.rules(CYCLE)


def ended(world: World, reason: StopReason) -> None:
    """The cycle ended for this reason, says so, and its record can be replayed."""
    assert world.cycle.stop_reason == reason.value
    sheet = world.product.cohort.propose(CYCLE).sheet
    assert sheet.stop_reason == reason.value
    nothing_left = reason is StopReason.BUDGET and world.cycle.spent == rules_now(world).budget
    said = USED_UP if nothing_left else STOP_SENTENCES[reason.value]
    assert sheet.stop_sentence == said
    assert world.product.reports.progress(CYCLE).stop_sentence == said
    world.check()
    world.verify()


def test_it_ends_when_the_budget_is_used_up() -> None:
    world = World(rules=rules(budget=20))

    world.run()

    assert world.cycle.spent == 20
    ended(world, StopReason.BUDGET)


def test_it_ends_when_nobody_is_left_to_ask() -> None:
    world = World(rules=rules(budget=1000), roster=2)

    world.run()

    assert world.cycle.spent == 16
    ended(world, StopReason.EXHAUSTED)


def test_it_ends_when_further_reviews_are_expected_to_change_nothing() -> None:
    world = World(rules=rules(budget=1000, settled=0.05), roster=12)

    world.run(apart)

    assert world.cycle.spent < 32
    assert world.cohort() == ["A006", "A007", "A008"]
    ended(world, StopReason.SETTLED)


def test_it_ends_when_the_list_is_certified() -> None:
    kinds = (replace(REVIEW, maximum=20),)
    certified = rules(rule=RuleName.CERTIFIED, sigma=0.02, kinds=kinds, budget=160)
    world = World(rules=certified, roster=20)

    world.run(apart)

    assert world.cohort() == ["A006", "A007", "A008"]
    assert world.product.cohort.propose(CYCLE).sheet.certified_loss == 0.0
    ended(world, StopReason.CERTIFIED)


def test_the_rule_of_the_paper_ends_as_certified_too() -> None:
    kinds = (replace(REVIEW, maximum=20), replace(INTERVIEW, maximum=3))
    paper = rules(rule=RuleName.PAPER, sigma=0.01, kinds=kinds, budget=300)
    world = World(rules=paper, roster=reviewers(24, capacity=BOTH))

    world.run(apart)

    assert world.cohort() == ["A006", "A007", "A008"]
    ended(world, StopReason.CERTIFIED)


def with_deadline(days: int, **changes: object) -> Rules:
    now = World(launch=False).ledger.now()
    return rules(deadline=now + timedelta(days=days), **changes)


def test_it_ends_at_the_deadline_though_nothing_else_happens() -> None:
    world = World(rules=with_deadline(10))
    world.turn()
    world.submit(world.waiting()[0], 0.5)
    world.turn()
    assert world.stands(CycleStatus.RUNNING)

    world.later(days=11)
    world.turn()

    assert world.stands(CycleStatus.ENDED)
    ended(world, StopReason.DEADLINE)


def test_after_the_deadline_moved_the_cycle_goes_on_and_replays() -> None:
    world = World(rules=with_deadline(10, purpose=Purpose.REAL, budget=20))
    world.turn()
    for assignment in world.waiting()[:9]:
        world.submit(assignment, marks(str(assignment.application), "", 1, ""))
    world.later(days=11)
    world.turn()
    assert world.stands(CycleStatus.PROPOSED)

    moved = replace(world.product.cycles.rules(CYCLE), deadline=None)
    world.product.cycles.change_rules(CYCLE, moved, by="ops", reason="holidays")
    world.product.cycles.resume(CYCLE, by="ops")
    world.run()

    ended(world, StopReason.BUDGET)


def test_staff_end_it_and_what_nobody_opened_is_cancelled() -> None:
    world = World()
    world.turn()
    opened, answered, *_ = world.waiting()
    world.product.tasks.open(opened.id)
    world.submit(answered, 0.8)

    cancelled = world.product.cycles.stop(CYCLE, by="dean", reason="enough")

    assert [a.id for a in world.waiting()] == [opened.id]
    (event,) = world.events(EventType.PULLS_CANCELLED)
    assert cancelled == len(cast("list[object]", event.payload["pulls"])) > 0
    world.submit(opened, 0.9)
    world.turn()
    assert world.cycle.committed == 0
    ended(world, StopReason.STAFF)


def test_a_stop_is_only_proposed_in_a_real_cycle_and_a_person_ends_it() -> None:
    world = World(rules=rules(purpose=Purpose.REAL, budget=20))
    world.run()
    assert world.stands(CycleStatus.PROPOSED)
    assert world.turn() == 0

    world.product.cycles.stop(CYCLE, by="dean")

    assert world.stands(CycleStatus.ENDED)
    ended(world, StopReason.BUDGET)


def test_a_proposed_stop_can_be_answered_with_more_money() -> None:
    world = World(rules=rules(purpose=Purpose.REAL, budget=20))
    world.run()
    more = replace(world.product.cycles.rules(CYCLE), budget=26)
    world.product.cycles.change_rules(CYCLE, more, by="ops", reason="a grant")
    world.product.cycles.resume(CYCLE, by="ops")

    world.run()

    assert world.cycle.spent == 26
    ended(world, StopReason.BUDGET)


def test_a_simulated_cycle_ends_though_its_coordinator_dies_before_it_can_say_so() -> None:
    world = World(rules=rules(budget=20, purpose=Purpose.REAL))
    world.run()
    simulated = replace(world.product.cycles.rules(CYCLE), purpose=Purpose.SIMULATION)
    world.product.cycles.change_rules(CYCLE, simulated, by="ops", reason="a trial after all")
    world.coordinator.stop()

    world.turn(world.product.cycles.coordinator("another"))

    assert world.stands(CycleStatus.ENDED)


def test_nothing_is_certified_or_settled_while_a_floor_is_open() -> None:
    world = World(rules=rules(settled=1.0, budget=30, purpose=Purpose.REAL, packet=2), roster=4)
    world.turn()
    *most, last = world.waiting()
    for assignment in most:
        world.submit(assignment, apart(f"A{assignment.application + 1}", "", 1, ""))
        world.turn()
        assert world.stands(CycleStatus.RUNNING)
    del last
    world.run(apart)

    assert world.cycle.stop_reason == StopReason.SETTLED
    assert {p.status for p in world.ledger.pulls(CYCLE)} <= {
        PullStatus.CLOSED,
        PullStatus.CANCELLED,
    }
    assert all(not place.floor_missing for place in world.product.cohort.propose(CYCLE).places)


def test_a_floor_that_nobody_can_fill_keeps_the_word_settled_away() -> None:
    world = World(rules=rules(settled=1.0, budget=1000, purpose=Purpose.REAL), roster=3)
    world.product.reviewers.add_conflicts(
        CYCLE, [("A001", f"R{n}") for n in (1, 2, 3)], source="staff"
    )

    world.run(apart)

    assert world.cycle.stop_reason == StopReason.EXHAUSTED
    below = [p.external_id for p in world.product.cohort.propose(CYCLE).places if p.floor_missing]
    assert below == ["A001"]


def test_a_cycle_waits_for_reviewers_who_are_away_and_goes_on_when_they_are_back() -> None:
    world = World(roster=[], launch=False)
    today = world.ledger.now().date()
    gone = (Absence(first=today, last=today + timedelta(days=4)),)
    world.hire([reviewer(f"R{n}", absences=gone) for n in range(3)])
    world.product.cycles.launch(CYCLE, by="ops")

    world.turn()
    assert world.waiting() == ()
    assert world.stands(CycleStatus.RUNNING)
    assert world.turn() == 0
    world.later(days=6)
    world.turn()

    assert len(world.waiting()) >= 8


def test_a_met_stop_waits_for_what_is_out_so_late_bad_news_counts() -> None:
    world = World(rules=rules(settled=0.2, out=24, budget=32, purpose=Purpose.REAL), roster=6)
    world.turn()
    for assignment in world.waiting()[:-1]:
        world.submit(assignment, apart(f"A{assignment.application + 1}", "", 1, ""))
        world.turn()

    assert world.stands(CycleStatus.RUNNING)
    assert len(world.waiting()) >= 1
