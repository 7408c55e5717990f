"""Files that were exchanged with other systems: stored and read, and webhooks told of them."""

import json

from sqlalchemy import and_, func, insert, or_, select, update
from typing_extensions import override

from swapflow.domain.lists.exchanged_file import (
    Exchanged,
    ExchangedFile,
    ExchangeOutcome,
    NewExchange,
)
from swapflow.domain.webhook_call import WebhookEvent
from swapflow.engine.ports.writes.exchange import ExchangeReads, ExchangeWrites
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import AnyRow
from swapflow.ledger.core.statements import insert_ignoring
from swapflow.ledger.schema import (
    DOCUMENT,
    DOCUMENT_CONTENT,
    EXCHANGED_FILE,
    WEBHOOK,
    WEBHOOK_CALL,
)


class SqlExchange(ExchangeReads):
    """The part of the ledger that reads exchanged files."""

    _database: Database

    @override
    def exchanged(self, cycle_id: str, *, at_most: int = 200) -> tuple[ExchangedFile, ...]:
        query = (
            select(EXCHANGED_FILE)
            .filter_by(cycle_id=cycle_id)
            .order_by(EXCHANGED_FILE.c.number.desc())
            .limit(at_most)
        )
        with self._database.reading() as connection:
            return tuple(map(_file, connection.execute(query)))

    @override
    def file_digests(self, cycle_id: str) -> dict[tuple[int, str], str]:
        mine = ("cycle_id", "application", "position", "version")
        same = and_(*(DOCUMENT.c[name] == DOCUMENT_CONTENT.c[name] for name in mine))
        query = (
            select(DOCUMENT.c.application, DOCUMENT.c.name, DOCUMENT_CONTENT.c.digest)
            .join(DOCUMENT_CONTENT, same)
            .where(DOCUMENT.c.cycle_id == cycle_id)
        )
        with self._database.reading() as connection:
            return {(row.application, row.name): row.digest for row in connection.execute(query)}


class SqlExchangeWrites(CycleLock, ExchangeWrites):
    """The part of a transaction that writes exchanged files."""

    @override
    def insert_exchange(self, new: NewExchange) -> int:
        last = select(func.max(EXCHANGED_FILE.c.number)).filter_by(cycle_id=self._id)
        number = 1 + (self._connection.execute(last).scalar() or 0)
        row = {
            "cycle_id": self._id,
            "number": number,
            "what": new.what.value,
            "outcome": new.outcome.value,
            "name": new.name,
            "digest": new.digest,
            "size": new.size,
            "via": new.via,
            "counts": {what: count for what, count in new.counts.items() if count},
            "lines": [list(place) for place in new.lines],
            "by": new.by,
            "at": self._now,
            "done_by": "",
        }
        self._connection.execute(insert(EXCHANGED_FILE), row)
        return number

    @override
    def finish_exchange(self, number: int, *, by: str) -> int:
        return self._connection.execute(
            update(EXCHANGED_FILE)
            .filter_by(cycle_id=self._id, number=number, done_by="")
            .values(done_by=by)
        ).rowcount

    @override
    def announce_files(self, number: int, names: list[str], version: int) -> None:
        about = or_(WEBHOOK.c.cycle_id.is_(None), WEBHOOK.c.cycle_id == self._id)
        query = select(WEBHOOK.c.id, WEBHOOK.c.events).where(WEBHOOK.c.active, about)
        told = {"at": self._now.isoformat(), "data": {"files": names, "version": version}}
        rows = [
            {
                # Of no event of the cycle: the number of the file tells two of them apart.
                "id": f"{hook.id}:{self._id}:files-{number}",
                "webhook_id": hook.id,
                "cycle_id": self._id,
                "seq": number,
                "event": WebhookEvent.FILES_READY.value,
                "body": json.dumps(told),
                "state": "waiting",
                "attempts": 0,
                "detail": "",
                "created_at": self._now,
                "due_at": self._now,
                "relayed_at": None,
            }
            for hook in self._connection.execute(query)
            if WebhookEvent.FILES_READY.value in hook.events
        ]
        insert_ignoring(self._connection, WEBHOOK_CALL, rows)


def _file(row: AnyRow) -> ExchangedFile:
    return ExchangedFile(
        number=row.number,
        what=Exchanged(row.what),
        outcome=ExchangeOutcome(row.outcome),
        name=row.name,
        digest=row.digest,
        size=row.size,
        via=row.via,
        counts=row.counts,
        lines=tuple((line, header) for line, header in row.lines),
        by=row.by,
        at=row.at,
        done_by=row.done_by,
    )
