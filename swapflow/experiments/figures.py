"""House style of every figure: readable at half a page, colour-blind safe, the same bytes twice.

Figures are made without pyplot, so that they need no display and leave nothing behind.
Colours are those of Okabe and Ito 2008; each series also has its own marker and line style,
for a colour alone must not carry the meaning.
"""

import io
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swapflow.errors import UnavailableError


try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError as error:
    raise UnavailableError("matplotlib_missing") from error


HALF_PAGE = 3.5
"""Inches; a figure in one column."""

FULL_PAGE = 7.2
"""Inches; a figure across the page."""

LETTERS_PER_INCH = 11
"""Of a bold title, beside the axis on its left."""

PNG_DOTS = 200
"""Dots per inch of the PNG."""

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
GREY = "#767676"


@dataclass(frozen=True, slots=True)
class SeriesStyle:
    """How a series looks: each differs in three ways."""

    colour: str
    marker: str
    line: str | tuple[int, tuple[int, ...]]


LOOKS: tuple[SeriesStyle, ...] = (
    SeriesStyle(BLUE, "o", "-"),
    SeriesStyle(VERMILION, "s", "--"),
    SeriesStyle(GREEN, "^", "-."),
    SeriesStyle(PURPLE, "D", ":"),
    SeriesStyle(ORANGE, "v", (0, (5, 1, 1, 1))),
    SeriesStyle(BLACK, "x", "-"),
    SeriesStyle(SKY, "P", "--"),
)

_STYLE = Path(__file__).with_name("house.mplstyle")


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style; what was set before comes back."""
    with mpl.rc_context():
        mpl.rcdefaults()
        with mpl.rc_context(fname=_STYLE):
            yield


def canvas(
    *, width: float = HALF_PAGE, height: float = 2.7, rows: int = 1, columns: int = 1
) -> tuple[Figure, list[Axes]]:
    """Return an empty figure and its axes, row by row; call it inside `house_style`."""
    figure = Figure(figsize=(width, height), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    return figure, list(np.asarray(grid).ravel())


def label(axes: Axes, *, title: str, x: str, y: str) -> None:
    """Set the title and both labels of axes; units belong in the labels."""
    wide = axes.get_figure()
    assert wide is not None, "axes have a figure"
    share = axes.get_subplotspec()
    columns = share.get_gridspec().ncols if share else 1
    inches = float(wide.get_figure(root=True).get_figwidth()) / columns
    axes.set_title(textwrap.fill(title, int(LETTERS_PER_INCH * inches)))
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def series(
    axes: Axes,
    x: Sequence[float],
    y: Sequence[float],
    *,
    name: str,
    number: int,
    error: Sequence[float] | None = None,
    joined: bool = True,
) -> None:
    """Draw a line with markers (or markers alone) and, where known, 95 % intervals."""
    look = LOOKS[number % len(LOOKS)]
    bars = None if error is None else 1.96 * np.asarray(error, dtype=np.float64)
    axes.errorbar(
        x,
        y,
        yerr=bars,
        label=name,
        color=look.colour,
        marker=look.marker,
        linestyle=look.line if joined else "none",
        capsize=1.5,
        elinewidth=0.8,
    )


def save(figure: Figure, stem: Path, *, png: bool = True) -> list[Path]:
    """Write a figure as SVG and PNG; the same figure gives the same bytes.

    Args:
        figure: The figure.
        stem: Path without a suffix; its folder is made.
        png: Whether a PNG is wanted beside the SVG.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    written = [stem.with_name(stem.name + ".svg")]
    with house_style():
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": "swapflow"})
        lines = (line.rstrip() for line in drawn.getvalue().splitlines())
        written[0].write_text("\n".join(lines) + "\n", encoding="utf-8")
        if png:
            written.append(stem.with_name(stem.name + ".png"))
            figure.savefig(
                written[1], format="png", dpi=PNG_DOTS, metadata={"Software": "swapflow"}
            )
    return written


def heat_map(
    axes: Axes, cells: Mapping[tuple[int, int], float], *, largest: float, name: str
) -> None:
    """Draw values over (s, j): blue below 0, red above, white at 0, grey where there is none.

    Args:
        axes: Where.
        cells: Value of each (s, j).
        largest: Where the colours end, on both sides.
        name: What the colour bar says.
    """
    gains = sorted({gain for gain, _ in cells})
    costs = sorted({cost for _, cost in cells})
    values = np.array([[cells.get((s, j), np.nan) for s in gains] for j in costs])
    axes.set_facecolor("#e6e6e6")
    mesh = axes.pcolormesh(
        gains, costs, values, cmap="RdBu_r", vmin=-largest, vmax=largest, shading="nearest"
    )
    axes.grid(visible=False)
    axes.set_xticks(gains[:: max(1, len(gains) // 6)])
    axes.set_yticks(costs[:: max(1, len(costs) // 6)])
    figure = axes.get_figure()
    assert figure is not None, "axes have a figure"
    bar = figure.colorbar(mesh, ax=axes, shrink=0.9)
    bar.set_label(name)
    bar.outline.set_visible(False)
