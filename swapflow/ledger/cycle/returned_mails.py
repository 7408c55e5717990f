"""Mails that came back, found by their codes, and reports that fit none of ours.

A mail that came back is the row of the mail itself, in another state: what erases, exports or
empties mails does so with it.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    delete,
    func,
    select,
    update,
)
from typing_extensions import override

from swapflow.domain.returned_mail import (
    CAME_BACK,
    KEPT_BACK,
    SETTLED,
    Bounce,
    BounceKind,
    ReturnedMail,
    StrayBounces,
)
from swapflow.engine.ports.outbox import ReturnedMails
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.statements import insert_ignoring
from swapflow.ledger.schema import MESSAGE, STRAY_BOUNCE


SENT_ANEW: Mapping[str, Any] = {
    "state": "queued",
    "detail": "",
    "relayed_at": None,
    "claimed_at": None,
    "came_back": None,
    "came_back_at": None,
    # Reports of the first try that arrive late must not be taken for one of the second.
    "code": None,
}
"""What becomes of the row of a mail that is sent once more."""

MOST_SHOWN = 200
"""Mails that came back which are read at once; when these are settled, the next are."""

MOST_STRAYS = 2_000
"""Reports that fit none of our mails which are kept apart; anybody can write them."""

_MOST_REPORTERS = 5

_OF_CODE = select(MESSAGE.c.id).where(MESSAGE.c.code == bindparam("code"))
# Without the words of the mails: To do and the tables of people read this each time.
_SHOWN = (
    MESSAGE.c.id,
    MESSAGE.c.to,
    MESSAGE.c.subject,
    MESSAGE.c.came_back,
    MESSAGE.c.came_back_at,
    MESSAGE.c.detail,
)
_DEAD = (
    select(MESSAGE.c.id)
    .where(
        MESSAGE.c.state == CAME_BACK,
        MESSAGE.c.came_back == BounceKind.ADDRESS.value,
        func.lower(MESSAGE.c.to) == bindparam("address"),
    )
    .limit(1)
)
_MARK = (
    update(MESSAGE)
    # Not one that was settled: what is told twice is one line, and stays seen to.
    .where(MESSAGE.c.id == bindparam("which"), MESSAGE.c.state.in_(("sent", "sending")))
    .values(
        state=CAME_BACK,
        came_back=bindparam("kind"),
        came_back_at=bindparam("moment"),
        detail=bindparam("said"),
    )
)


class SqlReturnedMails(ReturnedMails):
    """The part of the ledger that knows mails which came back."""

    _database: Database

    @override
    def mail_of_code(self, code: str) -> str | None:
        with self._database.reading() as connection:
            found: str | None = connection.execute(_OF_CODE, {"code": code}).scalar_one_or_none()
            return found

    @override
    def mark_came_back(self, mail_id: str, kind: BounceKind, *, said: str) -> bool:
        with self._database.writing() as connection:
            now = self._database.now(connection)
            marked = {"which": mail_id, "kind": kind.value, "moment": now, "said": said}
            if not connection.execute(_MARK, marked).rowcount:
                return False
            # The words of an office mail hold a way in; it is never sent from here again.
            office = (MESSAGE.c.id == mail_id, MESSAGE.c.cycle_id.is_(None))
            connection.execute(update(MESSAGE).where(*office).values(text="", html=""))
            return True

    @override
    def is_dead(self, address: str) -> bool:
        with self._database.reading() as connection:
            return connection.execute(_DEAD, {"address": address.lower()}).first() is not None

    @override
    def returned_mails(self, cycle_id: str | None) -> tuple[ReturnedMail, ...]:
        here = _here(cycle_id)
        query = (
            select(*_SHOWN)
            .where(here, MESSAGE.c.state == CAME_BACK, MESSAGE.c.to != "")
            .order_by(MESSAGE.c.came_back_at.desc(), MESSAGE.c.id)
            .limit(MOST_SHOWN)
        )
        waits = select(MESSAGE.c.to).where(here, MESSAGE.c.state == KEPT_BACK)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
            kept = (
                Counter(to.lower() for to in connection.execute(waits).scalars())
                if rows
                else Counter[str]()
            )
        return tuple(
            ReturnedMail(
                mail_id=row.id,
                to=row.to,
                subject=row.subject,
                kind=BounceKind(row.came_back),
                said=row.detail,
                at=row.came_back_at,
                kept_back=kept[row.to.lower()],
            )
            for row in rows
        )

    @override
    def settle_returned(self, cycle_id: str | None, addresses: Collection[str]) -> int:
        named = sorted({one.lower() for one in addresses if one})
        settled = (
            update(MESSAGE)
            .where(
                _here(cycle_id), MESSAGE.c.state == CAME_BACK, func.lower(MESSAGE.c.to).in_(named)
            )
            .values(state=SETTLED)
        )
        with self._database.writing() as connection:
            return connection.execute(settled).rowcount

    @override
    def add_stray(self, bounce: Bounce) -> bool:
        with self._database.writing() as connection:
            kept = connection.execute(select(func.count()).select_from(STRAY_BOUNCE)).scalar_one()
            row = {
                "digest": bounce.digest,
                "why": bounce.reading.value,
                "reporter": bounce.reporter,
                "status": bounce.status,
                "at": self._database.now(connection),
            }
            added = bool(insert_ignoring(connection, STRAY_BOUNCE, [row]))
            if added and kept >= MOST_STRAYS:
                oldest = select(func.min(STRAY_BOUNCE.c.at)).scalar_subquery()
                connection.execute(delete(STRAY_BOUNCE).where(STRAY_BOUNCE.c.at == oldest))
            return added

    @override
    def stray_bounces(self) -> StrayBounces:
        by_reporter = (
            select(STRAY_BOUNCE.c.reporter, func.count().label("n"), func.max(STRAY_BOUNCE.c.at))
            .group_by(STRAY_BOUNCE.c.reporter)
            .order_by(func.count().desc(), STRAY_BOUNCE.c.reporter)
        )
        with self._database.reading() as connection:
            rows = connection.execute(by_reporter).all()
        return StrayBounces(
            count=sum(row[1] for row in rows),
            last_at=max((row[2] for row in rows), default=None),
            reporters=tuple((row[0], row[1]) for row in rows[:_MOST_REPORTERS] if row[0]),
        )

    @override
    def drop_strays(self) -> int:
        with self._database.writing() as connection:
            return connection.execute(delete(STRAY_BOUNCE)).rowcount


def send_anew(connection: Connection, which: ColumnElement[bool], *, to: str) -> None:
    """Send mails to another address that came back, or were kept back for one that did.

    Of reminders only the last goes: it says all that the others did.
    """
    waits = (CAME_BACK, KEPT_BACK)
    query = (
        select(MESSAGE.c.id)
        .where(which, MESSAGE.c.state.in_(waits))
        .order_by(MESSAGE.c.created_at.desc(), MESSAGE.c.id.desc())
    )
    seen: set[str] = set()
    last: list[str] = []
    over: list[str] = []
    for mail_id in connection.execute(query).scalars().all():
        subject = _says(mail_id)
        (over if subject in seen else last).append(mail_id)
        seen.add(subject)
    anew = update(MESSAGE).where(MESSAGE.c.id.in_(last)).values(**SENT_ANEW, to=to, attempts=0)
    connection.execute(anew)
    connection.execute(update(MESSAGE).where(MESSAGE.c.id.in_(over)).values(state=SETTLED))


def _says(mail_id: str) -> str:
    """Return what a mail is about, as its id tells: the same for all reminders of a person."""
    parts = mail_id.split(":")
    is_reminder = len(parts) > 1 and (
        parts[1] in {"waiting", "nudge", "sign"} or parts[1].startswith("remind")
    )
    return ":".join(["reminder", *parts[2:3]]) if is_reminder else mail_id


def _here(cycle_id: str | None) -> ColumnElement[bool]:
    return MESSAGE.c.cycle_id.is_(None) if cycle_id is None else MESSAGE.c.cycle_id == cycle_id
