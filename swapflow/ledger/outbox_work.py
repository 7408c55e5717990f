"""One look at everything that waits to leave: requests, mails, letters, webhook calls."""

from sqlalchemy import bindparam, select
from typing_extensions import override

from swapflow.engine.ports.outbox import Outbox
from swapflow.engine.ports.records import OutboxWork
from swapflow.ledger.cohort.announcements import DUE_LETTERS
from swapflow.ledger.core.database import Database
from swapflow.ledger.cycle.outbox import UNSENT, WAITING_MAILS, mails_since, unsent_since
from swapflow.ledger.identity.webhook_calls import BEHIND, DUE_CALLS, calls_since
from swapflow.ledger.schema import ANNOUNCEMENT


_WORK = select(
    UNSENT.exists().label("assignments"),
    DUE_LETTERS.where(ANNOUNCEMENT.c.leaves_at <= bindparam("moment")).exists().label("letters"),
    WAITING_MAILS.exists().label("mails"),
    BEHIND.exists().label("events"),
    DUE_CALLS.exists().label("calls"),
)


class SqlOutboxWork(Outbox):
    """The part of the ledger that a relay asks first."""

    _database: Database

    @override
    def outbox_work(self, *, again_after: float) -> OutboxWork:
        with self._database.one_moment(), self._database.reading() as connection:
            now = self._database.now(connection)
            real = self._database.now(connection, real=True)
            asked = unsent_since(now, again_after) | mails_since(real, again_after)
            row = connection.execute(_WORK, asked | calls_since(now, again_after)).one()
            return OutboxWork(**row._asdict())
