"""Saving drafts: whoever saves while another commit is under way shares the next one.

A commit waits for the disk, some milliseconds, and SQLite makes one at a time. When two hundred
people type, their saves would queue for the disk one by one; so the first in the queue takes
along everything that waits. Each save still returns only once it is on the disk, and is refused
or not by itself.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection, bindparam, select, update

from swapflow.domain.assignment import OPEN_ASSIGNMENT, AssignmentStatus
from swapflow.domain.score import Draft
from swapflow.errors import (
    AssignmentClosedError,
    NotFoundError,
    StaleDraftError,
    SwapflowError,
    UnavailableError,
)
from swapflow.ledger.database import Database
from swapflow.ledger.statements import insert_ignoring
from swapflow.ledger.tables import ASSIGNMENT, DRAFT


MOST = 100
"""Saves in one transaction, at most: others wait for the lock meanwhile."""

_DRAFTED = OPEN_ASSIGNMENT | {AssignmentStatus.EXPIRED}
_STATUS = select(ASSIGNMENT.c.status).where(ASSIGNMENT.c.id == bindparam("assignment"))
_STORED = select(DRAFT).where(DRAFT.c.assignment_id == bindparam("assignment"))
_REPLACE = (
    update(DRAFT)
    .where(
        DRAFT.c.assignment_id == bindparam("assignment"),
        DRAFT.c.version == bindparam("expected"),
    )
    .values(version=bindparam("new"), body=bindparam("typed"), at=bindparam("now"))
)


@dataclass(slots=True)
class _Save:
    """One save that waits, and what became of it."""

    assignment_id: str
    body: dict[str, str]
    expected: int
    saved: Draft | None = None
    error: Exception | None = None
    called: threading.Event = field(default_factory=threading.Event)

    @property
    def is_done(self) -> bool:
        return self.saved is not None or self.error is not None

    def result(self) -> Draft:
        if self.error is not None:
            raise self.error
        assert self.saved is not None
        return self.saved


class DraftSaves:
    """The saves of one process; safe for threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._mutex = threading.Lock()
        self._waiting: list[_Save] = []
        self._writing = False

    def save(self, assignment_id: str, body: Mapping[str, str], *, expected: int) -> Draft:
        """Save one draft; see `Desk.save_draft`."""
        mine = _Save(assignment_id=assignment_id, body=dict(body), expected=expected)
        with self._mutex:
            self._waiting.append(mine)
            leads, self._writing = not self._writing, True
        if not leads:
            mine.called.wait()
        if not mine.is_done:
            try:
                self._commit(self._next())
            finally:
                self._pass_on()
        return mine.result()

    def _pass_on(self) -> None:
        """Let whoever came meanwhile and waits longest write for all of those."""
        with self._mutex:
            self._writing = bool(self._waiting)
            if self._waiting:
                self._waiting[0].called.set()

    def _next(self) -> list[_Save]:
        """Take who has waited longest.

        In the order of the assignments: two processes that lock the same rows of PostgreSQL in
        different orders would wait for each other.
        """
        with self._mutex:
            batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        return sorted(batch, key=lambda one: one.assignment_id)

    def _commit(self, batch: list[_Save]) -> None:
        """Write a batch in one transaction; each save learns what became of it.

        All are called at once: one who has to wait for the other's call would wait for Python's
        own lock as often as there are saves.
        """
        found: list[Draft | SwapflowError] = []
        try:
            with self._database.writing() as connection:
                found += [self._write(connection, one) for one in batch]
        except BaseException as error:
            # Nothing of it is stored. Others must not be told of an interrupt of this thread.
            told = error if isinstance(error, Exception) else UnavailableError("interrupted")
            for one in batch:
                one.error = told
                one.called.set()
            if told is not error:
                raise
            return
        for one, outcome in zip(batch, found, strict=True):
            if isinstance(outcome, Draft):
                one.saved = outcome
            else:
                one.error = outcome
            one.called.set()

    def _write(self, connection: Connection, one: _Save) -> Draft | SwapflowError:
        """Store one draft, or say why not; what is refused has changed nothing."""
        name = {"assignment": one.assignment_id}
        status = connection.execute(_STATUS, name).scalar_one_or_none()
        if status is None:
            return NotFoundError(f"there is no assignment {one.assignment_id!r}")
        if AssignmentStatus(status) not in _DRAFTED:
            return AssignmentClosedError(one.assignment_id, status)
        version, now = one.expected + 1, self._database.now(connection)
        # Two tabs may be here at once on PostgreSQL: each statement moves one row or none.
        if one.expected == 0:
            row = {
                "assignment_id": one.assignment_id,
                "version": version,
                "body": one.body,
                "at": now,
            }
            moved = insert_ignoring(connection, DRAFT, [row])
        else:
            values = {"expected": one.expected, "new": version, "typed": one.body, "now": now}
            moved = connection.execute(_REPLACE, name | values).rowcount
        if moved:
            return Draft(assignment_id=one.assignment_id, version=version, body=one.body, at=now)
        return self._refused(connection, one)

    def _refused(self, connection: Connection, one: _Save) -> Draft | SwapflowError:
        """Find out why nothing was stored: another tab was faster, or it was stored before."""
        row = connection.execute(_STORED, {"assignment": one.assignment_id}).one_or_none()
        if row is None:
            return StaleDraftError(0, {})
        if row.body != one.body:
            return StaleDraftError(row.version, row.body)
        return Draft(
            assignment_id=one.assignment_id, version=row.version, body=row.body, at=row.at
        )
