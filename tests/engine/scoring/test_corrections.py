"""Scores: late ones, corrected ones, voided ones, panels', and those nobody asked for."""

from dataclasses import replace

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, PullStatus
from swapflow.domain.reviewing.score import Answer, Late, NotCounted, Origin
from swapflow.domain.rules import DispatchMode, KindRules, Purpose, Rules
from swapflow.engine.coordination.dispatch import write_plan
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.scoring.volunteered import Volunteered
from swapflow.engine.selection.decide import decide
from swapflow.engine.selection.situation import situation_of
from swapflow.engine.selection.staffing import PlannedPull
from swapflow.errors import (
    AssignmentClosedError,
    CycleFinalizedError,
    InvalidInputError,
    NotFoundError,
    ScoreOutOfRangeError,
)
from tests.engine.cycle_by_hand import (
    CYCLE,
    REVIEW,
    World,
    assert_same_numbers,
    marks,
    reviewers,
    rules,
)


WEEKLY = rules(kinds=(replace(REVIEW, window_days=7, maximum=1),), purpose=Purpose.REAL, budget=20)

OFTEN = replace(WEEKLY.kinds[0], maximum=4)


def expired(world: World) -> Assignment:
    """One assignment that expired and was given to another; everybody else has answered."""
    world.turn()
    late, *others = world.waiting()
    for assignment in others:
        world.submit(assignment, 0.5)
    world.later(days=8)
    world.turn()
    assert world.ledger.assignment(late.id).status is AssignmentStatus.EXPIRED
    return late


def replacement(world: World, late: Assignment) -> Assignment:
    return next(a for a in world.waiting() if a.pull_id == late.pull_id)


def pull_status(world: World, pull: str) -> PullStatus:
    return next(p.status for p in world.ledger.pulls(CYCLE) if p.id == pull)


def test_an_answer_counts_on_every_database_and_the_same_one_again_changes_nothing(
    url: str,
) -> None:
    world = World(url=url)
    world.turn()
    first = world.waiting()[0]

    receipt = world.submit(first, 0.8)
    before = world.cycle
    again = world.submit(first, 0.8)

    assert (receipt.repeated, again.repeated) == (False, True)
    assert (receipt.value, again.value) == (800_000, 800_000)
    assert world.cycle == before
    with pytest.raises(AssignmentClosedError, match="correction"):
        world.submit(first, 0.7)
    world.turn()
    world.check()
    world.verify()
    world.ledger.dispose()


