"""Pictures for reports: SVG that reads in light, in dark, on paper and by screen readers.

Colours come from the page's own variables, so one picture serves both themes; every picture has a
title and a description, and is shown beside a table with the same figures. (The paper's figures
are drawn by matplotlib; a page of one file for people who plan needs neither its size nor its
fonts.)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np


WIDTH = 760
LABEL = 350
"""Width kept for labels."""
NARROW = 340
"""Width of a picture that fits a phone, with letters as large as the text around it."""
ROW = 34
TOP = 14
SIGNIFICANT = 2.0
"""Standard errors at which a difference is marked as shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One row of a dot plot.

    Attributes:
        label: The text at the left.
        value: Where the dot is.
        low: Left end of its interval.
        high: Right end of its interval.
        text: The text at the right.
        marked: Whether it is the one that the others are compared with.
    """

    label: str
    value: float
    low: float
    high: float
    text: str
    marked: bool = False


def dots(rows: Sequence[Dot], *, title: str, description: str, axis: str, name: str) -> str:
    """Draw values with their intervals, one row each.

    Args:
        rows: From top to bottom.
        title: Of the picture, for screen readers.
        description: What is to be seen, likewise.
        axis: What is measured, with its unit.
        name: Unique in the page.
    """
    rows = [_finite(row) for row in rows]
    wide, tall = _dots(rows, axis, _Places(width=WIDTH, left=LABEL, right=90, row=ROW, above=0))
    narrow, taller = _dots(rows, axis, _Places(width=NARROW, left=12, right=12, row=54, above=18))
    return _svg(wide, tall, title=title, description=description, name=name, kind="wide") + _svg(
        narrow, taller, title=title, description=description, name=name, kind="narrow"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Where a dot plot has its parts: labels are beside the rows, or `above` them."""

    width: int
    left: int
    right: int
    row: int
    above: int


