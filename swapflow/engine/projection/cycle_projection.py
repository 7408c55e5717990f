"""The projection: a cycle's structure rebuilt from its events and kept in memory.

The live state holds the numbers that the bandit reads (`CycleState`); the projection holds the
structure around them: candidates, open pulls, who judged whom, and who may still be asked. Both
fold the same events, so equal ledgers give equal projections.
"""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import cast

import numpy as np
from numpy.typing import NDArray

from swapflow.domain.cycle import START, CycleStatus, Position
from swapflow.domain.event import Event, EventType, Json
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.group_numbers import VALUES, attribute_number
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import Rules
from swapflow.engine.projection.open_pulls import OpenPull
from swapflow.engine.projection.roster_facts import RosterEntry
from swapflow.engine.projection.score_table import (
    GrowingTable,
    Integers,
    ScoreColumns,
    ScoreKey,
    ScoreTable,
    int_column,
    table_rows,
)


CREDITED = frozenset({EventType.SCORED, EventType.SCORE_CORRECTED})
"""Events that change what an application's scores add up to."""

PullKey = tuple[int, int, int]
"""(application, kind, ordinal)"""

EXTRA_PULL = 1
"""`extra` of a score that opened and closed a pull of its own (it came late)."""

UNNAMED = 2
"""`automatic` of a program that answers for people whose names are not on record."""

VOLUNTEERED = 2
"""`extra` of a score that was not requested."""

NO_VALUE = -1
"""The value of a selection attribute of an application that has none."""

STRUCK = "struck"
NOBODY_LEFT = "nobody left to ask"
"""Reasons for cancelled pulls that the projection remembers."""

PAIR = 1 << 24
"""An (application, reviewer) pair is kept as one integer: application times this plus reviewer."""


