"""Units and the programs in them, in SQL, and what a grant on a unit covers."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    CTE,
    Connection,
    Select,
    String,
    bindparam,
    cast,
    delete,
    insert,
    null,
    select,
    union_all,
    update,
)
from sqlalchemy.exc import IntegrityError
from typing_extensions import override

from swapflow.errors import ConflictError, InvalidInputError, NotFoundError
from swapflow.identity.groups import GROUPS_HOLD
from swapflow.identity.permissions import Grant, Role, Scope
from swapflow.identity.ports.unit_store import UnitStore
from swapflow.identity.units import Unit, UnitMap
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import columns
from swapflow.ledger.schema import (
    ACCOUNT_GROUP,
    CYCLE,
    CYCLE_UNIT,
    GROUP_ROLE,
    ROLE_GRANT,
    ROUND,
    UNIT,
)


_UNIT = columns(UNIT, Unit)


def grants_with_reach(*, of_one: bool) -> Select[Any]:
    """Build the query for grants, and of those on units what they cover: a row for each program.

    One statement: each request asks for its principal's grants, and most are on no unit.

    Args:
        of_one: Only those of the account that the parameter `account` names.
    """
    held = _held(of_one=of_one)
    on_unit = held.c.scope == Scope.UNIT.value
    tops = select(held.c.scope_id.label("top"), held.c.scope_id.label("unit")).where(on_unit)
    covered = tops.cte("covered", recursive=True)
    # A union, not a union of all: two accounts may hold roles on one unit.
    covered = covered.union(
        select(covered.c.top, UNIT.c.id).join(UNIT, UNIT.c.parent_id == covered.c.unit)
    )
    reached = held.outerjoin(covered, on_unit & (covered.c.top == held.c.scope_id))
    return select(
        held.c.who,
        held.c.role,
        held.c.scope,
        held.c.scope_id,
        held.c.group_name,
        held.c.seen_at,
        covered.c.unit,
        CYCLE_UNIT.c.cycle_id,
    ).select_from(reached.outerjoin(CYCLE_UNIT, CYCLE_UNIT.c.unit_id == covered.c.unit))


def _held(*, of_one: bool) -> CTE:
    """Build the table of all grants: those by hand, and those that groups give."""
    by_hand = select(
        ROLE_GRANT.c.who,
        ROLE_GRANT.c.role,
        ROLE_GRANT.c.scope,
        ROLE_GRANT.c.scope_id,
        cast(null(), String).label("group_name"),
        cast(null(), ACCOUNT_GROUP.c.seen_at.type).label("seen_at"),
    )
    by_group = select(
        ACCOUNT_GROUP.c.account_id,
        GROUP_ROLE.c.role,
        GROUP_ROLE.c.scope,
        GROUP_ROLE.c.scope_id,
        ACCOUNT_GROUP.c.group_name,
        ACCOUNT_GROUP.c.seen_at,
    ).join(GROUP_ROLE, GROUP_ROLE.c.group_name == ACCOUNT_GROUP.c.group_name)
    if of_one:
        by_hand = by_hand.where(ROLE_GRANT.c.who == bindparam("account"))
        by_group = by_group.where(ACCOUNT_GROUP.c.account_id == bindparam("account"))
    return union_all(by_hand, by_group).cte("held")


def to_grants(rows: Iterable[tuple[Any, ...]]) -> tuple[Grant, ...]:
    """Build the grants from rows of `grants_with_reach`, in the order of account and place."""
    units: dict[Grant, set[str]] = {}
    cycles: dict[Grant, set[str]] = {}
    hand: set[Grant] = set()
    groups: dict[Grant, dict[str, datetime]] = {}
    for who, role, scope, scope_id, group, seen_at, unit, cycle in rows:
        grant = Grant(account=who, role=Role(role), scope=Scope(scope), scope_id=scope_id)
        if group is None:
            hand.add(grant)
        else:
            groups.setdefault(grant, {})[group] = seen_at
        units.setdefault(grant, set()).update([unit] if unit else [])
        cycles.setdefault(grant, set()).update([cycle] if cycle else [])
    return tuple(
        replace(
            grant,
            units=frozenset(units[grant]),
            cycles=frozenset(cycles[grant]),
            by_hand=grant in hand,
            groups=tuple(sorted(groups.get(grant, ()))),
            until=None if grant in hand else max(groups[grant].values()) + GROUPS_HOLD,
        )
        for grant in sorted(units, key=lambda g: (g.account, g.scope, g.scope_id, g.role))
    )


class SqlUnitStore(UnitStore):
    """The part of the office's record for units."""

    _database: Database

    @override
    def units(self) -> UnitMap:
        with self._database.reading() as connection:
            found = [Unit(**row._asdict()) for row in connection.execute(select(*_UNIT))]
            placed = connection.execute(select(CYCLE_UNIT.c.cycle_id, CYCLE_UNIT.c.unit_id)).all()
        known = {unit.id: unit for unit in found}
        # Read after the units, a place may be in one that was made in between.
        places = {cycle: unit for cycle, unit in placed if unit in known}
        return UnitMap(units=known, places=places)

    @override
    def add_unit(self, unit: Unit) -> None:
        with self._database.writing() as connection:
            if connection.execute(select(ROUND.c.id).filter_by(id=unit.round_id)).first() is None:
                raise NotFoundError("round_not_found", round=unit.round_id)
            if unit.parent_id is not None:
                require_unit(connection, unit.parent_id, round_id=unit.round_id)
            try:
                connection.execute(insert(UNIT), asdict(unit))
            except IntegrityError as error:
                raise InvalidInputError("unit_exists", unit=unit.id) from error

    @override
    def rename_unit(self, unit_id: str, name: str, *, before: str) -> None:
        with self._database.writing() as connection:
            require_unit(connection, unit_id)
            same = (UNIT.c.id == unit_id) & (UNIT.c.name == before)
            if not connection.execute(update(UNIT).where(same).values(name=name)).rowcount:
                raise ConflictError("unit_renamed_meanwhile", unit=before)

    @override
    def remove_unit(self, unit_id: str) -> None:
        with self._database.writing() as connection:
            try:
                gone = connection.execute(delete(UNIT).where(UNIT.c.id == unit_id)).rowcount
            except IntegrityError as error:
                raise ConflictError("unit_in_use", unit=unit_id) from error
            if not gone:
                raise NotFoundError("unit_not_found", unit=unit_id)
            # Looked for after the delete, which waits for a role that is just being given: one
            # that was left would reach a later unit of the same id.
            for table in (ROLE_GRANT, GROUP_ROLE):
                given = select(table.c.role).filter_by(scope=Scope.UNIT.value, scope_id=unit_id)
                if connection.execute(given.limit(1)).first() is not None:
                    raise ConflictError("unit_in_use", unit=unit_id)

    @override
    def place_program(self, cycle_id: str, unit_id: str | None, *, before: str | None) -> None:
        with self._database.writing() as connection:
            # The program's row is locked: of two moves at one moment the later one sees the other.
            known = select(CYCLE.c.round_id).where(CYCLE.c.id == cycle_id).with_for_update()
            row = connection.execute(known).one_or_none()
            if row is None:
                raise NotFoundError("cycle_not_found_list", cycle=cycle_id)
            here = select(CYCLE_UNIT.c.unit_id).where(CYCLE_UNIT.c.cycle_id == cycle_id)
            if connection.execute(here).scalar() != before:
                raise ConflictError("program_moved_meanwhile", program=cycle_id)
            connection.execute(delete(CYCLE_UNIT).where(CYCLE_UNIT.c.cycle_id == cycle_id))
            if unit_id is not None:
                place_in_unit(connection, cycle_id, unit_id, round_id=row.round_id)


def place_in_unit(connection: Connection, cycle_id: str, unit_id: str, *, round_id: str) -> None:
    """Store that a program without a unit belongs to one of its round.

    Raises:
        NotFoundError: If the round has no such unit.
    """
    require_unit(connection, unit_id, round_id=round_id)
    connection.execute(insert(CYCLE_UNIT).values(cycle_id=cycle_id, unit_id=unit_id))


def require_unit(connection: Connection, unit_id: str, *, round_id: str | None = None) -> None:
    """Raise NotFoundError unless a unit exists, in this round; it stays until the commit."""
    known = select(UNIT.c.id).where(UNIT.c.id == unit_id)
    if round_id is not None:
        known = known.where(UNIT.c.round_id == round_id)
    locked = known.with_for_update(read=True, key_share=True)
    if connection.execute(locked).first() is None:
        raise NotFoundError("unit_not_found", unit=unit_id)
