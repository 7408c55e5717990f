"""A coordinator's lease of a cycle: who may decide in it, until when, under which epoch.

The epoch is checked where a transaction begins, in `ledger/core/cycle_lock.py`.
"""

from datetime import timedelta

from sqlalchemy import bindparam, update
from typing_extensions import override

from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.ports.records import Lease
from swapflow.ledger.core.cycle_lock import LOCK_CYCLE
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.statements import no_cycle
from swapflow.ledger.schema import CYCLE


_SET_LEASE = (
    update(CYCLE)
    .where(CYCLE.c.id == bindparam("cycle"))
    .values(
        lease_holder=bindparam("holder"),
        lease_epoch=bindparam("epoch"),
        lease_until=bindparam("until"),
    )
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
