"""Charts as figures: where each bar, line and label lies; templates draw them as SVG.

Colours are classes of the style sheet, so that one drawing serves light and dark.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from swapflow.engine.pending.standing import ProgramStanding
from swapflow.engine.read_models.dashboard import Dashboard


SPARK_RANKS = 60
WIDE_RANKS, NARROW_RANKS = 34, 22
"""Applicants drawn at most: those around the cut. What does not fit is in the list."""

_TICK, _FINE_TICK = 0.2, 0.1
_FEW_TICKS = 3
_HIGH_MARK = 1.0
_LABEL_ROOM = 24.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantBar:
    """One applicant: a bar for the margin, a dot for the estimate; lengths in the drawing's units.

    Attributes:
        zone: "in", "close" or "out", a class of the style sheet.
        told: What a pointer that rests on it is told.
    """

    rank: int
    zone: str
    x: float
    top: float
    height: float
    y: float
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A chart of estimates by rank.

    Attributes:
        bar: Width of a bar.
        ticks: Height and label of each line across.
        ranks: Place and label of each rank that is named.
        cut: Height of the cut's line; None where there is none.
        cut_x: Place between the last rank with a place and the next; None where it is not drawn.
        band: Place and width of those too close to call; None without any.
    """

    width: int
    height: int
    top: int
    floor: int
    left: int
    right: int
    bar: float
    bars: tuple[ApplicantBar, ...]
    ticks: tuple[tuple[float, str], ...]
    ranks: tuple[tuple[float, str], ...]
    cut: float | None
    cut_x: float | None
    band: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    width: int
    height: int
    top: int
    floor: int
    left: int
    right: int
    bar: float
    dot: float


_SPARK = _Frame(width=390, height=66, top=6, floor=60, left=0, right=390, bar=3.2, dot=2.1)
_WIDE = _Frame(width=900, height=330, top=26, floor=300, left=34, right=890, bar=9, dot=6)
_NARROW = _Frame(width=332, height=280, top=26, floor=250, left=34, right=322, bar=7, dot=5)


def spark(standing: ProgramStanding) -> Drawing | None:
    """Draw the applicants around the cut for a program's card; None before a first review."""
    return _draw(standing, _SPARK, most=SPARK_RANKS, names={})


def around_the_cut(
    standing: ProgramStanding, names: Mapping[int, str]
) -> tuple[Drawing, Drawing] | None:
    """Draw the applicants around the cut, for a desk and for a phone.

    Args:
        standing: The program.
        names: Names of applicants by number, of those who may be named.
    """
    wide = _draw(standing, _WIDE, most=WIDE_RANKS, names=names)
    narrow = _draw(standing, _NARROW, most=NARROW_RANKS, names=names)
    return (wide, narrow) if wide is not None and narrow is not None else None


