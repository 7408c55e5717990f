"""What the rules `paper` and `certified` ask for, and why they ask for less."""

import math

import numpy as np
import pytest

from swapflow.bandit.batch import Allowance
from swapflow.bandit.certified import Certificate, CertifiedRule
from swapflow.bandit.decision import certified_loss
from swapflow.bandit.oracles.oracle import Diverse, TopK
from swapflow.bandit.oracles.quota import Quota
from swapflow.bandit.pairwise import loss_bound
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.radius import mixture_radius
from swapflow.bandit.run import RunTrace, run_rule
from swapflow.bandit.situation import (
    UNSCORED_MEAN,
    UNSCORED_RADIUS,
    Picks,
    PullKind,
    Rule,
    Situation,
    StopReason,
)
from swapflow.bandit.strong_pull_policy import StrongPolicy
from swapflow.errors import InvalidInputError
from tests.bandit.reward_streams import Coins, MadeRewards
from tests.bandit.situations import INTERVIEW, REVIEW, situation
from tests.bench import straightforward


SIGMA, DELTA = 0.15, 0.1
PAPER = PaperRule(oracle=TopK(2), sigma=SIGMA, delta=DELTA)
MIXTURE = CertifiedRule(oracle=TopK(2), sigma=SIGMA, delta=DELTA)
PAIRWISE = CertifiedRule(
    oracle=TopK(2), sigma=SIGMA, delta=DELTA, certificate=Certificate.PAIRWISE
)
RULES = pytest.mark.parametrize(
    "rule", [PAPER, MIXTURE, PAIRWISE], ids=["paper", "mixture", "pairwise"]
)
CLOSE = [0.7, 0.6, 0.55, 0.5, 0.1]
EVEN = [3.0, 3.0, 3.0, 3.0, 3.0]


def choose(rule: Rule, state: Situation, at_most: int = 1) -> Picks:
    return rule.choose(state, rule.look(state), at_most=at_most, rng=np.random.default_rng(0))


def arms(picks: Picks) -> list[int]:
    return [pick.arm for pick in picks.picks]


@RULES
def test_a_clear_cut_stops_and_nothing_is_asked_for(rule: Rule) -> None:
    state = situation([0.9, 0.8, 0.2, 0.1], [1000.0] * 4)

    look = rule.look(state)
    picks = rule.choose(state, look, at_most=3, rng=np.random.default_rng(0))

    assert look.cohort.tolist() == look.rival.tolist() == [0, 1]
    assert look.contested.size == 0
    assert (look.gap, look.certified_loss) == (0.0, 0.0)
    assert look.stop is StopReason.CERTIFIED
    assert picks == Picks(picks=(), shortfall=StopReason.CERTIFIED)


@RULES
def test_everyone_in_the_cohort_stops_at_once(rule: Rule) -> None:
    state = situation([0.5, 0.4], [1.0, 1.0])

    look = rule.look(state)

    assert look.stop is StopReason.CERTIFIED
    assert choose(rule, state).picks == ()


@RULES
def test_only_contested_arms_are_asked_for(rule: Rule) -> None:
    state = situation([0.9, 0.6, 0.55, 0.1], [50.0, 5.0, 5.0, 50.0])

    look = rule.look(state)

    assert sorted(look.contested.tolist()) == [1, 2]
    assert set(arms(choose(rule, state, at_most=6))) == {1, 2}


@RULES
def test_a_pull_that_is_out_counts_as_information_for_the_next(rule: Rule) -> None:
    information = [50.0, 5.0, 6.0, 50.0]
    state = situation([0.9, 0.6, 0.55, 0.1], information)
    waiting = situation(
        [0.9, 0.6, 0.55, 0.1], information, pending=np.array([0.0, 10.0, 0.0, 0.0])
    )

    assert arms(choose(rule, state)) == [1]
    assert arms(choose(rule, waiting)) == [2]


@RULES
def test_nothing_more_is_asked_for_when_what_is_out_would_settle_it(rule: Rule) -> None:
    out = np.array([0.0, 5000.0, 5000.0, 0.0])
    state = situation([0.9, 0.6, 0.4, 0.1], [5000.0, 5.0, 5.0, 5000.0], pending=out)

    assert rule.look(state).stop is None
    assert choose(rule, state) == Picks(picks=(), shortfall=StopReason.CERTIFIED)


@RULES
def test_a_batch_ends_early_when_its_own_pulls_would_settle_it(rule: Rule) -> None:
    state = situation([0.9, 0.6, 0.3, 0.1], [500.0, 3.0, 3.0, 500.0])

    picks = choose(rule, state, at_most=500)

    assert 0 < len(picks.picks) < 500
    assert picks.shortfall is StopReason.CERTIFIED


