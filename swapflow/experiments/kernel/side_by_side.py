"""The random numbers of `randomness.py` for many addresses at once; needs numba.

Plain passes without a branch, which the compiler turns into vector instructions: a third of the
time of one number after the other, and the same bits, for each takes the same steps.
"""

import math

import numpy as np

from swapflow.bandit.situation import FloatArray, IntArray
from swapflow.experiments.kernel.compiled_numbers import normal_quantile, vectorised
from swapflow.experiments.kernel.vector_operations import (
    bits_of,
    either,
    float_of,
    larger,
    smaller,
)
from swapflow.simulation.random_numbers import (
    CENTRE,
    LN_2,
    LOG_TERMS,
    MASK,
    MULTIPLIERS,
    ROOT_HALF,
    ROUNDS,
    SHOULDER,
    WEYL,
    Words,
)


FRACTION = np.uint64((1 << 52) - 1)
"""The bits of a float behind its exponent."""

BELOW_ONE = np.uint64(0x3FE << 52)
"""The exponent of numbers from a half to one."""

WHOLE = np.uint64(0x433 << 52)
"""The exponent of numbers from 2^52 on, where a float's last bits count in ones."""

TWO_52 = 2.0**52

DEEPEST = 5.0
"""Where Wichura's second formula ends, in his variable r; one number in 10^11 lies beyond."""


@vectorised
def scramble_all(
    run: IntArray, arm: IntArray, pull: IntArray, low: int, high: int, words: Words
) -> None:
    """Give four 32-bit words for each address, one row each: Philox4x32-10."""
    mask, half = np.uint64(MASK), np.uint64(32)
    one, two = np.uint64(MULTIPLIERS[0]), np.uint64(MULTIPLIERS[1])
    for at in range(run.size):
        key, lock = np.uint64(low), np.uint64(high)
        first, second = np.uint64(run[at]) & mask, np.uint64(arm[at]) & mask
        third, fourth = np.uint64(pull[at]) & mask, np.uint64(0)
        for _ in range(ROUNDS):
            left, right = first * one, third * two
            first = (right >> half) ^ second ^ key
            third = (left >> half) ^ fourth ^ lock
            second, fourth = right & mask, left & mask
            key = (key + np.uint64(WEYL[0])) & mask
            lock = (lock + np.uint64(WEYL[1])) & mask
        words[0, at], words[1, at], words[2, at], words[3, at] = first, second, third, fourth


@vectorised
def to_uniforms(words: Words, row: int, uniform: FloatArray) -> None:
    """Make numbers in (0, 1) of two rows of words."""
    for at in range(uniform.size):
        high, low = words[row, at], words[row + 1, at]
        bits = ((high >> np.uint64(6)) << np.uint64(26)) | (low >> np.uint64(6))
        uniform[at] = (float_of(bits | WHOLE) - TWO_52 + 0.5) * 2.0**-52


@vectorised
def _eight(terms: tuple[float, ...], value: float) -> float:
    """Value a polynomial of eight terms by Horner's scheme."""
    high = ((terms[7] * value + terms[6]) * value + terms[5]) * value + terms[4]
    return (((high * value + terms[3]) * value + terms[2]) * value + terms[1]) * value + terms[0]


@vectorised
def _eleven(terms: tuple[float, ...], value: float) -> float:
    """Value a polynomial of eleven terms by Horner's scheme."""
    high = ((terms[10] * value + terms[9]) * value + terms[8]) * value + terms[7]
    high = ((high * value + terms[6]) * value + terms[5]) * value + terms[4]
    return (((high * value + terms[3]) * value + terms[2]) * value + terms[1]) * value + terms[0]


@vectorised
def _centre_and_shoulder(probability: FloatArray, normal: FloatArray) -> float:
    """Give the quantiles of all that lie in the first two ranges, and the deepest r there is."""
    deepest = 0.0
    for at in range(probability.size):
        chance = probability[at]
        centred = chance - 0.5
        square = 0.180625 - centred * centred
        inner = centred * (_eight(CENTRE[0], square) / _eight(CENTRE[1], square))
        # The logarithm, as in `randomness.logarithm`, of the nearer tail.
        bits = bits_of(smaller(chance, 1.0 - chance))
        mantissa = float_of((bits & FRACTION) | BELOW_ONE)
        exponent = float_of((bits >> np.uint64(52)) | WHOLE) - TWO_52 - 1022.0
        doubled = mantissa < ROOT_HALF
        mantissa = either(doubled, mantissa * 2.0, mantissa)
        exponent = either(doubled, exponent - 1.0, exponent)
        part = (mantissa - 1.0) / (mantissa + 1.0)
        logarithm = exponent * LN_2 + 2.0 * part * _eleven(LOG_TERMS, part * part)
        depth = math.sqrt(-logarithm)
        deepest = larger(deepest, depth)
        beyond = depth - 1.6
        size = _eight(SHOULDER[0], beyond) / _eight(SHOULDER[1], beyond)
        outer = either(centred < 0.0, -size, size)
        normal[at] = either(abs(centred) <= 0.425, inner, outer)  # noqa: PLR2004 - Wichura's
    return deepest


@vectorised
def normal_quantiles(probability: FloatArray, normal: FloatArray) -> None:
    """Give the standard normal number below which so much probability lies, for each."""
    if _centre_and_shoulder(probability, normal) > DEEPEST:
        for at in range(probability.size):
            normal[at] = normal_quantile(probability[at])
