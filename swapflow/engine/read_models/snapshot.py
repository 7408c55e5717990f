"""A cycle folded from its events up to the last, and kept, so that only what is new is folded.

Pages that must be exact (Decide, an explanation) are made from the events, not from the live
state. A long round has hundreds of thousands of them; whoever asks twice pays once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.situation import IntArray, Look
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.rules import Rules
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import Arms
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.ingest import apply_new_events
from swapflow.engine.projection.live_totals import LiveTotals
from swapflow.engine.read_models.latest_cache import MOST_KEPT, LatestCache
from swapflow.engine.selection.decide import last_fit, look_now
from swapflow.engine.selection.ranking import ranking
from swapflow.engine.selection.situation import CycleSituation, situation_of
from swapflow.errors import NotReadyError


READ_AT_ONCE = 2000
"""Events read at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What is believed about a cycle at one event.

    Attributes:
        order: The arms of the sight, best place first.
    """

    situation: CycleSituation
    look: Look
    order: IntArray


@dataclass(slots=True)
class _Derived:
    """What was made of a snapshot already; good until the next event."""

    situation: CycleSituation | None = None
    fitted: Fitted | None = None
    assessment: Assessment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A cycle folded up to one event: what a proposal or a report is made from."""

    cycle: Cycle
    projection: CycleProjection
    arms: Arms
    _thought: _Derived = field(default_factory=_Derived, repr=False, compare=False)

    def require_launched(self) -> None:
        """Refuse to say anything about a cycle in which nobody was asked yet.

        Raises:
            NotReadyError: If the cycle was not launched.
        """
        if self.cycle.status is CycleStatus.DRAFT:
            raise NotReadyError(
                f"cycle {self.cycle.id!r} was not launched yet, so there is nothing to say"
            )

    def situation(self) -> CycleSituation:
        """Build the situation, once."""
        if self._thought.situation is None:
            self._thought.situation = situation_of(self.projection, self.arms)
        return self._thought.situation

    def assessment(self, *, ledger: Ledger) -> Assessment:
        """Say what is believed, under the parameters that the last decision recorded; once."""
        thought, fitted = self._thought, last_fit(ledger, self.cycle.id)
        if thought.assessment is None or thought.fitted != fitted:
            situation, look, _ = look_now(self.projection, self.arms, fitted=fitted)
            order = ranking(self.projection, situation, look)
            thought.assessment, thought.fitted = (
                Assessment(situation=situation, look=look, order=order),
                fitted,
            )
        return thought.assessment


class SnapshotCache:
    """The cycles that one process has folded.

    Safe to share between threads: whoever reads a cycle holds it until the reading is done, and
    the next one waits instead of folding the same events beside.
    """

    def __init__(self, *, most: int = MOST_KEPT) -> None:
        self._kept: LatestCache[_Projected] = LatestCache(most=most)

    @contextmanager
    def at_head(self, cycle_id: str, *, ledger: Ledger) -> Iterator[Snapshot]:
        """Fold a cycle up to its last event, and hold it there for the length of the block.

        What the snapshot holds is folded on later, so nothing of it may be kept after the block.
        Not to be called within a transaction or a moment of the ledger: others may hold the
        cycle while they wait for the database.

        Raises:
            NotFoundError: If there is no such cycle.
        """
        ledger.cycle(cycle_id)
        fold = self._kept.get_or(cycle_id, lambda: _Projected(cycle_id))
        with fold.lock:
            yield fold.read_on(ledger)


class _Projected:
    """One cycle, as far as it was folded; whoever touches it holds its lock."""

    def __init__(self, cycle_id: str) -> None:
        self.lock = RLock()
        self._cycle_id = cycle_id
        self._folded: _StoredSnapshot | None = None

    def read_on(self, ledger: Ledger) -> Snapshot:
        """Fold what is new, and say how the cycle stands."""
        folded, self._folded = self._folded, None
        # A fold that fails halfway is in no state of the cycle; it is not put back.
        folded = self._fold(folded, ledger)
        with ledger.one_moment():
            cycle = ledger.cycle(self._cycle_id)
            folded = self._fold(folded, ledger)
        self._folded = folded
        return folded.snapshot(cycle)

    def _fold(self, folded: "_StoredSnapshot | None", ledger: Ledger) -> "_StoredSnapshot":
        rules = ledger.rules(self._cycle_id)
        # Rules of a draft change without an event.
        if folded is None or (
            folded.projection.rules_version == 0 and folded.projection.rules != rules
        ):
            folded = _StoredSnapshot(rules)
        while True:
            after = folded.projection.position
            events = ledger.events(self._cycle_id, after=after, at_most=READ_AT_ONCE)
            if events is None:
                # The ledger never stood there: it was put back from a copy.
                folded = _StoredSnapshot(rules)
                continue
            if not events:
                return folded
            apply_new_events(folded.projection, events, ledger=ledger)
            folded.tally.add(events)
            folded.arms, folded.thought = None, _Derived()


class _StoredSnapshot:
    """The book and the numbers of a cycle at one event."""

    def __init__(self, rules: Rules) -> None:
        self.projection, self.tally = CycleProjection(rules), LiveTotals()
        self.arms: Arms | None = None
        self.thought = _Derived()

    def snapshot(self, cycle: Cycle) -> Snapshot:
        if self.arms is None:
            self.arms = self.tally.arms()
        return Snapshot(
            cycle=cycle, projection=self.projection, arms=self.arms, _thought=self.thought
        )
