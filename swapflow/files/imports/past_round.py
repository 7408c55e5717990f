"""Last year's scores from tables, for studies: who was judged by whom, and how long it took.

Unlike an import, a past round may lack the reviewers' names: what cannot be known without them is
said by the study. Bad rows are named by line here as everywhere, and a missing score is never 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from swapflow.bandit.estimation.posterior import NO_REVIEWER
from swapflow.bandit.situation import FloatArray, Scores
from swapflow.domain.ids import same_id
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.imports.pairs import PAIR_COLUMNS
from swapflow.files.tables.cells import (
    is_missing,
    read_number,
    read_yes_no,
    refuse,
    shorten,
    spelling,
)
from swapflow.files.tables.columns import find_headers, missing_columns
from swapflow.files.tables.table import Source, Table, TableRow, read_table


REVIEW, INTERVIEW = "review", "interview"

_COLUMNS: dict[str, tuple[str, ...]] = {
    **PAIR_COLUMNS,
    "kind": ("kind",),
    "score": (
        "score",
        "overall_score",
        "overall_merit",
        "overall_evaluation",
        "overall",
        "mark",
        "rating",
        "points",
        "panel_score",
        "utility",
        "score01",
    ),
    "minutes": ("minutes", "minutes_spent"),
    "hours": ("hours", "hours_spent"),
    "days": ("days", "days_to_answer"),
}
_ITEM_COLUMNS: dict[str, tuple[str, ...]] = {
    "application": PAIR_COLUMNS["application"],
    "accepted": ("accepted", "admitted", "hired", "selected"),
}
_UTILITIES = frozenset({"utility", "score01"})
"""Headers of columns whose scores are utilities in 0 to 1 already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRound:
    """A finished round.

    Attributes:
        items: External ids of the applicants in question, those without a score too.
        accepted: How many of them were chosen; None where nothing is on record.
        kinds: Names of the kinds, the one with most scores first; indices in `scores` follow.
        reviewers: Their ids; indices in `scores` follow.
        scores: Every score as a utility in [0, 1].
        minutes: Working time behind each score, NaN where it is not on record.
        days: How long the answer took, likewise.
        scale: Worst and best mark of the reviews, as the office writes them.
        missing: Lines of scores that say there is none.
        warnings: What staff should know, in sentences.
    """

    items: tuple[str, ...]
    accepted: int | None
    kinds: tuple[str, ...]
    reviewers: tuple[str, ...]
    scores: Scores
    minutes: FloatArray
    days: FloatArray
    scale: tuple[float, float]
    missing: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    item: str
    reviewer: str
    kind: str
    utility: float
    minutes: float
    days: float


