"""The best cohorts under both objectives in compiled code; needs numba.

What is handed over from the last time (a threshold, an order) only saves work.
"""

import math

import numpy as np

from swapflow.bandit.situation import BoolArray, FloatArray, IntArray
from swapflow.experiments.kernel.compiled_numbers import bare, compiled
from swapflow.experiments.kernel.run_state import Run, RunConstants


@compiled
def mark_largest(values: FloatArray, size: int, threshold: float, marked: BoolArray) -> float:
    """Mark the largest values, the lowest index first among equals; give a new threshold.

    A good threshold, such as the last one, lies between the last marked value and the next.
    """
    n = values.size
    if size >= n:
        marked[:] = True
        return -np.inf
    above = 0
    for arm in range(n):
        marked[arm] = values[arm] > threshold
        above += marked[arm]
    if above == size:
        return threshold
    if above == size - 1 or above == size + 1:
        last, after = _around(values, threshold, above < size)
        if last > after:
            middle = after + (last - after) / 2
            above = 0
            for arm in range(n):
                marked[arm] = values[arm] > middle
                above += marked[arm]
            if above == size:
                return middle
    last, after = _border(values, size)
    left = size
    for arm in range(n):
        marked[arm] = values[arm] > last
        left -= marked[arm]
    for arm in range(n):
        if left and values[arm] == last:
            marked[arm] = True
            left -= 1
    return after + (last - after) / 2


@compiled
def _border(values: FloatArray, size: int) -> tuple[float, float]:
    """Return the size-th largest value and the next one, by counting into equal buckets.

    Not a step depends on how a comparison comes out, so it takes a few nanoseconds a value where
    sorting and partitioning stumble over every second one.
    """
    n = values.size
    low = high = values[0]
    for value in values:
        low, high = min(low, value), max(high, value)
    buckets = max(n // 2, 16)
    width = (high - low) / buckets
    if not width > 0.0:
        return float(low), float(low)
    place = np.empty(n, np.int64)
    count = np.zeros(buckets + 2, np.int64)
    for arm in range(n):
        place[arm] = min(int((values[arm] - low) / width), buckets)
        count[place[arm]] += 1
    chosen, above = buckets, 0
    while above + count[chosen] < size:
        above += count[chosen]
        chosen -= 1
    near, after, found = np.empty(count[chosen]), low, 0
    for arm in range(n):
        if place[arm] == chosen:
            near[found] = values[arm]
            found += 1
        elif place[arm] < chosen:
            after = max(after, values[arm])
    near.sort()
    last = near[found - (size - above)]
    if size - above < found:
        after = near[found - (size - above) - 1]
    return float(last), float(after)


@bare
def _around(values: FloatArray, threshold: float, lower: bool) -> tuple[float, float]:
    """Return the two values next below the threshold, or next above it, the larger first."""
    if lower:
        first, second = -np.inf, -np.inf
        for value in values:
            if value <= threshold and value > second:
                second = value
                if second > first:
                    first, second = second, first
        return first, second
    first, second = np.inf, np.inf
    for value in values:
        if value > threshold and value < second:
            second = value
            if second < first:
                first, second = second, first
    return second, first


@bare
def sort_groups(values: FloatArray, order: IntArray) -> None:
    """Sort each group's applicants anew, best first; `order` is nearly sorted already.

    The groups' parts of `order` lie behind each other; the last entries hold their starts.
    """
    n = values.size
    for group in range(order.size - n - 1):
        start, stop = order[n + group], order[n + group + 1]
        for place in range(start + 1, stop):
            arm = order[place]
            value = values[arm]
            hole = place
            while hole > start:
                other = order[hole - 1]
                if values[other] > value or (values[other] == value and other < arm):
                    break
                order[hole] = other
                hole -= 1
            order[hole] = arm


@compiled
def _root(total: float) -> float:
    return math.sqrt(total) if total > 0 else 0.0


@compiled
def mark_diverse(values: FloatArray, order: IntArray, size: int, marked: BoolArray) -> None:
    """Mark the greedy cohort of the diverse objective: the offer that adds most, K times."""
    n = values.size
    groups = order.size - n - 1
    sums, taken, offers = np.zeros(groups), np.zeros(groups, np.int64), np.empty(groups)
    marked[:] = False
    for group in range(groups):
        start, stop = order[n + group], order[n + group + 1]
        offers[group] = _root(values[order[start]]) if stop > start else -np.inf
    for _ in range(size):
        best, chosen = -1, n
        for group in range(groups):
            place = order[n + group] + taken[group]
            if place == order[n + group + 1]:
                continue
            arm = order[place]
            if (
                best < 0
                or offers[group] > offers[best]
                or (offers[group] == offers[best] and arm < chosen)
            ):
                best, chosen = group, arm
        marked[chosen] = True
        sums[best] += values[chosen]
        taken[best] += 1
        place = order[n + best] + taken[best]
        if place < order[n + best + 1]:
            offers[best] = _root(sums[best] + values[order[place]]) - _root(sums[best])


@compiled
def value_of(fixed: RunConstants, run: Run, utilities: FloatArray, marked: BoolArray) -> float:
    """Value a cohort."""
    if not fixed.groups:
        total = 0.0
        for arm in range(utilities.size):
            if marked[arm]:
                total += utilities[arm]
        return total
    sums = np.zeros(fixed.groups)
    for arm in range(utilities.size):
        if marked[arm]:
            sums[run.group[arm]] += utilities[arm]
    total = 0.0
    for group in range(fixed.groups):
        total += _root(sums[group])
    return total
