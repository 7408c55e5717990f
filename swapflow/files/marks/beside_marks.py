"""What a table of marks says beside them: conflicts, and the cells of all other columns."""

import re
from collections.abc import Mapping

from swapflow.domain.ids import same_id
from swapflow.files.marks.layout import MarksLayout
from swapflow.files.marks.mark_cells import says_conflict
from swapflow.files.tables.cells import is_missing
from swapflow.files.tables.table import Table


YES = frozenset({"yes", "y", "true", "x", "1", "ja", "j", "wahr", "oui", "si"})
NO = frozenset({"no", "n", "false", "0", "none", "nein", "keine", "keiner", "falsch", "non"})

_SEVERAL = re.compile(r"\s*[;,\n|]\s*")


def values_beside(
    table: Table, layout: MarksLayout, spelled: Mapping[str, str]
) -> Mapping[str, Mapping[str, str]]:
    """Return the cells of the columns that are nothing else, by column and applicant.

    Args:
        table: What was read.
        layout: How it was understood.
        spelled: Applicants as the file spells them first, by what makes an id the same.
    """
    used = {*layout.roles.values(), *(one.header for one in layout.marks)}
    used |= {one.named_in for one in layout.marks}
    values: dict[str, dict[str, str]] = {h: {} for h in table.headers if h not in used}
    for row in table.rows:
        known = spelled.get(same_id(row[layout.roles["applicant"]]))
        if known is None:
            continue
        for header, held in values.items():
            if row[header]:
                held.setdefault(known, row[header])
    return values


def conflicts_in(
    table: Table, layout: MarksLayout, spelled: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """Return who may not review which applicant: (applicant, reviewer), each as it is spelled.

    A cell names reviewers, or says yes of the reviewer of its row.
    """
    header = layout.roles.get("conflicts")
    found: dict[tuple[str, str], None] = _said_in_cells(table, layout, spelled)
    if header is None:
        return tuple(found)
    for row in table.rows:
        applicant = spelled.get(same_id(row[layout.roles["applicant"]]))
        cell = row[header]
        if applicant is None or is_missing(cell) or cell.strip().casefold() in NO:
            continue
        names = _SEVERAL.split(cell.strip())
        if cell.strip().casefold() in YES:
            names = [row[layout.roles["reviewer"]]] if "reviewer" in layout.roles else []
        found |= dict.fromkeys((applicant, name) for name in names if not is_missing(name))
    return tuple(found)


def _said_in_cells(
    table: Table, layout: MarksLayout, spelled: Mapping[str, str]
) -> dict[tuple[str, str], None]:
    """Find the cells that say "COI" where a reviewer's mark would be."""
    found: dict[tuple[str, str], None] = {}
    for row in table.rows:
        applicant = spelled.get(same_id(row[layout.roles["applicant"]]))
        for one in layout.marks:
            if applicant is None or not says_conflict(row[one.header]):
                continue
            named = row[one.named_in] if one.named_in else one.reviewer
            who = named or (row[layout.roles["reviewer"]] if "reviewer" in layout.roles else "")
            if not is_missing(who):
                found[applicant, who] = None
    return found