def read_past(
    scores: Source,
    items: Source,
    *,
    scale: str = "",
    interviews: Source | None = None,
    interview_scale: str = "",
    only: tuple[str, str] | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> PastRound:
    """Read a past round, all or nothing.

    Args:
        scores: A row for each score: applicant, score, and where known reviewer, kind, minutes
            or hours, days.
        items: A row for each applicant, and where known accepted (yes or no).
        scale: Worst and best mark, such as "1..10", or "5..1" where 1 is best; not needed for
            a column called utility.
        interviews: Scores of interviews in a file of their own.
        interview_scale: Their scale, where it differs.
        only: (attribute, value): only the applicants with that value in that column of `items`.
        mapping: What to take a header for, where its name does not say.
        encoding: Encoding of text files, when staff know it.

    Raises:
        InvalidInputError: If a file or the scale cannot be read, or nothing is left.
        BadRowsError: If anything in a file cannot be used; it lists every place.
    """
    ids, accepted, warnings = _read_items(items, only, mapping or {}, encoding)
    sheets = [_ScoreSheet.read(scores, "", scale, mapping or {}, encoding)]
    if interviews is not None:
        sheets.append(
            _ScoreSheet.read(
                interviews, INTERVIEW, interview_scale or scale, mapping or {}, encoding
            )
        )
    for sheet in sheets:
        sheet.take_all(ids)
    marks = [mark for sheet in sheets for mark in sheet.marks]
    if not marks:
        raise InvalidInputError("past_scores_unmatched", source=sheets[0].table.source)
    return _numbered(
        marks,
        items=tuple(sorted(set(ids.values()) - {""})),
        accepted=accepted,
        scale=sheets[0].scale,
        missing=sum(sheet.missing for sheet in sheets),
        warnings=tuple(warnings + [w for sheet in sheets for w in sheet.table.warnings]),
    )


def _numbered(
    marks: list[_Mark],
    *,
    items: tuple[str, ...],
    accepted: int | None,
    scale: tuple[float, float],
    missing: int,
    warnings: tuple[str, ...],
) -> PastRound:
    """Number applicants, reviewers and kinds; a reviewer is spelled as in the first row."""
    counts: dict[str, int] = {}
    for mark in marks:
        counts[mark.kind] = counts.get(mark.kind, 0) + 1
    # The first kind is the measure of the others, so it should be known best.
    kinds = tuple(sorted(counts, key=lambda kind: (-counts[kind], kind)))
    spelled: dict[str, str] = {}
    for mark in marks:
        spelled.setdefault(same_id(mark.reviewer), mark.reviewer)
    known = sorted(set(spelled) - {""})
    item_number = {item: i for i, item in enumerate(sorted({mark.item for mark in marks}))}
    kind_number = {kind: i for i, kind in enumerate(kinds)}
    reviewer_number = {name: i for i, name in enumerate(known)} | {"": NO_REVIEWER}
    return PastRound(
        items=items,
        accepted=accepted,
        kinds=kinds,
        reviewers=tuple(spelled[name] for name in known),
        scores=Scores(
            arm=np.array([item_number[m.item] for m in marks], dtype=np.int64),
            reviewer=np.array(
                [reviewer_number[same_id(m.reviewer)] for m in marks], dtype=np.int64
            ),
            kind=np.array([kind_number[m.kind] for m in marks], dtype=np.int64),
            mark=np.array([m.utility for m in marks], dtype=np.float64),
        ),
        minutes=np.array([m.minutes for m in marks], dtype=np.float64),
        days=np.array([m.days for m in marks], dtype=np.float64),
        scale=scale,
        missing=missing,
        warnings=warnings,
    )


def _read_items(
    source: Source,
    only: tuple[str, str] | None,
    mapping: Mapping[str, str],
    encoding: str | None,
) -> tuple[dict[str, str], int | None, list[str]]:
    """Return every applicant's id by its reduced spelling, and how many were chosen.

    The id is "" for an applicant who is left out.
    """
    table = read_table(source, encoding=encoding)
    own = {h: role for h, role in mapping.items() if h in table.headers and role in _ITEM_COLUMNS}
    headers = find_headers(table, _ITEM_COLUMNS, own)
    refuse(table.source, [*table.bad, *missing_columns(table, headers, ("application",))])
    if only is not None and only[0] not in table.headers:
        raise InvalidInputError(
            "choosing_column_missing", source=table.source, header=only[0], columns=table.headers
        )
    ids: dict[str, str] = {}
    bad: list[BadRow] = []
    chosen, decided = 0, False
    for row in table.rows:
        item = row[headers["application"]]
        if not item or same_id(item) in ids:
            reason = "the applicant's id is missing" if not item else "this id stands there twice"
            bad.append(_bad(row, headers["application"], reason, "Correct it"))
            continue
        kept = only is None or row[only[0]] == only[1]
        # Known, but without an id: their scores are passed over instead of refused.
        ids[same_id(item)] = item if kept else ""
        answer = read_yes_no(row[headers["accepted"]]) if "accepted" in headers else None
        decided = decided or answer is not None
        chosen += bool(answer) and kept
    refuse(table.source, bad)
    if not any(ids.values()):
        if only is None:
            raise InvalidInputError("no_applicant_has_id", source=table.source)
        raise InvalidInputError(
            "no_applicant_has_value", source=table.source, header=only[0], value=only[1]
        )
    return ids, chosen if decided else None, list(table.warnings)


def _bad(row: TableRow, column: str, reason: str, cure: str) -> BadRow:
    return BadRow(
        line=row.line, column=column, value=shorten(row[column]), reason=reason, cure=cure
    )


@dataclass(slots=True)
class _ScoreSheet:
    """One file of scores, taken row by row."""

    table: Table
    headers: dict[str, str]
    kind: str
    scale: tuple[float, float]
    marks: list[_Mark] = field(default_factory=list)
    missing: int = 0
    bad: list[BadRow] = field(default_factory=list)
    _lines: dict[tuple[str, str, str], int] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        source: Source,
        kind: str,
        scale: str,
        mapping: Mapping[str, str],
        encoding: str | None,
    ) -> "_ScoreSheet":
        """Read the table and find its columns and its scale."""
        table = read_table(source, encoding=encoding)
        own = {h: role for h, role in mapping.items() if not kind or h in table.headers}
        own = {h: role for h, role in own.items() if role != "accepted"}
        headers = find_headers(table, _COLUMNS, own)
        needed = ("application", "score")
        refuse(table.source, [*table.bad, *missing_columns(table, headers, needed)])
        return cls(
            table=table, headers=headers, kind=kind, scale=_scale(table, headers["score"], scale)
        )

    def take_all(self, ids: Mapping[str, str]) -> None:
        """Read every row.

        Raises:
            BadRowsError: If one cannot be used.
        """
        for row in self.table.rows:
            self._take(row, ids)
        refuse(self.table.source, self.bad)

    def _take(self, row: TableRow, ids: Mapping[str, str]) -> None:
        text = row[self.headers["application"]]
        item = ids.get(same_id(text)) if text else None
        if item is None:
            reason = "the file of applicants has no such id" if text else "the id is missing"
            self._refuse(row, "application", reason, "Correct it, or remove the row")
            return
        if is_missing(row[self.headers["score"]]):
            self.missing += bool(item)
            return
        number = self._number(row, "score", self._within)
        minutes = self._amount(row, "minutes")
        hours = self._amount(row, "hours")
        days = self._amount(row, "days")
        # Only now: a cell that cannot be read is named even in a row that is left out.
        if number is None or not item:
            return
        reviewer = row[self.headers["reviewer"]] if "reviewer" in self.headers else ""
        kind = row[self.headers["kind"]].casefold() if "kind" in self.headers else ""
        kind = kind or self.kind or REVIEW
        if reviewer and not self._is_first(row, (item, same_id(reviewer), kind)):
            return
        worst, best = self.scale
        self.marks.append(
            _Mark(
                item=item,
                reviewer=reviewer,
                kind=kind,
                utility=(number - worst) / (best - worst),
                minutes=60 * hours if np.isnan(minutes) else minutes,
                days=days,
            )
        )

    def _is_first(self, row: TableRow, key: tuple[str, str, str]) -> bool:
        """Whether nobody else's line says what the same reviewer gave the same applicant."""
        earlier = self._lines.setdefault(key, row.line)
        if earlier == row.line:
            return True
        self._refuse(
            row,
            "reviewer",
            f"this reviewer has another score of {key[0]!r} on line {earlier}",
            "Keep the one that is right",
        )
        return False

    def _within(self, value: float) -> str:
        worst, best = self.scale
        if min(worst, best) <= value <= max(worst, best):
            return ""
        return f"the score lies outside the scale {worst:g} to {best:g}"

    def _amount(self, row: TableRow, role: str) -> float:
        if role not in self.headers or is_missing(row[self.headers[role]]):
            return float("nan")
        found = self._number(
            row, role, lambda value: "" if value >= 0 else f"{role} cannot be negative"
        )
        return float("nan") if found is None else found

    def _number(self, row: TableRow, role: str, problem: Callable[[float], str]) -> float | None:
        number = read_number(row[self.headers[role]])
        reason = "this is no number" if number is None else problem(number)
        if reason:
            self._refuse(row, role, reason, "Correct it, or leave the cell empty")
            return None
        return number

    def _refuse(self, row: TableRow, role: str, reason: str, cure: str) -> None:
        self.bad.append(_bad(row, self.headers[role], reason, cure))


def _scale(table: Table, header: str, scale: str) -> tuple[float, float]:
    """Read the stated scale, or say which marks occur when none is stated."""
    if scale:
        stated = MarkScale.written(scale)
        return stated.worst, stated.best
    if spelling(header) in _UTILITIES:
        return 0.0, 1.0
    seen = [n for row in table.rows if (n := read_number(row[header])) is not None]
    named: dict[str, object] = {"source": table.source, "header": header}
    if seen:
        raise InvalidInputError("scale_not_stated_range", **named, least=min(seen), most=max(seen))
    raise InvalidInputError("scale_not_stated", **named)
