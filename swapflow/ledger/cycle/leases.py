"""A coordinator's lease of a cycle: who may decide in it, until when, under which epoch.

The epoch is checked where a transaction begins, in `ledger/core/cycle_lock.py`.
"""

from collections.abc import Collection
from datetime import timedelta
from itertools import groupby

from sqlalchemy import bindparam, select, update
from typing_extensions import override

from swapflow.domain.cycle import Position
from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.ports.records import CycleHead, CycleHeads, Lease
from swapflow.ledger.core.cycle_lock import LOCK_CYCLE
from swapflow.ledger.core.damaged_rows import UNREADABLE
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.statements import no_cycle
from swapflow.ledger.schema import ASSIGNMENT, CYCLE, WISH
from swapflow.ledger.schema.reviewing import OPEN_ONLY


_SET_LEASE = (
    update(CYCLE)
    .where(CYCLE.c.id == bindparam("cycle"))
    .values(
        lease_holder=bindparam("holder"),
        lease_epoch=bindparam("epoch"),
        lease_until=bindparam("until"),
    )
)

_HEADS = select(
    CYCLE.c.id,
    CYCLE.c.status,
    CYCLE.c.seq,
    CYCLE.c.head_hash,
    CYCLE.c.lease_holder,
    CYCLE.c.lease_until,
    select(ASSIGNMENT.c.id)
    .where(ASSIGNMENT.c.cycle_id == CYCLE.c.id, ASSIGNMENT.c.due_at < bindparam("moment"))
    .where(OPEN_ONLY)
    .exists()
    .label("overdue"),
    select(WISH.c.id)
    .where(WISH.c.cycle_id == CYCLE.c.id, WISH.c.done == "")
    .exists()
    .label("staff_requests"),
)

FURTHEST_LEASE = 10
"""A lease that ends later than this many lengths comes from a clock that was set back."""


class SqlLeases(Coordination):
    """The part of the ledger that grants and releases leases.

    Raises:
        NotFoundError: From any method, if the cycle does not exist.
        UnavailableError: From any method, if the database does not answer.
    """

    _database: Database

    @override
    def take_lease(self, cycle_id: str, *, holder: str, seconds: float) -> Lease | None:
        with self._database.writing() as connection:
            row = connection.execute(LOCK_CYCLE, {"cycle": cycle_id}).one_or_none()
            if row is None:
                raise no_cycle(cycle_id)
            now = self._database.time_in(row, real=True)
            valid = row.lease_until is not None and now < row.lease_until <= now + (
                FURTHEST_LEASE * timedelta(seconds=seconds)
            )
            if valid and row.lease_holder != holder:
                return None
            lease = Lease(
                cycle_id=cycle_id,
                holder=holder,
                # A new epoch refuses every write that an earlier holder still tries; a renewal
                # keeps its own.
                epoch=row.lease_epoch if valid else row.lease_epoch + 1,
                until=now + timedelta(seconds=seconds),
            )
            connection.execute(
                _SET_LEASE,
                {
                    "cycle": cycle_id,
                    "holder": holder,
                    "epoch": lease.epoch,
                    "until": lease.until,
                },
            )
            return lease

    @override
    def renew_leases(self, leases: Collection[Lease], *, seconds: float) -> frozenset[str]:
        renewed = set[str]()
        by_holder = sorted(leases, key=lambda lease: lease.holder)
        with self._database.writing() as connection:
            now = self._database.now(connection, real=True)
            for holder, own in groupby(by_holder, key=lambda lease: lease.holder):
                query = (
                    update(CYCLE)
                    # A lease that ran out may be taken by another at any moment: its holder asks
                    # for it anew, and gets a new epoch.
                    .where(
                        CYCLE.c.id.in_([lease.cycle_id for lease in own]),
                        CYCLE.c.lease_holder == holder,
                        CYCLE.c.lease_until > now,
                    )
                    .values(lease_until=now + timedelta(seconds=seconds))
                    .returning(CYCLE.c.id)
                )
                renewed |= set(connection.execute(query).scalars())
        return frozenset(renewed)

    @override
    def heads(self) -> CycleHeads:
        with self._database.reading() as connection:
            now = self._database.now(connection)
            real = self._database.now(connection, real=True)
            try:
                rows = connection.execute(_HEADS, {"moment": now}).all()
            except UNREADABLE:
                return CycleHeads(now=now, of={})
        return CycleHeads(
            now=now,
            of={
                row.id: CycleHead(
                    status=row.status,
                    position=Position(row.seq, row.head_hash),
                    overdue=bool(row.overdue),
                    staff_requests=bool(row.staff_requests),
                    leader=row.lease_holder if row.lease_until and row.lease_until > real else "",
                )
                for row in rows
            },
        )

    @override
    def release_lease(self, lease: Lease) -> None:
        with self._database.writing() as connection:
            connection.execute(
                # Only the lease that was taken: by now another process may hold the cycle.
                update(CYCLE)
                .where(
                    CYCLE.c.id == lease.cycle_id,
                    CYCLE.c.lease_holder == lease.holder,
                    CYCLE.c.lease_epoch == lease.epoch,
                )
                .values(lease_holder="", lease_until=None)
            )
