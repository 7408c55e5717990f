"""The rule `budget` on recorded marks, against what offices do now; conventions: replay_arrays."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.oracles.oracle import TopK
from tests.bandit.replay_arrays import (
    Recorded,
    chosen,
    read_iclr,
    read_twin,
    run_budget,
    run_even,
    run_two_tier,
    with_generous_interviews,
)


pytestmark = pytest.mark.data

PLACES = 150
PLAIN = BudgetRule(oracle=TopK(PLACES), tolerance=0)
ADJUSTED = replace(PLAIN, severity=True)


@pytest.fixture(scope="module")
def iclr() -> Recorded:
    return read_iclr()


@pytest.fixture(scope="module")
def twin() -> Recorded:
    return read_twin()


def gains_over_even(
    recorded: Recorded, *, places: int, per_applicant: float, seeds: Iterable[int]
) -> list[float]:
    """Share of the best utility that the rule wins over even reviewing, per seed."""
    rule = replace(PLAIN, oracle=TopK(places))
    gains = []
    for seed in seeds:
        order = recorded.shuffled(seed)
        even = run_even(order, per_applicant=per_applicant, seed=seed)
        asked = run_budget(order, rule, per_applicant=per_applicant, batch=50)
        assert asked.cost == even.cost
        gains.append(order.share_lost(chosen(even, rule)) - order.share_lost(chosen(asked, rule)))
    return gains


def mean_losses(
    recorded: Recorded, *, per_applicant: float, seeds: int, floor: int = 1
) -> tuple[float, float, float]:
    """Mean share of the best utility lost by even reviewing, two-tier practice and the rule."""
    lost = []
    for seed in range(seeds):
        order = recorded.shuffled(seed)
        even = run_even(order, per_applicant=per_applicant, seed=seed)
        tiers = run_two_tier(order, per_applicant=per_applicant, floor=floor)
        asked = run_budget(order, ADJUSTED, per_applicant=per_applicant, batch=50, floor=floor)
        budget = per_applicant * order.n
        assert max(even.cost, tiers.cost, asked.cost) <= budget
        cohorts = chosen(even, PLAIN), chosen(tiers, PLAIN), chosen(asked, ADJUSTED)
        lost.append([order.share_lost(cohort) for cohort in cohorts])
    even_loss, tiers_loss, rule_loss = np.mean(lost, axis=0).tolist()
    return even_loss, tiers_loss, rule_loss


def interviewed_share(
    recorded: Recorded, rule: BudgetRule, *, per_applicant: float, seeds: int
) -> float:
    """Mean share of the cohort that was interviewed."""
    shares = []
    for seed in range(seeds):
        asked = run_budget(recorded.shuffled(seed), rule, per_applicant=per_applicant, batch=50)
        shares.append(asked.interviewed[chosen(asked, rule)].mean())
    return float(np.mean(shares))


@pytest.mark.parametrize(
    ("places", "per_applicant", "least"), [(1565, 2.0, 0.015), (150, 1.25, 0.06)]
)
def test_it_beats_even_reviewing_of_conference_papers(
    iclr: Recorded, places: int, per_applicant: float, least: float
) -> None:
    gains = gains_over_even(iclr, places=places, per_applicant=per_applicant, seeds=[0])

    assert min(gains) >= least


@pytest.mark.slow
@pytest.mark.parametrize(
    ("places", "per_applicant", "least"), [(1565, 2.0, 0.015), (150, 1.25, 0.06)]
)
def test_it_beats_even_reviewing_of_conference_papers_on_every_one_of_five_seeds(
    iclr: Recorded, places: int, per_applicant: float, least: float
) -> None:
    gains = gains_over_even(iclr, places=places, per_applicant=per_applicant, seeds=range(5))

    assert min(gains) >= least


def test_it_loses_less_than_even_reviewing_and_two_tier_practice(twin: Recorded) -> None:
    even, tiers, rule = mean_losses(twin, per_applicant=1.5, seeds=2)

    assert rule < 0.75 * even
    assert rule < tiers


@pytest.mark.slow
@pytest.mark.parametrize(
    ("per_applicant", "share"), [(1.25, 0.72), (1.5, 0.67), (2.0, 0.62), (3.0, 0.62)]
)
def test_it_loses_the_stated_share_of_what_even_reviewing_loses(
    twin: Recorded, per_applicant: float, share: float
) -> None:
    even, tiers, rule = mean_losses(twin, per_applicant=per_applicant, seeds=10)

    assert rule <= share * even
    assert rule < tiers


@pytest.mark.slow
@pytest.mark.parametrize("per_applicant", [2.5, 3.0])
def test_with_two_reviews_for_everyone_it_still_beats_both(
    twin: Recorded, per_applicant: float
) -> None:
    even, tiers, rule = mean_losses(twin, per_applicant=per_applicant, seeds=10, floor=2)

    assert rule < min(even, tiers)


def test_generous_interviews_do_not_decide_where_kinds_are_adjusted(twin: Recorded) -> None:
    check_generous_interviews(twin, per_applicant=2.0, seeds=2)


@pytest.mark.slow
@pytest.mark.parametrize("per_applicant", [2.0, 3.0])
def test_generous_interviews_do_not_decide_over_ten_orders(
    twin: Recorded, per_applicant: float
) -> None:
    check_generous_interviews(twin, per_applicant=per_applicant, seeds=10)


def check_generous_interviews(twin: Recorded, *, per_applicant: float, seeds: int) -> None:
    """+.10 on every interview moves the interviewed share by 10 points at most if adjusted."""
    generous = with_generous_interviews(twin, by=0.1)

    def moved(rule: BudgetRule) -> float:
        before = interviewed_share(twin, rule, per_applicant=per_applicant, seeds=seeds)
        after = interviewed_share(generous, rule, per_applicant=per_applicant, seeds=seeds)
        return after - before

    assert abs(moved(replace(PLAIN, kind_offsets=True))) <= 0.10
    assert abs(moved(replace(ADJUSTED, kind_offsets=True))) <= 0.10
    assert moved(PLAIN) > 0.15
