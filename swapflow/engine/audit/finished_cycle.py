"""A finished cycle as plain values: read from the ledger once, replayed without it.

It holds no names: people are the numbers by which events know them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.cohort.proposal import (
    Place,
    Proposal,
    Verdict,
)
from swapflow.domain.cycle import START, Cycle, CycleStatus, Position, Round
from swapflow.domain.event import Event, EventType, Json, chain_hash, text_of
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.recorded_rows import sealed_digest
from swapflow.domain.rules import Rules
from swapflow.engine.audit.finished_record import FinishedCycle, FixedList, ListSignature
from swapflow.engine.audit.recorded_lists import list_differences, signers_of
from swapflow.engine.audit.verification import Disagreement, Verification
from swapflow.engine.audit.verify import replay
from swapflow.engine.ports.coordination import EventReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import ApplicantName, DecisionRecord
from swapflow.engine.read_models.proposal import places_among, propose
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.errors import ConflictError, NotFoundError, NotReadyError


SAME = 1e-8
"""Estimates this close are the same: processors differ in the last bits."""


def gather_finished_cycle(cycle_id: str, *, ledger: Ledger) -> FinishedCycle:
    """Read a finished cycle as of one moment.

    Raises:
        NotReadyError: If no list is final at present.
        ConflictError: If the hash chain of its events is broken.
    """
    with ledger.one_moment():
        cycle = ledger.cycle(cycle_id)
        if cycle.status is not CycleStatus.FINALIZED:
            raise NotReadyError("cycle_not_finalized_yet", cycle=cycle_id, status=cycle.status)
        # A bundle is proof for others, so a damaged record must not be signed as if it were whole.
        if broken := ledger.check_chain(cycle_id):
            raise ConflictError("record_damaged", cycle=cycle_id, problem=broken)
        events, salts = tuple(_all_events(cycle_id, ledger=ledger)), ledger.salts(cycle_id)
        signers = {
            cast("int", event.payload["version"]): signers_of(event)
            for event in events
            if event.type is EventType.FINALIZED
        }
        return FinishedCycle(
            cycle_id=cycle_id,
            unit=next(r.unit for r in ledger.rounds() if r.id == cycle.round_id),
            rules=tuple(v.rules for v in reversed(ledger.rules_history(cycle_id))),
            events=events,
            decisions=ledger.decisions(cycle_id),
            lists=tuple(
                FixedList(
                    version=version,
                    position=sheet.position,
                    stop_reason=sheet.stop_reason,
                    places=places,
                    outcomes=ledger.outcomes(cycle_id, version),
                    signatures=tuple(
                        ListSignature(
                            by=by, role=role, who=_who(by, signers.get(version, ()), salts)
                        )
                        for by, role in ledger.signatures(cycle_id, version)
                    ),
                    sheet=sheet,
                )
                for version, places, sheet in ledger.proposals(cycle_id)
            ),
            salts=salts,
        )


def _who(by: str, signers: Iterable[tuple[str, str]], salts: Mapping[str, str]) -> str:
    """Return the digest by which a list's event names a person; "" if it does not."""
    known = (digest for digest, _ in signers if digest in salts)
    return next((digest for digest in known if sealed_digest(salts[digest], by) == digest), "")


def check(closed: FinishedCycle) -> Verification:
    """Check the chain and compute every decision and every list again; no ledger, no network."""
    # Nothing behind a broken link proves anything, so nothing behind it is replayed.
    broken = broken_at(closed.cycle_id, closed.events)
    if broken is not None:
        finding = Disagreement(what=f"event {broken} is not what was recorded", fatal=True)
        return Verification(events=0, decisions=0, findings=(finding,))
    again = replay(closed.cycle_id, record=_Reader(closed, closed.head.seq))
    snapshots = SnapshotCache(most=1)
    lists = [finding for fixed in closed.lists for finding in _made(closed, fixed, snapshots)]
    lists += [Disagreement(what=what, fatal=True) for what in list_differences(closed)]
    return Verification(
        events=again.events,
        decisions=again.decisions,
        findings=(*again.findings, *lists),
        uncovered=again.uncovered,
    )


def broken_at(cycle_id: str, events: Iterable[Event]) -> int | None:
    """Recompute the hash chain; return the number of the first wrong event, or None."""
    head = ""
    for seq, event in enumerate(events, start=1):
        kind, text = event.type.value, text_of(event)
        head = chain_hash(head, cycle_id=cycle_id, seq=seq, kind=kind, text=text)
        if (event.position.seq, event.position.hash) != (seq, head):
            return seq
    return None


def _all_events(cycle_id: str, *, ledger: EventReads) -> Iterator[Event]:
    position = START
    while batch := ledger.events(cycle_id, after=position, at_most=1000):
        yield from batch
        position = batch[-1].position


