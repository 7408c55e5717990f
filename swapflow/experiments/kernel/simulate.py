"""Many runs of a rule against normal noise at once: the engine of every study that needs millions.

Compiled where numba is installed (the extra `studies`), else in numpy or by the rules themselves:
the same draws and the same decisions, only slower.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, assert_never

import numpy as np

from swapflow.bandit import kernel as batched
from swapflow.bandit.certified import Certificate, CertifiedRule
from swapflow.bandit.kernel import RunOutcomes
from swapflow.bandit.oracles.oracle import Diverse, Oracle, TopK
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.radius import RHO
from swapflow.bandit.run import RunTrace, run_rule
from swapflow.bandit.situation import (
    BoolArray,
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
from swapflow.simulation.random_numbers import Stream, normal_quantile


if TYPE_CHECKING:
    from swapflow.experiments.kernel.compiled import Run, RunConstants

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
    BATCHED = "batched"
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
                f"sigma must be positive and delta between 0 and 1, not {self.sigma:g} and "
                f"{self.delta:g}"
            )
        if self.groups is not None and self.radius is Radius.PAIRWISE:
            raise InvalidInputError("the pairwise certificate holds for plain top-k only")
        by_need = self.policy is None
        if by_need and (self.groups is not None or self.radius is Radius.PAPER or self.cost < 1):
            raise InvalidInputError(
                "kinds are chosen by need under a mixture or pairwise radius, for plain top-k "
                "and a strong pull that costs no less than a weak one"
            )
        if self.radius is not Radius.PAPER and self.policy is StrongPolicy.SYMDIFF:
            raise InvalidInputError("the policy symdiff is known for the paper's radius only")

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
        raise InvalidInputError(f"{truths.shape[0]} rows of truth do not fit {len(runs)} runs")
    if not 0 < problem.size <= truths.shape[1]:
        raise InvalidInputError(f"{problem.size} of {truths.shape[1]} cannot be chosen")
    match way or fastest(problem):
        case Computation.COMPILED:
            return _compiled(problem, truths, stream, runs, max_pulls)
        case Computation.BATCHED:
            return _batched(problem, truths, stream, runs, max_pulls)
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
        self._fixed = fixed_of(problem, Stream(0, 0), max_pulls=1)
        self._run = new_run(problem, n)

    def decide(
        self, mean: FloatArray, information: FloatArray, *, cost: float
    ) -> tuple[IntArray, int | None]:
        """Give the cohort, sorted, and who is to be pulled next, None when it is settled.

        Args:
            mean: Estimates, shape (n,).
            information: T of each applicant in weak pulls, all positive, shape (n,).
            cost: Cost spent so far in weak pulls.
        """
        arm = self._decide(self._fixed, self._run, mean, information, float(cost))
        return np.flatnonzero(self._run.member), None if arm < 0 else int(arm)


def fastest(problem: SimulationProblem) -> Computation:
    """Give the fastest way there is for a problem on this machine."""
    if find_spec("numba") is not None:
        return Computation.COMPILED
    return Computation.BATCHED if can_be_batched(problem) else Computation.RULES


def can_be_batched(problem: SimulationProblem) -> bool:
    """Say whether numpy can move all runs at once: the paper's rule, top-k, no budget."""
    plain = problem.radius is Radius.PAPER and problem.groups is None
    return plain and problem.budget == float("inf")


def _compiled(
    problem: SimulationProblem, truths: FloatArray, stream: Stream, runs: range, max_pulls: int
) -> RunOutcomes:
    """Run the compiled loops."""
    from swapflow.experiments.kernel import compiled, lockstep  # noqa: PLC0415 - need numba, and compile

    n, count = truths.shape[1], len(runs)
    out = (
        np.zeros((count, n), dtype=np.bool_),
        np.zeros(count),
        np.zeros(count, dtype=np.int64),
        np.zeros(count, dtype=np.bool_),
        np.zeros((count, n)),
        np.zeros((count, n)),
    )
    numbers = np.array(runs, dtype=np.int64)
    fixed = fixed_of(problem, stream, max_pulls)
    if problem.radius is Radius.PAPER and problem.groups is None and fixed.manner == compiled.COIN:
        lanes, scratch = lockstep.room(truths, count)
        lockstep.run_all(fixed, lanes, scratch, numbers, np.zeros(count, dtype=np.int64), out)
    else:
        compiled.whole_runs(fixed, new_run(problem, n), truths, numbers, out)
    cohort, cost, pulls, stopped, mean, information = out
    return RunOutcomes(
        cohort=cohort,
        cost=cost,
        pulls=pulls,
        stopped=stopped,
        mean=mean,
        information=information,
    )


def fixed_of(problem: SimulationProblem, stream: Stream, max_pulls: int) -> "RunConstants":
    """Spell a problem as the numbers that the compiled loops know it by."""
    from swapflow.experiments.kernel import compiled  # noqa: PLC0415 - as above

    alpha, manner = 0.0, compiled.NEED
    if problem.policy is StrongPolicy.SYMDIFF:
        alpha, manner = problem.gain / (problem.gain + problem.cost), compiled.SYMDIFF
    elif problem.policy is not None:
        manner = compiled.COIN
        alpha = strong_probability(
            problem.policy, gain=problem.gain, cost=problem.cost, contested=1, size=problem.size
        )
    radii = (Radius.PAPER, Radius.MIXTURE, Radius.PAIRWISE)
    weak, strong = problem.spreads
    return compiled.RunConstants(
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
        low=stream.low,
        high=stream.high,
    )