def ranks_around(dashboard: Dashboard, *, most: int) -> range:
    """Return the rows that are drawn: from the top, or around the cut where it lies far down.

    They end with the last applicant who has a review. An applicant without one may be ranked
    among the others, by what the model expects, and has a place without a bar.
    """
    known = np.flatnonzero(~np.isnan(dashboard.estimate))
    last = int(known[-1]) + 1 if known.size else 0
    first = max(0, min(dashboard.places - most // 2, last - most))
    return range(first, min(last, first + most))


def trend_line(values: Sequence[float], *, width: int, height: int, pad: int) -> str:
    """Return the points of a line through values, oldest at the left; "" for fewer than two."""
    if len(values) < 2:  # noqa: PLR2004 - one point is no line
        return ""
    high = max(*values, 1e-9)
    step = (width - 2 * pad) / (len(values) - 1)
    room = height - 2 * pad
    return " ".join(
        f"{pad + i * step:.1f},{pad + room * (1 - value / high):.1f}"
        for i, value in enumerate(values)
    )


def shares(parts: Sequence[float], whole: float, width: int) -> tuple[tuple[float, float], ...]:
    """Return place and width of each part of a bar that is `width` long for the whole."""
    scale = width / max(whole, sum(parts), 1e-9)
    ends = [0.0, *np.cumsum([part * scale for part in parts]).tolist()]
    return tuple((round(a, 1), round(b - a, 1)) for a, b in pairwise(ends))


def _draw(
    standing: ProgramStanding, frame: _Frame, *, most: int, names: Mapping[int, str]
) -> Drawing | None:
    board = standing.dashboard
    rows = ranks_around(board, most=most)
    seen = ~np.isnan(board.estimate[rows.start : rows.stop])
    if not seen.any():
        return None
    estimate = np.clip(board.estimate[rows.start : rows.stop], 0, 1)
    margin = np.minimum(board.margin[rows.start : rows.stop], 1)
    lows, highs = np.clip(estimate - margin, 0, 1), np.clip(estimate + margin, 0, 1)
    low, high, ticks = _scale(float(lows[seen].min()), float(highs[seen].max()))
    slot = (frame.right - frame.left) / len(rows)
    bar = min(frame.bar, 0.72 * slot)

    def across(place: int) -> float:
        return frame.left + slot * (place + 0.5)

    def up(value: float) -> float:
        return frame.floor - (frame.floor - frame.top) * (value - low) / max(high - low, 1e-9)

    bars = tuple(
        ApplicantBar(
            rank=row + 1,
            zone=_zone(board, row),
            x=round(across(place), 1),
            top=round(up(highs[place]), 1),
            height=round(max(up(lows[place]) - up(highs[place]), bar), 1),
            y=round(up(estimate[place]), 1),
            told=_told(board, row, names),
        )
        for place, row in enumerate(rows)
        if seen[place]
    )
    close = [place for place, row in enumerate(rows) if board.too_close[row]]
    cut_x = frame.left + slot * (board.places - rows.start)
    return Drawing(
        width=frame.width,
        height=frame.height,
        top=frame.top,
        floor=frame.floor,
        left=frame.left,
        right=frame.right,
        bar=round(bar, 1),
        bars=bars,
        ticks=tuple((round(up(tick), 1), f"{100 * tick:.0f}") for tick in ticks),
        ranks=_named(board, rows, across),
        cut=None if standing.cut is None else round(min(max(up(standing.cut), 0), frame.floor), 1),
        cut_x=round(cut_x, 1) if frame.left < cut_x < frame.right else None,
        band=(
            round(frame.left + slot * close[0], 1),
            round(slot * (close[-1] - close[0] + 1), 1),
        )
        if close
        else None,
    )


def _scale(low: float, high: float) -> tuple[float, float, tuple[float, ...]]:
    """Return the ends of an axis and its ticks: steps of 20 points, of 10 where those are few."""
    for step in (_TICK, _FINE_TICK):
        first, last = np.floor(low / step + 1e-9) * step, np.ceil(high / step - 1e-9) * step
        ticks = np.arange(first, min(last, _HIGH_MARK) + step / 2, step)
        if ticks.size >= _FEW_TICKS:
            break
    return float(ticks[0]), float(ticks[-1]), tuple(ticks.tolist())


def _zone(board: Dashboard, row: int) -> str:
    if board.too_close[row]:
        return "close"
    return "in" if board.in_list[row] else "out"


def _told(board: Dashboard, row: int, names: Mapping[int, str]) -> str:
    name = names.get(int(board.application[row]), "")
    value, margin = 100 * board.estimate[row], 100 * min(board.margin[row], 1.0)
    who = f"{row + 1} {name}" if name else f"{row + 1}"
    return f"{who}: {value:.0f} ± {margin:.0f}"


def _named(
    board: Dashboard, rows: range, across: Callable[[int], float]
) -> tuple[tuple[float, str], ...]:
    """Return the ranks that are named: the first, the ends of the band, the last place."""
    close = np.flatnonzero(board.too_close[rows.start : rows.stop])
    wanted = {0, board.places - 1 - rows.start}
    if close.size:
        wanted |= {int(close[0]) - 1, int(close[-1])}
    found: list[tuple[float, str]] = []
    for place in sorted(one for one in wanted if 0 <= one < len(rows)):
        x = round(across(place), 1)
        # Two labels side by side would touch.
        if not found or x - found[-1][0] > _LABEL_ROOM:
            found.append((x, str(rows.start + place + 1)))
    return tuple(found)
