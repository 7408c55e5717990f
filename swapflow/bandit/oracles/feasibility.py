"""Whether any cohort satisfies the limits, and the least change after which one does."""

from collections.abc import Sequence

import numpy as np

from swapflow.bandit.oracles.limits import SLACK, CellLimits, LimitRow, Terms, grid_of, limit_rows
from swapflow.bandit.oracles.linear_programs import cheapest
from swapflow.bandit.situation import IntArray
from swapflow.errors import InfeasibleError
from swapflow.messages import Message


SELECT_FEWER = 1.001
"""Cost of an empty place: a little more than that of a quota that gives way by one."""


def feasible(terms: Terms) -> tuple[Terms, tuple[str, ...]]:
    """Return terms that some cohort satisfies, changed as little as possible.

    The smallest relaxation has the least sum of changes, in arms, over all quotas. Of equal ones
    a minimum gives way before a maximum, an earlier one before a later, and places last.

    Returns:
        The terms themselves and no messages where they can be satisfied; else the relaxed terms,
        and one message per change: which number to set to what.
    """
    grid, rows = grid_of(terms), limit_rows(terms)
    counts = _least_slack(grid, rows)
    if grid.holds(counts):
        return terms, ()
    size = int(counts.sum()) + grid.fixed.size
    words: list[Message] = []
    relaxed = terms
    for index, row in enumerate(rows):
        total = float(grid.weights[index] @ counts)
        if total < grid.lower[index] - SLACK or total > grid.upper[index] + SLACK:
            held = _members_held(terms, grid, row, counts)
            relaxed, said = row.give_way(relaxed, held=held, size=size)
            words.append(said)
    return relaxed, tuple(words)


def refuse_infeasible(terms: Terms) -> None:
    """Raise if no cohort satisfies the terms.

    Raises:
        InfeasibleError: Naming the smallest relaxation.
    """
    _, words = feasible(terms)
    if words:
        raise InfeasibleError("no_list_keeps_limits", places=terms.size, changes=words)


def _least_slack(grid: CellLimits, rows: Sequence[LimitRow]) -> IntArray:
    """Find counts per cell that break the rows by as little as possible."""
    if grid.cells == 0:
        return np.zeros(0, dtype=np.int64)
    count = len(rows)
    # Ranks far below 1 order equal sums of changes: minimums first, then earlier rows.
    rank = 1e-4 * np.arange(count) / count
    cost = np.concatenate([1 + rank, 1.0002 + rank])
    cost[[0, count]] = SELECT_FEWER
    # One line for each bound: a minimum may lie above its own maximum.
    own, none = np.eye(count), np.zeros((count, count))

    def solve(*, whole: bool) -> IntArray:
        found = cheapest(
            np.concatenate([np.zeros(grid.cells), cost]),
            np.block([[grid.weights, own, none], [grid.weights, none, -own]]),
            np.concatenate([grid.lower, np.full(count, -np.inf)]),
            np.concatenate([np.full(count, np.inf), grid.upper]),
            most=np.concatenate([grid.room, np.full(2 * count, np.inf)]),
            whole=np.array([float(whole)] * grid.cells + [0.0] * (2 * count)),
            presolve=whole,
        )
        assert found is not None, "with slack in every row there is always a cohort"
        return np.rint(found[: grid.cells]).astype(np.int64)

    counts = solve(whole=False)
    return counts if grid.holds(counts) else solve(whole=True)


def _members_held(terms: Terms, grid: CellLimits, row: LimitRow, counts: IntArray) -> int:
    """Count the members of a row's group in a cohort, pinned ones included."""
    if row.limit < 0:
        return int(counts.sum()) + grid.fixed.size
    members = terms.limits[row.limit].members
    inside = np.zeros(grid.cells, dtype=np.bool_)
    free = grid.cell >= 0
    inside[grid.cell[free]] = members[free]
    return int(counts[inside].sum() + members[grid.fixed].sum())
