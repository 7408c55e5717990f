"""The paper's rule with top-k as one compiled loop over many runs in lockstep; needs numba.

The same decisions as `compiled.py`, several times faster. Three things make it so:

    few are looked at   Where there are many, only the members and the outsiders near the border,
                        until the radii have grown so far, or the border has sunk so low, that
                        others might count: then the near ones are chosen anew (`_choose_near`).
    no branches         A look is two plain passes over their row, which the compiler turns into
                        vector instructions; a threshold from the last look says who is in.
    drawn together      Runs take turns step by step, and the random numbers of all their next
                        pulls are drawn side by side, long before they are needed.

Whatever is out of the ordinary (equal values at the border, a means' tie) goes the slow way.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from swapflow.bandit.situation import BoolArray, FloatArray, IntArray
from swapflow.studies.compiled import (
    Fixed,
    compiled,
    mark_largest,
    normal_quantile,
    scramble,
    to_uniform,
    vectorised,
)


LANES = 16
"""Runs in lockstep: enough to keep the processor busy, few enough for its nearest cache."""

FARTHER = 1.3
"""By how much the cost may grow before the near ones are chosen anew."""

ALL_NEAR = 64
"""Up to so many applicants all of them are near: choosing would cost more than it saves."""

BIG = 1e300


class Lanes(NamedTuple):
    """The runs in progress, one row for each lane.

    `numbers` holds, by column: cost, threshold, factor up to which the near ones serve, least
    threshold at which they do, best mean among those that are not near, margin, least mean of a
    member, best mean of an outsider.
    """

    mean: FloatArray
    information: FloatArray
    member: BoolArray
    pulls: IntArray
    noise: FloatArray
    coin: FloatArray
    near_mean: FloatArray
    near_spread: FloatArray
    near: IntArray
    counts: IntArray
    numbers: FloatArray
    run: IntArray
    row: IntArray
    truth: FloatArray


COST, THRESHOLD, REACH, FLOOR, FAR_MEAN, MARGIN, LEAST, BEST = range(8)


class Scratch(NamedTuple):
    """Room for one look."""

    worst: FloatArray
    key: FloatArray
    bits: IntArray
    full: FloatArray
    rival: BoolArray


SETTLED, TIED = -1, -2
"""In place of a place: nobody is contested; equal values at the border need a closer look."""


@compiled
def factor_of(fixed: Fixed, cost: float, n: int) -> float:
    """Give the part of the paper's radius that depends on the cost."""
    return math.sqrt(2 * math.log(4 * n * max(cost, 1.0) ** 3 / fixed.delta))


@compiled
def _draw_next(fixed: Fixed, lanes: Lanes, lane: int, arm: int) -> None:
    """Draw an applicant's next noise and coin ahead of time."""
    words = scramble(lanes.run[lane], arm, lanes.pulls[lane, arm], 0, fixed.low, fixed.high)
    lanes.noise[lane, arm] = normal_quantile(to_uniform(words[0], words[1]))
    lanes.coin[lane, arm] = to_uniform(words[2], words[3])


@compiled
def _start(fixed: Fixed, lanes: Lanes, lane: int, scratch: Scratch) -> None:
    """Give everybody a first look."""
    n = lanes.mean.shape[1]
    truth = lanes.truth[lanes.row[lane] % lanes.truth.shape[0]]
    for arm in range(n):
        lanes.pulls[lane, arm] = 0
        _draw_next(fixed, lanes, lane, arm)
        lanes.mean[lane, arm] = truth[arm] + fixed.weak_deviation * lanes.noise[lane, arm]
        lanes.pulls[lane, arm] = 1
        _draw_next(fixed, lanes, lane, arm)
        lanes.information[lane, arm] = 1.0
    mark_largest(lanes.mean[lane], fixed.size, np.inf, lanes.member[lane])
    lanes.numbers[lane, COST] = n
    lanes.numbers[lane, THRESHOLD] = np.inf
    lanes.numbers[lane, MARGIN] = fixed.sigma / 4 if n > ALL_NEAR else np.inf
    _choose_near(fixed, lanes, lane, scratch)