@pytest.mark.parametrize("utility", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_score_off_the_scale_is_refused_and_nothing_else_of_the_same_submit_is_kept(
    utility: float,
) -> None:
    world = World()
    world.turn()
    good, bad, *_ = world.waiting()
    before = world.cycle

    with pytest.raises(ScoreOutOfRangeError):
        world.product.tasks.submit(
            [
                Answer(assignment_id=good.id, utility=0.5),
                Answer(assignment_id=bad.id, utility=utility),
            ]
        )

    assert world.cycle == before
    assert world.ledger.scores(CYCLE) == ()


def test_an_answer_to_nothing_is_refused() -> None:
    world = World()
    with pytest.raises(NotFoundError, match="fall:0:review:9"):
        world.submit("fall:0:review:9:1.1", 0.5)


def test_a_program_cannot_answer_in_a_real_cycle_that_does_not_allow_it() -> None:
    world = World(rules=WEEKLY)
    world.turn()

    with pytest.raises(InvalidInputError, match="automatic"):
        world.submit(world.waiting()[0], 0.5, origin=Origin.AUTOMATIC)


# Late


def test_a_late_score_closes_its_own_request_if_the_replacement_has_not_opened_it(
    url: str,
) -> None:
    world = World(url=url, rules=WEEKLY)
    late = expired(world)
    other = replacement(world, late)
    spent = world.cycle.spent

    receipt = world.submit(late, 0.9)

    assert receipt.counts
    assert world.standing()[late.id].late is Late.CLOSES
    assert world.ledger.assignment(other.id).status is AssignmentStatus.CANCELLED
    assert pull_status(world, late.pull_id) is PullStatus.CLOSED
    assert world.cycle.spent == spent + 1
    world.turn()
    world.check()
    world.verify()
    world.ledger.dispose()


def test_a_late_score_opens_and_closes_an_extra_request_if_the_replacement_was_begun() -> None:
    world = World(rules=WEEKLY)
    late = expired(world)
    world.product.tasks.open(replacement(world, late).id)
    spent, committed = world.cycle.spent, world.cycle.committed

    receipt = world.submit(late, 0.9)

    assert receipt.counts
    assert world.standing()[late.id].late is Late.EXTRA
    assert (world.cycle.spent, world.cycle.committed) == (spent + 1, committed)
    assert world.submit(replacement(world, late), 0.1).counts
    world.run()
    world.check()
    world.verify()


def test_a_late_score_counts_beside_the_replacements_own() -> None:
    world = World(rules=WEEKLY)
    late = expired(world)
    world.submit(replacement(world, late), 0.1)
    world.submit(late, 0.9)
    world.turn()

    arms = world.arms()
    assert arms.information[late.application] == 2_000
    assert arms.numerator[late.application] == 1_000 * 1_000_000
    world.verify()


def test_a_late_score_that_the_budget_has_no_room_for_is_kept_and_does_not_count() -> None:
    world = World(rules=replace(WEEKLY, budget=8))
    late = expired(world)
    world.submit(replacement(world, late), 0.1)

    receipt = world.submit(late, 0.9)

    assert not receipt.counts
    kept = world.standing()[late.id]
    assert (kept.late, kept.reason, kept.value) == (Late.UNCOUNTED, NotCounted.NO_BUDGET, 900_000)
    assert world.cycle.spent == 8
    world.check()
    world.verify()


def test_what_was_decided_about_a_late_score_is_not_looked_at_again() -> None:
    world = World(rules=replace(WEEKLY, budget=8))
    late = expired(world)
    world.submit(replacement(world, late), 0.1)
    world.submit(late, 0.9)
    more = replace(world.product.cycles.rules(CYCLE), budget=30)
    world.product.cycles.change_rules(CYCLE, more, by="ops", reason="a grant")

    assert not world.submit(late, 0.9).counts
    assert world.standing()[late.id].reason == NotCounted.NO_BUDGET


def test_a_decision_is_made_again_when_a_late_score_has_taken_a_number_that_it_wanted() -> None:
    world = World(rules=replace(WEEKLY, kinds=(OFTEN,), budget=1000, out=8), roster=6)
    late = expired(world)
    world.product.tasks.open(replacement(world, late).id)
    projection = read_projection(CYCLE, ledger=world.ledger)
    plan = decide(replace_room(projection), world.tally())
    assert plan is not None
    key = (late.application, 0, projection.next_ordinal(late.application, 0))
    free = next(r for r in range(6) if not projection.is_barred(late.application, r))
    wanted = replace(plan, pulls=(PlannedPull(key=key, priority=0, reviewers=(free,)),))
    lease = world.coordinator._workspaces[CYCLE].lease
    assert lease is not None

    assert world.submit(late, 0.9).counts  # between the decision's reading and its writing
    written = write_plan(wanted, projection, ledger=world.ledger, lease=lease)

    assert not written
    assert world.standing()[late.id].late is Late.EXTRA
    world.run()
    world.check()
    world.verify()


def replace_room(projection: CycleProjection) -> CycleProjection:
    """Return the projection with room for one request more than the rules allow."""
    projection.use(replace(projection.rules, out=len(projection.open) + 1))
    return projection


def test_two_answers_for_one_seat_in_one_submit_count_as_if_they_came_one_by_one() -> None:
    def after(*, together: bool) -> World:
        world = World(rules=WEEKLY)
        late = expired(world)
        other = replacement(world, late)
        answers = [
            Answer(assignment_id=late.id, utility=0.9),
            Answer(assignment_id=other.id, utility=0.1),
        ]
        for batch in [answers] if together else [[a] for a in answers]:
            world.product.tasks.submit(batch)
        world.check()
        return world

    one, two = after(together=True), after(together=False)
    assert_same_numbers(one.tally(), two.tally())
    assert [s.counts for s in one.standing().values()] == [
        s.counts for s in two.standing().values()
    ]
    one.turn()
    one.verify()


def test_an_answer_to_a_withdrawn_applicant_is_kept_and_does_not_count() -> None:
    world = World()
    world.turn()
    first = world.waiting()[0]
    name = world.names()[first.application]
    world.product.applicants.move(CYCLE, name, ApplicationStatus.WITHDRAWN, by="ops")

    receipt = world.submit(first, 0.9)

    assert not receipt.counts
    assert world.standing()[first.id].reason == NotCounted.NO_LONGER_ASKED
    world.turn()
    world.check()


# Corrected and voided


def answered(values: dict[str, float], *, settings: Rules = WEEKLY) -> World:
    """A cycle in which everybody has answered their first request with these marks."""
    world = World(rules=replace(settings, dispatch=DispatchMode.LOCKSTEP, budget=8))
    world.turn()
    world.answer_all(lambda name, *_: values[name])
    world.turn()
    return world


RIGHT = {f"A00{n}": n / 10 for n in range(1, 9)}


def test_corrections_end_in_the_same_integers_as_if_given_right_the_first_time(
    url: str,
) -> None:
    wrong = World(url=url, rules=rules(dispatch=DispatchMode.LOCKSTEP, budget=8))
    wrong.turn()
    wrong.answer_all(lambda *_: 0.123)
    for name, score in list(wrong.standing().items()):
        right = RIGHT[wrong.names()[score.application]]
        answer = Answer(assignment_id=name, utility=right)
        wrong.product.scores.correct(answer, by="ops", reason="typo")
    wrong.turn()

    right_world = answered(RIGHT)
    assert_same_numbers(wrong.arms(), right_world.arms())
    assert wrong.cohort() == right_world.cohort() == ["A006", "A007", "A008"]
    assert len(wrong.ledger.scores(CYCLE)) == 16
    wrong.verify()
    wrong.ledger.dispose()


def test_a_voided_score_counts_no_more_and_stays_on_record_and_its_cost_stays_spent() -> None:
    world = answered(RIGHT)
    victim = next(iter(world.standing()))

    assert world.product.scores.void([victim], by="ops", reason="wrong person") == 1
    assert world.product.scores.void([victim], by="ops", reason="again") == 0

    assert [s.counts for s in world.ledger.scores(CYCLE) if s.assignment_id == victim] == [
        True,
        False,
    ]
    number = world.standing()[victim].application
    assert world.tally().information[number] == 0
    assert world.cycle.spent == 8


def test_voiding_a_reviewer_voids_all_their_scores_and_nobody_elses() -> None:
    world = World(rules=rules(budget=16, dispatch=DispatchMode.LOCKSTEP))
    world.run()
    scores = world.standing().values()
    theirs = {s.assignment_id for s in scores if world.people()[s.reviewer] == "R2"}

    voided = world.product.scores.void_reviewer(
        CYCLE, "R2", by="ops", reason="undeclared conflict"
    )

    assert voided == len(theirs) > 0
    assert {n for n, s in world.standing().items() if not s.counts} == theirs
    world.check()


def test_a_mark_changed_after_others_were_seen_is_kept_and_does_not_count() -> None:
    world = answered(RIGHT)
    name = next(iter(world.standing()))
    answer = Answer(assignment_id=name, utility=1.0)

    world.product.scores.correct(answer, by="ops", reason="second thoughts", saw_others=True)

    score = world.standing()[name]
    assert (score.value, score.counts, score.reason) == (1_000_000, False, NotCounted.SAW_OTHERS)


def test_corrections_and_voids_are_refused_after_the_freeze() -> None:
    world = answered(RIGHT)
    world.product.cohort.finalize(CYCLE, by="chair")
    name = next(iter(world.standing()))

    with pytest.raises(CycleFinalizedError):
        world.product.scores.correct(
            Answer(assignment_id=name, utility=0.1), by="ops", reason="late"
        )
    with pytest.raises(CycleFinalizedError):
        world.product.scores.void([name], by="ops", reason="late")


# Panels

PANEL = KindRules(name="review", cost=2, gain=3.0, maximum=2, seats=3, quorum=2)
PANELS = rules(kinds=(PANEL,), budget=16, purpose=Purpose.REAL)


def seats_of_one(world: World) -> list[Assignment]:
    world.turn()
    first = world.waiting()[0].pull_id
    return [a for a in world.waiting() if a.pull_id == first]


def test_the_quorum_closes_a_panel_and_the_seats_left_over_are_cancelled() -> None:
    world = World(rules=PANELS)
    one, two, three = seats_of_one(world)

    world.submit(one, 0.4)
    assert world.tally().information[one.application] == 0
    world.submit(two, 0.8)

    assert world.tally().information[one.application] == 3_000
    assert world.tally().numerator[one.application] == 3_000 * 600_000
    assert pull_status(world, one.pull_id) is PullStatus.CLOSED
    assert world.ledger.assignment(three.id).status is AssignmentStatus.CANCELLED
    assert not world.submit(three, 0.0).counts
    world.turn()
    world.check()
    world.verify()


def test_a_panel_is_one_score_to_the_model_and_to_the_certificate() -> None:
    world = World(rules=replace(PANELS, dispatch=DispatchMode.LOCKSTEP))
    world.run()

    situation = situation_of(read_projection(CYCLE, ledger=world.ledger), world.arms())

    assert situation.situation.scores.mark.size == 8
    assert set(situation.situation.scores.reviewer.tolist()) == {-1}
    assert (
        situation.situation.settled_information.tolist()
        == situation.situation.information.tolist()
    )
    assert situation.situation.settled_mean.tolist() == situation.situation.mean.tolist()


def test_a_panel_whose_answer_was_voided_asks_another_and_comes_to_its_end() -> None:
    world = World(rules=PANELS, roster=5)
    one, two, _ = seats_of_one(world)
    world.submit(one, 0.4)
    world.product.tasks.decline(two.id, DeclineKind.CONFLICT, by="themselves")
    world.product.scores.void([one.id], by="ops", reason="wrong person")
    world.turn()

    live = [a for a in world.waiting() if a.pull_id == one.pull_id]
    assert {a.seat for a in live} == {1, 2, 3}
    assert {a.reviewer for a in live}.isdisjoint({one.reviewer, two.reviewer})
    world.run()
    assert pull_status(world, one.pull_id) is PullStatus.CLOSED
    assert not world.standing()[one.id].counts
    assert sum(s.counts for s in world.standing().values() if s.pull_id == one.pull_id) == 2
    world.verify()


def test_a_panel_goes_on_without_a_seat_that_nobody_can_take_if_the_quorum_can_be_met() -> None:
    world = World(rules=PANELS, roster=3)
    one, two, three = seats_of_one(world)
    world.product.tasks.decline(three.id, DeclineKind.CONFLICT, by="themselves")
    world.turn()
    assert pull_status(world, one.pull_id) is PullStatus.OPEN

    world.submit(one, 0.5)
    world.submit(two, 0.5)

    assert pull_status(world, one.pull_id) is PullStatus.CLOSED


def test_a_panel_that_cannot_reach_its_quorum_is_given_up_and_named() -> None:
    world = World(rules=PANELS, roster=3)
    one, two, _ = seats_of_one(world)
    committed = world.cycle.committed
    world.product.tasks.decline(one.id, DeclineKind.CONFLICT, by="themselves")
    world.product.tasks.decline(two.id, DeclineKind.CONFLICT, by="themselves")
    world.turn()

    assert pull_status(world, one.pull_id) is PullStatus.CANCELLED
    assert world.cycle.committed == committed - 2
    assert world.names()[one.application] in {
        name for name, _, _ in world.product.reports.progress(CYCLE).blocked
    }
    world.check()


def test_a_late_answer_never_takes_the_place_of_another_one_on_the_same_seat() -> None:
    panel = replace(PANEL, window_days=7, maximum=1)
    world = World(rules=replace(PANELS, kinds=(panel,), budget=40), roster=7)
    late, *_ = seats_of_one(world)
    world.later(days=8)
    world.turn()
    other = next(a for a in world.waiting() if (a.pull_id, a.seat) == (late.pull_id, late.seat))
    world.submit(other, 0.2)
    assert pull_status(world, late.pull_id) is PullStatus.OPEN

    receipt = world.submit(late, 0.8)

    assert receipt.counts
    assert world.standing()[late.id].late is Late.EXTRA
    world.run()
    world.check()
    world.verify()


# Not asked for


def volunteered(world: World, *, application: int = 0, reviewer: int = 0) -> str:
    score = Volunteered(
        application=application, kind=0, reviewer=reviewer, utility=0.9, typed_by="ops"
    )
    return world.product.scores.volunteer(CYCLE, [score], imported=False)[0]


def test_a_volunteered_score_enters_no_estimate_until_staff_admit_it() -> None:
    world = answered(RIGHT)
    asked = {(a.application, a.reviewer) for a in world.ledger.assignments(CYCLE)}
    free = next(r for r in range(4) if (0, r) not in asked)
    before = world.tally()

    name = volunteered(world, reviewer=free)
    assert_same_numbers(world.tally(), before)
    world.product.scores.admit(name, by="ops", reason="knows the field")

    assert world.tally().information[0] == before.information[0] + 1_000
    assert world.tally().spent == before.spent
    with pytest.raises(InvalidInputError):
        world.product.scores.admit(name, by="ops", reason="again")
    world.turn()
    world.check()
    world.verify()


def test_an_asked_score_cannot_be_admitted() -> None:
    world = answered(RIGHT)
    with pytest.raises(InvalidInputError, match="volunteered"):
        world.product.scores.admit(next(iter(world.standing())), by="ops", reason="why not")


def test_nobody_counts_twice_by_volunteering_what_they_were_asked_for() -> None:
    world = answered(RIGHT)
    asked = next(a for a in world.ledger.assignments(CYCLE) if a.application == 0)
    name = volunteered(world, reviewer=asked.reviewer)

    with pytest.raises(InvalidInputError, match="only one score of a reviewer counts"):
        world.product.scores.admit(name, by="ops", reason="again")


def test_nobody_counts_twice_by_answering_late_what_they_volunteered() -> None:
    world = World(rules=replace(WEEKLY, budget=1000))
    late = expired(world)
    name = volunteered(world, application=late.application, reviewer=late.reviewer)
    world.product.scores.admit(name, by="ops", reason="came by mail")

    assert not world.submit(late, 0.9).counts
    assert world.standing()[late.id].reason == NotCounted.TWICE
    world.check()


def test_whoever_volunteered_is_not_asked_about_the_same_application() -> None:
    world = World(roster=reviewers(2), rules=rules(budget=8), launch=False)
    volunteered(world, application=0, reviewer=0)
    world.product.cycles.launch(CYCLE, by="ops")
    world.run(marks)

    by_r1 = [a for a in world.ledger.assignments(CYCLE) if (a.application, a.reviewer) == (0, 0)]
    assert len(by_r1) == 1  # the volunteered one
    assert ("A001", "R2") in world.asked()
    assert world.stands(CycleStatus.ENDED)
