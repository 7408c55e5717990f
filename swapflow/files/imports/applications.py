"""Applicants from a table: all of them or none, every bad row named."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from swapflow.domain.ids import same_id
from swapflow.domain.lists.listed_status import listed_status
from swapflow.domain.people.age_bands import AgeBands
from swapflow.domain.people.application import ApplicationStatus, NewApplication
from swapflow.domain.people.mail_address import read_address
from swapflow.domain.rules import Rules
from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.imports.applicant_columns import AgeColumns, Columns
from swapflow.files.imports.id_column import IdColumn
from swapflow.files.imports.possible_duplicates import difference_of_rows
from swapflow.files.tables.cells import read_yes_no, refuse, shorten
from swapflow.files.tables.dates import read_date_column
from swapflow.files.tables.table import Source, Table, TableRow, read_table
from swapflow.messages import Message


_LINK = re.compile(r"https?://\S+", re.IGNORECASE)
_DAY = re.compile(r"\d[\d./ -]{4,}\d|\b(?:19|20)\d\d\b")
_NOTHING = frozenset({"-", "–", "—", "0000-00-00"})
_NAMED = 10
"""Applicants that a note names before "and N more"."""
_LEFT = frozenset({ApplicationStatus.WITHDRAWN, ApplicationStatus.INELIGIBLE})
_READY_BY = {ApplicationStatus.INCOMPLETE: False, ApplicationStatus.READY: True}
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationsImport:
    """What a file of applicants holds.

    Attributes:
        new: The applicants, in the order of the file, duplicates merged.
        warnings: What staff should know; nothing that stops the import.
        shared: Those of the warnings that name a mail address under several ids.
        bad: Every row that does.
        encoding: Encoding the file was read in.
        source: What messages call the file.
        columns: What each header was taken for: external_id, name, select:…, monitor:…, field:….
        ages: Headers of which age bands are kept.
    """

    new: tuple[NewApplication, ...]
    warnings: tuple[str, ...]
    shared: tuple[str, ...]
    bad: tuple[BadRow, ...]
    encoding: str
    source: str
    columns: Mapping[str, str]
    ages: tuple[str, ...] = ()


def read_applications(  # noqa: PLR0913 - each tells of one thing in the file
    path_or_bytes: Source,
    *,
    mapping: Mapping[str, str] | None = None,
    rules: Rules | None = None,
    encoding: str | None = None,
    key: Literal["id", "email"] = "id",
    dates: Collection[str] = (),
    date_order: str = "",
    ages: AgeBands | None = None,
    name: str = "",
) -> ApplicationsImport:
    """Read applicants, all or nothing.

    Args:
        path_or_bytes: CSV, TSV, TXT or XLSX, as a path or an upload's bytes.
        mapping: What to take a header for, where its name does not say: external_id, name,
            first_name, last_name, email, ready, status, withdrawn, topic, select:NAME,
            monitor:NAME, document:NAME, redacted, field:NAME, or "" to leave the column out.
        rules: Say which attribute the objective uses, and whether a protected one may be.
        encoding: Encoding of a text file, when staff know it.
        key: "email" takes the e-mail for the key; never done unasked, for addresses change.
        dates: Headers of columns to turn into year-month-day.
        date_order: "dmy" or "mdy", where those columns hold dates such as 01/02/2025.
        ages: Bands that are kept of dates of birth; None leaves them, for what is not stored.
        name: What messages call the file.

    Raises:
        InvalidInputError: If the file cannot be read at all.
        BadRowsError: If anything in it cannot be used; it lists every place.
    """
    found = examine_applications(
        path_or_bytes,
        mapping=mapping,
        rules=rules,
        encoding=encoding,
        key=key,
        dates=dates,
        date_order=date_order,
        ages=ages,
        name=name,
    )
    refuse(found.source, found.bad)
    return found


def examine_applications(  # noqa: PLR0913 - each tells of one thing in the file
    path_or_bytes: Source | Table,
    *,
    mapping: Mapping[str, str] | None = None,
    rules: Rules | None = None,
    encoding: str | None = None,
    key: Literal["id", "email"] = "id",
    dates: Collection[str] = (),
    date_order: str = "",
    ages: AgeBands | None = None,
    name: str = "",
) -> ApplicationsImport:
    """Report what `read_applications` would import and refuse, without refusing it.

    Args as there; a table that was read already will do too.

    Raises:
        InvalidInputError: If the file cannot be read at all.
    """
    table = (
        path_or_bytes
        if isinstance(path_or_bytes, Table)
        else read_table(path_or_bytes, encoding=encoding, name=name)
    )
    bad = list(table.bad)
    if dates:
        table, wrong = read_date_column(table, dates, order=date_order)
        bad += wrong
    columns = Columns.of(table, mapping or {}, rules, key)
    bad += columns.bad
    if columns.bad:  # without its columns a row says nothing
        return _report(table, columns, None, bad)
    header = columns.headers("email" if key == "email" else "external_id")[0]
    reader = _Reader(
        columns=columns,
        key=key,
        ids=IdColumn.of(table, header),
        ages=AgeColumns.of(table, columns.named("monitor"), bands=ages, order=date_order),
    )
    for row in table.rows:
        reader.take(row)
    return _report(table, columns, reader, [*bad, *reader.bad])


def _report(
    table: Table, columns: Columns, reader: "_Reader | None", bad: list[BadRow]
) -> ApplicationsImport:
    shared = reader.shared() if reader else ()
    warnings = (*reader.ages.notes, *reader.warnings, *reader.statuses()) if reader else ()
    return ApplicationsImport(
        new=tuple(reader.new.values()) if reader else (),
        warnings=(*table.warnings, *columns.warnings, *warnings, *shared),
        shared=shared,
        bad=tuple(sorted(bad, key=lambda row: row.line)),
        encoding=table.encoding,
        source=table.source,
        columns=columns.taken_for,
        ages=tuple(h for h in table.headers if reader and h in reader.ages.headers),
    )


@dataclass(slots=True)
class _Reader:
    """Takes rows one by one and remembers ids and addresses."""

    columns: Columns
    key: str
    ids: IdColumn
    ages: AgeColumns
    new: dict[str, NewApplication] = field(default_factory=dict)
    bad: list[BadRow] = field(default_factory=list)
    _lines: dict[str, int] = field(default_factory=dict)
    _addresses: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    warnings: list[str] = field(default_factory=list)
    _unknown_statuses: Counter[str] = field(default_factory=Counter)

    def take(self, row: TableRow) -> None:
        """Read one row; a problem is noted and the row left out."""
        before = len(self.bad)
        application = self._read(row)
        if len(self.bad) > before:
            return
        known = same_id(application.external_id)
        earlier = self.new.get(known)
        if earlier is None:
            self.new[known] = application
            self._lines[known] = row.line
            if application.email:
                self._addresses[application.email.casefold()].append(application.external_id)
            return
        self._merge(row, earlier, application, self._lines[known])

    def shared(self) -> tuple[str, ...]:
        """List mail addresses that have several ids."""
        return tuple(
            f"the e-mail {address!r} stands under {len(ids)} ids: {', '.join(map(repr, ids))}. "
            "If that is one person, merge or remove one"
            for address, ids in self._addresses.items()
            if len(ids) > 1
        )

    def statuses(self) -> tuple[str, ...]:
        """Tell what the column of statuses says: who leaves, and which words say nothing."""
        left = [one.external_id for one in self.new.values() if one.left is not None]
        told = [f"withdrawn or ineligible by the list: {_some(left)}"] if left else []
        if self._unknown_statuses:
            words = _some([repr(shorten(word)) for word in self._unknown_statuses])
            told.append(
                f"a status says nothing here of {self._unknown_statuses.total()} applicants "
                f"({words}); they take part as if it were blank"
            )
        return tuple(told)

    def _merge(
        self, row: TableRow, earlier: NewApplication, again: NewApplication, line: int
    ) -> None:
        differing = difference_of_rows(earlier, again)
        if differing:
            self._refuse(
                row.line,
                self._key_header(),
                again.external_id,
                f"the same id stands on line {line} with another {differing}",
                "Keep the row that is right and remove the other",
            )
            return
        self.warnings.append(
            f"line {row.line}: {again.external_id!r} is the same applicant as line {line} "
            f"({earlier.external_id!r}) and was merged with it"
        )

    def _read(self, row: TableRow) -> NewApplication:
        columns = self.columns
        email = self._email(row)
        external_id = email.casefold() if self.key == "email" else self._one(row, "external_id")
        # Composed, as most systems write it: an id may come from a Mac, which decomposes.
        external_id = unicodedata.normalize("NFC", external_id)
        self._check_id(row, external_id)
        fields = {name: row[h] for h, name in columns.named("field") if row[h]}
        topic = self._one(row, "topic")
        return NewApplication(
            external_id=external_id,
            name=self._name(row),
            email=email,
            ready=self._ready(row),
            left=self._left(row),
            selection={name: row[h] for h, name in columns.named("select") if row[h]},
            monitor={
                name: kept
                for h, name in columns.named("monitor")
                if (kept := self.ages.kept(h, row[h]))
            },
            fields={**fields, "topic": topic} if topic else fields,
            documents=self._documents(row),
        )

    def _one(self, row: TableRow, role: str) -> str:
        headers = self.columns.headers(role)
        return row[headers[0]] if headers else ""

    def _key_header(self) -> str:
        role = "email" if self.key == "email" else "external_id"
        return self.columns.headers(role)[0]

    def _name(self, row: TableRow) -> str:
        whole = self._one(row, "name")
        parts = (self._one(row, "first_name"), self._one(row, "last_name"))
        return whole or " ".join(part for part in parts if part)

    def _check_id(self, row: TableRow, external_id: str) -> None:
        header = self._key_header()
        if not external_id:
            what = "e-mail" if self.key == "email" else "id"
            self._refuse(
                row.line, header, "", f"the {what} is missing", "Give one, or remove the row"
            )
        elif problem := self.ids.problem(row, external_id):
            self._refuse(row.line, header, external_id, *problem)

    def _email(self, row: TableRow) -> str:
        """Read the address; one that cannot be written to is refused now, not when mail fails."""
        text = self._one(row, "email")
        if not text:
            return ""
        try:
            return read_address(text)
        except InvalidInputError as error:
            self._refuse(
                row.line, self.columns.headers("email")[0], text, str(error), "Correct it"
            )
            return text

    def _ready(self, row: TableRow) -> bool | None:
        headers = self.columns.headers("ready")
        if not headers:
            status = listed_status(self._one(row, "status"))
            return None if status is None else _READY_BY.get(status)
        answer = read_yes_no(row[headers[0]])
        if answer is None:
            self._refuse(
                row.line,
                headers[0],
                row[headers[0]],
                "it does not say whether the applicant is complete",
                "Write yes or no",
            )
        return answer

    def _left(self, row: TableRow) -> ApplicationStatus | None:
        """Read whether the applicant takes no part any more."""
        status = self._one(row, "status")
        said = listed_status(status)
        if status and said is None:
            self._unknown_statuses[status] += 1
        return self._withdrawn(row) or (said if said in _LEFT else None)

    def _withdrawn(self, row: TableRow) -> ApplicationStatus | None:
        text = self._one(row, "withdrawn")
        if not text or text in _NOTHING or read_yes_no(text) is False:
            return None
        # Systems write the day of a withdrawal, and nothing for the others.
        if read_yes_no(text) or _DAY.search(text):
            return ApplicationStatus.WITHDRAWN
        said = listed_status(text)
        if said is None:
            self._refuse(
                row.line,
                self.columns.headers("withdrawn")[0],
                text,
                "it does not say whether the applicant withdrew",
                "Write yes or no",
            )
        return said if said in _LEFT else None

    def _documents(self, row: TableRow) -> tuple[tuple[str, str, bool], ...]:
        redacted = self._redacted(row)
        documents: list[tuple[str, str, bool]] = []
        for header, name in self.columns.named("document"):
            link = row[header]
            if link and not _is_safe_link(link):
                self._refuse(
                    row.line,
                    header,
                    link,
                    "a document is a web link (http, https) or a path inside the documents folder",
                    'Write a link, or a path without ".." that begins with no "/" or drive',
                )
            elif link:
                documents.append((name, link, redacted))
        return tuple(documents)

    def _redacted(self, row: TableRow) -> bool:
        headers = self.columns.headers("redacted")
        if not headers or not row[headers[0]]:
            return False
        answer = read_yes_no(row[headers[0]])
        if answer is None:
            self._refuse(
                row.line,
                headers[0],
                row[headers[0]],
                "it does not say whether the documents are redacted",
                "Write yes or no",
            )
        return bool(answer)

    def _refuse(
        self, line: int, column: str, value: str, reason: str | Message, cure: str
    ) -> None:
        self.bad.append(
            BadRow(line=line, column=column, value=shorten(value), reason=reason, cure=cure)
        )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (
        f" and {len(names) - _NAMED} more" if names[_NAMED:] else ""
    )


def _is_safe_link(link: str) -> bool:
    if _LINK.fullmatch(link):
        return True
    parts = re.split(r"[/\\]", link)
    return not (_SCHEME.match(link) or link[0] in "/\\" or ".." in parts)
