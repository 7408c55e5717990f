"""The picture of a forecast: share of the highest possible score by hours a reviewer, as SVG."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from swapflow.i18n.formatting import decimal
from swapflow.i18n.languages import gettext
from swapflow.planning.quick_forecast import BudgetShare


WIDTH, HEIGHT = 408.0, 176.0
LEFT, RIGHT, TOP, BOTTOM = 34.0, 12.0, 16.0, 28.0
FULL = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A labelled place on an axis, in the picture's own coordinates."""

    at: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """What the template draws; each text of points is of SVG's `points`.

    Attributes:
        area: Between the ends of the middle 90 percent of the rounds.
        line: The mean under the rules.
        even: The mean where everyone gets as many reviews.
        here: The typed budget: x, y, and y of reading evenly.
        rows: Ticks of the share, in percent.
        columns: Ticks of the hours.
        told: The picture in words.
    """

    area: str
    line: str
    even: str
    here: tuple[float, float, float]
    rows: tuple[Tick, ...]
    columns: tuple[Tick, ...]
    told: str


def curve(own: BudgetShare, levels: Sequence[BudgetShare], *, each: float) -> Curve:
    """Draw shares by budget.

    Args:
        own: The share under the typed budget.
        levels: Shares under other budgets.
        each: Cost that is one hour (or one unit) of each of the reviewers together.
    """
    shown = sorted({own, *levels}, key=lambda level: level.budget)
    first, last = shown[0].budget / each, shown[-1].budget / each
    lowest = min(min(level.low, level.evenly) for level in shown)
    floor = max(0.0, FULL * lowest // 10 * 10)

    def x(budget: float) -> float:
        part = (budget / each - first) / max(last - first, 1e-9)
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    def y(share: float) -> float:
        part = (FULL * share - floor) / (FULL - floor)
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)

    def points(pairs: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{across:.1f},{down:.1f}" for across, down in pairs)

    above = [(x(level.budget), y(level.high)) for level in shown]
    below = [(x(level.budget), y(level.low)) for level in reversed(shown)]
    step = 10 if FULL - floor > 20 else 5  # noqa: PLR2004 - five lines at most
    rows = range(int(floor), int(FULL) + 1, step)
    return Curve(
        area=points(above + below),
        line=points([(x(level.budget), y(level.mean)) for level in shown]),
        even=points([(x(level.budget), y(level.evenly)) for level in shown]),
        here=(x(own.budget), y(own.mean), y(own.evenly)),
        rows=tuple(Tick(at=y(value / FULL), label=str(value)) for value in rows),
        columns=tuple(
            Tick(at=x(level.budget), label=decimal(level.budget / each))
            for level in _spread(shown, x)
        ),
        told=gettext(
            "Share of the highest possible score, by hours a reviewer: %(mean)s percent at "
            "%(hours)s hours, %(evenly)s percent where everyone is read evenly"
        )
        % {
            "mean": f"{FULL * own.mean:.0f}",
            "evenly": f"{FULL * own.evenly:.0f}",
            "hours": decimal(own.budget / each),
        },
    )


def _spread(shown: Sequence[BudgetShare], x: Callable[[float], float]) -> list[BudgetShare]:
    """Return levels whose labels do not touch."""
    kept: list[BudgetShare] = []
    for level in shown:
        if not kept or x(level.budget) - x(kept[-1].budget) > 44:  # noqa: PLR2004 - a label's width
            kept.append(level)
    return kept
