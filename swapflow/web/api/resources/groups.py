"""Roles by groups of the identity provider: what they give, and whose roles change."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from swapflow.identity.groups import GroupEffect, GroupRole
from swapflow.identity.permissions import Role, Scope
from swapflow.web.api.dependencies import MayManageUsers
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.office import GroupRoleChange, GroupRoleEntry, NewGroupRole
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.resources.office import check_place
from swapflow.web.http.context import Product, TheOffice


router = APIRouter(route_class=ApiRoute, tags=["office"])


def role_in_question(
    group: Annotated[str, Query(min_length=1, max_length=255)],
    role: Role,
    scope: Scope = Scope.OFFICE,
    scope_id: Annotated[str, Query(max_length=40, pattern=r"^[a-z0-9-]*$")] = "",
) -> GroupRole:
    """Read which role of which group a request is about."""
    return GroupRole(group=group, role=role, scope=scope, scope_id=scope_id)


InQuestion = Annotated[GroupRole, Depends(role_in_question)]


@router.get("/groups")
def list_group_roles(
    principal: MayManageUsers, office: TheOffice, paging: Paged
) -> Page[GroupRoleEntry]:
    """List the roles that groups give, with how many members are known."""
    del principal
    last = paging.last(str)
    members = office.groups.members()
    rows = [
        GroupRoleEntry(
            group=one.group,
            role=one.role,
            scope=one.scope,
            scope_id=one.scope_id,
            members=members.get(one.group, 0),
        )
        for one in office.groups.roles()
    ]
    rows.sort(key=_key)
    shown = [row for row in rows if last is None or _key(row) > str(last[0])]
    return paging.page(shown, lambda row: [_key(row)])


@router.get("/groups/effect")
def show_group_effect(
    principal: MayManageUsers, office: TheOffice, wanted: InQuestion
) -> GroupRoleChange:
    """Tell who would gain a role of a group; who would lose it, if the group gives it already."""
    del principal
    return _change(office.groups.effect(wanted))


@router.post("/groups", status_code=201)
def add_group_role(
    principal: MayManageUsers, office: TheOffice, product: Product, new: NewGroupRole
) -> GroupRoleChange:
    """Have a group give a role; says who gains it at once."""
    check_place(office, product, new.scope, new.scope_id)
    wanted = GroupRole(group=new.group, role=new.role, scope=new.scope, scope_id=new.scope_id)
    return _change(office.groups.add(wanted, by=principal.name, administrators=new.administrators))


@router.delete("/groups")
def remove_group_role(
    principal: MayManageUsers, office: TheOffice, given: InQuestion
) -> GroupRoleChange:
    """Stop a group from giving a role; says who loses it at once."""
    return _change(office.groups.remove(given, by=principal.name))


def _key(row: GroupRoleEntry) -> str:
    return f"{row.group} {row.scope.value} {row.scope_id} {row.role.value}"


def _change(effect: GroupEffect) -> GroupRoleChange:
    return GroupRoleChange(people=[one.email for one in effect.people], known=effect.known)
