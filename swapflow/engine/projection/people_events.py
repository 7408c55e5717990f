"""The events of applications and reviewers: who is a candidate, who may judge whom."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntFlag
from typing import cast

import numpy as np
from numpy.typing import NDArray

from swapflow.bandit.ties import tie_key
from swapflow.domain.event import Json
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.group_numbers import VALUES, attribute_number
from swapflow.engine.projection.roster_facts import RosterEntry
from swapflow.engine.projection.score_table import (
    Integers,
    int_column,
    int_of,
    table_rows,
)


UNNAMED = 2
"""`automatic` of a program that answers for people whose names are not on record."""

NO_VALUE = -1
"""The value of a selection attribute of an application that has none."""

PAIR = 1 << 24
"""An (application, reviewer) pair is kept as one integer: application times this plus reviewer."""


class Cause(IntFlag):
    """What bars a reviewer from an applicant, whatever becomes of their request."""

    ASKED = 1
    CONFLICT = 2
    UNQUALIFIED = 4
    REVIEW = 8
    OPENED = 16


class PeopleProjection:
    """Applications and reviewers by their numbers, from the events about them.

    Attributes:
        statuses, ties, groups: One entry per application.
        stored_ties: The ties that stand in the rows of the applications; `ties` differ from them
            where the launch drew the seed.
        pins: Applications that staff pinned in or out of the list.
        topics: Topics of the applications that have some.
        reviewers: One entry per reviewer.
        panels: Reviewers to whom an application is restricted.
        asked_before: Reviewers of an application whose request ended without a review, and who may
            be asked again, after others.
    """

    def __init__(self) -> None:
        self.statuses: list[ApplicationStatus] = []
        self._candidate = bytearray()
        self._ready = bytearray()
        self.ties = array("q")
        self.stored_ties = array("q")
        self.groups = array("q")
        self._values: dict[int, array[int]] = {}
        self.pins: dict[int, int] = {}
        self.topics: dict[int, frozenset[int]] = {}
        self.reviewers: list[RosterEntry] = []
        self._barred: dict[int, tuple[int, ...]] = {}
        self._barred_list = array("q")
        self._barred_at: dict[int, int] = {}
        self._for_good: dict[int, Cause] = {}
        self.asked_before: dict[int, set[int]] = {}
        self._busy: dict[int, set[int]] = {}
        self.panels: dict[int, set[int]] = {}
        self._panel_list = array("q")

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
        # Copied: while an array shares its memory, a bytearray cannot grow.
        return np.flatnonzero(np.frombuffer(bytes(self._candidate), dtype=np.uint8))

    def ready(self) -> NDArray[np.bool_]:
        """Return whether each application may get new pulls, shape (n,)."""
        return np.frombuffer(bytes(self._ready), dtype=np.bool_)

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

    def rekey(self, seed: int) -> None:
        """Derive everybody's tie from a seed drawn after they came, and the tie stored then."""
        self.ties = array("q", (tie_key(seed, f"tie/{tie}") >> 1 for tie in self.stored_ties))

    def _application_added(self, payload: Mapping[str, Json]) -> None:
        self.statuses.append(ApplicationStatus.INCOMPLETE)
        self._candidate.append(0)
        self._ready.append(0)
        self._move(int_of(payload["a"]), ApplicationStatus(str(payload["status"])))
        self.ties.append(int_of(payload["tie"]))
        self.stored_ties.append(int_of(payload["tie"]))
        self.groups.append(int_of(payload["group"]))
        self._belong(int_of(payload["a"]), int_column(payload.get("in", [])))
        topics = frozenset(int_column(payload["topics"]))
        if topics:
            self.topics[int_of(payload["a"])] = topics

    def _application_changed(self, payload: Mapping[str, Json]) -> None:
        number = int_of(payload["a"])
        self.groups[number] = int_of(payload["group"])
        self._belong(number, int_column(payload.get("in", [])))
        self.topics.pop(number, None)
        topics = frozenset(int_column(payload["topics"]))
        if topics:
            self.topics[number] = topics

    def _application_moved(self, payload: Mapping[str, Json]) -> None:
        self._move(int_of(payload["a"]), ApplicationStatus(str(payload["status"])))

    def _application_pinned(self, payload: Mapping[str, Json]) -> None:
        number, pin = int_of(payload["a"]), int_of(payload["pin"])
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
        self._move(int_of(payload["a"]), ApplicationStatus.MERGED)

    def _reviewer_added(self, payload: Mapping[str, Json]) -> None:
        self.reviewers.append(_roster(payload))

    def _reviewer_changed(self, payload: Mapping[str, Json]) -> None:
        number = int_of(payload["r"])
        before, after = self.reviewers[number], _roster(payload)
        # Open work and absences have events of their own; a roster's row does not change them.
        after.load, after.out, after.away = before.load, before.out, before.away
        after.active = before.active
        self.reviewers[number] = after

    def _reviewer_away(self, payload: Mapping[str, Json]) -> None:
        number = int_of(payload["r"])
        self.reviewers[number].away = bool(payload["away"])
        if not payload["away"]:
            # Who was busy until a day is asked again after it.
            for application in sorted(self._busy.pop(number, ())):
                self._free(application, number)

    def _reviewer_left(self, payload: Mapping[str, Json]) -> None:
        self.reviewers[int_of(payload["r"])].active = False

    def _reviewer_returned(self, payload: Mapping[str, Json]) -> None:
        self.reviewers[int_of(payload["r"])].active = True

    def _conflicts_added(self, payload: Mapping[str, Json]) -> None:
        for application, reviewer in table_rows(payload["pairs"]):
            self._bar_for_good(application, reviewer, Cause.CONFLICT)

    def _conflict_removed(self, payload: Mapping[str, Json]) -> None:
        self._lift(int_of(payload["a"]), int_of(payload["r"]), Cause.CONFLICT)

    def _bar_lifted(self, payload: Mapping[str, Json]) -> None:
        self._lift(int_of(payload["a"]), int_of(payload["r"]), Cause.REVIEW)

    def _applicant_opened(self, payload: Mapping[str, Json]) -> None:
        self._bar_for_good(int_of(payload["a"]), int_of(payload["r"]), Cause.OPENED)

    def _conflict_waived(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: the pair stays barred, and its scores count as before."""

    def _panel_set(self, payload: Mapping[str, Json]) -> None:
        pairs = table_rows(payload["pairs"])
        if payload.get("replaces"):
            again = {application for application, _ in pairs} & self.panels.keys()
            for application in again:
                del self.panels[application]
            if again:
                kept = [pair for pair in self._panel_list if pair // PAIR not in again]
                self._panel_list = array("q", kept)
        for application, reviewer in pairs:
            panel = self.panels.setdefault(application, set())
            if reviewer not in panel:
                panel.add(reviewer)
                self._panel_list.append(application * PAIR + reviewer)

    def _move(self, application: int, status: ApplicationStatus) -> None:
        self.statuses[application] = status
        self._candidate[application] = status.is_candidate
        self._ready[application] = status is ApplicationStatus.READY

    def _bar(self, application: int, reviewer: int) -> None:
        barred = self._barred.get(application, ())
        if reviewer not in barred:
            self._barred[application] = (*barred, reviewer)
            pair = application * PAIR + reviewer
            if self._barred_at:
                self._barred_at[pair] = len(self._barred_list)
            self._barred_list.append(pair)

    def _bar_for_good(self, application: int, reviewer: int, cause: Cause) -> None:
        """Bar a reviewer whatever becomes of their request."""
        self._bar(application, reviewer)
        pair = application * PAIR + reviewer
        self._for_good[pair] = self._for_good.get(pair, cause) | cause

    def _lift(self, application: int, reviewer: int, cause: Cause) -> None:
        """End one cause of a bar; the last one frees the reviewer to be asked, after others."""
        pair = application * PAIR + reviewer
        left = self._for_good.pop(pair, Cause(0)) & ~cause
        if left:
            self._for_good[pair] = left
        else:
            self._free(application, reviewer)

    def _free(self, application: int, reviewer: int, *, last: bool = True) -> None:
        """Free a reviewer to be asked again, after others, unless something bars them for good."""
        pair = application * PAIR + reviewer
        barred = self._barred.get(application, ())
        if pair in self._for_good or reviewer not in barred:
            return
        self._barred[application] = tuple(other for other in barred if other != reviewer)
        # Built when the first pair is freed: in most programs of this size few ever are.
        if not self._barred_at:
            self._barred_at = {known: at for at, known in enumerate(self._barred_list)}
        at, moved = self._barred_at.pop(pair), self._barred_list.pop()
        if moved != pair:
            self._barred_list[at] = moved
            self._barred_at[moved] = at
        if last:
            self.asked_before.setdefault(application, set()).add(reviewer)


def _roster(payload: Mapping[str, Json]) -> RosterEntry:
    capacity = cast("list[list[int | None]]", payload["capacity"])
    packet = payload["packet"]
    return RosterEntry(
        tie=int_of(payload["tie"]),
        capacity={int_of(kind): most for kind, most in capacity},
        packet=None if packet is None else int_of(packet),
        automatic=bool(payload["automatic"]),
        topics=frozenset(int_column(payload["topics"])),
        unnamed=payload["automatic"] == UNNAMED,
        reserve=bool(payload.get("reserve", 0)),
    )
