"""Writes of applications and the roster; `privacy.erasure` erases people."""

import hashlib
import re
import secrets
from collections.abc import Collection, Iterable, Sequence
from typing import Any
from uuid import uuid4

from sqlalchemy import Table, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from swapflow.domain.people.application import (
    HOLD,
    HOLD_ENDS,
    Application,
    ApplicationStatus,
    NewApplication,
)
from swapflow.domain.people.reviewer import Absence, NewReviewer, Reviewer
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.ledger.core import queries
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.row_mapping import Values, signed
from swapflow.ledger.core.statements import insert_all, insert_ignoring, rows_in
from swapflow.ledger.schema import (
    APPLICATION,
    ATTRIBUTE_VALUE,
    CONFLICT,
    DOCUMENT,
    EXPERTISE,
    MONITORING_ATTRIBUTE,
    NOTE,
    PANEL,
    PERSON,
    ROSTER,
    ROSTER_ABSENCE,
    SELECTION_ATTRIBUTE,
    TOPIC,
)


_SUBJECT = re.compile(r"^(?:application[: ]|[a-z0-9-]+:)(\d+)(?::|$)")
_PERSONS_BY_EMAIL = select(PERSON.c.id, PERSON.c.email, PERSON.c.name).where(
    PERSON.c.email.in_(bindparam("values", expanding=True))
)