def _made(
    closed: FinishedCycle, fixed: FixedList, snapshots: SnapshotCache
) -> Iterable[Disagreement]:
    """Check a list by the way in which it was made."""
    how = _fixings(closed).get(fixed.version)
    if how is None:
        yield Disagreement(
            what=f"list {fixed.version} was fixed at an event that is not on record", fatal=True
        )
    if how is not None and "reconsidered" in how:
        yield from _reconsidered(closed, fixed, cast("int", how["reconsidered"]), snapshots)
    elif how is not None and "undone" in how:
        yield from _undone(closed, fixed, cast("int", how["undone"]))
    else:
        yield from _list(closed, fixed, snapshots)


def _reconsidered(
    closed: FinishedCycle, fixed: FixedList, application: int, snapshots: SnapshotCache
) -> Iterable[Disagreement]:
    """Check that only one person was moved, and by an estimate that the replay confirms."""
    name = f"list {fixed.version}"
    before = _of(closed, fixed.version - 1)
    if before is None or not _same_but_for(before, fixed, application):
        yield Disagreement(
            what=f"{name} differs from the one before in more than applicant {application}",
            fatal=True,
        )
        return
    then = next((p for p in before.places if p.application == application), None)
    place = next((p for p in fixed.places if p.application == application), None)
    verdict = _verdicts(fixed).get(application)
    if place is None or verdict not in {Verdict.SELECTED, Verdict.WAITLISTED}:
        yield Disagreement(what=f"{name} leaves out applicant {application}", fatal=True)
        return
    reader = cast("Ledger", _Reader(closed, fixed.position, stop_reason=fixed.stop_reason))
    numbers = {p.application for p in before.places} | {application}
    among = places_among(closed.cycle_id, numbers, ledger=reader, snapshots=snapshots)
    again = next(p for p in among.places if p.application == application)
    # People may decide otherwise than the rule, with a reason; the estimate must be the rule's.
    if not _same(replace(place, standing=again.standing), again):
        yield Disagreement(
            what=f"{name}: the replay estimates applicant {application} otherwise", fatal=True
        )
    # A reconsideration takes nothing away: only a place that was given up may turn into waiting.
    selected = then is not None and _verdicts(before).get(application) is Verdict.SELECTED
    if selected and verdict is Verdict.WAITLISTED and _never_refused(closed, application):
        yield Disagreement(what=f"{name} takes a place from applicant {application}", fatal=True)


def _undone(closed: FinishedCycle, fixed: FixedList, version: int) -> Iterable[Disagreement]:
    """Check that a list equals the one before a reconsideration."""
    earlier = _of(closed, version - 1)
    if earlier is None or not _same_but_for(earlier, fixed, None):
        yield Disagreement(
            what=f"list {fixed.version} is not list {version - 1}, which it restores", fatal=True
        )


def _same_but_for(one: FixedList, other: FixedList, application: int | None) -> bool:
    """Whether two lists have the same places in the same order, and the same outcomes."""

    def rest(fixed: FixedList) -> list[Place]:
        # Ranks shift behind the person who moved; the order of all others does not.
        return [replace(p, rank=0) for p in fixed.places if p.application != application]

    def decided(fixed: FixedList) -> dict[int, Verdict]:
        return {a: verdict for a, verdict in _verdicts(fixed).items() if a != application}

    return rest(one) == rest(other) and decided(one) == decided(other)


def _verdicts(fixed: FixedList) -> dict[int, Verdict]:
    return {outcome.application: outcome.verdict for outcome in fixed.outcomes}


def _of(closed: FinishedCycle, version: int) -> FixedList | None:
    return next((fixed for fixed in closed.lists if fixed.version == version), None)


def _never_refused(closed: FinishedCycle, application: int) -> bool:
    """Whether an applicant neither declined an offer for good nor let it lapse."""
    refused = 0
    for event in closed.events:
        if event.type is EventType.OFFER_ANSWERED and event.payload["a"] == application:
            answer = event.payload["answer"]
            if answer == OfferAnswer.WAITING.value:  # a decline that was taken back in time
                refused -= 1
            elif answer != OfferAnswer.ACCEPTED.value:
                refused += 1
    return refused == 0


