"""Replay a cycle from its events and compare: every decision, every sum, the chain."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.situation import StopReason
from swapflow.domain.cycle import CycleStatus, Position
from swapflow.domain.drawn_check import Draw
from swapflow.domain.event import HOLDS_TIME, Event, EventType
from swapflow.domain.rules import Rules
from swapflow.engine.audit.recorded_requests import RecordedRequests
from swapflow.engine.audit.row_differences import row_differences
from swapflow.engine.audit.verification import Disagreement, Verification
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import Arms, CycleState
from swapflow.engine.ports.records import DecisionRecord
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.ingest import BATCH, apply_new_events
from swapflow.engine.projection.live_totals import LiveTotals
from swapflow.engine.selection.assign import may_ask
from swapflow.engine.selection.before_stop import drawn_payload
from swapflow.engine.selection.decide import PRIORITY_UNITS, DecisionPlan, decide, stop_plan
from swapflow.engine.selection.parameters import Adopted, DueFit, fitted_now, with_fit
from swapflow.engine.selection.recorded_look import FORMULAS, look_differences
from swapflow.engine.selection.rule import rule_for
from swapflow.engine.selection.situation import situation_of
from swapflow.errors import DamagedRecordError, SwapflowError, UnavailableError
from swapflow.messages import Message


ROUNDING = PRIORITY_UNITS // 100_000_000
"""Priorities this close (1e-8) are a tie that rounding may have broken differently."""


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
    uncovered: tuple[str, ...]
    projection: CycleProjection
    arms: Arms
    requests: RecordedRequests


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
            rows = ledger.check_rows(cycle_id)
            findings += [Disagreement(what=what, fatal=True) for what in rows.findings]
            again = replay(cycle_id, record=ledger)
            findings += again.findings
            findings += row_differences(cycle_id, again.projection, again.arms, ledger=ledger)
            others = again.requests.differences(cycle_id, again.projection, ledger=ledger)
            findings += [Disagreement(what=what, fatal=True) for what in others]
        except UnavailableError:
            raise
        except Exception as error:  # noqa: BLE001 - a damaged row can fail anywhere in a replay
            return _unreadable(error, findings)
    if state is not None:
        findings += _live(cycle_id, again, state=state)
    return Verification(
        events=again.events,
        decisions=again.decisions,
        findings=tuple(findings),
        uncovered=(*again.uncovered, *_rows_uncovered(rows.uncovered)),
        erased=rows.erased,
    )


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
    requests = RecordedRequests()
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
            findings += again.drawn(event)
            again.told(event)
            requests.add(event, projection.rules)
            again.at(projection, tally.arms)
    return ReplayedDecisions(
        events=events,
        decisions=again.replayed,
        findings=(*findings, *again.findings, *again.left()),
        uncovered=tuple(again.uncovered()),
        projection=projection,
        arms=tally.arms(),
        requests=requests,
    )


class _Replay:
    """Computes each decision again when the projection reaches its position."""

    def __init__(self, decisions: Sequence[DecisionRecord]) -> None:
        self._waiting = list(decisions)
        self._picks = {d.number: [pick[:3] for pick in d.picks] for d in decisions}
        self._fitted: Fitted | None = None
        self._asked = {int(d.look["fitted_at"]) for d in decisions if "fitted_at" in d.look}
        self._fits: dict[int, Fitted] = {}
        self._plans: dict[int, tuple[DecisionRecord, DecisionPlan]] = {}
        self._formulas: dict[int | None, list[int]] = {}
        self._draws: dict[int, Draw] = {}
        self._lists: list[int] = []
        self.findings: list[Disagreement] = []
        self.replayed = 0

    def at(self, projection: CycleProjection, arms: Callable[[], Arms]) -> None:
        """Compute every decision again that was made at the projection's position.

        And every fit that was begun there, and adopted by that or a later decision.
        """
        if projection.position.seq in self._asked:
            self._fits |= _fit_begun(projection, arms(), self._fitted)
        while self._waiting and self._waiting[0].read.seq == projection.position.seq:
            recorded = self._waiting.pop(0)
            self.findings += self._compare(recorded, projection, arms())
            self.replayed += 1

    def left(self) -> Iterable[Disagreement]:
        """List the decisions that belong to no event of the record."""
        for recorded in self._waiting:
            yield _fatal(recorded, "was made at an event that is not on record")
        for number in self._draws:
            yield Disagreement(what=f"the draw of decision {number} is not on record", fatal=True)

    def opened(self, event: Event) -> Iterable[Disagreement]:
        """Compare a decision's picks with the pulls that its event opened."""
        if event.type is not EventType.PULLS_OPENED or not event.payload["decision"]:
            return
        number = cast("int", event.payload["decision"])
        pulls = cast("list[tuple[int, int, int, int]]", event.payload["pulls"])
        if self._picks.get(number) != [tuple(pull[:3]) for pull in pulls]:
            yield Disagreement(what=f"decision {number} is not what was opened", fatal=True)

    def drawn(self, event: Event) -> Iterable[Disagreement]:
        """Compare the draw that an event records with that of its decision, computed again."""
        if event.type is not EventType.OUT_DRAWN:
            return
        number = cast("int", event.payload["decision"])
        again = self._draws.pop(number, None)
        if again is None or drawn_payload(number, again) != dict(event.payload):
            yield Disagreement(
                what=f"event {event.position.seq} drew others than the seed", fatal=True
            )

    def told(self, event: Event) -> None:
        """Compare a decision's look, once its event says by which formulas it was made."""
        if event.type is EventType.FINALIZED and event.version < HOLDS_TIME:
            self._lists.append(cast("int", event.payload["version"]))
        if event.type is not EventType.DECIDED:
            return
        number = cast("int", event.payload["decision"])
        formulas = cast("int | None", event.payload.get("formulas"))
        if formulas != FORMULAS:
            self._formulas.setdefault(formulas, []).append(number)
        # Without a version the formulas are unknown: a difference is told, and proves nothing.
        if formulas in {FORMULAS, None} and number in self._plans:
            recorded, plan = self._plans.pop(number)
            for what, fatal in look_differences(recorded, plan, whole=formulas is not None):
                self.findings.append(
                    Disagreement(
                        what=f"decision {number} {what}", fatal=fatal and formulas is not None
                    )
                )

    def uncovered(self) -> Iterable[str]:
        """List what older releases did not record."""
        for version in self._lists:
            yield (
                f"list {version}: fixed before outcomes were recorded in events: not covered: "
                "outcomes, signatures, waivers, the stored places"
            )
        for formulas, numbers in self._formulas.items():
            named = f"decisions {_ranges(numbers)}"
            if formulas is None:
                yield (
                    f"{named}: made before looks carried the version of their formulas: "
                    "not covered: cohort, those too close to call, look"
                )
            else:
                yield (
                    f"{named}: made by formulas of version {formulas}, replayed by {FORMULAS}: "
                    "not covered: cohort, those too close to call, look"
                )

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
            # The calendar proposed it, not the numbers.
            plan: DecisionPlan | None = stop_plan(projection, arms, StopReason.DEADLINE)
        else:
            plan = decide(
                projection, arms, fitted=fitted, fits=_RecordedFits(recorded, self._fits)
            )
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
        self._plans[recorded.number] = (recorded, plan)
        if plan.draw is not None:
            self._draws[recorded.number] = plan.draw


