"""The random numbers of `random_numbers.py` in compiled code; needs numba.

Each takes the same steps and so has the same bits. Numbers are drawn in rows: the compiler turns
a plain pass into vector instructions, half the time of one number after the other.
"""

import math
import os
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from swapflow.bandit.situation import FloatArray
from swapflow.settings import load_settings
from swapflow.simulation.random_numbers import (
    CENTRE,
    LN_2,
    LOG_TERMS,
    MASK,
    MULTIPLIERS,
    ROOT_HALF,
    ROUNDS,
    SHOULDER,
    TAIL,
    WEYL,
)


# Compiling takes half a minute; numba reads where to keep what it has compiled when imported.
os.environ.setdefault("NUMBA_CACHE_DIR", str(load_settings().data_dir / "numba"))

import numba


F = TypeVar("F", bound=Callable[..., Any])


# Untyped: `_nrt` says whether a function may make arrays, and is missing from numba's types.
_njit = cast(Callable[..., Any], partial(numba.njit, cache=True, error_model="numpy", nogil=True))


def compiled(function: F) -> F:
    """Compile a function at its first call, and keep the result on disk."""
    return cast(F, _njit(_nrt=True)(function))


def bare(function: F) -> F:
    """Compile a function that makes no array, so that numba need not count references to any.

    Counting takes longer than all the rest of a pull.
    """
    return cast(F, _njit(_nrt=False)(function))


def inlined(function: F) -> F:
    """Compile likewise, into every place that calls it."""
    return cast(F, _njit(_nrt=False, forceinline=True)(function))


def vectorised(function: F) -> F:
    """Compile a plain pass over arrays, free to treat several entries at once: there is no NaN."""
    return cast(F, _njit(fastmath={"nnan", "nsz"})(function))


CENTRAL = 0.425
"""Up to so far from a half the first of Wichura's formulas holds, for 17 numbers in 20."""


@vectorised
def draw_uniforms(
    run: int,
    arm: int,
    pull: int,
    across: int,
    low: int,
    high: int,
    first: FloatArray,
    second: FloatArray,
) -> None:
    """Fill two rows with uniform numbers: Philox4x32-10, two numbers for each address.

    Args:
        run: Number of the run.
        arm: Index of the applicant of the first address.
        pull: Number of the pull of the first address.
        across: 1 goes on with the same pull of the next applicants, 0 with the same applicant's
            next pulls.
        low: First half of the stream's key.
        high: Second half.
        first: Becomes the first number of each address, of any length.
        second: Becomes the second one, of the same length.
    """
    mask, half, six = np.uint64(MASK), np.uint64(32), np.uint64(6)
    left_factor, right_factor = np.uint64(MULTIPLIERS[0]), np.uint64(MULTIPLIERS[1])
    for at in range(first.size):
        key, lock = np.uint64(low), np.uint64(high)
        one, two = np.uint64(run) & mask, np.uint64(arm + at * across) & mask
        three, four = np.uint64(pull + at * (1 - across)) & mask, np.uint64(0)
        for _ in range(ROUNDS):
            left, right = one * left_factor, three * right_factor
            one = (right >> half) ^ two ^ key
            three = (left >> half) ^ four ^ lock
            two, four = right & mask, left & mask
            key = (key + np.uint64(WEYL[0])) & mask
            lock = (lock + np.uint64(WEYL[1])) & mask
        # 26 bits of each word: vector instructions make floats of 32 bits, not of 64.
        above, below = float(np.int32(one >> six)), float(np.int32(two >> six))
        first[at] = (above * 2.0**26 + below + 0.5) * 2.0**-52
        above, below = float(np.int32(three >> six)), float(np.int32(four >> six))
        second[at] = (above * 2.0**26 + below + 0.5) * 2.0**-52


@vectorised
def _centre(probability: FloatArray, normal: FloatArray) -> None:
    """Apply the first formula to all, whether it holds for them or not."""
    for at in range(probability.size):
        centred = probability[at] - 0.5
        normal[at] = centred * _ratio(CENTRE[0], CENTRE[1], 0.180625 - centred * centred)


@compiled
def normal_quantiles(probability: FloatArray, normal: FloatArray) -> None:
    """Find the standard normal number below which so much probability lies, for each."""
    _centre(probability, normal)
    for at in range(probability.size):
        if abs(probability[at] - 0.5) > CENTRAL:
            normal[at] = _outer(probability[at])


@compiled
def _outer(probability: float) -> float:
    """Find the normal number of a probability that is not central."""
    centred = probability - 0.5
    depth = math.sqrt(-_logarithm(probability if centred < 0 else 1.0 - probability))
    if depth > 5.0:  # noqa: PLR2004 - of the algorithm, as are those below
        size = _ratio(TAIL[0], TAIL[1], depth - 5.0)
    else:
        size = _ratio(SHOULDER[0], SHOULDER[1], depth - 1.6)
    return -size if centred < 0 else size


@vectorised
def _ratio(above: tuple[float, ...], below: tuple[float, ...], value: float) -> float:
    numerator, denominator = above[7], below[7]
    for power in range(6, -1, -1):
        numerator = numerator * value + above[power]
        denominator = denominator * value + below[power]
    return numerator / denominator


@compiled
def _logarithm(value: float) -> float:
    mantissa, exponent = math.frexp(value)
    if mantissa < ROOT_HALF:
        mantissa *= 2.0
        exponent -= 1
    part = (mantissa - 1.0) / (mantissa + 1.0)
    square = part * part
    total = LOG_TERMS[10]
    for term in range(9, -1, -1):
        total = total * square + LOG_TERMS[term]
    return exponent * LN_2 + 2.0 * part * total
