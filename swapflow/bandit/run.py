"""Runs of a rule against rewards, one pull at a time or with several out.

For studies and tests: no people, no limit but the budget, no failures; time is a number.
"""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.situation import (
    UNSCORED_MEAN,
    FloatArray,
    IntArray,
    Look,
    Pick,
    PullKind,
    Rule,
    Scores,
    Situation,
    StopReason,
    no_scores,
)


UNLIMITED = np.iinfo(np.int64).max // 2
"""Number of pulls per arm and kind when nothing limits it."""

Rewards = Callable[[int, int], float]
"""Returns the next reward of (arm, kind)."""

Delays = Callable[[int, int, float], float]
"""Returns how long a pull of (arm, kind) with this reward stays out; may depend on all three."""


def no_delay(arm: int, kind: int, reward: float) -> float:  # noqa: ARG001 - a Delays function
    """Return 0: the score comes at once."""
    return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStep:
    """One look of a run.

    Attributes:
        situation: The situation, with received and pending pulls.
        look: The rule's assessment of it.
        elapsed: Time since the first pull, in the unit of the delays.
        picks: The pulls dispatched next; empty at the end, and while the last pulls come in.
        ended: Why this is the last step, or None.
    """

    situation: Situation
    look: Look
    elapsed: float
    picks: tuple[Pick, ...]
    ended: StopReason | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTrace:
    """Settings of a run.

    Attributes:
        kinds: The pull kinds; every arm starts with one score of the first.
        at_once: How many pulls are kept out.
        delays: How long each pull stays out.
        budget: Cost that may be spent, first looks included.
        overshoot: Whether the last pull may pass the budget, as in the paper's experiments,
            where the budget is tested before a pull and not with it.
        max_pulls: How many pulls may follow the first looks; then the run ends as DEADLINE.
        with_scores: Whether situations list every score, for rules that fit a model to them.
    """

    kinds: tuple[PullKind, ...]
    at_once: int = 1
    delays: Delays = no_delay
    budget: float = float("inf")
    overshoot: bool = False
    max_pulls: float = float("inf")
    with_scores: bool = False


def run_rule(
    rule: Rule, rewards: Rewards, *, n: int, trace: RunTrace, rng: np.random.Generator
) -> Iterator[RunStep]:
    """Run a rule and yield every look, until the rule stops or nothing more may be pulled.

    When the rule stops with pulls still out, nothing more is dispatched until they are in; then
    the rule looks again, and goes on if the late scores unsettle it.

    Args:
        rule: The rule to run.
        rewards: Draws a reward.
        n: Number of arms.
        trace: Kinds, pulls out, delays and budget.
        rng: For the rule's coin.

    Yields:
        One step a look; the last has `ended` set.
    """
    state = _RunState(rewards, n=n, trace=trace)
    draining = False
    while True:
        situation = state.situation()
        look = rule.look(situation)
        draining = state.anything_out and (draining or look.stop is not None)
        if look.stop is not None and not state.anything_out:
            yield state.step(situation, look, (), look.stop)
            return
        picks: tuple[Pick, ...] = ()
        if not draining:
            chosen = rule.choose(situation, look, at_most=state.wanted, rng=rng)
            picks = chosen.picks
            if not picks and not state.anything_out:
                late = StopReason.DEADLINE if state.wanted == 0 else StopReason.EXHAUSTED
                yield state.step(situation, look, (), chosen.shortfall or late)
                return
        yield state.step(situation, look, picks, None)
        for pick in picks:
            state.dispatch(pick.arm, pick.kind)
        state.receive()


