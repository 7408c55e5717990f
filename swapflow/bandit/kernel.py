"""Many runs of the rule `paper` with top-k side by side, for studies: one numpy step moves all.

It makes the same choices as `PaperRule` on each run (a test compares them step by step) and is
some hundred times faster than one run after another. Live cycles never use it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.situation import BoolArray, FloatArray, IntArray
from swapflow.bandit.strong_pull_policy import StrongPolicy, strong_probability


Draw = Callable[[IntArray, IntArray, BoolArray], FloatArray]
"""Gives rewards for (runs, arms, strong), three arrays of equal length."""

Flip = Callable[[IntArray, IntArray], FloatArray]
"""Gives the coin's uniform numbers for (runs, arms), just before the draw for the same pulls."""


BLOCK = 250
"""Runs taken together: more would not fit into the processor's cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelProblem:
    """What all runs have in common.

    Attributes:
        size: K.
        sigma: Sub-Gaussian constant of one weak pull, in score units.
        delta: Allowed probability of error.
        gain: s, a strong pull's information in weak pulls.
        cost: j, a strong pull's cost in weak pulls.
        policy: The strong pull policy.
        tolerance: eps.
    """

    size: int
    sigma: float
    delta: float
    gain: float
    cost: float
    policy: StrongPolicy = StrongPolicy.PAPER
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcomes:
    """How the runs ended.

    Attributes:
        cohort: Whether each arm is in the cohort, shape (runs, n).
        cost: Cost spent, in weak pulls, shape (runs,).
        pulls: Pulls after the first looks, shape (runs,).
        stopped: Whether the rule stopped by itself before the last step, shape (runs,).
        mean: Final estimates, shape (runs, n).
        information: Final informations, shape (runs, n).
    """

    cohort: BoolArray
    cost: FloatArray
    pulls: IntArray
    stopped: BoolArray
    mean: FloatArray
    information: FloatArray


class Kernel:
    """Runs in progress; `step` gives one pull to each run that has not stopped.

    Mutable. `mean`, `information` and `cost` hold one row per run still going, in the order of
    `running`; a run that stops is moved to the outcomes. Up to some 250 runs of 50 arms fit
    into the processor's cache; `simulate` takes its runs in blocks.
    """

    def __init__(self, problem: KernelProblem, first_looks: FloatArray) -> None:
        runs, n = first_looks.shape
        self.problem = problem
        self.running = np.arange(runs)
        self.mean = first_looks.copy()
        self.information = np.ones((runs, n))
        self.cost = np.full(runs, float(n))
        self.steps = 0
        # A radius is this, which changes only where a pull was made, times a factor per run.
        self._spread = np.full((runs, n), problem.sigma)
        self._outcomes = RunOutcomes(
            cohort=np.zeros((runs, n), dtype=np.bool_),
            cost=self.cost.copy(),
            pulls=np.zeros(runs, dtype=np.int64),
            stopped=np.zeros(runs, dtype=np.bool_),
            mean=first_looks.copy(),
            information=self.information.copy(),
        )

    def step(self, draw: Draw, flip: Flip) -> None:
        """Look at every running run; stop those that are settled, pull in the others."""
        cohort = largest_in_rows(self.mean, self.problem.size)
        # In place where it can be: at this size the arrays' traffic is what a step costs.
        sign = 1.0 - 2.0 * cohort
        utilities = self._spread * self._factor()[:, np.newaxis]
        utilities *= sign
        utilities += self.mean
        rival = largest_in_rows(utilities, self.problem.size)
        contested = cohort ^ rival
        utilities *= sign
        gap = np.einsum("ij,ij->i", utilities, contested)
        count = np.count_nonzero(contested, axis=1)
        arms = (contested * self._spread).argmax(axis=1)

        stops = (count == 0) | (gap <= self.problem.tolerance)
        if stops.any():
            self._retire(stops, cohort, stopped=True)
            arms, count = arms[~stops], count[~stops]
        self._pull(arms, count, draw, flip)
        self.steps += 1

    def outcomes(self) -> RunOutcomes:
        """End all runs; the cohort of one still going is the best under its latest means."""
        cohort = largest_in_rows(self.mean, self.problem.size)
        self._retire(np.ones(self.running.size, dtype=np.bool_), cohort, stopped=False)
        return self._outcomes

    def _factor(self) -> FloatArray:
        """Give sqrt(2 ln(4 n Cost^3 / delta)) of every running run."""
        factor: FloatArray = np.sqrt(
            2 * np.log(4 * self.mean.shape[1] * self.cost**3 / self.problem.delta)
        )
        return factor

    def _pull(self, arms: IntArray, contested: IntArray, draw: Draw, flip: Flip) -> None:
        """Pull one arm in each run and fold the rewards in."""
        problem = self.problem
        strong: BoolArray = self._strong_probability(contested) > flip(self.running, arms)
        rewards = draw(self.running, arms, strong)
        gain = np.where(strong, problem.gain, 1.0)
        place = np.arange(arms.size), arms
        before = self.information[place]
        self.mean[place] = (self.mean[place] * before + gain * rewards) / (before + gain)
        self.information[place] = before + gain
        self._spread[place] = problem.sigma / np.sqrt(before + gain)
        self.cost += np.where(strong, problem.cost, 1.0)

    def _retire(self, which: BoolArray, cohort: BoolArray, *, stopped: bool) -> None:
        """Move runs to the outcomes."""
        runs, done = self.running[which], self._outcomes
        done.cohort[runs] = cohort[which]
        done.cost[runs] = self.cost[which]
        done.pulls[runs] = self.steps
        done.stopped[runs] = stopped
        done.mean[runs] = self.mean[which]
        done.information[runs] = self.information[which]
        self.running = self.running[~which]
        self.mean = self.mean[~which]
        self.information = self.information[~which]
        self.cost = self.cost[~which]
        self._spread = self._spread[~which]

    def _strong_probability(self, contested: IntArray) -> FloatArray:
        """Give alpha for each run; it differs between runs only under SYMDIFF."""
        problem = self.problem
        if problem.policy is not StrongPolicy.SYMDIFF:
            contested = contested[:1]
        counts, place = np.unique(contested, return_inverse=True)
        alphas = [
            strong_probability(
                problem.policy,
                gain=problem.gain,
                cost=problem.cost,
                contested=int(count),
                size=problem.size,
            )
            for count in counts
        ]
        return np.array(alphas, dtype=np.float64)[place]


def simulate(
    problem: KernelProblem, first_looks: FloatArray, *, draw: Draw, flip: Flip, max_steps: int
) -> RunOutcomes:
    """Run all runs until each has stopped or made `max_steps` pulls.

    Args:
        problem: What all runs have in common.
        first_looks: One weak reward per run and arm, shape (runs, n).
        draw: Gives rewards.
        flip: Gives the coin's uniform numbers.
        max_steps: Most pulls after the first looks.
    """
    blocks = [
        _simulate_block(problem, first_looks, rows, draw, flip, max_steps)
        for rows in np.array_split(
            np.arange(first_looks.shape[0]), max(1, -(-first_looks.shape[0] // BLOCK))
        )
    ]
    return RunOutcomes(
        cohort=np.concatenate([block.cohort for block in blocks]),
        cost=np.concatenate([block.cost for block in blocks]),
        pulls=np.concatenate([block.pulls for block in blocks]),
        stopped=np.concatenate([block.stopped for block in blocks]),
        mean=np.concatenate([block.mean for block in blocks]),
        information=np.concatenate([block.information for block in blocks]),
    )


def _simulate_block(
    problem: KernelProblem,
    first_looks: FloatArray,
    rows: IntArray,
    draw: Draw,
    flip: Flip,
    max_steps: int,
) -> RunOutcomes:
    """Run some of the runs; `draw` and `flip` see their numbers among all."""
    kernel = Kernel(problem, first_looks[rows])
    first = int(rows[0])
    for _ in range(max_steps):
        if not kernel.running.size:
            break
        kernel.step(
            lambda runs, arms, strong: draw(runs + first, arms, strong),
            lambda runs, arms: flip(runs + first, arms),
        )
    return kernel.outcomes()


def largest_in_rows(values: FloatArray, count: int) -> BoolArray:
    """Mark the `count` largest values of every row; of equal ones the lowest indices."""
    runs, n = values.shape
    if count >= n:
        return np.ones((runs, n), dtype=np.bool_)
    # Only the value of the count-th largest is used, so the partition's order cannot matter.
    threshold = np.partition(values, n - count, axis=1)[:, n - count, np.newaxis]
    marked: BoolArray = values >= threshold
    if np.count_nonzero(marked) == runs * count:
        return marked
    surplus = np.count_nonzero(marked, axis=1) - count
    for row in np.flatnonzero(surplus):
        at_threshold = np.flatnonzero(values[row] == threshold[row])
        marked[row, at_threshold[at_threshold.size - surplus[row] :]] = False
    return marked
