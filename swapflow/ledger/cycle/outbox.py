"""The outbox: assignments to deliver, mails to send, and their results.

A message to the broker is only a hint, so a QUEUED assignment is sent again until its effect is
seen. A mail is marked before the SMTP session: after a crash it may go out twice, under the same
Message-ID, and is never lost.
"""

import secrets
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    or_,
    select,
    update,
)
from typing_extensions import override

from swapflow.domain.cycle import ASKING
from swapflow.domain.ids import cycle_of
from swapflow.domain.returned_mail import CAME_BACK, CODE_MARK
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.ports.outbox import Outbox
from swapflow.engine.ports.records import NOT_SENT, Mail
from swapflow.errors import DamagedRecordError
from swapflow.ledger.core import queries
from swapflow.ledger.core.cycle_lock import LOCK_CYCLE
from swapflow.ledger.core.damaged_rows import UNREADABLE
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import MAIL_COLUMNS, Values, to_assignment, to_mail
from swapflow.ledger.core.statements import moved_in, require_cycle, rows_in
from swapflow.ledger.schema import ASSIGNMENT, CYCLE, MESSAGE
from swapflow.ledger.schema.reviewing import OPEN_ONLY, QUEUED_ONLY


MAIL_STUCK = timedelta(minutes=10)
"""Age at which a mail in `sending` counts as claimed by a process that died."""

