"""Where a program stands: its phase, its zones, its cut."""

import numpy as np

from swapflow.domain.cycle import CycleStatus
from swapflow.engine.pending.standing import Phase, ProgramStanding, cut_estimate
from tests.engine.cycle_by_hand import CYCLE, World


def standing(world: World) -> ProgramStanding:
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
    cut = cut_estimate(board)
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


def test_a_program_that_has_ended_is_with_its_committee() -> None:
    world = reviewed()
    assert not world.stands(CycleStatus.RUNNING)

    assert standing(world).phase is Phase.COMMITTEE
