"""Units of rounds: which there are, who has a role in them, which program belongs to which."""

from collections.abc import Collection
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from swapflow.identity.permissions import Right, Role, Scope
from swapflow.identity.services import Office
from swapflow.identity.unit_rights import ProgramMove
from swapflow.identity.units import Unit, UnitMap
from swapflow.web.api.dependencies import (
    MayManageInUnit,
    MayManageSomewhere,
    MayManageUsers,
    Signed,
)
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.office import (
    NewProgramUnit,
    NewUnit,
    NewUnitGrant,
    OfficeUnit,
    RenamedUnit,
    RightsAfterMove,
    UnitGrant,
    UnitOfProgram,
)
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.http.context import Product, TheOffice, TheSettings


router = APIRouter(route_class=ApiRoute, tags=["office"])

UnitId = Annotated[str, Path(max_length=40, description="The unit.")]
Place = Annotated[str, Query(max_length=40, pattern=r"^[a-z0-9-]*$")]


@router.get("/units")
def list_units(
    principal: Signed, office: TheOffice, product: Product, paging: Paged
) -> Page[OfficeUnit]:
    """List the units in which the caller has a role, with the programs that they may see."""
    last = paging.last(str)
    units = office.units.all()
    seen = {
        cycle.id
        for cycle in product.cycles.list()
        if Right.SEE_PROGRESS in principal.rights(cycle_id=cycle.id, round_id=cycle.round_id)
    }
    rows = [
        _unit(units, unit, seen)
        for unit in sorted(units.units.values(), key=lambda one: one.id)
        if principal.rights(round_id=unit.round_id, unit_id=unit.id)
        and (last is None or unit.id > str(last[0]))
    ]
    return paging.page(rows, lambda row: [row.id])


@router.post("/units", status_code=201)
def create_unit(principal: MayManageSomewhere, office: TheOffice, new: NewUnit) -> OfficeUnit:
    """Make a unit in a round, or within another unit."""
    made = office.units.add(
        new.name, round_id=new.round, parent_id=new.parent, by=principal, unit_id=new.id
    )
    return _unit(office.units.all(), made, ())


@router.patch("/units/{unit_id}")
def rename_unit(
    unit_id: UnitId, principal: MayManageInUnit, office: TheOffice, new: RenamedUnit
) -> OfficeUnit:
    """Rename a unit; its id stays."""
    named = office.units.rename(unit_id, new.name, by=principal, shown=new.before)
    units = office.units.all()
    return _unit(units, named, units.places)


@router.delete("/units/{unit_id}", status_code=204)
def remove_unit(unit_id: UnitId, principal: MayManageInUnit, office: TheOffice) -> Response:
    """Remove a unit in which there is no program, no unit and no role any more."""
    office.units.remove(unit_id, by=principal)
    return Response(status_code=204)


@router.get("/units/{unit_id}/grants")
def list_unit_grants(
    unit_id: UnitId, principal: MayManageInUnit, office: TheOffice, paging: Paged
) -> Page[UnitGrant]:
    """List the roles that people have in a unit and in its programs."""
    del principal
    last = paging.last(str)
    rows = _grants(office, unit_id)
    shown = [row for row in rows if last is None or _key(row) > str(last[0])]
    return paging.page(shown, lambda row: [_key(row)])


@router.post("/units/{unit_id}/grants")
def give_unit_role(
    unit_id: UnitId,
    principal: MayManageInUnit,
    office: TheOffice,
    settings: TheSettings,
    new: NewUnitGrant,
) -> UnitGrant:
    """Grant a role within a unit to the owner of an address; one without an account is invited."""
    office.units.give_to(
        new.email,
        new.role,
        new.scope,
        new.scope_id or unit_id,
        unit_id=unit_id,
        by=principal,
        site=settings.address,
        name=new.name,
    )
    account = office.users.get(new.email)
    return UnitGrant(
        email=account.email,
        name=account.name,
        role=new.role,
        scope=new.scope,
        scope_id=new.scope_id or unit_id,
    )


@router.delete("/units/{unit_id}/grants", status_code=204)
def take_unit_role(
    unit_id: UnitId,
    principal: MayManageInUnit,
    office: TheOffice,
    email: Annotated[str, Query(max_length=254)],
    role: Annotated[Role, Query()],
    scope: Annotated[Scope, Query()] = Scope.UNIT,
    scope_id: Place = "",
) -> Response:
    """Take a role within a unit away."""
    account = office.users.get(email)
    office.units.take(account, role, scope, scope_id or unit_id, unit_id=unit_id, by=principal)
    return Response(status_code=204)


@router.get("/cycles/{cycle_id}/unit")
def read_program_unit(
    cycle_id: CycleId,
    principal: MayManageUsers,
    office: TheOffice,
    product: Product,
    to: Annotated[
        str | None,
        Query(max_length=40, description="A unit to move to, or empty for none: what changes?"),
    ] = None,
) -> UnitOfProgram:
    """Return the unit of a program and, on request, whose rights a move would change."""
    del principal
    now = office.units.all().of(cycle_id)
    move = None if to is None else office.units.move(product.cycles.get(cycle_id), to or None)
    return UnitOfProgram(
        unit=None if now is None else now.id,
        changed=[] if move is None else _changed(move),
    )


@router.put("/cycles/{cycle_id}/unit")
def move_program(
    cycle_id: CycleId,
    principal: MayManageUsers,
    office: TheOffice,
    product: Product,
    new: NewProgramUnit,
) -> UnitOfProgram:
    """Move a program to another unit of its round, or to none; says whose rights changed."""
    move = office.units.move(product.cycles.get(cycle_id), new.unit).as_shown(new.before)
    office.units.place(move, by=principal)
    return UnitOfProgram(unit=move.after, changed=_changed(move))


def _unit(units: UnitMap, unit: Unit, seen: Collection[str]) -> OfficeUnit:
    return OfficeUnit(
        id=unit.id,
        round=unit.round_id,
        parent=unit.parent_id,
        name=unit.name,
        programs=sorted(
            cycle for cycle, place in units.places.items() if place == unit.id and cycle in seen
        ),
    )


def _grants(office: Office, unit_id: str) -> list[UnitGrant]:
    rows = [
        UnitGrant(
            email=user.account.email,
            name=user.account.name,
            role=grant.role,
            scope=grant.scope,
            scope_id=grant.scope_id,
        )
        for user in office.units.people(unit_id)
        for grant in user.grants
    ]
    return sorted(rows, key=_key)


def _key(row: UnitGrant) -> str:
    return f"{row.email} {row.scope.value} {row.scope_id} {row.role.value}"


def _changed(move: ProgramMove) -> list[RightsAfterMove]:
    return [
        RightsAfterMove(
            email=one.email,
            gained=sorted(right.value for right in one.gained),
            lost=sorted(right.value for right in one.lost),
        )
        for one in move.changed
    ]
