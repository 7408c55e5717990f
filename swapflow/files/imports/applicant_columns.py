"""What the columns of a list of applicants are taken for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from swapflow.domain.lists.listed_status import listed_status
from swapflow.domain.people.age_bands import AgeBands, tells_age
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.group_sizes import SMALL, compares_little
from swapflow.domain.people.plain_words import fold
from swapflow.domain.people.protected_attributes import protected_trait
from swapflow.domain.rules import Rules
from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.tables.cells import is_missing, shorten, spelling
from swapflow.files.tables.dates import read_date
from swapflow.files.tables.header_names import (
    EMAIL,
    FIRST,
    ID_SPELLINGS,
    LAST,
    NAME,
    STATUS,
    WEAK_ID,
    WITHDRAWN,
)
from swapflow.files.tables.table import Table


_READY = ("ready",)
_TOPIC = ("topic",)


@dataclass(slots=True)
class Columns:
    """Which column is taken for what."""

    line: int
    taken_for: dict[str, str] = field(default_factory=dict)
    bad: list[BadRow] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _of_role: dict[str, list[str]] | None = None

    @classmethod
    def of(
        cls, table: Table, mapping: Mapping[str, str], rules: Rules | None, key: str
    ) -> "Columns":
        """Assign each column the role that the mapping names, else the one of its header.

        What cannot be so is noted in `bad`: a mapping of nothing, two columns for one thing, no
        id, a protected trait where it may not enter.
        """
        columns = cls(line=table.header_line)
        columns._take_mapping(table, mapping)
        for header in table.headers:
            if header not in columns.taken_for:
                columns.taken_for[header] = _meaning(header, rules)
                columns._resolve_status(table, header)
                columns._leave_out_hidden(table, header)
        columns._find_id(table, key)
        columns._check(rules)
        columns._of_role = {}  # from now on nothing changes, and each row asks for its columns
        return columns

    def headers(self, role: str) -> list[str]:
        """Return the headers taken for a role, left to right."""
        known = self._of_role
        if known is None:
            return [h for h, taken in self.taken_for.items() if taken == role]
        if role not in known:
            known[role] = [h for h, taken in self.taken_for.items() if taken == role]
        return known[role]

    def named(self, role: str) -> Iterator[tuple[str, str]]:
        """Return (header, NAME) of the columns taken for `role:NAME`."""
        for header, taken in self.taken_for.items():
            if taken.startswith(f"{role}:"):
                yield header, taken.removeprefix(f"{role}:")

    def _take_mapping(self, table: Table, mapping: Mapping[str, str]) -> None:
        for header, role in mapping.items():
            if header not in table.headers:
                self._refuse(
                    header,
                    "the mapping names this column, and the file has none of that name",
                    f"Name one of {', '.join(map(repr, table.headers))}",
                )
            elif role and not _is_role(role):
                self._refuse(
                    header,
                    f"the mapping takes it for {role!r}, which is nothing an import knows",
                    f"Use one of {', '.join(_ROLES)}, select:NAME, monitor:NAME, document:NAME, "
                    "field:NAME",
                )
            else:
                # In the order of the file, whatever the order of the mapping.
                self.taken_for[header] = _full_role(role)
        self.taken_for = {h: self.taken_for[h] for h in table.headers if h in self.taken_for}

    def _leave_out_hidden(self, table: Table, header: str) -> None:
        """Leave out what the sheet hides: who hid it did not mean it for reviewers."""
        if header in table.hidden and self.taken_for[header].startswith(("field:", "document:")):
            self.taken_for[header] = ""
            self.warnings.append(
                f"the column {header!r} is hidden in the sheet and was left out; say by a mapping "
                f"(field:{header}) that reviewers shall see it"
            )

    def _resolve_status(self, table: Table, header: str) -> None:
        """Take a column of that name for the status only where a value says who takes no part."""
        if self.taken_for[header] != "status?":
            return
        values = {listed_status(row[header]) for row in table.rows}
        says = values - {None, ApplicationStatus.READY}
        self.taken_for[header] = "status" if says else f"field:{header}"

    def _find_id(self, table: Table, key: str) -> None:
        self.taken_for = {h: self.taken_for[h] for h in table.headers if h in self.taken_for}
        if key == "email":
            for header in self.headers("external_id?"):
                self.taken_for[header] = f"field:{header}"
            if not self.headers("email"):
                self._refuse(
                    "",
                    "the e-mail is to be the key, and there is no column for it",
                    f"Name it email; the columns are {_listed(table)}",
                )
            return
        candidates = self.headers("external_id?")
        strong = [h for h in candidates if spelling(h) not in WEAK_ID]
        exact = [h for h in candidates if spelling(h) == "external_id"]
        # Beside an id, a reference is a letter.
        surer = [h for h in strong if spelling(h) != "reference"]
        chosen = self.headers("external_id") or exact or surer or strong or candidates
        if len(chosen) > 1:
            self._refuse(
                chosen[1],
                "more than one column could be the applicant's id: "
                + ", ".join(map(repr, chosen)),
                "Say which one by a mapping to external_id",
            )
        if not chosen:
            self._refuse(
                "",
                "there is no column with the applicant's id",
                "Name it id, or say by a mapping which it is. If mail addresses shall name the "
                "applicants, say so (--key email, or the choice on the page). The columns are "
                f"{_listed(table)}",
            )
        for header in candidates:
            self.taken_for[header] = f"field:{header}"
        for header in chosen[:1]:
            self.taken_for[header] = "external_id"

    def _check(self, rules: Rules | None) -> None:
        for role in ("name", "email", "ready", "status", "withdrawn", "topic", "redacted"):
            twice = self.headers(role)
            if len(twice) > 1:
                self._refuse(
                    twice[1],
                    f"more than one column is taken for {role}: {', '.join(map(repr, twice))}",
                    "Say by a mapping which one it is",
                )
        wanted = rules.attributes if rules else ()
        basis = rules.objective.legal_basis.strip() if rules else ""
        selected = {name for _, name in self.named("select")}
        for header, name in self.named("select"):
            trait = protected_trait(name)
            if trait and not (basis and name in wanted):
                self._refuse(
                    header,
                    f"{name!r} is on the list of protected traits and their proxies ({trait}); it "
                    "may enter reports, not the selection",
                    f"Name the column monitor:{name}, or record a legal basis for it in the rules",
                )
        for missing in (name for name in wanted if name not in selected):
            self._refuse(
                "",
                f"the rules choose a list by {missing!r}, and there is no such column",
                f"Name the column {missing!r}, or change the rules",
            )

    def _refuse(self, column: str, reason: str, cure: str) -> None:
        self.bad.append(BadRow(line=self.line, column=column, value="", reason=reason, cure=cure))


_ROLES = (
    "external_id",
    "name",
    "first_name",
    "last_name",
    "email",
    "ready",
    "status",
    "withdrawn",
    "topic",
    "document",
    "redacted",
)
_PREFIXES = ("select:", "monitor:", "document:", "field:")


def _is_role(role: str) -> bool:
    return role in _ROLES or any(
        role.startswith(prefix) and role.removeprefix(prefix).strip() for prefix in _PREFIXES
    )


def _full_role(role: str) -> str:
    return "document:document" if role == "document" else role


def _meaning(header: str, rules: Rules | None) -> str:
    """Return what a header is taken for when no mapping says it."""
    for prefix in _PREFIXES:
        if header.casefold().startswith(prefix) and header[len(prefix) :].strip():
            return prefix + header[len(prefix) :].strip()
    for wanted in rules.attributes if rules else ():
        if spelling(header) == spelling(wanted):
            return f"select:{wanted}"
    spelled = fold(spelling(header))
    for role, spellings in _SPELLINGS.items():
        if spelled in spellings:
            return _full_role(role)
    return f"monitor:{header}" if protected_trait(header) else f"field:{header}"


_SPELLINGS: dict[str, tuple[str, ...]] = {
    "external_id?": ID_SPELLINGS,
    "name": NAME,
    "first_name": FIRST,
    "last_name": LAST,
    "email": EMAIL,
    "ready": _READY,
    "status?": STATUS,
    "withdrawn": WITHDRAWN,
    "topic": _TOPIC,
    "document": ("document",),
    "redacted": ("redacted",),
}


def _listed(table: Table) -> str:
    return ", ".join(repr(shorten(header)) for header in table.headers)


# Ages


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
