"""One line of a table of scores read into marks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from swapflow.domain.ids import same_id
from swapflow.domain.reviewing.rubric import utility
from swapflow.domain.rules import Rubric, Rules
from swapflow.errors import BadRow, ScoreOutOfRangeError
from swapflow.files.imports.imported_scores import CollectedScores, ImportedScore, ScoreKey
from swapflow.files.imports.pairs import stranger
from swapflow.files.tables.cells import (
    decimal_of,
    is_missing,
    read_number,
    shorten,
    spelling,
)
from swapflow.files.tables.columns import NOUNS, missing_columns
from swapflow.files.tables.header_names import SCORE
from swapflow.files.tables.table import Table, TableRow


_LABELLED = re.compile(r"([-+]?\d+(?:[.,]\d+)?)(?:\s*:|\s+[-–—])\s*\D.*", re.DOTALL)


_SHARE = re.compile(r"(.*\S)\s*[%\uff05\u066a]")


_OF_A_HUNDRED = ((0.0, 100.0), (0.0, 1.0))
_NO_SHARE = (
    "this is a percentage, and the scale is none of 0 to 100",
    "Write the mark itself, or state the scale 0..100",
)


_BRACKETS = re.compile(r"[\[(](.*)[\])]", re.DOTALL)


_DASHES = re.compile(r"\d+(?:\.\d+)?(?:-\d+(?:\.\d+)?)+")


_SEVERAL = re.compile(r"\d+(?:\.\d+)?(?:(?:,\s+|\s*;\s*)\d+(?:\.\d+)?)+")
"""Scores in one cell; a comma without a space may be a decimal one."""


_PART = re.compile(
    r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,;]*?))\s*(?:[,;]|$)""", re.DOTALL
)


_LONGEST_LIST = 2000
"""Characters of a cell beyond which it lists no scores."""


_LINE = re.compile(r"\s*([^:]+?)\s*:\s*(.*?)\s*")


def _is_list(cell: str) -> bool:
    if len(cell) > _LONGEST_LIST:
        return False
    return any(form.fullmatch(cell) for form in (_BRACKETS, _DASHES, _SEVERAL))


def _parts(cell: str) -> list[str]:
    """Split a cell that lists scores; a label in quotes may hold commas."""
    if len(cell) > _LONGEST_LIST:
        return [cell]
    inner = _BRACKETS.fullmatch(cell)
    if inner is None and _DASHES.fullmatch(cell):
        return cell.split("-")
    text = inner[1] if inner else cell
    parts = ["".join(part).strip() for part in _PART.findall(text)]
    return parts[:-1] if len(parts) > 1 and not parts[-1] else parts


