"""Random numbers that are a function of what they are for, on every machine and in any order.

A generator of the usual kind hands out its numbers in turn, so that one pull more or less shifts
all that follow. Here each number has an address (study and cell, run, applicant, pull), so a
sweep gives the same bytes however its runs are spread, stopped and resumed, and two policies meet
the same luck (common random numbers): the m-th pull of an applicant has the same noise under both.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swapflow.bandit.situation import FloatArray, IntArray


Words = NDArray[np.uint64]

MASK = 0xFFFFFFFF
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10

CENTRE = (
    (
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ),
    (
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ),
)
SHOULDER = (
    (
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ),
    (
        1.0,
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ),
)
TAIL = (
    (
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ),
    (
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ),
)
"""Numerators and denominators of Wichura's algorithm AS 241 (1988), lowest power first."""

LOG_TERMS = tuple(1.0 / (2 * term + 1) for term in range(11))
"""Of 2 artanh(s) = log((1 + s) / (1 - s)) in powers of s²."""

LN_2 = 0.693147180559945309417232
ROOT_HALF = 0.707106781186547524400844


@dataclass(frozen=True, slots=True)
class Stream:
    """The numbers of one study's cell; make it with `stream_of`.

    Attributes:
        low: First half of the generator's key, 32 bits.
        high: Second half.
    """

    low: int
    high: int

    def uniforms(
        self,
        run: IntArray | int,
        arm: IntArray | int,
        pull: IntArray | int,
        purpose: IntArray | int = 0,
    ) -> tuple[FloatArray, FloatArray]:
        """Return two uniform numbers in (0, 1) for each address.

        Args:
            run: Number of the run.
            arm: Index of the applicant, or of whatever else the number is about.
            pull: How many came before it for the same applicant.
            purpose: Keeps numbers apart that serve different ends (a kind, a severity …).
        """
        counter = np.broadcast_arrays(
            *(np.asarray(part, dtype=np.uint64) for part in (run, arm, pull, purpose))
        )
        first, second, third, fourth = philox(counter, self.low, self.high)
        return to_uniform(first, second), to_uniform(third, fourth)

    def normals(
        self,
        run: IntArray | int,
        arm: IntArray | int,
        pull: IntArray | int,
        purpose: IntArray | int = 0,
    ) -> FloatArray:
        """Return a standard normal number for each address."""
        return normal_quantile(self.uniforms(run, arm, pull, purpose)[0])

    def generator(self, run: int, purpose: int = 0) -> np.random.Generator:
        """Return numpy's own generator for whatever has no addresses (shuffles, library calls)."""
        # Run and purpose in bits of their own, so that no two of them share a generator.
        key = (self.high << 96) | (self.low << 64) | (run << 16) | purpose
        return np.random.Generator(np.random.Philox(key=key))


def stream_of(study: str, cell: str = "") -> Stream:
    """Return the numbers of one cell of a study; other names give independent ones.

    Policies that are to be compared on the same luck share the name of the cell.
    """
    digest = hashlib.blake2b(f"{study}\0{cell}".encode(), digest_size=8).digest()
    return Stream(
        low=int.from_bytes(digest[:4], "little"), high=int.from_bytes(digest[4:], "little")
    )


def philox(counter: "list[Words] | tuple[Words, ...]", low: int, high: int) -> tuple[Words, ...]:
    """Scramble four 32-bit words (in 64-bit arrays) under a key: Philox4x32-10.

    Source:
        Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
    """
    first, second, third, fourth = (part & np.uint64(MASK) for part in counter)
    half, mask = np.uint64(32), np.uint64(MASK)
    one, two = (np.uint64(number) for number in MULTIPLIERS)
    for _ in range(ROUNDS):
        left, right = first * one, third * two
        first = (right >> half) ^ second ^ np.uint64(low)
        third = (left >> half) ^ fourth ^ np.uint64(high)
        second, fourth = right & mask, left & mask
        low, high = (low + WEYL[0]) & MASK, (high + WEYL[1]) & MASK
    return first, second, third, fourth


def to_uniform(high: Words, low: Words) -> FloatArray:
    """Convert 52 of the 64 bits of two words to a number in (0, 1); never 0, never 1."""
    # 52 bits and a half: every such number is exact as a float, and neither end is reached.
    bits = ((high >> np.uint64(6)) << np.uint64(26)) | (low >> np.uint64(6))
    return (bits.astype(np.float64) + 0.5) * 2.0**-52


def normal_quantile(probability: FloatArray) -> FloatArray:
    """Return the standard normal number with the given probability below it.

    Only the four operations and the square root are used, which every machine rounds alike;
    `compiled.py` takes the same steps one number at a time and so gives the same bits.

    Source:
        Wichura 1988, "Algorithm AS 241", relative error below 1e-16.
    """
    centred = np.asarray(probability, dtype=np.float64) - 0.5
    inner = np.abs(centred) <= 0.425  # noqa: PLR2004 - of the algorithm, as are those below
    value = np.empty(centred.shape)
    middle = centred[inner]
    value[inner] = middle * _ratio(CENTRE, 0.180625 - middle * middle)
    beyond = centred[~inner]
    given = np.asarray(probability)[~inner]
    depth = np.sqrt(-logarithm(np.where(beyond < 0, given, 1.0 - given)))
    far = depth > 5.0  # noqa: PLR2004
    size = np.where(far, _ratio(TAIL, depth - 5.0), _ratio(SHOULDER, depth - 1.6))
    value[~inner] = np.where(beyond < 0, -size, size)
    return value


def logarithm(value: FloatArray) -> FloatArray:
    """Return the natural logarithm by operations that every machine rounds alike."""
    mantissa, exponent = np.frexp(value)
    # Brought near 1, where the series needs few terms.
    low = mantissa < ROOT_HALF
    mantissa = np.where(low, mantissa * 2.0, mantissa)
    power = exponent - low
    part = (mantissa - 1.0) / (mantissa + 1.0)
    square = part * part
    total = np.full(part.shape, LOG_TERMS[-1])
    for term in LOG_TERMS[-2::-1]:
        total = total * square + term
    return np.asarray(power * LN_2 + 2.0 * part * total)


def _ratio(terms: tuple[tuple[float, ...], tuple[float, ...]], value: FloatArray) -> FloatArray:
    """Divide one polynomial by another, both by Horner's scheme."""
    above, below = terms
    numerator = np.full(value.shape, above[-1])
    denominator = np.full(value.shape, below[-1])
    for upper, lower in zip(above[-2::-1], below[-2::-1], strict=True):
        numerator = numerator * value + upper
        denominator = denominator * value + lower
    return np.asarray(numerator / denominator)
