"""Marks out of any table of an office: all or nothing, every problem named by its place."""

from dataclasses import dataclass, field
from re import compile as pattern

from swapflow.domain.ids import KIND_NAME, same_id
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.marks.beside_marks import conflicts_in, values_beside
from swapflow.files.marks.header_words import UTILITIES, scale_in
from swapflow.files.marks.layout import Form, MarkColumn, MarksLayout, find_layout
from swapflow.files.marks.mark import HowToRead, Mark, MarksFile
from swapflow.files.marks.mark_cells import (
    AS_NUMBERS,
    NO_NUMBER,
    best_in,
    is_worded,
    marks_in,
    overall_in,
    read_mark,
)
from swapflow.files.marks.told_columns import told_columns
from swapflow.files.tables.cells import (
    decimal_of,
    is_missing,
    read_number,
    refuse,
    shorten,
    spelling,
)
from swapflow.files.tables.table import Source, Table, TableRow, read_table


_ANONYMOUS = pattern(r"(?:.*/)?(?:Anon)?Reviewer[_ ]?\w*")
"""A signature that is another one for each paper."""

CORRECT = "Correct it, or leave the cell empty"


def read_marks(source: Source, how: HowToRead | None = None, *, name: str = "") -> MarksFile:
    """Read a table of marks.

    Args:
        source: CSV, TSV, TXT, XLSX or JSON, as a path or an upload's bytes.
        how: What staff say about it.
        name: What messages call the file.

    Raises:
        InvalidInputError: If the file cannot be read at all, or nothing says its scale.
        BadRowsError: If anything in it cannot be used; it lists every place.
    """
    how = how or HowToRead()
    table = read_table(source, encoding=how.encoding, sheet=how.sheet, name=name)
    reader = _Reader(table=table, how=how, layout=find_layout(table, how))
    reader.take_all()
    return reader.found()


@dataclass(frozen=True, slots=True)
class _Cell:
    """A mark as it stands: number, place, kind and column."""

    number: float
    share: bool
    column: MarkColumn
    kind: str
    row: TableRow
    text: str


