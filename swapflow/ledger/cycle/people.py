"""Writes of applications and the roster; `privacy.erasure` erases people."""

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import delete, select, update
from typing_extensions import override

from swapflow.domain.people.application import (
    Application,
    ApplicationStatus,
    NewApplication,
)
from swapflow.domain.people.reviewer import Absence, NewReviewer, Reviewer
from swapflow.engine.ports.writes.people import PeopleWrites as PeopleWritesPort
from swapflow.errors import NotFoundError
from swapflow.ledger.core import queries
from swapflow.ledger.core.row_mapping import Values, signed
from swapflow.ledger.core.statements import insert_all, insert_ignoring
from swapflow.ledger.cycle.named_rows import NamedRowWrites
from swapflow.ledger.schema import (
    APPLICATION,
    CONFLICT,
    DOCUMENT,
    EXPERTISE,
    MONITORING_ATTRIBUTE,
    OPENED,
    PANEL,
    ROSTER,
    ROSTER_ABSENCE,
    SELECTION_ATTRIBUTE,
)


class PeopleWrites(NamedRowWrites, PeopleWritesPort):
    """The part of a transaction that writes people."""

    @override
    def add_applications(
        self, new: Sequence[NewApplication], ties: Sequence[int], *, wave: int
    ) -> tuple[Application, ...]:
        start = self._next_number(APPLICATION.c.number)
        numbers = range(start, start + len(new))
        persons = self._persons([(a.name, a.email) for a in new])
        rows = [
            {
                "cycle_id": self._id,
                "number": number,
                "external_id": a.external_id,
                "person_id": person,
                "status": (
                    ApplicationStatus.INCOMPLETE if a.ready is False else ApplicationStatus.READY
                ).value,
                "wave": wave,
                "tie": signed(tie),
                "topic": None,
                "merged_into": None,
                "fields": dict(a.fields),
                "created_at": self._now,
            }
            for number, a, tie, person in zip(numbers, new, ties, persons, strict=True)
        ]
        self._insert_unique(APPLICATION, rows, "an applicant")
        self._add_details(numbers, new)
        return self.applications(numbers)

    def _add_details(self, numbers: Sequence[int], new: Sequence[NewApplication]) -> None:
        keys = [{"cycle_id": self._id, "application": number} for number in numbers]
        pairs = list(zip(keys, new, strict=True))
        insert_all(
            self._connection,
            SELECTION_ATTRIBUTE,
            [k | {"name": n, "value": v} for k, a in pairs for n, v in a.selection.items()],
        )
        insert_all(
            self._connection,
            MONITORING_ATTRIBUTE,
            [k | {"name": n, "value": v} for k, a in pairs for n, v in a.monitor.items()],
        )
        insert_all(
            self._connection,
            DOCUMENT,
            [
                k | {"position": i, "version": 1, "name": n, "link": link, "redacted": redacted}
                for k, a in pairs
                for i, (n, link, redacted) in enumerate(a.documents)
            ],
        )

    @override
    def applications(self, numbers: Collection[int] | None = None) -> tuple[Application, ...]:
        return queries.applications(self._connection, self._id, numbers)

    @override
    def move_application(
        self, number: int, status: ApplicationStatus, *, by: str, reason: str
    ) -> None:
        self._change_application(number, {"status": status.value})
        if reason:
            self.note(subject=f"application:{number}", by=by, text=reason)

    def _change_application(self, number: int, values: Values) -> None:
        moved = self._connection.execute(
            update(APPLICATION)
            .where(APPLICATION.c.cycle_id == self._id, APPLICATION.c.number == number)
            .values(values)
        ).rowcount
        if not moved:
            raise NotFoundError("application_number_not_in_cycle", cycle=self._id, number=number)

    @override
    def add_reviewers(self, new: Sequence[NewReviewer]) -> tuple[Reviewer, ...]:
        start = self._next_number(ROSTER.c.number)
        persons = self._persons([(r.name, r.email) for r in new])
        rows = [
            {
                "cycle_id": self._id,
                "number": number,
                "external_id": r.external_id,
                "person_id": person,
                "panel": r.group,
                "capacity": dict(r.capacity),
                "packet": r.packet,
                "automatic": r.automatic,
                "active": True,
                "share": 1.0,
                "reserve": r.reserve,
            }
            for number, (r, person) in enumerate(zip(new, persons, strict=True), start)
        ]
        self._insert_unique(ROSTER, rows, "a reviewer")
        for number, reviewer in enumerate(new, start):
            self._set_topics(number, reviewer.topics)
            self._set_absences(number, reviewer.absences)
        # Numbers are never reused, so the new rows are the tail of the roster.
        return self.reviewers()[start:]

    @override
    def reviewers(self) -> tuple[Reviewer, ...]:
        return queries.reviewers(self._connection, self._id)

    @override
    def change_reviewer(self, reviewer: Reviewer) -> None:
        moved = self._connection.execute(
            update(ROSTER)
            .where(ROSTER.c.cycle_id == self._id, ROSTER.c.number == reviewer.number)
            .values(
                panel=reviewer.group,
                capacity=dict(reviewer.capacity),
                packet=reviewer.packet,
                automatic=reviewer.automatic,
                active=reviewer.active,
                reserve=reviewer.reserve,
            )
        ).rowcount
        if not moved:
            raise NotFoundError(
                "reviewer_number_not_in_roster", cycle=self._id, number=reviewer.number
            )
        named = queries.reviewers(self._connection, self._id, reviewer.number)[0]
        if (named.name, named.email) != (reviewer.name, reviewer.email):
            self._link_person(ROSTER, reviewer.number, reviewer.name, reviewer.email)
        for table in (EXPERTISE, ROSTER_ABSENCE):
            self._connection.execute(
                delete(table).where(
                    table.c.cycle_id == self._id, table.c.reviewer == reviewer.number
                )
            )
        self._set_topics(reviewer.number, reviewer.topics)
        self._set_absences(reviewer.number, reviewer.absences)

    @override
    def add_absence(self, reviewer: int, absence: Absence) -> None:
        self._set_absences(reviewer, (absence,))

    @override
    def add_conflicts(self, pairs: Iterable[tuple[int, int]], *, source: str) -> int:
        rows = [
            {"cycle_id": self._id, "application": a, "reviewer": r, "source": source}
            for a, r in pairs
        ]
        return insert_ignoring(self._connection, CONFLICT, rows)

    @override
    def conflicts(self) -> frozenset[tuple[int, int]]:
        query = select(CONFLICT.c.application, CONFLICT.c.reviewer).filter_by(cycle_id=self._id)
        return frozenset(
            (row.application, row.reviewer) for row in self._connection.execute(query)
        )

    @override
    def remove_conflict(self, application: int, reviewer: int) -> None:
        self._connection.execute(
            delete(CONFLICT).filter_by(
                cycle_id=self._id, application=application, reviewer=reviewer
            )
        )

    @override
    def add_opened(self, application: int, reviewer: int) -> bool:
        row = {"cycle_id": self._id, "application": application, "reviewer": reviewer}
        return insert_ignoring(self._connection, OPENED, [row]) > 0

    @override
    def opened_pairs(self) -> frozenset[tuple[int, int]]:
        query = select(OPENED.c.application, OPENED.c.reviewer).filter_by(cycle_id=self._id)
        return frozenset(
            (row.application, row.reviewer) for row in self._connection.execute(query)
        )

    @override
    def set_panel(self, pairs: Iterable[tuple[int, int]]) -> None:
        rows = [{"cycle_id": self._id, "application": a, "reviewer": r} for a, r in pairs]
        for number in sorted({row["application"] for row in rows}):  # type: ignore[type-var]  # ints
            self._connection.execute(
                delete(PANEL).where(PANEL.c.cycle_id == self._id, PANEL.c.application == number)
            )
        insert_ignoring(self._connection, PANEL, rows)

    def _set_topics(self, reviewer: int, topics: Sequence[str]) -> None:
        rows = [
            {
                "cycle_id": self._id,
                "reviewer": reviewer,
                "topic": self.topic_number(topic),
                "position": position,
            }
            for position, topic in enumerate(dict.fromkeys(topics))
        ]
        insert_all(self._connection, EXPERTISE, rows)

    def _set_absences(self, reviewer: int, absences: Sequence[Absence]) -> None:
        rows = [
            {
                "cycle_id": self._id,
                "reviewer": reviewer,
                "first": absence.first.isoformat(),
                "last": absence.last.isoformat(),
            }
            for absence in absences
        ]
        insert_ignoring(self._connection, ROSTER_ABSENCE, rows)
