"""Replay a cycle from its events and compare: every decision, every sum, the chain."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.situation import StopReason
from swapflow.domain.cycle import CycleStatus, Position
from swapflow.domain.event import Event, EventType
from swapflow.domain.reviewing.assignment import PullStatus
from swapflow.domain.reviewing.score import Score
from swapflow.domain.rules import Rules
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import Arms, CycleState
from swapflow.engine.ports.records import DecisionRecord
from swapflow.engine.ports.requests import RequestReads
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.ingest import BATCH, apply_new_events
from swapflow.engine.projection.live_totals import LiveTotals
from swapflow.engine.selection.assign import may_ask
from swapflow.engine.selection.decide import PRIORITY_UNITS, DecisionPlan, decide
from swapflow.errors import DamagedRecordError, SwapflowError, UnavailableError
from swapflow.messages import Message


ROUNDING = PRIORITY_UNITS // 100_000_000
"""Priorities this close (1e-8) are a tie that rounding may have broken differently."""

WAITING = frozenset({PullStatus.OPEN, PullStatus.PROPOSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A difference from the record; `fatal` unless it is mere rounding."""

    what: str
    fatal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of a replay.

    Attributes:
        events: Events that were replayed.
        decisions: Decisions that were computed again.
        findings: Differences; empty when everything agrees.
    """

    events: int
    decisions: int
    findings: tuple[Disagreement, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing but rounding differs."""
        return not any(finding.fatal for finding in self.findings)


class VerifiableRecord(Protocol):
    """What a replay reads of a cycle, from the ledger or from a bundle."""

    def rules(self, cycle_id: str, version: int = 0) -> Rules:
        """Read a rules version, 0 for the current one."""
        ...

    def events(self, cycle_id: str, *, after: Position, at_most: int) -> tuple[Event, ...] | None:
        """Read events after a position; None if the record never had that position."""
        ...

    def decisions(self, cycle_id: str) -> tuple[DecisionRecord, ...]:
        """Read a cycle's decisions, in order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedDecisions:
    """The result of computing every decision again, with the final state of the cycle."""

    events: int
    decisions: int
    findings: tuple[Disagreement, ...]
    projection: CycleProjection
    arms: Arms


def verify(cycle_id: str, *, ledger: Ledger, state: CycleState | None = None) -> Verification:
    """Replay a cycle and compare it with the record.

    The comparison covers the hash chain over the stored bytes; the integers and the digest behind
    every decision; its picks, recomputed; reviewers against the constraints; budget and status of
    every pull; and, if given, the live state. It only reads, the ledger as of one moment, so that
    concurrent work does not show as a difference.
    """
    findings: list[Disagreement] = []
    with ledger.one_moment():
        broken = ledger.check_chain(cycle_id)
        if broken is not None:
            findings.append(Disagreement(what=broken, fatal=True))
        try:
            again = replay(cycle_id, record=ledger)
            findings += again.findings
            findings += _rows(cycle_id, again.projection, again.arms, ledger=ledger)
        except UnavailableError:
            raise
        except Exception as error:  # noqa: BLE001 - a damaged row can fail anywhere in a replay
            return _unreadable(error, findings)
    if state is not None:
        findings += _live(cycle_id, again, state=state)
    return Verification(events=again.events, decisions=again.decisions, findings=tuple(findings))


def _unreadable(error: Exception, findings: Sequence[Disagreement]) -> Verification:
    """Build the result for a record that cannot be read to its end: names what is damaged."""
    event = (error.event or 0) if isinstance(error, DamagedRecordError) else 0
    if isinstance(error, SwapflowError):
        what: str = error.message
    else:
        what = Message("record_unreadable", problem=type(error).__name__)
    return Verification(
        events=max(0, event - 1),
        decisions=0,
        findings=(*findings, Disagreement(what=what, fatal=True)),
    )


def replay(cycle_id: str, *, record: VerifiableRecord) -> ReplayedDecisions:
    """Fold a cycle's events from the first and compute each decision again at its position."""
    findings: list[Disagreement] = []
    again = _Replay(record.decisions(cycle_id))
    projection, tally, events = CycleProjection(record.rules(cycle_id)), LiveTotals(), 0
    again.at(projection, tally.arms)
    while batch := record.events(cycle_id, after=projection.position, at_most=BATCH):
        for event in batch:
            # Before the event is folded in: afterwards its reviewers are barred, as they were just
            # asked.
            findings += _reviewers(projection, event)
            apply_new_events(projection, [event], ledger=record)
            tally.add([event])
            events += 1
            findings += [*_budget(projection, tally, event), *again.opened(event)]
            again.at(projection, tally.arms)
    return ReplayedDecisions(
        events=events,
        decisions=again.replayed,
        findings=(*findings, *again.findings, *again.left()),
        projection=projection,
        arms=tally.arms(),
    )