@RULES
def test_limits_of_arms_are_kept_and_the_next_arm_has_its_turn(rule: Rule) -> None:
    allowed = np.array([[9], [0], [2], [9], [9]])
    state = situation(CLOSE, [50.0, 3.0, 4.0, 50.0, 50.0], allowed=allowed)

    asked = arms(choose(rule, state, at_most=4))

    assert asked[0] == 2
    assert 1 not in asked
    assert asked.count(2) <= 2


@RULES
def test_the_cap_on_a_kind_is_kept_over_a_batch(rule: Rule) -> None:
    state = situation(CLOSE, EVEN, kind_left=np.array([3]))

    picks = choose(rule, state, at_most=9)

    assert len(picks.picks) == 3
    assert picks.shortfall is None  # three pulls are out now; they may change who is contested


@RULES
def test_the_budget_is_never_passed_and_named_as_the_reason(rule: Rule) -> None:
    state = situation(CLOSE, EVEN, budget_left=2.5)

    picks = choose(rule, state, at_most=9)

    assert len(picks.picks) == 2
    assert picks.shortfall is StopReason.BUDGET


@RULES
def test_ten_tenths_fit_into_a_budget_of_one(rule: Rule) -> None:
    dime = PullKind(cost=0.1, gain=0.1)
    state = situation(CLOSE, EVEN, kinds=(dime,), budget_left=1.0)

    assert len(choose(rule, state, at_most=20).picks) == 10


@RULES
def test_no_contested_arm_left_to_ask_for_is_exhausted(rule: Rule) -> None:
    state = situation(CLOSE, EVEN, allowed=np.zeros((5, 1), dtype=np.int64))

    assert choose(rule, state) == Picks(picks=(), shortfall=StopReason.EXHAUSTED)


@RULES
def test_arms_that_wait_for_a_pull_that_is_out_are_not_exhausted(rule: Rule) -> None:
    state = situation(
        CLOSE,
        EVEN,
        allowed=np.zeros((5, 1), dtype=np.int64),
        pending=np.array([0.0, 1.0, 0.0, 0.0, 0.0]),
    )

    assert choose(rule, state) == Picks(picks=(), shortfall=None)


@RULES
def test_a_kind_that_is_not_allowed_is_replaced_by_one_that_is(rule: Rule) -> None:
    kinds = (REVIEW, INTERVIEW)
    only_reviews = np.array([[9, 0]] * 5)
    only_interviews = np.array([[0, 9]] * 5)

    for allowed, kind in ((only_reviews, 0), (only_interviews, 1)):
        picks = choose(rule, situation(CLOSE, EVEN, kinds=kinds, allowed=allowed), at_most=4)

        assert [pick.kind for pick in picks.picks] == [kind] * 4


@RULES
def test_an_interview_that_cannot_be_paid_is_replaced_by_reviews(rule: Rule) -> None:
    state = situation(CLOSE, EVEN, kinds=(REVIEW, INTERVIEW), budget_left=7.0)

    picks = choose(rule, state, at_most=9)

    cost = sum((1.0, 5.0)[pick.kind] for pick in picks.picks)
    assert cost == 7.0
    assert picks.shortfall is StopReason.BUDGET


def test_an_allowance_offers_the_cheapest_other_kind_or_none() -> None:
    kinds = (INTERVIEW, REVIEW)
    allowed = np.array([[1, 1], [1, 0], [0, 0]])
    allowance = Allowance(situation(CLOSE[:3], EVEN[:3], kinds=kinds, allowed=allowed))

    assert [allowance.kind_for(arm, 1) for arm in range(3)] == [1, 0, None]
    assert allowance.open_arms().tolist() == [True, True, False]
    allowance.give(0, 1)
    allowance.give(0, 0)
    assert allowance.kind_for(0, 1) is None


@RULES
def test_equal_situations_give_equal_picks(rule: Rule) -> None:
    rng = np.random.default_rng(5)
    mean, information = rng.random(30).tolist(), rng.integers(1, 6, 30).astype(float).tolist()
    kinds = (REVIEW, INTERVIEW)

    first = choose(rule, situation(mean, information, kinds=kinds), at_most=12)
    again = choose(rule, situation(mean, information, kinds=kinds), at_most=12)

    assert len(first.picks) == 12
    assert first == again


@pytest.mark.parametrize("rule", [PAPER, MIXTURE], ids=["paper", "mixture"])
def test_nobody_comes_twice_before_every_contested_arm_came_once(rule: Rule) -> None:
    state = situation(CLOSE, [1.0, 1.0, 1.0, 1.0, 400.0])

    asked = arms(choose(rule, state, at_most=4))

    assert sorted(asked) == sorted(rule.look(state).contested.tolist())
    assert len(set(asked)) == 4


