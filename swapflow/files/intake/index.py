"""The index of a file that holds many documents: which is whose."""

from collections.abc import Mapping
from dataclasses import dataclass

from swapflow.domain.ids import same_id
from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.tables.cells import refuse, shorten
from swapflow.files.tables.columns import find_headers
from swapflow.files.tables.header_names import ID_SPELLINGS
from swapflow.files.tables.table import Source, Table, TableRow, read_table


MOST_DIGITS = 9
"""Digits of a page's number that are read."""

INDEX_NAMES = frozenset({"index.csv", "index.tsv", "index.txt", "index.xlsx"})
"""Names under which an archive holds its own index."""

_COLUMNS: dict[str, tuple[str, ...]] = {
    "application": (
        "application",
        "applicant",
        "candidate",
        *(s for s in ID_SPELLINGS if s not in {"#", "no", "nr"}),
    ),
    "file": ("file", "file_name", "filename", "path", "document", "datei", "dateiname"),
    "first": ("first", "first_page", "from", "from_page", "start", "start_page", "page", "von"),
    "last": ("last", "last_page", "to", "to_page", "end", "end_page", "bis"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRange:
    """Pages of one applicant in a combined PDF, both included, from 1; `file` names the part."""

    owner: str
    first: int
    last: int
    file: str = ""


def files_in_index(source: Source, name: str, ids: Mapping[str, str]) -> dict[str, str]:
    """Read which file is whose: path or file name, in small letters, by external id.

    Args:
        source: The index.
        name: What messages call it.
        ids: External ids of the program by their reduced form (`same_id`).

    Raises:
        InvalidInputError: If it cannot be read.
        BadRowsError: If a row names no applicant, no file, or a file of two applicants.
    """
    table, headers, bad = _read(source, name, ("application", "file"))
    owners: dict[str, str] = {}
    for row in table.rows if headers else ():
        owner, path = _owner(row, headers, ids, bad), row[headers["file"]].replace("\\", "/")
        key = path.strip().removeprefix("./").casefold()
        if not key:
            bad.append(_bad(row, headers["file"], "the file is missing", "Name it"))
        elif owners.get(key, owner) != owner:
            bad.append(_bad(row, headers["file"], "this file has two applicants", "Keep one"))
        else:
            owners[key] = owner
    refuse(table.source, bad)
    return owners


def pages_in_index(
    source: Source, name: str, ids: Mapping[str, str], *, pages: int
) -> tuple[PageRange, ...]:
    """Read whose pages are which; one column of pages alone means one page.

    Args as of `files_in_index`; `pages` is how many the PDF has.

    Raises:
        InvalidInputError: If it cannot be read.
        BadRowsError: If a row names no applicant, no pages of the PDF, or another's pages.
    """
    table, headers, bad = _read(source, name, ("application", "first"))
    found: list[PageRange] = []
    taken: dict[int, str] = {}
    for row in table.rows if headers else ():
        owner = _owner(row, headers, ids, bad)
        first = _number(row[headers["first"]])
        last = _number(row[headers["last"]]) if "last" in headers else first
        if first is None or last is None or not 1 <= first <= last <= pages:
            bad.append(
                _bad(
                    row,
                    headers["first"],
                    f"these are no pages of a file with {pages}",
                    "Give first and last page, from 1",
                )
            )
            continue
        shared = next((page for page in range(first, last + 1) if page in taken), None)
        if shared is not None and taken[shared] != owner:
            bad.append(
                _bad(
                    row,
                    headers["first"],
                    f"page {shared} is another applicant's as well",
                    "Give each page to one applicant",
                )
            )
            continue
        taken.update(dict.fromkeys(range(first, last + 1), owner))
        part = row[headers["file"]] if "file" in headers else ""
        found.append(PageRange(owner=owner, first=first, last=last, file=part))
    refuse(table.source, bad)
    return tuple(found)


def _read(
    source: Source, name: str, needed: tuple[str, ...]
) -> tuple[Table, Mapping[str, str], list[BadRow]]:
    table = read_table(source, name=name)
    headers = find_headers(table, _COLUMNS, {})
    missing = [role for role in needed if role not in headers]
    if missing:
        wanted = {"application": "applicant", "file": "file", "first": "first and last page"}
        raise InvalidInputError(
            "index_columns_missing",
            name=name,
            missing=[wanted[role] for role in missing],
            columns=list(table.headers),
        )
    return table, headers, list(table.bad)


def _owner(
    row: TableRow, headers: Mapping[str, str], ids: Mapping[str, str], bad: list[BadRow]
) -> str:
    text = row[headers["application"]]
    known = ids.get(same_id(text))
    if known is None:
        reason = "there is no applicant of that id" if text else "the applicant is missing"
        cure = "Correct it, or import the list with this applicant first"
        bad.append(_bad(row, headers["application"], reason, cure))
    return known or text


def _number(text: str) -> int | None:
    plain = text.strip().removesuffix(".0")
    is_number = plain.isascii() and plain.isdigit() and len(plain) <= MOST_DIGITS
    return int(plain) if is_number else None


def _bad(row: TableRow, header: str, reason: str, cure: str) -> BadRow:
    return BadRow(
        line=row.line, column=header, value=shorten(row[header]), reason=reason, cure=cure
    )
