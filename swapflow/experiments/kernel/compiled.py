"""The rules `paper` and `certified` as compiled loops, one run after the other; needs numba.

`kernel.py` is the way in. The same steps as `bandit`'s rules, on scalars: tests hold both against
each other step by step. What is kept from step to step (a threshold, sorted groups, a table of
pairs) only saves work; where it does not fit any more it is made anew. Numbers are drawn as in
`randomness.py`, operation for operation, so both give the same bits.
"""

import math
import os
from typing import Any, NamedTuple

import numpy as np

from swapflow.bandit.situation import BoolArray, FloatArray, IntArray
from swapflow.settings import load_settings


# Compiling takes some 15 seconds; numba reads where to keep what it has compiled when imported.
os.environ.setdefault("NUMBA_CACHE_DIR", str(load_settings().data_dir / "numba"))

from swapflow.experiments.kernel.compiled_numbers import (
    compiled,
    normal_quantile,
    scramble,
    to_uniform,
)


PAPER, MIXTURE, PAIRWISE = 0, 1, 2
"""Radii."""

COIN, NEED = 0, 1
"""How a kind is chosen: with a fixed probability, or by need."""

SYMDIFF = 2
"""With a probability that falls with the number of contested applicants."""

KEPT = 1e9
"""Orders are made of numbers rounded to one part in this; see `bandit.ties`."""


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
    low: int
    high: int


class Run(NamedTuple):
    """One run in progress; every array has one entry per applicant unless it says otherwise.

    `numbers` holds cost, threshold of the rival, pulls so far.
    """

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
    numbers: FloatArray


@compiled
def keep(value: float) -> float:
    """Round to nine digits, half to even, as `numpy.round` does."""
    kept: float = np.rint(value * KEPT) / KEPT
    return kept


