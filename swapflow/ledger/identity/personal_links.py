"""Personal links of mails, stored and found by the digests of their tokens."""

from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, insert, select, update
from typing_extensions import override

from swapflow.domain.personal_link import LeadsTo, PersonalLink
from swapflow.engine.ports.outbox import FoundLink, PersonalLinks
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import AnyRow, columns
from swapflow.ledger.schema import LINK_TOKEN, MESSAGE, PERSONAL_LINK, SIGN_IN


_LINK = columns(PERSONAL_LINK, PersonalLink)
_OF_MAIL = select(*_LINK).where(PERSONAL_LINK.c.message_id == bindparam("which"))
_REQUEST = select(SIGN_IN).where(
    SIGN_IN.c.digest == bindparam("request"),
    SIGN_IN.c.used_at.is_(None),
    SIGN_IN.c.expires_at > bindparam("now"),
)
_BY_DIGEST = (
    select(*_LINK, LINK_TOKEN.c.made_at, MESSAGE.c.to)
    .join(MESSAGE, MESSAGE.c.id == PERSONAL_LINK.c.message_id)
    .join(LINK_TOKEN, LINK_TOKEN.c.message_id == PERSONAL_LINK.c.message_id)
    .where(LINK_TOKEN.c.digest == bindparam("digest"))
)


class SqlPersonalLinks(PersonalLinks):
    """The part of both records that knows personal links."""

    _database: Database

    @override
    def link_of_mail(self, mail_id: str) -> PersonalLink | None:
        with self._database.reading() as connection:
            row = connection.execute(_OF_MAIL, {"which": mail_id}).one_or_none()
            return None if row is None else _link(row)

    @override
    def add_link_token(self, mail_id: str, digest: str) -> None:
        with self._database.writing() as connection:
            now = self._database.now(connection)
            row = {"digest": digest, "message_id": mail_id, "made_at": now}
            connection.execute(insert(LINK_TOKEN), row)

    @override
    def add_sign_in_token(self, request: str, digest: str, code: str) -> bool:
        with self._database.writing() as connection:
            now = self._database.now(connection)
            asked = connection.execute(_REQUEST, {"request": request, "now": now}).one_or_none()
            if asked is None:
                return False
            # `expires_at` stays that of the request: it says what belongs to one request, and a
            # mail that waited has a link that is good for so much less.
            row = asked._asdict() | {"digest": digest, "code": code, "created_at": now}
            connection.execute(insert(SIGN_IN), row)
            return True

    @override
    def personal_link(self, digest: str) -> FoundLink | None:
        with self._database.reading() as connection:
            row = connection.execute(_BY_DIGEST, {"digest": digest}).one_or_none()
        if row is None:
            return None
        return FoundLink(link=_link(row), to=row.to, made_at=row.made_at)

    @override
    def use_personal_link(self, mail_id: str) -> bool:
        with self._database.writing() as connection:
            now = self._database.now(connection)
            # A conditional update: of two devices that press at once, one gets in.
            used = (
                update(PERSONAL_LINK)
                .where(PERSONAL_LINK.c.message_id == mail_id, PERSONAL_LINK.c.used_at.is_(None))
                .values(used_at=now)
            )
            return bool(connection.execute(used).rowcount)


def forget_links(connection: Connection, mail_ids: Select[tuple[Any]]) -> None:
    """Delete the links of these mails with their tokens, so that they open nothing any more."""
    for table in (LINK_TOKEN, PERSONAL_LINK):
        connection.execute(delete(table).where(table.c.message_id.in_(mail_ids)))


def _link(row: AnyRow) -> PersonalLink:
    found = row._asdict()
    values = {column.name: found[column.name] for column in _LINK}
    return PersonalLink(**values | {"leads_to": LeadsTo(row.leads_to)})
