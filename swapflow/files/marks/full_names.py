"""Applicants whose names stand in two columns, and addresses that are theirs."""

from collections.abc import Mapping
from dataclasses import replace

from swapflow.files.marks.header_words import APPLICANT
from swapflow.files.tables.cells import is_missing, spelling
from swapflow.files.tables.header_names import EMAIL, FIRST, LAST, WEAK_ID
from swapflow.files.tables.table import Table, TableRow


_FIRST = (*FIRST, "first", "prénom", "nombre", "nome", "given", "rufname", "voornaam")
_LAST = (
    *LAST, "last", "nom", "apellido", "apellidos", "cognome", "family", "familienname", "name",
    "achternaam", "zuname",
)  # fmt: skip


def with_full_names(table: Table, stated: Mapping[str, str]) -> Table:
    """Return a table with a column of whole names where only parts of them name applicants.

    Args:
        table: What was read.
        stated: The role of each column of which staff say it.
    """
    spelled = {spelling(header): header for header in reversed(table.headers)}
    first = next((spelled[name] for name in _FIRST if name in spelled), None)
    last = next(
        (spelled[name] for name in _LAST if name in spelled and spelled[name] != first), None
    )
    ids = {*APPLICANT, *WEAK_ID} - {*_FIRST, *_LAST}
    known = "applicant" in stated.values() or bool((ids - WEAK_ID) & spelled.keys())
    if first is None or last is None or known:
        return table
    header = f"{last}, {first}"
    if header in table.headers:
        return table
    rows = tuple(
        TableRow(row.line, {header: _joined(row[last], row[first]), **row.cells})
        for row in table.rows
    )
    return replace(table, headers=(header, *table.headers), rows=rows)


def full_name_of(table: Table) -> str:
    """Return the column that `with_full_names` added; "" where there is none."""
    first = table.headers[0] if table.headers else ""
    parts = first.split(", ")
    return first if len(parts) == 2 and set(parts) <= set(table.headers[1:]) else ""  # noqa: PLR2004 - two names


def _joined(last: str, first: str) -> str:
    return ", ".join(part for part in (last, first) if not is_missing(part))


def own_addresses(table: Table, applicant: str, header: str) -> bool:
    """Whether a column of addresses is the applicants' own: another one in every row.

    A reviewer's address comes back; where each applicant has one row and each row another
    address, it says nothing of who gave the marks.
    """
    if spelling(header) not in EMAIL:
        return False
    filled = [row for row in table.rows if not is_missing(row[header])]
    addresses = {row[header].casefold() for row in filled}
    people = {row[applicant].casefold() for row in filled}
    return len(addresses) == len(filled) == len(people)