@pytest.mark.parametrize("rule", [PAPER, MIXTURE], ids=["paper", "mixture"])
def test_the_most_uncertain_come_first_and_of_equals_the_lowest_index(rule: Rule) -> None:
    state = situation(CLOSE, [4.0, 2.0, 2.0, 3.0, 400.0])

    assert rule.look(state).contested.tolist() == [1, 2, 3, 0]
    assert arms(choose(rule, state, at_most=4)) == [1, 2, 3, 0]


def test_every_rule_shows_the_same_certified_loss() -> None:
    state = situation(CLOSE, EVEN)

    losses = {rule.look(state).certified_loss for rule in (PAPER, MIXTURE, PAIRWISE)}

    assert len(losses) == 1
    # The cohort {0, 1} at its lowest against {2, 3} at their highest.
    radius = mixture_radius(np.array([3.0]), sigma=SIGMA, delta=DELTA, arms=5)[0]
    assert losses.pop() == pytest.approx((0.55 + 0.5) - (0.7 + 0.6) + 4 * radius)


def test_the_certified_loss_uses_settled_scores_only() -> None:
    state = situation(
        [0.9, 0.8, 0.2, 0.1],
        [1000.0] * 4,
        pending=np.array([1.0, 0.0, 0.0, 0.0]),
        settled_information=np.array([0.0, 1000.0, 1000.0, 1000.0]),
    )

    for rule in (PAPER, MIXTURE, PAIRWISE):
        look = rule.look(state)

        assert look.gap == 0.0
        radius = mixture_radius(np.array([1000.0]), sigma=SIGMA, delta=DELTA, arms=4)[0]
        lowest = UNSCORED_MEAN - UNSCORED_RADIUS
        assert look.certified_loss == pytest.approx(0.2 + radius - lowest)


def test_latecomers_who_were_allowed_for_do_not_weaken_the_certificate() -> None:
    state = situation(CLOSE, EVEN)
    room = CertifiedRule(oracle=TopK(2), sigma=SIGMA, delta=DELTA, max_applicants=50)

    look = room.look(state)

    wider = mixture_radius(np.full(5, 3.0), sigma=SIGMA, delta=DELTA, arms=50)
    assert look.radius.tolist() == wider.tolist()
    loss = certified_loss(state, look.cohort, TopK(2), sigma=SIGMA, delta=DELTA, max_applicants=50)
    assert look.certified_loss == pytest.approx(loss)


def test_the_tolerance_stops_at_a_small_enough_gap() -> None:
    state = situation(CLOSE, [40.0] * 5)
    gap = MIXTURE.look(state).gap

    for share, stop in ((0.99, None), (1.0, StopReason.CERTIFIED), (1.01, StopReason.CERTIFIED)):
        rule = CertifiedRule(oracle=TopK(2), sigma=SIGMA, delta=DELTA, tolerance=share * gap)
        assert rule.look(state).stop is stop


@pytest.mark.parametrize("rule_type", [PaperRule, CertifiedRule])
def test_a_diverse_cohort_is_settled_never_certified(
    rule_type: type[PaperRule] | type[CertifiedRule],
) -> None:
    rule = rule_type(oracle=Diverse(2, np.array([0, 0, 1, 1])), sigma=SIGMA, delta=DELTA)
    state = situation([0.9, 0.2, 0.8, 0.1], [5000.0] * 4)

    look = rule.look(state)

    assert look.stop is StopReason.SETTLED
    assert look.parameters["heuristic"] == 1.0
    assert choose(rule, state).shortfall is StopReason.SETTLED
    assert MIXTURE.look(state).parameters["heuristic"] == 0.0


def test_a_quota_is_certified_like_top_k() -> None:
    one_each = Quota(2, np.array([0, 0, 1, 1]), np.array([1, 1]), np.array([1, 1]))
    rule = CertifiedRule(oracle=one_each, sigma=SIGMA, delta=DELTA)
    state = situation([0.9, 0.8, 0.5, 0.1], [5000.0] * 4)

    look = rule.look(state)

    assert look.cohort.tolist() == [0, 2]
    assert look.stop is StopReason.CERTIFIED


def test_pairwise_is_refused_for_anything_but_plain_top_k() -> None:
    with pytest.raises(InvalidInputError, match="plain top-k only"):
        CertifiedRule(
            oracle=Diverse(1, np.array([0, 1])),
            sigma=SIGMA,
            delta=DELTA,
            certificate=Certificate.PAIRWISE,
        )


