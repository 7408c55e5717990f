"""Conversion between rows and the frozen dataclasses of the domain."""

import dataclasses
import json
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Column, Row, RowMapping, Table

from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place, Standing, Verdict
from swapflow.domain.cycle import Cycle, CycleStatus, Position
from swapflow.domain.event import Event, EventType, damaged_event
from swapflow.domain.fixed_point import Delta
from swapflow.domain.people.application import Application, ApplicationStatus
from swapflow.domain.people.reviewer import Absence, Reviewer
from swapflow.domain.reviewing.assignment import (
    Assignment,
    AssignmentStatus,
    Pull,
    PullReason,
    PullStatus,
)
from swapflow.domain.reviewing.score import Late, Origin, Score
from swapflow.domain.rules import Rules
from swapflow.domain.rules_text import from_text
from swapflow.engine.ports.records import DecisionRecord, Mail, StaffRequest
from swapflow.errors import DamagedRecordError
from swapflow.ledger import schema
from swapflow.ledger.core.damaged_rows import UNREADABLE, row_of
from swapflow.messages import Message, plain, restored


AnyRow = Row[*tuple[Any, ...]]
Values = dict[str, Any]

_TIE_RANGE = 1 << 64
_TIE_SIGN = 1 << 63


def columns(table: Table, kind: type[Any]) -> list[Column[Any]]:
    """Return the columns of a table that a dataclass names, in the dataclass's order."""
    return [table.c[field.name] for field in dataclasses.fields(kind)]


PULL_COLUMNS = columns(schema.PULL, Pull)
ASSIGNMENT_COLUMNS = columns(schema.ASSIGNMENT, Assignment)
SCORE_COLUMNS = columns(schema.SCORE, Score)
WISH_COLUMNS = columns(schema.WISH, StaffRequest)
MAIL_COLUMNS = columns(schema.MESSAGE, Mail)
OUTCOME_COLUMNS = columns(schema.OUTCOME, Outcome)

_PULL_NAMES = [column.name for column in PULL_COLUMNS]
_ASSIGNMENT_NAMES = [column.name for column in ASSIGNMENT_COLUMNS]
_SCORE_NAMES = [column.name for column in SCORE_COLUMNS]
_PULL_STATUS = {status.value: status for status in PullStatus}
_PULL_WHY = {why.value: why for why in PullReason}
_ASSIGNMENT_STATUS = {status.value: status for status in AssignmentStatus}
_EVENT_TYPE = {kind.value: kind for kind in EventType}


def signed(tie: int) -> int:
    """Convert an unsigned 64-bit number to the signed one that databases store."""
    # The order of ties is that of the unsigned numbers, so nothing may be sorted by this column.
    assert 0 <= tie < _TIE_RANGE, "a tie is an unsigned 64-bit number"
    return tie - _TIE_RANGE if tie >= _TIE_SIGN else tie


def unsigned(kept: int) -> int:
    """Undo `signed`."""
    return kept + _TIE_RANGE if kept < 0 else kept


@row_of(schema.CYCLE)
def to_cycle(row: RowMapping | Values) -> Cycle:
    """Read a cycle's row."""
    return Cycle(
        id=row["id"],
        round_id=row["round_id"],
        name=row["name"],
        status=CycleStatus(row["status"]),
        position=Position(row["seq"], row["head_hash"]),
        rules_version=row["rules_version"],
        spent=row["spent"],
        committed=row["committed"],
        decisions=row["decisions"],
        epoch=row["lease_epoch"],
        cohort_version=row["cohort_version"],
        created_at=row["created_at"],
        paused_at=row["paused_at"],
        stop_reason=row["stop_reason"],
        task_key=row["task_key"],
        practice_of=row["practice_of"],
    )


@row_of(schema.APPLICATION)
def to_application(cycle_id: str, row: AnyRow, attributes: dict[str, str]) -> Application:
    """Read (number, external id, name, email, status, wave, tie, fields)."""
    number, external_id, name, email, status, wave, tie, fields = row
    return Application(
        cycle_id=cycle_id,
        number=number,
        external_id=external_id or "",
        name=name or "",
        email=email or "",
        status=ApplicationStatus(status),
        wave=wave,
        tie=unsigned(tie),
        attributes=attributes,
        fields=fields,
    )


