"""Everything that is held about one person, table by table.

A person's rows are found by the names of the columns, so that a later table is not forgotten:
`application` or `reviewer` of the cycle, an assignment or request of theirs.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, func, or_, select
from typing_extensions import override

from swapflow.errors import NotFoundError
from swapflow.identity.personal_data import (
    ActivityEntry,
    Held,
    HeldFile,
    PersonalDataRecord,
    PersonalDataReport,
)
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.known_rules import read_rules
from swapflow.ledger.core.statements import require_cycle
from swapflow.ledger.privacy.activity import activity
from swapflow.ledger.schema import (
    ACCOUNT,
    ACCOUNT_GROUP,
    ANNOUNCED,
    API_TOKEN,
    APPLICATION,
    APPROVAL,
    APPROVAL_PULL,
    ASSIGNMENT,
    AUDIT,
    CYCLE,
    DOCUMENT,
    DOCUMENT_CONTENT,
    GROUP_CLAIM,
    MESSAGE,
    NOTE,
    PERSON,
    PULL,
    ROLE_GRANT,
    ROSTER,
    SESSION,
    SIGN_IN,
)
from swapflow.ledger.schema.base import METADATA


SECRET = frozenset({"password", "digest", "salt", "task_key", "code", "secret", "body"})
"""Columns with a secret, a proof of one, or a whole file; they are left out."""

_DRAFT = "draft"

Condition = Callable[[Table], ColumnElement[bool] | None]
"""Returns the condition for the wanted rows of a table; None for no rows."""


class SqlPersonalData(PersonalDataRecord):
    """The port `PersonalDataRecord` in SQL, on the connections of a ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def applicant(self, cycle_id: str, external_id: str) -> PersonalDataReport:
        with self._database.reading() as connection:
            found = _one(connection, APPLICATION, cycle_id, external_id)
            number, person = found["number"], found["person_id"]
            asked = select(ASSIGNMENT.c.id).filter_by(cycle_id=cycle_id, application=number)
            pulls = select(PULL.c.id).filter_by(cycle_id=cycle_id, application=number)
            rows = dict(
                _held(
                    connection,
                    lambda table: _of_applicant(table, cycle_id, number, asked, pulls),
                )
            )
            rows["application"] = (_shown(APPLICATION, found),)
            rows |= _person(connection, person)
            name = rows["person"][0]["name"] if rows.get("person") else ""
            traces = (external_id, str(name or ""))
            rows |= _mails_about(connection, cycle_id, traces, letters=rows.get("message", ()))
            return PersonalDataReport(
                cycle_id=cycle_id,
                role="applicant",
                external_id=external_id,
                name=str(name or ""),
                at=self._database.now(connection),
                rows=rows,
                files=tuple(_files(connection, cycle_id, number)),
            )

    @override
    def reviewer(self, cycle_id: str, external_id: str) -> PersonalDataReport:
        with self._database.reading() as connection:
            found = _one(connection, ROSTER, cycle_id, external_id)
            number, person = found["number"], found["person_id"]
            asked = select(ASSIGNMENT.c.id).filter_by(cycle_id=cycle_id, reviewer=number)
            rows = dict(
                _held(connection, lambda table: _of_reviewer(table, cycle_id, number, asked))
            )
            rows["roster"] = (_shown(ROSTER, found),)
            rows |= _person(connection, person)
            known = rows["person"][0] if rows.get("person") else {}
            rows |= _account(connection, cycle_id, str(known.get("email") or ""))
            signed_in = rows["account"][0] if rows.get("account") else {}
            held = (known.get("name"), known.get("email"), signed_in.get("name"))
            names = [str(one) for one in (*held, signed_in.get("email"), external_id) if one]
            rows |= _reasons(connection, cycle_id, external_id, names, asked)
            return PersonalDataReport(
                cycle_id=cycle_id,
                role="reviewer",
                external_id=external_id,
                name=str(known.get("name") or ""),
                at=self._database.now(connection),
                rows=rows,
                files=(),
            )

    @override
    def confidential_words(self, cycle_id: str) -> tuple[str, ...]:
        with self._database.reading() as connection:
            require_cycle(connection, cycle_id)
            version = connection.scalar(select(CYCLE.c.rules_version).filter_by(id=cycle_id))
            return tuple(read_rules(connection, cycle_id, version or 0).confidential)

    @override
    def acts(self, cycle_id: str) -> tuple[ActivityEntry, ...]:
        with self._database.reading() as connection:
            require_cycle(connection, cycle_id)
            return activity(connection, cycle_id)


