"""Decide: floors first, then the rule, within every limit."""

from collections import Counter
from dataclasses import replace

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import PullReason, PullStatus
from swapflow.domain.rules import DispatchMode, Floor, KindRules, Purpose
from tests.engine.answered_cycles import apart
from tests.engine.cycle_by_hand import (
    CYCLE,
    INTERVIEW,
    REVIEW,
    World,
    applicants,
    chosen_floor,
    marks,
    reviewers,
    rules,
)


BOTH: dict[str, int | None] = {"review": None, "interview": None}


TWO_KINDS = rules(kinds=(REVIEW, INTERVIEW), budget=60)


def test_floors_go_out_before_anything_that_the_rule_wants() -> None:
    world = World(rules=replace(TWO_KINDS, packet=2), roster=reviewers(3, capacity=BOTH))

    world.run()

    decisions = world.product.reports.decisions(CYCLE)
    order = [p.why for p in sorted(world.ledger.pulls(CYCLE), key=lambda p: p.decision)]
    assert order.count(PullReason.FLOOR) == 8
    assert set(order[:8]) == {PullReason.FLOOR}
    assert {d.why for d in decisions} == {"floor", "rule"}


def test_everyone_has_a_first_review_before_anyone_has_a_second() -> None:
    floor = (Floor(kind="review", count=2),)
    world = World(rules=rules(floors=floor, packet=2, budget=16), roster=3)

    world.turn()

    assert {p.ordinal for p in world.ledger.pulls(CYCLE)} == {1}


def test_whoever_is_chosen_has_had_an_interview_before_a_stop_is_proposed() -> None:
    floors = (Floor(kind="review", count=1), chosen_floor("interview"))
    world = World(
        rules=replace(TWO_KINDS, floors=floors, budget=30, purpose=Purpose.REAL),
        roster=reviewers(4, capacity=BOTH),
    )
    world.run()

    proposal = world.product.cohort.propose(CYCLE)

    assert world.stands(CycleStatus.PROPOSED)
    assert all(place.pulls["interview"] == 1 for place in proposal.cohort)
    assert all(place.floor_missing == {} for place in proposal.places)


def test_what_the_chosen_are_promised_never_costs_more_than_there_is() -> None:
    floors = (Floor(kind="review", count=1), chosen_floor("interview"))
    world = World(
        rules=replace(TWO_KINDS, floors=floors, budget=19),
        roster=reviewers(5, capacity=BOTH),
    )
    # Reviews that come late are counted, and take what the interviews would have cost.
    world.turn()
    for assignment in world.waiting():
        world.submit(assignment, 0.5)
    changed = replace(world.product.cycles.rules(CYCLE), budget=world.cycle.spent + 4)
    world.product.cycles.change_rules(CYCLE, changed, by="ops", reason="the board")

    world.run()

    assert world.cycle.spent <= changed.budget
    assert world.stands(CycleStatus.ENDED)
    world.verify()


def test_in_lockstep_the_next_decision_waits_for_every_answer_of_the_last() -> None:
    world = World(rules=rules(dispatch=DispatchMode.LOCKSTEP, batch=5))
    world.turn()
    floor = world.waiting()
    assert len(floor) == 8

    for assignment in floor[:-1]:
        world.submit(assignment, 0.5)
        world.turn()
        assert world.cycle.decisions == 1
    world.submit(floor[-1], 0.5)
    world.turn()

    assert world.cycle.decisions == 2
    assert len(world.waiting()) == 5


def test_in_lockstep_a_declined_request_is_answered_by_another_before_the_next_decision() -> None:
    world = World(rules=rules(dispatch=DispatchMode.LOCKSTEP))
    world.turn()
    *others, last = world.waiting()
    for assignment in others:
        world.submit(assignment, 0.5)
    decline(world, last.id)
    world.turn()

    assert world.cycle.decisions == 1
    (again,) = world.waiting()
    assert (again.pull_id, again.attempt) == (last.pull_id, 2)


def decline(world: World, assignment: str) -> None:
    world.product.tasks.decline(assignment, DeclineKind.UNQUALIFIED, by="themselves")


def test_in_lockstep_the_clock_expires_nothing() -> None:
    short = replace(REVIEW, window_days=1)
    world = World(rules=rules(dispatch=DispatchMode.LOCKSTEP, kinds=(short,)))
    world.turn()
    out = world.waiting()
    world.later(days=30)
    world.turn()

    assert world.waiting() == out


def test_in_rolling_a_stated_number_is_kept_out_and_topped_up() -> None:
    world = World(rules=rules(out=4, budget=20))
    out = []
    while True:
        world.turn()
        waiting = world.waiting()
        if not waiting:
            break
        out.append(len(waiting))
        world.submit(waiting[0], 0.3)

    assert set(out[:-4]) == {4}
    assert out[-4:] == [4, 3, 2, 1]


def test_without_a_stated_number_the_packets_are_kept_full() -> None:
    world = World(rules=rules(packet=2, budget=24), roster=3)
    world.turn()
    assert len(world.waiting()) == 6

    world.submit(world.waiting()[0], 0.5)
    world.turn()

    assert len(world.waiting()) == 6


# Limits


