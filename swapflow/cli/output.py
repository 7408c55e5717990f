"""What a command prints: plain words for people, or JSON with stable keys for programs."""

import io
import json
import math
import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum


WIDE = 400
"""Columns of a table that goes to a file or a pipe: nothing is cut or wrapped there."""

# Bidirectional overrides too: with them one name reads as another.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A table for people.

    Attributes:
        headers: Names of the columns.
        rows: Cells in the order of the headers; None shows as a dash.
        empty: What is said when there is no row.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    empty: str = "nothing to show"


def report(content: Mapping[str, object], *plain: "str | Listing", as_json: bool) -> None:
    """Print a command's result, one way or the other, on standard output."""
    if as_json:
        say(to_text(content))
        return
    for part in plain:
        say(clean(part) if isinstance(part, str) else _drawn(part))


def say(text: str) -> bool:
    """Print a line of the result at once; False when the pipe's reader has gone (`… | head`)."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Nothing is wrong and nothing more can be said; else closing the output would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True


def to_text(content: object) -> str:
    """Format a result as JSON: keys in a fixed order, what is no finite number as null."""
    return json.dumps(_finite(content), ensure_ascii=False, indent=2, default=_spelled)


def warn(line: str) -> None:
    """Print something beside the result, on standard error."""
    print(clean(line), file=sys.stderr)


def clean(text: str) -> str:
    """Replace control characters: a name in a file must not steer the reader's terminal."""
    return _CONTROLS.sub("\ufffd", text)


def hundred(utility: "float | None") -> str:
    """Show a utility as people see it, 0 to 100; a dash when there is none."""
    return "–" if utility is None or not math.isfinite(utility) else f"{100 * utility:.1f}"


def day(moment: "datetime | None", zone: str = "UTC") -> str:
    """Show a moment in the cycle's time zone, with the zone; a dash when there is none."""
    if moment is None:
        return "–"
    from zoneinfo import ZoneInfo

    return f"{moment.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M} {zone}"


def many(count: int, noun: str) -> str:
    """Format a count with its noun: 1 application, 2 applications."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _drawn(listing: Listing) -> str:
    """Draw a table, as wide as the terminal, or as wide as it needs to be."""
    if not listing.rows:
        return clean(listing.empty)
    # Loaded for a table only: JSON and plain lines do without it.
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for number, header in enumerate(listing.headers):
        figures = all(isinstance(row[number], int | float) for row in listing.rows)
        table.add_column(Text(header), justify="right" if figures else "left", overflow="fold")
    for row in listing.rows:
        table.add_row(*(Text(_cell(cell)) for cell in row))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDE
    drawn = io.StringIO()
    Console(file=drawn, width=width, highlight=False).print(table)
    return "\n".join(line.rstrip() for line in drawn.getvalue().splitlines())


def _cell(cell: object) -> str:
    if cell is None or cell == "":
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return clean(str(cell)).replace("\n", " ")


def _finite(content: object) -> object:
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, Mapping):
        return {str(key): _finite(value) for key, value in content.items()}
    if isinstance(content, Iterable) and not isinstance(content, str):
        return [_finite(value) for value in content]
    return content


def _spelled(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    return str(value)