@dataclass(slots=True)
class ScoreReader:
    """Takes rows one by one."""

    table: Table
    headers: dict[str, str]
    rules: Rules | None
    kind: str
    scale: tuple[float, float] | None
    applications: dict[str, str] | None
    reviewers: dict[str, str] | None
    collected: CollectedScores = field(default_factory=CollectedScores)
    missing: list[tuple[int, str, str]] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    _decimals: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find which decimal mark each column proves."""
        self._decimals = {
            header: decimal_of(row[header] for row in self.table.rows)
            for header in self.table.headers
        }

    def check_columns(self) -> list[BadRow]:
        """Name what is wrong with the header, or with what the caller said about it."""
        needed = ["application"]
        if not self._is_anonymous():
            needed.append("reviewer")
        bad = missing_columns(self.table, self.headers, needed)
        if self.kind and self._kinds() and self.kind not in self._kinds():
            bad.append(self._at_header(f"there is no review {self.kind!r}", self._kinds_cure()))
        if not self.kind and "kind" not in self.headers and len(self._kinds()) > 1:
            bad.append(
                self._at_header(
                    "nothing says of which kind the scores are",
                    "Name the kind, or add a column kind. " + self._kinds_cure(),
                )
            )
        if not self._marked() and not {"score", "scores"} & self.headers.keys():
            bad += missing_columns(self.table, self.headers, ["score"])
        return bad

    def take(self, row: TableRow) -> None:
        """Read one row; a problem is noted and the row left out."""
        application = self._id(row, "application", self.applications)
        kind = self._kind(row)
        if self._is_anonymous():
            self._take_list(row, application, kind)
            return
        reviewer = self._id(row, "reviewer", self.reviewers)
        if application is not None and reviewer is not None and kind is not None:
            self._take_one(row, (application, reviewer, kind), self._values(row))

    # Whose score it is

    def _is_anonymous(self) -> bool:
        """Whether the file names no reviewers but lists several scores in a cell."""
        header = self.headers.get("score", self.headers.get("scores", ""))
        if "reviewer" in self.headers or not header:
            return False
        return any(_is_list(row[header]) for row in self.table.rows)

    def _take_list(self, row: TableRow, application: str | None, kind: str | None) -> None:
        cell = row[self.headers.get("score", self.headers.get("scores", ""))]
        parts = _parts(cell)
        if application is None or kind is None:
            return
        if not self.collected.warnings:
            self.collected.warnings.append(
                "the file names no reviewers; the scores of each list were given to reviewers "
                "1, 2, 3, … in their order"
            )
        if not any(part.strip() for part in parts):
            self.missing.append((row.line, application, ""))
        for i, part in enumerate(parts, start=1):
            if part.strip():
                self._take_one(row, (application, str(i), kind), {"": part})

    def _id(self, row: TableRow, role: str, known: Mapping[str, str] | None) -> str | None:
        text = row[self.headers[role]]
        if not text:
            noun = NOUNS[role]
            self._refuse(row, role, f"the {noun} is missing", "Give the id, or remove the row")
            return None
        if known is None:
            return text
        found = known.get(same_id(text))
        if found is None:
            self._refuse(row, role, *stranger(NOUNS[role], text, known))
        return found

    def _kind(self, row: TableRow) -> str | None:
        kinds = self._kinds()
        kind = row[self.headers["kind"]].casefold() if "kind" in self.headers else ""
        kind = kind or self.kind or (kinds[0] if len(kinds) == 1 else "")
        if kinds and kind not in kinds:
            self._refuse(row, "kind", f"there is no review {kind!r}", self._kinds_cure())
            return None
        return kind

    def _kinds(self) -> tuple[str, ...]:
        return tuple(kind.name for kind in self.rules.kinds) if self.rules else ()

    def _kinds_cure(self) -> str:
        return f"The reviews and interviews are {', '.join(self._kinds())}"

    # What it is

    def _marked(self) -> bool:
        """Whether some rubric's criteria have columns of their own."""
        spelled = {spelling(h) for h in self.table.headers}
        rubrics = self.rules.rubrics if self.rules else ()
        return any(spelling(c.name) in spelled for rubric in rubrics for c in rubric.criteria)

    def _values(self, row: TableRow) -> dict[str, str]:
        """Return what the row says by label; "" is the label of the one overall score."""
        values = {spelling(header): text for header, text in row.cells.items()}
        if "score" in self.headers:
            values[""] = row[self.headers["score"]]
        if "scores" in self.headers:
            for line in row[self.headers["scores"]].splitlines():
                match = _LINE.fullmatch(line)
                if match:
                    values[spelling(match[1])] = match[2]
            overall = next((values[label] for label in SCORE if label in values), "")
            values.setdefault("", overall)
        return values

    def _take_one(self, row: TableRow, key: ScoreKey, values: Mapping[str, str]) -> None:
        application, reviewer, kind = key
        rubric = self.rules.rubric(kind) if self.rules else None
        by_mark = (
            self.scale is None
            and rubric is not None
            and any(spelling(c.name) in values for c in rubric.criteria)
        )
        before = len(self.bad)
        marks: dict[str, float | None] = {}
        if by_mark and rubric is not None:
            marks = self._marks(row, rubric, values)
            found = None
        else:
            found = self._number(row, self.headers.get("score", ""), values.get("", ""))
        if len(self.bad) > before:
            return
        if found is None and all(mark is None for mark in marks.values()):
            self.missing.append((row.line, application, reviewer))
            return
        value = self._utility(row, rubric, found, marks)
        if value is None:
            return
        if rubric is not None and not marks and found is not None and self.scale is None:
            marks = {rubric.criteria[0].name: found}
        score = ImportedScore(
            line=row.line,
            application=application,
            reviewer=reviewer,
            kind=kind,
            utility=value,
            marks=marks,
            remark=row[self.headers["remark"]] if "remark" in self.headers else "",
        )
        refused = self.collected.add(key, score, version=_version(row, self.headers))
        if refused:
            self._refuse(row, "reviewer", *refused)

    def _marks(
        self, row: TableRow, rubric: Rubric, values: Mapping[str, str]
    ) -> dict[str, float | None]:
        return {
            criterion.name: self._number(
                row, criterion.name, values.get(spelling(criterion.name), "")
            )
            for criterion in rubric.criteria
        }

    def _number(self, row: TableRow, column: str, text: str) -> float | None:
        """Read a score; None is missing."""
        if is_missing(text):
            return None
        if share := _SHARE.fullmatch(text):
            number = read_number(share[1], decimal=self._decimals.get(column, ""))
            scale = self.scale or _own_scale(self.rules, self._kind(row), column)
            if number is not None and scale in _OF_A_HUNDRED:
                return number * scale[1] / 100
            self._refuse_value(row, column, text, *_NO_SHARE)
            return None
        labelled = _LABELLED.fullmatch(text)
        number = read_number(
            labelled[1] if labelled else text, decimal=self._decimals.get(column, "")
        )
        if number is None:
            self._refuse_value(
                row,
                column,
                text,
                "this is no score",
                "Write a number, or N/A where there is none",
            )
        return number

    def _utility(
        self,
        row: TableRow,
        rubric: Rubric | None,
        number: float | None,
        marks: Mapping[str, float | None],
    ) -> float | None:
        """Map what was read onto [0, 1]; None when it was refused."""
        column = self.headers.get("score", "")
        try:
            if marks and rubric is not None:
                return utility(rubric, marks)
            assert number is not None
            if rubric is not None and self.scale is None and len(rubric.criteria) == 1:
                return utility(rubric, {rubric.criteria[0].name: number})
        except ScoreOutOfRangeError as error:
            self._refuse_value(row, column, "", str(error), "Correct it")
            return None
        scale = self.scale
        if scale is None and rubric is None and spelling(column) == "utility":
            scale = (0.0, 1.0)
        if scale is None:
            self._refuse_value(row, column, f"{number:g}", *_no_scale(rubric))
            return None
        worst, best = scale
        if not min(scale) <= number <= max(scale):
            self._refuse_value(
                row,
                column,
                f"{number:g}",
                f"the score lies outside the scale {worst:g} to {best:g}",
                "Correct it, or state the scale that was used",
            )
            return None
        return (number - worst) / (best - worst)

    def _refuse(self, row: TableRow, role: str, reason: str, cure: str) -> None:
        header = self.headers.get(role, "")
        self._refuse_value(row, header, row[header], reason, cure)

    def _refuse_value(
        self, row: TableRow, column: str, value: str, reason: str, cure: str
    ) -> None:
        self.bad.append(
            BadRow(line=row.line, column=column, value=shorten(value), reason=reason, cure=cure)
        )

    def _at_header(self, reason: str, cure: str) -> BadRow:
        return BadRow(line=self.table.header_line, column="", value="", reason=reason, cure=cure)


def _version(row: TableRow, headers: Mapping[str, str]) -> float:
    return (read_number(row[headers["version"]]) or 0.0) if "version" in headers else 0.0


def _own_scale(rules: Rules | None, kind: str | None, column: str) -> tuple[float, float] | None:
    """Return the scale that the rules give the criterion of a column."""
    rubric = rules.rubric(kind or "") if rules else None
    criteria = rubric.criteria if rubric else ()
    named = [c for c in criteria if spelling(c.name) == spelling(column)]
    only = named or (criteria if len(criteria) == 1 else ())
    return (float(only[0].marks[0][0]), float(only[0].marks[-1][0])) if only else None


def _no_scale(rubric: Rubric | None) -> tuple[str, str]:
    if rubric is None:
        return (
            "nothing says on which scale this score is",
            "State it, worst to best, e.g. 0..5",
        )
    names = ", ".join(repr(c.name) for c in rubric.criteria)
    reason = f"the score form of {rubric.kind!r} has {len(rubric.criteria)} criteria, not one"
    return (
        reason,
        f"Give a column for each ({names}), or state the scale of the score, e.g. 0..5",
    )