@compiled
def _choose_near(fixed: Fixed, lanes: Lanes, lane: int, scratch: Scratch) -> None:
    """List the members and the outsiders near the border, in the order of their indices."""
    n = lanes.mean.shape[1]
    numbers = lanes.numbers[lane]
    now = factor_of(fixed, numbers[COST], n)
    later = factor_of(fixed, numbers[COST] * FARTHER + 8, n)
    for arm in range(n):
        radius = now * (fixed.sigma / math.sqrt(lanes.information[lane, arm]))
        mean = lanes.mean[lane, arm]
        scratch.full[arm] = mean - radius if lanes.member[lane, arm] else mean + radius
    numbers[THRESHOLD] = mark_largest(scratch.full, fixed.size, numbers[THRESHOLD], scratch.rival)
    floor = numbers[THRESHOLD] - numbers[MARGIN]
    numbers[REACH] = later if floor > -np.inf else np.inf
    numbers[FLOOR], numbers[FAR_MEAN] = floor, -np.inf
    count = 0
    for arm in range(n):
        mean = lanes.mean[lane, arm]
        spread = fixed.sigma / math.sqrt(lanes.information[lane, arm])
        inside = lanes.member[lane, arm]
        if not inside and mean + later * spread <= floor:
            numbers[FAR_MEAN] = max(numbers[FAR_MEAN], mean)
            continue
        lanes.near_mean[lane, count] = mean
        lanes.near_spread[lane, count] = -spread if inside else spread
        lanes.near[lane, count] = arm
        count += 1
    if count > 3 * fixed.size + 8:
        numbers[MARGIN] *= 0.8
    elif count < 2 * fixed.size + 6:
        numbers[MARGIN] *= 1.25
    # Whole vectors only: what fills the last one lies too low for anybody's list.
    padded = (count + 7) // 8 * 8
    for place in range(count, padded):
        lanes.near_mean[lane, place] = -BIG
        lanes.near_spread[lane, place] = 0.0
    lanes.counts[lane] = padded
    _find_extremes(lanes.near_mean, lanes.near_spread, lanes.numbers, lane, padded)


@compiled
def _find_extremes(
    near_mean: FloatArray, near_spread: FloatArray, state: FloatArray, lane: int, count: int
) -> None:
    """Find the least mean of a member and the best of an outsider."""
    least, best = np.inf, state[lane, FAR_MEAN]
    for place in range(count):
        mean = near_mean[lane, place]
        inside = near_spread[lane, place] < 0
        least = min(least, mean if inside else np.inf)
        best = max(best, -np.inf if inside else mean)
    state[lane, LEAST], state[lane, BEST] = least, best


@compiled
def _exchange(
    near_mean: FloatArray,
    near_spread: FloatArray,
    near: IntArray,
    member: BoolArray,
    state: FloatArray,
    lane: int,
    count: int,
    place: int,
) -> bool:
    """Let whoever was pulled change places with the next one; False if that one is not near."""
    inside, mean = near_spread[lane, place] < 0, near_mean[lane, place]
    if inside and state[lane, FAR_MEAN] >= mean:
        return False
    other = -1
    for candidate in range(count):
        spread = near_spread[lane, candidate]
        if spread == 0.0 or (spread < 0) == inside:
            continue
        value = near_mean[lane, candidate]
        if other < 0:
            other = candidate
        elif inside and value > near_mean[lane, other]:
            other = candidate
        elif not inside and value <= near_mean[lane, other]:
            other = candidate
    if other >= 0:
        value = near_mean[lane, other]
        ahead = value > mean if inside else mean > value
        first, second = (other, place) if inside else (place, other)
        if ahead or (value == mean and near[lane, first] < near[lane, second]):
            near_spread[lane, place] = -near_spread[lane, place]
            near_spread[lane, other] = -near_spread[lane, other]
            member[lane, near[lane, place]] = not inside
            member[lane, near[lane, other]] = inside
    _find_extremes(near_mean, near_spread, state, lane, count)
    return True