# One person


def _one(
    connection: Connection, table: Table, cycle_id: str, external_id: str
) -> Mapping[str, Any]:
    require_cycle(connection, cycle_id)
    query = select(table).filter_by(cycle_id=cycle_id, external_id=external_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFoundError("nobody_in_cycle", cycle=cycle_id, name=external_id)
    return row._asdict()


def _held(
    connection: Connection, condition: Condition
) -> Iterator[tuple[str, tuple[Mapping[str, Held], ...]]]:
    """Read every table for which there is a condition."""
    for table in METADATA.sorted_tables:
        where = condition(table)
        if where is None:
            continue
        rows = connection.execute(select(table).where(where)).all()
        if rows:
            yield table.name, tuple(_shown(table, row._asdict()) for row in rows)


def _of_applicant(
    table: Table, cycle_id: str, number: int, asked: Select[Any], pulls: Select[Any]
) -> ColumnElement[bool] | None:
    columns = table.c
    if table is APPROVAL:
        struck = select(APPROVAL_PULL.c.approval_id).where(APPROVAL_PULL.c.pull_id.in_(pulls))
        return APPROVAL.c.id.in_(struck)
    if table is MESSAGE:
        letters = select(ANNOUNCED.c.message_id).filter_by(cycle_id=cycle_id, application=number)
        return MESSAGE.c.id.in_(letters)
    if "application" in columns and "cycle_id" in columns:
        return and_(columns.cycle_id == cycle_id, columns.application == number)
    if "assignment_id" in columns:
        return columns.assignment_id.in_(asked)
    if "pull_id" in columns:
        return columns.pull_id.in_(pulls)
    return _through_parent(
        table, lambda parent: _of_applicant(parent, cycle_id, number, asked, pulls)
    )


def _of_reviewer(
    table: Table, cycle_id: str, number: int, asked: Select[Any]
) -> ColumnElement[bool] | None:
    columns = table.c
    if "reviewer" in columns and "cycle_id" in columns:
        return and_(columns.cycle_id == cycle_id, columns.reviewer == number)
    if "assignment_id" in columns:
        return columns.assignment_id.in_(asked)
    return None


def _through_parent(table: Table, condition: Condition) -> ColumnElement[bool] | None:
    """Follow a key into a table whose rows belong to the person, such as an offer's answer."""
    for key in table.foreign_keys:
        parent = key.column.table
        if "application" not in parent.c or parent is APPLICATION or "id" not in parent.c:
            continue
        where = condition(parent)
        if where is not None and key.column.name == "id":
            return key.parent.in_(select(parent.c.id).where(where))
    return None


def _shown(table: Table, row: Mapping[str, Any]) -> Mapping[str, Held]:
    """Return a row as plain values, without secrets."""
    shown: dict[str, Held] = {}
    for name, value in row.items():
        if name in SECRET and table.name != _DRAFT:
            continue
        shown[name] = value.isoformat() if isinstance(value, datetime) else value
    return shown


def _person(
    connection: Connection, person: str | None
) -> dict[str, tuple[Mapping[str, Held], ...]]:
    row = connection.execute(select(PERSON).filter_by(id=person)).one_or_none()
    return {"person": (_shown(PERSON, row._asdict()),)} if row is not None else {}


def _mails_about(
    connection: Connection,
    cycle_id: str,
    traces: Collection[str],
    *,
    letters: tuple[Mapping[str, Held], ...],
) -> dict[str, tuple[Mapping[str, Held], ...]]:
    """Add the mails that mention a person to their letters.

    Of those only the subject is listed, since the rest concerns others.
    """
    spoken = [
        column.contains(trace, autoescape=True)
        for trace in traces
        if len(trace) > 2  # noqa: PLR2004 - shorter ones occur in every text
        for column in (MESSAGE.c.subject, MESSAGE.c.text)
    ]
    if not spoken:
        return {"message": letters} if letters else {}
    query = (
        select(MESSAGE.c.id, MESSAGE.c.subject, MESSAGE.c.state, MESSAGE.c.created_at)
        .where(MESSAGE.c.cycle_id == cycle_id, or_(*spoken))
        .order_by(MESSAGE.c.created_at, MESSAGE.c.id)
    )
    known = {letter["id"] for letter in letters}
    rows = [row for row in connection.execute(query) if row.id not in known]
    mails = (*letters, *(_shown(MESSAGE, row._asdict()) for row in rows))
    return {"message": mails} if mails else {}


def _account(
    connection: Connection, cycle_id: str, email: str
) -> dict[str, tuple[Mapping[str, Held], ...]]:
    """Return what is held of a person's account, and the mails that they were sent."""
    if not email:
        return {}
    account = select(ACCOUNT.c.id).where(func.lower(ACCOUNT.c.email) == email.lower())
    wanted = (
        (ACCOUNT, ACCOUNT.c.id.in_(account)),
        (SESSION, SESSION.c.account_id.in_(account)),
        (API_TOKEN, API_TOKEN.c.account_id.in_(account)),
        (SIGN_IN, func.lower(SIGN_IN.c.email) == email.lower()),
        (ROLE_GRANT, ROLE_GRANT.c.who.in_(account)),
        (ACCOUNT_GROUP, ACCOUNT_GROUP.c.account_id.in_(account)),
        (GROUP_CLAIM, GROUP_CLAIM.c.account_id.in_(account)),
        (AUDIT, func.lower(AUDIT.c.who) == email.lower()),
        (
            MESSAGE,
            and_(MESSAGE.c.cycle_id == cycle_id, func.lower(MESSAGE.c.to) == email.lower()),
        ),
    )
    found = {}
    for table, where in wanted:
        rows = connection.execute(select(table).where(where)).all()
        if rows:
            found[table.name] = tuple(_shown(table, row._asdict()) for row in rows)
    return found


def _reasons(
    connection: Connection,
    cycle_id: str,
    external_id: str,
    names: Collection[str],
    asked: Select[Any],
) -> dict[str, tuple[Mapping[str, Held], ...]]:
    """Return the reasons that a reviewer wrote, and those that staff wrote about them."""
    theirs = and_(NOTE.c.subject.in_(asked), NOTE.c.by.in_(names))
    query = (
        select(NOTE)
        .where(
            NOTE.c.cycle_id == cycle_id, or_(theirs, NOTE.c.subject == f"reviewer {external_id}")
        )
        .order_by(NOTE.c.id)
    )
    rows = connection.execute(query).all()
    return {"note": tuple(_shown(NOTE, row._asdict()) for row in rows)} if rows else {}


def _files(connection: Connection, cycle_id: str, number: int) -> Iterator[HeldFile]:
    content = DOCUMENT_CONTENT.c
    query = (
        select(DOCUMENT.c.name, content.media, content.body)
        .join(
            DOCUMENT,
            and_(
                DOCUMENT.c.cycle_id == content.cycle_id,
                DOCUMENT.c.application == content.application,
                DOCUMENT.c.position == content.position,
                DOCUMENT.c.version == content.version,
            ),
        )
        .where(content.cycle_id == cycle_id, content.application == number)
        .order_by(content.position)
    )
    for name, media, body in connection.execute(query):
        yield HeldFile(name=name, media=media, body=bytes(body))
