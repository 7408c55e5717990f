"""What is known of a run: constants that all share, arrays that change, and how it ended."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swapflow.bandit.situation import BoolArray, FloatArray, IntArray
from swapflow.errors import InvalidInputError


PAPER, MIXTURE, PAIRWISE = 0, 1, 2
"""Radii."""

COIN, NEED = 0, 1
"""How a kind is chosen: with a fixed probability, or by need."""

SYMDIFF = 2
"""With a probability that falls with the number of contested applicants."""

AHEAD = 16
"""Pulls of one applicant whose numbers are drawn at once; of more, more would be drawn in vain."""


class RunConstants(NamedTuple):
    """What all runs have in common: numbers only, so that one loop serves every problem."""

    size: int
    sigma: float
    delta: float
    rho: float
    gain: float
    cost: float
    weak_deviation: float
    strong_deviation: float
    radius: int
    manner: int
    alpha: float
    tolerance: float
    budget: float
    max_steps: int
    groups: int
    quick: bool
    whole: bool
    low: int
    high: int


class Run(NamedTuple):
    """One run in progress; every array has one entry per applicant unless it says otherwise.

    `table` is what `quick_look` goes over; `mean` and `spread` are its rows without the padding.
    A spread is the radius, under the paper's without the factor that depends on the cost; it is
    below 0 for members. `ahead` holds a row of noise and a row of coins for each applicant's next
    pulls, and a last one to work in. `numbers` holds what `COST` to `BEST` name.
    """

    table: FloatArray
    truth: FloatArray
    group: IntArray
    mean: FloatArray
    information: FloatArray
    spread: FloatArray
    member: BoolArray
    rival: BoolArray
    worst: FloatArray
    pulls: IntArray
    by_mean: IntArray
    by_worst: IntArray
    excess: FloatArray
    ahead: FloatArray
    numbers: FloatArray


MEAN, SPREAD, ORDER = range(3)
"""Rows of the table: the estimate; the radius without the factor that depends on the cost, below
0 for a member of the cohort; and a number that is smaller the sooner the turn comes."""

WHOLE_VECTORS = 8
"""The table's rows are padded to a multiple of this number, with means too low for any cohort."""

BIG = 1e300

PLACES = 1 << 20
"""Where informations are whole numbers an order is the information times this, and the index
behind it: so the smallest order says whose it is. Else it is the spread below 0."""

MOST_INFORMATION = 2.0**32
"""Up to here a float holds information and index, and other informations have other spreads."""

COST, THRESHOLD, PULLS, LEAST, BEST = range(5)
"""Cost so far; threshold of the rival; pulls after the first looks; and, kept where looks are
quick, the least mean of a member and the best of an outsider."""


def new_run(n: int, *, groups: IntArray | None, pairwise: bool) -> Run:
    """Make room for one run.

    Args:
        n: Number of applicants.
        groups: Each applicant's group, shape (n,), for the diverse objective.
        pairwise: Whether the stop rests on pairs.

    Raises:
        InvalidInputError: If there are groups of another number of applicants.
    """
    groups = np.zeros(n, dtype=np.int64) if groups is None else groups
    if groups.size != n:
        raise InvalidInputError("kernel_groups_of_other_arms", groups=groups.size, arms=n)
    borders = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    order = np.concatenate([np.argsort(groups, kind="stable"), borders]).astype(np.int64)
    pairs = n if pairwise else 1
    vectors = -(-n // WHOLE_VECTORS)
    table = np.zeros((3, vectors * WHOLE_VECTORS))
    table[MEAN, n:] = -BIG
    return Run(
        table=table,
        truth=np.zeros(n),
        group=groups.astype(np.int64),
        mean=table[MEAN, :n],
        information=np.zeros(n),
        spread=table[SPREAD, :n],
        member=np.zeros(n, dtype=np.bool_),
        rival=np.zeros(n, dtype=np.bool_),
        worst=np.zeros(n),
        pulls=np.zeros(n, dtype=np.int64),
        by_mean=order,
        by_worst=order.copy(),
        excess=np.zeros((pairs, pairs)),
        ahead=np.zeros((2, n + 1, AHEAD)),
        numbers=np.zeros(5),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class RunOutcomes:
    """How runs ended, one row each.

    Attributes:
        cohort: Which applicants are in the final cohort, shape (runs, n).
        cost: Cost spent, the first looks included, shape (runs,).
        pulls: Pulls after the first looks, shape (runs,).
        stopped: Whether the rule stopped by itself before the last pull, shape (runs,).
        mean: Final estimates, shape (runs, n).
        information: Final informations, shape (runs, n).
    """

    cohort: BoolArray
    cost: FloatArray
    pulls: IntArray
    stopped: BoolArray
    mean: FloatArray
    information: FloatArray

    @classmethod
    def of_none(cls, runs: int, n: int) -> "RunOutcomes":
        """Make room for a number of runs."""
        return cls(
            cohort=np.zeros((runs, n), dtype=np.bool_),
            cost=np.zeros(runs),
            pulls=np.zeros(runs, dtype=np.int64),
            stopped=np.zeros(runs, dtype=np.bool_),
            mean=np.zeros((runs, n)),
            information=np.zeros((runs, n)),
        )
