"""Sheets for reviewers who answer by mail: one row per request out, marks beside them back.

A row is known by its key, the code of its task; so rows may be sorted, filtered and left blank.
What comes back is read in `files.imports.offline_sheet`, and `engine.scoring.offline_sheets` holds
it against what was asked.
"""

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font, PatternFill, Protection
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from swapflow.domain.rules import Criterion
from swapflow.engine.reviewing import review_page
from swapflow.errors import InvalidInputError
from swapflow.files.exports.writers import (
    MOST_CELL,
    Cell,
    ExportSheet,
    Format,
    sheet_bytes,
    table_cell,
)
from swapflow.files.tables.formula_guard import guard


FORMATS = (Format.XLSX, Format.CSV)

NOT_APPLICABLE = "N/A"
NOT_ASKED = "—"
"""The mark of a cell that a request's form does not ask for."""

LONGEST_REMARK = 8000
LONGEST_NOTE = 4000

TASK, REVIEWER, APPLICANT = "request key", "reviewer", "applicant"
MARK = "mark: "
SCORE = "score [0 to 100]"
CONFIDENCE = "confidence [1 to 5]"
REMARK, PRIVATE = "remark", "note to staff"

_BRACKET = re.compile(r"\s*\[[^\[\]]*\]\s*$")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_FILLED_IN = frozenset({REMARK, PRIVATE})
_WIDE, _MIDDLE, _NARROW = 48, 24, 14
_TO_FILL = PatternFill("solid", start_color="FFFFF7D6")
_HINTS = (
    "Fill the columns that begin with “mark:”, or the score, and send the file back.",
    "A row is known by its key: rows may be sorted or left blank, keys must stay as they are.",
    "N/A is a choice, for what you cannot judge; it is never a zero.",
    "A row that is left blank is not read; the request goes on waiting.",
)


def file_name(cycle_id: str, reviewer: int, form: Format) -> str:
    """Name a sheet's file; no id or name of a person is in it."""
    return f"{cycle_id}-reviewer-{reviewer}.{form.value}"


def sheet_file(
    tasks: Sequence[review_page.ReviewPage], form: Format, *, address: str = ""
) -> bytes:
    """Write a reviewer's sheet.

    Each row shows of an applicant what the reviewer's own page shows, under the blind policy. In
    XLSX the cells to be filled take the allowed values only, and a second sheet tells the scales.

    Args:
        tasks: What waits for one reviewer, in the order of the rows.
        form: CSV or XLSX.
        address: Where the pages are reached; "" leaves the column with their links out.

    Raises:
        InvalidInputError: If the format is another, or nothing waits.
    """
    if form not in FORMATS:
        raise InvalidInputError("sheet_format_unknown", form=form)
    if not tasks:
        raise InvalidInputError("sheet_empty")
    columns = _columns(tasks, address)
    if form is Format.XLSX:
        return _workbook(tasks, columns)
    rows = tuple(tuple(column.cell(task) for column in columns) for task in tasks)
    headers = tuple(column.header for column in columns)
    return sheet_bytes(ExportSheet(name="reviews", headers=headers, rows=rows), form)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """One column of a sheet.

    Attributes:
        cell: Its content for a task.
        fills: Whether the reviewer is to write into it for a task.
    """

    header: str
    cell: Callable[[review_page.ReviewPage], Cell]
    fills: Callable[[review_page.ReviewPage], bool] = lambda _: False
    width: int = _NARROW
    criterion: str = ""


def _columns(tasks: Sequence[review_page.ReviewPage], address: str) -> list[_Column]:
    columns = [
        _Column(header=TASK, cell=lambda task: task.code, width=_MIDDLE),
        _Column(header=REVIEWER, cell=lambda task: task.reviewer.external_id),
        _Column(header=APPLICANT, cell=lambda task: task.applicant, width=_MIDDLE),
        _Column(header="kind", cell=lambda task: task.kind.name),
        _Column(header="due", cell=_due, width=_MIDDLE),
    ]
    if address:
        columns.append(
            _Column(header="page", cell=lambda task: f"{address}/tasks/{task.code}", width=_MIDDLE)
        )
    if any(task.link or task.papers for task in tasks):
        columns.append(_Column(header="documents", cell=_documents, width=_MIDDLE))
    columns += [_file_column(n) for n in dict.fromkeys(n for task in tasks for n in task.fields)]
    columns += [_mark_column(name, tasks) for name in _criteria(tasks)]
    if any(task.rubric is None for task in tasks):
        columns.append(_filled(SCORE, lambda task: task.rubric is None))
    if any(task.kind.confidence for task in tasks):
        columns.append(_filled(CONFIDENCE, lambda task: task.kind.confidence))
    columns += [_filled(name, lambda _: True, width=_WIDE) for name in (REMARK, PRIVATE)]
    return columns


def _due(task: review_page.ReviewPage) -> str:
    due = task.assignment.due_at
    return "" if due is None else f"{due.astimezone(ZoneInfo(task.rules.zone)):%Y-%m-%d %H:%M %Z}"


def _documents(task: review_page.ReviewPage) -> str:
    places = [f"{paper.name}: {paper.link}" for paper in task.papers if paper.link]
    stored = [paper.name for paper in task.papers if not paper.link]
    return "\n".join([*([task.link] if task.link else []), *places, *stored])


def _file_column(name: str) -> _Column:
    return _Column(
        header=f"file: {name}", cell=lambda task: task.fields.get(name, ""), width=_WIDE
    )


def _criteria(tasks: Sequence[review_page.ReviewPage]) -> list[str]:
    return list(
        dict.fromkeys(c.name for task in tasks if task.rubric for c in task.rubric.criteria)
    )


