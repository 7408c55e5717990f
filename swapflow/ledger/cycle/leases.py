"""A coordinator's lease of a cycle: who may decide in it, until when, under which epoch.

The epoch is checked where a transaction begins, in `ledger/core/cycle_lock.py`.
"""

from collections.abc import Collection
from datetime import timedelta
from itertools import groupby

from sqlalchemy import bindparam, delete, insert, select, update
from typing_extensions import override

from swapflow.domain.cycle import Position
from swapflow.engine.ports.coordination import Coordination, CycleHead, CycleHeads, Rest
from swapflow.engine.ports.records import Lease
from swapflow.ledger.core.cycle_lock import LOCK_CYCLE
from swapflow.ledger.core.damaged_rows import UNREADABLE
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.statements import no_cycle
from swapflow.ledger.schema import ASSIGNMENT, COORDINATOR, CYCLE, WISH
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
    CYCLE.c.rest_seq,
    CYCLE.c.rest_until,
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

# A row that another holds is passed over: two that wait for each other's rows would never end.
_NOTE_REST = (
    update(CYCLE)
    .where(
        CYCLE.c.id.in_(
            select(CYCLE.c.id)
            .where(
                CYCLE.c.id == bindparam("cycle"),
                CYCLE.c.lease_holder == bindparam("holder"),
                CYCLE.c.lease_epoch == bindparam("epoch"),
                CYCLE.c.seq == bindparam("at"),
            )
            .with_for_update(skip_locked=True)
        )
    )
    .values(rest_seq=bindparam("at"), rest_until=bindparam("until"))
)

_COORDINATORS = select(COORDINATOR.c.holder).where(
    COORDINATOR.c.until > bindparam("moment"), COORDINATOR.c.until <= bindparam("furthest")
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
    def renew_leases(
        self, leases: Collection[Lease], *, seconds: float, wait: bool = True
    ) -> frozenset[str]:
        renewed = set[str]()
        by_holder = sorted(leases, key=lambda lease: lease.holder)
        with self._database.writing() as connection:
            now = self._database.now(connection, real=True)
            for holder, own in groupby(by_holder, key=lambda lease: lease.holder):
                held = (
                    select(CYCLE.c.id)
                    # A lease that ran out may be taken by another at any moment: its holder asks
                    # for it anew, and gets a new epoch.
                    .where(
                        CYCLE.c.id.in_([lease.cycle_id for lease in own]),
                        CYCLE.c.lease_holder == holder,
                        CYCLE.c.lease_until > now,
                    )
                    .with_for_update(skip_locked=not wait)
                )
                query = (
                    update(CYCLE)
                    .where(CYCLE.c.id.in_(held))
                    .values(lease_until=now + timedelta(seconds=seconds))
                    .returning(CYCLE.c.id)
                )
                renewed |= set(connection.execute(query).scalars())
        return frozenset(renewed)

    @override
    def take_leases(
        self, cycle_ids: Collection[str], *, holder: str, seconds: float
    ) -> tuple[Lease, ...]:
        with self._database.writing() as connection:
            now = self._database.now(connection, real=True)
            until = now + timedelta(seconds=seconds)
            free = (
                select(CYCLE.c.id)
                .where(
                    CYCLE.c.id.in_(cycle_ids),
                    CYCLE.c.lease_until.is_(None)
                    | (CYCLE.c.lease_until <= now)
                    | (CYCLE.c.lease_until > now + FURTHEST_LEASE * timedelta(seconds=seconds)),
                )
                .with_for_update(skip_locked=True)
            )
            taken = connection.execute(
                update(CYCLE)
                .where(CYCLE.c.id.in_(free))
                .values(
                    lease_holder=holder, lease_epoch=CYCLE.c.lease_epoch + 1, lease_until=until
                )
                .returning(CYCLE.c.id, CYCLE.c.lease_epoch)
            )
            return tuple(
                Lease(cycle_id=row.id, holder=holder, epoch=row.lease_epoch, until=until)
                for row in taken
            )

    @override
    def note_rests(self, rests: Collection[Rest]) -> frozenset[str]:
        noted = set[str]()
        with self._database.writing() as connection:
            for rest in rests:
                found = connection.execute(
                    _NOTE_REST,
                    {
                        "cycle": rest.lease.cycle_id,
                        "holder": rest.lease.holder,
                        "epoch": rest.lease.epoch,
                        "at": rest.seq,
                        "until": rest.until,
                    },
                )
                if found.rowcount:
                    noted.add(rest.lease.cycle_id)
        return frozenset(noted)

    @override
    def announce(self, holder: str, *, seconds: float) -> None:
        with self._database.writing() as connection:
            now = self._database.now(connection, real=True)
            if seconds <= 0:
                connection.execute(delete(COORDINATOR).where(COORDINATOR.c.holder == holder))
                return
            until = now + timedelta(seconds=seconds)
            found = connection.execute(
                update(COORDINATOR).where(COORDINATOR.c.holder == holder).values(until=until)
            )
            if found.rowcount:
                return
            # It comes, or comes back: a moment to sweep out those that died long ago.
            old = now - FURTHEST_LEASE * timedelta(seconds=seconds)
            connection.execute(delete(COORDINATOR).where(COORDINATOR.c.until < old))
            connection.execute(insert(COORDINATOR).values(holder=holder, since=now, until=until))

    @override
    def heads(self, *, lease_seconds: float) -> CycleHeads:
        with self._database.reading() as connection:
            now = self._database.now(connection)
            real = self._database.now(connection, real=True)
            furthest = real + FURTHEST_LEASE * timedelta(seconds=lease_seconds)
            try:
                rows = connection.execute(_HEADS, {"moment": now}).all()
            except UNREADABLE:
                return CycleHeads(now=now, of={})
            spans = {"moment": real, "furthest": furthest}
            there = connection.execute(_COORDINATORS, spans).scalars().all()
        return CycleHeads(
            now=now,
            coordinators=frozenset(there),
            of={
                row.id: CycleHead(
                    status=row.status,
                    position=Position(row.seq, row.head_hash),
                    overdue=bool(row.overdue),
                    staff_requests=bool(row.staff_requests),
                    leader=row.lease_holder
                    if row.lease_until and real < row.lease_until <= furthest
                    else "",
                    rested=row.rest_seq == row.seq,
                    rests_until=row.rest_until,
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
