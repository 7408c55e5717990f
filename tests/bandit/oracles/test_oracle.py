"""Every oracle against brute force, and the losses of single exchanges against trying them all."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapflow.bandit.hardness import gaps
from swapflow.bandit.oracles.oracle import Diverse, DiverseExact, Oracle, TopK, largest
from swapflow.bandit.oracles.quota import Quota
from swapflow.bandit.situation import FloatArray, IntArray
from swapflow.errors import InfeasibleError, InvalidInputError


PROBLEMS = 1200
Allowed = Callable[[IntArray], bool]


def anything(cohort: IntArray) -> bool:
    return True


def brute_force(
    oracle: Oracle, utilities: FloatArray, allowed: Allowed = anything
) -> float | None:
    """Return the best value of all cohorts, or None if none is allowed."""
    cohorts = itertools.combinations(range(utilities.size), oracle.size)
    values = [
        oracle.value(utilities, np.array(cohort))
        for cohort in cohorts
        if allowed(np.array(cohort))
    ]
    return max(values, default=None)


def try_all_exchanges(
    oracle: Oracle, utilities: FloatArray, allowed: Allowed = anything
) -> FloatArray:
    """Return each arm's loss from the best exchange, by trying every pair."""
    cohort = set(oracle.best(utilities).tolist())
    value = oracle.value(utilities, np.array(sorted(cohort)))
    losses = np.full(utilities.size, np.inf)
    for leaves in cohort:
        for enters in set(range(utilities.size)) - cohort:
            exchanged = np.array(sorted(cohort - {leaves} | {enters}))
            if allowed(exchanged):
                loss = value - oracle.value(utilities, exchanged)
                losses[leaves] = min(losses[leaves], loss)
                losses[enters] = min(losses[enters], loss)
    clipped: FloatArray = np.maximum(losses, 0.0)
    return clipped


def problem(number: int, *, negative: bool) -> tuple[FloatArray, IntArray, int]:
    """Make a small problem; every fifth is full of ties."""
    rng = np.random.default_rng(number)
    n = int(rng.integers(2, 8))
    utilities = rng.normal(0.3, 0.6, n) if negative else rng.random(n)
    if number % 5 == 0:
        utilities = np.round(utilities * 4) / 4
    groups = rng.integers(0, rng.integers(1, 5), n)
    return utilities, groups, int(rng.integers(1, n + 1))


@pytest.mark.parametrize("negative", [False, True])
def test_top_k_and_exact_diverse_equal_brute_force(negative: bool) -> None:
    for number in range(PROBLEMS):
        utilities, groups, size = problem(number, negative=negative)

        for oracle in (TopK(size), DiverseExact(size, groups)):
            best = oracle.best(utilities)

            assert best.tolist() == sorted(set(best.tolist()))
            assert best.size == size
            assert oracle.value(utilities, best) == pytest.approx(brute_force(oracle, utilities))


def test_greedy_diverse_equals_brute_force_when_no_utility_is_negative() -> None:
    for number in range(PROBLEMS):
        utilities, groups, size = problem(number, negative=False)
        oracle = Diverse(size, groups)

        value = oracle.value(utilities, oracle.best(utilities))

        assert value == pytest.approx(brute_force(oracle, utilities))


def test_greedy_diverse_always_fills_the_cohort_and_never_beats_the_exact_one() -> None:
    for number in range(PROBLEMS):
        utilities, groups, size = problem(number, negative=True)
        greedy, exact = Diverse(size, groups), DiverseExact(size, groups)

        best = greedy.best(utilities)

        assert np.unique(best).size == size
        difference = exact.value(utilities, exact.best(utilities)) - greedy.value(utilities, best)
        assert difference >= -1e-12


def test_negative_utilities_can_mislead_greedy_but_not_the_exact_oracle() -> None:
    utilities = np.array([0.2, -9.0, -9.0, 1.0, -0.4, -0.4])
    groups = np.array([0, 0, 0, 1, 1, 1])

    # Two small losses look better than one larger one, after which nothing more is lost.
    assert Diverse(4, groups).best(utilities).tolist() == [0, 3, 4, 5]
    assert DiverseExact(4, groups).best(utilities).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("negative", [False, True])
