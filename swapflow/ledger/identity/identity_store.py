"""The identity store in SQL: accounts, sessions, grants, API keys, the audit log."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Connection,
    Integer,
    bindparam,
    cast,
    delete,
    func,
    insert,
    null,
    select,
    union_all,
    update,
)
from sqlalchemy.exc import IntegrityError
from typing_extensions import override

from swapflow.domain.cycle import CycleStatus
from swapflow.errors import DamagedRecordError, InvalidInputError
from swapflow.identity.account import (
    Account,
    ApiToken,
    AuditEntry,
    SignInRequirement,
)
from swapflow.identity.permissions import Grant, Role, Scope
from swapflow.identity.ports.identity_store import IdentityStore
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import AnyRow, columns, to_rules
from swapflow.ledger.core.statements import insert_ignoring
from swapflow.ledger.identity.group_store import SqlGroupStore
from swapflow.ledger.identity.integration_store import SqlIntegrationStore
from swapflow.ledger.identity.last_uses import LastUses, Used
from swapflow.ledger.identity.session_store import ACCOUNT_COLUMNS, SqlSessionStore
from swapflow.ledger.identity.unit_store import (
    SqlUnitStore,
    grants_with_reach,
    require_unit,
    to_grants,
)
from swapflow.ledger.schema import (
    ACCOUNT,
    ACCOUNT_GROUP,
    API_TOKEN,
    AUDIT,
    CYCLE,
    PERSON,
    ROLE_GRANT,
    ROSTER,
    RULES,
    SESSION,
)


_TOKEN = columns(API_TOKEN, ApiToken)
_AUDIT = columns(AUDIT, AuditEntry)

_GRANTS = grants_with_reach(of_one=False)
_GRANTS_OF_ONE = grants_with_reach(of_one=True)
_SEATS = (
    select(ROSTER.c.cycle_id, ROSTER.c.number)
    .join(PERSON, PERSON.c.id == ROSTER.c.person_id)
    .where(func.lower(PERSON.c.email) == bindparam("email"), ROSTER.c.active)
)
# One statement of two parts: a seat has a number and no role.
_ACCESS: CompoundSelect[Any] = union_all(
    _GRANTS_OF_ONE.add_columns(cast(null(), Integer).label("number")),
    _SEATS.with_only_columns(
        *[cast(null(), c.type).label(c.name) for c in _GRANTS_OF_ONE.selected_columns][:-1],
        ROSTER.c.cycle_id,
        ROSTER.c.number,
    ),
)


class SqlIdentityStore(
    SqlSessionStore, SqlIntegrationStore, SqlUnitStore, SqlGroupStore, IdentityStore
):
    """The port `IdentityStore` in SQL, on the connections of a ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._last_uses = LastUses(database)

    @override
    def now(self) -> datetime:
        with self._database.reading() as connection:
            return self._database.now(connection)

    @override
    def one_moment(self) -> AbstractContextManager[None]:
        return self._database.one_moment()

    # Accounts and grants

    @override
    def add_account(self, account: Account) -> None:
        with self._database.writing() as connection:
            try:
                connection.execute(insert(ACCOUNT), asdict(account))
            except IntegrityError as error:
                raise InvalidInputError("account_exists", email=account.email) from error

    @override
    def set_password(self, account_id: str, password: str) -> None:
        with self._database.writing() as connection:
            _change(connection, account_id, password=password)

    @override
    def link_subject(self, account_id: str, subject: str) -> bool:
        with self._database.writing() as connection:
            free = (ACCOUNT.c.id == account_id) & ACCOUNT.c.subject.in_(("", subject))
            try:
                linked = connection.execute(update(ACCOUNT).where(free).values(subject=subject))
            except IntegrityError:
                return False
            return bool(linked.rowcount)

    @override
    def open_account(self, account_id: str) -> None:
        with self._database.writing() as connection:
            _change(connection, account_id, active=True)

    @override
    def close_account(self, account_id: str) -> None:
        with self._database.writing() as connection:
            _keep_an_administrator(connection, account_id)
            _change(connection, account_id, active=False)
            connection.execute(delete(SESSION).where(SESSION.c.account_id == account_id))
            # Opened again, it has what groups give from its next sign-in on.
            connection.execute(
                delete(ACCOUNT_GROUP).where(ACCOUNT_GROUP.c.account_id == account_id)
            )

    @override
    def account(self, account_id: str) -> Account | None:
        return self._one_account(ACCOUNT.c.id == account_id)

    @override
    def account_of(self, email: str) -> Account | None:
        return self._one_account(ACCOUNT.c.email == email.strip().lower())

    @override
    def account_with_subject(self, subject: str) -> Account | None:
        return self._one_account(ACCOUNT.c.subject == subject) if subject else None

    @override
    def accounts(self) -> tuple[Account, ...]:
        with self._database.reading() as connection:
            rows = connection.execute(select(*ACCOUNT_COLUMNS).order_by(ACCOUNT.c.email))
            return tuple(Account(**row._asdict()) for row in rows)

    def _one_account(self, condition: Any) -> Account | None:  # noqa: ANN401 - a SQL condition
        with self._database.reading() as connection:
            row = connection.execute(select(*ACCOUNT_COLUMNS).where(condition)).one_or_none()
            return Account(**row._asdict()) if row else None

    @override
    def grants(self, account_id: str | None = None) -> tuple[Grant, ...]:
        query = _GRANTS if account_id is None else _GRANTS_OF_ONE
        asked = {} if account_id is None else {"account": account_id}
        with self._database.reading() as connection:
            return to_grants(tuple(row) for row in connection.execute(query, asked))

    @override
    def add_grant(self, grant: Grant, *, by: str) -> None:
        with self._database.writing() as connection:
            if grant.scope is Scope.UNIT:
                require_unit(connection, grant.scope_id)
            row = {
                "who": grant.account,
                "role": grant.role.value,
                "scope": grant.scope.value,
                "scope_id": grant.scope_id,
                "by": by,
                "at": self._database.now(connection),
            }
            insert_ignoring(connection, ROLE_GRANT, [row])

    @override
    def remove_grant(self, grant: Grant) -> bool:
        with self._database.writing() as connection:
            if grant.role is Role.ADMINISTRATOR and grant.scope is Scope.OFFICE:
                _keep_an_administrator(connection, grant.account)
            removed = connection.execute(
                delete(ROLE_GRANT).filter_by(
                    who=grant.account,
                    role=grant.role.value,
                    scope=grant.scope.value,
                    scope_id=grant.scope_id,
                )
            )
            return bool(removed.rowcount)

    @override
    def seats(self, email: str) -> tuple[tuple[str, int], ...]:
        asked = {"email": email.strip().lower()}
        with self._database.reading() as connection:
            rows = connection.execute(_SEATS, asked)
            return tuple(sorted((row.cycle_id, row.number) for row in rows))

    @override
    def access(self, account: Account) -> tuple[tuple[Grant, ...], tuple[tuple[str, int], ...]]:
        asked = {"account": account.id, "email": account.email.strip().lower()}
        grants: list[tuple[Any, ...]] = []
        seats: list[tuple[str, int]] = []
        with self._database.reading() as connection:
            for *granted, number in connection.execute(_ACCESS, asked):
                if number is None:
                    grants.append(tuple(granted))
                else:
                    seats.append((granted[-1], number))
        return to_grants(grants), tuple(sorted(seats))

    @override
    def sign_in_requirements(self) -> tuple[SignInRequirement, ...]:
        query = (
            select(CYCLE.c.id, CYCLE.c.round_id, RULES.c.body)
            .join(
                RULES,
                (RULES.c.cycle_id == CYCLE.c.id) & (RULES.c.version == CYCLE.c.rules_version),
            )
            .where(CYCLE.c.status != CycleStatus.FINALIZED.value)
            .order_by(CYCLE.c.id)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return tuple(door for row in rows if (door := _requirement(row)) is not None)

    # Keys of programs

    @override
    def add_token(self, token: ApiToken) -> None:
        with self._database.writing() as connection:
            connection.execute(insert(API_TOKEN), asdict(token) | {"scopes": list(token.scopes)})

    @override
    def token(self, digest: str) -> tuple[ApiToken, Account] | None:
        query = select(*_TOKEN).where(API_TOKEN.c.digest == digest)
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
            now = self._database.now(connection)
        if row is None or row.revoked_at is not None:
            return None
        if row.expires_at is not None and row.expires_at <= now:
            return None
        account = self.account(row.account_id)
        return (_token(row), account) if account and account.active else None

    @override
    def tokens(self, account_id: str | None = None) -> tuple[ApiToken, ...]:
        query = select(*_TOKEN).order_by(API_TOKEN.c.created_at.desc(), API_TOKEN.c.id)
        if account_id is not None:
            query = query.where(API_TOKEN.c.account_id == account_id)
        with self._database.reading() as connection:
            return tuple(map(_token, connection.execute(query)))

    @override
    def touch_token(self, token_id: str) -> None:
        self._last_uses.note(Used.TOKEN, token_id)

    @override
    def revoke_token(self, token_id: str) -> bool:
        with self._database.writing() as connection:
            return bool(
                connection.execute(
                    update(API_TOKEN)
                    .where(API_TOKEN.c.id == token_id, API_TOKEN.c.revoked_at.is_(None))
                    .values(revoked_at=self._database.now(connection))
                ).rowcount
            )

    # Record

    @override
    def record(self, entry: AuditEntry) -> None:
        with self._database.writing() as connection:
            connection.execute(insert(AUDIT), asdict(entry))

    @override
    def audit(
        self, *, cycle_id: str | None = None, before: int | None = None, at_most: int = 100
    ) -> Sequence[tuple[int, AuditEntry]]:
        query = select(AUDIT.c.id, *_AUDIT).order_by(AUDIT.c.id.desc()).limit(at_most)
        if cycle_id is not None:
            query = query.where(AUDIT.c.cycle_id == cycle_id)
        if before is not None:
            query = query.where(AUDIT.c.id < before)
        with self._database.reading() as connection:
            found = [row._asdict() for row in connection.execute(query)]
        return [(row.pop("id"), AuditEntry(**row)) for row in found]


def _token(row: AnyRow) -> ApiToken:
    found = row._asdict()
    return ApiToken(**found | {"scopes": tuple(found["scopes"])})


def _requirement(row: AnyRow) -> SignInRequirement | None:
    """Read what a cycle's rules require of a sign-in; None where they cannot be read.

    One damaged program must not keep everybody out; its own pages check the session themselves.
    """
    try:
        rules = to_rules(row.id, row.body)
    except DamagedRecordError:
        return None
    return SignInRequirement(
        cycle_id=row.id,
        round_id=row.round_id,
        sign_in=rules.sign_in,
        session_days=rules.session_days,
    )


def _change(connection: Connection, account_id: str, **values: str | bool) -> None:
    connection.execute(update(ACCOUNT).where(ACCOUNT.c.id == account_id).values(**values))


def _keep_an_administrator(connection: Connection, account_id: str) -> None:
    """Raise if this account is the only administrator of the office by hand.

    Those by groups do not count: a provider that sends other groups must not take the last one.

    The rows stay locked until the transaction ends: another removal of an administrator waits, and
    then counts again.

    Raises:
        InvalidInputError: If it is the last one.
    """
    query = (
        select(ACCOUNT.c.id, ACCOUNT.c.email)
        .join(ROLE_GRANT, ROLE_GRANT.c.who == ACCOUNT.c.id)
        .where(
            ROLE_GRANT.c.role == Role.ADMINISTRATOR.value,
            ROLE_GRANT.c.scope == Scope.OFFICE.value,
            ACCOUNT.c.active,
        )
        .order_by(ACCOUNT.c.id)
        .with_for_update()
    )
    found = connection.execute(query).all()
    if [row.id for row in found] == [account_id]:
        raise InvalidInputError("last_administrator", email=found[0].email)
