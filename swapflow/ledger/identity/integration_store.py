"""The integration store: webhooks, their calls, requests with an idempotency key.

Calls are their own outbox, like mails: a relay creates the rows from cycles' events, and they are
sent until they are answered.
"""

from datetime import datetime, timedelta

from sqlalchemy import and_, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from typing_extensions import override

from swapflow.errors import NotFoundError
from swapflow.identity.ports.integration_store import (
    IntegrationStore,
    StoredResponse,
    Webhook,
    WebhookCallStatus,
)
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import AnyRow
from swapflow.ledger.core.statements import insert_ignoring
from swapflow.ledger.identity.webhook_calls import CALL_COLUMNS, WAITING, WEBHOOK_COLUMNS
from swapflow.ledger.schema import (
    IDEMPOTENCY,
    WEBHOOK,
    WEBHOOK_CALL,
)


_PAGE = "page:"
"""Begins the keys of acts at pages; those of API clients are their own."""


class SqlIntegrationStore(IntegrationStore):
    """The part of the office's record for API clients and webhooks."""

    _database: Database

    @override
    def add_webhook(self, webhook: Webhook) -> None:
        with self._database.writing() as connection:
            row = {column.name: getattr(webhook, column.name) for column in WEBHOOK_COLUMNS}
            try:
                connection.execute(insert(WEBHOOK), row | {"events": list(webhook.events)})
            except IntegrityError as error:
                raise NotFoundError("cycle_not_found", cycle=webhook.cycle_id) from error

    @override
    def webhooks(self) -> tuple[Webhook, ...]:
        query = select(*WEBHOOK_COLUMNS).order_by(WEBHOOK.c.created_at, WEBHOOK.c.id)
        with self._database.reading() as connection:
            return tuple(map(_webhook, connection.execute(query)))

    @override
    def set_webhook_active(self, webhook_id: str, *, active: bool) -> None:
        with self._database.writing() as connection:
            connection.execute(
                update(WEBHOOK).where(WEBHOOK.c.id == webhook_id).values(active=active)
            )

    @override
    def remove_webhook(self, webhook_id: str) -> None:
        with self._database.writing() as connection:
            connection.execute(delete(WEBHOOK_CALL).filter_by(webhook_id=webhook_id))
            connection.execute(delete(WEBHOOK).filter_by(id=webhook_id))

    @override
    def webhook_calls(
        self, webhook_id: str, *, before: tuple[datetime, str] | None = None, at_most: int = 100
    ) -> tuple[WebhookCallStatus, ...]:
        query = (
            select(*CALL_COLUMNS)
            .where(WEBHOOK_CALL.c.webhook_id == webhook_id)
            .order_by(WEBHOOK_CALL.c.created_at.desc(), WEBHOOK_CALL.c.id.desc())
            .limit(at_most)
        )
        if before is not None:
            at, id_ = before
            query = query.where(
                or_(
                    WEBHOOK_CALL.c.created_at < at,
                    and_(WEBHOOK_CALL.c.created_at == at, WEBHOOK_CALL.c.id < id_),
                )
            )
        with self._database.reading() as connection:
            return tuple(WebhookCallStatus(**row._asdict()) for row in connection.execute(query))

    @override
    def call_again(self, webhook_id: str, call_id: str) -> bool:
        with self._database.writing() as connection:
            moved = connection.execute(
                update(WEBHOOK_CALL)
                .where(WEBHOOK_CALL.c.id == call_id, WEBHOOK_CALL.c.webhook_id == webhook_id)
                .values(
                    state=WAITING,
                    attempts=0,
                    due_at=self._database.now(connection),
                    relayed_at=None,
                )
            )
            return bool(moved.rowcount)

    # Requests under a key of their own

    @override
    def begin_act(
        self,
        account_id: str,
        key: str,
        form: str,
        *,
        again_within: timedelta,
        taken_over_after: timedelta,
        kept_for: timedelta,
    ) -> StoredResponse | None:
        with self._database.writing() as connection:
            now = self._database.now(connection)
            fresh = {"request": form, "status": 0, "body": "", "at": now}
            row = {"account_id": account_id, "key": _PAGE + key, **fresh}
            # The primary key decides: of two presses at the same moment only one inserts.
            if insert_ignoring(connection, IDEMPOTENCY, [row]):
                return None
            mine = and_(IDEMPOTENCY.c.account_id == account_id, IDEMPOTENCY.c.key == _PAGE + key)
            found = connection.execute(select(IDEMPOTENCY).where(mine)).one()
            age = now - found.at
            if found.status == 0:
                repeats = age <= taken_over_after
            elif form and found.request == form:
                repeats = age <= kept_for
            else:
                acts = IDEMPOTENCY.c.key.startswith(_PAGE)
                theirs = select(func.max(IDEMPOTENCY.c.at)).where(
                    acts, IDEMPOTENCY.c.account_id == account_id
                )
                last = connection.execute(theirs).scalar_one()
                repeats = age <= again_within and found.at == last
            if repeats:
                return StoredResponse(request=found.request, status=found.status, body=found.body)
            connection.execute(update(IDEMPOTENCY).where(mine).values(fresh))
            return None

    @override
    def end_act(self, account_id: str, key: str, *, status: int, body: str) -> None:
        self.end_request(account_id, _PAGE + key, status=status, body=body)

    @override
    def known_act(self, account_id: str, key: str) -> StoredResponse | None:
        mine = and_(IDEMPOTENCY.c.account_id == account_id, IDEMPOTENCY.c.key == _PAGE + key)
        with self._database.reading() as connection:
            found = connection.execute(select(IDEMPOTENCY).where(mine)).one_or_none()
        if found is None:
            return None
        return StoredResponse(request=found.request, status=found.status, body=found.body)

    @override
    def begin_request(
        self,
        account_id: str,
        key: str,
        digest: str,
        *,
        taken_over_after: timedelta,
        kept_for: timedelta,
    ) -> StoredResponse | None:
        """Reserve a key for a request; None when the request is to be carried out.

        A reservation without an answer is taken over after `taken_over_after`: its process has
        died.
        """
        with self._database.writing() as connection:
            now = self._database.now(connection, real=True)
            connection.execute(delete(IDEMPOTENCY).where(IDEMPOTENCY.c.at < now - kept_for))
            row = {
                "account_id": account_id,
                "key": key,
                "request": digest,
                "status": 0,
                "body": "",
                "at": now,
            }
            # The primary key decides: of two equal requests at the same moment only one inserts.
            if insert_ignoring(connection, IDEMPOTENCY, [row]):
                return None
            mine = and_(IDEMPOTENCY.c.account_id == account_id, IDEMPOTENCY.c.key == key)
            left = connection.execute(
                update(IDEMPOTENCY)
                .where(
                    mine,
                    IDEMPOTENCY.c.request == digest,
                    IDEMPOTENCY.c.status == 0,
                    IDEMPOTENCY.c.at <= now - taken_over_after,
                )
                .values(at=now)
            )
            if left.rowcount:
                return None
            found = connection.execute(select(IDEMPOTENCY).where(mine)).one()
            return StoredResponse(request=found.request, status=found.status, body=found.body)

    @override
    def end_request(self, account_id: str, key: str, *, status: int, body: str) -> None:
        mine = and_(IDEMPOTENCY.c.account_id == account_id, IDEMPOTENCY.c.key == key)
        with self._database.writing() as connection:
            if status == 0:
                connection.execute(delete(IDEMPOTENCY).where(mine))
            else:
                connection.execute(
                    update(IDEMPOTENCY).where(mine).values(status=status, body=body)
                )


def _webhook(row: AnyRow) -> Webhook:
    found = row._asdict()
    return Webhook(**found | {"events": tuple(found["events"])})