@row_of(schema.ROSTER)
def to_reviewer(row: AnyRow, topics: tuple[str, ...], absences: tuple[Absence, ...]) -> Reviewer:
    """Read a roster entry joined with its person."""
    return Reviewer(
        cycle_id=row.cycle_id,
        number=row.number,
        external_id=row.external_id,
        name=row.name,
        email=row.email,
        group=row.panel,
        capacity=row.capacity,
        packet=row.packet,
        automatic=row.automatic,
        topics=topics,
        active=row.active,
        absences=absences,
        reserve=row.reserve,
    )


def to_absence(first: str, last: str) -> Absence:
    """Read two ISO dates."""
    return Absence(first=date.fromisoformat(first), last=date.fromisoformat(last))


@row_of(schema.PULL, _PULL_NAMES)
def to_pull(row: Sequence[Any]) -> Pull:
    """Read a row of `PULL_COLUMNS`."""
    values: Values = dict(zip(_PULL_NAMES, row, strict=True))
    values["status"] = _PULL_STATUS[values["status"]]
    values["why"] = _PULL_WHY[values["why"]]
    return Pull(**values)


def from_pull(pull: Pull) -> Values:
    """Convert a pull to its row."""
    values: Values = {name: getattr(pull, name) for name in _PULL_NAMES}
    values["status"] = pull.status.value
    values["why"] = pull.why.value
    return values


@row_of(schema.ASSIGNMENT, _ASSIGNMENT_NAMES)
def to_assignment(row: Sequence[Any]) -> Assignment:
    """Read a row of `ASSIGNMENT_COLUMNS`."""
    values: Values = dict(zip(_ASSIGNMENT_NAMES, row, strict=True))
    values["status"] = _ASSIGNMENT_STATUS[values["status"]]
    return Assignment(**values)


def from_assignment(assignment: Assignment) -> Values:
    """Convert an assignment to its row."""
    values: Values = {name: getattr(assignment, name) for name in _ASSIGNMENT_NAMES}
    values["status"] = assignment.status.value
    return values


@row_of(schema.SCORE)
def to_score(row: AnyRow) -> Score:
    """Read a row of `SCORE_COLUMNS`."""
    values: Values = dict(zip(_SCORE_NAMES, row, strict=True))
    values["origin"] = Origin(values["origin"])
    values["late"] = Late(values["late"]) if values["late"] else None
    return Score(**values)


def from_score(score: Score) -> Values:
    """Convert a score to its row."""
    values: Values = {name: getattr(score, name) for name in _SCORE_NAMES}
    values["origin"] = score.origin.value
    values["late"] = score.late.value if score.late else None
    return values


def to_rules(cycle_id: str, text: str) -> Rules:
    """Read the stored text of a rules version.

    Raises:
        DamagedRecordError: If it is not what was stored.
    """
    try:
        return from_text(text)
    except UNREADABLE as error:
        raise DamagedRecordError(
            "row_damaged", cycle=cycle_id, table=schema.RULES.name, problem=type(error).__name__
        ) from error


def to_events(cycle_id: str, rows: Sequence[AnyRow]) -> tuple[Event, ...]:
    """Read rows of (seq, type, version, body, hash, at).

    Raises:
        DamagedRecordError: If one cannot be read; names the first.
    """
    try:
        # Parsed as one array, which is quicker than one call of the parser per event.
        contents = json.loads("[" + ",".join(row.body for row in rows) + "]")
        return tuple(
            _to_event(cycle_id, row, content) for row, content in zip(rows, contents, strict=True)
        )
    except UNREADABLE:
        return tuple(_to_event_alone(cycle_id, row) for row in rows)


def _to_event_alone(cycle_id: str, row: AnyRow) -> Event:
    try:
        return _to_event(cycle_id, row, json.loads(row.body))
    except UNREADABLE as error:
        raise damaged_event(cycle_id, row.seq, error) from error


def _to_event(cycle_id: str, row: AnyRow, content: Mapping[str, Any]) -> Event:
    seq, kind, version, _, digest, at = row
    return Event(
        cycle_id=cycle_id,
        position=Position(seq, digest),
        type=_EVENT_TYPE[kind],
        version=version,
        payload=content["payload"],
        deltas=tuple(
            Delta(application=a, numerator=n, information=i, pending=p)
            for a, n, i, p in content["deltas"]
        ),
        spent=content["spent"],
        committed=content["committed"],
        at=at,
    )