CODE_LENGTH = 26
"""Letters of a mail's code behind its mark; 32 of them there are."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_DOUBLINGS = 6  # 64 times the first wait
_IN_VALUES: BindParameter[Any] = bindparam("values", expanding=True)


def _waited_long_enough() -> ColumnElement[bool]:
    """Build the condition that an assignment's message is due again: each wait is doubled.

    A time of sending after now shows that the clock was set back since.
    """
    waits = [
        and_(
            ASSIGNMENT.c.sends >= power + 1
            if power == _DOUBLINGS
            else ASSIGNMENT.c.sends == power + 1,
            ASSIGNMENT.c.sent_at <= bindparam(f"before_{power}"),
        )
        for power in range(_DOUBLINGS + 1)
    ]
    ahead = ASSIGNMENT.c.sent_at > bindparam("moment")
    return or_(ASSIGNMENT.c.sent_at.is_(None), ahead, *waits)


def _relayed_long_ago() -> ColumnElement[bool]:
    """Build the condition that a mail's message is due again: each failed try doubles the wait.

    As with assignments, a clock may have been set back.
    """
    waits = [
        and_(
            MESSAGE.c.attempts >= power + 1
            if power == _DOUBLINGS
            else MESSAGE.c.attempts <= 1
            if power == 0
            else MESSAGE.c.attempts == power + 1,
            MESSAGE.c.relayed_at <= bindparam(f"relayed_{power}"),
        )
        for power in range(_DOUBLINGS + 1)
    ]
    ahead = MESSAGE.c.relayed_at > bindparam("mail_moment")
    return or_(MESSAGE.c.relayed_at.is_(None), ahead, *waits)


UNSENT = queries.ASSIGNMENTS.join(CYCLE, CYCLE.c.id == ASSIGNMENT.c.cycle_id).where(
    ASSIGNMENT.c.status == literal_column("'queued'"),  # literal, for the partial index
    CYCLE.c.status.in_(sorted(status.value for status in ASKING)),
    _waited_long_enough(),
)
_UNSENT = UNSENT.order_by(ASSIGNMENT.c.created_at, *queries.ASSIGNMENT_ORDER).limit(
    bindparam("at_most")
)
_MARK_SENT = (
    update(ASSIGNMENT)
    .where(ASSIGNMENT.c.id.in_(_IN_VALUES))
    .values(sent_at=bindparam("moment"), sends=ASSIGNMENT.c.sends + 1)
)
_MARK_DELIVERED = (
    update(ASSIGNMENT)
    .where(ASSIGNMENT.c.id.in_(_IN_VALUES), QUEUED_ONLY)
    .values(status=AssignmentStatus.DELIVERED.value, delivered_at=bindparam("moment"))
)
_MARK_OPENED = (
    update(ASSIGNMENT)
    .where(
        ASSIGNMENT.c.id == bindparam("which"),
        ASSIGNMENT.c.status.in_([AssignmentStatus.QUEUED.value, AssignmentStatus.DELIVERED.value]),
    )
    .values(
        status=AssignmentStatus.OPENED.value,
        opened_at=bindparam("moment"),
        rubric_version=bindparam("rubric"),
    )
)
_UNANSWERED = (
    queries.ASSIGNMENTS.where(
        ASSIGNMENT.c.cycle_id == bindparam("cycle"), ASSIGNMENT.c.reviewer.in_(_IN_VALUES)
    )
    .where(OPEN_ONLY)
    .order_by(ASSIGNMENT.c.created_at, *queries.ASSIGNMENT_ORDER)
    .limit(bindparam("at_most"))
)
_MAY_BE_SENT = or_(
    MESSAGE.c.state == "queued",
    and_(
        MESSAGE.c.state == "sending",
        or_(
            MESSAGE.c.claimed_at < bindparam("stuck"),
            # A claim in the future: the clock was set back since.
            MESSAGE.c.claimed_at > bindparam("stuck_ahead"),
        ),
    ),
)
WAITING_MAILS = select(*MAIL_COLUMNS).where(_MAY_BE_SENT, _relayed_long_ago())
# Those of the office first: a person waits for them at the sign-in page.
_WAITING_MAILS = WAITING_MAILS.order_by(
    MESSAGE.c.cycle_id.is_not(None), MESSAGE.c.created_at, MESSAGE.c.id
).limit(bindparam("at_most"))
_MARK_RELAYED = (
    update(MESSAGE).where(MESSAGE.c.id.in_(_IN_VALUES)).values(relayed_at=bindparam("moment"))
)
_CLAIM_MAIL = (
    update(MESSAGE)
    .where(MESSAGE.c.id == bindparam("which"), _MAY_BE_SENT)
    # The condition decides between two workers: only the one whose update finds a row sends.
    .values(
        state="sending",
        claimed_at=bindparam("moment"),
        attempts=MESSAGE.c.attempts + 1,
        code=func.coalesce(MESSAGE.c.code, bindparam("new_code")),
    )
)
_KNOWN_MAILS = select(MESSAGE.c.id).where(MESSAGE.c.id.in_(_IN_VALUES))
_STATE_OF_MAIL = select(MESSAGE.c.state).where(MESSAGE.c.id == bindparam("which"))
_MAIL = select(*MAIL_COLUMNS).where(MESSAGE.c.id == bindparam("which"))


class SqlOutbox(Outbox, Coordination):
    """The outgoing half of the ledger; every method may be repeated and run twice at once."""

    _database: Database

    @override
    def unsent(
        self, *, again_after: float, at_most: int, without: Collection[str] = ()
    ) -> tuple[Assignment, ...]:
        query = _UNSENT
        if without:
            query = query.where(ASSIGNMENT.c.cycle_id.not_in(sorted(without)))
        with self._database.reading() as connection:
            now = self._database.now(connection)
            limits = {"at_most": at_most, **unsent_since(now, again_after)}
            try:
                return tuple(map(to_assignment, connection.execute(query, limits)))
            except UNREADABLE:
                # A moment that is none fails before its row is there: look at one cycle at a time.
                raise _first_damaged(connection, query, limits) from None

    @override
    def mark_sent(self, ids: Collection[str]) -> None:
        if not ids:
            return
        with self._database.writing() as connection:
            _lock_cycles(connection, ids)
            moved_in(connection, _MARK_SENT, ids, moment=self._database.now(connection))

    @override
    def unanswered(
        self, cycle_id: str, automatic: Collection[int], *, at_most: int
    ) -> tuple[Assignment, ...]:
        with self._database.reading() as connection:
            rows = rows_in(connection, _UNANSWERED, automatic, cycle=cycle_id, at_most=at_most)
            if not rows:
                require_cycle(connection, cycle_id)
        return tuple(to_assignment(row) for row in rows[:at_most])

    @override
    def mark_delivered(self, ids: Collection[str]) -> int:
        if not ids:
            return 0
        with self._database.writing() as connection:
            _lock_cycles(connection, ids)
            now = self._database.now(connection)
            return moved_in(connection, _MARK_DELIVERED, ids, moment=now)

    @override
    def mark_opened(self, assignment_id: str, *, rubric_version: int) -> bool:
        with self._database.writing() as connection:
            moved = connection.execute(
                _MARK_OPENED,
                {
                    "which": assignment_id,
                    "moment": self._database.now(connection),
                    "rubric": rubric_version,
                },
            )
            return moved.rowcount == 1

    @override
    def mails(self, *, at_most: int, again_after: float = 0.0) -> tuple[Mail, ...]:
        with self._database.reading() as connection:
            # The real time: a mail server does not follow the offset that tests set.
            limits = mails_since(self._database.now(connection, real=True), again_after)
            rows = connection.execute(_WAITING_MAILS, {"at_most": at_most, **limits})
            return tuple(to_mail(row) for row in rows)

    @override
    def mark_relayed(self, ids: Collection[str]) -> None:
        with self._database.writing() as connection:
            now = self._database.now(connection, real=True)
            moved_in(connection, _MARK_RELAYED, ids, moment=now)

    @override
    def claim_mail(self, mail_id: str) -> Mail | None:
        with self._database.writing() as connection:
            now = self._database.now(connection, real=True)
            claim = {
                "which": mail_id,
                "moment": now,
                "stuck": now - MAIL_STUCK,
                "stuck_ahead": now + MAIL_STUCK,
                "new_code": _new_code(),
            }
            if connection.execute(_CLAIM_MAIL, claim).rowcount == 0:
                return None
            return to_mail(connection.execute(_MAIL, {"which": mail_id}).one())

    @override
    def known_mails(self, ids: Collection[str]) -> frozenset[str]:
        with self._database.reading() as connection:
            return frozenset(row.id for row in rows_in(connection, _KNOWN_MAILS, ids))

    @override
    def put_mail_off(self, mail_id: str, why: str, *, at_most: int) -> bool:
        put_off = (
            update(MESSAGE)
            .where(MESSAGE.c.id == mail_id)
            .values(
                state=case((MESSAGE.c.attempts < at_most, "queued"), else_="failed"),
                detail=why,
            )
        )
        with self._database.writing() as connection:
            connection.execute(put_off)
            _forget_secrets(connection, mail_id)
            state = connection.execute(_STATE_OF_MAIL, {"which": mail_id}).scalar_one()
            return bool(state == "queued")

    @override
    def mark_mail(self, mail_id: str, state: str, *, detail: str = "") -> None:
        with self._database.writing() as connection:
            # A report may be here before the session with the server has ended.
            open_one = (MESSAGE.c.id == mail_id, MESSAGE.c.state != CAME_BACK)
            connection.execute(update(MESSAGE).where(*open_one).values(state=state, detail=detail))
            _forget_secrets(connection, mail_id)


def _new_code() -> str:
    """Make the code of a mail: 130 random bits, in letters that no server changes."""
    return CODE_MARK + "".join(secrets.choice(_LETTERS) for _ in range(CODE_LENGTH))


def unsent_since(now: datetime, again_after: float) -> Values:
    """Return the parameters of `UNSENT`."""
    return {"moment": now} | {
        f"before_{power}": now - timedelta(seconds=again_after * 2**power)
        for power in range(_DOUBLINGS + 1)
    }


def mails_since(now: datetime, again_after: float) -> Values:
    """Return the parameters of `WAITING_MAILS`, from the database's own time."""
    return {
        "mail_moment": now,
        "stuck": now - MAIL_STUCK,
        "stuck_ahead": now + MAIL_STUCK,
    } | {
        f"relayed_{power}": now - timedelta(seconds=again_after * 2**power)
        for power in range(_DOUBLINGS + 1)
    }