def _criterion(task: review_page.ReviewPage, name: str) -> Criterion | None:
    criteria = task.rubric.criteria if task.rubric else ()
    return next((c for c in criteria if c.name == name), None)


def _mark_column(name: str, tasks: Sequence[review_page.ReviewPage]) -> _Column:
    scales = {
        tuple(mark for mark, _ in found.marks)
        for task in tasks
        if (found := _criterion(task, name)) is not None
    }
    # Kinds may mark one criterion on different scales, and a header has room for one.
    told = "by kind, see the scale"
    if len(scales) == 1:
        told = ", ".join(f"{mark:g}" for mark in scales.pop())
    return _filled(
        f"{MARK}{name} [{told} or {NOT_APPLICABLE}]",
        lambda task: _criterion(task, name) is not None,
        criterion=name,
    )


def _filled(
    header: str,
    fills: Callable[[review_page.ReviewPage], bool],
    *,
    width: int = _NARROW,
    criterion: str = "",
) -> _Column:
    return _Column(
        header=header,
        cell=lambda task: "" if fills(task) else NOT_ASKED,
        fills=fills,
        width=width,
        criterion=criterion,
    )


def _workbook(tasks: Sequence[review_page.ReviewPage], columns: Sequence[_Column]) -> bytes:
    book = Workbook()
    page = book.worksheets[0]
    page.title = "reviews"
    scale = _Scale(book.create_sheet("scale"))
    for number, column in enumerate(columns, start=1):
        _write(page, 1, number, column.header, bold=True)
        page.column_dimensions[get_column_letter(number)].width = column.width
        for line, task in enumerate(tasks, start=2):
            _write(page, line, number, column.cell(task))
            if column.fills(task):
                cell = page.cell(line, number)
                cell.protection = Protection(locked=False)
                cell.fill = _TO_FILL
    _validate(page, scale, tasks, columns)
    # Task, reviewer, applicant and the headers stay in sight.
    page.freeze_panes = "D2"
    for sheet in (page, scale.page):
        # Without a password: it keeps from slips, not from people.
        sheet.protection.sheet = True
        sheet.protection.formatColumns = False
        sheet.protection.formatRows = False
        sheet.protection.sort = False
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _write(page: Worksheet, line: int, column: int, value: Cell, *, bold: bool = False) -> None:
    text = table_cell(value)
    cell = page.cell(line, column, guard(text)[:MOST_CELL] if isinstance(text, str) else text)
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    if isinstance(text, str):
        # Else a text that begins with "=" would be stored as a formula.
        cell.data_type = "s"
    if bold:
        cell.font = Font(bold=True)


def _validate(
    page: Worksheet,
    scale: "_Scale",
    tasks: Sequence[review_page.ReviewPage],
    columns: Sequence[_Column],
) -> None:
    """Restrict the cells to be filled to the values that there are."""
    for number, column in enumerate(columns, start=1):
        letter = get_column_letter(number)
        for line, task in enumerate(tasks, start=2):
            if not column.fills(task) or column.header in _FILLED_IN:
                continue
            scale.rule(task, column).add(f"{letter}{line}")
    for rule in scale.rules.values():
        page.add_data_validation(rule)


@dataclass(slots=True)
class _Scale:
    """The second sheet: hints, and for every criterion its marks and what they mean."""

    page: Worksheet
    rules: dict[tuple[object, ...], DataValidation] = field(default_factory=dict)
    _line: int = 0

    def __post_init__(self) -> None:
        for hint in _HINTS:
            self._row(hint)
        self._row("")
        self._row("kind", "criterion", "mark", "what it means", bold=True)
        for letter, width in zip("ABCD", (_MIDDLE, _MIDDLE, _NARROW, _WIDE), strict=True):
            self.page.column_dimensions[letter].width = width

    def rule(self, task: review_page.ReviewPage, column: _Column) -> DataValidation:
        """Return the rule for a cell; the first of its kind also writes its scale."""
        criterion = _criterion(task, column.criterion) if column.criterion else None
        # By the marks too: tasks begun under an earlier score form have other scales.
        key = (column.header, task.kind.name, criterion.marks if criterion else ())
        if key not in self.rules:
            self.rules[key] = self._made(task.kind.name, column, criterion)
        return self.rules[key]

    def _made(self, kind: str, column: _Column, criterion: Criterion | None) -> DataValidation:
        if criterion is not None:
            first = self._line + 1
            for mark, means in criterion.marks:
                self._row(kind, criterion.name, mark, means)
            self._row(kind, criterion.name, NOT_APPLICABLE, "no basis to judge")
            rule = DataValidation(type="list", formula1=f"scale!$C${first}:$C${self._line}")
            rule.error = "Choose one of the marks of the sheet “scale”, or N/A."
        elif column.header == CONFIDENCE:
            self._row(kind, "confidence", "1 to 5", "how sure you are; may be left blank")
            rule = DataValidation(type="whole", operator="between", formula1="1", formula2="5")
            rule.error = "Write a whole number from 1 to 5, or nothing."
        else:
            self._row(kind, "score", "0 to 100", "100 is the best")
            rule = DataValidation(type="decimal", operator="between", formula1="0", formula2="100")
            rule.error = "Write a number from 0 to 100."
        rule.allow_blank = True
        rule.showErrorMessage = True
        rule.errorTitle = "This cannot be used"
        return rule

    def _row(self, *cells: Cell, bold: bool = False) -> None:
        self._line += 1
        for column, cell in enumerate(cells, start=1):
            _write(self.page, self._line, column, cell, bold=bold)
        if len(cells) == 1:
            self.page.cell(self._line, 1).alignment = Alignment(wrap_text=False)
