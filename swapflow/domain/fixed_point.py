"""Integers for sums: a sum of integers is exact in any order.

Scores are rounded once, when they are submitted. Everything after that (corrections, voids,
replays, two machines that see scores in different orders) adds and subtracts integers, so equal
ledgers give equal live states to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from swapflow.errors import ScoreOutOfRangeError


VALUE_SCALE = 1_000_000
"""A utility of 1.0 as an integer."""

GAIN_SCALE = 1_000
"""A gain of 1.0 (one weak pull's information) as an integer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """An integer change of one arm's sums.

    Attributes:
        application: The arm's number in its cycle, from 0.
        numerator: Change of the sum of gain times value, scaled by both scales.
        information: Change of the sum of gains received (T), scaled by `GAIN_SCALE`.
        pending: Change of the sum of gains dispatched and not received, scaled likewise.
    """

    application: int
    numerator: int = 0
    information: int = 0
    pending: int = 0


def value_units(utility: float) -> int:
    """Round a utility in [0, 1] to the stored integer, half up.

    Raises:
        ScoreOutOfRangeError: If the utility is not a number in [0, 1].
    """
    if not 0.0 <= utility <= 1.0:  # also refuses NaN
        raise ScoreOutOfRangeError("score_out_of_range", score=utility)
    # Not `round`, which sends halves to the even neighbour: here and in `contribution` they go up.
    return int(utility * VALUE_SCALE + 0.5)


def gain_units(gain: float) -> int:
    """Round a gain to the stored integer."""
    return round(gain * GAIN_SCALE)


def contribution(values: Sequence[int], *, gain: int, quorum: int) -> tuple[int, int]:
    """Return what a pull adds to its arm: (numerator, information).

    A pull counts when `quorum` of its seats have answered, with the mean of the answers and its
    whole gain: a panel is one pull, whatever the number of its seats.
    """
    if len(values) < max(quorum, 1):
        return 0, 0
    # Twice the sum over twice the count: integer division that rounds half up.
    mean = (2 * sum(values) + len(values)) // (2 * len(values))
    return gain * mean, gain
