import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from swapflow.bandit.estimation.knowledge_gradient import (
    PullChooser,
    PullValues,
    expected_crossing,
)
from swapflow.bandit.situation import BoolArray, FloatArray, IntArray, Pick, PullKind


REVIEW = PullKind(cost=1, gain=1)
INTERVIEW = PullKind(cost=6, gain=7)
KINDS = (REVIEW, INTERVIEW)


def beliefs(distance: FloatArray, *, widening: float = 1.0, bundle: int = 16) -> PullValues:
    return PullValues(
        distance=distance,
        slope=np.ones(distance.size),
        prior_variance=0.12**2,
        noise_variance=0.16**2,
        widening=widening,
        largest_bundle=bundle,
    )


def chooser(
    values: PullValues,
    *,
    allowed: IntArray,
    information: FloatArray | None = None,
    kind_left: tuple[int, int] = (999, 999),
    budget: float = 1e6,
    once: bool = False,
    waiting: BoolArray | None = None,
) -> PullChooser:
    n = values.distance.size
    return PullChooser(
        values=values,
        kinds=KINDS,
        information=np.ones(n) if information is None else information,
        allowed=allowed,
        kind_left=np.array(kind_left),
        budget_left=budget,
        once=once,
        waiting=np.zeros(n, dtype=np.bool_) if waiting is None else waiting,
    )


@given(st.floats(0, 0.5), st.floats(0.01, 0.3))
def test_the_value_of_a_step_is_its_mean_part_beyond_the_cut(d: float, sd: float) -> None:
    def beyond(step: float) -> float:
        density = math.exp(-0.5 * (step / sd) ** 2) / (sd * math.sqrt(2 * math.pi))
        return (step - d) * density

    expected = quad(beyond, d, d + 12 * sd, epsabs=1e-13)[0]

    assert expected_crossing(np.array(d), np.array(sd)) == pytest.approx(expected, abs=1e-11)


def test_a_step_that_cannot_happen_is_worth_nothing() -> None:
    distance = np.array([0.0, 0.1, np.inf, 1e6, np.inf])
    deviation = np.array([0.0, 0.0, 0.1, 0.1, 0.0])

    assert expected_crossing(distance, deviation).tolist() == [0.0] * 5


def test_two_reviews_are_worth_asking_for_where_one_is_worth_nothing() -> None:
    far = beliefs(np.array([0.4]))
    one, four = (
        far.per_cost(np.array([0]), np.array([3.0]), np.array([[allowed, 0]]), KINDS)[0, 0]
        for allowed in (1, 4)
    )

    assert four > 10 * one > 0


def test_a_bundle_is_valued_per_cost_of_all_of_it() -> None:
    values = beliefs(np.array([0.2]))
    arm, information = np.array([0]), np.array([1.0])

    best = values.per_cost(arm, information, np.array([[4, 0]]), KINDS)[0, 0]

    together = [
        values.of_information(arm, information, np.array([float(q)]))[0] / q for q in range(1, 5)
    ]
    assert best == pytest.approx(max(together))


def test_an_interview_is_chosen_where_it_gives_more_per_cost_and_only_there() -> None:
    values = beliefs(np.full(1, 0.1))
    arm, both = np.array([0]), np.array([[4, 1]])

    far = values.per_cost(arm, np.array([4.0]), both, KINDS)[0]
    dear = (REVIEW, PullKind(cost=60, gain=7))
    priced = values.per_cost(arm, np.array([4.0]), both, dear)[0]

    assert far[1] > far[0]
    assert priced[1] < priced[0]


def test_widening_looks_further_from_the_cut() -> None:
    distance = np.array([0.0, 0.15, 0.3])
    args = np.arange(3), np.full(3, 2.0), np.tile([3, 0], (3, 1)), KINDS

    plain = beliefs(distance).per_cost(*args)[:, 0]
    wide = beliefs(distance, widening=1.5).per_cost(*args)[:, 0]

    gain = (wide / plain).tolist()
    assert 1 < gain[0] < gain[1] < gain[2]


@pytest.mark.parametrize("once", [False, True])
def test_choosing_touches_one_arm_and_equals_valuing_everything_anew(once: bool) -> None:
    rng = np.random.default_rng(11)
    values = beliefs(rng.exponential(0.1, 30), widening=1.5)
    allowed = rng.integers(0, 4, (30, 2))
    information = rng.integers(1, 9, 30).astype(float)

    picks = chooser(values, allowed=allowed, information=information, once=once).choose(25)

    state, left, waiting = information.copy(), allowed.copy(), np.zeros(30, dtype=np.bool_)
    expected = []
    for _ in picks:
        worth = np.round(values.per_cost(np.arange(30), state, left, KINDS), 9)
        worth[waiting & once] = 0
        arm, kind = divmod(int(worth.argmax()), 2)
        expected.append(Pick(arm=arm, kind=kind, priority=float(worth[arm, kind])))
        state[arm] += KINDS[kind].gain
        left[arm, kind] -= 1
        waiting[arm] = True
    assert list(picks) == expected
    assert once == (len({pick.arm for pick in picks}) == len(picks))


def test_equals_go_to_the_lowest_index() -> None:
    picks = chooser(beliefs(np.full(5, 0.1)), allowed=np.tile([1, 0], (5, 1))).choose(9)

    assert [pick.arm for pick in picks] == [0, 1, 2, 3, 4]


def test_neither_the_budget_nor_a_kinds_cap_is_passed() -> None:
    values = beliefs(np.linspace(0, 0.3, 40))
    allowed = np.tile([3, 1], (40, 1))

    picks = chooser(values, allowed=allowed, kind_left=(9, 2), budget=20.5).choose(99)

    kinds = [pick.kind for pick in picks]
    assert kinds.count(1) <= 2
    assert kinds.count(0) <= 9
    assert sum(KINDS[kind].cost for kind in kinds) <= 20.5


def test_ten_pulls_of_a_tenth_fit_into_a_budget_of_one() -> None:
    cheap = (PullKind(cost=0.1, gain=1),)
    ten = PullChooser(
        values=beliefs(np.zeros(12)),
        kinds=cheap,
        information=np.ones(12),
        allowed=np.ones((12, 1), dtype=np.int64),
        kind_left=np.array([99]),
        budget_left=1.0,
        waiting=np.zeros(12, dtype=np.bool_),
    ).choose(12)

    assert len(ten) == 10


def test_choosing_leaves_the_callers_arrays_alone() -> None:
    allowed, information = np.tile([3, 1], (4, 1)), np.ones(4)

    chooser(beliefs(np.zeros(4)), allowed=allowed, information=information).choose(6)

    assert allowed.tolist() == [[3, 1]] * 4
    assert information.tolist() == [1.0] * 4
