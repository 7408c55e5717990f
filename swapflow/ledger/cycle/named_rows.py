"""Writes of rows that a name or a number identifies: persons, topics, groups, notes."""

import hashlib
import re
import secrets
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    Connection,
    Table,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError
from typing_extensions import override

from swapflow.domain.ids import applicant_mail_id, applicant_mails
from swapflow.domain.people.application import (
    HOLD,
    HOLD_ENDS,
)
from swapflow.engine.ports.records import NOT_SENT
from swapflow.engine.ports.writes.cycle import CycleWrites
from swapflow.engine.ports.writes.people import PeopleWrites
from swapflow.errors import InvalidInputError
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.row_mapping import Values
from swapflow.ledger.core.statements import insert_all, rows_in
from swapflow.ledger.cycle.returned_mails import send_anew
from swapflow.ledger.schema import (
    APPLICATION,
    ATTRIBUTE_VALUE,
    MESSAGE,
    NOTE,
    PERSON,
    ROSTER,
    TOPIC,
)


_PERSONS_BY_EMAIL = select(PERSON.c.id, PERSON.c.email, PERSON.c.name).where(
    PERSON.c.email.in_(bindparam("values", expanding=True))
)
_SUBJECT = re.compile(r"^(?:application[: ]|[a-z0-9-]+:)(\d+)(?::|$)")


def erasing_on_hold(connection: Connection, cycle_id: str) -> tuple[str, str] | None:
    """Read who put erasure in a program on hold, and why; None when there is no hold."""
    last = connection.execute(
        select(NOTE.c.subject, NOTE.c.by, NOTE.c.text)
        .where(NOTE.c.cycle_id == cycle_id, NOTE.c.subject.in_((HOLD, HOLD_ENDS)))
        .order_by(NOTE.c.id.desc())
        .limit(1)
    ).one_or_none()
    return None if last is None or last.subject != HOLD else (last.by, last.text)


class NamedRowWrites(CycleLock, CycleWrites, PeopleWrites):
    """Writes of rows that a name or a number identifies; rows that exist are found."""

    @override
    def topic_number(self, topic: str) -> int:
        return self._numbered(TOPIC, {"cycle_id": self._id}, "name", topic)

    @override
    def group_number(self, attribute: str, value: str) -> int:
        within = {"cycle_id": self._id, "attribute": attribute}
        return self._numbered(ATTRIBUTE_VALUE, within, "value", value)

    @override
    def note(self, *, subject: str, by: str, text: str) -> str:
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

    @override
    def hold(self) -> tuple[str, str] | None:
        return erasing_on_hold(self._connection, self._id)

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

    def _link_person(self, people: Table, number: int, name: str, email: str) -> None:
        """Link an application or a roster entry to another person; delete an unused former one.

        Not an update in place: the same person may be named by another cycle, whose list still
        has the old name. Mails that have not left follow the address.
        """
        place = {"cycle_id": self._id, "number": number}
        before = self._connection.execute(
            select(PERSON.c.id, PERSON.c.email).where(
                PERSON.c.id == select(people.c.person_id).filter_by(**place).scalar_subquery()
            )
        ).one_or_none()
        (person,) = self._persons([(name, email)])
        self._connection.execute(update(people).filter_by(**place).values(person_id=person))
        if before is None:
            return
        used = (
            select(table.c.person_id).where(table.c.person_id == before.id)
            for table in (APPLICATION, ROSTER)
        )
        self._connection.execute(
            delete(PERSON).where(
                PERSON.c.id == before.id, *(PERSON.c.id.not_in(query) for query in used)
            )
        )
        if before.email and email and before.email != email:
            self._readdress(before.email, email, applicant=number if people is APPLICATION else -1)

    def _readdress(self, before: str, after: str, *, applicant: int) -> None:
        """Send what waits for an address, is held, or was refused there, to another one.

        Letters go to applicants, all other mails of a cycle to reviewers and staff. Of two
        applicants with one address, the letters of the one who moved go along; -1 for a reviewer.
        """
        letters = MESSAGE.c.id.like(f"{self._id}:letter:%")
        own = MESSAGE.c.id.like(f"{self._id}:letter:%:{applicant}")
        at_former = (MESSAGE.c.cycle_id == self._id, func.lower(MESSAGE.c.to) == before.lower())
        self._connection.execute(
            update(MESSAGE)
            .where(
                *at_former,
                MESSAGE.c.state.in_(("queued", "held", "failed", NOT_SENT)),
                ~letters if applicant < 0 else own,
            )
            .values(to=after)
        )
        # A correction is what a mail that came back waits for: it goes out once more by itself.
        dates = MESSAGE.c.id.startswith(applicant_mail_id(self._id, applicant), autoescape=True)
        theirs = MESSAGE.c.id.startswith(applicant_mails(self._id), autoescape=True)
        mine = ~or_(letters, theirs) if applicant < 0 else or_(own, dates)
        send_anew(self._connection, and_(*at_former, mine), to=after)

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
                "external_ids_twice", cycle=self._id, what=what, names=sorted(taken)[:5]
            )
        # Checked above for the sake of the message; the constraint decides when two import at the
        # same moment.
        try:
            insert_all(self._connection, table, rows)
        except IntegrityError as error:
            raise InvalidInputError("people_not_stored", what=what, cycle=self._id) from error

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
