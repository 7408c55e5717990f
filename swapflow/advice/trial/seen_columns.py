"""The columns of a spreadsheet that was refused, so that a visitor can say what they are."""

from collections.abc import Mapping
from itertools import islice

from swapflow.errors import SwapflowError
from swapflow.files.marks.layout import guess_roles
from swapflow.files.marks.mark import HowToRead
from swapflow.files.tables.cells import shorten
from swapflow.files.tables.table import read_table


MOST_COLUMNS = 60
"""Columns of a file that a page lists."""

LONGEST_FIRST = 40
"""Characters of a first cell that are shown."""


def seen_columns(
    data: bytes, name: str, stated: Mapping[str, str]
) -> tuple[tuple[str, str, str], ...]:
    """Return (header, first cell, what it is taken for) of each column; none of no table.

    Args:
        data: The spreadsheet.
        name: What messages call it.
        stated: What the visitor said already, by header.
    """
    try:
        table = read_table(data, name=name)
    except SwapflowError:
        return ()
    there = {header: role for header, role in stated.items() if header in table.headers}
    roles = guess_roles(table, HowToRead(columns=there))
    return tuple(
        (
            header,
            shorten(next((row[header] for row in table.rows if row[header]), ""), LONGEST_FIRST),
            roles.get(header, ""),
        )
        for header in islice(table.headers, MOST_COLUMNS)
    )
