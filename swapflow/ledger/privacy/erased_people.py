"""Digests of erased people, by which a later list is known to bring one back."""

from collections.abc import Collection
from datetime import date
from uuid import uuid4

from sqlalchemy import Connection, bindparam, delete, insert, select, update
from typing_extensions import override

from swapflow.domain.erased_person import ErasedAs, ErasureDigests, RememberedErasure
from swapflow.engine.ports.erased_people import ErasureMemory, ErasureReads
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.statements import moved_in
from swapflow.ledger.schema import ERASED_PERSON


_OF_ROUND = (
    select(ERASED_PERSON)
    .where(ERASED_PERSON.c.round_id == bindparam("round"))
    .order_by(ERASED_PERSON.c.day, ERASED_PERSON.c.id)
)
_BACK = (
    update(ERASED_PERSON)
    .where(
        ERASED_PERSON.c.cycle_id == bindparam("cycle"),
        ERASED_PERSON.c.id.in_(bindparam("values", expanding=True)),
    )
    .values(back=True)
)


class SqlErasedPeople(ErasureReads):
    """The erasures of a round, outside a transaction."""

    _database: Database

    @override
    def erasures(self, round_id: str) -> tuple[RememberedErasure, ...]:
        with self._database.reading() as connection:
            return _read(connection, round_id)

    @override
    def forget_erasures(self, round_id: str) -> int:
        with self._database.writing() as connection:
            gone = delete(ERASED_PERSON).where(ERASED_PERSON.c.round_id == round_id)
            return connection.execute(gone).rowcount


class ErasureMemoryWrites(CycleLock, ErasureMemory):
    """The part of a transaction that remembers whom it erases."""

    @override
    def erasures(self) -> tuple[RememberedErasure, ...]:
        return _read(self._connection, self._row["round_id"])

    @override
    def remember_erasure(
        self, erased_as: ErasedAs, digests: ErasureDigests, *, key_id: str
    ) -> None:
        self._connection.execute(
            insert(ERASED_PERSON),
            {
                "id": uuid4().hex,
                "round_id": self._row["round_id"],
                "cycle_id": self._id,
                "erased_as": erased_as.value,
                "key_id": key_id,
                "id_digest": digests.of_id,
                "address_digest": digests.of_address,
                # The day alone: the time would lead to the event, and by its number to scores.
                "day": self._now.date().isoformat(),
                "back": False,
            },
        )

    @override
    def end_holding(self, erasures: Collection[str]) -> None:
        moved_in(self._connection, _BACK, erasures, cycle=self._id)


def _read(connection: Connection, round_id: str) -> tuple[RememberedErasure, ...]:
    return tuple(
        RememberedErasure(
            id=row.id,
            cycle_id=row.cycle_id,
            erased_as=ErasedAs(row.erased_as),
            key_id=row.key_id,
            digests=ErasureDigests(of_id=row.id_digest, of_address=row.address_digest),
            day=date.fromisoformat(row.day),
            is_back=row.back,
        )
        for row in connection.execute(_OF_ROUND, {"round": round_id})
    )
