"""The rules `paper` and `certified` as compiled loops, one run after the other; needs numba.

`simulate.py` is the way in. The same steps as `bandit`'s rules, on scalars: tests hold both
against each other step by step. What is kept from step to step (a threshold, sorted groups, a
table of pairs) only saves work; where it does not fit any more it is made anew. Numbers are drawn
some pulls ahead, by their addresses as in `random_numbers.py`, so both give the same bits.
"""

import math
from typing import Any

import numpy as np

from swapflow.bandit.situation import BoolArray, FloatArray, IntArray
from swapflow.experiments.kernel.compiled_cohorts import (
    mark_diverse,
    mark_largest,
    sort_groups,
    value_of,
)
from swapflow.experiments.kernel.compiled_numbers import (
    bare,
    compiled,
    draw_uniforms,
    inlined,
    normal_quantiles,
)
from swapflow.experiments.kernel.compiled_pairs import fill_excess, keep, look_at_pairs
from swapflow.experiments.kernel.quick_look import (
    UNSURE,
    extremes,
    paper_factor,
    quick_look,
)
from swapflow.experiments.kernel.run_state import (
    AHEAD,
    BEST,
    COST,
    LEAST,
    MEAN,
    NEED,
    ORDER,
    PAIRWISE,
    PAPER,
    PLACES,
    PULLS,
    SPREAD,
    SYMDIFF,
    THRESHOLD,
    Run,
    RunConstants,
)
from swapflow.experiments.kernel.vector_operations import either


@inlined
def spread_of(fixed: RunConstants, information: float, n: int) -> float:
    """Return the radius; that of the paper without the factor that depends on the cost."""
    if fixed.radius == PAPER:
        return fixed.sigma / math.sqrt(information)
    shifted = information + fixed.rho
    log_term = math.log(n / (2 * fixed.delta) * math.sqrt(shifted / fixed.rho) + 1)
    return fixed.sigma * math.sqrt(2 * shifted * log_term) / information


@bare
def choose_cohort(fixed: RunConstants, run: Run) -> None:
    """Find the cohort under the means from nothing."""
    if fixed.groups:
        sort_groups(run.mean, run.by_mean)
        mark_diverse(run.mean, run.by_mean, fixed.size, run.member)
    else:
        mark_largest(run.mean, fixed.size, np.inf, run.member)
    sign_spreads(run)
    if fixed.quick:
        run.numbers[LEAST], run.numbers[BEST] = extremes(run.table)


@bare
def sign_spreads(run: Run) -> None:
    """Mark members in the spreads too."""
    for arm in range(run.mean.size):
        spread = abs(run.spread[arm])
        run.spread[arm] = -spread if run.member[arm] else spread


@bare
def look(fixed: RunConstants, run: Run) -> tuple[int, int]:
    """Do lines 5 to 16 of Algorithm 1.

    Returns:
        The applicant whose turn it is, -1 when settled; and how many are contested.
    """
    n = run.mean.size
    factor = 1.0
    if fixed.radius == PAPER:
        factor = paper_factor(run.numbers[COST], n, fixed.delta)
    for arm in range(n):
        utility = run.mean[arm] + run.spread[arm] * factor
        run.worst[arm] = utility if fixed.radius == PAPER else keep(utility)
    if fixed.groups:
        sort_groups(run.worst, run.by_worst)
        mark_diverse(run.worst, run.by_worst, fixed.size, run.rival)
    else:
        run.numbers[THRESHOLD] = mark_largest(
            run.worst, fixed.size, run.numbers[THRESHOLD], run.rival
        )

    contested, chosen, largest = 0, -1, -1.0
    for arm in range(n):
        if run.member[arm] != run.rival[arm]:
            contested += 1
            radius = abs(run.spread[arm]) * factor
            if fixed.radius != PAPER:
                radius = keep(radius)
            if radius > largest:
                chosen, largest = arm, radius
    if chosen >= 0 and _gap(fixed, run, factor) <= fixed.tolerance:
        return -1, contested
    return chosen, contested


@bare
def _gap(fixed: RunConstants, run: Run, factor: float) -> float:
    """Return what the rival gains over the cohort, on utilities that are not rounded."""
    if fixed.groups:
        if fixed.radius != PAPER:
            for arm in range(run.mean.size):
                run.worst[arm] = run.mean[arm] + run.spread[arm] * factor
        ahead = value_of(fixed, run, run.worst, run.rival)
        gap: float = ahead - value_of(fixed, run, run.worst, run.member)
        return gap
    gap = 0.0
    for arm in range(run.mean.size):
        if run.member[arm] != run.rival[arm]:
            utility = run.mean[arm] + run.spread[arm] * factor
            gap += -utility if run.member[arm] else utility
    return gap


