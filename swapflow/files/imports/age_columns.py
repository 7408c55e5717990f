"""Columns of a list that hold dates of birth: reports keep age bands of them, and no date."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from swapflow.domain.people.age_bands import AgeBands, tells_age
from swapflow.domain.people.group_sizes import SMALL, compares_little
from swapflow.errors import InvalidInputError
from swapflow.files.tables.cells import is_missing
from swapflow.files.tables.dates import read_date
from swapflow.files.tables.table import Table


_YOUNGEST, _OLDEST = 10, 100
"""Ages between which all dates of a column have to lie for dates of birth, whatever its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgeColumns:
    """What is kept of the columns that are for reports only.

    Attributes:
        headers: Those that hold dates of birth or ages.
        bands: The bands that are kept of them.
        order: "dmy" or "mdy" for dates that can be read two ways.
        notes: What staff should know of these and other columns for reports.
    """

    headers: frozenset[str]
    bands: AgeBands
    order: str
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        table: Table,
        monitored: Iterable[tuple[str, str]],
        *,
        bands: AgeBands | None,
        order: str = "",
    ) -> "AgeColumns":
        """Find out which columns hold how old people are.

        Args:
            table: The list.
            monitored: (header, name) of the columns for reports only.
            bands: The bands; None leaves ages as they are, for a list that is not stored.
            order: "dmy" or "mdy", where staff said it.
        """
        if bands is None:
            return cls(headers=frozenset(), bands=AgeBands(on=date.max), order=order, notes=())
        order = order or "dmy"
        headers, notes = set(), []
        for header, name in monitored:
            cells = [row[header] for row in table.rows if not is_missing(row[header])]
            known = tells_age(header) or tells_age(name)
            read = [_band(cell, bands, order) for cell in cells]
            half = 2 * sum(map(bool, read)) >= len(cells)
            born = half if known else all(_is_birth(cell, bands, order) for cell in cells)
            if cells and born:
                headers.add(header)
                notes.append(
                    f"the column {header!r} holds how old people are: it is kept as age bands "
                    f"({', '.join(bands.names)}) for reports, and the dates are not stored. Other "
                    "bands: --age-bands, or the field of the preview"
                )
                if unread := read.count(None):
                    notes.append(
                        f"the column {header!r}: {unread} of {len(cells)} cells are no date of "
                        "birth and no age, and are kept as not known"
                    )
            elif compares_little([cells.count(value) for value in set(cells)]):
                notes.append(
                    f"the column {header!r} is for reports only and holds {len(set(cells))} "
                    f"values for {len(cells)} applicants: reports name groups of {SMALL} or more "
                    "alone. Bring wider groups (a region for a postcode), or leave it out"
                )
        return cls(headers=frozenset(headers), bands=bands, order=order, notes=tuple(notes))

    def kept(self, header: str, cell: str) -> str:
        """Return what is kept of a cell; "" for nothing."""
        if header not in self.headers:
            return cell
        return _band(cell, self.bands, self.order) or ""


def _is_birth(cell: str, bands: AgeBands, order: str) -> bool:
    """Whether a cell holds a day on which an applicant may have been born."""
    if cell.isdigit():  # a number may be anything
        return False
    try:
        born = read_date(cell, order=order)
    except InvalidInputError:
        return False
    return _YOUNGEST <= bands.on.year - born.year <= _OLDEST


def _band(cell: str, bands: AgeBands, order: str) -> str | None:
    found = bands.of(cell)
    if found is not None or cell in bands.names:
        return found or cell
    try:
        born = read_date(cell, order=order)
    except InvalidInputError:
        return None
    return bands.of_birth(born.date() if isinstance(born, datetime) else born)
