"""A practice program is deleted whole: the one place that deletes rows of a cycle for good."""

from datetime import datetime

from sqlalchemy import Connection, Table, bindparam, delete, insert, literal, select
from sqlalchemy.sql.elements import ColumnElement

from swapflow.errors import ConflictError
from swapflow.ledger.core.statements import no_cycle
from swapflow.ledger.identity.group_store import forget_idle_groups
from swapflow.ledger.schema import (
    APPLICATION,
    ASSIGNMENT,
    AUDIT,
    CYCLE,
    CYCLE_UNIT,
    GROUP_ROLE,
    IDEMPOTENCY,
    MESSAGE,
    OFFER,
    PERSON,
    PULL,
    ROLE_GRANT,
    ROSTER,
    UNIT,
)
from swapflow.ledger.schema.base import METADATA


KEPT = frozenset({AUDIT.name})
"""Tables that name a cycle and keep what they say: who made it, and who threw it away."""


def of_cycle(table: Table, cycle_id: str) -> ColumnElement[bool] | None:
    """Build the condition for a table's rows of a cycle; None where no row belongs to one."""
    if table.name in KEPT:
        return None
    if "cycle_id" in table.c:
        return table.c.cycle_id == cycle_id
    if table in (ROLE_GRANT, GROUP_ROLE):
        return (table.c.scope == "cycle") & (table.c.scope_id == cycle_id)
    if table is IDEMPOTENCY:
        # Answers of the API that are kept for a day, to be given again.
        return table.c.body.contains(cycle_id, autoescape=True)
    # Tables without a cycle's id: the row that they belong to has it.
    for name, owner in (
        ("assignment_id", ASSIGNMENT),
        ("pull_id", PULL),
        ("offer_id", OFFER),
        ("message_id", MESSAGE),
    ):
        if name in table.c:
            return table.c[name].in_(select(owner.c.id).where(owner.c.cycle_id == cycle_id))
    return table.c.id == cycle_id if table is CYCLE else None


def delete_practice_program(connection: Connection, cycle_id: str) -> None:
    """Delete every row of a practice program, and people whom no other program knows.

    Raises:
        NotFoundError: If there is no such cycle.
        ConflictError: If it is a real one.
    """
    # Its lock: what writes to it now is done first, and finds nothing afterwards.
    locked = select(CYCLE.c.practice_of).where(CYCLE.c.id == cycle_id).with_for_update()
    row = connection.execute(locked).one_or_none()
    if row is None:
        raise no_cycle(cycle_id)
    if not row.practice_of:
        raise ConflictError("program_is_real", cycle=cycle_id)
    people = _people(connection, APPLICATION, cycle_id) | _people(connection, ROSTER, cycle_id)
    # Children first: the database checks what they refer to.
    for table in reversed(METADATA.sorted_tables):
        condition = of_cycle(table, cycle_id)
        if condition is not None:
            connection.execute(delete(table).where(condition))
    forget_idle_groups(connection)
    _forget_people(connection, people)


def copy_rights(
    connection: Connection, source: str, cycle_id: str, *, by: str, at: datetime
) -> None:
    """Copy the rights that people have in one cycle alone to another, and its unit's.

    A cycle of another round is in none of the units of this one.
    """
    for table, holder in ((ROLE_GRANT, ROLE_GRANT.c.who), (GROUP_ROLE, GROUP_ROLE.c.group_name)):
        same = select(
            holder,
            table.c.role,
            table.c.scope,
            literal(cycle_id),
            literal(by),
            bindparam("at", at, table.c.at.type),
        ).where(table.c.scope == "cycle", table.c.scope_id == source)
        columns = [holder.name, "role", "scope", "scope_id", "by", "at"]
        connection.execute(insert(table).from_select(columns, same))
    unit = (
        select(literal(cycle_id), CYCLE_UNIT.c.unit_id)
        .join(UNIT, UNIT.c.id == CYCLE_UNIT.c.unit_id)
        .join(CYCLE, CYCLE.c.round_id == UNIT.c.round_id)
        .where(CYCLE_UNIT.c.cycle_id == source, CYCLE.c.id == cycle_id)
    )
    connection.execute(insert(CYCLE_UNIT).from_select(["cycle_id", "unit_id"], unit))


def _people(connection: Connection, table: Table, cycle_id: str) -> set[str]:
    """Return the people whom a table names in a cycle."""
    named = select(table.c.person_id).where(
        table.c.cycle_id == cycle_id, table.c.person_id.is_not(None)
    )
    return {row.person_id for row in connection.execute(named)}


def _forget_people(connection: Connection, people: set[str]) -> None:
    """Delete those whom no program knows any more: the invented ones."""
    ids = sorted(people)
    for start in range(0, len(ids), 500):
        some = ids[start : start + 500]
        known = select(APPLICATION.c.person_id).where(APPLICATION.c.person_id.in_(some))
        listed = select(ROSTER.c.person_id).where(ROSTER.c.person_id.in_(some))
        still = {*connection.execute(known).scalars(), *connection.execute(listed).scalars()}
        connection.execute(delete(PERSON).where(PERSON.c.id.in_(sorted({*some} - still))))
