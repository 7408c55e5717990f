"""The paper's rule with top-k as one compiled loop over many runs in lockstep; needs numba.

The same decisions as `compiled.py`, several times faster. Three things make it so:

    few are looked at   Where there are many, only the members and the outsiders near the border,
                        until the radii have grown so far, or the border has sunk so low, that
                        others might count: then the near ones are chosen anew (`_choose_near`).
    no branches         A look is one plain pass over their row, which the compiler turns into
                        vector instructions; a threshold from the last look says who is in, and a
                        number that holds both information and place says whose turn it is.
    taken together      Runs take turns step by step: what one waits for (a division, a number
                        from memory), the others fill; and the random numbers of all their next
                        pulls are drawn side by side, long before they are needed.

Whatever is out of the ordinary (equal values at the border, a means' tie) goes the slow way.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from swapflow.bandit.situation import BoolArray, FloatArray, IntArray
from swapflow.experiments.kernel.compiled import RunConstants, mark_largest
from swapflow.experiments.kernel.compiled_numbers import (
    compiled,
    normal_quantile,
    scramble,
    to_uniform,
    vectorised,
)
from swapflow.experiments.kernel.side_by_side import normal_quantiles, scramble_all, to_uniforms
from swapflow.experiments.kernel.vector_operations import either, larger, smaller


LANES = 16
"""Runs in lockstep: enough to keep the processor busy, few enough for its nearest cache."""

FARTHER = 1.3
"""By how much the cost may grow before the near ones are chosen anew."""

ALL_NEAR = 64
"""Up to so many applicants all of them are near: choosing would cost more than it saves."""

BIG = 1e300

FACTORS = 1 << 16
"""Costs for which the part of the radius that depends on the cost is kept."""

MOST_ORDERS = 2.0**50
"""Up to here a float holds a whole number, and different ones stand for different radii."""


class Lanes(NamedTuple):
    """The runs in progress, one row for each lane.

    `people` holds of everybody, side by side because they are needed together: mean, information,
    next noise, next coin, true utility, pulls so far. `numbers` holds, by column: cost,
    threshold, factor up to which the near ones serve, least threshold at which they do, best mean
    among those that are not near, margin, least mean of a member, best mean of an outsider.
    """

    people: FloatArray
    member: BoolArray
    near_mean: FloatArray
    near_spread: FloatArray
    near_order: FloatArray
    near: IntArray
    counts: IntArray
    numbers: FloatArray
    run: IntArray
    row: IntArray
    truth: FloatArray


MEAN, INFORMATION, NOISE, COIN, TRUTH, PULLS = range(6)

FIELDS = 8
"""Numbers of a person: as many as fill a line of the processor's cache."""

COST, THRESHOLD, REACH, FLOOR, FAR_MEAN, MARGIN, LEAST, BEST = range(8)


class Scratch(NamedTuple):
    """Room for one look."""

    full: FloatArray
    rival: BoolArray
    factors: FloatArray


SETTLED, TIED, ENDED = -1, -2, -3
"""In place of a place: nobody is contested; equal values at the border need a closer look; the
run has ended and nobody is pulled."""


@compiled
def factor_of(fixed: RunConstants, cost: float, n: int) -> float:
    """Give the part of the paper's radius that depends on the cost."""
    return math.sqrt(2 * math.log(4 * n * max(cost, 1.0) ** 3 / fixed.delta))


@compiled
def are_whole(fixed: RunConstants, room: int) -> bool:
    """Say whether informations are whole numbers, so few that a place fits behind them."""
    most = (fixed.max_steps + 1.0) * max(fixed.gain, 1.0)
    return bool(fixed.gain == math.floor(fixed.gain) and most * room < MOST_ORDERS)


@compiled
def order_of(fixed: RunConstants, information: float, place: int, room: int) -> float:
    """Give a number that is smaller the sooner somebody has their turn.

    Where informations are whole it holds the place too, so nobody need be searched for.
    """
    if are_whole(fixed, room):
        return information * room + place
    return -fixed.sigma / math.sqrt(information)


