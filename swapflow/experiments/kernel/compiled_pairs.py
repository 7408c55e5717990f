"""The pairwise certificate in compiled code: what keeps each member ahead of each outsider.

Needs numba. The table of pairs is kept from step to step; a pull changes one row or column.
"""

import math

import numpy as np

from swapflow.experiments.kernel.compiled_numbers import bare, compiled
from swapflow.experiments.kernel.run_state import Run, RunConstants


KEPT = 1e9
"""Orders are made of numbers rounded to one part in this; see `bandit.ties`."""


@bare
def keep(value: float) -> float:
    """Round to nine digits, half to even, as `numpy.round` does."""
    kept: float = np.rint(value * KEPT) / KEPT
    return kept


@bare
def excess_of(fixed: RunConstants, run: Run, inside: int, outside: int) -> float:
    """Return by how much an outsider may yet beat a member."""
    n = run.mean.size
    pairs = max(fixed.size * (n - fixed.size), 1)
    one, two = run.information[inside], run.information[outside]
    beta = math.log(pairs / fixed.delta) + (
        math.log1p(one / fixed.rho) / 2 + math.log1p(two / fixed.rho) / 2
    )
    spread = (one + fixed.rho) / one**2 + (two + fixed.rho) / two**2
    radius = fixed.sigma * math.sqrt(2 * beta * spread)
    excess: float = radius - (run.mean[inside] - run.mean[outside])
    return excess


@bare
def fill_excess(fixed: RunConstants, run: Run, touched: int) -> None:
    """Work out the pairs that `touched` is in, or all pairs if it is negative."""
    n = run.mean.size
    if fixed.size >= n:
        return
    if touched >= 0 and run.member[touched]:
        for outside in range(n):
            if not run.member[outside]:
                run.excess[touched, outside] = excess_of(fixed, run, touched, outside)
        return
    for inside in range(n):
        if not run.member[inside]:
            continue
        if touched >= 0:
            run.excess[inside, touched] = excess_of(fixed, run, inside, touched)
            continue
        for outside in range(n):
            if not run.member[outside]:
                run.excess[inside, outside] = excess_of(fixed, run, inside, outside)


@compiled
def look_at_pairs(fixed: RunConstants, run: Run) -> tuple[int, int]:
    """Find the less known of the most open pair, -1 when all pairs are closed."""
    n = run.mean.size
    worst, first, second = -np.inf, -1, -1
    by_member = 0.0
    by_outsider = np.zeros(n)
    for inside in range(n):
        if not run.member[inside]:
            continue
        row = -np.inf
        for outside in range(n):
            if run.member[outside]:
                continue
            excess = run.excess[inside, outside]
            row = max(row, excess)
            by_outsider[outside] = max(by_outsider[outside], excess)
            ordered = np.rint(excess * KEPT)
            if ordered > worst:
                worst, first, second = ordered, inside, outside
        by_member += max(row, 0.0)
    if first < 0 or worst <= 0:
        return -1, 0
    if min(by_member, by_outsider.sum()) <= fixed.tolerance:
        return -1, 2
    one, two = run.information[first], run.information[second]
    if one < two or (one == two and first < second):
        return first, 2
    return second, 2
