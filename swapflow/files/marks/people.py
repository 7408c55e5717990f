"""Beside the marks: everyone who applied, and requests that are out already."""

from collections.abc import Mapping
from dataclasses import dataclass

from swapflow.domain.ids import same_id
from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.marks.header_words import APPLICANT, KIND, MARK, REVIEWER
from swapflow.files.tables.cells import is_missing, refuse, shorten, spelling
from swapflow.files.tables.columns import find_headers, missing_columns
from swapflow.files.tables.table import Source, Table, read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A request that is out; `reviewer` and `kind` are "" where the file does not say."""

    applicant: str
    reviewer: str
    kind: str


def read_applicants(
    source: Source, *, encoding: str | None = None
) -> dict[str, Mapping[str, str]]:
    """Read everyone who applied, with all that the table says of them, by id.

    Raises:
        InvalidInputError: If the file cannot be read at all.
        BadRowsError: If a row names no applicant, or one twice.
    """
    table = read_table(source, encoding=encoding)
    header = _headers(table, {"application": APPLICANT})["application"]
    found: dict[str, Mapping[str, str]] = {}
    lines: dict[str, int] = {}
    bad = []
    for row in table.rows:
        text = row[header]
        line = lines.setdefault(same_id(text), row.line)
        if is_missing(text) or line != row.line:
            reason = "the id is missing" if is_missing(text) else f"stands on line {line} as well"
            bad.append(
                BadRow(
                    line=row.line,
                    column=header,
                    value=shorten(text),
                    reason=reason,
                    cure="Keep one row for each applicant",
                )
            )
            continue
        found[text] = {
            spelling(name): cell for name, cell in row.cells.items() if cell and name != header
        } | {name: cell for name, cell in row.cells.items() if cell and name != header}
    refuse(table.source, bad)
    return found


def read_pending(source: Source, *, encoding: str | None = None) -> tuple[Pending, ...]:
    """Read requests that are out: rows of `next.csv` whose mark is still empty.

    Raises:
        InvalidInputError: If the file cannot be read at all.
        BadRowsError: If no column names applicants, or a row names none.
    """
    table = read_table(source, encoding=encoding)
    columns = {"application": APPLICANT, "reviewer": REVIEWER, "kind": KIND, "mark": MARK}
    headers = _headers(table, columns)
    found, bad = [], []
    for row in table.rows:
        cells = {role: row[header] for role, header in headers.items()}
        if is_missing(cells["application"]):
            bad.append(
                BadRow(
                    line=row.line,
                    column=headers["application"],
                    value="",
                    reason="the applicant is missing",
                    cure="Give the id, or remove the row",
                )
            )
        elif is_missing(cells.get("mark", "")):
            found.append(
                Pending(
                    applicant=cells["application"],
                    reviewer=cells.get("reviewer", ""),
                    kind=cells.get("kind", ""),
                )
            )
    refuse(table.source, bad)
    return tuple(found)


def _headers(table: Table, columns: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    headers = find_headers(table, columns, {})
    refuse(table.source, [*table.bad, *missing_columns(table, headers, ("application",))])
    return headers


def read_returned(source: Source) -> int:
    """Count the marks that were typed into a table of requests; 0 where it is none."""
    try:
        table = read_table(source)
    except InvalidInputError:
        return 0
    header = find_headers(table, {"mark": ("mark",)}, {}).get("mark")
    return sum(not is_missing(row[header]) for row in table.rows) if header else 0
