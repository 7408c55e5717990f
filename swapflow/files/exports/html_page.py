"""A report as one page that needs nothing else: words, pictures and tables in one HTML file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from swapflow.errors import InvalidInputError


Cell = str | int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A table: the first cell of each row names it; `numbers` are columns of figures."""

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of a list: what, and the reason or the meaning."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    """A part of a report.

    Attributes:
        text: Paragraphs above the picture.
        picture: SVG, "" for none.
        legend: How the picture is to be read.
    """

    title: str
    text: tuple[str, ...] = ()
    points: tuple[Point, ...] = ()
    picture: str = ""
    legend: str = ""
    tables: tuple[ReportTable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFigure:
    """One of the few figures at the top: what, the figure, and what it means."""

    name: str
    figure: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPage:
    """A whole report; letters and formulas belong to `advanced`."""

    title: str
    lead: tuple[str, ...]
    keys: tuple[KeyFigure, ...]
    sections: tuple[ReportSection, ...]
    advanced: tuple[ReportSection, ...]
    foot: str


def render(page: ReportPage) -> str:
    """Return the page as HTML."""
    text = (resources.files("swapflow.files.exports") / "page.html").read_text(encoding="utf-8")
    # Jinja escapes whatever a file or an option brought in; only our own pictures are markup.
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["picture"] = Markup
    environment.filters["words"] = _words
    environment.filters["slug"] = slug
    return environment.from_string(text).render(page=page)


def write(path: Path, page: ReportPage) -> None:
    """Write the page to a file.

    Raises:
        InvalidInputError: If it cannot be written there.
    """
    try:
        path.write_text(render(page), encoding="utf-8")
    except OSError as error:
        raise InvalidInputError("path_unwritable", path=path, problem=error.strerror) from error


def slug(title: str) -> str:
    """Return a title as the name of an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")


def _words(text: str) -> Markup:
    """Escape a text, and set what is in backticks as commands are set."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped


def points(pairs: Sequence[tuple[str, str]]) -> tuple[Point, ...]:
    """Build points from pairs, each text a sentence."""
    return tuple(Point(title=title, text=sentence(text)) for title, text in pairs)


def sentence(text: str) -> str:
    """Begin with a capital and end with a stop."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."