@dataclass(slots=True)
class _Rows:
    """Takes rows one by one."""

    table: Table
    how: HowToRead
    layout: MarksLayout
    bad: list[BadRow] = field(default_factory=list)
    missing: int = 0
    spelled: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    reviewers: dict[str, str] = field(default_factory=dict)
    _cells: list[tuple[str, str, list[_Cell]]] = field(default_factory=list)
    _lines: dict[tuple[str, str, str], tuple[int, int, float]] = field(default_factory=dict)
    _marks: list[Mark] = field(default_factory=list)
    _scales: dict[str, MarkScale] = field(default_factory=dict)
    _decimals: dict[str, str] = field(default_factory=dict)
    _nobody_named: bool = False

    # Rows

    def _applicant(self, row: TableRow) -> str | None:
        header = self.layout.roles["applicant"]
        text = row[header]
        if is_missing(text):
            if any(not is_missing(row[one.header]) for one in self.layout.marks):
                self._refuse(
                    row, header, "the applicant is missing", "Give the id, or remove the row"
                )
            return None
        applicant = self.spelled.setdefault(same_id(text), text)
        if "name" in self.layout.roles and row[self.layout.roles["name"]]:
            self.names.setdefault(applicant, row[self.layout.roles["name"]])
        return applicant

    def _row(self, row: TableRow, applicant: str) -> None:
        match self.layout.form:
            case Form.LONG | Form.CRITERIA:
                reviewer, kind = self._reviewer(row), self._kind(row)
                if reviewer is None or kind is None:
                    return
                cells = [self._cell(row, one, kind) for one in self.layout.marks]
                given = [cell for cell in cells if cell is not None]
                if given and self._is_first(row, applicant, reviewer, kind):
                    self._cells.append((applicant, reviewer, given))
            case Form.LISTS:
                (column,) = self.layout.marks
                kind = column.kind or self.how.kind
                for part in marks_in(row[column.header]):
                    cell = self._cell(row, column, kind, part)
                    if cell is not None:
                        self._cells.append((applicant, "", [cell]))
            case Form.BY_REVIEWER | Form.BY_REVIEW:
                for column in self.layout.marks:
                    cell = self._cell(row, column, column.kind or self.how.kind)
                    who = self._who(row, column)
                    if cell is not None and self._is_first(row, applicant, who, cell.kind, column):
                        self._cells.append((applicant, who, [cell]))

    def _who(self, row: TableRow, column: MarkColumn) -> str:
        """Return who gave the mark of a column; "" for people without a name."""
        name = row[column.named_in] if column.named_in else column.reviewer
        return "" if is_missing(name) else self.reviewers.setdefault(same_id(name), name)

    def _reviewer(self, row: TableRow) -> str | None:
        """Return who gave a mark; "" for people without a name, None where the name is missing."""
        header = self.layout.roles.get("reviewer")
        # A table of requests for people without a name comes back with that column empty.
        if header is None or self._nobody_named:
            return ""
        text = row[header]
        if is_missing(text):
            if any(not is_missing(row[one.header]) for one in self.layout.marks):
                self._refuse(
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
            self._refuse(
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
    ) -> _Cell | None:
        """Read a cell; None where there is no mark, or none that can be read."""
        text = row[column.header] if text is None else text
        if self.layout.labelled:
            text = overall_in(text)
        if is_missing(text):
            self.missing += 1
            return None
        number, share = read_mark(text, decimal=self._decimals.get(column.header, ""))
        if number is None:
            worded = is_worded(text)
            reason, cure = (NO_NUMBER, AS_NUMBERS) if worded else ("this is no mark", CORRECT)
            self._refuse(row, column.header, reason, cure, value=text)
            return None
        return _Cell(number, share, column, kind, row, text)

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
            self._lines[key] = (row.line, len(self._cells), version)
            return True
        line, place, earlier = self._lines[key]
        if header and version != earlier:
            if version > earlier:
                # A later version takes the place of the earlier one.
                del self._cells[place]
                self._lines = {
                    known: (at, held - (held > place), of)
                    for known, (at, held, of) in self._lines.items()
                }
                self._lines[key] = (row.line, len(self._cells), version)
                return True
            return False
        where = column.header if column else self.layout.roles.get("reviewer", "")
        self._refuse(
            row,
            where,
            f"{reviewer} has another mark of {applicant} on line {line}",
            "Keep the one that is right",
        )
        return False

    def _refuse(
        self, row: TableRow, header: str, reason: str, cure: str, *, value: str | None = None
    ) -> None:
        shown = shorten(row[header] if value is None else value)
        self.bad.append(
            BadRow(line=row.line, column=header, value=shown, reason=reason, cure=cure)
        )


@dataclass(slots=True)
class _Reader(_Rows):
    """Reads a whole table, and places its marks on their scales."""

    def take_all(self) -> None:
        """Read every row, then place the marks on their scales."""
        self._decimals = {
            one.header: decimal_of(row[one.header] for row in self.table.rows)
            for one in self.layout.marks
        }
        who = self.layout.roles.get("reviewer")
        self._nobody_named = who is not None and not any(row[who] for row in self.table.rows)
        for one in self.layout.marks:
            if one.reviewer:
                self.reviewers.setdefault(same_id(one.reviewer), one.reviewer)
        first: dict[str, int] = {}
        for row in self.table.rows:
            applicant = self._applicant(row)
            if applicant is None:
                continue
            if self.layout.form not in {Form.LONG, Form.CRITERIA}:
                line = first.setdefault(applicant, row.line)
                if line != row.line:
                    self._refuse(
                        row,
                        self.layout.roles["applicant"],
                        f"the same applicant stands on line {line}",
                        "Keep one row for each applicant, or add a column that names the reviewer",
                    )
                    continue
            self._row(row, applicant)
        # A cell that is no number is named before a scale is asked for: it may have hidden it.
        refuse(self.table.source, self.bad)
        self._place()
        refuse(self.table.source, self.bad)

    # Scales

    def _place(self) -> None:
        """Find the scale of every column, and turn marks into utilities."""
        cells = [cell for _, _, given in self._cells for cell in given]
        for column in self.layout.marks:
            for kind in sorted({c.kind for c in cells if c.column == column}):
                key = f"{column.header}\n{kind}"
                self._scales[key] = self._scale(column, kind, cells)
        for applicant, reviewer, given in self._cells:
            total = weight = 0.0
            for cell in given:
                utility = self._utility(cell)
                if utility is not None:
                    total += cell.column.weight * utility
                    weight += cell.column.weight
            if weight:
                self._marks.append(
                    Mark(
                        applicant=applicant,
                        reviewer=reviewer,
                        kind=given[0].kind,
                        utility=min(1.0, max(0.0, total / weight)),
                        line=given[0].row.line,
                        source=self.table.source,
                    )
                )

    def _scale(self, column: MarkColumn, kind: str, cells: list[_Cell]) -> MarkScale:
        """Find a column's scale: stated, in its header, or read where it leaves no doubt."""
        known = self._stated_scale(column, kind)
        if known is not None:
            return known
        own = [c for c in cells if c.column == column and c.kind == kind]
        if own and all(c.share for c in own):
            return MarkScale(worst=0.0, best=100.0, stated=False)
        stated = {best_in(c.text) for c in own}
        if len(stated) == 1 and None not in stated:
            (best,) = stated
            assert best is not None
            return MarkScale(worst=0.0, best=best, stated=False)
        same = [c.number for c in cells if c.kind == kind]
        read = MarkScale.of_marks([c.number for c in own]) or MarkScale.of_marks(same)
        if read is not None:
            return read
        numbers = same if self.layout.form is not Form.CRITERIA else [c.number for c in own]
        raise InvalidInputError(
            "scale_not_stated_range",
            source=self.table.source,
            header=column.header,
            least=min(numbers),
            most=max(numbers),
        )

    def _stated_scale(self, column: MarkColumn, kind: str) -> MarkScale | None:
        """Return the scale that staff or the header state; None where nothing does."""
        stated = self.how.scales
        names = (spelling(column.header), column.header.casefold(), kind)
        named = next((stated[name] for name in names if name in stated), None)
        own = named or scale_in(column.header)
        if own is None and spelling(column.header) in UTILITIES:
            own = MarkScale(worst=0.0, best=1.0)
        return own or stated.get("") or self.how.inherited.get(kind)

    def _utility(self, cell: _Cell) -> float | None:
        scale = self._scales[f"{cell.column.header}\n{cell.kind}"]
        number = cell.number
        if cell.share and max(scale.worst, scale.best) <= 1:
            number /= 100
        best = best_in(cell.text)
        if best is not None and best != max(scale.worst, scale.best):
            self._refuse(
                cell.row,
                cell.column.header,
                f"the mark is out of {best:g}, but the scale is {scale}",
                "Correct it, or write all marks on one scale",
                value=cell.text,
            )
            return None
        if not scale.holds(number):
            self._refuse(
                cell.row,
                cell.column.header,
                f"the mark lies outside the scale {scale}",
                "Correct it, or state the scale that was used",
                value=cell.text,
            )
            return None
        return scale.utility(number)

    # What was read

    def found(self) -> MarksFile:
        """Return what was read."""
        scales: dict[str, MarkScale] = {}
        for key, scale in self._scales.items():
            scales.setdefault(key.split("\n")[1], scale)
        return MarksFile(
            source=self.table.source,
            system=self.layout.system,
            applicants=tuple(self.spelled.values()),
            marks=tuple(self._marks),
            reviewers=tuple(self.reviewers.values()),
            names=self.names,
            values=values_beside(self.table, self.layout, self.spelled),
            conflicts=conflicts_in(self.table, self.layout, self.spelled),
            scales=scales,
            columns=told_columns(self.table, self.layout, self._scales),
            missing=self.missing,
            warnings=self.table.warnings,
        )
