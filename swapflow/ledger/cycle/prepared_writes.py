"""Decisions that wait for signatures: read, and written under the lock of their cycle."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select
from typing_extensions import override

from swapflow.engine.ports.records import PreparedDecision
from swapflow.engine.ports.writes.cycle import CycleWrites
from swapflow.engine.ports.writes.prepared import PreparedWrites as PreparedWritesPort
from swapflow.ledger.core.cycle_lock import LOCK_CYCLE, CycleLock
from swapflow.ledger.core.statements import insert_ignoring, no_cycle
from swapflow.ledger.schema import PREPARED, PREPARED_SIGNATURE


class PreparedWrites(CycleLock, CycleWrites, PreparedWritesPort):
    """The part of a transaction that prepares, signs and drops decisions."""

    @override
    def prepared(self) -> PreparedDecision | None:
        return read_prepared(self._connection, self._id)

    @override
    def put_prepared(self, new: PreparedDecision, *, signed: Collection[str] = ()) -> None:
        put_prepared(self._connection, self._id, new, at=self._now)
        for name in signed:
            sign_prepared(self._connection, self._id, new.digest, by=name, at=self._now)

    @override
    def sign_prepared(self, digest: str, *, by: str) -> bool:
        return sign_prepared(self._connection, self._id, digest, by=by, at=self._now)

    @override
    def drop_prepared(self) -> bool:
        return drop_prepared(self._connection, self._id)


def lock_cycle(connection: Connection, cycle_id: str) -> None:
    """Take the lock of a cycle's row, so that nothing is prepared while a decision is fixed.

    Raises:
        NotFoundError: If there is no such cycle.
    """
    if connection.execute(LOCK_CYCLE, {"cycle": cycle_id}).first() is None:
        raise no_cycle(cycle_id)


def read_prepared(connection: Connection, cycle_id: str) -> PreparedDecision | None:
    """Read the decision that waits for signatures; None without one."""
    row = connection.execute(select(PREPARED).where(PREPARED.c.cycle_id == cycle_id)).one_or_none()
    if row is None:
        return None
    signed: Sequence[str] = (
        connection.execute(
            select(PREPARED_SIGNATURE.c.by)
            .where(
                PREPARED_SIGNATURE.c.cycle_id == cycle_id,
                PREPARED_SIGNATURE.c.digest == row.digest,
            )
            .order_by(PREPARED_SIGNATURE.c.at, PREPARED_SIGNATURE.c.by)
        )
        .scalars()
        .all()
    )
    return PreparedDecision(
        what=row.what,
        digest=row.digest,
        body=row.body,
        by=row.by,
        at=row.at,
        signed=tuple(signed),
    )


def put_prepared(
    connection: Connection, cycle_id: str, new: PreparedDecision, *, at: datetime
) -> None:
    """Store a decision for signature in place of the one before, whose signatures lapse."""
    drop_prepared(connection, cycle_id)
    connection.execute(
        insert(PREPARED),
        {
            "cycle_id": cycle_id,
            "what": new.what,
            "digest": new.digest,
            "body": dict(new.body),
            "by": new.by,
            "at": at,
        },
    )


def sign_prepared(
    connection: Connection, cycle_id: str, digest: str, *, by: str, at: datetime
) -> bool:
    """Add a signature to the decision with this digest; False when another is prepared."""
    there = connection.execute(
        select(PREPARED.c.digest).where(PREPARED.c.cycle_id == cycle_id)
    ).scalar_one_or_none()
    if there != digest:
        return False
    row = {"cycle_id": cycle_id, "by": by, "digest": digest, "at": at}
    insert_ignoring(connection, PREPARED_SIGNATURE, [row])
    return True


def drop_prepared(connection: Connection, cycle_id: str) -> bool:
    """Withdraw the prepared decision and its signatures; False when there was none."""
    connection.execute(delete(PREPARED_SIGNATURE).where(PREPARED_SIGNATURE.c.cycle_id == cycle_id))
    gone = connection.execute(delete(PREPARED).where(PREPARED.c.cycle_id == cycle_id))
    return bool(gone.rowcount)