def test_pairwise_takes_the_less_known_arm_of_the_most_open_pair() -> None:
    state = situation([0.9, 0.6, 0.55, 0.1], [90.0, 5.0, 4.0, 90.0])

    look = PAIRWISE.look(state)

    assert look.rival.tolist() == [0, 2]
    assert sorted(look.contested.tolist()) == [1, 2]
    assert arms(choose(PAIRWISE, state, at_most=3)) == [2, 1, 2]


def test_pairwise_bounds_the_loss_by_disjoint_exchanges() -> None:
    state = situation(CLOSE, EVEN)

    gap = PAIRWISE.look(state).gap

    assert 0 < gap < MIXTURE.look(state).gap
    # Two outsiders beat both members by up to .5 and .2: at most two exchanges can happen.
    assert loss_bound(np.array([[0.5, 0.2, -1.0], [0.3, 0.2, -1.0]])) == pytest.approx(0.7)
    assert loss_bound(np.array([[0.5, 0.4, 0.4]])) == pytest.approx(0.5)
    assert loss_bound(np.array([[-0.5, -0.4]])) == 0.0


def test_certified_takes_an_interview_only_where_much_is_still_needed() -> None:
    kinds = (REVIEW, INTERVIEW)
    close = situation([0.9, 0.6, 0.59, 0.1], [99.0, 3.0, 3.0, 99.0], kinds=kinds)
    nearly_done = situation([0.9, 0.6, 0.3, 0.1], [99.0, 9.0, 9.0, 99.0], kinds=kinds)

    assert [pick.kind for pick in choose(MIXTURE, close).picks] == [1]
    assert [pick.kind for pick in choose(MIXTURE, nearly_done).picks] == [0]


def test_the_papers_coin_is_tossed_once_a_pull_whatever_the_policy() -> None:
    state = situation(CLOSE, EVEN, kinds=(REVIEW, INTERVIEW))
    for policy in StrongPolicy:
        rule = PaperRule(oracle=TopK(2), sigma=SIGMA, delta=DELTA, policy=policy)
        rng, other = np.random.default_rng(3), np.random.default_rng(3)

        rule.choose(state, rule.look(state), at_most=4, rng=rng)
        other.random(4)

        assert rng.random() == other.random()


def test_with_three_kinds_the_coin_decides_between_cheapest_and_best_value() -> None:
    kinds = (REVIEW, PullKind(cost=2.0, gain=3.0), PullKind(cost=3.0, gain=9.0))
    state = situation(CLOSE, EVEN, kinds=kinds)
    rule = PaperRule(oracle=TopK(2), sigma=SIGMA, delta=DELTA)

    picks = choose(rule, state, at_most=60)

    assert {pick.kind for pick in picks.picks} == {0, 2}
    assert rule.look(state).parameters["strong_probability"] == (9 - 3) / (9 - 1)


def test_the_papers_radius_grows_with_the_cost_dispatched() -> None:
    cheap, dear = (situation(CLOSE, EVEN, cost=cost) for cost in (15.0, 1500.0))

    ratio = PAPER.look(dear).radius / PAPER.look(cheap).radius

    expected = math.sqrt(math.log(20 * 1500.0**3 / DELTA) / math.log(20 * 15.0**3 / DELTA))
    assert ratio.tolist() == pytest.approx([expected] * 5)


def test_the_rule_equals_the_algorithms_box_in_plain_python() -> None:
    truth = [0.9, 0.7, 0.65, 0.5, 0.45, 0.4, 0.2, 0.1]
    gain, cost, sigma, delta = 6.0, 3.0, 0.1, 0.1
    kinds = (PullKind(cost=1, gain=1), PullKind(cost=cost, gain=gain))
    rule = PaperRule(oracle=TopK(3), sigma=sigma, delta=delta)
    for seed in range(5):
        *_, last = run_rule(
            rule,
            MadeRewards(truth, (sigma, sigma / gain**0.5), seed),
            n=len(truth),
            trace=RunTrace(kinds=kinds),
            rng=Coins(seed, None),
        )
        rewards = MadeRewards(truth, (sigma, sigma / gain**0.5), seed)

        cohort, spent, _ = straightforward.whole_run(
            [rewards(arm, 0) for arm in range(len(truth))],
            size=3,
            sigma=sigma,
            delta=delta,
            gain=gain,
            cost=cost,
            reward=lambda arm, strong, rewards=rewards: rewards(arm, int(strong)),  # type: ignore[misc]  # mypy cannot infer a lambda's default
            coin=Coins(seed, None).random,
            max_steps=100_000,
        )

        assert (cohort, spent) == (last.look.cohort.tolist(), last.situation.cost)