def test_three_kinds_with_prerequisites_and_caps_are_kept_to() -> None:
    kinds = (
        replace(REVIEW, maximum=2),
        KindRules(name="call", cost=2, gain=2.0, maximum=1, total=5, requires="review"),
        KindRules(name="visit", cost=4, gain=6.0, maximum=1, total=3, requires="call"),
    )
    everything = {kind.name: None for kind in kinds}
    world = World(
        rules=rules(kinds=kinds, budget=60, dispatch=DispatchMode.LOCKSTEP, batch=3),
        applications=10,
        roster=reviewers(8, capacity=everything),
    )
    world.run()

    pulls = world.ledger.pulls(CYCLE)
    count = [sum(p.kind == kind for p in pulls) for kind in range(3)]
    assert count[1] == 5
    assert 1 <= count[2] <= 3
    first = {(p.application, p.kind): p.decision for p in reversed(pulls)}
    assert all(first[a, kind - 1] < decision for (a, kind), decision in first.items() if kind)
    assert max(p.ordinal for p in pulls if p.kind == 0) <= 2
    world.check()
    world.verify()


def test_a_kind_waits_until_so_many_of_the_one_before_are_closed() -> None:
    kinds = (
        KindRules(name="screen", cost=1, gain=1.0, maximum=1),
        KindRules(name="review", cost=2, gain=4.0, maximum=3, requires="screen"),
        KindRules(
            name="panel",
            cost=6,
            gain=15.0,
            maximum=1,
            seats=2,
            quorum=2,
            requires="review",
            requires_count=2,
        ),
    )
    everything = {kind.name: None for kind in kinds}
    world = World(
        rules=rules(
            kinds=kinds,
            floors=(Floor(kind="screen", count=1), chosen_floor("panel")),
            budget=110,
            purpose=Purpose.REAL,
        ),
        applications=10,
        roster=reviewers(8, capacity=everything),
    )
    opened: dict[str, tuple[int, int, int]] = {}
    for _ in range(200):
        world.turn()
        closed = Counter(
            (p.application, p.kind)
            for p in world.ledger.pulls(CYCLE)
            if p.status is PullStatus.CLOSED
        )
        for pull in world.ledger.pulls(CYCLE):
            before = closed[pull.application, 0], closed[pull.application, 1]
            opened.setdefault(pull.id, (pull.kind, *before))
        world.check()
        waiting = world.waiting()
        if not waiting:
            break
        # One at a time, so that every opening is seen with what was closed at that moment.
        names, people = world.names(), world.people()
        first = waiting[0]
        mark = marks(names[first.application], str(first.kind), 1, people[first.reviewer])
        world.submit(first, mark)

    assert world.stands(CycleStatus.PROPOSED)
    assert all(screens == 1 for kind, screens, _ in opened.values() if kind == 1)
    assert all(reviews >= 2 for kind, _, reviews in opened.values() if kind == 2)
    assert {kind for kind, *_ in opened.values()} == {0, 1, 2}
    given = {(p.application, p.kind) for p in world.ledger.pulls(CYCLE)}
    chosen = [world.number(name) for name in world.cohort()]
    assert all((number, 2) in given for number in chosen)
    world.product.cohort.finalize(CYCLE, by="chair")
    world.verify()


def test_a_held_application_takes_no_new_pull_and_stays_a_candidate() -> None:
    world = World(rules=rules(budget=30), launch=False)
    world.product.applicants.move(CYCLE, "A001", ApplicationStatus.HELD, by="ops")
    world.product.cycles.launch(CYCLE, by="ops")

    world.run()

    assert world.ledger.pulls(CYCLE, application=0) == ()
    assert "A001" in {p.external_id for p in world.product.cohort.propose(CYCLE).places}


@pytest.mark.parametrize("status", [ApplicationStatus.WITHDRAWN, ApplicationStatus.INELIGIBLE])
def test_whoever_leaves_is_asked_about_no_more_and_never_in_the_cohort(
    status: ApplicationStatus,
) -> None:
    world = World(rules=rules(budget=24))
    world.turn()
    world.answer_all(apart)
    world.turn()
    spent = world.cycle.spent

    world.product.applicants.move(CYCLE, "A008", status, by="ops", reason="left")

    assert world.ledger.pulls(CYCLE, application=7, statuses={PullStatus.OPEN}) == ()
    assert world.cycle.spent == spent
    world.run(apart)
    assert "A008" not in world.cohort()
    assert "A008" not in {p.external_id for p in world.product.cohort.propose(CYCLE).places}
    assert len(world.cohort()) == 3
    world.check()
    world.verify()


def test_whoever_comes_back_is_a_candidate_again_with_all_that_was_known() -> None:
    world = World(rules=rules(budget=24, purpose=Purpose.REAL))
    world.turn()
    world.answer_all(apart)
    world.product.applicants.move(CYCLE, "A008", ApplicationStatus.WITHDRAWN, by="ops")
    world.turn()
    world.product.applicants.move(CYCLE, "A008", ApplicationStatus.READY, by="ops")

    world.run(apart)

    assert "A008" in world.cohort()
    world.verify()


def test_appending_a_kind_in_mid_cycle_leaves_every_earlier_decision_replayable() -> None:
    world = World(rules=rules(budget=30), roster=reviewers(4, capacity={"review": None}))
    world.turn()
    world.answer_all()
    now = world.product.cycles.rules(CYCLE)
    more = replace(now, kinds=(*now.kinds, INTERVIEW), budget=40)
    world.product.cycles.change_rules(CYCLE, more, by="ops", reason="interviews after all")
    world.hire(reviewers(4, capacity=BOTH))

    world.run()

    assert any(p.kind == 1 for p in world.ledger.pulls(CYCLE))
    world.verify()


def test_an_application_that_arrives_late_gets_its_floor_before_the_rule_goes_on() -> None:
    world = World(rules=rules(budget=24, out=4))
    world.turn()
    world.answer_all(apart)
    world.admit(applicants(1, first=9))
    world.turn()

    assert {p.why for p in world.ledger.pulls(CYCLE, application=8)} == {PullReason.FLOOR}
    world.run(apart)
    world.verify()
