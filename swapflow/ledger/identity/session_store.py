"""Sessions, and the mailed links and codes of the sign-in, in SQL."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, tuple_, update
from typing_extensions import override

from swapflow.engine.ports.records import Mail, MailRecord
from swapflow.identity.account import (
    Account,
    Method,
    RevokedAccess,
    Session,
    SignIn,
)
from swapflow.identity.ports.identity_store import IdentityStore
from swapflow.ledger.core.clock import CLOCK_COLUMNS
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import MAIL_COLUMNS, columns
from swapflow.ledger.core.statements import insert_ignoring
from swapflow.ledger.identity.last_uses import LastUses, Used
from swapflow.ledger.identity.personal_links import SqlPersonalLinks
from swapflow.ledger.schema import (
    ACCOUNT,
    ACCOUNT_GROUP,
    API_TOKEN,
    MESSAGE,
    PERSONAL_LINK,
    SESSION,
    SIGN_IN,
)


ACCOUNT_COLUMNS = columns(ACCOUNT, Account)
_ACCOUNT_NAMES = [column.name for column in ACCOUNT_COLUMNS]
_SESSION = columns(SESSION, Session)
_SESSION_NAMES = [column.name for column in _SESSION]
_SIGN_IN = columns(SIGN_IN, SignIn)

# Queries of every page are built once.
_OPEN_SESSION = (
    select(*(c.label(f"session_{c.name}") for c in _SESSION), *ACCOUNT_COLUMNS, *CLOCK_COLUMNS)
    .join(ACCOUNT, ACCOUNT.c.id == SESSION.c.account_id)
    .where(SESSION.c.digest == bindparam("digest"), ACCOUNT.c.active)
)


class SqlSessionStore(SqlPersonalLinks, IdentityStore):
    """The part of the office's record for sessions and mailed links."""

    _database: Database
    _last_uses: LastUses

    @override
    def add_session(self, session: Session) -> None:
        with self._database.writing() as connection:
            connection.execute(insert(SESSION), asdict(session))
            connection.execute(
                update(ACCOUNT)
                .where(ACCOUNT.c.id == session.account_id)
                .values(last_seen_at=session.last_seen_at)
            )

    @override
    def session(self, digest: str) -> tuple[Session, Account] | None:
        with self._database.reading() as connection:
            row = connection.execute(_OPEN_SESSION, {"digest": digest}).one_or_none()
            if row is None or row.session_expires_at <= self._database.time_in(row):
                return None
        # By place: this is read for each page, and both tables have columns of one name.
        session = dict(zip(_SESSION_NAMES, row, strict=False))
        account = dict(zip(_ACCOUNT_NAMES, row[len(_SESSION_NAMES) :], strict=False))
        return _session(session), Account(**account)

    @override
    def sessions(self, account_id: str) -> tuple[Session, ...]:
        query = select(*_SESSION).where(SESSION.c.account_id == account_id)
        with self._database.reading() as connection:
            now = self._database.now(connection)
            rows = connection.execute(query.order_by(SESSION.c.created_at.desc()))
            return tuple(_session(r._asdict()) for r in rows if r.expires_at > now)

    @override
    def touch_session(self, digest: str) -> None:
        self._last_uses.note(Used.SESSION, digest)

    @override
    def end_session(self, digest: str) -> None:
        with self._database.writing() as connection:
            connection.execute(delete(SESSION).where(SESSION.c.digest == digest))

    @override
    def end_sessions(self, account_id: str, *, but: str = "") -> int:
        with self._database.writing() as connection:
            return connection.execute(
                delete(SESSION).where(SESSION.c.account_id == account_id, SESSION.c.digest != but)
            ).rowcount

    @override
    def shut_out(self, account: Account) -> RevokedAccess:
        with self._database.writing() as connection:
            now = self._database.now(connection)
            keys = update(API_TOKEN).where(
                API_TOKEN.c.account_id == account.id, API_TOKEN.c.revoked_at.is_(None)
            )
            open_ways = (
                SIGN_IN.c.email == account.email,
                SIGN_IN.c.used_at.is_(None),
                SIGN_IN.c.expires_at > now,
            )
            mine = select(MESSAGE.c.id).where(func.lower(MESSAGE.c.to) == account.email)
            theirs = update(PERSONAL_LINK).where(
                PERSONAL_LINK.c.message_id.in_(mine), PERSONAL_LINK.c.used_at.is_(None)
            )
            connection.execute(theirs.values(used_at=now))
            requests = select(func.count(SIGN_IN.c.expires_at.distinct())).where(*open_ways)
            links = connection.execute(requests).scalar_one()
            connection.execute(update(SIGN_IN).where(*open_ways).values(used_at=now))
            # Roles by groups come back with a sign-in that states the groups anew.
            connection.execute(
                delete(ACCOUNT_GROUP).where(ACCOUNT_GROUP.c.account_id == account.id)
            )
            ended = delete(SESSION).where(SESSION.c.account_id == account.id)
            return RevokedAccess(
                sessions=connection.execute(ended).rowcount,
                keys=connection.execute(keys.values(revoked_at=now)).rowcount,
                links=links,
            )

    @override
    def add_sign_in(self, sign_in: SignIn, mail: Mail | None) -> None:
        with self._database.writing() as connection:
            connection.execute(insert(SIGN_IN), asdict(sign_in))
            if mail is not None:
                queue_office_mail(connection, mail, at=self._database.now(connection))

    @override
    def queue_mail(self, mail: Mail) -> bool:
        with self._database.writing() as connection:
            return queue_office_mail(connection, mail, at=self._database.now(connection))

    @override
    def knows_mail(self, mail_id: str) -> bool:
        with self._database.reading() as connection:
            found = connection.execute(select(MESSAGE.c.id).where(MESSAGE.c.id == mail_id))
            return found.one_or_none() is not None

    @override
    def latest_mail(self, begins: str) -> MailRecord | None:
        extras = (MESSAGE.c.detail, MESSAGE.c.created_at, MESSAGE.c.attempts)
        query = (
            select(*MAIL_COLUMNS, *extras)
            .where(MESSAGE.c.cycle_id.is_(None), MESSAGE.c.id.startswith(begins, autoescape=True))
            .order_by(MESSAGE.c.created_at.desc(), MESSAGE.c.id.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        known = row._asdict()
        outcome = {column.name: known.pop(column.name) for column in extras}
        return MailRecord(mail=Mail(**known), **outcome)

    @override
    def sign_in(self, digest: str) -> SignIn | None:
        with self._database.reading() as connection:
            row = connection.execute(
                select(*_SIGN_IN).where(SIGN_IN.c.digest == digest)
            ).one_or_none()
            return SignIn(**row._asdict()) if row else None

    @override
    def latest_sign_in(self, email: str) -> SignIn | None:
        query = (
            select(*_SIGN_IN)
            .where(SIGN_IN.c.email == email.strip().lower())
            # A request has no code of its own: those that left in its mail come first.
            .order_by(SIGN_IN.c.created_at.desc(), SIGN_IN.c.code.desc(), SIGN_IN.c.digest)
            .limit(1)
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
            return SignIn(**row._asdict()) if row else None

    @override
    def use_sign_in(self, digest: str) -> bool:
        with self._database.writing() as connection:
            now = self._database.now(connection)
            of_link = select(SIGN_IN.c.email, SIGN_IN.c.expires_at)
            # A conditional update: of two devices that follow the same link at once, one gets in.
            # With it goes the request itself, and what else left in its mail.
            used = update(SIGN_IN).where(
                tuple_(SIGN_IN.c.email, SIGN_IN.c.expires_at).in_(
                    of_link.where(SIGN_IN.c.digest == digest)
                ),
                SIGN_IN.c.used_at.is_(None),
                SIGN_IN.c.expires_at > now,
            )
            return bool(connection.execute(used.values(used_at=now)).rowcount)

    @override
    def count_wrong_code(self, digest: str) -> int:
        with self._database.writing() as connection:
            connection.execute(
                update(SIGN_IN).where(SIGN_IN.c.digest == digest).values(tries=SIGN_IN.c.tries + 1)
            )
            tries = select(SIGN_IN.c.tries).where(SIGN_IN.c.digest == digest)
            return int(connection.execute(tries).scalar_one())


def queue_office_mail(connection: Connection, mail: Mail, *, at: datetime) -> bool:
    """Store a mail that belongs to no cycle; False where one with its id is there already."""
    row = asdict(mail) | {
        "cycle_id": None,
        "detail": "",
        "created_at": at,
        "relayed_at": None,
        "claimed_at": None,
        "attempts": 0,
    }
    return bool(insert_ignoring(connection, MESSAGE, [row]))


def _session(row: dict[str, Any]) -> Session:
    return Session(**row | {"method": Method(row["method"])})
