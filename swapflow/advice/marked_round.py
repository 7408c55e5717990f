"""A cycle in memory made from marks: the same projection and sums that a running program has.

Marks become the events that a program would have recorded for them, so that everything that is
decided about a running program is decided here by the same functions.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from swapflow.bandit.ties import tie_key
from swapflow.domain.cycle import Position
from swapflow.domain.event import EVENT_VERSION, Event, EventType, Json
from swapflow.domain.fixed_point import Delta, contribution, gain_units
from swapflow.domain.people.group_numbers import group_number, value_number
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import Rules
from swapflow.engine.ports.live_state import Arms
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.live_totals import LiveTotals
from swapflow.engine.projection.people_events import UNNAMED
from swapflow.engine.selection.decide import DecisionPlan
from swapflow.engine.selection.staffing import PlannedPull


NOBODY = -1
"""Reviewer of a mark whose giver is not on record."""

PLACE_IN_TIME = datetime(2000, 1, 1, tzinfo=UTC)
"""The time of every event here: no decision reads it."""

OPENED_BEFORE = 0
"""Number of the decision behind marks that were there, and behind requests that are out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedApplicant:
    """An applicant as decisions know one: the id, and values of attributes."""

    id: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A reviewer as decisions know one.

    Attributes:
        capacity: Most reviews by kind's index, None for any number; a missing kind is not asked.
        packet: Most open requests at once; None for the rules' number.
        topics: Numbers of the topics that the reviewer knows.
        away: Whether the reviewer gets no request now.
        unnamed: Whether it only represents people whose names are not on record.
    """

    id: str
    capacity: Mapping[int, int | None]
    packet: int | None = None
    topics: tuple[int, ...] = ()
    away: bool = False
    unnamed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A mark that was given, by numbers; `value` in the integers of the record."""

    applicant: int
    reviewer: int
    kind: int
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutRequest:
    """A request that is out: asked for, not answered; `reviewer` may be `NOBODY`."""

    applicant: int
    reviewer: int
    kind: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFacts:
    """Everything that a round is made of, by numbers.

    Attributes:
        conflicts: Pairs of applicant and reviewer that are never asked for.
        topics: Number of each applicant's topic, for those who have one.
    """

    applicants: tuple[MarkedApplicant, ...]
    readers: tuple[Reader, ...]
    given: tuple[Given, ...]
    out: tuple[OutRequest, ...] = ()
    conflicts: tuple[tuple[int, int], ...] = ()
    topics: Mapping[int, int]