class CycleProjection:
    """A cycle's structure, folded from its events.

    Attributes:
        position: The event read last.
        rules: The rules in force; the caller that feeds events calls `use` after an event that
            changed `rules_version`.
        struck: (application, kind) pairs that a person refused; the rule asks no more.
        unasked: (application, kind) pairs whose last pull found no reviewer.
        appeal_cost: Cost of reconsiderations; it does not count against the budget.
        reconsidering: Applications that are reconsidered after the list was made final.
    """

    def __init__(self, rules: Rules) -> None:
        self.position: Position = START
        self.rules = rules
        self.rules_version = 0
        self.status = CycleStatus.DRAFT
        self.decisions = 0
        self.floors_open = True
        self.staff_cost = 0
        self.appeal_cost = 0
        self.reconsidering: set[int] = set()
        self.stop_reason = ""
        kinds = len(rules.kinds)
        self._rank = 0
        # Applications, by number.
        self.statuses: list[ApplicationStatus] = []
        self._candidate = bytearray()
        self._ready = bytearray()
        self.ties = array("q")
        self.groups = array("q")
        self._values: dict[int, array[int]] = {}
        self.pins: dict[int, int] = {}
        self.topics: dict[int, frozenset[int]] = {}
        self._given = GrowingTable(kinds)
        self._closed = GrowingTable(kinds)
        self._out = GrowingTable(kinds)
        self._ordinals = GrowingTable(kinds)
        # Who may judge whom.
        self.reviewers: list[RosterEntry] = []
        self._barred: dict[int, tuple[int, ...]] = {}
        self._barred_list = array("q")
        self.panels: dict[int, set[int]] = {}
        self._panel_list = array("q")
        # Pulls and scores.
        self.open: dict[PullKey, OpenPull] = {}
        self.struck: set[tuple[int, int]] = set()
        self.unasked: set[tuple[int, int]] = set()
        self._score_rows: dict[ScoreKey, int] = {}
        self._scores = ScoreColumns()

    # What decisions read

    @property
    def applications(self) -> int:
        """Number of applications that ever became arms."""
        return len(self.statuses)

    def values_of(self, attribute: str) -> Integers:
        """Return every application's value of a selection attribute, `NO_VALUE` without one."""
        known = self._values.get(attribute_number(attribute))
        values = np.full(self.applications, NO_VALUE, dtype=np.int64)
        if known is not None:
            values[: len(known)] = np.array(known, dtype=np.int64)
        return values

    def groups_of(self, attribute: str) -> Integers:
        """Return every application's group of an attribute, any numbers, -1 without one."""
        if attribute_number(attribute) in self._values:
            return self.values_of(attribute)
        return np.array(self.groups, dtype=np.int64)

    def candidates(self) -> Integers:
        """Return the numbers of the applications that can be in the cohort, ascending."""
        return np.flatnonzero(np.frombuffer(bytes(self._candidate), dtype=np.uint8))

    def ready(self) -> NDArray[np.bool_]:
        """Return whether each application may get new pulls, shape (n,)."""
        return np.frombuffer(bytes(self._ready), dtype=np.bool_)

    def given(self) -> Integers:
        """Count pulls per application and kind that were not cancelled, shape (n, kinds)."""
        return self._view(self._given)

    def closed(self) -> Integers:
        """Count closed pulls per application and kind, shape (n, kinds)."""
        return self._view(self._closed)

    def out(self) -> Integers:
        """Count proposed and open pulls per application and kind, shape (n, kinds)."""
        return self._view(self._out)

    def next_ordinal(self, application: int, kind: int) -> int:
        """Return the ordinal of the next pull of this kind of this application."""
        return int(self._ordinals.rows[application, kind]) + 1

    def is_appeal(self, key: PullKey) -> bool:
        """Whether an open pull belongs to a reconsideration."""
        pull = self.open.get(key)
        return pull is not None and pull.why is PullReason.RECONSIDERATION

    @contextmanager
    def with_candidates(self, numbers: Collection[int]) -> Iterator[None]:
        """Use exactly these applications as the candidates inside the block."""
        kept = self._candidate
        self._candidate = bytearray(len(kept))
        for number in numbers:
            self._candidate[number] = 1
        try:
            yield
        finally:
            self._candidate = kept

    def is_barred(self, application: int, reviewer: int) -> bool:
        """Whether a reviewer was asked before, or is in conflict with the application."""
        return reviewer in self._barred.get(application, ())

    def barred(self, application: int) -> set[int]:
        """Return the reviewers who may not be asked about an application (again)."""
        return set(self._barred.get(application, ()))

    def barred_pairs(self) -> tuple[Integers, Integers]:
        """Return all barred pairs, as (applications, reviewers)."""
        pairs = np.array(self._barred_list, dtype=np.int64)
        return pairs // PAIR, pairs % PAIR

    def panel_pairs(self) -> tuple[Integers, Integers]:
        """Return all (application, reviewer) pairs of applications with a panel."""
        pairs = np.array(self._panel_list, dtype=np.int64)
        return pairs // PAIR, pairs % PAIR

    def first_out(self) -> Integers:
        """Return the rank of each application's first open pull; a huge number for none."""
        first = np.full(self.applications, np.iinfo(np.int64).max)
        for (application, _kind, _ordinal), pull in self.open.items():
            first[application] = min(first[application], pull.rank)
        return first

    def scores(self) -> "ScoreTable":
        """Return the scores that count, by pull, in an order that does not depend on arrival."""
        return self._scores.table()

    def score(self, key: ScoreKey) -> tuple[int, bool] | None:
        """Return the current value of a score and whether it counts; None if there is none."""
        row = self._score_rows.get(key)
        if row is None:
            return None
        return self._scores.value[row], bool(self._scores.counts[row])

    def vacancies(self) -> list[tuple[PullKey, int]]:
        """List the vacant seats of open pulls, in the order of dispatch."""
        ordered = sorted(self.open.items(), key=lambda item: item[1].rank)
        return [(key, seat) for key, pull in ordered for seat in pull.vacant()]

    # Folding

    def apply(self, event: Event) -> None:
        """Fold in the next event."""
        fold = getattr(self, f"_{event.type.value}")
        fold(event.payload)
        if event.type in CREDITED:
            self._credit(event)
        self.position = event.position

    def use(self, rules: Rules) -> None:
        """Switch to another version of the rules; kinds are only ever appended."""
        self.rules = rules
        for table in self._tables():
            table.widen(len(rules.kinds))

    def _launched(self, payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.RUNNING
        self.rules_version = _int(payload["rules"])

    def _rules_changed(self, payload: Mapping[str, Json]) -> None:
        self.rules_version = _int(payload["rules"])

    def _application_added(self, payload: Mapping[str, Json]) -> None:
        self.statuses.append(ApplicationStatus.INCOMPLETE)
        self._candidate.append(0)
        self._ready.append(0)
        self._move(_int(payload["a"]), ApplicationStatus(str(payload["status"])))
        self.ties.append(_int(payload["tie"]))
        self.groups.append(_int(payload["group"]))
        self._belong(_int(payload["a"]), int_column(payload.get("in", [])))
        topics = frozenset(int_column(payload["topics"]))
        if topics:
            self.topics[_int(payload["a"])] = topics
        for table in self._tables():
            table.lengthen(self.applications)

    def _application_changed(self, payload: Mapping[str, Json]) -> None:
        number = _int(payload["a"])
        self.groups[number] = _int(payload["group"])
        self._belong(number, int_column(payload.get("in", [])))
        self.topics.pop(number, None)
        topics = frozenset(int_column(payload["topics"]))
        if topics:
            self.topics[number] = topics

    def _application_moved(self, payload: Mapping[str, Json]) -> None:
        self._move(_int(payload["a"]), ApplicationStatus(str(payload["status"])))

    def _application_pinned(self, payload: Mapping[str, Json]) -> None:
        number, pin = _int(payload["a"]), _int(payload["pin"])
        if pin:
            self.pins[number] = pin
        else:
            self.pins.pop(number, None)

    def _belong(self, number: int, groups: Iterable[int]) -> None:
        """Store the value that an application has of each selection attribute."""
        for column in self._values.values():
            column.extend([NO_VALUE] * (self.applications - len(column)))
            column[number] = NO_VALUE
        for group in groups:
            attribute, value = divmod(group, VALUES)
            if attribute not in self._values:
                self._values[attribute] = array("q", [NO_VALUE] * self.applications)
            self._values[attribute][number] = value

    def _applications_merged(self, payload: Mapping[str, Json]) -> None:
        self._move(_int(payload["a"]), ApplicationStatus.MERGED)

    def _reviewer_added(self, payload: Mapping[str, Json]) -> None:
        self.reviewers.append(_roster(payload))

    def _reviewer_changed(self, payload: Mapping[str, Json]) -> None:
        number = _int(payload["r"])
        before, after = self.reviewers[number], _roster(payload)
        after.load, after.out, after.away = before.load, before.out, before.away
        after.active = before.active
        self.reviewers[number] = after

    def _reviewer_away(self, payload: Mapping[str, Json]) -> None:
        self.reviewers[_int(payload["r"])].away = bool(payload["away"])

    def _reviewer_left(self, payload: Mapping[str, Json]) -> None:
        self.reviewers[_int(payload["r"])].active = False

    def _conflicts_added(self, payload: Mapping[str, Json]) -> None:
        for application, reviewer in table_rows(payload["pairs"]):
            self._bar(application, reviewer)

    def _panel_set(self, payload: Mapping[str, Json]) -> None:
        for application, reviewer in table_rows(payload["pairs"]):
            panel = self.panels.setdefault(application, set())
            if reviewer not in panel:
                panel.add(reviewer)
                self._panel_list.append(application * PAIR + reviewer)

    def _decided(self, payload: Mapping[str, Json]) -> None:
        self.decisions = _int(payload["decision"])

    def _pulls_opened(self, payload: Mapping[str, Json]) -> None:
        why, decision = PullReason(str(payload["why"])), _int(payload["decision"])
        for application, kind, ordinal, approval in table_rows(payload["pulls"]):
            self._rank += 1
            rules = self.rules.kinds[kind]
            self.open[application, kind, ordinal] = OpenPull(
                rank=self._rank,
                why=why,
                decision=decision,
                seats=rules.seats,
                approved=not approval,
            )
            self._count_pull(application, kind, ordinal)
            self.unasked.discard((application, kind))
            self._out.rows[application, kind] += 1
            if why in {PullReason.STAFF, PullReason.RECONSIDERATION}:
                self.staff_cost += rules.cost
            if why is PullReason.RECONSIDERATION:
                self.appeal_cost += rules.cost

    def _pulls_approved(self, payload: Mapping[str, Json]) -> None:
        for application, kind, ordinal in table_rows(payload["pulls"]):
            self.open[application, kind, ordinal].approved = True

    def _pulls_cancelled(self, payload: Mapping[str, Json]) -> None:
        for application, kind, ordinal in table_rows(payload["pulls"]):
            pull = self.open.pop((application, kind, ordinal))
            for seat in list(pull.live):
                self._end_live(pull, seat, kind, keeps_load=False)
            self._given.rows[application, kind] -= 1
            self._out.rows[application, kind] -= 1
            if pull.why in {PullReason.STAFF, PullReason.RECONSIDERATION}:
                self.staff_cost -= self.rules.kinds[kind].cost
            if pull.why is PullReason.RECONSIDERATION:
                self.appeal_cost -= self.rules.kinds[kind].cost
            if payload["why"] == STRUCK:
                self.struck.add((application, kind))
            elif payload["why"] == NOBODY_LEFT:
                self.unasked.add((application, kind))

    def _assigned(self, payload: Mapping[str, Json]) -> None:
        for application, kind, ordinal, seat, attempt, reviewer in table_rows(payload["items"]):
            pull = self.open[application, kind, ordinal]
            pull.live[seat] = (attempt, reviewer)
            facts = self.reviewers[reviewer]
            facts.out += 1
            facts.load[kind] = facts.load.get(kind, 0) + 1
            self._bar(application, reviewer)

    def _scored(self, payload: Mapping[str, Json]) -> None:
        application, kind, ordinal = _int(payload["a"]), _int(payload["k"]), _int(payload["o"])
        seat, reviewer = _int(payload["seat"]), _int(payload["r"])
        pull = self.open.get((application, kind, ordinal))
        self._bar(application, reviewer)
        if payload["extra"] == EXTRA_PULL:
            self._rank += 1
            self._count_pull(application, kind, ordinal)
            self._closed.rows[application, kind] += 1
        elif payload["extra"] == VOLUNTEERED:
            self._rank += 1
            self._number_pull(application, kind, ordinal)
        elif pull is not None and payload["late"] != "uncounted":
            pull.answered = (*pull.answered, seat)
            if seat in pull.live:
                answered_itself = pull.live[seat][1] == reviewer
                self._end_live(pull, seat, kind, keeps_load=answered_itself)
        rank = pull.rank if pull is not None else self._rank
        self._put_score(
            (application, kind, ordinal, seat, _int(payload["attempt"])),
            (reviewer, _int(payload["v"]), int(bool(payload["counts"])), rank),
        )
        if pull is not None and payload["closes"]:
            for left in list(pull.live):
                self._end_live(pull, left, kind, keeps_load=False)
            del self.open[application, kind, ordinal]
            self._out.rows[application, kind] -= 1
            self._closed.rows[application, kind] += 1

    def _score_corrected(self, payload: Mapping[str, Json]) -> None:
        names = ("a", "k", "o", "seat", "attempt")
        application, kind, ordinal, seat, attempt = (_int(payload[name]) for name in names)
        row = self._score_rows[application, kind, ordinal, seat, attempt]
        counted, counts = self._scores.counts[row], int(bool(payload["counts"]))
        self._scores.correct(row, value=_int(payload["v"]), counts=counts)
        pull = self.open.get((application, kind, ordinal))
        if pull is not None and counted and not counts:
            # The panel still waits, so another must be asked.
            pull.answered = tuple(other for other in pull.answered if other != seat)

    def _declined(self, payload: Mapping[str, Json]) -> None:
        key = (_int(payload["a"]), _int(payload["k"]), _int(payload["o"]))
        pull = self.open.get(key)
        if pull is not None:
            self._end_live(pull, _int(payload["seat"]), key[1], keeps_load=False)

    def _expired(self, payload: Mapping[str, Json]) -> None:
        for application, kind, ordinal, seat, _attempt, _reviewer in table_rows(payload["items"]):
            pull = self.open.get((application, kind, ordinal))
            if pull is not None:
                self._end_live(pull, seat, kind, keeps_load=False)

    def _paused(self, _payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.PAUSED

    def _resumed(self, _payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.RUNNING
        self.stop_reason = ""

    def _stop_proposed(self, payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.PROPOSED
        self.stop_reason = str(payload["reason"])

    def _ended(self, payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.ENDED
        self.stop_reason = str(payload["reason"])

    def _finalized(self, _payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.FINALIZED

    def _reopened(self, _payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.ENDED

    def _reconsideration_opened(self, payload: Mapping[str, Json]) -> None:
        self.reconsidering.add(_int(payload["a"]))

    def _reconsideration_closed(self, payload: Mapping[str, Json]) -> None:
        self.reconsidering.discard(_int(payload["a"]))

    def _yield_set(self, _payload: Mapping[str, Json]) -> None:
        """Offers change no decision."""

    def _offered(self, _payload: Mapping[str, Json]) -> None:
        """Announcements, offers and their answers change no decision."""

    def _offer_answered(self, _payload: Mapping[str, Json]) -> None:
        """Announcements, offers and their answers change no decision."""

    def _announced(self, _payload: Mapping[str, Json]) -> None:
        """Announcements, offers and their answers change no decision."""

    def _announcement_taken_back(self, _payload: Mapping[str, Json]) -> None:
        """Announcements, offers and their answers change no decision."""

    def _purged(self, _payload: Mapping[str, Json]) -> None:
        """Nothing here is personal: erasing a person leaves every number unchanged."""

    # Helpers of the folds

    def _view(self, table: "GrowingTable") -> Integers:
        # A fold that starts under today's rules passes through older ones with fewer kinds.
        return table.rows[: self.applications, : len(self.rules.kinds)]

    def _move(self, application: int, status: ApplicationStatus) -> None:
        self.statuses[application] = status
        self._candidate[application] = status.is_candidate
        self._ready[application] = status is ApplicationStatus.READY

    def _credit(self, event: Event) -> None:
        """Store with a score what it changed in its arm's sums."""
        names = ("a", "k", "o", "seat", "attempt")
        application, kind, ordinal, seat, attempt = (_int(event.payload[name]) for name in names)
        row = self._score_rows[application, kind, ordinal, seat, attempt]
        for delta in event.deltas:
            self._scores.credit(row, delta.numerator, delta.information)

    def _tables(self) -> "tuple[GrowingTable, ...]":
        return (self._given, self._closed, self._out, self._ordinals)

    def _count_pull(self, application: int, kind: int, ordinal: int) -> None:
        self._given.rows[application, kind] += 1
        self._number_pull(application, kind, ordinal)

    def _number_pull(self, application: int, kind: int, ordinal: int) -> None:
        highest = self._ordinals.rows[application, kind]
        self._ordinals.rows[application, kind] = max(highest, ordinal)

    def _bar(self, application: int, reviewer: int) -> None:
        barred = self._barred.get(application, ())
        if reviewer not in barred:
            self._barred[application] = (*barred, reviewer)
            self._barred_list.append(application * PAIR + reviewer)

    def _end_live(self, pull: OpenPull, seat: int, kind: int, *, keeps_load: bool) -> None:
        if seat not in pull.live:
            return
        facts = self.reviewers[pull.end(seat)]
        facts.out -= 1
        if not keeps_load:
            facts.load[kind] -= 1

    def _put_score(self, key: ScoreKey, row: tuple[int, int, int, int]) -> None:
        if key in self._score_rows:
            self._scores.replace(self._score_rows[key], row)
        else:
            self._score_rows[key] = self._scores.append(key, row)


def _roster(payload: Mapping[str, Json]) -> RosterEntry:
    capacity = cast("list[list[int | None]]", payload["capacity"])
    packet = payload["packet"]
    return RosterEntry(
        tie=_int(payload["tie"]),
        capacity={_int(kind): most for kind, most in capacity},
        packet=None if packet is None else _int(packet),
        automatic=bool(payload["automatic"]),
        topics=frozenset(int_column(payload["topics"])),
        unnamed=payload["automatic"] == UNNAMED,
        reserve=bool(payload.get("reserve", 0)),
    )


def _int(value: Json) -> int:
    return cast("int", value)
