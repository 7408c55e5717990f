"""Marks by criterion as dots, one a review: what a meeting sees before any estimate."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from swapflow.domain.rules import Rubric


LEFT, RIGHT = 12.0, 228.0
"""Where the lowest and the highest mark are drawn, in pixels of a chart 240 wide."""

STEP = 12
"""Pixels from one dot to the one above it."""

LABELS = 18
"""Pixels below the line, for the marks' numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionChart:
    """One criterion: its marks as text, lowest first, and as dots; sizes in pixels."""

    name: str
    marks: str
    dots: tuple[tuple[float, float], ...]
    ticks: tuple[tuple[float, str], ...]
    base: float
    height: float


def criteria_charts(
    rubrics: Sequence[Rubric], reviews: Sequence[Mapping[str, object]]
) -> tuple[CriterionChart, ...]:
    """Draw the marks of reviews, each with `marks` by criterion, for the criteria of the forms."""
    charts = []
    scales = {
        criterion.name: [mark for mark, _ in criterion.marks]
        for rubric in rubrics
        for criterion in rubric.criteria
    }
    for name, scale in scales.items():
        given = sorted(
            mark
            for review in reviews
            if isinstance(found := review["marks"], Mapping)
            and isinstance(mark := found.get(name), float)
        )
        if given and scale:
            charts.append(_chart(name, scale, given))
    return tuple(charts)


def _chart(name: str, scale: Sequence[float], given: Sequence[float]) -> CriterionChart:
    low, high = min(scale), max(scale)

    def pixel(mark: float) -> float:
        share = (mark - low) / (high - low) if high > low else 0.5
        return round(LEFT + share * (RIGHT - LEFT), 1)

    counts = Counter(given)
    base = float(max(counts.values()) * STEP + 2)
    dots = [
        (pixel(mark), base - STEP / 2 - STEP * level)
        for mark, count in sorted(counts.items())
        for level in range(count)
    ]
    return CriterionChart(
        name=name,
        marks="  ".join(f"{mark:g}" for mark in given),
        dots=tuple(dots),
        ticks=tuple((pixel(mark), f"{mark:g}") for mark in scale),
        base=base,
        height=base + LABELS,
    )
