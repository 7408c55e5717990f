"""Lines over time or over decisions as figures: templates draw them as SVG, without a script.

Moments lie on an axis of the program's zone: its days begin at midnight there, also in the weeks
in which clocks are changed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, floor, log10
from zoneinfo import ZoneInfo

from swapflow.i18n.formatting import clock, day, decimal, number


_LEFT, _TOP, _BELOW, _END = 46, 12, 26, 10
_MOST_LINES = 5
_LEAST_HEIGHT = 0.5
_ROUND = (1.0, 2.0, 5.0, 10.0)
_HOURS = (1, 3, 6, 12)
_DAYS = (1, 2, 7, 14, 28, 91, 182, 364)
_MINUTES = (1, 5, 15, 30)

Tick = tuple[float, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnLine:
    """One series.

    Attributes:
        look: A class of the style sheet.
        points: For a polyline; empty where fewer than two values are known.
        area: For a polygon down to the axis.
        last: Place of the newest value.
    """

    look: str
    points: str
    area: str
    last: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineDrawing:
    """A chart of lines; lengths in its own units.

    Attributes:
        across: Height and label of each line across.
        along: Place and label of each tick of the lower axis.
    """

    width: int
    height: int
    left: int
    right: int
    top: int
    floor: int
    across: tuple[Tick, ...]
    along: tuple[Tick, ...]
    lines: tuple[DrawnLine, ...]


def draw_over_time(
    rows: Sequence[Mapping[str, object]],
    looks: Mapping[str, str],
    *,
    zone: str,
    width: int,
    height: int,
) -> LineDrawing | None:
    """Draw columns of rows that have a moment in "at"; None for fewer than two moments.

    Args:
        rows: The oldest first.
        looks: The class of each column that is drawn.
        zone: The program's zone.
        width: Width of the drawing.
        height: Height of the drawing.
    """
    moments = [row["at"] for row in rows]
    known = [at for at in moments if isinstance(at, datetime)]
    if len(known) < 2 or known[0] == known[-1]:  # noqa: PLR2004 - one point is no line
        return None
    begin, length = known[0], (known[-1] - known[0]).total_seconds()
    places = [(at - begin).total_seconds() / length for at in known]
    wide = (width - _LEFT - _END) / 84
    named = moments_between(known[0], known[-1], zone, most=max(2, int(wide)))
    if len(named) < 2:  # noqa: PLR2004 - an axis of one moment tells nothing of its length
        named = ((known[0], clock(known[0], zone)), (known[-1], clock(known[-1], zone)))
    along = [((at - begin).total_seconds() / length, label) for at, label in named]
    return _draw(places, along, rows, looks, width=width, height=height)


def draw_by_decision(
    rows: Sequence[Mapping[str, object]], column: str, look: str, *, width: int, height: int
) -> LineDrawing | None:
    """Draw a column of the decisions that know it; None for fewer than two."""
    known = [row for row in rows if row[column] is not None]
    if len(known) < 2:  # noqa: PLR2004 - one point is no line
        return None
    last = len(known) - 1
    places = [i / last for i in range(len(known))]
    named = sorted({round(i * last / 4) for i in range(5)}) if last >= 4 else range(last + 1)  # noqa: PLR2004
    along = [(places[i], number(_value(known[i], "number"))) for i in named]
    return _draw(places, along, known, {column: look}, width=width, height=height)


def moments_between(
    first: datetime, last: datetime, zone: str, *, most: int
) -> tuple[tuple[datetime, str], ...]:
    """Return at most `most` moments of a zone's clock between two, each with its label.

    Hours and days are those of the zone: a day of 23 or 25 hours is one day on it.
    """
    here = ZoneInfo(zone)
    begin, end = first.astimezone(here), last.astimezone(here)
    midnight = begin.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    steps: list[tuple[timedelta, Callable[[datetime, str], str]]] = [
        *((timedelta(minutes=m), clock) for m in _MINUTES),
        *((timedelta(hours=h), clock) for h in _HOURS),
        *((timedelta(days=d), day) for d in _DAYS),
    ]
    for step, said in steps:
        if (end - begin) / step > most + 1:
            continue
        # Counted on the clock on the wall and turned into moments afterwards.
        found, at = [], midnight
        if step >= timedelta(days=7):
            at -= timedelta(days=midnight.weekday())
        while (moment := at.replace(tzinfo=here)) <= end:
            if moment >= begin:
                is_midnight = moment.time() == midnight.time()
                found.append((moment, day(moment, zone) if is_midnight else said(moment, zone)))
            at += step
        if len(found) <= most:
            return tuple(found)
    return ()


def _draw(
    places: Sequence[float],
    along: Sequence[Tick],
    rows: Sequence[Mapping[str, object]],
    looks: Mapping[str, str],
    *,
    width: int,
    height: int,
) -> LineDrawing:
    right, low = width - _END, height - _BELOW
    most = max(_LEAST_HEIGHT, *(_value(row, name) for row in rows for name in looks))
    step = _round_step(most / _MOST_LINES)
    top = step * ceil(most / step - 1e-9)

    def x(share: float) -> float:
        return round(_LEFT + (right - _LEFT) * share, 1)

    def y(value: float) -> float:
        return round(low - (low - _TOP) * value / top, 1)

    lines = []
    for name, look in looks.items():
        at = [(x(share), y(_value(row, name))) for share, row in zip(places, rows, strict=True)]
        points = " ".join(f"{across},{up}" for across, up in at)
        area = f"{at[0][0]},{low} {points} {at[-1][0]},{low}"
        lines.append(DrawnLine(look=look, points=points, area=area, last=at[-1]))
    values = [step * i for i in range(round(top / step) + 1)]
    return LineDrawing(
        width=width, height=height, left=_LEFT, right=right, top=_TOP, floor=low,
        across=tuple((y(value), _told(value)) for value in values),
        along=tuple((x(share), label) for share, label in along),
        lines=tuple(lines),
    )  # fmt: skip


def _value(row: Mapping[str, object], name: str) -> float:
    found = row[name]
    return float(found) if isinstance(found, int | float) else 0.0


def _told(value: float) -> str:
    return number(value) if value == floor(value) else decimal(value)


def _round_step(least: float) -> float:
    """Return the least of 1, 2, 5, 10, 20 … and their tenths that is no smaller."""
    size = 10.0 ** floor(log10(least))
    return next(size * one for one in _ROUND if size * one >= least - 1e-12)