def new_run(problem: SimulationProblem, n: int) -> "Run":
    """Make room for one run."""
    from swapflow.experiments.kernel import compiled  # noqa: PLC0415 - as above

    groups = np.zeros(n, dtype=np.int64) if problem.groups is None else problem.groups
    if groups.size != n:
        raise InvalidInputError(f"there are groups of {groups.size} applicants, not of {n}")
    borders = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    order = np.concatenate([np.argsort(groups, kind="stable"), borders]).astype(np.int64)
    pairs = n if problem.radius is Radius.PAIRWISE else 1
    return compiled.Run(
        truth=np.zeros(n),
        group=groups.astype(np.int64),
        mean=np.zeros(n),
        information=np.zeros(n),
        spread=np.zeros(n),
        member=np.zeros(n, dtype=np.bool_),
        rival=np.zeros(n, dtype=np.bool_),
        worst=np.zeros(n),
        pulls=np.zeros(n, dtype=np.int64),
        by_mean=order,
        by_worst=order.copy(),
        excess=np.zeros((pairs, pairs)),
        numbers=np.zeros(3),
    )


class NormalDraws:
    """The compiled loops' draws, for the other ways: each pull's noise and coin by its address."""

    def __init__(
        self, problem: SimulationProblem, truths: FloatArray, stream: Stream, runs: range
    ) -> None:
        self._spreads = np.array(problem.spreads)
        self._truths = np.broadcast_to(truths, (len(runs), truths.shape[1]))
        self._stream = stream
        self._numbers = np.array(runs, dtype=np.int64)
        self._given = np.zeros(self._truths.shape, dtype=np.int64)
        self._noise = np.zeros(0)

    def first_looks(self) -> FloatArray:
        """Give everybody's first weak mark, shape (runs, n)."""
        arms = np.arange(self._truths.shape[1])
        noise = self._stream.normals(self._numbers[:, np.newaxis], arms, 0)
        self._given[:] = 1
        return np.asarray(self._truths + self._spreads[0] * noise)

    def flip(self, rows: IntArray, arms: IntArray) -> FloatArray:
        """Give the coins of the next pulls, and keep their noise for `draw`."""
        chance, coin = self._stream.uniforms(self._numbers[rows], arms, self._given[rows, arms])
        self._noise = normal_quantile(chance)
        return coin

    def draw(self, rows: IntArray, arms: IntArray, strong: BoolArray) -> FloatArray:
        """Give the marks of the pulls that `flip` was last asked about."""
        self._given[rows, arms] += 1
        spread = self._spreads[strong.astype(np.int64)]
        return np.asarray(self._truths[rows, arms] + spread * self._noise)


def _batched(
    problem: SimulationProblem, truths: FloatArray, stream: Stream, runs: range, max_pulls: int
) -> RunOutcomes:
    """Let numpy move all runs one step at a time."""
    if not can_be_batched(problem):
        raise InvalidInputError("only the paper's rule with top-k and no budget can be batched")
    assert problem.policy is not None, "the paper's rule chooses by a coin"
    draws = NormalDraws(problem, truths, stream, runs)
    plain = batched.KernelProblem(
        size=problem.size,
        sigma=problem.sigma,
        delta=problem.delta,
        gain=problem.gain,
        cost=problem.cost,
        policy=problem.policy,
        tolerance=problem.tolerance,
    )
    return batched.simulate(
        plain, draws.first_looks(), draw=draws.draw, flip=draws.flip, max_steps=max_pulls
    )


def _by_rules(
    problem: SimulationProblem, truths: FloatArray, stream: Stream, runs: range, max_pulls: int
) -> RunOutcomes:
    """Walk through the runs one after the other, by the rules that serve live cycles."""
    n = truths.shape[1]
    done = RunOutcomes(
        cohort=np.zeros((len(runs), n), dtype=np.bool_),
        cost=np.zeros(len(runs)),
        pulls=np.zeros(len(runs), dtype=np.int64),
        stopped=np.zeros(len(runs), dtype=np.bool_),
        mean=np.zeros((len(runs), n)),
        information=np.zeros((len(runs), n)),
    )
    trace = RunTrace(
        kinds=problem.kinds, budget=problem.budget, overshoot=True, max_pulls=max_pulls
    )
    for row, number in enumerate(runs):
        truth = truths[[row % truths.shape[0]]]
        luck = _OneRun(problem, NormalDraws(problem, truth, stream, range(number, number + 1)))
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

    def __init__(self, problem: SimulationProblem, draws: NormalDraws) -> None:
        self._rule = problem.rule()
        self._problem = problem
        self._draws = draws
        self._first = iter(draws.first_looks()[0])
        self._none = np.zeros(1, dtype=np.int64)
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
        """Give the coin of whoever's turn it is."""
        return float(self._draws.flip(self._none, np.array([self.turn]))[0])

    def reward(self, arm: int, kind: int) -> float:
        """Give the next mark of an applicant; the first looks come first."""
        first = next(self._first, None)
        if first is not None:
            return float(first)
        self._draws.flip(self._none, np.array([arm]))
        return float(self._draws.draw(self._none, np.array([arm]), np.array([kind == 1]))[0])


class _Coins(np.random.Generator):
    """A generator whose uniform numbers are a run's coins."""

    def __init__(self, run: _OneRun) -> None:
        super().__init__(np.random.PCG64(0))
        self._run = run

    def random(self) -> float:  # type: ignore[override]  # the rules ask for one float at a time
        return self._run.coin()
