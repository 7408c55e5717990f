"""Rows of requests, scores and people against the events that made them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from swapflow.domain.event import Event, EventType, Json
from swapflow.domain.fixed_point import gain_units
from swapflow.domain.ids import pull_id
from swapflow.domain.people.application import Application
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.reviewing.score import Origin, Score
from swapflow.domain.rules import Rules
from swapflow.engine.intake.roster import tie_of
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.pull_events import VOLUNTEERED, PullKey


Seat = tuple[int, int, int, int, int]
"""(application, kind, ordinal, seat, attempt)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    """What the event of a score says."""

    seq: int
    at: datetime
    payload: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """What the event that opened a pull says, with the rules of its time."""

    why: str
    decision: int
    cost: int
    gain: int
    seats: int
    quorum: int


class RecordedRequests:
    """What the events of a cycle say of each request, seat and score."""

    def __init__(self) -> None:
        self._pulls: dict[PullKey, _Opened] = {}
        self._waves: dict[int, int] = {}
        self._seats: dict[Seat, int] = {}
        self._scores: dict[Seat, _Scored] = {}
        self._conflicts: set[tuple[int, int]] = set()
        self._opened: set[tuple[int, int]] = set()

    def add(self, event: Event, rules: Rules) -> None:
        """Fold in the next event, which was written under these rules."""
        payload = event.payload
        if event.type is EventType.PULLS_OPENED:
            for a, k, o, _ in cast("list[tuple[int, int, int, int]]", payload["pulls"]):
                kind = rules.kinds[k]
                self._pulls[a, k, o] = _Opened(
                    why=str(payload["why"]),
                    decision=cast("int", payload["decision"]),
                    cost=kind.cost,
                    gain=gain_units(kind.gain),
                    seats=kind.seats,
                    quorum=kind.quorum,
                )
        elif event.type is EventType.APPLICATION_ADDED:
            self._waves[cast("int", payload["a"])] = cast("int", payload["wave"])
        elif event.type is EventType.ASSIGNED:
            for *seat, reviewer in cast("list[list[int]]", payload["items"]):
                self._seats[cast("Seat", tuple(seat))] = reviewer
        elif event.type is EventType.SCORED:
            names = ("a", "k", "o", "seat", "attempt")
            where = cast("Seat", tuple(payload[name] for name in names))
            self._scores[where] = _Scored(seq=event.position.seq, at=event.at, payload=payload)
            if payload["extra"] == VOLUNTEERED:
                self._seats[where] = cast("int", payload["r"])
        else:
            self._add_pairs(event)

    def _add_pairs(self, event: Event) -> None:
        """Fold in who may not judge whom."""
        payload = event.payload
        if event.type is EventType.CONFLICTS_ADDED:
            self._conflicts |= {(a, r) for a, r in cast("list[tuple[int, int]]", payload["pairs"])}
        elif event.type is EventType.CONFLICT_REMOVED:
            self._conflicts.discard((cast("int", payload["a"]), cast("int", payload["r"])))
        elif event.type is EventType.APPLICANT_OPENED:
            self._opened.add((cast("int", payload["a"]), cast("int", payload["r"])))

    def differences(
        self, cycle_id: str, projection: CycleProjection, *, ledger: Ledger
    ) -> Iterable[str]:
        """Compare with the rows of requests, seats, scores and people."""
        rules = ledger.rules(cycle_id)
        # Before the launch the seed may change; an earlier arrival keeps the old tie.
        every = [version.rules for version in ledger.rules_history(cycle_id)]
        yield from self._of_pulls(cycle_id, rules, ledger=ledger)
        yield from self._of_assignments(cycle_id, projection, rules, ledger=ledger)
        yield from self._of_scores(ledger.scores(cycle_id), cycle_id, rules)
        yield from self._of_applications(ledger.applications(cycle_id), projection, every)
        yield from _roster(cycle_id, projection, every, ledger=ledger)
        if set(ledger.conflicts(cycle_id)) != self._conflicts:
            yield f"conflict: the pairs {_ARE_NOT}"
        if ledger.opened_pairs(cycle_id) != self._opened:
            yield f"opened: the pairs {_ARE_NOT}"

    def _of_pulls(self, cycle_id: str, rules: Rules, *, ledger: Ledger) -> Iterable[str]:
        # A late or a volunteered score has a pull of its own.
        own = {where[:3] for where, score in self._scores.items() if score.payload["extra"]}
        for pull in ledger.pulls(cycle_id):
            kind = rules.kinds[pull.kind] if 0 <= pull.kind < len(rules.kinds) else None
            name = "" if kind is None else kind.name
            wrong = []
            if pull.id != pull_id(cycle_id, pull.application, name, pull.ordinal):
                wrong.append("id, application, kind or ordinal")
            told = self._pulls.get((pull.application, pull.kind, pull.ordinal))
            if told is None and pull.decision:
                wrong.append("decision")
            if told is not None:
                stored = (pull.why.value, *(getattr(pull, name) for name in _OPENED[1:]))
                recorded = tuple(getattr(told, name) for name in _OPENED)
                named = zip(_OPENED, stored, recorded, strict=True)
                wrong += [name for name, one, other in named if one != other]
            key = (pull.application, pull.kind, pull.ordinal)
            if told is None and not wrong and key not in own:
                wrong.append("row")
            if wrong:
                yield f"pull {pull.id}: {', '.join(wrong)} {_NOT}"

    def _of_assignments(
        self, cycle_id: str, projection: CycleProjection, rules: Rules, *, ledger: Ledger
    ) -> Iterable[str]:
        live = {
            (*key, seat, attempt)
            for key, pull in projection.open.items()
            for seat, (attempt, _) in pull.live.items()
        }
        # A late score of its own pull has another ordinal than its seat.
        scored = {(a, k, seat, attempt) for a, k, _, seat, attempt in self._scores}
        found: set[Seat] = set()
        for one in ledger.assignments(cycle_id):
            where = (one.application, one.kind, one.ordinal, one.seat, one.attempt)
            kind = rules.kinds[one.kind].name if 0 <= one.kind < len(rules.kinds) else ""
            pull = pull_id(cycle_id, one.application, kind, one.ordinal)
            wrong = []
            if (one.id, one.pull_id) != (f"{pull}:{one.seat}.{one.attempt}", pull):
                wrong.append("pull_id, application, kind, ordinal, seat or attempt")
            elif self._seats.get(where) != one.reviewer:
                wrong.append("reviewer")
            elif one.status.is_open != (where in live) or (
                one.status is AssignmentStatus.SCORED
                and (one.application, one.kind, one.seat, one.attempt) not in scored
            ):
                wrong.append("status")
            found.add(where)
            if wrong:
                yield f"assignment {one.id}: {', '.join(wrong)} {_NOT}"
        for where in self._seats.keys() - found:
            yield f"assignment {':'.join(map(str, where))} is gone"

    def _of_scores(self, scores: Sequence[Score], cycle_id: str, rules: Rules) -> Iterable[str]:
        revisions: dict[str, int] = {}
        found = set()
        for score in scores:
            found.add(seat_of(score))
            revisions[score.assignment_id] = revisions.get(score.assignment_id, 0) + 1
            wrong = self._of_score(score, cycle_id, rules)
            if score.revision != revisions[score.assignment_id]:
                wrong.append("revision")
            if wrong:
                yield f"score {score.assignment_id}/{score.revision}: {', '.join(wrong)} {_NOT}"
        for where in self._scores.keys() - found:
            yield f"score of event {self._scores[where].seq} is gone"

    def _of_score(self, score: Score, cycle_id: str, rules: Rules) -> list[str]:
        """Name the columns of a score that differ from its event."""
        told = self._scores.get(seat_of(score))
        if told is None:
            return ["assignment_id, application, kind, ordinal or seat"]
        late = None if score.late is None else score.late.value
        first, own = score.revision == 1, told.payload["extra"] == VOLUNTEERED
        facts = {
            "reviewer": score.reviewer == told.payload["r"],
            "pull_id": score.pull_id
            == pull_id(cycle_id, score.application, rules.kinds[score.kind].name, score.ordinal),
            "late": not first or (late or None) == (told.payload["late"] or None),
            "seq": score.seq == told.seq,
            "value": not first or score.value == told.payload["v"],
            "submitted_at": not first or own or score.submitted_at == told.at,
            "origin": not first or own == (score.origin in {Origin.VOLUNTEERED, Origin.IMPORTED}),
        }
        return [name for name, fits in facts.items() if not fits]

    def _of_applications(
        self,
        applications: Sequence[Application],
        projection: CycleProjection,
        every: Sequence[Rules],
    ) -> Iterable[str]:
        """Compare status, tie and wave; an id that was not erased must give the tie again."""
        fits = {
            one.number: _has_tie(one.external_id, one.tie, every)
            for one in applications
            if one.external_id
        }
        for one in applications:
            if one.number >= projection.applications:
                yield f"application {one.number}: row {_NOT}"
                continue
            same = {
                "tie": one.tie == projection.stored_ties[one.number],
                "status": one.status is projection.statuses[one.number],
                "wave": one.wave == self._waves[one.number],
                "external_id": not any(fits.values()) or fits.get(one.number, True),
            }
            for name, fits_event in same.items():
                if not fits_event:
                    yield f"application {one.number}: {name} {_NOT}"
        for number in set(range(projection.applications)) - {one.number for one in applications}:
            yield f"application {number} is gone"