def test_quotas_equal_brute_force_or_are_refused_where_no_cohort_exists(negative: bool) -> None:
    refused = 0
    for number in range(PROBLEMS):
        utilities, groups, size = problem(number, negative=negative)
        minimum, maximum = quotas(number, int(groups.max()) + 1)
        allowed = within(groups, minimum, maximum)
        expected = brute_force(TopK(size), utilities, allowed)
        if expected is None:
            refused += 1
            with pytest.raises(InfeasibleError):
                Quota(size, groups, minimum, maximum)
            continue

        oracle = Quota(size, groups, minimum, maximum)
        best = oracle.best(utilities)

        assert allowed(best)
        assert best.size == size
        assert oracle.value(utilities, best) == pytest.approx(expected)
    assert 0.1 * PROBLEMS < refused < 0.9 * PROBLEMS


@pytest.mark.parametrize("negative", [False, True])
def test_exchange_losses_equal_trying_every_exchange(negative: bool) -> None:
    for number in range(PROBLEMS // 2):
        utilities, groups, size = problem(number, negative=negative)
        for oracle in (TopK(size), Diverse(size, groups), DiverseExact(size, groups)):
            losses = oracle.single_exchange_losses(utilities)

            assert losses == pytest.approx(try_all_exchanges(oracle, utilities), abs=1e-12)


def test_exchange_losses_under_quotas_equal_trying_every_allowed_exchange() -> None:
    feasible = 0
    for number in range(PROBLEMS):
        utilities, groups, size = problem(number, negative=False)
        minimum, maximum = quotas(number, int(groups.max()) + 1)
        try:
            oracle = Quota(size, groups, minimum, maximum)
        except InfeasibleError:
            continue
        feasible += 1

        losses = oracle.single_exchange_losses(utilities)

        tried = try_all_exchanges(oracle, utilities, within(groups, minimum, maximum))
        assert losses == pytest.approx(tried, abs=1e-12)
    assert feasible > 0.1 * PROBLEMS


def test_gaps_equal_brute_force_over_all_cohorts_that_flip_the_arm() -> None:
    for number in range(300):
        utilities, groups, size = problem(number, negative=False)
        for oracle in (TopK(size), DiverseExact(size, groups)):
            best = set(oracle.best(utilities).tolist())
            value = brute_force(oracle, utilities)
            assert value is not None
            for arm, gap in enumerate(gaps(utilities, oracle)):
                flipped = brute_force(oracle, utilities, flips(arm, arm in best))

                expected = np.inf if flipped is None else value - flipped
                assert gap == pytest.approx(expected, abs=1e-12)


def test_of_equal_arms_every_oracle_takes_the_lowest_indices() -> None:
    equal = np.full(40, 0.5)
    one_group = np.zeros(40, dtype=np.int64)

    assert TopK(4).best(equal).tolist() == [0, 1, 2, 3]
    assert Diverse(4, one_group).best(equal).tolist() == [0, 1, 2, 3]
    assert DiverseExact(4, one_group).best(equal - 1).tolist() == [0, 1, 2, 3]
    assert Quota(4, one_group, np.array([2]), np.array([9])).best(equal).tolist() == [0, 1, 2, 3]
    assert Diverse(4, np.arange(40) % 2).best(equal).tolist() == [0, 1, 2, 3]


@given(
    st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=30),
    st.integers(0, 31),
)
def test_the_largest_are_those_of_a_stable_sort(values: list[float], count: int) -> None:
    array = np.array(values)

    marked = largest(array, count)

    expected = np.sort(np.argsort(-array, kind="stable")[:count])
    assert np.flatnonzero(marked).tolist() == expected.tolist()


def test_the_papers_second_example_prefers_the_other_group() -> None:
    utilities, groups = np.array([0.6, 0.5, 0.3]), np.array([0, 0, 1])

    assert TopK(2).best(utilities).tolist() == [0, 1]
    assert Diverse(2, groups).best(utilities).tolist() == [0, 2]