@vectorised
def _pass(
    near_mean: FloatArray,
    near_spread: FloatArray,
    lane: int,
    count: int,
    factor: float,
    threshold: float,
    worst: FloatArray,
    key: FloatArray,
) -> int:
    """Value everybody near in the worst case; count who lies above, mark who is contested."""
    above = 0
    for place in range(count):
        spread = near_spread[lane, place]
        utility = near_mean[lane, place] + factor * spread
        worst[place] = utility
        in_rival = utility > threshold
        above += in_rival
        key[place] = abs(spread) if in_rival != (spread < 0.0) else 0.0
    return above


@vectorised
def _largest_bits(bits: IntArray, count: int) -> int:
    """Give the largest of some numbers that are not negative, by their bits."""
    largest = 0
    for place in range(count):
        value = bits[place]
        largest = max(largest, value)
    return largest


@vectorised
def _below(worst: FloatArray, count: int, threshold: float, key: FloatArray) -> None:
    """Write down how far below the threshold everybody lies; far for those above."""
    for place in range(count):
        distance = threshold - worst[place]
        key[place] = distance if distance >= 0.0 else BIG


@vectorised
def _above(worst: FloatArray, count: int, threshold: float, key: FloatArray) -> None:
    """Write down how far above the threshold everybody lies; far for those below."""
    for place in range(count):
        distance = worst[place] - threshold
        key[place] = distance if distance > 0.0 else BIG


@vectorised
def _beyond(key: FloatArray, count: int, nearest: float) -> None:
    """Forget the nearest."""
    for place in range(count):
        key[place] = key[place] if key[place] > nearest else BIG


@vectorised
def _smallest_bits(bits: IntArray, count: int) -> int:
    """Give the smallest of some numbers that are not negative, by their bits."""
    smallest: int = bits[0]
    for place in range(1, count):
        value = bits[place]
        smallest = min(smallest, value)
    return smallest


@compiled
def _middle(key: FloatArray, bits: IntArray, count: int) -> float:
    """Give the middle between the two smallest of some distances; `BIG` if there is no second."""
    smallest = _smallest_bits(bits, count)
    first, second = BIG, BIG
    for place in range(count):
        if bits[place] == smallest:
            first = key[place]
            break
    _beyond(key, count, first)
    smallest = _smallest_bits(bits, count)
    for place in range(count):
        if bits[place] == smallest:
            second = key[place]
            break
    return first + (second - first) / 2 if second < BIG else BIG


@compiled
def _mended(
    threshold: float, missing: int, worst: FloatArray, key: FloatArray, bits: IntArray, count: int
) -> float:
    """Move the threshold past the one who has crossed it; -inf if it is not that simple."""
    if missing == 1:
        _below(worst, count, threshold, key)
        return threshold - _middle(key, bits, count)
    if missing == -1:
        _above(worst, count, threshold, key)
        step = _middle(key, bits, count)
        return threshold + step if step < BIG else -np.inf
    return -np.inf


@vectorised
def _draw_many(
    run: IntArray,
    turn: IntArray,
    pulls: IntArray,
    low: int,
    high: int,
    chance: FloatArray,
    coin: FloatArray,
) -> None:
    """Draw the next noise's chance and coin of whoever has just been pulled in each lane."""
    for lane in range(turn.size):
        words = scramble(run[lane], turn[lane], pulls[lane], 0, low, high)
        chance[lane] = to_uniform(words[0], words[1])
        coin[lane] = to_uniform(words[2], words[3])


