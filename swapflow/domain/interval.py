"""A figure with its error bars."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure, and bounds between which the truth lies with the stated confidence."""

    value: float
    low: float
    high: float
