"""Which column of a table holds what, by its header or as staff say."""

from collections.abc import Mapping, Sequence

from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.tables.cells import shorten, spelling
from swapflow.files.tables.table import Table
from swapflow.messages import Message


NOUNS = {"application": "applicant", "reviewer": "reviewer"}
"""What messages call the two of a pair."""


def missing_columns(
    table: Table, headers: Mapping[str, str], roles: Sequence[str]
) -> list[BadRow]:
    """Name the columns that a table needs and does not have."""
    listed = ", ".join(repr(shorten(header)) for header in table.headers)
    return [
        BadRow(
            line=table.header_line,
            column="",
            value="",
            reason=Message("column_missing", role=_shown(role)),
            cure=Message("column_missing_cure", role=_shown(role), columns=listed),
        )
        for role in roles
        if role not in headers
    ]


def _shown(role: str) -> str:
    return NOUNS.get(role, "id" if role == "external_id" else role)


def find_headers(
    table: Table, columns: Mapping[str, Sequence[str]], mapping: Mapping[str, str]
) -> dict[str, str]:
    """Find the header of each role: by the mapping, else by the first known spelling.

    Raises:
        InvalidInputError: If the mapping names a column or a role that is not there.
    """
    for header, role in mapping.items():
        if header not in table.headers or role not in columns:
            raise InvalidInputError(
                "mapping_unknown_column",
                source=table.source,
                header=header,
                role=role,
                columns=table.headers,
                roles=columns,
            )
    found = {role: header for header, role in mapping.items()}
    # Reversed, so that of two headers that read alike the first one stays.
    free = {spelling(h): h for h in reversed(table.headers) if h not in mapping}
    for role, spellings in columns.items():
        known = next((free[s] for s in spellings if s in free), None)
        if role not in found and known is not None:
            found[role] = known
    return found
