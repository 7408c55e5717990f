"""Reviewers from a table: all or nothing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from swapflow.domain.ids import KIND_NAME, same_id
from swapflow.domain.people.mail_address import read_address
from swapflow.domain.people.reviewer import Absence, NewReviewer
from swapflow.domain.rules import Purpose, Rules
from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.imports.id_column import IdColumn
from swapflow.files.tables.cells import read_yes_no, refuse, shorten, spelling, split_list
from swapflow.files.tables.columns import find_headers, missing_columns
from swapflow.files.tables.header_names import REVIEWER_SPELLINGS
from swapflow.files.tables.table import Source, Table, TableRow, read_table
from swapflow.messages import Message


_OWN_ID = ("external_id", "id", *REVIEWER_SPELLINGS, "#")
_COLUMNS: dict[str, tuple[str, ...]] = {
    "external_id": _OWN_ID,
    "name": ("name", "full_name", "reviewer_name", "reviewername", "member_name"),
    "email": ("email", "e_mail", "email_address", "mail"),
    "group": ("group", "team", "department"),
    "kinds": ("kinds", "kind"),
    "capacity": ("capacity",),
    "packet": ("packet", "packet_size"),
    "topics": ("topics", "topic", "expertise"),
    "conflicts": ("conflicts", "conflict"),
    "away": ("away", "absences", "absent"),
    "automatic": ("automatic",),
    "reserve": ("reserve", "in_reserve"),
}
_CAPACITY = "capacity"
_ATTRIBUTES = {"away": "absences"}
"""Attributes of a reviewer that are called otherwise than their column."""
_UNLIMITED = frozenset({"", "unlimited", "any", "∞", "unbegrenzt", "illimité", "ilimitado"})
_NOT_ASKED = frozenset({"none", "-", "–", "—", "n/a"})
_AUTOMATIC = re.compile(r"(truth:|replay:|https?://)\S.*", re.IGNORECASE)
_WHOLE = re.compile(r"\d{1,6}")


def read_reviewers(
    path_or_bytes: Source,
    *,
    rules: Rules | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    name: str = "",
) -> tuple[NewReviewer, ...]:
    """Read a roster.

    Columns: reviewer_id (or id, email where there is no other), name, email, group;
    `capacity:KIND` for each kind (blank: unlimited; no or 0: not asked), or `kinds` (separated by
    semicolons) with one `capacity`; packet, topics and conflicts (separated by semicolons), away
    (2026-01-05..2026-01-20; …), automatic, reserve (yes: kept for reconsiderations). Where a
    `capacity:` column is missing, a new reviewer is not asked for that kind; where no column
    speaks of kinds, every kind of the rules is asked, without limit. Of a reviewer who is there,
    what the columns do not speak of stays.

    Args:
        path_or_bytes: CSV, TSV, TXT or XLSX, as a path or an upload's bytes.
        rules: Supply the kinds, and whether programs may score in this cycle.
        mapping: What to take a header for, where its name does not say.
        encoding: Encoding of a text file, when staff know it.
        name: What messages call the file.

    Raises:
        InvalidInputError: If the file cannot be read at all.
        BadRowsError: If anything in it cannot be used; it lists every place.
    """
    found = examine_reviewers(
        path_or_bytes, rules=rules, mapping=mapping, encoding=encoding, name=name
    )
    refuse(found.source, found.bad)
    return found.new


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewersImport:
    """What a file of reviewers holds.

    Attributes:
        new: The reviewers, in the order of the file.
        bad: Every row that keeps the file from being imported.
        columns: What each header was taken for; "" for those that are left out.
        source: What messages call the file.
    """

    new: tuple[NewReviewer, ...]
    bad: tuple[BadRow, ...]
    columns: Mapping[str, str]
    source: str


def examine_reviewers(
    path_or_bytes: Source | Table,
    *,
    rules: Rules | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    name: str = "",
) -> ReviewersImport:
    """Report what `read_reviewers` would import and refuse, without refusing it.

    Args as there; a table that was read already will do too. A mapping may also take a header
    for `capacity:KIND`, or for "", which leaves the column out.

    Raises:
        InvalidInputError: If the file cannot be read at all.
    """
    table = (
        path_or_bytes
        if isinstance(path_or_bytes, Table)
        else read_table(path_or_bytes, encoding=encoding, name=name)
    )
    asked = dict(mapping or {})
    unused = {header for header, role in asked.items() if not role}
    capacities = {
        header: role for header, role in asked.items() if role.startswith(f"{_CAPACITY}:")
    }
    named = {h: r for h, r in asked.items() if h not in unused and h not in capacities}
    kept = replace(table, headers=tuple(h for h in table.headers if h not in unused))
    headers = find_headers(kept, _COLUMNS, named)
    if "external_id" not in headers and "email" in headers:
        # For a reviewer the address is a key: it is what they sign in with.
        headers["external_id"] = headers["email"]
    ids = IdColumn.of(kept, headers.get("external_id", ""))
    roster = _Roster(kept, rules, headers, ids, capacities)
    bad = [*table.bad, *roster.check_columns()]
    if len(bad) == len(table.bad):
        for row in table.rows:
            roster.take(row)
        bad += roster.bad
    return ReviewersImport(
        new=tuple(roster.new.values()),
        bad=tuple(sorted(bad, key=lambda row: row.line)),
        columns=dict.fromkeys(table.headers, "") | roster.taken_for(),
        source=table.source,
    )


REVIEWER_ROLES: tuple[str, ...] = tuple(_COLUMNS)
"""What a column of a roster can be taken for, beside `capacity:KIND`."""


@dataclass(slots=True)
class _Roster:
    """Takes rows one by one."""

    table: Table
    rules: Rules | None
    headers: dict[str, str]
    ids: IdColumn
    mapped: Mapping[str, str] = field(default_factory=dict)
    new: dict[str, NewReviewer] = field(default_factory=dict)
    bad: list[BadRow] = field(default_factory=list)
    _lines: dict[str, int] = field(default_factory=dict)

    def check_columns(self) -> list[BadRow]:
        """Name what is wrong with the header."""
        bad = missing_columns(self.table, self.headers, ("external_id",))
        known = self._kinds()
        for header, kind in self._capacities():
            if (known and kind not in known) or not KIND_NAME.fullmatch(kind):
                bad.append(
                    BadRow(
                        line=self.table.header_line,
                        column=header,
                        value="",
                        reason=Message("kind_column_unknown", kind=kind),
                        cure=Message("kinds_are", kinds=known)
                        if known
                        else "Write capacity:review, for example",
                    )
                )
        return bad

    def taken_for(self) -> dict[str, str]:
        """Return what each column that is used was taken for."""
        taken = {header: role for role, header in self.headers.items()}
        return taken | {header: f"{_CAPACITY}:{kind}" for header, kind in self._capacities()}

    def take(self, row: TableRow) -> None:
        """Read one row; a problem is noted and the row left out."""
        before = len(self.bad)
        reviewer = NewReviewer(
            external_id=self._cell(row, "external_id"),
            name=self._cell(row, "name"),
            email=self._email(row),
            group=self._cell(row, "group"),
            capacity=self._capacity(row),
            packet=self._packet(row),
            automatic=self._automatic(row),
            topics=split_list(self._cell(row, "topics")),
            conflicts=split_list(self._cell(row, "conflicts")),
            absences=self._absences(row),
            reserve=self._reserve(row),
            said=self._said(),
        )
        self._check_identity(row, reviewer)
        known = same_id(reviewer.external_id)
        self._lines.setdefault(known, row.line)
        if len(self.bad) == before:
            self.new[known] = reviewer

    def _email(self, row: TableRow) -> str:
        """Read the address; one that cannot be written to is refused now, not when mail fails."""
        text = self._cell(row, "email")
        try:
            return read_address(text) if text else ""
        except InvalidInputError as error:
            self._refuse(row, "email", error.message, "Correct it")
            return text

    def _check_identity(self, row: TableRow, reviewer: NewReviewer) -> None:
        if not reviewer.external_id:
            self._refuse(row, "external_id", "the id is missing", "Give one, or remove the row")
            return
        if problem := self.ids.problem(row, reviewer.external_id):
            self._refuse(row, "external_id", *problem)
        known = same_id(reviewer.external_id)
        if known in self._lines:
            self._refuse(
                row,
                "external_id",
                f"the same reviewer stands on line {self._lines[known]}",
                "Keep one row per reviewer",
            )

    def _kinds(self) -> tuple[str, ...]:
        return tuple(kind.name for kind in self.rules.kinds) if self.rules else ()

    def _capacities(self) -> list[tuple[str, str]]:
        """Return (header, kind) of the columns `capacity:KIND`."""
        found = {
            header: header.split(":", 1)[1].strip().casefold()
            for header in self.table.headers
            if ":" in header
            and spelling(header.split(":", 1)[0]) == _CAPACITY
            and header not in self.headers.values()
        }
        found |= {h: role.split(":", 1)[1].strip().casefold() for h, role in self.mapped.items()}
        return list(found.items())

    def _capacity(self, row: TableRow) -> dict[str, int | None]:
        columns = self._capacities()
        if columns:
            found = {kind: self._most(row, header) for header, kind in columns}
            return {kind: most for kind, most in found.items() if most != 0}
        kinds = self._asked(row)
        most = self._most(row, self.headers.get("capacity", ""))
        return {} if most == 0 else dict.fromkeys(kinds, most)

    def _asked(self, row: TableRow) -> tuple[str, ...]:
        """Read the column `kinds`; without it every kind is asked."""
        known = self._kinds()
        if "kinds" not in self.headers:
            return known
        # Here a comma separates too: no kind's name has one.
        kinds = tuple(
            kind.casefold() for kind in split_list(self._cell(row, "kinds").replace(",", ";"))
        )
        for kind in kinds:
            if known and kind not in known:
                self._refuse(
                    row,
                    "kinds",
                    f"there is no review {kind!r}",
                    f"The reviews and interviews are {', '.join(known)}",
                )
        return kinds

    def _most(self, row: TableRow, header: str) -> int | None:
        """Read a capacity: None is unlimited, 0 is not asked."""
        text = row[header].casefold()
        if text in _UNLIMITED:
            return None
        if text in _NOT_ASKED or read_yes_no(text) is False:
            return 0
        if not _WHOLE.fullmatch(text):
            self._refuse(
                row,
                header,
                "a capacity is a whole number",
                "Write how many at most, leave it blank for no limit, or write no",
            )
            return 0
        return int(text)

    def _said(self) -> frozenset[str]:
        """Return what the columns of the list speak of."""
        said = {_ATTRIBUTES.get(role, role) for role in self.headers} - {"kinds", "capacity"}
        if columns := self._capacities():
            return frozenset(said | {f"{_CAPACITY}:{kind}" for _, kind in columns})
        return frozenset(said | {_CAPACITY} if {"kinds", "capacity"} & set(self.headers) else said)

    def _packet(self, row: TableRow) -> int | None:
        text = self._cell(row, "packet")
        if not text:
            return None
        if not _WHOLE.fullmatch(text) or int(text) < 1:
            self._refuse(
                row,
                "packet",
                "a packet is a whole number of 1 or more",
                "Write how many open reviews this person takes at once, or leave it blank",
            )
            return None
        return int(text)

    def _automatic(self, row: TableRow) -> str:
        text = self._cell(row, "automatic")
        if not text:
            return ""
        if not _AUTOMATIC.fullmatch(text):
            self._refuse(
                row,
                "automatic",
                "it does not say which program answers",
                "Write truth:FILE, replay:FOLDER or an address (https://…); leave it blank for "
                "a person",
            )
        elif (
            self.rules is not None
            and self.rules.purpose is Purpose.REAL
            and self.rules.automatic is None
        ):
            self._refuse(
                row,
                "automatic",
                "programs may not score in a real cycle unless its rules allow it",
                "Leave it blank, or add the table [automatic] with purpose, approver and date to "
                "the rules",
            )
        return text

    def _reserve(self, row: TableRow) -> bool:
        text = self._cell(row, "reserve").casefold()
        said = False if text in _NOT_ASKED | {""} else read_yes_no(text)
        if said is None:
            self._refuse(
                row,
                "reserve",
                "it does not say whether this person is kept for reconsiderations",
                "Write yes or no, or leave it blank",
            )
        return bool(said)

    def _absences(self, row: TableRow) -> tuple[Absence, ...]:
        absences: list[Absence] = []
        for part in split_list(self._cell(row, "away")):
            first, _, last = (p.strip() for p in part.partition(".."))
            try:
                absence = Absence(
                    first=date.fromisoformat(first), last=date.fromisoformat(last or first)
                )
            except ValueError:
                self._refuse(
                    row,
                    "away",
                    f"{part!r} is no period",
                    "Write 2026-01-05..2026-01-20, several separated by semicolons",
                )
                continue
            if absence.last < absence.first:
                self._refuse(row, "away", f"{part!r} ends before it begins", "Swap the two dates")
            absences.append(absence)
        return tuple(absences)

    def _cell(self, row: TableRow, role: str) -> str:
        return row[self.headers[role]] if role in self.headers else ""

    def _refuse(self, row: TableRow, role: str, reason: str | Message, cure: str) -> None:
        header = self.headers.get(role, role)
        self.bad.append(
            BadRow(
                line=row.line,
                column=header,
                value=shorten(row[header]),
                reason=reason,
                cure=cure,
            )
        )
