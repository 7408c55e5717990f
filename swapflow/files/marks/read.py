"""Marks out of any table of an office: all or nothing, every problem named by its place."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from swapflow.domain.ids import same_id
from swapflow.domain.lists.listed_status import listed_status
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.errors import BadRowsError, InvalidInputError
from swapflow.files.marks.beside_marks import conflicts_in, values_beside
from swapflow.files.marks.full_names import with_full_names
from swapflow.files.marks.header_words import UTILITIES, kind_in
from swapflow.files.marks.layout import Form, MarkColumn, find_layout
from swapflow.files.marks.mark import HowToRead, Mark, MarksFile
from swapflow.files.marks.mark_cells import best_in
from swapflow.files.marks.rows import MarkCell, MarkRows
from swapflow.files.marks.scales import noted_scale, scale_in, scale_of
from swapflow.files.marks.summaries import about_columns, about_marks, heading_rows
from swapflow.files.marks.told_columns import told_columns
from swapflow.files.tables.cells import decimal_of, is_missing, refuse, shorten, spelling
from swapflow.files.tables.header_names import STATUS
from swapflow.files.tables.table import Source, Table, TableRow, read_table


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
    return _read(with_full_names(table, how.columns), how)


def read_sheets(
    source: Source, how: HowToRead | None = None, *, name: str = ""
) -> tuple[MarksFile, ...]:
    """Read a table of marks, or every sheet of a workbook that holds marks.

    Sheets are read together where each says what its marks are by its name: those of interviews,
    or those of one reviewer. Two rounds in one workbook are not.

    Raises:
        InvalidInputError: As `read_marks`, and if several sheets hold marks that nothing tells
            apart.
        BadRowsError: Likewise.
    """
    how = how or HowToRead()
    table = read_table(source, encoding=how.encoding, sheet=how.sheet, name=name)
    if how.sheet or len(table.sheets) < 2:  # noqa: PLR2004 - one sheet is all there is
        return (_read(with_full_names(table, how.columns), how),)
    held = {one.sheet: one for one in _sheets_of_marks(source, how, table)}
    if len(held) < 2:  # noqa: PLR2004
        return (_read(with_full_names(next(iter(held.values()), table), how.columns), how),)
    told = _told_apart(held, how)
    if told is None:
        raise InvalidInputError("marks_on_sheets", source=table.source, sheets=list(held))
    files = []
    for title, own in told.items():
        sheet = held[title]
        part = replace(
            sheet,
            source=f"{sheet.source}, sheet {title!r}",
            # Which sheets were read is told by their names.
            warnings=tuple(w for w in sheet.warnings if not w.startswith("the sheet ")),
        )
        files.append(_read(part, own.how, reviewer=own.reviewer))
    return tuple(files)


@dataclass(frozen=True, slots=True)
class _SheetSays:
    """What the name of a sheet says of its marks."""

    how: HowToRead
    reviewer: str = ""


def _sheets_of_marks(source: Source, how: HowToRead, first: Table) -> Iterable[Table]:
    """Yield the sheets that hold marks; one with a wrong cell does, too."""
    for title in first.sheets:
        try:
            sheet = read_table(source, sheet=title, name=first.source)
            table = with_full_names(sheet, how.columns)
            layout = find_layout(table, how)
        except BadRowsError as error:
            if any(row.column for row in error.rows):
                raise
            continue
        except InvalidInputError:
            continue
        if any(row[layout.roles["applicant"]] for row in table.rows):
            yield table


def _told_apart(held: Mapping[str, Table], how: HowToRead) -> dict[str, _SheetSays] | None:
    """Return what each sheet's name says; None where nothing tells the sheets apart."""
    kinds = {title: kind_in(title, how) for title in held}
    if len(set(kinds.values())) == len(held):
        return {
            title: _SheetSays(replace(how, kind=kind or how.kind)) for title, kind in kinds.items()
        }
    layouts = [find_layout(table, how) for table in held.values()]
    single = all(
        one.form in {Form.LONG, Form.CRITERIA, Form.BY_REVIEW}
        and len({column.review or column.header for column in one.marks}) == 1
        and "reviewer" not in one.roles
        for one in layouts
    )
    if single and not any(any(c.isdigit() for c in title) for title in held):
        return {title: _SheetSays(how, reviewer=title) for title in held}
    return None


def _read(table: Table, how: HowToRead, *, reviewer: str = "") -> MarksFile:
    layout = find_layout(table, how)
    if reviewer:
        named = tuple(replace(one, reviewer=reviewer) for one in layout.marks)
        layout = replace(layout, form=Form.BY_REVIEWER, marks=named)
    reader = _Reader(table=table, how=how, layout=layout)
    reader.take_all()
    return reader.found()


_GONE = frozenset({ApplicationStatus.WITHDRAWN, ApplicationStatus.INELIGIBLE})
_SHOWN = 5
"""Names shown of those left out."""