def from_decision(decision: DecisionRecord) -> Values:
    """Convert a decision to its row, without the time."""
    return {
        "cycle_id": decision.cycle_id,
        "number": decision.number,
        "read_seq": decision.read.seq,
        "read_hash": decision.read.hash,
        "digest": decision.digest,
        "rules_version": decision.rules_version,
        "why": decision.why,
        "picks": decision.picks,
        "look": dict(decision.look),
        "cohort": decision.cohort,
        "contested": decision.contested,
        "stop": decision.stop,
        "versions": dict(decision.versions),
    }


@row_of(schema.DECISION)
def to_decision(row: AnyRow) -> DecisionRecord:
    """Read a decision's row."""
    return DecisionRecord(
        cycle_id=row.cycle_id,
        number=row.number,
        read=Position(row.read_seq, row.read_hash),
        digest=row.digest,
        rules_version=row.rules_version,
        why=row.why,
        # JSON returns lists; a replay compares whole decisions, whose picks are tuples.
        picks=tuple((a, k, o, p, tuple(who)) for a, k, o, p, who in row.picks),
        look=row.look,
        cohort=tuple(row.cohort),
        contested=tuple(row.contested),
        stop=row.stop,
        versions=row.versions,
    )


def from_place(place: Place) -> Values:
    """Convert a place to its row; name and external id stay with the application."""
    return {
        "application": place.application,
        "rank": place.rank,
        "standing": place.standing.value,
        "estimate": place.estimate,
        "raw_mean": place.raw_mean,
        "margin": place.margin,
        "evidence": place.evidence,
        "contested": place.contested,
        "tied": place.tied,
        "pulls": place.pulls,
        "floor_missing": place.floor_missing,
    }


@row_of(schema.PLACE)
def to_place(row: AnyRow, close: Collection[int] | None) -> Place:
    """Read a place joined with its application and person.

    Args:
        row: The joined row.
        close: The applications that its list's method sheet names as too close to call.
    """
    return Place(
        application=row.application,
        external_id=row.external_id or "",
        name=row.name or "",
        rank=row.rank,
        standing=Standing(row.standing),
        estimate=row.estimate,
        raw_mean=row.raw_mean,
        margin=row.margin,
        evidence=row.evidence,
        contested=row.contested,
        tied=row.tied,
        pulls=row.pulls,
        floor_missing=row.floor_missing,
        close=None if close is None else row.application in close,
    )


def from_sheet(sheet: MethodSheet) -> Values:
    """Convert a method sheet to its column: sentences in English, and their codes beside them.

    A release that does not know the codes reads the sentences.
    """
    values = dataclasses.asdict(sheet)
    texts = ((name, value) for name, value in values.items() if isinstance(value, str))
    lists = ((name, values[name]) for name in ("limits", "given_way"))
    coded = {name: plain(value) for name, value in (*texts, *lists) if _is_coded(value)}
    return values | {"messages": coded} if coded else values


def _is_coded(value: object) -> bool:
    parts = value if isinstance(value, list | tuple) else (value,)
    return bool(parts) and all(isinstance(part, Message) for part in parts)


def to_sheet(values: Values) -> MethodSheet:
    """Read a method sheet; fields that it does not know any more are left out."""
    known = {field.name for field in dataclasses.fields(MethodSheet)}
    kept = {name: value for name, value in values.items() if name in known}
    words = {name: tuple(kept.get(name, ())) for name in ("limits", "given_way")}
    numbers = {name: tuple(kept[name]) for name in _NUMBERS if kept.get(name) is not None}
    coded = {
        name: tuple(map(restored, value)) if isinstance(value, list) else restored(value)
        for name, value in values.get("messages", {}).items()
        if name in known
    }
    return MethodSheet(**(kept | words | numbers | coded))


_NUMBERS = ("expected_loss_range", "belong_range", "close")
"""Fields of a method sheet that JSON keeps as lists."""


@row_of(schema.OUTCOME)
def to_outcome(row: AnyRow) -> Outcome:
    """Read a row of `OUTCOME_COLUMNS`."""
    return Outcome(**(dict(row._mapping) | {"verdict": Verdict(row.verdict)}))  # noqa: SLF001 - SQLAlchemy's public name for it


def to_staff_request(row: AnyRow) -> StaffRequest:
    """Read a row of `WISH_COLUMNS`."""
    return StaffRequest(**row._asdict())


def to_mail(row: AnyRow) -> Mail:
    """Read a row of `MAIL_COLUMNS`."""
    return Mail(**row._asdict())
