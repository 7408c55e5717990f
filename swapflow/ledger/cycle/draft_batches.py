"""Draft saves in batches: saves that arrive during a commit share the next one.

A commit waits for the disk, some milliseconds, and SQLite makes one at a time. When two hundred
people type, their saves would queue for the disk one by one, each with a thread of the server; so
one thread writes all waiting saves. A save is still answered only once it is on the disk, and
fails or succeeds on its own.
"""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update

from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, AssignmentStatus
from swapflow.domain.reviewing.score import Draft
from swapflow.errors import (
    AssignmentClosedError,
    NotFoundError,
    StaleDraftError,
    SwapflowError,
)
from swapflow.ledger.core.batches import Batches
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.statements import insert_ignoring
from swapflow.ledger.schema import ASSIGNMENT, DRAFT


MOST = 100
"""Most saves in one transaction: others wait for the lock meanwhile."""

PAUSE = 0.05
"""Least seconds from one commit to the next: a single save is written at once, and of many
more share a commit, so that reviews, for which the same lock is held, wait less.
"""

_DRAFTED = OPEN_ASSIGNMENT | {AssignmentStatus.EXPIRED}
_STATUS = select(ASSIGNMENT.c.status).where(ASSIGNMENT.c.id == bindparam("assignment"))
_STORED = select(DRAFT).where(DRAFT.c.assignment_id == bindparam("assignment"))
_REPLACE = (
    update(DRAFT)
    .where(
        DRAFT.c.assignment_id == bindparam("assignment"),
        DRAFT.c.version == bindparam("expected"),
        _STATUS.with_only_columns(1)
        .where(ASSIGNMENT.c.status.in_([status.value for status in _DRAFTED]))
        .exists(),
    )
    .values(version=bindparam("new"), body=bindparam("typed"), at=bindparam("now"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Save:
    """One waiting save, with the future of its result."""

    assignment_id: str
    body: dict[str, str]
    expected: int
    told: Future[Draft] = field(default_factory=Future)


class DraftBatches:
    """The saves of one process, written by one thread of its own; safe for threads and forks."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._batches = Batches[_Save](self._commit, name="drafts", most=MOST, pause=PAUSE)

    def save(self, assignment_id: str, body: Mapping[str, str], *, expected: int) -> Future[Draft]:
        """Save one draft; see `SqlReviewerTasks.save_draft_soon`."""
        self._database.check_may_write()
        mine = _Save(assignment_id=assignment_id, body=dict(body), expected=expected)
        mine.told.set_running_or_notify_cancel()  # a browser that disconnects cancels no save
        self._batches.add(mine)
        return mine.told

    def _commit(self, saves: list[_Save]) -> None:
        """Write a batch in one transaction; once it is on the disk, set each result."""
        # In the order of the assignments: two processes that lock the same rows of PostgreSQL in
        # different orders would wait for each other.
        batch = sorted(saves, key=lambda one: one.assignment_id)
        found: list[Draft | SwapflowError] = []
        try:
            with self._database.writing(apart=True) as connection:
                now = self._database.now(connection)
                found += [self._write(connection, one, now=now) for one in batch]
        except Exception as error:  # noqa: BLE001 - nothing was stored: all get the error
            for one in batch:
                one.told.set_exception(error)
            return
        for one, outcome in zip(batch, found, strict=True):
            if isinstance(outcome, Draft):
                one.told.set_result(outcome)
            else:
                one.told.set_exception(outcome)

    def _write(
        self, connection: Connection, one: _Save, *, now: datetime
    ) -> Draft | SwapflowError:
        """Store one draft, or return why not; a refused one changes nothing."""
        name = {"assignment": one.assignment_id}
        version = one.expected + 1
        draft = Draft(assignment_id=one.assignment_id, version=version, body=one.body, at=now)
        values = {"expected": one.expected, "new": version, "typed": one.body, "now": now}
        # Two tabs may save at once on PostgreSQL: each statement changes one row or none.
        if one.expected and connection.execute(_REPLACE, name | values).rowcount:
            return draft
        status = connection.execute(_STATUS, name).scalar_one_or_none()
        if status is None:
            return NotFoundError("assignment_not_found", assignment=one.assignment_id)
        if AssignmentStatus(status) not in _DRAFTED:
            return AssignmentClosedError(one.assignment_id, status)
        if one.expected == 0 and insert_ignoring(connection, DRAFT, [asdict(draft)]):
            return draft
        return self._refused(connection, one)

    def _refused(self, connection: Connection, one: _Save) -> Draft | SwapflowError:
        """Return why nothing was stored: another tab was faster, or it was stored before."""
        row = connection.execute(_STORED, {"assignment": one.assignment_id}).one_or_none()
        if row is None:
            return StaleDraftError(0, {})
        if row.body != one.body:
            return StaleDraftError(row.version, row.body)
        return Draft(
            assignment_id=one.assignment_id, version=row.version, body=row.body, at=row.at
        )