class _RecordedFits:
    """Answers a fit that is due as a decision's record says: a `Fits`.

    Parameters that stayed in force though a fit was due are accepted where one may be made beside.
    """

    def __init__(self, recorded: DecisionRecord, begun: Mapping[int, Fitted]) -> None:
        self._look = recorded.look
        self._begun = begun

    def __call__(self, due: DueFit) -> Adopted | None:
        if due.may_wait and "fitted_at" in self._look:
            at = int(self._look["fitted_at"])
            if at in self._begun:
                return Adopted(fitted=self._begun[at], at=at)
        if due.may_wait and due.in_force and self._look.get("count") == due.in_force.count:
            return None
        return fitted_now(due)


def _fit_begun(
    projection: CycleProjection, arms: Arms, fitted: Fitted | None
) -> dict[int, Fitted]:
    """Fit to the marks of this event, as the coordinator began to; nothing if none was due."""
    situation = situation_of(projection, arms)
    rule, begun = rule_for(projection, situation.application, fitted), dict[int, Fitted]()

    def noted(due: DueFit) -> None:
        begun[due.at] = due.question.answer()

    with_fit(rule, projection, situation, noted)
    return begun


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
        key = (application, kind, ordinal)
        if not may_ask(
            projection,
            application,
            kind,
            reviewer,
            reconsideration=projection.is_appeal(key),
            new=projection.drawn.asks(key),
        ):
            yield Disagreement(
                what=f"event {event.position.seq} asks reviewer {reviewer} about application "
                f"{application} against capacity, conflicts, panel or roster",
                fatal=True,
            )


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


def _ranges(numbers: Sequence[int]) -> str:
    """Format numbers in order as ranges: "1-3, 7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)


def _rows_uncovered(counts: Mapping[str, int]) -> Iterable[str]:
    """List the rows that no event carries, where older releases wrote."""
    for table, count in counts.items():
        yield f"{table}: {count} rows stored before events carried them: not covered"


def _fatal(recorded: DecisionRecord, what: str) -> Disagreement:
    return Disagreement(what=f"decision {recorded.number} {what}", fatal=True)
