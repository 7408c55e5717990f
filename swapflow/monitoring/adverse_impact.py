"""Rates of selection by group, and what a difference between them may mean.

None of this is legal advice. A ratio below four fifths, or a small p, is a reason to look; it is
neither proof nor, where it is absent, an acquittal.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import fisher_exact


SMALLEST_SHARE = 0.02
"""Share of those known below which a group is no reference: 29 CFR 1607.4(A), 6 RCNY 5-301."""

FOUR_FIFTHS = 0.8
"""Ratio that is looked at more closely: 29 CFR 1607.4(D), a rule of thumb."""

FEW = 30
"""Persons below which the normal approximation says little."""

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionTally:
    """How many of a group there were, and how many of these were selected."""

    all: int
    selected: int

    def __post_init__(self) -> None:
        if not 0 <= self.selected <= self.all:
            raise ValueError(f"{self.selected} of {self.all} cannot have been selected")

    @property
    def rate(self) -> float:
        """Share selected; NaN of nobody."""
        return self.selected / self.all if self.all else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """One group beside the group with the highest rate.

    Attributes:
        group: The group's value, e.g. "female".
        tally: Its numbers.
        share: Its share of everybody whose group is known.
        is_reference: Whether it is the group that the others are compared with.
        left_out: Whether it is too small to be a reference.
        ratio: Its rate over the reference's; NaN without a reference or with a rate of 0 there.
        z: Two-proportion z statistic with pooled variance; NaN where it is not defined.
        p: Two-sided p of Fisher's exact test; 1 for the reference.
        shortfall: Persons that it has fewer than the pooled rate of both groups would give it.
        flipped: The ratio if one person of it more, and one of the reference fewer, had been
            selected; NaN where that cannot be.
        flags: Short words on what to look at.
    """

    group: str
    tally: SelectionTally
    share: float
    is_reference: bool
    left_out: bool
    ratio: float
    z: float
    p: float
    shortfall: float
    flipped: float
    flags: tuple[str, ...]


def impacts(
    groups: Mapping[str, SelectionTally], *, smallest_share: float = SMALLEST_SHARE
) -> tuple[Impact, ...]:
    """Compare every group with the one that has the highest rate.

    Args:
        groups: Numbers by group; whoever's group is unknown is in none.
        smallest_share: Share of those known that a reference must have.

    Returns:
        One row per group, in the order given. A group below `smallest_share` is compared as well
        but never a reference.
    """
    known = sum(tally.all for tally in groups.values())
    able = {
        name: tally
        for name, tally in groups.items()
        if tally.all and tally.all >= smallest_share * known
    }
    reference = max(able, key=lambda name: able[name].rate, default=None)
    return tuple(
        _compared(
            name,
            tally,
            share=tally.all / known if known else math.nan,
            left_out=name not in able,
            reference=reference,
            best=None if reference is None else able[reference],
        )
        for name, tally in groups.items()
    )


def _compared(
    name: str,
    tally: SelectionTally,
    *,
    share: float,
    left_out: bool,
    reference: str | None,
    best: SelectionTally | None,
) -> Impact:
    is_reference = name == reference
    if best is None or not tally.all:
        ratio = z = shortfall = flipped = math.nan
        p = 1.0
    elif is_reference:
        ratio, z, p, shortfall, flipped = 1.0, 0.0, 1.0, 0.0, 1.0
    else:
        ratio = tally.rate / best.rate if best.rate else math.nan
        z = pooled_z(tally, best)
        p = fisher_p(tally, best)
        pooled = (tally.selected + best.selected) / (tally.all + best.all)
        shortfall = pooled * tally.all - tally.selected
        flipped = _flipped(tally, best)
    return Impact(
        group=name,
        tally=tally,
        share=share,
        is_reference=is_reference,
        left_out=left_out,
        ratio=ratio,
        z=z,
        p=p,
        shortfall=shortfall,
        flipped=flipped,
        flags=_flags(tally, left_out=left_out, ratio=ratio, p=p, flipped=flipped),
    )


def pooled_z(one: SelectionTally, other: SelectionTally) -> float:
    """Give the two-proportion z statistic with pooled variance; NaN when nothing varies."""
    pooled = (one.selected + other.selected) / (one.all + other.all)
    variance = pooled * (1.0 - pooled) * (1.0 / one.all + 1.0 / other.all)
    return (one.rate - other.rate) / math.sqrt(variance) if variance > 0.0 else math.nan


def fisher_p(one: SelectionTally, other: SelectionTally) -> float:
    """Give the two-sided p of Fisher's exact test for two groups."""
    table = np.array(
        [
            [one.selected, one.all - one.selected],
            [other.selected, other.all - other.selected],
        ]
    )
    return float(fisher_exact(table).pvalue)


def _flipped(tally: SelectionTally, best: SelectionTally) -> float:
    """Give the ratio after one person more here and one fewer there: 29 CFR 1607.4(D)."""
    if tally.selected == tally.all or best.selected <= 1:
        return math.nan
    fewer = SelectionTally(all=best.all, selected=best.selected - 1)
    return SelectionTally(all=tally.all, selected=tally.selected + 1).rate / fewer.rate


def _flags(
    tally: SelectionTally, *, left_out: bool, ratio: float, p: float, flipped: float
) -> tuple[str, ...]:
    flags = []
    if left_out:
        flags.append("too small a group to be a reference")
    if ratio < FOUR_FIFTHS:
        flags.append("below four fifths")
        if flipped >= FOUR_FIFTHS:
            flags.append("one person would change that")
    if p < SIGNIFICANT:
        flags.append("p below 0.05")
    if 0 < tally.all < FEW:
        flags.append("few persons: go by the exact test")
    return tuple(flags)
