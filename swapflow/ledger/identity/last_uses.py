"""When sessions and API keys were last used: written in batches, which no request waits for."""

from collections.abc import Collection
from contextlib import suppress
from enum import Enum
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, select, update

from swapflow.errors import UnavailableError
from swapflow.ledger.core.batches import Batches
from swapflow.ledger.core.database import Database
from swapflow.ledger.schema import ACCOUNT, API_TOKEN, SESSION


MOST = 500
"""Most uses in one transaction."""

PAUSE = 0.5
"""Least seconds from one transaction to the next."""

_NAMED: BindParameter[Any] = bindparam("values", expanding=True)
_SEEN = (
    update(SESSION).where(SESSION.c.digest.in_(_NAMED)).values(last_seen_at=bindparam("now")),
    update(ACCOUNT)
    .where(ACCOUNT.c.id.in_(select(SESSION.c.account_id).where(SESSION.c.digest.in_(_NAMED))))
    .values(last_seen_at=bindparam("now")),
)
_USED = (
    update(API_TOKEN).where(API_TOKEN.c.id.in_(_NAMED)).values(last_used_at=bindparam("now")),
)


class Used(Enum):
    """What was used, with the statements that record it."""

    SESSION = _SEEN
    TOKEN = _USED


class LastUses:
    """The uses of one process that are not recorded yet; lost ones are noted with the next."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._batches = Batches[tuple[Used, str]](
            self._record, name="last-uses", most=MOST, pause=PAUSE
        )

    def note(self, what: Used, key: str) -> None:
        """Have a use recorded as of soon; given up while anything else is writing for long."""
        self._batches.add((what, key))

    def _record(self, uses: Collection[tuple[Used, str]]) -> None:
        with suppress(UnavailableError), self._database.touching() as connection:
            for what in Used:
                # In one order: two processes that lock the same rows would wait for each other.
                keys = sorted({key for used, key in uses if used is what})
                if keys:
                    self._record_kind(connection, what, keys)

    def _record_kind(self, connection: Connection, what: Used, keys: list[str]) -> None:
        now = self._database.now(connection)
        for statement in what.value:
            connection.execute(statement, {"values": keys, "now": now})