_OPENED = ("why", "decision", "cost", "gain", "seats", "quorum")
_NOT = "not what its event says"
_ARE_NOT = "are not those of the events"


def _has_tie(external_id: str, tie: int, every: Sequence[Rules]) -> bool:
    """Whether an id gives this tie by the seed of any version of the rules."""
    return any(tie_of(rules, external_id) == tie for rules in every)


def seat_of(score: Score) -> Seat:
    """Return the seat that a score belongs to; attempt 0 where its id cannot be read."""
    attempt = score.assignment_id.rpartition(".")[2]
    number = int(attempt) if attempt.isdecimal() else 0
    return (score.application, score.kind, score.ordinal, score.seat, number)


def _roster(
    cycle_id: str, projection: CycleProjection, every: Sequence[Rules], *, ledger: Ledger
) -> Iterable[str]:
    """Compare capacities and ids of the roster."""
    rules = projection.rules
    known = ledger.reviewers(cycle_id)
    fits = {
        one.number: _has_tie(one.external_id, projection.reviewers[one.number].tie, every)
        for one in known
        if not one.was_erased and one.number < len(projection.reviewers)
    }
    for number in set(range(len(projection.reviewers))) - {one.number for one in known}:
        yield f"roster {number} is gone"
    for one in known:
        if one.number >= len(projection.reviewers):
            yield f"roster {one.number}: row {_NOT}"
            continue
        facts = projection.reviewers[one.number]
        capacity = {rules.kind_index(kind): most for kind, most in one.capacity.items()}
        same = {
            "capacity": capacity == facts.capacity,
            "packet": one.packet == facts.packet,
            "automatic": bool(one.automatic) == facts.automatic,
            "active": one.active == facts.active,
            "reserve": one.reserve == facts.reserve,
            "external_id": not any(fits.values()) or fits.get(one.number, True),
        }
        for name, fits_event in same.items():
            if not fits_event:
                yield f"roster {one.number}: {name} {_NOT}"