@bare
def by_need(fixed: RunConstants, run: Run, arm: int) -> bool:
    """Check whether the applicant needs that much information that a strong pull is cheaper."""
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


@bare
def fold(fixed: RunConstants, run: Run, arm: int, strong: bool, reward: float) -> None:
    """Count a reward, and put the cohort right."""
    old = count_reward(fixed, run.table, run.information, run.numbers, arm, strong, reward)
    if fixed.quick:
        keep_cohort(run.table, run.member, run.numbers, arm, old)
    else:
        mend_cohort(fixed, run, arm)


@inlined
def count_reward(
    fixed: RunConstants,
    table: FloatArray,
    information: FloatArray,
    numbers: FloatArray,
    arm: int,
    strong: bool,
    reward: float,
) -> float:
    """Count a reward, and nothing else; returns what the mean was before."""
    # Not as branches: nobody could guess which way a coin falls.
    gain = either(strong, fixed.gain, 1.0)
    before, old = information[arm], table[MEAN, arm]
    after = before + gain
    information[arm] = after
    table[MEAN, arm] = (old * before + gain * reward) / after
    spread = spread_of(fixed, after, information.size)
    table[SPREAD, arm] = either(table[SPREAD, arm] < 0.0, -spread, spread)
    table[ORDER, arm] = after * PLACES + arm if fixed.whole else -spread
    numbers[COST] += either(strong, fixed.cost, 1.0)
    numbers[PULLS] += 1
    return float(old)


@inlined
def keep_cohort(
    table: FloatArray, member: BoolArray, numbers: FloatArray, arm: int, old: float
) -> None:
    """Put the cohort right where the least member and the best outsider are known."""
    least, best, mean = numbers[LEAST], numbers[BEST], table[MEAN, arm]
    inside = table[SPREAD, arm] < 0.0
    if mean <= best if inside else mean >= least:
        exchange(table, member, arm)
    elif old != (least if inside else best):
        # Nobody has changed places, and the one at the border was another one.
        numbers[LEAST] = min(least, mean) if inside else least
        numbers[BEST] = best if inside else max(best, mean)
        return
    numbers[LEAST], numbers[BEST] = extremes(table)


@bare
def mend_cohort(fixed: RunConstants, run: Run, arm: int) -> None:
    """Put the cohort right."""
    if fixed.groups:
        sort_groups(run.mean, run.by_mean)
        mark_diverse(run.mean, run.by_mean, fixed.size, run.member)
        sign_spreads(run)
        return
    changed = exchange(run.table, run.member, arm)
    if fixed.radius == PAIRWISE:
        fill_excess(fixed, run, -1 if changed else arm)


@bare
def exchange(table: FloatArray, member: BoolArray, arm: int) -> bool:
    """Swap the applicant whose mean has changed with another; False if with none."""
    mean, inside, other = table[MEAN, arm], member[arm], -1
    for candidate in range(member.size):
        if member[candidate] == inside:
            continue
        value = table[MEAN, candidate]
        if (
            other < 0
            or (inside and value > table[MEAN, other])
            or (not inside and value <= table[MEAN, other])
        ):
            other = candidate
    if other < 0:
        return False
    value = table[MEAN, other]
    if inside:
        changes = value > mean or (value == mean and other < arm)
    else:
        changes = mean > value or (mean == value and arm < other)
    if changes:
        for moved in (arm, other):
            member[moved] = not member[moved]
            table[SPREAD, moved] = -table[SPREAD, moved]
    return bool(changes)


@bare
def begin(fixed: RunConstants, run: Run) -> None:
    """Set everything up from the first looks, which stand in `mean`."""
    n = run.mean.size
    run.information[:] = 1.0
    run.pulls[:] = 1
    for arm in range(n):
        run.spread[arm] = spread_of(fixed, 1.0, n)
        run.table[ORDER, arm] = PLACES + arm if fixed.whole else -run.spread[arm]
    run.numbers[COST], run.numbers[THRESHOLD], run.numbers[PULLS] = float(n), np.inf, 0.0
    choose_cohort(fixed, run)
    if fixed.radius == PAIRWISE:
        fill_excess(fixed, run, -1)


@bare
def decide(
    fixed: RunConstants, run: Run, mean: FloatArray, information: FloatArray, cost: float
) -> int:
    """Look once, from nothing; give whose turn it is, -1 when settled. The cohort is in `run`."""
    for arm in range(mean.size):
        run.mean[arm], run.information[arm] = mean[arm], information[arm]
        run.spread[arm] = spread_of(fixed, information[arm], mean.size)
    run.numbers[COST], run.numbers[THRESHOLD] = cost, np.inf
    choose_cohort(fixed, run)
    if fixed.radius == PAIRWISE:
        fill_excess(fixed, run, -1)
        return look_at_pairs(fixed, run)[0]
    return look(fixed, run)[0]