class _Replay:
    """Computes each decision again when the projection reaches its position."""

    def __init__(self, decisions: Sequence[DecisionRecord]) -> None:
        self._waiting = list(decisions)
        self._picks = {d.number: [pick[:3] for pick in d.picks] for d in decisions}
        self._fitted: Fitted | None = None
        self.findings: list[Disagreement] = []
        self.replayed = 0

    def at(self, projection: CycleProjection, arms: Callable[[], Arms]) -> None:
        """Compute every decision again that was made at the projection's position."""
        while self._waiting and self._waiting[0].read.seq == projection.position.seq:
            recorded = self._waiting.pop(0)
            self.findings += self._compare(recorded, projection, arms())
            self.replayed += 1

    def left(self) -> Iterable[Disagreement]:
        """List the decisions that belong to no event of the record."""
        for recorded in self._waiting:
            yield _fatal(recorded, "was made at an event that is not on record")

    def opened(self, event: Event) -> Iterable[Disagreement]:
        """Compare a decision's picks with the pulls that its event opened."""
        if event.type is not EventType.PULLS_OPENED or not event.payload["decision"]:
            return
        number = cast("int", event.payload["decision"])
        pulls = cast("list[tuple[int, int, int, int]]", event.payload["pulls"])
        if self._picks.get(number) != [tuple(pull[:3]) for pull in pulls]:
            yield Disagreement(what=f"decision {number} is not what was opened", fatal=True)

    def _compare(
        self, recorded: DecisionRecord, projection: CycleProjection, arms: Arms
    ) -> Iterable[Disagreement]:
        if recorded.read.hash != projection.position.hash:
            yield _fatal(recorded, "was made on another history")
            return
        # The fit before this decision: the one that it recorded is its result.
        fitted = self._fitted
        if "prior_variance" in recorded.look:
            self._fitted = Fitted.from_dict(recorded.look)
        if recorded.stop == StopReason.DEADLINE.value:
            return  # the calendar proposed it, not the numbers
        plan = decide(projection, arms, fitted=fitted)
        if plan is None:
            yield _fatal(recorded, "would not be made again")
            return
        if plan.situation.digest != recorded.digest:
            yield _fatal(recorded, "read other integers than the replay")
        if ("" if plan.stop is None else plan.stop.value) != recorded.stop:
            yield _fatal(recorded, f"proposed {recorded.stop or 'no stop'!r}, the replay differs")
        if plan.why.value != recorded.why:
            yield _fatal(recorded, f"was made for {recorded.why!r}, the replay differs")
        yield from _picks(recorded, plan)


def _picks(recorded: DecisionRecord, plan: DecisionPlan) -> Iterable[Disagreement]:
    """Compare picks: equal, or tied within rounding."""
    then = [(pick[:3], pick[3]) for pick in recorded.picks]
    now = [(pull.key, pull.priority) for pull in plan.pulls]
    if [key for key, _ in then] == [key for key, _ in now]:
        return
    close = len(then) == len(now) and all(
        abs(a - b) <= ROUNDING for (_, a), (_, b) in zip(then, now, strict=True)
    )
    if close:
        yield Disagreement(
            what=f"decision {recorded.number}: rounding broke a tie otherwise", fatal=False
        )
    else:
        yield _fatal(recorded, "picked others than the replay")


def _budget(
    projection: CycleProjection, tally: LiveTotals, event: Event
) -> Iterable[Disagreement]:
    spent, committed = tally.costs
    # What reconsiderations cost comes on top: the budget is spent by the time they are opened.
    allowed = projection.rules.budget + projection.appeal_cost
    if spent + committed > allowed:
        yield Disagreement(
            what=f"event {event.position.seq}: {spent + committed} spent and committed of "
            f"{allowed}",
            fatal=True,
        )