class PeopleWrites(CycleLock):
    """The part of a transaction that writes people."""

    def add_applications(
        self, new: Sequence[NewApplication], ties: Sequence[int], *, wave: int
    ) -> tuple[Application, ...]:
        """Insert applications with the next free numbers, in the order given.

        Raises:
            InvalidInputError: If an external id exists in the cycle already.
        """
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

    def applications(self, numbers: Collection[int] | None = None) -> tuple[Application, ...]:
        """Read applications, all or those named, in the order of their numbers."""
        return queries.applications(self._connection, self._id, numbers)

    def move_application(
        self, number: int, status: ApplicationStatus, *, by: str, reason: str
    ) -> None:
        """Set an application's status; store the reason in an erasable row.

        Raises:
            NotFoundError: If the cycle has no such application.
        """
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
            raise NotFoundError(f"cycle {self._id} has no application {number}")

    def add_reviewers(self, new: Sequence[NewReviewer]) -> tuple[Reviewer, ...]:
        """Insert roster entries with the next free numbers, in the order given.

        Raises:
            InvalidInputError: If an external id exists in the roster already.
        """
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

    def reviewers(self) -> tuple[Reviewer, ...]:
        """Read the roster, in the order of the numbers."""
        return queries.reviewers(self._connection, self._id)

    def change_reviewer(self, reviewer: Reviewer) -> None:
        """Replace a roster entry's capacity, packet, topics, absences and activity.

        Raises:
            NotFoundError: If the roster has no such number.
        """
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
            raise NotFoundError(f"the roster of {self._id} has no reviewer {reviewer.number}")
        for table in (EXPERTISE, ROSTER_ABSENCE):
            self._connection.execute(
                delete(table).where(
                    table.c.cycle_id == self._id, table.c.reviewer == reviewer.number
                )
            )
        self._set_topics(reviewer.number, reviewer.topics)
        self._set_absences(reviewer.number, reviewer.absences)

    def add_absence(self, reviewer: int, absence: Absence) -> None:
        """Add days on which a reviewer gets no new requests."""
        self._set_absences(reviewer, (absence,))

    def add_conflicts(self, pairs: Iterable[tuple[int, int]], *, source: str) -> int:
        """Store (application, reviewer) conflicts; return how many were new."""
        rows = [
            {"cycle_id": self._id, "application": a, "reviewer": r, "source": source}
            for a, r in pairs
        ]
        return insert_ignoring(self._connection, CONFLICT, rows)

    def set_panel(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Restrict applications to the reviewers named: (application, reviewer) pairs.

        The earlier panel of an application named here is replaced; others stay.
        """
        rows = [{"cycle_id": self._id, "application": a, "reviewer": r} for a, r in pairs]
        for number in sorted({row["application"] for row in rows}):  # type: ignore[type-var]  # ints
            self._connection.execute(
                delete(PANEL).where(PANEL.c.cycle_id == self._id, PANEL.c.application == number)
            )
        insert_ignoring(self._connection, PANEL, rows)

    def topic_number(self, topic: str) -> int:
        """Return the number of a topic in this cycle; a new topic gets a new one."""
        return self._numbered(TOPIC, {"cycle_id": self._id}, "name", topic)

    def group_number(self, attribute: str, value: str) -> int:
        """Return the number of an attribute's value in this cycle; a new value gets a new one."""
        within = {"cycle_id": self._id, "attribute": attribute}
        return self._numbered(ATTRIBUTE_VALUE, within, "value", value)

    def note(self, *, subject: str, by: str, text: str) -> str:
        """Store a free-text reason in an erasable row; gives its salted digest.

        A subject `application:NUMBER`, or a pull's or assignment's id, ties the note to that
        application, with which it is erased.
        """
        # Without the salt, a short reason could be found again by hashing guesses after its
        # erasure.
        salt = secrets.token_hex(16)
        digest = hashlib.sha256((salt + text).encode()).hexdigest()
        about = _SUBJECT.match(subject)
        self._connection.execute(
            insert(NOTE),
            {
                "cycle_id": self._id,
                "application": int(about.group(1)) if about else None,
                "subject": subject,
                "by": by,
                "text": text,
                "salt": salt,
                "digest": digest,
                "at": self._now,
            },
        )
        return digest

    def hold(self) -> tuple[str, str] | None:
        """Read who put erasure on hold, and why; None when there is no hold."""
        last = self._connection.execute(
            select(NOTE.c.subject, NOTE.c.by, NOTE.c.text)
            .where(NOTE.c.cycle_id == self._id, NOTE.c.subject.in_((HOLD, HOLD_ENDS)))
            .order_by(NOTE.c.id.desc())
            .limit(1)
        ).one_or_none()
        return None if last is None or last.subject != HOLD else (last.by, last.text)

    def _persons(self, known_as: Sequence[tuple[str, str]]) -> list[str]:
        """Find each (name, email) among the office's people, adding new ones.

        A person without an address cannot be recognised again and is always new.
        """
        emails = {email for _, email in known_as if email}
        people = {
            (row.name, row.email): str(row.id)
            for row in rows_in(self._connection, _PERSONS_BY_EMAIL, sorted(emails))
        }
        ids, rows = [], []
        for name, email in known_as:
            person = people.get((name, email))
            if person is None:
                person = uuid4().hex
                rows.append({"id": person, "name": name, "email": email})
                if email:
                    people[name, email] = person
            ids.append(person)
        insert_all(self._connection, PERSON, rows)
        return ids

    def _insert_unique(self, table: Table, rows: list[Values], what: str) -> None:
        """Insert rows with an external id; raise for one that is taken."""
        ids = [row["external_id"] for row in rows]
        twice = sorted({one for one in ids if ids.count(one) > 1}) if _has_twins(ids) else []
        taken = twice or [
            row.external_id
            for row in rows_in(
                self._connection,
                select(table.c.external_id).where(
                    table.c.cycle_id == self._id,
                    table.c.external_id.in_(bindparam("values", expanding=True)),
                ),
                ids,
            )
        ]
        if taken:
            raise InvalidInputError(
                f"cycle {self._id} would have {what} twice: {', '.join(sorted(taken)[:5])}; "
                "external ids are unique in a cycle"
            )
        # Checked above for the sake of the message; the constraint decides when two import at
        # once.
        try:
            insert_all(self._connection, table, rows)
        except IntegrityError as error:
            raise InvalidInputError(f"{what} of cycle {self._id} cannot be stored") from error

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

    def _numbered(self, table: Table, within: Values, column: str, word: str) -> int:
        """Look up a word's number in its list, which is read once; or add it."""
        key = (table.name, *within.values())
        known = self._numbers.get(key)
        if known is None:
            query = select(table.c[column], table.c.number).filter_by(**within)
            known = {row[0]: row[1] for row in self._connection.execute(query)}
            self._numbers[key] = known
        if word not in known:
            known[word] = len(known)
            self._connection.execute(
                insert(table), {**within, column: word, "number": known[word]}
            )
        return known[word]


def _has_twins(values: Sequence[Any]) -> bool:
    return len(set(values)) < len(values)
