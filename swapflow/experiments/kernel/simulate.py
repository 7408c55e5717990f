"""Many runs of a rule against normal noise at once: the engine of every study that needs millions.

Compiled where numba is installed (the extra `studies`), else by the rules themselves: the same
draws and the same decisions, only slower.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from typing import assert_never

import numpy as np

from swapflow.bandit.certified import Certificate, CertifiedRule
from swapflow.bandit.oracles.oracle import Diverse, Oracle, TopK
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.radius import RHO
from swapflow.bandit.run import RunTrace, run_rule
from swapflow.bandit.situation import (
    FloatArray,
    IntArray,
    Look,
    Picks,
    PullKind,
    Rule,
    Situation,
    StopReason,
)
from swapflow.bandit.strong_pull_policy import StrongPolicy, strong_probability
from swapflow.errors import InvalidInputError
from swapflow.experiments.kernel.run_state import (
    COIN,
    MOST_INFORMATION,
    NEED,
    PLACES,
    SYMDIFF,
    Run,
    RunConstants,
    RunOutcomes,
    new_run,
)
from swapflow.simulation.random_numbers import Stream, normal_quantile


__all__ = [
    "MOST_PULLS",
    "Computation",
    "Decider",
    "Radius",
    "RunOutcomes",
    "SimulationProblem",
    "simulate",
]

MOST_PULLS = 1_000_000
"""Pulls after which a run is cut, unless the caller says otherwise."""


class Radius(StrEnum):
    """What the stop rests on."""

    PAPER = "paper"
    MIXTURE = "mixture"
    PAIRWISE = "pairwise"


class Computation(StrEnum):
    """How runs are computed; all ways decide alike."""

    COMPILED = "compiled"
    RULES = "rules"


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulationProblem:
    """What all runs have in common.

    Attributes:
        size: K.
        sigma: What the rule believes to be the spread of one weak pull, in score units.
        delta: Allowed probability of error.
        gain: s, a strong pull's information in weak pulls.
        cost: j, a strong pull's cost in weak pulls.
        radius: What the stop rests on: `PAPER` is the rule `paper`, the others are `certified`.
        policy: Probability of a strong pull; None chooses by need (not under `PAPER`).
        tolerance: eps.
        groups: Each applicant's group, for the diverse objective; None is plain top-k.
        budget: The run ends once so much is spent (the last pull may pass it, as in the paper).
        deviations: True spread of a weak and a strong pull, where it is not what the rule
            believes (sigma and sigma / sqrt(s)).
    """

    size: int
    sigma: float
    delta: float
    gain: float = 1.0
    cost: float = 1.0
    radius: Radius = Radius.PAPER
    policy: StrongPolicy | None = StrongPolicy.PAPER
    tolerance: float = 0.0
    groups: IntArray | None = None
    budget: float = float("inf")
    deviations: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not self.sigma > 0 or not 0 < self.delta < 1:
            raise InvalidInputError(
                "kernel_parameters_invalid", sigma=self.sigma, delta=self.delta
            )
        if self.groups is not None and self.radius is Radius.PAIRWISE:
            raise InvalidInputError("kernel_pairwise_needs_top_k")
        by_need = self.policy is None
        if by_need and (self.groups is not None or self.radius is Radius.PAPER or self.cost < 1):
            raise InvalidInputError("kernel_need_unsupported")
        if self.radius is not Radius.PAPER and self.policy is StrongPolicy.SYMDIFF:
            raise InvalidInputError("kernel_symdiff_unsupported")

    @property
    def spreads(self) -> tuple[float, float]:
        """True spread of a weak and of a strong pull."""
        return self.deviations or (self.sigma, self.sigma / self.gain**0.5)

    @property
    def objective(self) -> Oracle:
        """What a good cohort is."""
        if self.groups is None:
            return TopK(self.size)
        return Diverse(self.size, self.groups)

    @property
    def kinds(self) -> tuple[PullKind, ...]:
        """The kinds the rule may choose from."""
        weak, strong = PullKind(cost=1.0, gain=1.0), PullKind(cost=self.cost, gain=self.gain)
        return (weak, strong)

    def rule(self) -> Rule:
        """Make the rule itself."""
        if self.radius is Radius.PAPER:
            assert self.policy is not None, "the paper's rule chooses by a coin"
            return PaperRule(
                oracle=self.objective,
                sigma=self.sigma,
                delta=self.delta,
                tolerance=self.tolerance,
                policy=self.policy,
            )
        return CertifiedRule(
            oracle=self.objective,
            sigma=self.sigma,
            delta=self.delta,
            tolerance=self.tolerance,
            certificate=Certificate(self.radius.value),
        )


def simulate(
    problem: SimulationProblem,
    truth: FloatArray,
    *,
    stream: Stream,
    runs: range,
    max_pulls: int = MOST_PULLS,
    way: Computation | None = None,
) -> RunOutcomes:
    """Make runs from their first looks to their ends.

    The m-th mark of an applicant has the same noise (scaled to its kind) in a run of the same
    number under every problem, so two problems are compared on the same luck.

    Args:
        problem: What all runs have in common.
        truth: True utilities, shape (n,), or one row for each run, shape (runs, n).
        stream: The cell's random numbers.
        runs: Numbers of the runs.
        max_pulls: Most pulls after the first looks.
        way: How to compute; None takes the fastest there is.
    """
    truths = np.atleast_2d(np.asarray(truth, dtype=np.float64))
    if truths.shape[0] not in {1, len(runs)}:
        raise InvalidInputError(
            "kernel_truths_of_other_runs", rows=truths.shape[0], runs=len(runs)
        )
    if not 0 < problem.size <= truths.shape[1]:
        raise InvalidInputError("kernel_size_impossible", size=problem.size, arms=truths.shape[1])
    match way or fastest():
        case Computation.COMPILED:
            return _compiled(problem, truths, stream, runs, max_pulls)
        case Computation.RULES:
            return _by_rules(problem, truths, stream, runs, max_pulls)
        case unknown:
            assert_never(unknown)


class Decider:
    """Makes single decisions of a rule in compiled code; needs numba.

    One object serves one problem and one number of applicants, and one thread.
    """

    def __init__(self, problem: SimulationProblem, n: int) -> None:
        from swapflow.experiments.kernel import compiled  # noqa: PLC0415 - needs numba, and compiles

        self._decide = compiled.decide
        self._fixed = fixed_of(problem, Stream(0, 0), n=n, max_pulls=1)
        self._run = _room(problem, n)

    def decide(
        self, mean: FloatArray, information: FloatArray, *, cost: float
    ) -> tuple[IntArray, int | None]:
        """Return the cohort, sorted, and who is to be pulled next, None when it is settled.

        Args:
            mean: Estimates, shape (n,).
            information: T of each applicant in weak pulls, all positive, shape (n,).
            cost: Cost spent so far in weak pulls.
        """
        arm = self._decide(self._fixed, self._run, mean, information, float(cost))
        return np.flatnonzero(self._run.member), None if arm < 0 else int(arm)


def fastest() -> Computation:
    """Return the fastest way there is on this machine."""
    return Computation.COMPILED if find_spec("numba") is not None else Computation.RULES


def _compiled(
    problem: SimulationProblem, truths: FloatArray, stream: Stream, runs: range, max_pulls: int
) -> RunOutcomes:
    """Run the compiled loops."""
    from swapflow.experiments.kernel import compiled  # noqa: PLC0415 - needs numba, and compiles

    n = truths.shape[1]
    done = RunOutcomes.of_none(len(runs), n)
    compiled.whole_runs(
        fixed_of(problem, stream, n=n, max_pulls=max_pulls),
        _room(problem, n),
        truths,
        np.array(runs, dtype=np.int64),
        (done.cohort, done.cost, done.pulls, done.stopped, done.mean, done.information),
    )
    return done


def fixed_of(
    problem: SimulationProblem, stream: Stream, *, n: int, max_pulls: int
) -> RunConstants:
    """Write a problem as the numbers that the compiled loops know it by."""
    alpha, manner = 0.0, NEED
    if problem.policy is StrongPolicy.SYMDIFF:
        alpha, manner = problem.gain / (problem.gain + problem.cost), SYMDIFF
    elif problem.policy is not None:
        manner = COIN
        alpha = strong_probability(
            problem.policy, gain=problem.gain, cost=problem.cost, contested=1, size=problem.size
        )
    plain = problem.radius is Radius.PAPER and problem.groups is None
    most = (max_pulls + 1) * max(problem.gain, 1.0)
    whole = float(problem.gain).is_integer() and most < MOST_INFORMATION
    radii = (Radius.PAPER, Radius.MIXTURE, Radius.PAIRWISE)
    weak, strong = problem.spreads
    return RunConstants(
        size=problem.size,
        sigma=float(problem.sigma),
        delta=float(problem.delta),
        rho=RHO,
        gain=float(problem.gain),
        cost=float(problem.cost),
        weak_deviation=float(weak),
        strong_deviation=float(strong),
        radius=radii.index(problem.radius),
        manner=manner,
        alpha=float(alpha),
        tolerance=float(problem.tolerance),
        budget=float(problem.budget),
        max_steps=max_pulls,
        groups=0 if problem.groups is None else int(problem.groups.max()) + 1,
        quick=plain and manner == COIN,
        whole=whole and n <= PLACES,
        low=stream.low,
        high=stream.high,
    )


def _room(problem: SimulationProblem, n: int) -> Run:
    """Make room for one run of a problem."""
    return new_run(n, groups=problem.groups, pairwise=problem.radius is Radius.PAIRWISE)


def _by_rules(
    problem: SimulationProblem, truths: FloatArray, stream: Stream, runs: range, max_pulls: int
) -> RunOutcomes:
    """Walk through the runs one after the other, by the rules that serve live cycles."""
    n = truths.shape[1]
    done = RunOutcomes.of_none(len(runs), n)
    trace = RunTrace(
        kinds=problem.kinds, budget=problem.budget, overshoot=True, max_pulls=max_pulls
    )
    for row, number in enumerate(runs):
        luck = _OneRun(problem, truths[row % truths.shape[0]], stream, number)
        pulls = -1
        for step in run_rule(luck, luck.reward, n=n, trace=trace, rng=luck.coins):  # noqa: B007 - the last is looked at
            pulls += 1
        done.cohort[row, step.look.cohort] = True
        done.cost[row] = step.situation.cost
        done.pulls[row] = pulls
        # A run that is cut makes no further look, so it does not see whether it would stop.
        certain = step.ended in {StopReason.CERTIFIED, StopReason.SETTLED}
        done.stopped[row] = certain and pulls < max_pulls
        done.mean[row] = step.situation.mean
        done.information[row] = step.situation.information
    return done


class _OneRun:
    """A rule, and the luck that its pulls will meet: both need to know whose turn it is."""

    def __init__(
        self, problem: SimulationProblem, truth: FloatArray, stream: Stream, number: int
    ) -> None:
        self._rule = problem.rule()
        self._problem = problem
        self._truth = truth
        self._stream = stream
        self._number = number
        self._given = np.zeros(truth.size, dtype=np.int64)
        self.coins = _Coins(self)
        self.turn = 0

    def look(self, situation: Situation) -> Look:
        """Look as the rule does, and note whose turn it is."""
        look = self._rule.look(situation)
        if look.contested.size:
            self.turn = int(look.contested[0])
        return look

    def choose(
        self, situation: Situation, look: Look, *, at_most: int, rng: np.random.Generator
    ) -> Picks:
        """Choose as the rule does; a coin stands in for need where the problem has a policy."""
        problem = self._problem
        chosen = self._rule.choose(situation, look, at_most=at_most, rng=rng)
        if problem.radius is Radius.PAPER or problem.policy is None:
            return chosen
        alpha = strong_probability(
            problem.policy, gain=problem.gain, cost=problem.cost, contested=1, size=problem.size
        )
        picks = []
        for pick in chosen.picks:
            self.turn = pick.arm
            picks.append(replace(pick, kind=int(alpha > self.coin())))
        return replace(chosen, picks=tuple(picks))

    def coin(self) -> float:
        """Return the coin of the applicant whose turn it is."""
        return float(self._next_numbers(self.turn)[1][0])

    def reward(self, arm: int, kind: int) -> float:
        """Return the next mark of an applicant."""
        noise = normal_quantile(self._next_numbers(arm)[0])
        self._given[arm] += 1
        return float(self._truth[arm] + self._problem.spreads[kind] * noise[0])

    def _next_numbers(self, arm: int) -> tuple[FloatArray, FloatArray]:
        """Return the two uniform numbers of an applicant's next pull, shape (1,) each."""
        return self._stream.uniforms(self._number, np.array([arm]), self._given[arm])


class _Coins(np.random.Generator):
    """A generator whose uniform numbers are a run's coins."""

    def __init__(self, run: _OneRun) -> None:
        super().__init__(np.random.PCG64(0))
        self._run = run

    def random(self) -> float:  # type: ignore[override]  # the rules ask for one float at a time
        return self._run.coin()