@compiled
def _draw_next(fixed: RunConstants, lanes: Lanes, lane: int, arm: int) -> None:
    """Draw an applicant's next noise and coin ahead of time."""
    pull = int(lanes.people[lane, arm, PULLS])
    words = scramble(lanes.run[lane], arm, pull, 0, fixed.low, fixed.high)
    lanes.people[lane, arm, NOISE] = normal_quantile(to_uniform(words[0], words[1]))
    lanes.people[lane, arm, COIN] = to_uniform(words[2], words[3])


@compiled
def _start(fixed: RunConstants, lanes: Lanes, lane: int, scratch: Scratch) -> None:
    """Give everybody a first look."""
    n, people = lanes.member.shape[1], lanes.people
    truth = lanes.truth[lanes.row[lane] % lanes.truth.shape[0]]
    for arm in range(n):
        people[lane, arm, TRUTH] = truth[arm]
        people[lane, arm, PULLS] = 0.0
        _draw_next(fixed, lanes, lane, arm)
        mean = truth[arm] + fixed.weak_deviation * people[lane, arm, NOISE]
        people[lane, arm, MEAN] = mean
        scratch.full[arm] = mean
        people[lane, arm, PULLS] = 1.0
        _draw_next(fixed, lanes, lane, arm)
        people[lane, arm, INFORMATION] = 1.0
    mark_largest(scratch.full, fixed.size, np.inf, lanes.member[lane])
    lanes.numbers[lane, COST] = n
    lanes.numbers[lane, THRESHOLD] = np.inf
    lanes.numbers[lane, MARGIN] = fixed.sigma / 4 if n > ALL_NEAR else np.inf
    _choose_near(fixed, lanes, lane, scratch)


@compiled
def _choose_near(fixed: RunConstants, lanes: Lanes, lane: int, scratch: Scratch) -> None:
    """List the members and the outsiders near the border, in the order of their indices."""
    n = lanes.member.shape[1]
    numbers = lanes.numbers[lane]
    now = factor_of(fixed, numbers[COST], n)
    later = factor_of(fixed, numbers[COST] * FARTHER + 8, n)
    for arm in range(n):
        radius = now * (fixed.sigma / math.sqrt(lanes.people[lane, arm, INFORMATION]))
        mean = lanes.people[lane, arm, MEAN]
        scratch.full[arm] = mean - radius if lanes.member[lane, arm] else mean + radius
    numbers[THRESHOLD] = mark_largest(scratch.full, fixed.size, numbers[THRESHOLD], scratch.rival)
    floor = numbers[THRESHOLD] - numbers[MARGIN]
    numbers[REACH] = later if floor > -np.inf else np.inf
    numbers[FLOOR], numbers[FAR_MEAN] = floor, -BIG
    count = 0
    for arm in range(n):
        mean = lanes.people[lane, arm, MEAN]
        spread = fixed.sigma / math.sqrt(lanes.people[lane, arm, INFORMATION])
        inside = lanes.member[lane, arm]
        if not inside and mean + later * spread <= floor:
            numbers[FAR_MEAN] = max(numbers[FAR_MEAN], mean)
            continue
        lanes.near_mean[lane, count] = mean
        lanes.near_spread[lane, count] = -spread if inside else spread
        lanes.near_order[lane, count] = order_of(
            fixed, lanes.people[lane, arm, INFORMATION], count, lanes.near.shape[1]
        )
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


@vectorised
def _extremes(
    near_mean: FloatArray, near_spread: FloatArray, lane: int, count: int, far: float
) -> tuple[float, float]:
    """Give the least mean of a member and the best of an outsider, who may be far."""
    least, best = BIG, far
    for place in range(count):
        mean = near_mean[lane, place]
        inside = near_spread[lane, place] < 0.0
        least = smaller(least, either(inside, mean, BIG))
        best = larger(best, either(inside, far, mean))
    return least, best


