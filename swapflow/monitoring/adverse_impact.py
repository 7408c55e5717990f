"""Rates of selection by group, and the meaning of a difference between them.

None of this is legal advice. A ratio below four fifths, or a small p, is a reason to look closer;
it proves nothing, and neither does its absence.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy


SMALLEST_SHARE = 0.02
"""Share of known persons below which a group is no reference: 29 CFR 1607.4(A), 6 RCNY 5-301."""

FOUR_FIFTHS = 0.8
"""Ratio below which a group is examined: 29 CFR 1607.4(D), a rule of thumb."""

FEW = 30
"""Persons below which the normal approximation is poor."""

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionTally:
    """The size of a group, and how many of it were selected."""

    all: int
    selected: int

    def __post_init__(self) -> None:
        if not 0 <= self.selected <= self.all:
            raise ValueError(f"{self.selected} of {self.all} cannot have been selected")

    @property
    def rate(self) -> float:
        """Share selected; NaN for an empty group."""
        return self.selected / self.all if self.all else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """One group beside the group with the highest rate.

    Attributes:
        group: The group's value, e.g. "female"; "" for the groups that were merged.
        tally: Its numbers.
        share: Its share of all persons whose group is known.
        is_reference: Whether the others are compared with this group.
        left_out: Whether it is too small to be a reference.
        ratio: Its rate over the reference's; NaN without a reference or with a rate of 0 there.
        z: Two-proportion z statistic with pooled variance; NaN where it is not defined.
        p: Two-sided p of Fisher's exact test; 1 for the reference.
        shortfall: Selected persons that it lacks, against the pooled rate of both groups.
        flipped: The ratio with one more person of it, and one fewer of the reference, selected;
            NaN where that is impossible.
        flags: Short remarks for the reader.
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
        groups: Numbers by group; persons of unknown group are in none. Under "" those of merged
            groups: they are compared and never a reference, for they have nothing in common.
        smallest_share: Share of known persons that a reference must have.

    Returns:
        One row per group, in the order given. A group below `smallest_share` is compared as well
        but never a reference.
    """
    known = sum(tally.all for tally in groups.values())
    able = {
        name: tally
        for name, tally in groups.items()
        if name and tally.all and tally.all >= smallest_share * known
    }
    # Of equal rates the first group in the order given, so that a report reads the same each time.
    reference = max(able, key=lambda name: able[name].rate, default=None)
    return tuple(
        _compared(
            name,
            tally,
            share=tally.all / known if known else math.nan,
            left_out=bool(name) and name not in able,
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
    """Return the two-proportion z statistic with pooled variance; NaN when nothing varies."""
    pooled = (one.selected + other.selected) / (one.all + other.all)
    variance = pooled * (1.0 - pooled) * (1.0 / one.all + 1.0 / other.all)
    return (one.rate - other.rate) / math.sqrt(variance) if variance > 0.0 else math.nan


def fisher_p(one: SelectionTally, other: SelectionTally) -> float:
    """Return the two-sided p of Fisher's exact test for two groups."""
    table = np.array(
        [
            [one.selected, one.all - one.selected],
            [other.selected, other.all - other.selected],
        ]
    )
    return float(scipy.stats.fisher_exact(table).pvalue)


def _flipped(tally: SelectionTally, best: SelectionTally) -> float:
    """Return the ratio after one person more here and one fewer there: 29 CFR 1607.4(D)."""
    # Nobody is left to be selected here, or the other group would have none.
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
