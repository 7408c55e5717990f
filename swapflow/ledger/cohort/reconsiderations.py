"""Reconsiderations of single applications, read and written."""

from collections.abc import Collection
from datetime import date, datetime

from sqlalchemy import Connection, bindparam, func, select, update
from typing_extensions import override

from swapflow.domain.cohort.reconsideration import (
    Closing,
    NewReconsideration,
    Reconsideration,
    Result,
)
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.writes.decisions import DecisionWrites
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import AnyRow
from swapflow.ledger.schema import COHORT_VERSION, RECONSIDERATION
from swapflow.ledger.schema.cohort import STILL_OPEN


_OPEN = select(RECONSIDERATION.c.cycle_id).where(STILL_OPEN).distinct()
_LIST_FINAL_AT = select(func.max(COHORT_VERSION.c.at)).where(
    COHORT_VERSION.c.cycle_id == bindparam("cycle"),
    COHORT_VERSION.c.version.not_in(
        select(RECONSIDERATION.c.closed_version).where(
            RECONSIDERATION.c.cycle_id == bindparam("cycle")
        )
    ),
)


class SqlReconsiderations(DecisionReads):
    """The part of the ledger that reads reconsiderations."""

    _database: Database

    @override
    def reconsiderations(self, cycle_id: str) -> tuple[Reconsideration, ...]:
        with self._database.reading() as connection:
            return _reconsiderations(connection, cycle_id)

    @override
    def reconsidering(self) -> frozenset[str]:
        with self._database.reading() as connection:
            return frozenset(connection.execute(_OPEN).scalars())

    @override
    def list_final_at(self, cycle_id: str) -> datetime | None:
        with self._database.reading() as connection:
            found: datetime | None = connection.execute(
                _LIST_FINAL_AT, {"cycle": cycle_id}
            ).scalar_one()
            return found


class ReconsiderationWrites(CycleLock, DecisionWrites):
    """The part of a transaction that writes reconsiderations."""

    @override
    def reconsiderations(self) -> tuple[Reconsideration, ...]:
        return _reconsiderations(self._connection, self._id)

    @override
    def insert_reconsideration(self, new: NewReconsideration, *, by: str) -> int:
        row = {
            "cycle_id": self._id,
            "application": new.application,
            "version": new.version,
            "kind": new.kind,
            "reviews": new.reviews,
            "asked_by": new.asked_by,
            "asked_on": new.asked_on.isoformat(),
            "reason": new.reason,
            "stood": new.stood,
            "by": by,
            "at": self._now,
            "result": "",
            "closed_version": 0,
            "place": 0,
            "before": None,
            "after": None,
            "received": 0,
            "beyond": False,
            "exceptions": [],
            "why": "",
            "closed_by": [],
            "closed_at": None,
        }
        (stored,) = self._carry(RECONSIDERATION, [row])
        return int(stored["id"])

    @override
    def close_reconsideration(self, which: int, closing: Closing, *, by: Collection[str]) -> None:
        self._connection.execute(
            update(RECONSIDERATION)
            .where(RECONSIDERATION.c.id == which, RECONSIDERATION.c.cycle_id == self._id)
            .values(
                result=closing.result.value,
                closed_version=closing.version,
                place=closing.place,
                before=closing.before,
                after=closing.after,
                received=closing.received,
                beyond=closing.beyond,
                exceptions=list(closing.exceptions),
                why=closing.reason,
                closed_by=list(by),
                closed_at=self._now,
            )
        )
        self._carry_again(RECONSIDERATION, which)


def _reconsiderations(connection: Connection, cycle_id: str) -> tuple[Reconsideration, ...]:
    query = select(RECONSIDERATION).filter_by(cycle_id=cycle_id).order_by(RECONSIDERATION.c.id)
    return tuple(_read(row) for row in connection.execute(query))


def _read(row: AnyRow) -> Reconsideration:
    closing = None
    if row.result:
        closing = Closing(
            result=Result(row.result),
            version=row.closed_version,
            place=row.place,
            before=row.before,
            after=row.after,
            received=row.received,
            beyond=row.beyond,
            exceptions=tuple(row.exceptions),
            reason=row.why,
        )
    return Reconsideration(
        id=row.id,
        new=NewReconsideration(
            application=row.application,
            version=row.version,
            kind=row.kind,
            reviews=row.reviews,
            asked_by=row.asked_by,
            asked_on=date.fromisoformat(row.asked_on),
            reason=row.reason,
            stood=row.stood,
        ),
        by=row.by,
        at=row.at,
        closing=closing,
        closed_by=tuple(row.closed_by),
        closed_at=row.closed_at,
    )
