"""Roles by groups of the identity provider: what they give, and who gains or loses by it."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.errors import InvalidInputError, SwapflowError
from swapflow.identity.groups import GroupEffect, GroupRole
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.account.places import place_choices, place_names, read_grant, role_choices
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import FormView, TheForm, text
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/setup/groups")

MayManage = Annotated[Principal, Depends(may(Right.MANAGE_USERS))]

_FIELDS = ("group", "role", "where")


@router.get("")
def show_groups(
    request: Request,
    principal: MayManage,
    group: str = "",
    role: str = "",
    where: str = "",
    look: bool = False,  # noqa: FBT001, FBT002 - the query's name
) -> Response:
    """Show the roles that groups give and, asked for one, who would gain or lose it."""
    del principal
    view = FormView({"group": group, "role": role, "where": where})
    effect = None
    if look:
        try:
            effect = app_context(request).office.groups.effect(_role(request, view))
        except InvalidInputError as error:
            view.note(_field_of(error), error.message)
    return _page(request, view, effect, status=422 if view.problems else 200)


@router.post("")
def add_role(request: Request, principal: MayManage, form: TheForm) -> Response:
    """Have a group give a role, to the people who were shown."""
    groups = app_context(request).office.groups

    def add(role: GroupRole) -> Message:
        effect = groups.add(
            role,
            by=principal.name,
            administrators=text(form, "administrators") == "yes",
            seen=text(form, "seen"),
        )
        return Message("act_group_role_given", group=effect.role.group)

    return _do(request, form, add)


@router.post("/remove")
def remove_role(request: Request, principal: MayManage, form: TheForm) -> Response:
    """Stop a group from giving a role, to the people who were shown."""
    groups = app_context(request).office.groups

    def remove(role: GroupRole) -> Message:
        effect = groups.remove(role, by=principal.name, seen=text(form, "seen"))
        return Message("act_group_role_taken", group=effect.role.group)

    return _do(request, form, remove)


def _do(request: Request, form: TheForm, deed: Callable[[GroupRole], Message]) -> Response:
    view = FormView({name: text(form, name) for name in _FIELDS})
    effect = None
    try:
        role = _role(request, view)
        # What is shown again with a refusal is what there is to decide about now.
        effect = app_context(request).office.groups.effect(role)
        done = deed(role)
    except SwapflowError as error:
        status, _ = status_of(error)
        view.note(_field_of(error), error.message)
        return _page(request, view, effect, status=status)
    tell(request, done)
    return RedirectResponse("/setup/groups", 303)


def _role(request: Request, view: FormView) -> GroupRole:
    """Read which role of which group is meant.

    Raises:
        InvalidInputError: If something was not chosen, or cannot be used.
    """
    role, scope, place = read_grant(app_context(request), view.value("role"), view.value("where"))
    return GroupRole(group=view.value("group"), role=role, scope=scope, scope_id=place)


def _field_of(error: SwapflowError) -> str:
    """Name the field that a refusal is about; "" for the whole."""
    return {
        "role_not_chosen": "role",
        "role_scope_not_chosen": "where",
        "group_name_out_of_range": "group",
        "group_makes_administrators": "administrators",
    }.get(error.code, "")


def _page(
    request: Request, form: FormView, effect: GroupEffect | None, *, status: int = 200
) -> Response:
    app = app_context(request)
    names = place_names(app)
    return render(
        request,
        "account/groups.html",
        {
            "form": form,
            "roles": role_choices(),
            "wheres": place_choices(names),
            "given": [_given(role, names) for role in app.office.groups.roles()],
            "members": app.office.groups.members(),
            "effect": effect,
            "effect_where": "" if effect is None else names.get(_where(effect.role), ""),
            "is_given": effect is not None and effect.role in app.office.groups.roles(),
            "unstated": app.office.groups.unstated(),
            "claim": app.settings.oidc_groups,
            "provider": app.settings.provider,
        },
        status=status,
    )


def _given(role: GroupRole, names: dict[str, str]) -> tuple[GroupRole, str, str]:
    """Return a role of a group, the value of its place in the form, and what that is called."""
    where = _where(role)
    return role, where.removesuffix(":"), names.get(where, where)


def _where(role: GroupRole) -> str:
    return f"{role.scope.value}:{role.scope_id}"
