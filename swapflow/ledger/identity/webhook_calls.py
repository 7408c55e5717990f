"""Events become calls of webhooks, and calls are sent once, in SQL."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, bindparam, func, or_, select, update
from typing_extensions import override

from swapflow.domain.event import EventType, damaged_event
from swapflow.domain.ids import assignment_id, pull_id
from swapflow.domain.webhook_call import HELD, TOLD, next_wait, webhook_event_of
from swapflow.domain.webhook_call import WebhookCall as HookCall
from swapflow.engine.ports.outbox import Outbox
from swapflow.errors import DamagedRecordError
from swapflow.identity.ports.integration_store import Webhook, WebhookCallStatus
from swapflow.ledger.core.damaged_rows import UNREADABLE
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import AnyRow, Values, columns
from swapflow.ledger.core.statements import insert_ignoring, moved_in
from swapflow.ledger.schema import (
    APPLICATION,
    CYCLE,
    EVENT,
    PULL_KIND,
    WEBHOOK,
    WEBHOOK_CALL,
    WEBHOOK_POSITION,
)


EVENTS_AT_ONCE = 500
"""Events of a cycle from which one transaction creates calls."""

WAITING, DONE, FAILED = "waiting", "done", "failed"

WEBHOOK_COLUMNS = columns(WEBHOOK, Webhook)
CALL_COLUMNS = columns(WEBHOOK_CALL, WebhookCallStatus)

_SEEN = func.coalesce(WEBHOOK_POSITION.c.seq, 0)
BEHIND = (
    select(CYCLE.c.id, _SEEN.label("seen"))
    .select_from(CYCLE.outerjoin(WEBHOOK_POSITION, WEBHOOK_POSITION.c.cycle_id == CYCLE.c.id))
    # Nothing of a practice program leaves, so no call is made of its events.
    .where(CYCLE.c.seq > _SEEN, CYCLE.c.practice_of == "")
    .where(
        select(WEBHOOK.c.id)
        .where(
            WEBHOOK.c.active,
            or_(WEBHOOK.c.cycle_id.is_(None), WEBHOOK.c.cycle_id == CYCLE.c.id),
        )
        .exists()
    )
    .order_by(CYCLE.c.id)
)
_NEW_EVENTS = (
    select(EVENT.c.seq, EVENT.c.type, EVENT.c.body, EVENT.c.at)
    .where(EVENT.c.cycle_id == bindparam("cycle"), EVENT.c.seq > bindparam("seen"))
    .order_by(EVENT.c.seq)
    .limit(EVENTS_AT_ONCE)
)
DUE_CALLS = (
    select(WEBHOOK_CALL.c.id)
    .join(WEBHOOK, WEBHOOK.c.id == WEBHOOK_CALL.c.webhook_id)
    .where(
        WEBHOOK.c.active,
        WEBHOOK_CALL.c.state == WAITING,
        WEBHOOK_CALL.c.due_at <= bindparam("moment"),
        or_(
            WEBHOOK_CALL.c.relayed_at.is_(None),
            # The message was for an earlier attempt.
            WEBHOOK_CALL.c.relayed_at < WEBHOOK_CALL.c.due_at,
            WEBHOOK_CALL.c.relayed_at <= bindparam("relayed"),
            WEBHOOK_CALL.c.relayed_at > bindparam("moment"),  # the clock was set back since
        ),
    )
)
_DUE_CALLS = DUE_CALLS.order_by(WEBHOOK_CALL.c.due_at, WEBHOOK_CALL.c.id).limit(
    bindparam("at_most")
)
_MARK_RELAYED = (
    update(WEBHOOK_CALL)
    .where(WEBHOOK_CALL.c.id.in_(bindparam("values", expanding=True)))
    .values(relayed_at=bindparam("moment"))
)
_OUTGOING = (
    select(
        *(column for column in CALL_COLUMNS if column.name != "state"),
        WEBHOOK_CALL.c.body,
        WEBHOOK.c.url,
        WEBHOOK.c.secret,
    )
    .join(WEBHOOK, WEBHOOK.c.id == WEBHOOK_CALL.c.webhook_id)
    .where(WEBHOOK_CALL.c.id == bindparam("which"))
)


class SqlWebhooks(Outbox):
    """The webhook part of relay and workers; safe to repeat and run twice."""

    _database: Database

    @override
    def queue_calls(self, *, without: Collection[str] = ()) -> int:
        with self._database.reading() as connection:
            behind = connection.execute(BEHIND).all()
        read, damaged = 0, None
        for cycle_id, seen in behind:
            if cycle_id in without:
                continue
            try:
                with self._database.writing() as connection:
                    read += self._queue(connection, cycle_id, seen)
            except DamagedRecordError as error:
                damaged = error
        if damaged is not None:
            raise damaged
        return read

    def _queue(self, connection: Connection, cycle_id: str, seen: int) -> int:
        events = connection.execute(_NEW_EVENTS, {"cycle": cycle_id, "seen": seen}).all()
        if not events:
            return 0
        about = or_(WEBHOOK.c.cycle_id.is_(None), WEBHOOK.c.cycle_id == cycle_id)
        webhooks = connection.execute(
            select(*WEBHOOK_COLUMNS).where(WEBHOOK.c.active, about)
        ).all()
        now = self._database.now(connection)
        rows = [
            row for event in events for row in _calls_of(event, webhooks, cycle_id, queued_at=now)
        ]
        insert_ignoring(connection, WEBHOOK_CALL, rows)
        last = events[-1].seq
        insert_ignoring(connection, WEBHOOK_POSITION, [{"cycle_id": cycle_id, "seq": 0}])
        # Only forwards: of two relays at once, the slower one must not set the position back.
        connection.execute(
            update(WEBHOOK_POSITION)
            .where(WEBHOOK_POSITION.c.cycle_id == cycle_id, WEBHOOK_POSITION.c.seq < last)
            .values(seq=last)
        )
        return len(events)

    @override
    def due_calls(self, *, again_after: float, at_most: int) -> tuple[str, ...]:
        with self._database.reading() as connection:
            now = self._database.now(connection)
            limits = {"at_most": at_most, **calls_since(now, again_after)}
            return tuple(connection.execute(_DUE_CALLS, limits).scalars())

    @override
    def mark_calls_relayed(self, ids: Collection[str]) -> None:
        with self._database.writing() as connection:
            moved_in(connection, _MARK_RELAYED, ids, moment=self._database.now(connection))

    @override
    def claim_call(self, call_id: str) -> HookCall | None:
        with self._database.writing() as connection:
            now = self._database.now(connection)
            active = select(WEBHOOK.c.id).where(WEBHOOK.c.active)
            taken = connection.execute(
                update(WEBHOOK_CALL)
                .where(
                    WEBHOOK_CALL.c.id == call_id,
                    WEBHOOK_CALL.c.state == WAITING,
                    WEBHOOK_CALL.c.due_at <= now,
                    WEBHOOK_CALL.c.webhook_id.in_(active),
                )
                .values(attempts=WEBHOOK_CALL.c.attempts + 1, due_at=now + HELD)
            )
            if taken.rowcount == 0:
                return None
            row = connection.execute(_OUTGOING, {"which": call_id}).one()
            return HookCall(
                id=row.id,
                url=row.url,
                secret=row.secret,
                event=row.event,
                body=_spelled(connection, row),
                attempt=row.attempts,
            )

    @override
    def close_call(self, call: HookCall, *, done: bool, detail: str) -> None:
        wait = next_wait(call.attempt)
        state = DONE if done else WAITING if wait is not None else FAILED
        mine = and_(WEBHOOK_CALL.c.id == call.id, WEBHOOK_CALL.c.state == WAITING)
        if not done:  # a slow attempt must not delay a later one
            mine = and_(mine, WEBHOOK_CALL.c.attempts == call.attempt)
        with self._database.writing() as connection:
            due = self._database.now(connection) + (wait or timedelta())
            connection.execute(
                update(WEBHOOK_CALL)
                .where(mine)
                .values(state=state, detail=detail[:500], due_at=due)
            )

    @override
    def put_calls_off(self, call_id: str, *, seconds: float) -> None:
        with self._database.writing() as connection:
            until = self._database.now(connection) + timedelta(seconds=seconds)
            _put_off(connection, call_id, until=until)


def _put_off(connection: Connection, call_id: str, *, until: datetime) -> None:
    """Put off the calls of one webhook that are due before a moment; no attempt is counted."""
    webhook = select(WEBHOOK_CALL.c.webhook_id).where(WEBHOOK_CALL.c.id == call_id)
    connection.execute(
        update(WEBHOOK_CALL)
        .where(
            WEBHOOK_CALL.c.webhook_id == webhook.scalar_subquery(),
            WEBHOOK_CALL.c.state == WAITING,
            WEBHOOK_CALL.c.due_at < until,
        )
        .values(due_at=until)
    )


def calls_since(now: datetime, again_after: float) -> Values:
    """Return the parameters of `DUE_CALLS`."""
    return {"moment": now, "relayed": now - timedelta(seconds=again_after)}


def _calls_of(
    event: AnyRow, webhooks: Collection[AnyRow], cycle_id: str, *, queued_at: datetime
) -> list[dict[str, Any]]:
    try:
        kind = EventType(event.type)
        told = webhook_event_of(kind, json.loads(event.body)["payload"]) if kind in TOLD else None
    except UNREADABLE as error:
        raise damaged_event(cycle_id, event.seq, error) from error
    if told is None:
        return []
    name, data = told
    return [
        {
            "id": f"{webhook.id}:{cycle_id}:{event.seq}",
            "webhook_id": webhook.id,
            "cycle_id": cycle_id,
            "seq": event.seq,
            "event": name.value,
            "body": json.dumps({"at": event.at.isoformat(), "data": data}),
            "state": WAITING,
            "attempts": 0,
            "detail": "",
            "created_at": queued_at,
            "due_at": queued_at,
            "relayed_at": None,
        }
        for webhook in webhooks
        # Events before the webhook was created are not sent to it.
        if name.value in webhook.events and event.at >= webhook.created_at
    ]


def _spelled(connection: Connection, row: AnyRow) -> bytes:
    """Build a call's body; applicants' ids are read now, so that an erasure reaches them too."""
    stored = json.loads(row.body)
    data = _with_ids(connection, row.cycle_id, stored["data"])
    body = {
        "id": row.id,
        "event": row.event,
        "cycle": row.cycle_id,
        "number": row.seq,
        "at": stored["at"],
        "data": data,
    }
    return json.dumps(body, ensure_ascii=True).encode()


def _with_ids(connection: Connection, cycle_id: str, data: Mapping[str, Any]) -> dict[str, Any]:
    query = (
        select(PULL_KIND.c.kind, PULL_KIND.c.name)
        .join(
            CYCLE,
            and_(
                CYCLE.c.id == PULL_KIND.c.cycle_id,
                CYCLE.c.rules_version == PULL_KIND.c.rules_version,
            ),
        )
        .where(CYCLE.c.id == cycle_id)
    )
    names = {kind: name for kind, name in connection.execute(query)}  # noqa: C416 - rows
    if "kinds" in data:
        return {**data, "kinds": {names[kind]: count for kind, count in data["kinds"]}}
    if "a" not in data:
        return dict(data)
    external_id = connection.execute(
        select(APPLICATION.c.external_id).filter_by(cycle_id=cycle_id, number=data["a"])
    ).scalar_one()
    request = pull_id(cycle_id, data["a"], names[data["k"]], data["o"])
    return {
        "applicant": data["a"],
        "external_id": external_id,
        "kind": names[data["k"]],
        "score": assignment_id(request, data["seat"], data["attempt"]),
        "counts": bool(data["counts"]),
        "late": data["late"],
    }
