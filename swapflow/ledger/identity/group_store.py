"""Groups of an identity provider in SQL: what they give, and who was stated to be in them."""

from collections.abc import Collection

from sqlalchemy import Connection, delete, insert, select, update
from typing_extensions import override

from swapflow.identity.groups import ClaimState, GroupMember, GroupRole, SeenClaim
from swapflow.identity.permissions import Role, Scope
from swapflow.identity.ports.group_store import GroupStore
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.statements import insert_ignoring
from swapflow.ledger.identity.unit_store import require_unit
from swapflow.ledger.schema import ACCOUNT, ACCOUNT_GROUP, GROUP_CLAIM, GROUP_ROLE


_KEY = (GROUP_ROLE.c.group_name, GROUP_ROLE.c.role, GROUP_ROLE.c.scope, GROUP_ROLE.c.scope_id)


class SqlGroupStore(GroupStore):
    """The part of the office's record for groups."""

    _database: Database

    @override
    def group_roles(self) -> tuple[GroupRole, ...]:
        query = select(*_KEY).order_by(
            GROUP_ROLE.c.group_name, GROUP_ROLE.c.scope, GROUP_ROLE.c.scope_id, GROUP_ROLE.c.role
        )
        with self._database.reading() as connection:
            return tuple(
                GroupRole(
                    group=row.group_name,
                    role=Role(row.role),
                    scope=Scope(row.scope),
                    scope_id=row.scope_id,
                )
                for row in connection.execute(query)
            )

    @override
    def add_group_role(self, role: GroupRole, *, by: str) -> bool:
        with self._database.writing() as connection:
            if role.scope is Scope.UNIT:
                require_unit(connection, role.scope_id)
            row = {**_row(role), "by": by, "at": self._database.now(connection)}
            return bool(insert_ignoring(connection, GROUP_ROLE, [row]))

    @override
    def remove_group_role(self, role: GroupRole) -> bool:
        with self._database.writing() as connection:
            gone = connection.execute(delete(GROUP_ROLE).filter_by(**_row(role))).rowcount
            forget_idle_groups(connection)
            return bool(gone)

    @override
    def group_members(self) -> tuple[GroupMember, ...]:
        query = select(
            ACCOUNT_GROUP.c.account_id,
            ACCOUNT_GROUP.c.group_name.label("group"),
            ACCOUNT_GROUP.c.seen_at,
        ).order_by(ACCOUNT_GROUP.c.group_name, ACCOUNT_GROUP.c.account_id)
        with self._database.reading() as connection:
            return tuple(GroupMember(**row._asdict()) for row in connection.execute(query))

    @override
    def see_groups(
        self, account_id: str, names: Collection[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        with self._database.writing() as connection:
            # The account is locked: of two sign-ins at one moment the later one sees the other.
            connection.execute(
                select(ACCOUNT.c.id).where(ACCOUNT.c.id == account_id).with_for_update()
            )
            mine = select(ACCOUNT_GROUP.c.group_name).where(
                ACCOUNT_GROUP.c.account_id == account_id
            )
            before = frozenset(connection.execute(mine).scalars())
            # Compared here: a claim may have more values than one statement takes.
            giving = connection.execute(select(GROUP_ROLE.c.group_name).distinct()).scalars()
            after = frozenset(giving) & frozenset(names)
            connection.execute(
                delete(ACCOUNT_GROUP).where(ACCOUNT_GROUP.c.account_id == account_id)
            )
            if after:
                now = self._database.now(connection)
                connection.execute(
                    insert(ACCOUNT_GROUP),
                    [
                        {"account_id": account_id, "group_name": name, "seen_at": now}
                        for name in sorted(after)
                    ],
                )
            return before, after

    @override
    def note_claim(self, account_id: str, state: ClaimState) -> None:
        with self._database.writing() as connection:
            row = {"at": self._database.now(connection), "state": state.value}
            known = GROUP_CLAIM.c.account_id == account_id
            if not connection.execute(update(GROUP_CLAIM).where(known).values(row)).rowcount:
                insert_ignoring(connection, GROUP_CLAIM, [{"account_id": account_id, **row}])

    @override
    def seen_claims(self) -> tuple[SeenClaim, ...]:
        query = select(GROUP_CLAIM).order_by(GROUP_CLAIM.c.at.desc(), GROUP_CLAIM.c.account_id)
        with self._database.reading() as connection:
            return tuple(
                SeenClaim(account_id=row.account_id, at=row.at, state=ClaimState(row.state))
                for row in connection.execute(query)
            )


def forget_idle_groups(connection: Connection) -> None:
    """Delete who is in groups that give no role: there is no purpose left for knowing it."""
    giving = select(GROUP_ROLE.c.group_name)
    connection.execute(delete(ACCOUNT_GROUP).where(ACCOUNT_GROUP.c.group_name.not_in(giving)))


def _row(role: GroupRole) -> dict[str, str]:
    return {
        "group_name": role.group,
        "role": role.role.value,
        "scope": role.scope.value,
        "scope_id": role.scope_id,
    }