@compiled
def _look_slowly(fixed: Fixed, lanes: Lanes, lane: int, scratch: Scratch) -> int:
    """Look at everybody, ties and all; give an applicant, or -1 when settled."""
    n = lanes.mean.shape[1]
    factor = factor_of(fixed, lanes.numbers[lane, COST], n)
    for arm in range(n):
        radius = factor * (fixed.sigma / math.sqrt(lanes.information[lane, arm]))
        mean = lanes.mean[lane, arm]
        scratch.full[arm] = mean - radius if lanes.member[lane, arm] else mean + radius
    mark_largest(scratch.full, fixed.size, np.inf, scratch.rival)
    chosen, gap, largest = -1, 0.0, -1.0
    for arm in range(n):
        if scratch.rival[arm] == lanes.member[lane, arm]:
            continue
        gap += scratch.full[arm] if scratch.rival[arm] else -scratch.full[arm]
        spread = fixed.sigma / math.sqrt(lanes.information[lane, arm])
        if spread > largest:
            chosen, largest = arm, spread
    return chosen if chosen >= 0 and gap > fixed.tolerance else -1


@compiled
def _finish(lanes: Lanes, lane: int, pulls: int, stopped: bool, out: Any) -> None:
    """Write down how a run ended."""
    row = lanes.row[lane]
    out[0][row] = lanes.member[lane]
    out[1][row] = lanes.numbers[lane, COST]
    out[2][row] = pulls
    out[3][row] = stopped
    out[4][row] = lanes.mean[lane]
    out[5][row] = lanes.information[lane]