@compiled
def _find_extremes(
    near_mean: FloatArray, near_spread: FloatArray, state: FloatArray, lane: int, count: int
) -> None:
    """Note the least mean of a member and the best of an outsider."""
    least, best = _extremes(near_mean, near_spread, lane, count, state[lane, FAR_MEAN])
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
def one_pass(
    near_mean: FloatArray,
    near_spread: FloatArray,
    order: FloatArray,
    lane: int,
    count: int,
    factor: float,
    threshold: float,
) -> tuple[int, float]:
    """Count who lies above in the worst case, and give the first in order of the contested."""
    above, first = 0, BIG
    for place in range(count):
        spread = near_spread[lane, place]
        in_rival = near_mean[lane, place] + factor * spread > threshold
        above += in_rival
        contested = in_rival != (spread < 0.0)
        first = smaller(first, either(contested, order[lane, place], BIG))
    return above, first


@vectorised
def _next_below(
    near_mean: FloatArray,
    near_spread: FloatArray,
    lane: int,
    count: int,
    factor: float,
    threshold: float,
) -> float:
    """Give the largest worst case that is not above the threshold; -`BIG` if there is none."""
    found = -BIG
    for place in range(count):
        utility = near_mean[lane, place] + factor * near_spread[lane, place]
        found = larger(found, either(utility > threshold, -BIG, utility))
    return found


@vectorised
def _next_above(
    near_mean: FloatArray,
    near_spread: FloatArray,
    lane: int,
    count: int,
    factor: float,
    threshold: float,
) -> float:
    """Give the smallest worst case above the threshold; `BIG` if there is none."""
    found = BIG
    for place in range(count):
        utility = near_mean[lane, place] + factor * near_spread[lane, place]
        found = smaller(found, either(utility > threshold, utility, BIG))
    return found


@compiled
def _mended(
    near_mean: FloatArray,
    near_spread: FloatArray,
    lane: int,
    count: int,
    factor: float,
    threshold: float,
    missing: int,
) -> float:
    """Move the threshold past the one who has crossed it; -inf if it is not that simple."""
    if missing == 1:
        crossed = _next_below(near_mean, near_spread, lane, count, factor, threshold)
        if crossed == -BIG:
            return -np.inf
        threshold = crossed - abs(crossed) * 2.0**-52 - 1e-300
        beyond = _next_below(near_mean, near_spread, lane, count, factor, threshold)
        return threshold if beyond == -BIG else beyond + (crossed - beyond) / 2
    if missing == -1:
        crossed = _next_above(near_mean, near_spread, lane, count, factor, threshold)
        beyond = _next_above(near_mean, near_spread, lane, count, factor, crossed)
        return -np.inf if beyond == BIG else crossed + (beyond - crossed) / 2
    return -np.inf


@compiled
def _find(
    near_mean: FloatArray,
    near_spread: FloatArray,
    order: FloatArray,
    lane: int,
    factor: float,
    threshold: float,
    first: float,
) -> int:
    """Find the first contested one that comes at this number in order."""
    place = 0
    while True:
        spread = near_spread[lane, place]
        in_rival = near_mean[lane, place] + factor * spread > threshold
        if order[lane, place] == first and in_rival != (spread < 0.0):
            return place
        place += 1


@compiled
def _gap_of(
    near_mean: FloatArray,
    near_spread: FloatArray,
    lane: int,
    count: int,
    factor: float,
    threshold: float,
) -> float:
    """Give what the rival gains over the cohort in the worst case."""
    gap = 0.0
    for place in range(count):
        spread = near_spread[lane, place]
        utility = near_mean[lane, place] + factor * spread
        inside = spread < 0.0
        if (utility > threshold) != inside:
            gap += -utility if inside else utility
    return gap


@compiled
def _look_slowly(fixed: RunConstants, lanes: Lanes, lane: int, scratch: Scratch) -> int:
    """Look at everybody, ties and all; give an applicant, or -1 when settled."""
    n = lanes.member.shape[1]
    factor = factor_of(fixed, lanes.numbers[lane, COST], n)
    for arm in range(n):
        radius = factor * (fixed.sigma / math.sqrt(lanes.people[lane, arm, INFORMATION]))
        mean = lanes.people[lane, arm, MEAN]
        scratch.full[arm] = mean - radius if lanes.member[lane, arm] else mean + radius
    mark_largest(scratch.full, fixed.size, np.inf, scratch.rival)
    chosen, gap, largest = -1, 0.0, -1.0
    for arm in range(n):
        if scratch.rival[arm] == lanes.member[lane, arm]:
            continue
        gap += scratch.full[arm] if scratch.rival[arm] else -scratch.full[arm]
        spread = fixed.sigma / math.sqrt(lanes.people[lane, arm, INFORMATION])
        if spread > largest:
            chosen, largest = arm, spread
    return chosen if chosen >= 0 and gap > fixed.tolerance else -1


