"""Acts that are held: stored, read, ended."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import BindParameter, bindparam, insert, select, update
from typing_extensions import override

from swapflow.engine.ports.held_acts import HeldAct, HeldActReads, HeldKind, HeldState
from swapflow.engine.ports.writes.held_acts import HeldActWrites
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import AnyRow
from swapflow.ledger.core.statements import moved_in, require_cycle
from swapflow.ledger.schema import HELD_ACT, MESSAGE
from swapflow.messages import Message, plain, restored


_VALUES: BindParameter[Any] = bindparam("values", expanding=True)
_HELD = HELD_ACT.c.state == HeldState.HELD.value


class SqlHeldActs(HeldActReads):
    """The part of the ledger that reads held acts."""

    _database: Database

    @override
    def held_acts(
        self, cycle_id: str, *, state: HeldState | None = None, at_most: int = 50
    ) -> tuple[HeldAct, ...]:
        query = select(HELD_ACT).where(HELD_ACT.c.cycle_id == cycle_id)
        if state is not None:
            query = query.where(HELD_ACT.c.state == state.value)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(HELD_ACT.c.id.desc()).limit(at_most)).all()
            if not rows:
                require_cycle(connection, cycle_id)
            return tuple(map(_to_act, rows))

    @override
    def due_acts(self) -> tuple[tuple[str, int], ...]:
        with self._database.reading() as connection:
            due = (
                select(HELD_ACT.c.cycle_id, HELD_ACT.c.id)
                .where(_HELD, HELD_ACT.c.leaves_at <= self._database.now(connection))
                .order_by(HELD_ACT.c.id)
            )
            return tuple((row.cycle_id, row.id) for row in connection.execute(due))


class SqlHeldActWrites(CycleLock, HeldActWrites):
    """The part of a transaction that writes held acts."""

    @override
    def hold_act(
        self,
        kind: HeldKind,
        items: Sequence[str],
        *,
        count: int,
        by: str,
        reason: str = "",
        before: Sequence[Mapping[str, object]] = (),
        hold: timedelta,
    ) -> int:
        row = {
            "cycle_id": self._id,
            "kind": kind.value,
            "items": list(items),
            "before": [dict(one) for one in before],
            "size": count,
            "by": by,
            "reason": reason,
            "at": self._now,
            "leaves_at": self._now + hold,
            "state": HeldState.HELD.value,
            "why": None,
            "ended_by": "",
        }
        key = self._connection.execute(insert(HELD_ACT).values(row)).inserted_primary_key
        assert key is not None
        return int(key[0])

    @override
    def held_act(self, number: int) -> HeldAct | None:
        row = self._connection.execute(
            select(HELD_ACT).where(HELD_ACT.c.id == number, HELD_ACT.c.cycle_id == self._id)
        ).one_or_none()
        return None if row is None else _to_act(row)

    @override
    def end_held_act(
        self, number: int, state: HeldState, *, by: str = "", why: Message | None = None
    ) -> bool:
        moved = self._connection.execute(
            update(HELD_ACT)
            .where(HELD_ACT.c.id == number, HELD_ACT.c.cycle_id == self._id, _HELD)
            .values(
                state=state.value,
                ended_by=by,
                reason="",
                before=[],
                why=None if why is None else plain(why),
            )
        )
        return moved.rowcount == 1

    @override
    def release_held_mails(self, ids: Sequence[str], *, leave: bool) -> int:
        values: dict[str, object] = {"state": "queued" if leave else "taken back"}
        if leave:
            # A mail's age counts from its release: a hold must not look like a delay.
            values["created_at"] = self._now
        return moved_in(
            self._connection,
            update(MESSAGE)
            .where(MESSAGE.c.id.in_(_VALUES), MESSAGE.c.state == "held")
            .values(values),
            ids,
        )


def _to_act(row: AnyRow) -> HeldAct:
    return HeldAct(
        number=row.id,
        cycle_id=row.cycle_id,
        kind=HeldKind(row.kind),
        items=tuple(row.items),
        before=tuple(row.before),
        count=row.size,
        by=row.by,
        reason=row.reason,
        at=row.at,
        leaves_at=row.leaves_at,
        state=HeldState(row.state),
        why=_message(row.why),
        ended_by=row.ended_by,
    )


def _message(why: object) -> Message | None:
    if why is None:
        return None
    found = restored(why)
    return found if isinstance(found, Message) else None
