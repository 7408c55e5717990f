"""What a change of the rules does to scores that exist and to the list they make.

Two ways lead to the same numbers: of a change that is only thought of, the events that it would
write are folded in; of one in force, those that it wrote.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, takewhile

from swapflow.domain.cycle import Position
from swapflow.domain.event import EVENT_VERSION, Event, EventType
from swapflow.domain.fixed_point import Delta, contribution
from swapflow.domain.reviewing.assignment import Pull
from swapflow.domain.reviewing.score import Score
from swapflow.domain.rules import Rules
from swapflow.engine.lifecycle.rule_changes import kept
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.ingest import BATCH, apply_new_events
from swapflow.engine.projection.live_totals import LiveTotals
from swapflow.engine.scoring.rubric_versions import numbered, reread
from swapflow.engine.selection.decide import look_now
from swapflow.engine.selection.rule import last_fit


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesEffect:
    """What a change of the rules does to existing scores and to the list of this moment.

    Attributes:
        scores: Scores that exist of kinds whose form changes.
        moved: Those that get another value.
        unreadable: Those that the new form cannot read: the change is refused.
        entering: External ids of those who come onto the list by the scores of this moment.
        leaving: External ids of those who leave it.
        places: How many the list holds before and after.
        named: Whether it says who enters and leaves; not to a person who reviews in the program.
    """

    scores: int = 0
    moved: int = 0
    unreadable: int = 0
    entering: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()
    places: tuple[int, int] = (0, 0)
    named: bool = True

    @property
    def changes_list(self) -> bool:
        """Whether the list of this moment is another one."""
        return bool(self.entering or self.leaving)

    def nameless(self) -> "RulesEffect":
        """Return it without who enters and leaves, for a person who reviews in the program."""
        return replace(self, entering=(), leaving=(), places=(0, 0), named=False)


def planned_effect(cycle_id: str, rules: Rules, *, ledger: Ledger) -> RulesEffect:
    """Compute what other rules would do; changes nothing."""
    old = ledger.rules(cycle_id)
    launched = ledger.cycle(cycle_id).is_launched
    new = numbered(old, kept(old, rules, launched=launched))
    seen = _Folded(cycle_id, ledger=ledger)
    seen.read(ledger)
    before = seen.cohort(ledger)
    scores = moved = unreadable = 0
    for rubric in new.rubrics:
        if rubric == old.rubric(rubric.kind):
            continue
        kind = new.kind_index(rubric.kind)
        given = ledger.scores_with_marks(cycle_id, kind) if kind < len(old.kinds) else ()
        again = [(score, reread(rubric, marks)) for score, marks in given]
        scores += len(again)
        unreadable += sum(value is None for _, value in again)
        changed = {
            s.assignment_id: replace(s, value=value)
            for s, value in again
            if value is not None and value != s.value
        }
        moved += len(changed)
        seen.fold(_corrections(cycle_id, changed, seen.projection.position, ledger=ledger))
    seen.projection.use(new)
    effect = RulesEffect(scores=scores, moved=moved, unreadable=unreadable)
    return _compared(cycle_id, effect, before, seen.cohort(ledger), ledger=ledger)


def recorded_effect(cycle_id: str, version: int, *, ledger: Ledger) -> RulesEffect:
    """Read from the record what a version of the rules did when it was put in force.

    Before the launch a change writes no event, and has no effect on any score.
    """
    seen = _Folded(cycle_id, ledger=ledger)
    rest = iter(seen.read(ledger, up_to=version))
    first = next(rest, None)
    if first is None:
        return RulesEffect()
    before = seen.cohort(ledger)
    # One transaction writes them, so that nothing is between.
    written = [first, *takewhile(lambda event: event.type is EventType.SCORE_CORRECTED, rest)]
    apply_new_events(seen.projection, written, ledger=ledger)
    seen.totals.add(written)
    forms = ledger.rules(cycle_id, version), ledger.rules(cycle_id, version - 1)
    changed = [r.kind for r in forms[0].rubrics if r != forms[1].rubric(r.kind)]
    scores = sum(
        len(ledger.scores_with_marks(cycle_id, forms[0].kind_index(kind))) for kind in changed
    )
    effect = RulesEffect(scores=scores, moved=len(written) - 1)
    return _compared(cycle_id, effect, before, seen.cohort(ledger), ledger=ledger)


class _Folded:
    """A cycle folded up to an event, apart from the snapshots that pages share."""

    def __init__(self, cycle_id: str, *, ledger: Ledger) -> None:
        self._cycle_id = cycle_id
        self.projection, self.totals = CycleProjection(ledger.rules(cycle_id)), LiveTotals()

    def read(self, ledger: Ledger, *, up_to: int = 0) -> Iterable[Event]:
        """Fold the events before the one that put a version in force; return those from it on.

        Without a version all are folded, and none returned.
        """
        after = self.projection.position
        while events := ledger.events(self._cycle_id, after=after, at_most=BATCH):
            for i, event in enumerate(events):
                if event.type is EventType.RULES_CHANGED and event.payload["rules"] == up_to:
                    self._take(events[:i], ledger)
                    return chain(events[i:], self._rest(events[-1].position, ledger))
            self._take(events, ledger)
            after = events[-1].position
        return ()

    def fold(self, events: Sequence[Event]) -> None:
        """Fold events that are only thought of, and change no rules."""
        for event in events:
            self.projection.apply(event)
        self.totals.add(events)

    def cohort(self, ledger: Ledger) -> tuple[int, ...]:
        """Return the applications on the list of this moment; none before the first score."""
        arms = self.totals.arms()
        if not arms.information.any():
            return ()
        fitted = last_fit(ledger, self._cycle_id)
        situation, look, _ = look_now(self.projection, arms, fitted=fitted)
        return tuple(int(a) for a in situation.application[look.cohort])

    def _take(self, events: Sequence[Event], ledger: Ledger) -> None:
        apply_new_events(self.projection, events, ledger=ledger)
        self.totals.add(events)

    def _rest(self, after: Position, ledger: Ledger) -> Iterable[Event]:
        while events := ledger.events(self._cycle_id, after=after, at_most=BATCH):
            yield from events
            after = events[-1].position


def _corrections(
    cycle_id: str, changed: Mapping[str, Score], position: Position, *, ledger: Ledger
) -> list[Event]:
    """Build the events that other values of scores would write."""
    if not changed:
        return []
    pulls = {pull.id: pull for pull in ledger.pulls(cycle_id)}
    standing: dict[str, dict[str, Score]] = defaultdict(dict)
    # Every revision in the order of their coming: the last one of an assignment counts, or none.
    for score in ledger.scores(cycle_id):
        standing[score.pull_id].pop(score.assignment_id, None)
        if score.counts:
            standing[score.pull_id][score.assignment_id] = score
    now = ledger.now()
    events = []
    for new in changed.values():
        pull, seats = pulls[new.pull_id], standing[new.pull_id]
        before = _contribution(seats.values(), pull)
        if new.counts:
            seats[new.assignment_id] = new
        after = _contribution(seats.values(), pull)
        position = replace(position, seq=position.seq + 1)
        events.append(
            Event(
                cycle_id=cycle_id,
                position=position,
                type=EventType.SCORE_CORRECTED,
                version=EVENT_VERSION,
                payload={
                    "a": new.application,
                    "k": new.kind,
                    "o": new.ordinal,
                    "seat": new.seat,
                    "attempt": int(new.assignment_id.rsplit(".", 1)[1]),
                    "v": new.value,
                    "counts": int(new.counts),
                },
                deltas=(
                    Delta(
                        application=new.application,
                        numerator=after[0] - before[0],
                        information=after[1] - before[1],
                    ),
                ),
                spent=0,
                committed=0,
                at=now,
            )
        )
    return events


def _contribution(scores: Iterable[Score], pull: Pull) -> tuple[int, int]:
    ordered = sorted(scores, key=lambda score: score.seat)
    return contribution([s.value for s in ordered], gain=pull.gain, quorum=pull.quorum)


def _compared(
    cycle_id: str,
    effect: RulesEffect,
    before: Sequence[int],
    after: Sequence[int],
    *,
    ledger: Ledger,
) -> RulesEffect:
    """Name who enters and who leaves the list."""
    names = {a.number: a.external_id for a in ledger.applications(cycle_id)}
    return replace(
        effect,
        entering=tuple(names[a] for a in sorted(set(after) - set(before))),
        leaving=tuple(names[a] for a in sorted(set(before) - set(after))),
        places=(len(before), len(after)),
    )
