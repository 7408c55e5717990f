"""Bars, dots and waterfalls in numbers: where the pages' small charts draw what.

The server draws them as SVG, in colours that the style sheet chooses, so nothing moves and dark
pages need no second chart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swapflow.domain.people.application import ApplicationStatus
from swapflow.engine.ports.records import Pin
from swapflow.engine.read_models.estimate_way import WORTH_A_WORD, EstimateWay
from swapflow.engine.read_models.people.applicant_table import ApplicantTable, RankedRow
from swapflow.i18n.languages import gettext


BAR_WIDTH, BAR_EDGE = 240.0, 10.0
"""Width of a row's bar, and what is left free at both ends, in pixels."""

TICKS = (0, 20, 40, 60, 80, 100)

MOST_DOTS = 8
"""Dots in a row; more are told as a number."""

WATER_WIDTH, WATER_LABELS, WATER_ROW = 464.0, 188.0, 38.0
"""Width of a waterfall, of its labels, and height of a step, in pixels."""

LOOKS = {"in": "in", "too close": "close", "out": "out", "": "none"}
"""The word of the style sheet for a standing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartScale:
    """Where a score in [0, 1] is drawn; scores below `low` are drawn at the left edge."""

    low: float
    left: float
    right: float

    def at(self, score: float) -> float:
        """Return the place of a score, in pixels."""
        share = (min(max(score, self.low), 1.0) - self.low) / (1 - self.low)
        return round(self.left + share * (self.right - self.left), 1)

    def ticks(self) -> list[tuple[int, float]]:
        """Return the numbers of an axis from 0 to 100, and their places."""
        return [(tick, self.at(tick / 100)) for tick in TICKS if tick / 100 >= self.low]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnRow:
    """A row of the table with what is drawn in it.

    Attributes:
        left: Where its margin begins.
        width: Width of its margin.
        dot: Where its estimate is.
        look: The style sheet's word for its standing.
        tenths: Likelihood of being among the best, in tenths; None where it is not known.
        dots: Reviews as (shape, whether it came): "circle" for the first kind, "diamond" for more.
        more: Reviews for which there is no room.
        pin: "in", "out", or "" without a pin.
    """

    row: RankedRow
    left: float = 0.0
    width: float = 0.0
    dot: float = 0.0
    look: str
    tenths: int | None
    dots: tuple[tuple[str, bool], ...]
    more: int
    pin: str
    is_cut: bool

    @property
    def is_ready(self) -> bool:
        """Whether the applicant takes reviews."""
        return self.row.who.status is ApplicationStatus.READY


def table_scale(table: ApplicantTable) -> ChartScale:
    """Return one scale for all rows: nearly all margins fit, in steps of twenty points."""
    scored = table.rank > 0
    low = 0.0
    if scored.any():
        ends = table.estimate[scored] - np.minimum(table.margin[scored], 1.0)
        lowest = float(np.percentile(ends, 2))
        if table.cut is not None:
            # Room below, so that a cut beneath nearly all margins is not on the edge.
            lowest = min(lowest, table.cut - 0.1)
        low = min(max(np.floor(5 * lowest) / 5, 0.0), 0.6)
    return ChartScale(low=low, left=BAR_EDGE, right=BAR_WIDTH - BAR_EDGE)


def drawn(
    table: ApplicantTable, row: RankedRow, scale: ChartScale, pins: Sequence[Pin]
) -> DrawnRow:
    """Compute what is drawn in a row."""
    shapes = [
        ("circle" if kind == 0 else "diamond", came)
        for came, counted in ((True, row.received), (False, row.asked))
        for kind, count in enumerate(counted)
        for _ in range(count)
    ]
    left = width = dot = 0.0
    if row.estimate is not None and row.margin is not None:
        left, dot = scale.at(row.estimate - row.margin), scale.at(row.estimate)
        width = max(round(scale.at(row.estimate + row.margin) - left, 1), 1.0)
    return DrawnRow(
        row=row,
        left=left,
        width=width,
        dot=dot,
        look=LOOKS[row.standing],
        tenths=tenths_of(row),
        dots=tuple(shapes[:MOST_DOTS]),
        more=max(0, len(shapes) - MOST_DOTS),
        pin=next((pin.verdict for pin in pins if pin.application == row.who.number), ""),
        is_cut=row.rank == table.last_in,
    )


def tenths_of(row: RankedRow) -> int | None:
    """Return a likelihood in tenths; who is too close to call is never certain either way."""
    if row.likely is None:
        return None
    tenths = round(10 * row.likely)
    return min(max(tenths, 1), 9) if row.standing == "too close" else tenths


# From average to estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class WaterStep:
    """One step of a waterfall.

    Attributes:
        name: What it is.
        points: Its end for a total, its change for a step; in points of 100.
        is_total: Whether it begins at the left edge.
        left: Where it begins.
        width: Its width.
        end: Where the next one begins.
        top: Its upper edge.
    """

    name: str
    points: int
    is_total: bool
    left: float
    width: float
    end: float
    top: float

    @property
    def outside(self) -> bool:
        """Whether the number stands beside the bar, which is too narrow for it."""
        return not self.is_total or self.width < 40  # noqa: PLR2004 - two digits and air


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """The way from an average to an estimate as it is drawn."""

    steps: tuple[WaterStep, ...]
    scale: ChartScale
    cut: float | None
    height: float


def waterfall(way: EstimateWay, cut: float | None) -> Waterfall:
    """Draw a way in whole points that add up; steps under half a point are left out."""
    few = (
        gettext("Few reviews and marking")
        if way.severity is None
        else gettext("Few reviews so far")
    )
    parts = [
        (few, way.few_marks),
        (gettext("How these reviewers mark"), way.severity or 0.0),
        (gettext("How high this kind of review is marked"), way.kind),
    ]
    kept = [(name, step) for name, step in parts if abs(step) >= WORTH_A_WORD]
    ends = [way.mean]
    for _, step in kept[:-1]:
        ends.append(ends[-1] + step)
    # The last step takes what was left out and rounded, so that the numbers add up.
    ends.append(way.estimate if kept else way.mean)
    lowest = min(*ends, way.estimate, 1.0 if cut is None else cut)
    low = min(max(np.floor(5 * (lowest - 0.05)) / 5, 0.0), 0.8)
    scale = ChartScale(low=low, left=WATER_LABELS, right=WATER_WIDTH - 18)
    first = gettext("Average of the reviews")
    steps = [_total(first, way.mean, scale, 0)]
    for place, (name, _) in enumerate(kept, start=1):
        steps.append(_change(name, ends[place - 1], ends[place], scale, place))
    steps.append(_total(gettext("Estimate"), way.estimate, scale, len(steps)))
    return Waterfall(
        steps=tuple(steps),
        scale=scale,
        cut=None if cut is None else scale.at(cut),
        height=30 + WATER_ROW * len(steps),
    )


def _total(name: str, end: float, scale: ChartScale, place: int) -> WaterStep:
    width = max(scale.at(end) - scale.left, 1.0)
    return WaterStep(
        name=name,
        points=round(100 * end),
        is_total=True,
        left=scale.left,
        width=round(width, 1),
        end=scale.at(end),
        top=28 + WATER_ROW * place,
    )


def _change(name: str, start: float, end: float, scale: ChartScale, place: int) -> WaterStep:
    left = min(scale.at(start), scale.at(end))
    return WaterStep(
        name=name,
        points=round(100 * end) - round(100 * start),
        is_total=False,
        left=left,
        width=max(round(abs(scale.at(end) - scale.at(start)), 1), 1.0),
        end=scale.at(end),
        top=28 + WATER_ROW * place,
    )