@compiled
def _finish(lanes: Lanes, lane: int, pulls: int, stopped: bool, out: Any) -> None:
    """Write down how a run ended."""
    row = lanes.row[lane]
    out[1][row] = lanes.numbers[lane, COST]
    out[2][row] = pulls
    out[3][row] = stopped
    # Number by number: numba takes seconds to compile the assignment of a row.
    for arm in range(lanes.member.shape[1]):
        out[0][row, arm] = lanes.member[lane, arm]
        out[4][row, arm] = lanes.people[lane, arm, MEAN]
        out[5][row, arm] = lanes.people[lane, arm, INFORMATION]


@compiled
def run_all(
    fixed: RunConstants,
    lanes: Lanes,
    scratch: Scratch,
    numbers: IntArray,
    steps: IntArray,
    out: Any,
) -> None:
    """Make all runs; a lane whose run has ended takes the next one."""
    # Named once, for numba counts references at every look into a tuple; and in one piece, for
    # every call would hand all these arrays over.
    people, member, order = lanes.people, lanes.member, lanes.near_order
    near_mean, near_spread = lanes.near_mean, lanes.near_spread
    near, counts, state = lanes.near, lanes.counts, lanes.numbers
    run, row, factors = lanes.run, lanes.row, scratch.factors
    width, n = member.shape
    room_of = near.shape[1]
    whole = are_whole(fixed, room_of)
    whole_costs = fixed.cost == math.floor(fixed.cost)
    turn, given, found = (
        np.zeros(width, np.int64),
        np.zeros(width, np.int64),
        np.zeros(width, np.int64),
    )
    words = np.zeros((4, width), np.uint64)
    chance, flipped, drawn = np.zeros(width), np.zeros(width), np.zeros(width)
    old, new, after, spreads = np.zeros(width), np.zeros(width), np.zeros(width), np.zeros(width)
    paid = np.zeros(width)
    waiting, working = 0, 0
    for lane in range(width):
        steps[lane] = -1
        if waiting < numbers.size:
            run[lane], row[lane] = numbers[waiting], waiting
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
                spent = state[lane, COST]
                factor = 0.0
                if whole_costs and spent < FACTORS:
                    factor = factors[int(spent)]
                if factor == 0.0:
                    factor = factor_of(fixed, spent, n)
                    if whole_costs and spent < FACTORS:
                        factors[int(spent)] = factor
                if factor > state[lane, REACH]:
                    _choose_near(fixed, lanes, lane, scratch)
                for attempt in range(3):
                    count, threshold = counts[lane], state[lane, THRESHOLD]
                    above, first = one_pass(
                        near_mean, near_spread, order, lane, count, factor, threshold
                    )
                    if above == fixed.size and threshold >= state[lane, FLOOR]:
                        if first == BIG:
                            place = SETTLED
                        elif whole:
                            place = int(first) & (room_of - 1)
                        else:
                            place = _find(
                                near_mean, near_spread, order, lane, factor, threshold, first
                            )
                        break
                    mended = -np.inf
                    if attempt == 0:
                        mended = _mended(
                            near_mean,
                            near_spread,
                            lane,
                            count,
                            factor,
                            threshold,
                            fixed.size - above,
                        )
                    if mended >= state[lane, FLOOR] and mended > -np.inf:
                        state[lane, THRESHOLD] = mended
                    else:
                        _choose_near(fixed, lanes, lane, scratch)
                if place >= 0:
                    arm = near[lane, place]
                    if fixed.tolerance > 0.0:
                        gap = _gap_of(near_mean, near_spread, lane, count, factor, threshold)
                        if gap <= fixed.tolerance:
                            arm = -1
                elif place == TIED:
                    arm = _look_slowly(fixed, lanes, lane, scratch)
            found[lane] = place
            if arm < 0 or state[lane, COST] >= fixed.budget:
                stopped = arm < 0 and steps[lane] < fixed.max_steps
                _finish(lanes, lane, steps[lane], stopped, out)
                steps[lane] = -1
                working -= 1
                if waiting < numbers.size:
                    run[lane], row[lane] = numbers[waiting], waiting
                    _start(fixed, lanes, lane, scratch)
                    steps[lane] = 0
                    waiting, working = waiting + 1, working + 1
                turn[lane], found[lane] = 0, ENDED
                continue
            turn[lane] = arm

        # Lines 17 to 28: pull, and fold the reward in; of all lanes, for each waits for itself.
        for lane in range(width):
            arm = turn[lane]
            strong = fixed.alpha > people[lane, arm, COIN]
            gain = either(strong, fixed.gain, 1.0)
            deviation = either(strong, fixed.strong_deviation, fixed.weak_deviation)
            reward = people[lane, arm, TRUTH] + deviation * people[lane, arm, NOISE]
            before = people[lane, arm, INFORMATION]
            old[lane] = people[lane, arm, MEAN]
            after[lane] = before + gain
            new[lane] = (old[lane] * before + gain * reward) / after[lane]
            spreads[lane] = fixed.sigma / math.sqrt(after[lane])
            paid[lane] = either(strong, fixed.cost, 1.0)
        for lane in range(width):
            arm, place, mean = turn[lane], found[lane], new[lane]
            if place == ENDED or steps[lane] < 0:
                given[lane] = int(people[lane, arm, PULLS])
                continue
            steps[lane] += 1
            people[lane, arm, MEAN], people[lane, arm, INFORMATION] = mean, after[lane]
            people[lane, arm, PULLS] += 1.0
            given[lane] = int(people[lane, arm, PULLS])
            state[lane, COST] += paid[lane]
            inside = member[lane, arm]
            least, best = state[lane, LEAST], state[lane, BEST]
            if place >= 0:
                near_mean[lane, place] = mean
                near_spread[lane, place] = -spreads[lane] if inside else spreads[lane]
                order[lane, place] = after[lane] * room_of + place if whole else -spreads[lane]
            changed = mean <= best if inside else mean >= least
            if changed or place < 0:
                if place < 0 or not _exchange(
                    near_mean, near_spread, near, member, state, lane, counts[lane], place
                ):
                    for other in range(n):
                        scratch.full[other] = people[lane, other, MEAN]
                    mark_largest(scratch.full, fixed.size, np.inf, member[lane])
                    _choose_near(fixed, lanes, lane, scratch)
            elif old[lane] == (least if inside else best):
                _find_extremes(near_mean, near_spread, state, lane, counts[lane])
            elif inside:
                state[lane, LEAST] = min(least, mean)
            else:
                state[lane, BEST] = max(best, mean)

        # The next noise and coin of all who were pulled, side by side.
        scramble_all(run, turn, given, fixed.low, fixed.high, words)
        to_uniforms(words, 0, chance)
        to_uniforms(words, 2, flipped)
        normal_quantiles(chance, drawn)
        for lane in range(width):
            people[lane, turn[lane], NOISE] = drawn[lane]
            people[lane, turn[lane], COIN] = flipped[lane]


def room(truths: FloatArray, count: int) -> tuple[Lanes, Scratch]:
    """Make room for as many lanes as pay."""
    width, n = min(LANES, count), truths.shape[1]
    # A power of two: `order_of` writes a place behind an information.
    padded = max(8, 1 << (n - 1).bit_length())
    lanes = Lanes(
        people=np.zeros((width, n, FIELDS)),
        member=np.zeros((width, n), dtype=np.bool_),
        near_mean=np.zeros((width, padded)),
        near_spread=np.zeros((width, padded)),
        near_order=np.zeros((width, padded)),
        near=np.zeros((width, padded), dtype=np.int64),
        counts=np.zeros(width, dtype=np.int64),
        numbers=np.zeros((width, 8)),
        run=np.zeros(width, dtype=np.int64),
        row=np.zeros(width, dtype=np.int64),
        truth=truths,
    )
    scratch = Scratch(
        full=np.zeros(n), rival=np.zeros(n, dtype=np.bool_), factors=np.zeros(FACTORS)
    )
    return lanes, scratch