@dataclass(slots=True)
class _Reader(MarkRows):
    """Reads a whole table, and places its marks on their scales."""

    left: list[str] = field(default_factory=list)
    _marks: list[Mark] = field(default_factory=list)
    _scales: dict[str, MarkScale] = field(default_factory=dict)

    def take_all(self) -> None:
        """Read every row, then place the marks on their scales."""
        self.decimals = {
            one.header: decimal_of(row[one.header] for row in self.table.rows)
            for one in self.layout.marks
        }
        who = self.layout.roles.get("reviewer")
        self.nobody_named = who is not None and not any(row[who] for row in self.table.rows)
        for one in self.layout.marks:
            if one.reviewer:
                self.reviewers.setdefault(same_id(one.reviewer), one.reviewer)
        first: dict[str, int] = {}
        for row in self._applicants_rows():
            applicant = self.applicant_of(row)
            if applicant is None:
                continue
            if self.layout.form not in {Form.LONG, Form.CRITERIA}:
                line = first.setdefault(applicant, row.line)
                if line != row.line:
                    self.refuse_cell(
                        row,
                        self.layout.roles["applicant"],
                        f"the same applicant stands on line {line}",
                        "Keep one row for each applicant, or add a column that names the reviewer",
                    )
                    continue
            self.take_row(row, applicant)
        # A cell that is no number is named before a scale is asked for: it may have hidden it.
        refuse(self.table.source, self.bad)
        self._place()
        refuse(self.table.source, self.bad)

    def _applicants_rows(self) -> Iterable[TableRow]:
        """Yield the rows of applicants; those that sum up, or stand above a group, are told."""
        header = self.layout.roles["applicant"]
        headings = heading_rows(self.table, header) if self.layout.form is not Form.LONG else ()
        gone = self._withdrawn()
        for row in self.table.rows:
            text = row[header]
            if about_columns(text):
                self.refuse_cell(
                    row,
                    header,
                    "this row describes the columns, it is no applicant",
                    "Take the row out, and state the scale, such as 0..100, or the weights",
                )
            elif about_marks(text):
                self._leave(row, text, "sums up other rows")
            elif row.line in headings:
                self._leave(row, text, "is a heading without marks")
            elif same_id(text) in gone and not is_missing(text):
                continue
            else:
                yield row
        if gone:
            self.left.append(
                f"{len(gone)} applicants do not take part by their status and were left out: "
                + ", ".join(sorted(gone.values())[:_SHOWN])
                + ("…" if len(gone) > _SHOWN else "")
            )

    def _leave(self, row: TableRow, text: str, why: str) -> None:
        self.left.append(f"line {row.line} ({shorten(text)!r}) {why} and was left out")

    def _withdrawn(self) -> dict[str, str]:
        """Return the applicants whom a column of statuses says to have withdrawn."""
        used = {*self.layout.roles.values(), *(one.header for one in self.layout.marks)}
        headers = [h for h in self.table.headers if spelling(h) in STATUS and h not in used]
        found: dict[str, str] = {}
        for row in self.table.rows:
            who = row[self.layout.roles["applicant"]]
            if any(listed_status(row[header]) in _GONE for header in headers if row[header]):
                found.setdefault(same_id(who), who)
        return found

    # Scales

    def _place(self) -> None:
        """Find the scale of every column, and turn marks into utilities."""
        cells = [cell for _, _, given in self.cells for cell in given]
        for column in self.layout.marks:
            for kind in sorted({c.kind for c in cells if c.column == column}):
                key = f"{column.header}\n{kind}"
                self._scales[key] = self._scale(column, kind, cells)
        for applicant, reviewer, given in self.cells:
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

    def _scale(self, column: MarkColumn, kind: str, cells: list[MarkCell]) -> MarkScale:
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
        read = self._read_scale(column, [c.number for c in own], same)
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

    def _read_scale(
        self, column: MarkColumn, own: list[float], same: list[float]
    ) -> MarkScale | None:
        """Read a scale from a column's marks, or from those of all columns like it.

        Reviewers use one scale: where one column reaches the ends of another one than all of them
        together, nothing says which it is. Criteria may each have their own.
        """
        notes = self.table.notes
        headers = self.table.headers
        alone = scale_of(own, header=column.header, headers=headers, notes=notes)
        together = scale_of(same, header=column.header, headers=headers, notes=notes)
        if self.layout.form is Form.CRITERIA or column.review:
            return alone or together
        return together if alone in {None, together} else None

    def _stated_scale(self, column: MarkColumn, kind: str) -> MarkScale | None:
        """Return the scale that staff or the header state; None where nothing does."""
        stated = self.how.scales
        names = (spelling(column.header), column.header.casefold(), kind)
        named = next((stated[name] for name in names if name in stated), None)
        own = named or scale_in(column.header) or self._noted_scale()
        if own is None and spelling(column.header) in UTILITIES:
            own = MarkScale(worst=0.0, best=1.0)
        return own or stated.get("") or self.how.inherited.get(kind)

    def _noted_scale(self) -> MarkScale | None:
        """Return the scale that the lines above and under the table state, if all state one."""
        found = {scale for note in self.table.notes if (scale := noted_scale(note)) is not None}
        return found.pop() if len(found) == 1 else None

    def _utility(self, cell: MarkCell) -> float | None:
        scale = self._scales[f"{cell.column.header}\n{cell.kind}"]
        number = cell.number
        if cell.share and max(scale.worst, scale.best) <= 1:
            number /= 100
        best = best_in(cell.text)
        if best is not None and best != max(scale.worst, scale.best):
            self.refuse_cell(
                cell.row,
                cell.column.header,
                f"the mark is out of {best:g}, but the scale is {scale}",
                "Correct it, or write all marks on one scale",
                value=cell.text,
            )
            return None
        if not scale.holds(number):
            self.refuse_cell(
                cell.row,
                cell.column.header,
                f"the mark lies outside the scale {scale}",
                "Correct it, or state the scale that was used",
                value=cell.text,
            )
            return None
        return scale.utility(number)

    # What was read

    def _hidden(self) -> list[str]:
        """Name columns of marks that the workbook does not show."""
        return [
            f"column {one.header!r} is hidden in the workbook, and its marks were read too. Take "
            "it out of the file if they should not count"
            for one in self.layout.marks
            if one.header in self.table.hidden
        ]

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
            warnings=(*self.table.warnings, *self.left, *self._hidden()),
        )
