"""Rows of a table of marks, taken one by one: whose mark each cell is, before any scale."""

from dataclasses import dataclass, field
from re import compile as pattern

from swapflow.domain.ids import KIND_NAME, same_id
from swapflow.errors import BadRow
from swapflow.files.marks.layout import Form, MarkColumn, MarksLayout
from swapflow.files.marks.mark import HowToRead
from swapflow.files.marks.mark_cells import (
    AS_NUMBERS,
    NO_NUMBER,
    holds_no_mark,
    is_worded,
    marks_in,
    overall_in,
    read_mark,
)
from swapflow.files.tables.cells import is_missing, read_number, shorten, spelling
from swapflow.files.tables.table import Table, TableRow


_ANONYMOUS = pattern(r"(?:.*/)?(?:Anon)?Reviewer[_ ]?\w*")
"""A signature that is another one for each paper."""

CORRECT = "Correct it, or leave the cell empty"


@dataclass(frozen=True, slots=True)
class MarkCell:
    """A mark as it stands: number, place, kind and column."""

    number: float
    share: bool
    column: MarkColumn
    kind: str
    row: TableRow
    text: str


@dataclass(slots=True)
class MarkRows:
    """Takes rows one by one."""

    table: Table
    how: HowToRead
    layout: MarksLayout
    bad: list[BadRow] = field(default_factory=list)
    missing: int = 0
    spelled: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    reviewers: dict[str, str] = field(default_factory=dict)
    cells: list[tuple[str, str, list[MarkCell]]] = field(default_factory=list)
    _lines: dict[tuple[str, str, str], tuple[int, int, float]] = field(default_factory=dict)
    decimals: dict[str, str] = field(default_factory=dict)
    nobody_named: bool = False

    # Rows

    def applicant_of(self, row: TableRow) -> str | None:
        """Return whose row it is, as the file spells it first; None where nothing says it."""
        header = self.layout.roles["applicant"]
        text = row[header]
        if is_missing(text):
            if any(not is_missing(row[one.header]) for one in self.layout.marks):
                self.refuse_cell(
                    row, header, "the applicant is missing", "Give the id, or remove the row"
                )
            return None
        applicant = self.spelled.setdefault(same_id(text), text)
        if "name" in self.layout.roles and row[self.layout.roles["name"]]:
            self.names.setdefault(applicant, row[self.layout.roles["name"]])
        return applicant

    def take_row(self, row: TableRow, applicant: str) -> None:
        """Take the marks of a row."""
        match self.layout.form:
            case Form.LONG | Form.CRITERIA:
                reviewer, kind = self._reviewer(row), self._kind(row)
                if reviewer is None or kind is None:
                    return
                cells = [self._cell(row, one, kind) for one in self.layout.marks]
                given = [cell for cell in cells if cell is not None]
                if given and self._is_first(row, applicant, reviewer, kind):
                    self.cells.append((applicant, reviewer, given))
            case Form.LISTS:
                (column,) = self.layout.marks
                kind = column.kind or self.how.kind
                for part in marks_in(row[column.header]):
                    cell = self._cell(row, column, kind, part)
                    if cell is not None:
                        self.cells.append((applicant, "", [cell]))
            case Form.BY_REVIEWER | Form.BY_REVIEW:
                for review in self._reviews:
                    own = [self._cell(row, one, one.kind or self.how.kind) for one in review]
                    given = [cell for cell in own if cell is not None]
                    who = self._who(row, review[0])
                    if given and self._is_first(row, applicant, who, given[0].kind, review[0]):
                        self.cells.append((applicant, who, given))

    @property
    def _reviews(self) -> list[list[MarkColumn]]:
        """The columns of each review: one, or several criteria of one reviewer."""
        found: dict[str, list[MarkColumn]] = {}
        for one in self.layout.marks:
            found.setdefault(one.review or f"\n{one.header}", []).append(one)
        return list(found.values())

    def _who(self, row: TableRow, column: MarkColumn) -> str:
        """Return who gave the mark of a column; "" for people without a name."""
        name = row[column.named_in] if column.named_in else column.reviewer
        return "" if is_missing(name) else self.reviewers.setdefault(same_id(name), name)

    def _reviewer(self, row: TableRow) -> str | None:
        """Return who gave a mark; "" for people without a name, None where the name is missing."""
        header = self.layout.roles.get("reviewer")
        # A table of requests for people without a name comes back with that column empty.
        if header is None or self.nobody_named:
            return ""
        text = row[header]
        if is_missing(text):
            if any(not is_missing(row[one.header]) for one in self.layout.marks):
                self.refuse_cell(
                    row,
                    header,
                    "the reviewer is missing",
                    "Give the name, or remove the row",
                )
            return None
        if self.layout.anonymous and _ANONYMOUS.fullmatch(text):
            return ""
        return self.reviewers.setdefault(same_id(text), text)

    def _kind(self, row: TableRow) -> str | None:
        header = self.layout.roles.get("kind")
        own = self.layout.marks[0].kind or self.how.kind
        kind = spelling(row[header]).replace("_", "-") if header else ""
        if not kind:
            return own
        if not KIND_NAME.fullmatch(kind) or (self.how.kinds and kind not in self.how.kinds):
            self.refuse_cell(
                row,
                header or "",
                f"there is no kind {kind!r}",
                f"The kinds are {', '.join(self.how.kinds)}"
                if self.how.kinds
                else "Write a short name in small letters, such as review",
            )
            return None
        return kind

    def _cell(
        self, row: TableRow, column: MarkColumn, kind: str, text: str | None = None
    ) -> MarkCell | None:
        """Read a cell; None where there is no mark, or none that can be read."""
        text = row[column.header] if text is None else text
        if self.layout.labelled:
            text = overall_in(text)
        if holds_no_mark(text):
            self.missing += 1
            return None
        number, share = read_mark(text, decimal=self.decimals.get(column.header, ""))
        if number is None:
            worded = is_worded(text)
            reason, cure = (NO_NUMBER, AS_NUMBERS) if worded else ("this is no mark", CORRECT)
            self.refuse_cell(row, column.header, reason, cure, value=text)
            return None
        return MarkCell(number, share, column, kind, row, text)

    def _is_first(
        self,
        row: TableRow,
        applicant: str,
        reviewer: str,
        kind: str,
        column: MarkColumn | None = None,
    ) -> bool:
        """Whether no earlier line says what the same reviewer gave the same applicant."""
        if not reviewer:
            return True
        key = (applicant, same_id(reviewer), kind)
        header = self.layout.roles.get("version")
        version = (read_number(row[header]) or 0.0) if header else 0.0
        if key not in self._lines:
            self._lines[key] = (row.line, len(self.cells), version)
            return True
        line, place, earlier = self._lines[key]
        if header and version != earlier:
            if version > earlier:
                # A later version takes the place of the earlier one.
                del self.cells[place]
                self._lines = {
                    known: (at, held - (held > place), of)
                    for known, (at, held, of) in self._lines.items()
                }
                self._lines[key] = (row.line, len(self.cells), version)
                return True
            return False
        where = column.header if column else self.layout.roles.get("reviewer", "")
        self.refuse_cell(
            row,
            where,
            f"{reviewer} has another mark of {applicant} on line {line}",
            "Keep the one that is right",
        )
        return False

    def refuse_cell(
        self, row: TableRow, header: str, reason: str, cure: str, *, value: str | None = None
    ) -> None:
        """Name a cell that cannot be used."""
        shown = shorten(row[header] if value is None else value)
        self.bad.append(
            BadRow(line=row.line, column=header, value=shown, reason=reason, cure=cure)
        )
