"""Where a program stands: its phase, its zones, its cut."""

import numpy as np
import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.engine.pending.standing import Phase, ProgramStanding
from swapflow.engine.read_models.people.cut import cut_estimate
from tests.engine.cycle_by_hand import CYCLE, INTERVIEW, REVIEW, World, reviewers, rules


LASTING = 200
"""A budget that is not used up after a few reviews."""


def standing(world: World) -> ProgramStanding:
    # Read from the ledger: what the coordinator published is as old as its last turn.
    world.forget_live_state()
    dashboard, _ = world.product.reports.dashboard(CYCLE)
    return world.product.pending.standing(world.product.cycles.get(CYCLE), dashboard)


def reviewed() -> World:
    world = World()
    for _ in range(3):
        world.turn()
        world.answer_all()
    world.turn()
    return world


def test_every_applicant_is_in_one_zone_and_the_cut_lies_among_the_estimates() -> None:
    found = standing(reviewed())
    board = found.dashboard

    assert found.clear + found.close + found.out + found.unseen == board.application.size
    assert found.cut is not None
    assert np.nanmin(board.estimate) <= found.cut <= np.nanmax(board.estimate)
    assert 0 < found.received <= found.asked
    assert 0 < found.share <= 1


def test_at_the_cut_an_applicant_is_as_likely_among_the_best_as_not() -> None:
    board = standing(reviewed()).dashboard
    assert board.quality is not None
    cut = cut_estimate(board.estimate, board.in_list, board.quality.likely)
    assert cut is not None

    known = ~np.isnan(board.estimate)
    above, below = board.quality.likely > 0.5, board.quality.likely < 0.5
    # Interpolated between the nearest likelihoods: the margins of the two may differ a little.
    assert cut <= board.estimate[known & above].min() + 0.1
    assert board.estimate[known & below].max() - 0.1 <= cut


def test_a_program_without_a_review_has_no_cut() -> None:
    world = World()
    world.turn()
    found = standing(world)

    assert (found.cut, found.received, found.trend) == (None, 0, ())


def test_a_program_that_asks_for_reviews_is_at_its_reviews_by_its_budget() -> None:
    world = World(rules=rules(budget=LASTING))
    world.turn()
    for waiting in world.waiting()[:3]:
        world.submit(waiting, 0.5)
    found = standing(world)

    assert world.stands(CycleStatus.RUNNING)
    assert found.received == 3
    assert found.phase is Phase.REVIEWS
    assert found.share == pytest.approx(world.cycle.spent / LASTING)
    assert 0 < found.share < 1


def test_while_a_file_is_still_read_a_program_with_interviews_is_at_its_reviews() -> None:
    world = meeting()
    *reviews, last = by_kind(world, 0)
    met = by_kind(world, 1)
    for waiting in (*reviews, met[0]):
        world.submit(waiting, 0.5)
    assert standing(world).phase is Phase.REVIEWS

    world.submit(last, 0.5)
    found = standing(world)

    assert world.stands(CycleStatus.RUNNING)
    assert found.phase is Phase.INTERVIEWS
    assert found.share == pytest.approx(1 / len(met))
    assert found.asked - found.received == len(met) - 1 > 0


def test_interviews_are_done_as_their_answers_come() -> None:
    world = meeting()
    for waiting in world.waiting():
        world.submit(waiting, 0.5)
    found = standing(world)

    assert world.stands(CycleStatus.RUNNING)
    assert (found.phase, found.share) == (Phase.INTERVIEWS, 1)


def test_a_program_that_has_ended_is_with_its_committee() -> None:
    world = World(rules=rules(budget=LASTING))
    world.turn()
    assert standing(world).phase is not Phase.COMMITTEE
    world.product.cycles.stop(CYCLE, by="ops", reason="enough")

    assert standing(world).phase is Phase.COMMITTEE


def test_a_program_that_is_set_up_has_no_reviews_yet() -> None:
    assert standing(World(launch=False)).phase is Phase.SET_UP


def meeting() -> World:
    """A program whose reviews are out, and interviews with them."""
    roster = reviewers(4, capacity={"review": None, "interview": None})
    world = World(rules=rules(kinds=(REVIEW, INTERVIEW), budget=LASTING), roster=roster)
    world.turn()
    world.product.applicants.ask(CYCLE, "A001", "interview", by="ops", reason="to meet them")
    world.turn()
    return world


def by_kind(world: World, kind: int) -> list[Assignment]:
    return [one for one in world.waiting() if one.kind == kind]
