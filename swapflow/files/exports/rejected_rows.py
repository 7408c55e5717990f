"""The rows of a list that cannot be taken, as a list to be cured: reason and cure beside each."""

from collections.abc import Iterable

from swapflow.errors import BadRow
from swapflow.files.exports.writers import ExportSheet, Format, sheet_bytes
from swapflow.files.tables.table import Table


LINE, WRONG, CURE = "line", "what is wrong", "cure"


def refused_sheet(table: Table | None, bad: Iterable[BadRow]) -> ExportSheet:
    """Return a row for every line that cannot be taken, with its cells as they were read.

    Args:
        table: Supplies the cells; None if the file cannot be read as a table at all.
        bad: What is wrong with it.
    """
    headers = table.headers if table else ()
    cells = {row.line: row.cells for row in table.rows} if table else {}
    by_line: dict[int, list[BadRow]] = {}
    for row in sorted(bad, key=lambda row: row.line):
        by_line.setdefault(row.line, []).append(row)
    return ExportSheet(
        name="to-cure",
        headers=(LINE, WRONG, CURE, *headers),
        rows=tuple(
            (
                line or "",
                "\n".join(_wrong(row) for row in rows),
                "\n".join(dict.fromkeys(row.cure for row in rows)),
                *(cells.get(line, {}).get(header, "") for header in headers),
            )
            for line, rows in by_line.items()
        ),
    )


def refused_file(table: Table | None, bad: Iterable[BadRow], form: Format = Format.CSV) -> bytes:
    """Write such a list; safe for spreadsheet programs."""
    return sheet_bytes(refused_sheet(table, bad), form)


def _wrong(row: BadRow) -> str:
    place = f"{row.column}: " if row.column else ""
    value = f" ({row.value})" if row.value else ""
    return f"{place}{row.reason}{value}"
