"""Random numbers and quantiles as numba compiles them, equal to numpy's ones."""

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

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


F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function at its first call, and keep the result on disk."""
    return cast(F, numba.njit(cache=True, error_model="numpy", nogil=True)(function))


def vectorised(function: F) -> F:
    """Compile a plain pass over arrays, free to treat several entries at once: there is no NaN."""
    decorate = numba.njit(cache=True, error_model="numpy", nogil=True, fastmath={"nnan", "nsz"})
    return cast(F, decorate(function))


@compiled
def scramble(run: int, arm: int, pull: int, purpose: int, low: int, high: int) -> Any:
    """Give four 32-bit words for an address: Philox4x32-10."""
    mask, half = np.uint64(MASK), np.uint64(32)
    one, two = np.uint64(MULTIPLIERS[0]), np.uint64(MULTIPLIERS[1])
    key, lock = np.uint64(low), np.uint64(high)
    first, second = np.uint64(run) & mask, np.uint64(arm) & mask
    third, fourth = np.uint64(pull) & mask, np.uint64(purpose) & mask
    for _ in range(ROUNDS):
        left, right = first * one, third * two
        first = (right >> half) ^ second ^ key
        third = (left >> half) ^ fourth ^ lock
        second, fourth = right & mask, left & mask
        key = (key + np.uint64(WEYL[0])) & mask
        lock = (lock + np.uint64(WEYL[1])) & mask
    return first, second, third, fourth


@compiled
def to_uniform(high: int, low: int) -> float:
    """Make a number in (0, 1) of 52 bits."""
    bits = ((high >> np.uint64(6)) << np.uint64(26)) | (low >> np.uint64(6))
    return (float(np.int64(bits)) + 0.5) * 2.0**-52


@compiled
def normal_quantile(probability: float) -> float:
    """Give the standard normal number below which so much probability lies."""
    centred = probability - 0.5
    if abs(centred) <= 0.425:  # noqa: PLR2004 - of the algorithm, as are those below
        return centred * _ratio(CENTRE[0], CENTRE[1], 0.180625 - centred * centred)
    depth = math.sqrt(-_logarithm(probability if centred < 0 else 1.0 - probability))
    if depth > 5.0:  # noqa: PLR2004
        size = _ratio(TAIL[0], TAIL[1], depth - 5.0)
    else:
        size = _ratio(SHOULDER[0], SHOULDER[1], depth - 1.6)
    return -size if centred < 0 else size


@compiled
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