def _dots(rows: Sequence[Dot], axis: str, at: _Places) -> tuple[list[str], float]:
    """Draw the parts of a dot plot, and return them with its height."""
    ticks = _ticks(min(row.low for row in rows), max(row.high for row in rows))
    low, high = ticks[0], ticks[-1]
    plot = at.width - at.left - at.right
    bottom = TOP + at.row * len(rows)

    def x(value: float) -> float:
        return at.left + plot * (min(max(value, low), high) - low) / (high - low)

    parts = [
        f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP}" y2="{bottom}"/>'
        f'<text class="tick" x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">'
        f"{tick:g}</text>"
        for tick in ticks
    ]
    for place, row in enumerate(rows):
        y = TOP + at.row * (place + 0.5) + 0.5 * at.above
        written = y - at.above if at.above else y + 5
        kind = "own" if row.marked else "other"
        shape = (
            f'<rect class="{kind}" x="{x(row.value) - 6:.1f}" y="{y - 6:.1f}" width="12" '
            'height="12"/>'
            if row.marked
            else f'<circle class="{kind}" cx="{x(row.value):.1f}" cy="{y:.1f}" r="6"/>'
        )
        label = (
            f'x="0" y="{written:.1f}"'
            if at.above
            else f'x="{at.left - 14}" y="{written:.1f}" text-anchor="end"'
        )
        text = (
            f'x="{at.width}" y="{written:.1f}" text-anchor="end"'
            if at.above
            else f'x="{at.width - at.right + 14}" y="{written:.1f}"'
        )
        parts.append(
            f'<text class="label {kind}" {label}>{escape(row.label)}</text>'
            f'<line class="bar {kind}" x1="{x(row.low):.1f}" x2="{x(row.high):.1f}" '
            f'y1="{y:.1f}" y2="{y:.1f}"/>{shape}'
            f'<text class="label {kind}" {text}>{escape(row.text)}</text>'
        )
    parts.append(
        f'<text class="axis" x="{at.left + plot / 2:.0f}" y="{bottom + 40}" '
        f'text-anchor="middle">{escape(axis)}</text>'
    )
    return parts, bottom + 52


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One upright bar: what stands under it, how high it is, what stands on it."""

    label: str
    value: float
    text: str
    marked: bool = False


def bars(rows: Sequence[Bar], *, title: str, description: str, name: str) -> str:
    """Draw upright bars from 0, one beside the other.

    Args:
        rows: From left to right.
        title: Of the picture, for screen readers.
        description: What is to be seen, likewise.
        name: Unique in the page.
    """
    top, bottom, gap = 40, 200, 30
    width = min(90.0, (NARROW - gap * (len(rows) + 1)) / max(len(rows), 1))
    first = (NARROW - len(rows) * width - (len(rows) - 1) * gap) / 2
    most = max((row.value for row in rows), default=0.0)
    parts = [f'<line class="grid" x1="0" x2="{NARROW}" y1="{bottom}" y2="{bottom}"/>']
    for place, row in enumerate(rows):
        x = first + place * (width + gap)
        height = (bottom - top) * max(row.value, 0.0) / most if most > 0 else 0.0
        middle = x + width / 2
        parts.append(
            f'<rect class="{"own" if row.marked else "other"}" x="{x:.1f}" '
            f'y="{bottom - height:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4"/>'
            f'<text class="label own" x="{middle:.1f}" y="{bottom - height - 10:.1f}" '
            f'text-anchor="middle">{escape(row.text)}</text>'
            f'<text class="axis" x="{middle:.1f}" y="{bottom + 24}" text-anchor="middle">'
            f"{escape(row.label)}</text>"
        )
    return _svg(parts, bottom + 40, title=title, description=description, name=name, kind="small")


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    """One square of a heat map: its text, and how good (+1) or bad (-1) it is."""

    text: str
    strength: float


def squares(
    cells: Sequence[Sequence[Square]],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    axes: tuple[str, str],
    title: str,
    description: str,
    name: str,
) -> str:
    """Draw a heat map; the sign is written in every square, so that colour says nothing alone.

    Args:
        cells: Rows from top to bottom.
        rows: Their labels.
        columns: Labels of the columns.
        axes: What rows and columns are.
        title: Of the picture, for screen readers.
        description: What is to be seen, likewise.
        name: Unique in the page.
    """
    left, height = 150, 46
    width = (WIDTH - left - 10) / len(columns)
    top = 62
    middle = left + (WIDTH - left) / 2
    parts = [
        f'<text class="axis" x="4" y="{top - 14}">{escape(axes[0])}</text>',
    ]
    across = f'<text class="axis" x="{middle:.0f}" y="18" text-anchor="middle">'
    parts.append(f"{across}{escape(axes[1])}</text>")
    for place, label in enumerate(columns):
        middle = left + width * (place + 0.5)
        parts.append(
            f'<text class="tick" x="{middle:.1f}" y="{top - 14}" text-anchor="middle">'
            f"{escape(label)}</text>"
        )
    for index, row in enumerate(cells):
        y = top + height * index
        parts.append(
            f'<text class="label" x="{left - 14}" y="{y + height / 2 + 5:.1f}" '
            f'text-anchor="end">{escape(rows[index])}</text>'
        )
        for place, cell in enumerate(row):
            tone = "good" if cell.strength > 0 else "bad"
            opacity = min(0.55, 0.55 * abs(cell.strength))
            x = left + width * place
            parts.append(
                f'<rect class="{tone}" fill-opacity="{opacity:.2f}" x="{x + 1:.1f}" '
                f'y="{y + 1:.1f}" width="{width - 2:.1f}" height="{height - 2}"/>'
                f'<text class="label" x="{x + width / 2:.1f}" y="{y + height / 2 + 5:.1f}" '
                f'text-anchor="middle">{escape(cell.text)}</text>'
            )
    bottom = top + height * len(cells)
    return _svg(parts, bottom + 8, title=title, description=description, name=name)


def _finite(row: Dot) -> Dot:
    """Draw no line to an end that is not known."""
    return replace(
        row,
        low=row.low if math.isfinite(row.low) else row.value,
        high=row.high if math.isfinite(row.high) else row.value,
    )


def _svg(
    parts: Sequence[str],
    height: float,
    *,
    title: str,
    description: str,
    name: str,
    kind: str = "",
) -> str:
    """Frame a picture; of a wide and a narrow one, the page shows the one that fits."""
    width = NARROW if kind in {"narrow", "small"} else WIDTH
    name = f"{name}-{kind}" if kind == "narrow" else name
    shown = f'class="{kind}" ' if kind else ""
    return (
        f'<svg {shown}viewBox="0 0 {width} {height:.0f}" role="img" '
        f'aria-labelledby="{name}-title {name}-text" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-text">{escape(description)}</desc>{"".join(parts)}</svg>'
    )


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from below the lowest to above the highest."""
    if not high > low:
        # A single value has no span, and a scale needs one.
        low, high = low - 1, high + 1
    rough = (high - low) / 4
    power = 10 ** np.floor(np.log10(rough))
    step = float(next(s for s in (1, 2, 2.5, 5, 10) if s * power >= rough) * power)
    first, last = np.floor(low / step), np.ceil(high / step)
    return [round(float(place * step), 9) for place in np.arange(first, last + 1)]