def _list(
    closed: FinishedCycle, fixed: FixedList, snapshots: SnapshotCache
) -> Iterable[Disagreement]:
    """Compute the proposal again, and compare."""
    reader = cast("Ledger", _Reader(closed, fixed.position, stop_reason=fixed.stop_reason))
    again = propose(closed.cycle_id, ledger=reader, snapshots=snapshots, judging=False)
    stored = Proposal(
        cycle_id=closed.cycle_id, version=fixed.version, places=fixed.places, sheet=again.sheet
    )
    name = f"list {fixed.version}"
    then = {place.application for place in stored.cohort}
    now = {place.application for place in again.cohort}
    if then != now:
        yield Disagreement(
            what=f"{name}: the replay proposes others ({_some(now - then)} for "
            f"{_some(then - now)})",
            fatal=True,
        )
        return
    known = {place.application: place for place in again.places}
    if set(known) != {place.application for place in fixed.places}:
        yield Disagreement(what=f"{name}: the replay knows other applicants", fatal=True)
        return
    apart = [p.application for p in fixed.places if not _same(p, known[p.application])]
    if apart:
        yield Disagreement(
            what=f"{name}: the replay estimates applicant {apart[0]} otherwise", fatal=True
        )
    elif [p.application for p in fixed.places] != [p.application for p in again.places]:
        yield Disagreement(
            what=f"{name}: rounding broke a tie in its order otherwise", fatal=False
        )


def _fixings(closed: FinishedCycle) -> dict[int, Mapping[str, Json]]:
    """Return the payload of the event that made each list final."""
    fixings = (event for event in closed.events if event.type is EventType.FINALIZED)
    return {cast("int", event.payload["version"]): event.payload for event in fixings}


def _same(one: Place, other: Place) -> bool:
    return (
        one.standing is other.standing
        and one.contested == other.contested
        and dict(one.pulls) == dict(other.pulls)
        and abs(one.estimate - other.estimate) <= SAME
        and abs(one.margin - other.margin) <= SAME * max(1.0, one.margin)
    )


def _some(applications: Collection[int]) -> str:
    return ", ".join(str(number) for number in sorted(applications)[:5]) or "nobody"


class _Reader:
    """The reading side of a ledger that ends at one event, as far as a replay needs it."""

    def __init__(self, closed: FinishedCycle, upto: int, *, stop_reason: str = "") -> None:
        self._closed = closed
        self._events: Sequence[Event] = closed.events[:upto]
        self._stop_reason = stop_reason
        # Each decision has one event, in the same order.
        told = sum(event.type is EventType.DECIDED for event in self._events)
        self._decisions = closed.decisions[:told]

    def one_moment(self) -> AbstractContextManager[None]:
        """Return an empty context: nothing is written here."""
        return nullcontext()

    def cycle(self, cycle_id: str) -> Cycle:
        """Return the cycle's row as its events imply it."""
        return Cycle(
            id=cycle_id,
            round_id="round",
            name="",
            status=CycleStatus.ENDED,
            position=self._head,
            rules_version=self._closed.rules[-1].version,
            spent=sum(event.spent for event in self._events),
            committed=sum(event.committed for event in self._events),
            decisions=len(self._decisions),
            epoch=0,
            cohort_version=0,
            created_at=datetime.fromtimestamp(0, UTC),
            paused_at=None,
            stop_reason=self._stop_reason,
            task_key="",
        )

    def rounds(self) -> tuple[Round, ...]:
        """Return the only round."""
        return (Round(id="round", name="", unit=self._closed.unit, zone="UTC"),)

    def rules(self, cycle_id: str, version: int = 0) -> Rules:
        """Return a version of the rules, 0 for the first: events say when the others came."""
        for rules in self._closed.rules:
            if version in {0, rules.version}:
                return rules
        raise NotFoundError("record_without_rules_version", cycle=cycle_id, version=version)

    def events(self, _cycle_id: str, *, after: Position, at_most: int) -> tuple[Event, ...] | None:
        """Return events after a position; None if the record never had that position."""
        if after != START and (
            after.seq > len(self._events) or self._events[after.seq - 1].position != after
        ):
            return None
        return tuple(self._events[after.seq : after.seq + at_most])

    def decisions(self, _cycle_id: str) -> tuple[DecisionRecord, ...]:
        """Return the decisions made by then."""
        return self._decisions

    def last_look(self, _cycle_id: str) -> dict[str, float] | None:
        """Return the numbers of the last decision that recorded a fitted model."""
        fitted = (d.look for d in reversed(self._decisions) if "prior_variance" in d.look)
        found = next(fitted, None)
        return None if found is None else dict(found)

    def offers(self, _cycle_id: str) -> tuple[()]:
        """Return no offers, which do not affect a proposal's order."""
        return ()

    def reconsiderations(self, _cycle_id: str) -> tuple[()]:
        """Return no reconsiderations: their changes are on the lists."""
        return ()

    def named(
        self, _cycle_id: str, numbers: Collection[int] | None = None
    ) -> tuple[ApplicantName, ...]:
        """Return every application with its number as its name."""
        added = sum(event.type is EventType.APPLICATION_ADDED for event in self._events)
        return tuple(
            ApplicantName(number=n, external_id=str(n), name="", status=ApplicationStatus.READY)
            for n in (range(added) if numbers is None else sorted(numbers))
        )

    def names_digest(self, _cycle_id: str) -> str:
        """Return the same for all: these names never change."""
        return ""

    @property
    def _head(self) -> Position:
        return self._events[-1].position if self._events else START
