"""What becomes of an answer: counted, repeated, late, or kept uncounted."""

from dataclasses import replace

import pytest

from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, PullStatus
from swapflow.domain.reviewing.score import Answer, Late, NotCounted, Origin
from swapflow.engine.coordination.dispatch import write_plan
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.selection.decide import decide
from swapflow.engine.selection.staffing import PlannedPull
from swapflow.errors import (
    AssignmentClosedError,
    InvalidInputError,
    NotFoundError,
    ScoreOutOfRangeError,
)
from tests.engine.answered_cycles import WEEKLY, expired, pull_status
from tests.engine.cycle_by_hand import (
    CYCLE,
    World,
    assert_same_numbers,
)


OFTEN = replace(WEEKLY.kinds[0], maximum=4)


def replacement(world: World, late: Assignment) -> Assignment:
    return next(a for a in world.waiting() if a.pull_id == late.pull_id)


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


def test_a_late_score_takes_no_budget_that_is_committed_to_its_successor() -> None:
    world = World(rules=replace(WEEKLY, budget=8))
    late = expired(world)
    world.product.tasks.open(replacement(world, late).id)
    assert (world.cycle.spent, world.cycle.committed) == (7, 1)

    receipt = world.submit(late, 0.9)

    assert not receipt.counts
    assert world.standing()[late.id].reason == NotCounted.NO_BUDGET
    assert world.submit(replacement(world, late), 0.1).counts
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
