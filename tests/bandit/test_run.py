"""The runner: what is out, what is settled, and how a run ends."""

from dataclasses import replace

import numpy as np
import pytest

from swapflow.bandit.certified import CertifiedRule
from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.run import RunStep, RunTrace, run_rule
from swapflow.bandit.situation import Look, Pick, Picks, PullKind, Situation, StopReason
from tests.bandit.reward_streams import MadeRewards
from tests.bandit.situations import INTERVIEW, REVIEW


TRUTH = [0.9, 0.7, 0.4, 0.2]
RULE = CertifiedRule(oracle=TopK(2), sigma=0.3, delta=0.1)


def steps(trace: RunTrace, rule: CertifiedRule | PaperRule = RULE, seed: int = 1) -> list[RunStep]:
    rewards = MadeRewards(TRUTH, (0.3, 0.3 / INTERVIEW.gain**0.5), seed)
    return list(run_rule(rule, rewards, n=4, trace=trace, rng=np.random.default_rng(seed)))


def slow_if_bad(arm: int, kind: int, reward: float) -> float:
    return float(np.exp(2 - 4 * reward))


def test_at_most_as_many_pulls_are_out_as_asked_for() -> None:
    taken = steps(RunTrace(kinds=(REVIEW, INTERVIEW), at_once=6, delays=slow_if_bad))

    out = 0
    for step in taken:
        out += len(step.picks)
        assert out <= 6
        assert (out == 0) == (step.ended is not None)
        out -= 1
    assert len(taken) > 10


def test_what_is_out_is_drained_before_a_run_ends() -> None:
    for seed in range(20):
        *_, last = steps(RunTrace(kinds=(REVIEW,), at_once=8, delays=slow_if_bad), seed=seed)

        assert last.ended is StopReason.CERTIFIED
        assert not last.situation.pending.any()
        assert last.situation.settled_mean == pytest.approx(last.situation.mean)


def test_settled_means_stop_at_the_first_score_still_out() -> None:
    rewards = iter([0.1, 0.2, 0.3, 0.4, 0.9, 0.8, 0.7])
    times = iter([30.0, 1.0, 2.0, 100.0, 100.0])
    two_arms = PaperRule(oracle=TopK(1), sigma=5.0, delta=0.1)

    def draw(arm: int, kind: int) -> float:
        return next(rewards)

    def delays(arm: int, kind: int, reward: float) -> float:
        return next(times)

    trace = RunTrace(kinds=(REVIEW,), at_once=3, delays=delays)
    walked = run_rule(two_arms, draw, n=2, trace=trace, rng=np.random.default_rng(0))
    first = next(walked)
    second = next(walked)

    assert [pick.arm for pick in first.picks] == [0, 1, 0]
    # First looks: .1 and .2. Then out: .3 for arm 0 until 30, .4 for arm 1 until 1, and .9 for
    # arm 0 until 2, which comes back while the .3 before it is still out.
    assert second.situation.mean.tolist() == pytest.approx([0.1, 0.3])
    assert second.situation.settled_mean.tolist() == pytest.approx([0.1, 0.3])
    third = next(walked)
    assert third.situation.mean.tolist() == pytest.approx([0.5, 0.3])
    assert third.situation.settled_mean.tolist() == pytest.approx([0.1, 0.3])
    assert third.situation.settled_information.tolist() == [1.0, 2.0]
    assert third.situation.information.tolist() == [2.0, 2.0]


def test_a_budget_is_kept_or_passed_by_one_pull_as_the_course_says() -> None:
    strong_only = PaperRule(oracle=TopK(2), sigma=3.0, delta=0.1)
    kinds = (PullKind(cost=1, gain=1), PullKind(cost=5, gain=90))

    *_, kept = steps(RunTrace(kinds=kinds, budget=21.0), strong_only)
    *_, passed = steps(RunTrace(kinds=kinds, budget=21.0, overshoot=True), strong_only)

    assert (kept.ended, passed.ended) == (StopReason.BUDGET, StopReason.BUDGET)
    assert kept.situation.cost == 21.0
    assert 21.0 <= passed.situation.cost < 26.0


def test_a_run_that_may_pull_no_more_ends_at_its_deadline() -> None:
    taken = steps(RunTrace(kinds=(REVIEW,), at_once=3, max_pulls=7))

    assert sum(len(step.picks) for step in taken) == 7
    assert taken[-1].ended is StopReason.DEADLINE
    assert taken[-1].situation.cost == 11.0


def test_scores_are_listed_by_arm_when_asked_for() -> None:
    *_, last = steps(RunTrace(kinds=(REVIEW,), at_once=3, max_pulls=7, with_scores=True))
    scores = last.situation.scores

    assert scores.arm.tolist() == sorted(scores.arm.tolist())
    assert scores.mark.size == 11
    for arm in range(4):
        assert scores.mark[scores.arm == arm].mean() == pytest.approx(last.situation.mean[arm])


def test_later_scores_do_not_change_an_earlier_picture() -> None:
    walked = run_rule(
        RULE,
        MadeRewards(TRUTH, (0.3, 0.1), 3),
        n=4,
        trace=RunTrace(kinds=(REVIEW,)),
        rng=np.random.default_rng(0),
    )
    first = next(walked)
    before = first.situation.information.tolist(), first.situation.mean.tolist()

    for _ in range(10):
        next(walked)

    assert (first.situation.information.tolist(), first.situation.mean.tolist()) == before


class ChangesItsMind:
    """Asks for arm 0 for ever, but would stop at its second look only."""

    def __init__(self) -> None:
        self.looks = 0

    def look(self, situation: Situation) -> Look:
        self.looks += 1
        look = RULE.look(situation)
        return replace(look, stop=StopReason.CERTIFIED if self.looks == 2 else None)

    def choose(
        self,
        situation: Situation,  # noqa: ARG002 - the protocol's arguments
        look: Look,  # noqa: ARG002
        *,
        at_most: int,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Picks:
        return Picks(picks=(Pick(arm=0, kind=0, priority=1.0),) * at_most, shortfall=None)


def test_after_a_stop_nothing_goes_out_until_everything_is_in() -> None:
    trace = RunTrace(kinds=(REVIEW,), at_once=4, max_pulls=6)
    rewards = MadeRewards(TRUTH, (0.3, 0.1), 1)

    walked = run_rule(ChangesItsMind(), rewards, n=4, trace=trace, rng=np.random.default_rng(0))

    # Four go out, the second look stops, three more come in, and then the two that are left
    # go out, because the last look of the four changed the rule's mind.
    assert [len(step.picks) for step in walked] == [4, 0, 0, 0, 2, 0, 0]