@compiled
def run_all(
    fixed: Fixed,
    lanes: Lanes,
    scratch: Scratch,
    numbers: IntArray,
    steps: IntArray,
    out: Any,
) -> None:
    """Make all runs; a lane whose run has ended takes the next one."""
    # Named once, for numba counts references at every look into a tuple; and in one piece, for
    # every call would hand all these arrays over.
    mean, information, member, pulls = lanes.mean, lanes.information, lanes.member, lanes.pulls
    noise, coin, near_mean, near_spread = (
        lanes.noise,
        lanes.coin,
        lanes.near_mean,
        lanes.near_spread,
    )
    near, counts, state, truth = lanes.near, lanes.counts, lanes.numbers, lanes.truth
    worst, key, bits = scratch.worst, scratch.key, scratch.bits
    width, n = mean.shape
    turn, given = np.zeros(width, np.int64), np.zeros(width, np.int64)
    chance, flipped = np.zeros(width), np.zeros(width)
    waiting, working = 0, 0
    for lane in range(width):
        steps[lane] = -1
        if waiting < numbers.size:
            lanes.run[lane], lanes.row[lane] = numbers[waiting], waiting
            _start(fixed, lanes, lane, scratch)
            steps[lane] = 0
            waiting, working = waiting + 1, working + 1
    while working:
        for lane in range(width):
            if steps[lane] < 0:
                continue
            place, arm = TIED, -1
            if steps[lane] < fixed.max_steps:
                # Lines 5 to 16: who is contested, and who of them is least known.
                factor = math.sqrt(
                    2 * math.log(4 * n * max(state[lane, COST], 1.0) ** 3 / fixed.delta)
                )
                if factor > state[lane, REACH]:
                    _choose_near(fixed, lanes, lane, scratch)
                for attempt in range(3):
                    count, threshold = counts[lane], state[lane, THRESHOLD]
                    above = _pass(
                        near_mean, near_spread, lane, count, factor, threshold, worst, key
                    )
                    if above == fixed.size and threshold >= state[lane, FLOOR]:
                        largest = _largest_bits(bits, count)
                        place = SETTLED
                        if largest:
                            place = 0
                            while bits[place] != largest:
                                place += 1
                        break
                    mended = -np.inf
                    if attempt == 0:
                        mended = _mended(threshold, fixed.size - above, worst, key, bits, count)
                    if mended >= state[lane, FLOOR] and mended > -np.inf:
                        state[lane, THRESHOLD] = mended
                    else:
                        _choose_near(fixed, lanes, lane, scratch)
                if place >= 0:
                    arm = near[lane, place]
                    if fixed.tolerance > 0.0:
                        gap = 0.0
                        for other in range(count):
                            if key[other] > 0.0:
                                inside = near_spread[lane, other] < 0
                                gap += -worst[other] if inside else worst[other]
                        if gap <= fixed.tolerance:
                            arm = -1
                elif place == TIED:
                    arm = _look_slowly(fixed, lanes, lane, scratch)
            if arm < 0 or state[lane, COST] >= fixed.budget:
                stopped = arm < 0 and steps[lane] < fixed.max_steps
                _finish(lanes, lane, steps[lane], stopped, out)
                steps[lane] = -1
                working -= 1
                if waiting < numbers.size:
                    lanes.run[lane], lanes.row[lane] = numbers[waiting], waiting
                    _start(fixed, lanes, lane, scratch)
                    steps[lane] = 0
                    waiting, working = waiting + 1, working + 1
                turn[lane] = 0
                given[lane] = pulls[lane, 0]
                continue

            # Lines 17 to 28: pull, and fold the reward in.
            steps[lane] += 1
            strong = fixed.alpha > coin[lane, arm]
            gain = fixed.gain if strong else 1.0
            deviation = fixed.strong_deviation if strong else fixed.weak_deviation
            reward = truth[lanes.row[lane] % truth.shape[0], arm] + deviation * noise[lane, arm]
            before, old = information[lane, arm], mean[lane, arm]
            after = before + gain
            new = (old * before + gain * reward) / after
            mean[lane, arm], information[lane, arm] = new, after
            pulls[lane, arm] += 1
            turn[lane], given[lane] = arm, pulls[lane, arm]
            state[lane, COST] += fixed.cost if strong else 1.0
            inside = member[lane, arm]
            changed = new <= state[lane, BEST] if inside else new >= state[lane, LEAST]
            if changed or place < 0:
                spread = fixed.sigma / math.sqrt(after)
                if place >= 0:
                    near_mean[lane, place] = new
                    near_spread[lane, place] = -spread if inside else spread
                if place < 0 or not _exchange(
                    near_mean, near_spread, near, member, state, lane, counts[lane], place
                ):
                    mark_largest(mean[lane], fixed.size, np.inf, member[lane])
                    _choose_near(fixed, lanes, lane, scratch)
                continue
            near_mean[lane, place] = new
            spread = fixed.sigma / math.sqrt(after)
            if inside:
                near_spread[lane, place] = -spread
                if new < state[lane, LEAST]:
                    state[lane, LEAST] = new
                elif old == state[lane, LEAST]:
                    _find_extremes(near_mean, near_spread, state, lane, counts[lane])
            else:
                near_spread[lane, place] = spread
                if new > state[lane, BEST]:
                    state[lane, BEST] = new
                elif old == state[lane, BEST]:
                    _find_extremes(near_mean, near_spread, state, lane, counts[lane])

        # The next noise and coin of all who were pulled, side by side.
        _draw_many(lanes.run, turn, given, fixed.low, fixed.high, chance, flipped)
        for lane in range(width):
            noise[lane, turn[lane]] = normal_quantile(chance[lane])
            coin[lane, turn[lane]] = flipped[lane]


def room(truths: FloatArray, count: int) -> tuple[Lanes, Scratch]:
    """Make room for as many lanes as pay."""
    width, n = min(LANES, count), truths.shape[1]
    padded = (n + 7) // 8 * 8
    key = np.zeros(padded)
    lanes = Lanes(
        mean=np.zeros((width, n)),
        information=np.zeros((width, n)),
        member=np.zeros((width, n), dtype=np.bool_),
        pulls=np.zeros((width, n), dtype=np.int64),
        noise=np.zeros((width, n)),
        coin=np.zeros((width, n)),
        near_mean=np.zeros((width, padded)),
        near_spread=np.zeros((width, padded)),
        near=np.zeros((width, padded), dtype=np.int64),
        counts=np.zeros(width, dtype=np.int64),
        numbers=np.zeros((width, 8)),
        run=np.zeros(width, dtype=np.int64),
        row=np.zeros(width, dtype=np.int64),
        truth=truths,
    )
    scratch = Scratch(
        worst=np.zeros(padded),
        key=key,
        bits=key.view(np.int64),
        full=np.zeros(n),
        rival=np.zeros(n, dtype=np.bool_),
    )
    return lanes, scratch
