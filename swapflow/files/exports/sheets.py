"""Lists, evidence and records as files: CSV, XLSX, JSON and Markdown.

Text that a spreadsheet would take for a formula gets a tab before it; numbers are never touched.
File names are fixed: no id or name of a person ever becomes part of a path.
"""

import csv
import io
import json
import math
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

from swapflow.domain.cohort.proposal import (
    MethodSheet,
    Outcome,
    Place,
    Proposal,
    Standing,
    Verdict,
)
from swapflow.domain.event import Event
from swapflow.domain.people.application import Application
from swapflow.domain.reviewing.score import Score
from swapflow.errors import InvalidInputError
from swapflow.files.exports.method_sheet import method_text
from swapflow.files.tables.formula_guard import guard


Cell = str | int | float | bool | None

MOST_CELL = 32_767
"""Characters that a spreadsheet's cell holds."""

_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Format(StrEnum):
    """A format that lists come in."""

    CSV = "csv"
    XLSX = "xlsx"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A list to be written.

    Attributes:
        name: Title of the sheet and stem of the file.
        headers: Names of the columns, as importers know them.
        rows: Cells in the order of the headers.
    """

    name: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


# What is in the lists


def cohort_sheet(proposal: Proposal) -> Sheet:
    """Give the proposed list, in its order."""
    return _list("cohort", [p for p in proposal.places if p.standing is Standing.COHORT])


def waitlist_sheet(proposal: Proposal) -> Sheet:
    """Give the waitlist, in its order."""
    return _list("waitlist", [p for p in proposal.places if p.standing is Standing.WAITLIST])


def evidence_sheet(proposal: Proposal) -> Sheet:
    """Give what is behind every place of the proposal: scores, margins, reviews by kind."""
    kinds = sorted({kind for place in proposal.places for kind in place.pulls})
    return Sheet(
        name="evidence",
        headers=(
            "external_id",
            "rank",
            "list",
            "score",
            "margin",
            "plain_mean",
            "evidence",
            *(f"scores: {kind}" for kind in kinds),
            "too_close_to_call",
            "tie",
            "missing_floor",
        ),
        rows=tuple(
            (
                place.external_id,
                place.rank,
                place.standing.value,
                _hundred(place.estimate),
                _hundred(place.margin),
                None if place.raw_mean is None else _hundred(place.raw_mean),
                place.evidence,
                *(place.pulls.get(kind, 0) for kind in kinds),
                place.contested,
                place.tied,
                "; ".join(f"{n} {kind}" for kind, n in place.floor_missing.items() if n),
            )
            for place in proposal.places
        ),
    )


def outcomes_sheet(
    proposal: Proposal, outcomes: Iterable[Outcome], applications: Iterable[Application] = ()
) -> Sheet:
    """Give what people decided, beside what was proposed.

    Args:
        proposal: Supplies ids and names.
        outcomes: The decisions.
        applications: Supply ids and names of whoever is decided about and not in the proposal.
    """
    places = {place.application: place for place in proposal.places}
    others = {application.number: application for application in applications}
    return Sheet(
        name="outcomes",
        headers=("external_id", "name", "proposed", "decision", "decided_by", "reason", "at"),
        rows=tuple(
            (
                *_who(outcome.application, places, others),
                outcome.verdict.value,
                outcome.by,
                outcome.reason,
                outcome.at.isoformat(),
            )
            for outcome in outcomes
        ),
    )


def _who(
    number: int, places: Mapping[int, Place], others: Mapping[int, Application]
) -> tuple[str, str, str]:
    if number in places:
        place = places[number]
        return place.external_id, place.name, place.standing.value
    if number in others:
        return others[number].external_id, others[number].name, ""
    return "", "", ""


def decided_sheet(
    proposal: Proposal, outcomes: Iterable[Outcome], verdict: Verdict, *, name: str
) -> Sheet:
    """Give whom people put on a list, in the order of the proposal; the last decision stands."""
    decided = {outcome.application: outcome.verdict for outcome in outcomes}
    return _list(name, [p for p in proposal.places if decided.get(p.application) is verdict])


def scores_sheet(
    scores: Sequence[Score],
    *,
    applications: Mapping[int, str],
    reviewers: Mapping[int, str],
    kinds: Sequence[str],
    remarks: Mapping[str, str],
) -> Sheet:
    """Give every revision of every score, with remarks, to be exported. For staff.

    Args:
        scores: In the order of their submission.
        applications: External ids by number.
        reviewers: External ids by number.
        kinds: Names of the kinds, in order.
        remarks: By assignment; each stands beside the last revision.
    """
    last = {s.assignment_id: s.revision for s in scores}
    return Sheet(
        name="scores",
        headers=(
            "external_id",
            "reviewer",
            "kind",
            "score",
            "counts",
            "why",
            "revision",
            "origin",
            "typed_by",
            "submitted_at",
            "remark",
            "score_id",
        ),
        rows=tuple(
            (
                applications[s.application],
                reviewers[s.reviewer],
                kinds[s.kind],
                round(100 * s.value / 1e6, 4),
                s.counts,
                s.reason,
                s.revision,
                s.origin.value,
                s.typed_by,
                s.submitted_at.isoformat(),
                remarks.get(s.assignment_id, "") if s.revision == last[s.assignment_id] else "",
                s.assignment_id,
            )
            for s in scores
        ),
    )


def _list(name: str, places: Sequence[Place]) -> Sheet:
    return Sheet(
        name=name,
        headers=("external_id", "name", "rank", "score", "margin"),
        rows=tuple(
            (p.external_id, p.name, p.rank, _hundred(p.estimate), _hundred(p.margin))
            for p in places
        ),
    )


def _hundred(utility: float) -> float:
    """Show a utility as people see it, 0 to 100; a hundredth of a point is finer than any mark."""
    return round(100 * utility, 2)


# How they are written


def sheet_bytes(sheet: Sheet, form: Format, *, raw: bool = False) -> bytes:
    """Write a list in one of the formats.

    Args:
        sheet: The list.
        form: CSV (UTF-8 with a mark, which Excel needs), XLSX or JSON.
        raw: For programs: without the tab before would-be formulas, and without the mark.
    """
    match form:
        case Format.CSV:
            return _csv(sheet, raw=raw)
        case Format.XLSX:
            return _xlsx(sheet, raw=raw)
        case Format.JSON:
            rows = [dict(zip(sheet.headers, map(_finite, row), strict=True)) for row in sheet.rows]
            return _json(rows)


def _csv(sheet: Sheet, *, raw: bool) -> bytes:
    text = io.StringIO(newline="")
    # Every string stands in quotes: a guarding tab outside them would be trimmed.
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow(_guarded(sheet.headers, raw=raw))
    for row in sheet.rows:
        writer.writerow(_guarded(row, raw=raw))
    return _encodable(text.getvalue()).encode("utf-8" if raw else "utf-8-sig")


def _guarded(row: Iterable[Cell], *, raw: bool) -> Iterator[str | int | float]:
    for cell in row:
        shown = table_cell(cell)
        yield guard(shown) if isinstance(shown, str) and not raw else shown


def table_cell(cell: Cell) -> str | int | float:
    """Give a cell as tables hold it: yes or no, blank for no number, no control codes."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    cell = _finite(cell)
    if isinstance(cell, str):
        return _FORBIDDEN.sub("\ufffd", cell)
    return "" if cell is None else cell


