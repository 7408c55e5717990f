"""Sheets that came back from reviewers, read cell by cell.

What their rows say is held against what was asked in `engine.scoring.offline_sheets`.
"""

import re
from dataclasses import dataclass

from swapflow.engine.scoring.sheet_plan import ReturnedRow
from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.exports.offline_sheet import (
    APPLICANT,
    LONGEST_NOTE,
    LONGEST_REMARK,
    MARK,
    NOT_ASKED,
    PRIVATE,
    REMARK,
    REVIEWER,
    TASK,
)
from swapflow.files.tables.cells import is_missing, read_number, shorten, spelling
from swapflow.files.tables.table import Source, Table, TableRow, read_table


_BRACKET = re.compile(r"\s*\[[^\[\]]*\]\s*$")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetBack:
    """A sheet as it came back, cell by cell.

    Attributes:
        bad: What could not be read; the rows concerned are not among `rows`.
    """

    source: str
    rows: tuple[ReturnedRow, ...]
    bad: tuple[BadRow, ...]
    warnings: tuple[str, ...]


def is_sheet(table: Table) -> bool:
    """Whether a table is a sheet that went out: its rows have keys."""
    return any(spelling(header) == spelling(TASK) for header in table.headers)


def read_sheet_file(source: Source, *, encoding: str | None = None, name: str = "") -> SheetBack:
    """Read a sheet that came back, from a file.

    Raises:
        InvalidInputError: If it is no table, or no sheet.
    """
    return returned(read_table(source, encoding=encoding, name=name))


def returned(table: Table) -> SheetBack:
    """Read the rows of a sheet that came back.

    Raises:
        InvalidInputError: If no column holds the keys.
    """
    if not is_sheet(table):
        raise InvalidInputError("sheet_without_key_column", source=table.source, column=TASK)
    reader = _Cells(table)
    rows = [row for row in map(reader.row, table.rows) if row is not None]
    ours = ("the sheet 'reviews' was read, not 'scale'",)
    return SheetBack(
        source=table.source,
        rows=tuple(rows),
        bad=(*table.bad, *reader.bad),
        warnings=tuple(w for w in table.warnings if not w.startswith(ours)),
    )


class _Cells:
    """Reads rows cell by cell, and notes what cannot be read."""

    def __init__(self, table: Table) -> None:
        self._formulas = table.formulas
        self._columns: dict[str, str] = {}
        self._marks: dict[str, str] = {}
        for header in table.headers:
            name = _BRACKET.sub("", header).strip()
            if name.casefold().startswith(MARK.strip()):
                self._marks[name[len(MARK.strip()) :].strip()] = header
            else:
                # The first column of a name counts: what people add beside it does not replace it.
                self._columns.setdefault(spelling(name), header)
        self.bad: list[BadRow] = []

    def row(self, row: TableRow) -> ReturnedRow | None:
        """Read one row; None when something in it cannot be read."""
        before = len(self.bad)
        said = self._said(row)
        for header in said:
            if (row.line, header) in self._formulas:
                reason = "this cell holds a formula, not a value"
                self._refuse(row, header, reason, "Type the value itself")
        marks = {n: self._mark(row, h) for n, h in self._marks.items() if h in said}
        read = ReturnedRow(
            line=row.line,
            task=self._cell(row, TASK),
            reviewer=self._cell(row, REVIEWER),
            applicant=self._cell(row, APPLICANT) if APPLICANT in self._columns else None,
            marks=marks,
            score=self._number(row, "score"),
            confidence=self._whole(row, "confidence"),
            remark=self._text(row, REMARK, LONGEST_REMARK),
            private=self._text(row, PRIVATE, LONGEST_NOTE),
            headers={**self._marks, **self._named("score", "confidence")},
        )
        return read if len(self.bad) == before else None

    def _named(self, *names: str) -> dict[str, str]:
        return {name: self._columns[name] for name in names if name in self._columns}

    def _said(self, row: TableRow) -> set[str]:
        """Return the headers of the cells that the reviewer has filled."""
        names = (spelling(n) for n in ("score", "confidence", REMARK, PRIVATE))
        headers = [*self._marks.values(), *(self._columns[n] for n in names if n in self._columns)]
        return {
            header
            for header in headers
            if row[header] not in {"", NOT_ASKED} or (row.line, header) in self._formulas
        }

    def _cell(self, row: TableRow, name: str) -> str:
        header = self._columns.get(spelling(name), "")
        return row[header] if header else ""

    def _mark(self, row: TableRow, header: str) -> float | None:
        text = row[header]
        if spelling(text) in {"n_a", "na"}:
            return None
        number = read_number(text)
        if number is None and not is_missing(text):
            self._refuse(row, header, "this is no mark", "Write one of the marks, or N/A")
        elif number is None:
            reason = "this says that there is no mark, and not why"
            self._refuse(row, header, reason, "Write N/A for what cannot be judged")
        return number

    def _number(self, row: TableRow, name: str) -> float | None:
        text = self._cell(row, name)
        if text in {"", NOT_ASKED}:
            return None
        number = read_number(text)
        if number is None:
            self._refuse(row, self._columns[name], "this is no number", "Correct it")
        return number

    def _whole(self, row: TableRow, name: str) -> int | None:
        number = self._number(row, name)
        if number is not None and number != int(number):
            self._refuse(row, self._columns[name], "this is no whole number", "Correct it")
            return None
        return None if number is None else int(number)

    def _text(self, row: TableRow, name: str, most: int) -> str:
        text = self._cell(row, name).replace("\r\n", "\n").strip()
        header = self._columns.get(spelling(name), "")
        if len(text) > most:
            reason = f"these are {len(text):,} characters, and {most:,} are the most"
            self._refuse(row, header, reason, "Shorten the text")
        if _CONTROL.search(text):
            self._refuse(row, header, "there is a control character in it", "Type it anew")
        return text

    def _refuse(self, row: TableRow, header: str, reason: str, cure: str) -> None:
        # What is refused is shown on a page and in a terminal, so nothing invisible is repeated.
        value = _CONTROL.sub("\ufffd", shorten(row[header]))
        self.bad.append(
            BadRow(line=row.line, column=header, value=value, reason=reason, cure=cure)
        )