def _first_damaged(
    connection: Connection, query: Select[*tuple[Any, ...]], limits: Mapping[str, object]
) -> DamagedRecordError:
    """Name the first cycle of which a query of assignments cannot be read."""
    for cycle_id in connection.execute(select(CYCLE.c.id).order_by(CYCLE.c.id)).scalars().all():
        try:
            connection.execute(query.where(ASSIGNMENT.c.cycle_id == cycle_id), limits).all()
        except UNREADABLE as error:
            return DamagedRecordError(
                "row_damaged",
                cycle=cycle_id,
                table=ASSIGNMENT.name,
                problem=type(error).__name__,
            )
    return DamagedRecordError("value_damaged", problem=ASSIGNMENT.name)


def _forget_secrets(connection: Connection, mail_id: str) -> None:
    """Erase the words of an office mail, which hold a way in, once sending it has ended."""
    connection.execute(
        update(MESSAGE)
        .where(
            MESSAGE.c.id == mail_id,
            MESSAGE.c.cycle_id.is_(None),
            MESSAGE.c.state.in_(["sent", "failed", NOT_SENT]),
        )
        .values(text="", html="")
    )


def _lock_cycles(connection: Connection, ids: Collection[str]) -> None:
    """Take the cycles' locks, in one order, before the rows of several assignments.

    One row alone cannot deadlock: its holder waits for nothing else.
    """
    if len(ids) > 1:
        for cycle_id in sorted({cycle_of(id_) for id_ in ids}):
            connection.execute(LOCK_CYCLE, {"cycle": cycle_id})
