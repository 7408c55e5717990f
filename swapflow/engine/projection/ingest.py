"""Step 6, ingest: bring projection and live state up to the ledger, each event once."""

from collections.abc import Sequence
from typing import Protocol

from swapflow.domain.cycle import START, Position
from swapflow.domain.event import Event, damaged_event
from swapflow.domain.fixed_point import Delta
from swapflow.domain.rules import Rules
from swapflow.engine.ports.coordination import EventReads
from swapflow.engine.ports.live_state import Applied, Changes, CycleState
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.live_totals import LiveTotals


BATCH = 500
"""Events read and applied at a time."""


def ingest(
    cycle_id: str,
    projection: CycleProjection,
    *,
    ledger: EventReads,
    state: CycleState,
    upto: Position | None = None,
    totals: LiveTotals | None = None,
) -> CycleProjection:
    """Read new events and fold them into the projection and the live state.

    Safe to repeat after a crash and to run twice at once: the state takes each event once, at
    its place in the chain. A state or projection at a position that the ledger never had (Redis
    emptied, a database restored from a backup) is rebuilt from the first event.

    Args:
        cycle_id: The cycle.
        projection: The cycle as far as its events were read.
        ledger: Where the events are read.
        state: The live state.
        upto: Where the cycle was seen to stand: events are read until there. Since a position
            holds the hash of all events before it, nothing is read by who stands there already.
            None to read until there are no more.
        totals: The sums of the events that the projection has read; they are brought up with it.

    Returns:
        The projection, brought up to date; a new one if the ledger does not know the position of
        the one passed in.
    """
    afresh = projection.position == START
    while projection.position != upto:
        events = ledger.events(cycle_id, after=projection.position, at_most=BATCH)
        if events is None:
            projection, afresh = CycleProjection(projection.rules), True
            if totals is not None:
                totals.clear()
            continue
        if not events:
            break
        before = projection.position
        apply_new_events(projection, events, ledger=ledger)
        if totals is not None:
            totals.add(events)
        # If the state is at another position, `apply` does nothing and `_catch_up` repairs it. A
        # projection read from the first event belongs to a coordinator that has just started: the
        # state is most likely far ahead of it, or gone.
        if not afresh:
            state.apply(cycle_id, changes(events), before=before, after=projection.position)
    if state.position(cycle_id) != projection.position:
        _catch_up(cycle_id, projection.position, ledger=ledger, state=state)
    return projection


class KnowsRules(Protocol):
    """A source of every version of a cycle's rules: the ledger, or a bundle."""

    def rules(self, cycle_id: str, version: int = 0) -> Rules:
        """Read a rules version, 0 for the current one."""
        ...


def apply_new_events(
    projection: CycleProjection, events: Sequence[Event], *, ledger: KnowsRules
) -> None:
    """Fold events into the projection, changing its rules where the events do.

    Raises:
        DamagedRecordError: If an event holds what no event of its type does; names its number.
    """
    for event in events:
        before = projection.rules_version
        try:
            projection.apply(event)
        # Whatever it is: an event that was changed outside can fail anywhere.
        except Exception as error:
            raise damaged_event(event.cycle_id, event.position.seq, error) from error
        if projection.rules_version != before:
            projection.use(ledger.rules(event.cycle_id, projection.rules_version))


def changes(events: Sequence[Event]) -> Changes:
    """Fold consecutive events into one change: at most one delta per arm, smallest arm first.

    Raises:
        DamagedRecordError: If an event's changes are not integers; names its number.
    """
    sums: dict[int, list[int]] = {}
    spent = committed = 0
    for event in events:
        try:
            for delta in event.deltas:
                total = sums.setdefault(delta.application, [0, 0, 0])
                total[0] += delta.numerator
                total[1] += delta.information
                total[2] += delta.pending
            spent += event.spent
            committed += event.committed
        except TypeError as error:
            raise damaged_event(event.cycle_id, event.position.seq, error) from error
    return Changes(
        deltas=tuple(
            Delta(application=arm, numerator=n, information=t, pending=p)
            for arm, (n, t, p) in sorted(sums.items())
        ),
        spent=spent,
        committed=committed,
    )


def rebuild(cycle_id: str, *, ledger: EventReads, state: CycleState, upto: Position) -> None:
    """Build the live state from the ledger alone and store it in place of the present one."""
    tally = LiveTotals()
    while tally.position.seq < upto.seq:
        events = ledger.events(cycle_id, after=tally.position, at_most=BATCH)
        if not events:
            break
        tally.add(event for event in events if event.position.seq <= upto.seq)
    state.replace(cycle_id, tally.arms())


def _catch_up(cycle_id: str, target: Position, *, ledger: EventReads, state: CycleState) -> None:
    """Bring a live state at another position to the projection's, or rebuild it."""
    # Another coordinator may move the state between the read and the write here; each such race
    # costs one attempt, and three bound the loop.
    for _ in range(3):
        position = state.position(cycle_id)
        if position.seq >= target.seq and _known(cycle_id, position, ledger=ledger):
            return
        if position == START or not _advance(
            cycle_id, position, target, ledger=ledger, state=state
        ):
            rebuild(cycle_id, ledger=ledger, state=state, upto=target)


def _known(cycle_id: str, position: Position, *, ledger: EventReads) -> bool:
    return ledger.events(cycle_id, after=position, at_most=1) is not None


def _advance(
    cycle_id: str, position: Position, target: Position, *, ledger: EventReads, state: CycleState
) -> bool:
    """Apply the events that the state lacks; False when the ledger never had its position."""
    while position.seq < target.seq:
        events = ledger.events(cycle_id, after=position, at_most=BATCH)
        if events is None:
            return False
        if not events:
            return True
        after = events[-1].position
        applied = state.apply(cycle_id, changes(events), before=position, after=after)
        if applied is Applied.GAP:
            return False
        position = after
    return position == target
