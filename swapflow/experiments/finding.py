"""What a study found: tables, figures, and two sentences; how they are written and read back."""

import csv
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from matplotlib.figure import Figure

from swapflow.errors import InvalidInputError
from swapflow.experiments.figures import house_style, save


Value = str | float | int | bool | None
"""A cell of a table; None where there is nothing to say."""

Row = Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingTable:
    """Rows under named columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Self:
        """Build a table of rows that all have the columns of the first."""
        columns = tuple(rows[0]) if rows else ()
        return cls(columns=columns, rows=tuple(tuple(row[c] for c in columns) for row in rows))

    def column(self, name: str) -> list[Value]:
        """Return one column, top to bottom."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def numbers(self, name: str) -> list[float]:
        """Return one column of numbers; NaN where there is none."""
        return [math.nan if value is None else float(value) for value in self.column(name)]

    def where(self, **wanted: Value) -> Self:
        """Keep the rows with these values."""
        places = {self.columns.index(name): value for name, value in wanted.items()}
        kept = (r for r in self.rows if all(r[at] == value for at, value in places.items()))
        return type(self)(columns=self.columns, rows=tuple(kept))

    def records(self) -> list[dict[str, Value]]:
        """Return the rows as mappings."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def write(self, path: Path) -> None:
        """Write as CSV: numbers in full where short, else to seven digits."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows([_spelled(value) for value in row] for row in self.rows)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read what `write` wrote; numbers come back as far as they were written."""
        with path.open(newline="", encoding="utf-8") as file:
            columns, *rows = list(csv.reader(file))
        return cls(
            columns=tuple(columns), rows=tuple(tuple(_read(v) for v in row) for row in rows)
        )

    def rounded(self) -> Self:
        """Return the table as it comes back from its CSV file."""
        rows = tuple(tuple(_read(_spelled(value)) for value in row) for row in self.rows)
        return type(self)(columns=self.columns, rows=rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a study found.

    Attributes:
        tables: By name; the first one is what its figures draw.
        figures: By name, each made anew from the tables when asked for.
        seen: What we see, in one sentence or two, with numbers.
        beside: What the paper prints beside what we find, ready to show; may be empty.
        notes: What is comparable and what is not, and other honest remarks.
    """

    tables: dict[str, FindingTable]
    figures: dict[str, Callable[[dict[str, FindingTable]], Figure]]
    seen: str
    beside: FindingTable | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """How a finding came about.

    Attributes:
        command: The command that makes it again.
        seed: Where its random numbers start.
        commit: The commit of the code, with "+" behind if files had been changed.
        seconds: How long it took.
        numpy: Version of numpy.
    """

    command: str
    seed: int
    commit: str
    seconds: float
    numpy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRecord:
    """All about a finding but its numbers and pictures: what its JSON file holds."""

    study: str
    group: str
    title: str
    paper: str
    seen: str
    effort: str
    made: Made
    tables: tuple[str, ...]
    figures: tuple[str, ...]
    beside: FindingTable | None = None
    notes: tuple[str, ...] = ()
    missing: str = field(default="")


def write_finding(
    finding: Finding, record: FindingRecord, folder: Path, *, png: bool
) -> list[Path]:
    """Write CSV, SVG, PNG and JSON of a finding; figures draw exactly what the CSV holds."""
    written = []
    tables = {name: table.rounded() for name, table in finding.tables.items()}
    for name, table in tables.items():
        path = folder / f"{name}.csv"
        table.write(path)
        written.append(path)
    for name, draw in finding.figures.items():
        with house_style():
            figure = draw(tables)
        written += save(figure, folder / name, png=png)
    return [*written, write_record(record, folder)]


def write_record(record: FindingRecord, folder: Path) -> Path:
    """Write the JSON of a finding, or of a study that could not be run."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{record.study}.json"
    path.write_text(
        json.dumps(asdict(record), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return path


def read_record(path: Path) -> FindingRecord:
    """Read the JSON of a finding.

    Raises:
        InvalidInputError: If it is none.
    """
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        beside = held.pop("beside")
        made = Made(**held.pop("made"))
        tables, figures, notes = (tuple(held.pop(n)) for n in ("tables", "figures", "notes"))
        table = beside and FindingTable(
            columns=tuple(beside["columns"]), rows=tuple(tuple(row) for row in beside["rows"])
        )
        return FindingRecord(
            made=made, beside=table, tables=tables, figures=figures, notes=notes, **held
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInputError("finding_unreadable", path=path, problem=error) from error


def _spelled(value: Value) -> str:
    """Format a cell: seven digits are more than any error bar here deserves."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.7g}"
    return str(value)


def _read(text: str) -> Value:
    """Read a cell as what it looks like."""
    if text in {"yes", "no"}:
        return text == "yes"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or None
