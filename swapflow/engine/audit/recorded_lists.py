"""Decisions and lists as values against the events that carry them: needs no ledger."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from swapflow.domain.cohort.proposal import Place
from swapflow.domain.event import Event, EventType
from swapflow.domain.recorded_rows import (
    RecordedTable,
    plain_value,
    recorded_tables,
    rows_digest,
    sealed_digest,
)
from swapflow.engine.audit.finished_record import FinishedCycle, FixedList
from swapflow.engine.ports.records import DecisionRecord


def list_differences(closed: FinishedCycle) -> Iterable[str]:
    """Compare the decisions and lists of a finished cycle with what its events carry."""
    decisions = {decision.number: decision for decision in closed.decisions}
    lists = {fixed.version: fixed for fixed in closed.lists}
    for event in closed.events:
        tables = recorded_tables(event)
        if event.type is EventType.DECIDED and "decision" in tables:
            number = cast("int", event.payload["decision"])
            found = decisions.get(number)
            if found is None or _decision_digest(found, tables["decision"]) != (
                tables["decision"].digest
            ):
                yield f"decision {number} is not what event {event.position.seq} recorded"
        if event.type is EventType.FINALIZED and tables:
            version = cast("int", event.payload["version"])
            fixed = lists.get(version)
            wrong = (
                ["the list itself"] if fixed is None else _of_list(fixed, event, tables, closed)
            )
            for what in wrong:
                yield f"list {version}: {what}: not what event {event.position.seq} recorded"


def signers_of(event: Event) -> tuple[tuple[str, str], ...]:
    """Return (digest of the name, role) of everybody whose signature an event carries."""
    table = recorded_tables(event).get("signature")
    if table is None:
        return ()
    sealed = _sealed(event)
    return tuple((sealed[cast("int", row["by"])], str(row["role"])) for row in table.values())


def actors_of(event: Event) -> tuple[str, ...]:
    """Return the digests of the names of everybody who decided or signed in an event."""
    sealed, tables = _sealed(event), recorded_tables(event)
    places = {
        cast("int", row["by"])
        for name in ("outcome", "signature")
        if name in tables
        for row in tables[name].values()
    }
    return tuple(sealed[place] for place in sorted(places))


def _of_list(
    fixed: FixedList,
    event: Event,
    tables: Mapping[str, RecordedTable],
    closed: FinishedCycle,
) -> Iterable[str]:
    """Name what of a list is not what its event carries."""
    if _places_digest(fixed.places, fixed.version, tables["place"]) != tables["place"].digest:
        yield "places"
    sealed = _sealed(event)
    outcomes = {outcome.application: outcome for outcome in fixed.outcomes}
    recorded = {cast("int", row["application"]): row for row in tables["outcome"].values()}
    if set(outcomes) != set(recorded):
        yield "the applicants with an outcome"
        return
    for number, row in recorded.items():
        outcome = outcomes[number]
        at = plain_value(event.at) if "at" in tables["outcome"].now else row["at"]
        if outcome.verdict.value != row["verdict"]:
            yield f"the outcome of applicant {number}"
        elif plain_value(outcome.at) != at:
            yield f"the time of the outcome of applicant {number}"
        elif not _names(sealed[cast("int", row["by"])], outcome.by, closed):
            yield f"who decided about applicant {number}"
    signed = sorted((s.who, s.role) for s in fixed.signatures)
    if signed != sorted(signers_of(event)):
        yield "the signatures"
    if not all(_names(s.who, s.by, closed) for s in fixed.signatures):
        yield "the names of those who signed"


def _names(digest: str, name: str, closed: FinishedCycle) -> bool:
    """Whether a digest is of a name; nothing is said of a missing name, or an erased salt."""
    salt = closed.salts.get(digest)
    if not name or (salt is None and digest in _erased(closed.events)):
        return True
    return salt is not None and sealed_digest(salt, name) == digest


def _erased(events: Iterable[Event]) -> set[str]:
    """Return the digests whose salts were erased with a person."""
    return {
        digest
        for event in events
        if event.type is EventType.PURGED
        for digest in cast("Sequence[str]", event.payload.get("erased", ()))
    }


def _sealed(event: Event) -> Sequence[str]:
    return cast("Sequence[str]", event.payload.get("sealed", ()))


def _decision_digest(decision: DecisionRecord, table: RecordedTable) -> str:
    values = {
        "read_seq": decision.read.seq,
        "read_hash": decision.read.hash,
        "look": dict(decision.look),
        "versions": dict(decision.versions),
    }
    row = [values[c] if c in values else getattr(decision, c) for c in table.columns]
    return rows_digest([row])


def _places_digest(places: Sequence[Place], version: int, table: RecordedTable) -> str:
    ordered = sorted(places, key=lambda place: place.application)
    return rows_digest([_place(place, version, table.columns) for place in ordered])


def _place(place: Place, version: int, columns: Sequence[str]) -> list[object]:
    values = {
        "version": version,
        "standing": place.standing.value,
        "pulls": dict(place.pulls),
        "floor_missing": dict(place.floor_missing),
    }
    return [values[c] if c in values else getattr(place, c) for c in columns]