def _reviewers(projection: CycleProjection, event: Event) -> Iterable[Disagreement]:
    """Compare the reviewers of the next event with those who may be asked."""
    if event.type is not EventType.ASSIGNED:
        return
    items = cast("list[tuple[int, int, int, int, int, int]]", event.payload["items"])
    for application, kind, ordinal, _seat, _attempt, reviewer in items:
        reconsideration = projection.is_appeal((application, kind, ordinal))
        if not may_ask(projection, application, kind, reviewer, reconsideration=reconsideration):
            yield Disagreement(
                what=f"event {event.position.seq} asks reviewer {reviewer} about application "
                f"{application} against capacity, conflicts, panel or roster",
                fatal=True,
            )


def _rows(
    cycle_id: str, projection: CycleProjection, arms: Arms, *, ledger: Ledger
) -> Iterable[Disagreement]:
    """Compare the ledger's rows with its events."""
    cycle = ledger.cycle(cycle_id)
    if (cycle.spent, cycle.committed) != (arms.spent, arms.committed):
        yield Disagreement(
            what=f"the cycle's row says {cycle.spent} spent and {cycle.committed} committed, its "
            f"events {arms.spent} and {arms.committed}",
            fatal=True,
        )
    yield from _pulls(cycle_id, projection, arms, ledger=ledger)
    yield from _scores(cycle_id, projection, ledger=ledger)


def _pulls(
    cycle_id: str, projection: CycleProjection, arms: Arms, *, ledger: RequestReads
) -> Iterable[Disagreement]:
    """Compare status and cost of every pull."""
    pulls = ledger.pulls(cycle_id)
    rows = {
        (p.application, p.kind, p.ordinal): p.status is PullStatus.OPEN
        for p in pulls
        if p.status in WAITING
    }
    if rows != {key: pull.approved for key, pull in projection.open.items()}:
        yield Disagreement(what="open requests differ between rows and events", fatal=True)
    # A volunteered score has a pull of its own, which costs nothing.
    closed = Counter(
        (p.application, p.kind) for p in pulls if p.status is PullStatus.CLOSED and p.cost
    )
    counts = projection.closed()
    told = {(int(a), int(k)): int(counts[a, k]) for a, k in zip(*np.nonzero(counts), strict=True)}
    if closed != told:
        yield Disagreement(what="closed requests differ between rows and events", fatal=True)
    spent = sum(p.cost for p in pulls if p.status is PullStatus.CLOSED)
    committed = sum(p.cost for p in pulls if p.status in WAITING)
    if (spent, committed) != (arms.spent, arms.committed):
        yield Disagreement(
            what=f"the requests cost {spent} and {committed}, the events say {arms.spent} and "
            f"{arms.committed}",
            fatal=True,
        )


def _scores(
    cycle_id: str, projection: CycleProjection, *, ledger: RequestReads
) -> Iterable[Disagreement]:
    """Compare every current score, and find reviewers who count twice."""
    standing: dict[str, Score] = {}
    for score in ledger.scores(cycle_id):
        known = standing.get(score.assignment_id)
        if known is None or known.revision < score.revision:
            standing[score.assignment_id] = score
    judged: set[tuple[int, int]] = set()
    for score in standing.values():
        attempt = int(score.assignment_id.rsplit(".", 1)[1])
        key = (score.application, score.kind, score.ordinal, score.seat, attempt)
        if projection.score(key) != (score.value, score.counts):
            yield Disagreement(
                what=f"the score of {score.assignment_id} is not what its event says", fatal=True
            )
        pair = (score.application, score.reviewer)
        if score.counts and pair in judged:
            yield Disagreement(
                what=f"reviewer {pair[1]} counts twice on application {pair[0]}", fatal=True
            )
        if score.counts:
            judged.add(pair)


def _live(cycle_id: str, again: ReplayedDecisions, *, state: CycleState) -> Iterable[Disagreement]:
    live, arms = state.arms(cycle_id), again.arms
    if live.position != arms.position:
        if again.projection.status is CycleStatus.FINALIZED:
            return  # it is not kept up any more, and expires after a while
        yield Disagreement(
            what=f"the live state stands at event {live.position.seq}, the ledger at "
            f"{arms.position.seq}; the coordinator will bring it up to date",
            fatal=False,
        )
        return
    same = (
        live.numerator.tolist() == arms.numerator.tolist()
        and live.information.tolist() == arms.information.tolist()
        and live.pending.tolist() == arms.pending.tolist()
        and (live.spent, live.committed) == (arms.spent, arms.committed)
    )
    if not same:
        yield Disagreement(what="the live state's integers differ from the ledger's", fatal=True)


def _fatal(recorded: DecisionRecord, what: str) -> Disagreement:
    return Disagreement(what=f"decision {recorded.number} {what}", fatal=True)
