"""Lists, evidence and records as files: CSV, XLSX, JSON and Markdown.

Text that a spreadsheet would take for a formula gets a tab before it; numbers are never touched.
File names are fixed: no id or name of a person ever becomes part of a path.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

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
from swapflow.files.exports.method_sheet import method_text
from swapflow.files.exports.writers import (
    ExportSheet,
    Format,
    encodable,
    finite_cell,
    json_bytes,
    sheet_bytes,
    write_file,
)


# What is in the lists


def cohort_sheet(proposal: Proposal) -> ExportSheet:
    """Return the proposed list, in its order."""
    return _list("cohort", [p for p in proposal.places if p.standing is Standing.COHORT])


def waitlist_sheet(proposal: Proposal) -> ExportSheet:
    """Return the waitlist, in its order."""
    return _list("waitlist", [p for p in proposal.places if p.standing is Standing.WAITLIST])


def evidence_sheet(proposal: Proposal) -> ExportSheet:
    """Return what is behind every place of the proposal: scores, margins, reviews by kind."""
    kinds = sorted({kind for place in proposal.places for kind in place.pulls})
    return ExportSheet(
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
                place.too_close,
                place.tied,
                "; ".join(f"{n} {kind}" for kind, n in place.floor_missing.items() if n),
            )
            for place in proposal.places
        ),
    )


def outcomes_sheet(
    proposal: Proposal,
    outcomes: Iterable[Outcome],
    applications: Iterable[Application] = (),
    *,
    signed_by: Sequence[str] = (),
) -> ExportSheet:
    """Return what people decided, beside what was proposed.

    Args:
        proposal: Supplies ids and names.
        outcomes: The decisions.
        applications: Supply ids and names of those who are decided about and not in the proposal.
        signed_by: Who signed the list, in order.
    """
    places = {place.application: place for place in proposal.places}
    others = {application.number: application for application in applications}
    return ExportSheet(
        name="outcomes",
        headers=(
            *("external_id", "name", "proposed", "decision", "decided_by", "reason", "at"),
            *("prepared_by", "signed_by"),
        ),
        rows=tuple(
            (
                *_who(outcome.application, places, others),
                outcome.verdict.value,
                outcome.by,
                outcome.reason,
                outcome.at.isoformat(),
                outcome.prepared_by or "",
                "; ".join(signed_by),
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
) -> ExportSheet:
    """Return whom people put on a list, in the order of the proposal; the last decision counts."""
    decided = {outcome.application: outcome.verdict for outcome in outcomes}
    return _list(name, [p for p in proposal.places if decided.get(p.application) is verdict])


def scores_sheet(
    scores: Sequence[Score],
    *,
    applications: Mapping[int, str],
    reviewers: Mapping[int, str],
    kinds: Sequence[str],
    remarks: Mapping[str, str],
) -> ExportSheet:
    """Return one row a review: its valid revision, whether it counts, its remark. For staff.

    Args:
        scores: In the order of their submission.
        applications: External ids by number.
        reviewers: External ids by number.
        kinds: Names of the kinds, in order.
        remarks: By assignment.
    """
    valid = {s.assignment_id: s for s in sorted(scores, key=lambda s: s.revision)}
    return ExportSheet(
        name="scores",
        headers=(*_SCORE_HEADERS, "remark", "score_id"),
        rows=tuple(
            (
                *_score_cells(s, applications, reviewers, kinds),
                remarks.get(s.assignment_id, ""),
                s.assignment_id,
            )
            for s in scores
            if valid[s.assignment_id] is s
        ),
    )


def score_history_sheet(
    scores: Sequence[Score],
    *,
    applications: Mapping[int, str],
    reviewers: Mapping[int, str],
    kinds: Sequence[str],
) -> ExportSheet:
    """Return every revision of every review, those that were superseded too. For staff.

    Args as of `scores_sheet`. `valid` is yes for the last revision alone, and `counted` says of
    each whether it entered the estimates while it was valid.
    """
    last = {s.assignment_id: s.revision for s in sorted(scores, key=lambda s: s.revision)}
    headers = tuple("counted" if header == "counts" else header for header in _SCORE_HEADERS)
    return ExportSheet(
        name="score-history",
        headers=(*headers, "valid", "score_id"),
        rows=tuple(
            (
                *_score_cells(s, applications, reviewers, kinds),
                s.revision == last[s.assignment_id],
                s.assignment_id,
            )
            for s in scores
        ),
    )


_SCORE_HEADERS = (
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
)


def _score_cells(
    score: Score,
    applications: Mapping[int, str],
    reviewers: Mapping[int, str],
    kinds: Sequence[str],
) -> tuple[str | float | bool, ...]:
    return (
        applications[score.application],
        reviewers[score.reviewer],
        kinds[score.kind],
        round(100 * score.value / 1e6, 4),
        score.counts,
        score.reason,
        score.revision,
        score.origin.value,
        score.typed_by,
        score.submitted_at.isoformat(),
    )


def _list(name: str, places: Sequence[Place]) -> ExportSheet:
    return ExportSheet(
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


def method_json(sheet: MethodSheet) -> bytes:
    """Write a method sheet for programs; what is not a finite number is null."""
    content = asdict(sheet)
    content["parameters"] = {name: finite_cell(value) for name, value in sheet.parameters.items()}
    content["certified_loss"] = finite_cell(sheet.certified_loss)
    content["expected_loss"] = finite_cell(sheet.expected_loss)
    return json_bytes(content)


def event_lines(events: Iterable[Event]) -> Iterator[str]:
    """Format events as JSON, one a line, in their order."""
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
    signed_by: Sequence[str] = (),
    form: Format = Format.CSV,
    raw: bool = False,
) -> tuple[Path, ...]:
    """Write everything about a cohort: lists, evidence, decisions and the method.

    Files: cohort, waitlist, evidence and outcomes in the format, method.md, method.json. Each is
    replaced whole: a program that reads one at that moment sees the old file or the new one.

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
        outcomes_sheet(proposal, outcomes, applications, signed_by=signed_by),
    )
    contents = {
        **{f"{sheet.name}.{form.value}": sheet_bytes(sheet, form, raw=raw) for sheet in sheets},
        "method.md": encodable(method_text(proposal.sheet)).encode(),
        "method.json": method_json(proposal.sheet),
    }
    return tuple(write_file(folder / name, content) for name, content in contents.items())