class _RunState:
    """Received scores and pulls out, as arrays; pulls come back in the order of their time."""

    def __init__(self, rewards: Rewards, *, n: int, trace: RunTrace) -> None:
        self._rewards = rewards
        self._course = trace
        self._mean = np.full(n, UNSCORED_MEAN)
        self._information = np.zeros(n)
        self._settled_mean = self._mean.copy()
        self._settled_information = np.zeros(n)
        self._pending = np.zeros(n)
        self._cost = 0.0
        self._now = 0.0
        self._out: list[tuple[float, int, int, int, float]] = []
        self._dispatched = 0
        # Per arm, in dispatch order, unsettled pulls: number to (gain, reward or None while out).
        self._unsettled: list[dict[int, tuple[float, float | None]]] = [{} for _ in range(n)]
        self._scores: list[tuple[int, int, float]] = []
        for arm in range(n):
            self._first_look(arm)

    @property
    def wanted(self) -> int:
        """How many more pulls should be dispatched now."""
        left = self._course.max_pulls - self._dispatched
        return int(min(self._course.at_once - len(self._out), left))

    @property
    def anything_out(self) -> bool:
        """Whether any pull is out."""
        return bool(self._out)

    def situation(self) -> Situation:
        """Build a situation that later scores do not change."""
        kinds = self._course.kinds
        n = self._mean.size
        spent = self._cost >= self._course.budget
        left = self._course.budget - self._cost
        if self._course.overshoot:
            left = 0.0 if spent else float("inf")
        return Situation(
            mean=self._mean.copy(),
            information=self._information.copy(),
            pending=self._pending.copy(),
            settled_mean=self._settled_mean.copy(),
            settled_information=self._settled_information.copy(),
            kinds=kinds,
            allowed=np.full((n, len(kinds)), UNLIMITED),
            kind_left=np.full(len(kinds), UNLIMITED),
            budget_left=left,
            cost=self._cost,
            scores=self._all_scores() if self._course.with_scores else no_scores(),
        )

    def step(
        self, situation: Situation, look: Look, picks: tuple[Pick, ...], ended: StopReason | None
    ) -> RunStep:
        """Build the step of a look at the present time."""
        return RunStep(situation=situation, look=look, elapsed=self._now, picks=picks, ended=ended)

    def dispatch(self, arm: int, kind: int) -> None:
        """Dispatch a pull; its reward is drawn now and known when it comes back."""
        reward = self._rewards(arm, kind)
        gain = self._course.kinds[kind].gain
        due = self._now + self._course.delays(arm, kind, reward)
        heapq.heappush(self._out, (due, self._dispatched, arm, kind, reward))
        self._unsettled[arm][self._dispatched] = (gain, None)
        self._dispatched += 1
        self._pending[arm] += gain
        self._cost += self._course.kinds[kind].cost

    def receive(self) -> None:
        """Receive the next score that comes back."""
        self._now, number, arm, kind, reward = heapq.heappop(self._out)
        gain = self._course.kinds[kind].gain
        self._pending[arm] -= gain
        _fold(self._mean, self._information, arm, gain, reward)
        self._scores.append((arm, kind, reward))
        # Scores settle in dispatch order only, so an early high score does not move the
        # certificate.
        waiting = self._unsettled[arm]
        waiting[number] = (gain, reward)
        while waiting:
            first = next(iter(waiting))
            first_gain, first_reward = waiting[first]
            if first_reward is None:
                return
            _fold(self._settled_mean, self._settled_information, arm, first_gain, first_reward)
            del waiting[first]

    def _first_look(self, arm: int) -> None:
        """Score an arm once, immediately, as Algorithm 1 does before it starts."""
        reward = self._rewards(arm, 0)
        gain, cost = self._course.kinds[0].gain, self._course.kinds[0].cost
        _fold(self._mean, self._information, arm, gain, reward)
        _fold(self._settled_mean, self._settled_information, arm, gain, reward)
        self._scores.append((arm, 0, reward))
        self._cost += cost

    def _all_scores(self) -> Scores:
        """List the scores by arm and kind; none has a reviewer (-1)."""
        ordered = sorted(self._scores, key=lambda score: score[:2])
        arm: IntArray = np.array([score[0] for score in ordered], dtype=np.int64)
        return Scores(
            arm=arm,
            reviewer=np.full(arm.size, -1, dtype=np.int64),
            kind=np.array([score[1] for score in ordered], dtype=np.int64),
            mark=np.array([score[2] for score in ordered], dtype=np.float64),
        )


def _fold(mean: FloatArray, information: FloatArray, arm: int, gain: float, reward: float) -> None:
    """Count one reward `gain` times (line 26 of Algorithm 1)."""
    before = information[arm]
    mean[arm] = (mean[arm] * before + gain * reward) / (before + gain)
    information[arm] = before + gain