@compiled
def spread_of(fixed: RunConstants, information: float, n: int) -> float:
    """Give the radius; that of the paper without the factor that depends on the cost."""
    if fixed.radius == PAPER:
        return fixed.sigma / math.sqrt(information)
    shifted = information + fixed.rho
    log_term = math.log(n / (2 * fixed.delta) * math.sqrt(shifted / fixed.rho) + 1)
    return fixed.sigma * math.sqrt(2 * shifted * log_term) / information


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
    """Give the size-th largest value and the next one, by counting into equal buckets.

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


@compiled
def _around(values: FloatArray, threshold: float, lower: bool) -> tuple[float, float]:
    """Give the two values next below the threshold, or next above it, the larger first."""
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


@compiled
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


@compiled
def choose_cohort(fixed: RunConstants, run: Run) -> None:
    """Find the cohort under the means from nothing."""
    if fixed.groups:
        sort_groups(run.mean, run.by_mean)
        mark_diverse(run.mean, run.by_mean, fixed.size, run.member)
    else:
        mark_largest(run.mean, fixed.size, np.inf, run.member)


@compiled
def look(fixed: RunConstants, run: Run) -> tuple[int, int]:
    """Do lines 5 to 16 of Algorithm 1.

    Returns:
        The applicant whose turn it is, -1 when settled; and how many are contested.
    """
    n = run.mean.size
    factor = 1.0
    if fixed.radius == PAPER:
        factor = math.sqrt(2 * math.log(4 * n * max(run.numbers[0], 1.0) ** 3 / fixed.delta))
    for arm in range(n):
        radius = run.spread[arm] * factor
        utility = run.mean[arm] - radius if run.member[arm] else run.mean[arm] + radius
        run.worst[arm] = utility if fixed.radius == PAPER else keep(utility)
    if fixed.groups:
        sort_groups(run.worst, run.by_worst)
        mark_diverse(run.worst, run.by_worst, fixed.size, run.rival)
    else:
        run.numbers[1] = mark_largest(run.worst, fixed.size, run.numbers[1], run.rival)

    contested, chosen, largest = 0, -1, -1.0
    for arm in range(n):
        if run.member[arm] != run.rival[arm]:
            contested += 1
            radius = run.spread[arm] * factor
            if fixed.radius != PAPER:
                radius = keep(radius)
            if radius > largest:
                chosen, largest = arm, radius
    if chosen >= 0 and _gap(fixed, run, factor) <= fixed.tolerance:
        return -1, contested
    return chosen, contested


@compiled
def _gap(fixed: RunConstants, run: Run, factor: float) -> float:
    """Give what the rival gains over the cohort, on utilities that are not rounded."""
    if fixed.groups:
        if fixed.radius != PAPER:
            for arm in range(run.mean.size):
                radius = run.spread[arm] * factor
                run.worst[arm] = run.mean[arm] + (-radius if run.member[arm] else radius)
        ahead = value_of(fixed, run, run.worst, run.rival)
        gap: float = ahead - value_of(fixed, run, run.worst, run.member)
        return gap
    gap = 0.0
    for arm in range(run.mean.size):
        if run.member[arm] != run.rival[arm]:
            radius = run.spread[arm] * factor
            if run.member[arm]:
                gap -= run.mean[arm] - radius
            else:
                gap += run.mean[arm] + radius
    return gap


@compiled
def excess_of(fixed: RunConstants, run: Run, inside: int, outside: int) -> float:
    """Give by how much an outsider may yet beat a member."""
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


@compiled
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


@compiled
def by_need(fixed: RunConstants, run: Run, arm: int) -> bool:
    """Say whether the applicant needs so much information that a strong pull is cheaper."""
    if not fixed.gain > fixed.cost:
        return False
    last, after = np.inf, -np.inf
    for other in range(run.mean.size):
        if run.member[other]:
            last = min(last, run.mean[other])
        else:
            after = max(after, run.mean[other])
    loss = run.mean[arm] - after if run.member[arm] else last - run.mean[arm]
    distance = loss - (last - after) / 2
    if distance <= 0:
        return True
    mixture = run.spread[arm]
    needed = run.information[arm] * ((mixture / distance) ** 2 - 1)
    return bool(needed >= fixed.cost)


@compiled
def fold(fixed: RunConstants, run: Run, arm: int, strong: bool, reward: float) -> None:
    """Count a reward, and put the cohort right."""
    gain = fixed.gain if strong else 1.0
    before = run.information[arm]
    run.mean[arm] = (run.mean[arm] * before + gain * reward) / (before + gain)
    run.information[arm] = before + gain
    run.spread[arm] = spread_of(fixed, before + gain, run.mean.size)
    run.pulls[arm] += 1
    run.numbers[0] += fixed.cost if strong else 1.0
    run.numbers[2] += 1
    if fixed.groups:
        sort_groups(run.mean, run.by_mean)
        mark_diverse(run.mean, run.by_mean, fixed.size, run.member)
        return
    other = _exchanged(run, arm)
    if other >= 0:
        run.member[arm] = not run.member[arm]
        run.member[other] = not run.member[other]
    if fixed.radius == PAIRWISE:
        fill_excess(fixed, run, arm if other < 0 else -1)


@compiled
def _exchanged(run: Run, arm: int) -> int:
    """Find who changes places with the applicant whose mean has changed, -1 if nobody."""
    mean, inside, other = run.mean[arm], run.member[arm], -1
    for candidate in range(run.mean.size):
        if run.member[candidate] == inside:
            continue
        value = run.mean[candidate]
        if (
            other < 0
            or (inside and value > run.mean[other])
            or (not inside and value <= run.mean[other])
        ):
            other = candidate
    if other < 0:
        return -1
    value = run.mean[other]
    if inside:
        changes = value > mean or (value == mean and other < arm)
    else:
        changes = mean > value or (mean == value and arm < other)
    return other if changes else -1


@compiled
def begin(fixed: RunConstants, run: Run) -> None:
    """Set everything up from the first looks, which stand in `mean`."""
    n = run.mean.size
    run.information[:] = 1.0
    run.pulls[:] = 1
    for arm in range(n):
        run.spread[arm] = spread_of(fixed, 1.0, n)
    run.numbers[0], run.numbers[1], run.numbers[2] = float(n), np.inf, 0.0
    choose_cohort(fixed, run)
    if fixed.radius == PAIRWISE:
        fill_excess(fixed, run, -1)


@compiled
def decide(
    fixed: RunConstants, run: Run, mean: FloatArray, information: FloatArray, cost: float
) -> int:
    """Look once, from nothing; give whose turn it is, -1 when settled. The cohort is in `run`."""
    for arm in range(mean.size):
        run.mean[arm], run.information[arm] = mean[arm], information[arm]
        run.spread[arm] = spread_of(fixed, information[arm], mean.size)
    run.numbers[0], run.numbers[1] = cost, np.inf
    choose_cohort(fixed, run)
    if fixed.radius == PAIRWISE:
        fill_excess(fixed, run, -1)
    return next_pull(fixed, run)[0]


@compiled
def next_pull(fixed: RunConstants, run: Run) -> tuple[int, int]:
    """Look by whichever radius the rule has."""
    if fixed.radius == PAIRWISE:
        return look_at_pairs(fixed, run)
    return look(fixed, run)


@compiled
def is_strong(fixed: RunConstants, run: Run, arm: int, contested: int, coin: float) -> bool:
    """Choose the kind."""
    if fixed.manner == NEED:
        return by_need(fixed, run, arm)
    alpha = fixed.alpha
    if fixed.manner == SYMDIFF:
        alpha *= 1 - contested / (2 * fixed.size)
    return alpha > coin


@compiled
def whole_run(fixed: RunConstants, run: Run, number: int) -> bool:
    """Make a run from its first looks to its end; gives whether the rule stopped it."""
    for arm in range(run.mean.size):
        words = scramble(number, arm, 0, 0, fixed.low, fixed.high)
        noise = normal_quantile(to_uniform(words[0], words[1]))
        run.mean[arm] = run.truth[arm] + fixed.weak_deviation * noise
    begin(fixed, run)
    for _ in range(fixed.max_steps):
        arm, contested = next_pull(fixed, run)
        if arm < 0:
            return True
        if run.numbers[0] >= fixed.budget:
            return False
        words = scramble(number, arm, run.pulls[arm], 0, fixed.low, fixed.high)
        strong = is_strong(fixed, run, arm, contested, to_uniform(words[2], words[3]))
        deviation = fixed.strong_deviation if strong else fixed.weak_deviation
        noise = normal_quantile(to_uniform(words[0], words[1]))
        fold(fixed, run, arm, strong, run.truth[arm] + deviation * noise)
    return False


@compiled
def whole_runs(
    fixed: RunConstants, run: Run, truths: FloatArray, numbers: IntArray, out: Any
) -> None:
    """Make runs one after the other, and write down how each ended."""
    cohort, cost, pulls, stopped, mean, information = out
    for row in range(numbers.size):
        run.truth[:] = truths[row % truths.shape[0]]
        stopped[row] = whole_run(fixed, run, numbers[row])
        cohort[row] = run.member
        cost[row] = run.numbers[0]
        pulls[row] = int(run.numbers[2])
        mean[row] = run.mean
        information[row] = run.information