class MarkedRound:
    """A round rebuilt from its marks, which can be asked for its next requests.

    Attributes:
        facts: What it was made of.
        projection: Its structure, as of a running program.
    """

    def __init__(self, rules: Rules, facts: RoundFacts) -> None:
        self.facts = facts
        self.projection = CycleProjection(rules)
        self._totals = LiveTotals()
        self._seq = 0
        self._arrive()
        self._record(EventType.LAUNCHED, {"rules": rules.version})
        self.projection.use(rules)
        self._take_marks()
        self._take_out()

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self.projection.rules

    @property
    def arms(self) -> Arms:
        """The sums so far."""
        return self._totals.arms()

    @property
    def costs(self) -> tuple[int, int]:
        """Cost of the marks, and cost of what is out."""
        return self._totals.costs

    def use(self, **changes: object) -> None:
        """Change settings of the rules; kinds stay."""
        self.projection.use(replace(self.rules, **changes))  # type: ignore[arg-type]

    def send(self, plan: DecisionPlan) -> None:
        """Record that a decision's requests are out."""
        self._record(
            EventType.DECIDED,
            {"decision": plan.number, "at": 0, "digest": "", "stop": None, "picks": 0},
        )
        self._open(plan.why, plan.number, plan.pulls)

    # Events

    def _record(
        self,
        kind: EventType,
        payload: Mapping[str, Json],
        *,
        deltas: Sequence[Delta] = (),
        spent: int = 0,
        committed: int = 0,
    ) -> None:
        self._seq += 1
        event = Event(
            cycle_id="advice",
            position=Position(self._seq, ""),
            type=kind,
            version=EVENT_VERSION,
            payload=payload,
            deltas=tuple(deltas),
            spent=spent,
            committed=committed,
            at=PLACE_IN_TIME,
        )
        self.projection.apply(event)
        self._totals.add((event,))

    def _arrive(self) -> None:
        seed, attribute = self.rules.seed, self.rules.objective.attribute
        for number, applicant in enumerate(self.facts.applicants):
            value = applicant.values.get(attribute, "") if attribute else ""
            topic = self.facts.topics.get(number)
            self._record(
                EventType.APPLICATION_ADDED,
                {
                    "a": number,
                    "status": "ready",
                    "tie": tie_key(seed, applicant.id) >> 1,
                    "wave": 1,
                    "group": value_number(attribute, value) if value else -1,
                    "in": sorted(group_number(*pair) for pair in applicant.values.items()),
                    "topics": [] if topic is None else [topic],
                },
            )
        for number, reader in enumerate(self.facts.readers):
            self._record(
                EventType.REVIEWER_ADDED,
                {
                    "r": number,
                    "tie": tie_key(seed, reader.id) >> 1,
                    "capacity": [list(one) for one in reader.capacity.items()],
                    "packet": reader.packet,
                    "automatic": UNNAMED if reader.unnamed else 0,
                    "topics": list(reader.topics),
                },
            )
            if reader.away:
                self._record(EventType.REVIEWER_AWAY, {"r": number, "away": 1})
        if self.facts.conflicts:
            pairs = [list(pair) for pair in self.facts.conflicts]
            self._record(EventType.CONFLICTS_ADDED, {"pairs": pairs})

    def _take_marks(self) -> None:
        """Record the marks that there are, each as a request that was answered."""
        by_pull: dict[tuple[int, int], list[Given]] = {}
        for given in self.facts.given:
            by_pull.setdefault((given.applicant, given.kind), []).append(given)
        kinds = self.rules.kinds
        panels = [
            (applicant, kind, ordinal, panel)
            for (applicant, kind), marks in by_pull.items()
            for ordinal, panel in enumerate(_panels(marks, kinds[kind].seats), start=1)
        ]
        self._record(
            EventType.PULLS_OPENED,
            {
                "decision": OPENED_BEFORE,
                "why": PullReason.RULE.value,
                "pulls": [[a, k, o, 0] for a, k, o, _ in panels],
            },
        )
        items = [
            [a, k, o, seat, 1, given.reviewer]
            for a, k, o, panel in panels
            for seat, given in enumerate(panel, start=1)
        ]
        self._record(EventType.ASSIGNED, {"items": items})
        for applicant, kind, ordinal, panel in panels:
            self._answer(applicant, kind, ordinal, panel)

    def _answer(self, applicant: int, kind: int, ordinal: int, panel: Sequence[Given]) -> None:
        rules = self.rules.kinds[kind]
        # A panel with an empty chair still counts: the sheet says no more of who was asked.
        numerator, information = contribution(
            [given.value for given in panel], gain=gain_units(rules.gain), quorum=1
        )
        for seat, given in enumerate(panel, start=1):
            last = seat == len(panel)
            self._record(
                EventType.SCORED,
                {
                    "a": applicant,
                    "k": kind,
                    "o": ordinal,
                    "seat": seat,
                    "attempt": 1,
                    "r": given.reviewer,
                    "v": given.value,
                    "counts": 1,
                    "closes": int(last),
                    "extra": 0,
                    "late": None,
                },
                deltas=[Delta(application=applicant, numerator=numerator, information=information)]
                if last
                else (),
                spent=rules.cost if last else 0,
            )

    def _take_out(self) -> None:
        """Record the requests that are out already."""
        numbers: Counter[tuple[int, int]] = Counter()
        pulls = []
        for out in self.facts.out:
            pair = (out.applicant, out.kind)
            ordinal = self.projection.next_ordinal(*pair) + numbers[pair]
            numbers[pair] += 1
            reviewers = () if out.reviewer == NOBODY else (out.reviewer,)
            pulls.append(PlannedPull(key=(*pair, ordinal), priority=0, reviewers=reviewers))
        if pulls:
            self._open(PullReason.RULE, OPENED_BEFORE, pulls)

    def _open(self, why: PullReason, decision: int, pulls: Sequence[PlannedPull]) -> None:
        kinds = self.rules.kinds
        waiting: Counter[int] = Counter()
        for pull in pulls:
            waiting[pull.key[0]] += gain_units(kinds[pull.key[1]].gain)
        self._record(
            EventType.PULLS_OPENED,
            {
                "decision": decision,
                "why": why.value,
                "pulls": [[*pull.key, 0] for pull in pulls],
            },
            deltas=[Delta(application=a, pending=gain) for a, gain in sorted(waiting.items())],
            committed=sum(kinds[pull.key[1]].cost for pull in pulls),
        )
        items = [
            [*pull.key, seat, 1, reviewer]
            for pull in pulls
            for seat, reviewer in enumerate(pull.reviewers, start=1)
        ]
        if items:
            self._record(EventType.ASSIGNED, {"items": items})


def _panels(marks: Sequence[Given], seats: int) -> list[tuple[Given, ...]]:
    """Cut the marks of one applicant and kind into panels, in their order."""
    return [tuple(marks[start : start + seats]) for start in range(0, len(marks), seats)]
