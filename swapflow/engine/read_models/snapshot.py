"""Snapshots: a cycle folded up to its last event, and cached, so that only new events are read.

Pages that must be exact (a decision, an explanation) are built from the events, not from the live
state. A long round has hundreds of thousands of them; a second request reads only the new ones.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.estimate_steps import EstimateSteps, estimate_steps
from swapflow.bandit.situation import IntArray, Look
from swapflow.domain.cohort.proposal import Place
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.rules import Rules
from swapflow.engine.ports.coordination import Coordination, EventReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import Arms
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.ingest import apply_new_events
from swapflow.engine.projection.live_totals import LiveTotals
from swapflow.engine.read_models.latest_cache import MOST_KEPT, LatestCache
from swapflow.engine.selection.decide import look_now
from swapflow.engine.selection.list_objective import list_objective
from swapflow.engine.selection.list_quality import JudgedList, QualityQuestion
from swapflow.engine.selection.ranking import ranking
from swapflow.engine.selection.rule import last_fit
from swapflow.engine.selection.situation import CycleSituation, situation_of
from swapflow.errors import NotReadyError


READ_AT_ONCE = 2000
"""Events read at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The rule's assessment of a cycle at one event.

    Attributes:
        order: The arms of the situation, best place first.
    """

    situation: CycleSituation
    look: Look
    order: IntArray


@dataclass(slots=True)
class _Derived:
    """Values derived from a snapshot; valid until the next event."""

    situation: CycleSituation | None = None
    fitted: Fitted | None = None
    assessment: Assessment | None = None
    judged: JudgedList | None = None
    steps: EstimateSteps | None = None
    places: tuple[tuple[str, JudgedList | None], tuple[Place, ...]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A cycle folded up to one event: the base of a proposal or a report."""

    cycle: Cycle
    projection: CycleProjection
    arms: Arms
    _thought: _Derived = field(default_factory=_Derived, repr=False, compare=False)

    def require_launched(self) -> None:
        """Raise for a cycle that was not launched, as nothing has been asked yet.

        Raises:
            NotReadyError: If the cycle was not launched.
        """
        if self.cycle.status is CycleStatus.DRAFT:
            raise NotReadyError("cycle_not_launched", cycle=self.cycle.id)

    def situation(self) -> CycleSituation:
        """Build the situation, once."""
        if self._thought.situation is None:
            self._thought.situation = situation_of(self.projection, self.arms)
        return self._thought.situation

    def assessment(self, *, ledger: Coordination) -> Assessment:
        """Compute the assessment, once, under the parameters that the last decision recorded."""
        thought, fitted = self._thought, last_fit(ledger, self.cycle.id)
        if thought.assessment is None or thought.fitted != fitted:
            situation, look, _ = look_now(self.projection, self.arms, fitted=fitted)
            order = ranking(self.projection, situation, look)
            thought.assessment = Assessment(situation=situation, look=look, order=order)
            thought.fitted, thought.judged, thought.steps, thought.places = (
                fitted,
                None,
                None,
                None,
            )
        return thought.assessment

    def steps(self, *, ledger: Coordination) -> EstimateSteps:
        """Compute every applicant's way from mean to estimate, once; only under a fitted model.

        The severities of all reviewers belong to each way, so one costs as much as all.
        """
        assessment = self.assessment(ledger=ledger)
        if self._thought.steps is None:
            situation = assessment.situation.situation
            self._thought.steps = estimate_steps(
                situation.judged,
                n=situation.n,
                kinds=situation.kinds,
                fitted=Fitted.from_dict(assessment.look.parameters),
            )
        return self._thought.steps

    def places(
        self, key: tuple[str, JudgedList | None], make: Callable[[], tuple[Place, ...]]
    ) -> tuple[Place, ...]:
        """Return the places of this assessment, made once for names and quality of the list.

        Args:
            key: Digest of the names, and how good the list is.
            make: Makes the places.
        """
        known = self._thought.places
        if known is None or known[0][0] != key[0] or known[0][1] is not key[1]:
            known = self._thought.places = (key, make())
        return known[1]

    def question(self, *, ledger: Coordination) -> QualityQuestion | None:
        """Return what the list's quality follows from; None before there is a list to judge."""
        projection = self.projection
        if self.cycle.status is CycleStatus.DRAFT or not self.arms.information.any():
            return None
        assessment = self.assessment(ledger=ledger)
        application = assessment.situation.application
        if not application.size:
            return None
        return QualityQuestion(
            position=self.arms.position,
            rules=projection.rules,
            oracle=list_objective(projection, application).oracle,
            fitted=self._thought.fitted,
            situation=assessment.situation.situation,
            application=application,
            look=assessment.look,
        )

    def judged_if_known(self, *, ledger: Coordination) -> JudgedList | None:
        """Return the list's quality where nothing has to be drawn or fitted for it."""
        if self._thought.judged is None:
            question = self.question(ledger=ledger)
            if question is not None and question.quick:
                self.keep_judged(question.answer())
        return self._thought.judged

    def judged(self, *, ledger: Coordination) -> JudgedList | None:
        """Return the list's quality, computed once; None before there is a list to judge."""
        known = self.judged_if_known(ledger=ledger)
        if known is None:
            question = self.question(ledger=ledger)
            known = None if question is None else question.answer()
            self._thought.judged = known
        return known

    def keep_judged(self, judged: JudgedList) -> None:
        """Store a quality that was computed elsewhere; a later event has forgotten this one."""
        self._thought.judged = judged


class SnapshotCache:
    """The snapshots of the cycles that one process has folded.

    Safe to share between threads: a reader holds a cycle until it is done, and the next one waits
    instead of folding the same events at the same time.
    """

    def __init__(self, *, most: int = MOST_KEPT) -> None:
        self._kept: LatestCache[_Projected] = LatestCache(most=most)

    @contextmanager
    def at_head(self, cycle_id: str, *, ledger: Ledger) -> Iterator[Snapshot]:
        """Fold a cycle up to its last event, and hold it inside the block.

        The snapshot's contents change later, so none of it may be kept after the block. Not to be
        called within a transaction or a moment of the ledger: others may hold the cycle while they
        wait for the database.

        Raises:
            NotFoundError: If there is no such cycle.
        """
        ledger.cycle(cycle_id)
        fold = self._kept.get_or(cycle_id, lambda: _Projected(cycle_id))
        with fold.lock:
            yield fold.read_on(ledger)


class _Projected:
    """One cycle with its folded events; every user holds its lock."""

    def __init__(self, cycle_id: str) -> None:
        self.lock = RLock()
        self._cycle_id = cycle_id
        self._folded: _StoredSnapshot | None = None

    def read_on(self, ledger: Ledger) -> Snapshot:
        """Fold the new events and return the snapshot."""
        folded, self._folded = self._folded, None
        # A fold that fails halfway matches no event of the cycle, so it is not put back. Folded
        # twice: the long part without a read transaction, the rest within the moment of the row.
        folded = self._fold(folded, ledger)
        with ledger.one_moment():
            cycle = ledger.cycle(self._cycle_id)
            folded = self._fold(folded, ledger)
        self._folded = folded
        return folded.snapshot(cycle)

    def _fold(self, folded: "_StoredSnapshot | None", ledger: EventReads) -> "_StoredSnapshot":
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
                # The ledger never had this position: it was restored from a copy.
                folded = _StoredSnapshot(rules)
                continue
            if not events:
                return folded
            apply_new_events(folded.projection, events, ledger=ledger)
            folded.tally.add(events)
            folded.arms, folded.thought = None, _Derived()


class _StoredSnapshot:
    """The projection and the numbers of a cycle at one event."""

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
