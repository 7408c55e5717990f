"""Pairs of applicants and reviewers from a table, and ids that are nobody's: all or nothing."""

from collections.abc import Collection, Mapping

from swapflow.domain.ids import same_id
from swapflow.errors import BadRow
from swapflow.files.tables.cells import refuse, shorten
from swapflow.files.tables.columns import NOUNS, find_headers, missing_columns
from swapflow.files.tables.header_names import ID_SPELLINGS, REVIEWER_SPELLINGS
from swapflow.files.tables.table import Source, Table, read_table


def read_pairs(
    path_or_bytes: Source | Table,
    *,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    name: str = "",
    applications: Collection[str] | None = None,
    reviewers: Collection[str] | None = None,
) -> tuple[tuple[str, str], ...]:
    """Read pairs of (application, reviewer) external ids: conflicts.csv, panel.csv.

    A pair that occurs twice is one pair.

    Args:
        path_or_bytes: CSV, TSV, TXT, XLSX or JSON, as a path, an upload's bytes, or read already.
        mapping: What to take a header for, where its name does not say.
        encoding: Encoding of a text file, when staff know it.
        name: What messages call the file.
        applications: External ids that there are, whose spelling is given; None to take any.
        reviewers: External ids that there are, likewise.

    Raises:
        InvalidInputError: If the file cannot be read at all.
        BadRowsError: If a column is missing or a row names only one of the two.
    """
    table = (
        path_or_bytes
        if isinstance(path_or_bytes, Table)
        else read_table(path_or_bytes, encoding=encoding, name=name)
    )
    headers = find_headers(table, PAIR_COLUMNS, mapping or {})
    bad = [*table.bad, *missing_columns(table, headers, ("application", "reviewer"))]
    there = {"application": spelled(applications), "reviewer": spelled(reviewers)}
    pairs: dict[tuple[str, str], None] = {}
    if len(bad) == len(table.bad):
        for row in table.rows:
            found: list[str] = []
            for role, known in there.items():
                text = row[headers[role]]
                found.append(text if known is None else known.get(same_id(text), text))
                why = _strange(NOUNS[role], text, known)
                if why is not None:
                    reason, cure = why
                    bad.append(
                        BadRow(
                            line=row.line,
                            column=headers[role],
                            value=shorten(text),
                            reason=reason,
                            cure=cure,
                        )
                    )
            # A dict for its order: pairs stay in the order of the file, each once.
            pairs[found[0], found[1]] = None
    refuse(table.source, bad)
    return tuple(pairs)


def spelled(ids: Collection[str] | None) -> dict[str, str] | None:
    """Return the spelling of each id by its reduced form, which tells ids apart."""
    return None if ids is None else {same_id(known): known for known in ids}


def stranger(noun: str, text: str, known: Mapping[str, str]) -> tuple[str, str]:
    """Explain that an id is nobody's, and whose it may be: reason and cure.

    Spreadsheet programs take ids for numbers and eat the zeros before them.
    """
    # Spreadsheet programs take an id for a number and drop its leading zeros.
    bare = same_id(text).lstrip("0")
    meant = [one for same, one in known.items() if same.isdigit() and same.lstrip("0") == bare]
    cure = "Correct the id, or import that one first"
    if len(meant) == 1 and bare.isdigit():
        cure = f"Perhaps {meant[0]!r} is meant; format the column of ids as text"
    return f"there is no {noun} of that id in the program", cure


def _strange(noun: str, text: str, known: Mapping[str, str] | None) -> tuple[str, str] | None:
    if not text:
        return f"the {noun} is missing", "Give the id, or remove the row"
    if known is None or same_id(text) in known:
        return None
    return stranger(noun, text, known)


PAIR_COLUMNS: dict[str, tuple[str, ...]] = {
    "application": (
        "application",
        "applicant",
        "candidate",
        *(s for s in ID_SPELLINGS if s not in {"id", "#", "no", "nr"}),
        "id",
    ),
    "reviewer": (*REVIEWER_SPELLINGS, "email", "reviewername", "reviewer_name"),
}