def _finite(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def _xlsx(sheet: Sheet, *, raw: bool) -> bytes:
    book = Workbook(write_only=True)
    page = book.create_sheet(sheet.name)
    for row in (sheet.headers, *sheet.rows):
        cells: list[object] = []
        for shown in map(table_cell, row):
            if isinstance(shown, str):
                cell = WriteOnlyCell(page, value=(shown if raw else guard(shown))[:MOST_CELL])
                # Else openpyxl makes a formula of text that begins with "=".
                cell.data_type = "s"
            else:
                cell = WriteOnlyCell(page, value=shown)
            cells.append(cell)
        page.append(cells)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _json(content: object) -> bytes:
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False, default=_plain)
    return _encodable(text + "\n").encode()


def _encodable(text: str) -> str:
    """Replace lone surrogates, which no encoding can write."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


def method_json(sheet: MethodSheet) -> bytes:
    """Write a method sheet for programs; what is not a finite number is null."""
    content = asdict(sheet)
    content["parameters"] = {name: _finite(value) for name, value in sheet.parameters.items()}
    content["certified_loss"] = _finite(sheet.certified_loss)
    content["expected_loss"] = _finite(sheet.expected_loss)
    return _json(content)


def event_lines(events: Iterable[Event]) -> Iterator[str]:
    """Spell events as JSON, one a line, in their order."""
    for event in events:
        yield (
            json.dumps(
                {
                    "cycle": event.cycle_id,
                    "seq": event.position.seq,
                    "hash": event.position.hash,
                    "type": event.type.value,
                    "version": event.version,
                    "at": event.at.isoformat(),
                    "payload": event.payload,
                    "deltas": [
                        [d.application, d.numerator, d.information, d.pending]
                        for d in event.deltas
                    ],
                    "spent": event.spent,
                    "committed": event.committed,
                },
                ensure_ascii=False,
                sort_keys=True,
                allow_nan=False,
                default=dict,
            )
            + "\n"
        )


def write_cohort_folder(
    folder: str | Path,
    proposal: Proposal,
    outcomes: Iterable[Outcome] = (),
    applications: Iterable[Application] = (),
    *,
    form: Format = Format.CSV,
    raw: bool = False,
) -> tuple[Path, ...]:
    """Write everything about a cohort: lists, evidence, decisions and the method.

    Files: cohort, waitlist, evidence and outcomes in the format, method.md, method.json. Each is
    replaced whole: whoever reads one at that moment sees the old file or the new one.

    Returns:
        The files, in that order.

    Raises:
        InvalidInputError: If they cannot be written there.
    """
    folder = Path(folder)
    sheets = (
        cohort_sheet(proposal),
        waitlist_sheet(proposal),
        evidence_sheet(proposal),
        outcomes_sheet(proposal, outcomes, applications),
    )
    contents = {
        **{f"{sheet.name}.{form.value}": sheet_bytes(sheet, form, raw=raw) for sheet in sheets},
        "method.md": _encodable(method_text(proposal.sheet)).encode(),
        "method.json": method_json(proposal.sheet),
    }
    return tuple(write_file(folder / name, content) for name, content in contents.items())


def write_sheet(path: str | Path, sheet: Sheet, *, raw: bool = False) -> None:
    """Write a list to a file whose suffix (.csv, .xlsx, .json) says the format; else CSV."""
    suffix = Path(path).suffix.lower().lstrip(".")
    form = Format(suffix) if suffix in set(Format) else Format.CSV
    write_file(Path(path), sheet_bytes(sheet, form, raw=raw))


def write_file(path: Path, content: bytes) -> Path:
    """Put a file in its place at once, readable by its owner and group only.

    Raises:
        InvalidInputError: If it cannot be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".export-")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o640)
        return Path(name).replace(path)
    except OSError as error:
        raise InvalidInputError(
            f"{path}: cannot be written ({error.strerror}). Choose another folder"
        ) from error