@bare
def next_pull(fixed: RunConstants, run: Run) -> tuple[int, int]:
    """Find whose turn it is, -1 when settled; and how many are contested, where that matters."""
    arm = UNSURE
    if fixed.quick:
        arm = look_quickly(fixed, run.table, run.numbers, run.mean.size)
    return look_closely(fixed, run) if arm == UNSURE else (arm, 1)


@bare
def look_closely(fixed: RunConstants, run: Run) -> tuple[int, int]:
    """Look by whichever radius the rule has."""
    if fixed.radius == PAIRWISE:
        return look_at_pairs(fixed, run)
    return look(fixed, run)


@inlined
def look_quickly(fixed: RunConstants, table: FloatArray, numbers: FloatArray, n: int) -> int:
    """Find whose turn it is under the paper's radius, or that it takes a closer look."""
    factor = paper_factor(numbers[COST], n, fixed.delta)
    arm, numbers[THRESHOLD] = quick_look(
        table, factor, numbers[THRESHOLD], fixed.size, fixed.tolerance, fixed.whole
    )
    return int(arm)


@bare
def is_strong(fixed: RunConstants, run: Run, arm: int, contested: int, coin: float) -> bool:
    """Choose the kind."""
    if fixed.manner == NEED:
        return by_need(fixed, run, arm)
    return by_coin(fixed, contested, coin)


@inlined
def by_coin(fixed: RunConstants, contested: int, coin: float) -> bool:
    """Check whether the coin falls on a strong pull."""
    alpha = fixed.alpha
    if fixed.manner == SYMDIFF:
        alpha *= 1 - contested / (2 * fixed.size)
    return alpha > coin


@inlined
def draw(
    fixed: RunConstants, ahead: FloatArray, pulls: IntArray, number: int, arm: int
) -> tuple[float, float]:
    """Return noise and coin of an applicant's next pull, drawn a row ahead."""
    pull = pulls[arm]
    at = (pull - 1) & (AHEAD - 1)
    if at == 0:
        chance = ahead[0, pulls.size]
        draw_uniforms(number, arm, pull, 0, fixed.low, fixed.high, chance, ahead[1, arm])
        normal_quantiles(chance, ahead[0, arm])
    pulls[arm] = pull + 1
    return ahead[0, arm, at], ahead[1, arm, at]


@bare
def first_looks(fixed: RunConstants, run: Run, number: int) -> None:
    """Draw everybody's first mark."""
    draw_uniforms(number, 0, 0, 1, fixed.low, fixed.high, run.worst, run.spread)
    normal_quantiles(run.worst, run.mean)
    for arm in range(run.mean.size):
        run.mean[arm] = run.truth[arm] + fixed.weak_deviation * run.mean[arm]


@bare
def whole_run(fixed: RunConstants, run: Run, number: int) -> bool:
    """Make a run from its first looks to its end; returns whether the rule stopped it."""
    first_looks(fixed, run, number)
    begin(fixed, run)
    # Named once, for numba counts references at every look into a tuple, and hands a whole one
    # over at every call: that takes longer than all the rest of a quick pull.
    table, truth, information, member = run.table, run.truth, run.information, run.member
    pulls, ahead, numbers = run.pulls, run.ahead, run.numbers
    for _ in range(fixed.max_steps):
        arm, contested = UNSURE, 1
        if fixed.quick:
            arm = look_quickly(fixed, table, numbers, truth.size)
        if arm == UNSURE:
            arm, contested = look_closely(fixed, run)
        if arm < 0:
            return True
        if numbers[COST] >= fixed.budget:
            return False
        noise, coin = draw(fixed, ahead, pulls, number, arm)
        if fixed.manner == NEED:
            strong = by_need(fixed, run, arm)
        else:
            strong = by_coin(fixed, contested, coin)
        deviation = either(strong, fixed.strong_deviation, fixed.weak_deviation)
        reward = truth[arm] + deviation * noise
        old = count_reward(fixed, table, information, numbers, arm, strong, reward)
        if fixed.quick:
            keep_cohort(table, member, numbers, arm, old)
        else:
            mend_cohort(fixed, run, arm)
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
        cost[row] = run.numbers[COST]
        pulls[row] = int(run.numbers[PULLS])
        mean[row] = run.mean
        information[row] = run.information