def test_all_negative_utilities_still_give_a_full_cohort() -> None:
    utilities, groups = np.array([1.0, -2.0, -3.0, -4.0]), np.array([0, 0, 1, 1])

    for oracle in (Diverse(2, groups), DiverseExact(2, groups)):
        cohort = oracle.best(utilities)

        assert cohort.tolist() == [0, 2]
        assert oracle.value(utilities, cohort) == 1.0


def test_slopes_predict_a_small_change_of_value() -> None:
    rng = np.random.default_rng(3)
    utilities, groups = rng.random(12) + 0.1, rng.integers(0, 3, 12)
    step = 1e-6
    quota = Quota(5, groups, np.ones(3, dtype=np.int64), np.full(3, 4))
    for oracle in (TopK(5), Diverse(5, groups), quota):
        cohort = oracle.best(utilities)
        slopes = oracle.slopes(utilities, cohort)
        for arm in cohort:
            moved = utilities.copy()
            moved[arm] += step

            change = oracle.value(moved, cohort) - oracle.value(utilities, cohort)

            assert change / step == pytest.approx(slopes[arm], rel=1e-4)


def test_a_group_without_a_member_has_a_finite_slope() -> None:
    oracle = Diverse(1, np.array([0, 1, 2]))
    utilities = np.array([0.9, 0.25, -0.5])

    slopes = oracle.slopes(utilities, oracle.best(utilities))

    assert slopes.tolist() == pytest.approx([1 / (2 * 0.9**0.5), 1.0, 500.0])


@pytest.mark.parametrize(
    ("size", "minimum", "maximum", "message"),
    [
        (3, [0, 4], [3, 9], "lower the minimum to 3"),
        (3, [2, 2], [3, 3], "lower them by 1 in all, or select 4"),
        (5, [0, 0], [1, 3], "raise the maximum of north by 1 in all, or select 4"),
        (3, [2, 0], [1, 3], "lower the minimum to 1"),
        (9, [0, 0], [3, 3], "the maximums leave room for 6 of 9 places; select 6"),
    ],
)
def test_impossible_quotas_name_the_smallest_relaxation(
    size: int, minimum: list[int], maximum: list[int], message: str
) -> None:
    groups = np.array([0, 0, 0, 1, 1, 1])

    with pytest.raises(InfeasibleError, match=message):
        Quota(size, groups, np.array(minimum), np.array(maximum), ("north", "south"))


def test_a_cohort_larger_than_the_field_is_refused_with_the_cure() -> None:
    with pytest.raises(InfeasibleError, match="4 places but only 3 take part; select 3"):
        TopK(4).best(np.zeros(3))
    with pytest.raises(InvalidInputError, match="at least 1 place"):
        TopK(0)
    with pytest.raises(InvalidInputError, match="groups of 2 arms, not of 3"):
        Diverse(1, np.array([0, 1])).best(np.zeros(3))
    with pytest.raises(InvalidInputError, match="one minimum and one maximum"):
        Quota(1, np.array([0, 1]), np.array([0]), np.array([1]))
    with pytest.raises(InvalidInputError, match="numbered from 0"):
        Diverse(1, np.array([-1, 1]))


def quotas(number: int, groups: int) -> tuple[IntArray, IntArray]:
    """Draw a minimum and a maximum for each group."""
    rng = np.random.default_rng(10_000 + number)
    minimum = rng.integers(0, 2, groups)
    return minimum, minimum + rng.integers(0, 4, groups)


def within(groups: IntArray, minimum: IntArray, maximum: IntArray) -> Allowed:
    """Return a check of whether a cohort satisfies the quotas."""

    def allowed(cohort: IntArray) -> bool:
        counts = np.bincount(groups[cohort], minlength=minimum.size)
        return bool(np.all(counts >= minimum) and np.all(counts <= maximum))

    return allowed


def flips(arm: int, inside: bool) -> Allowed:
    """Return a check of whether a cohort has the arm on the other side."""

    def allowed(cohort: IntArray) -> bool:
        return (arm in cohort) != inside

    return allowed
