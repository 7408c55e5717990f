"""People of the office: accounts, roles and where they reach."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.i18n.languages import gettext_noop
from swapflow.i18n.translation import translate
from swapflow.identity.account import Account
from swapflow.identity.permissions import RIGHTS, Right, Role
from swapflow.identity.principal import Principal
from swapflow.web.account.places import place_choices, place_names, read_grant, role_choices
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import FormView, TheForm, text, unwritable
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/setup/users")

MayManage = Annotated[Principal, Depends(may(Right.MANAGE_USERS))]

_LONGEST = 254


@router.get("")
def list_users(request: Request, principal: MayManage, done: str = "") -> Response:
    """List everybody with an account, and what they may do."""
    # Looked up, never shown as it came: anybody can write a link with words of their own in it.
    return _page(request, principal, FormView({}), said=_DONE.get(done, ""))


_DONE = {
    "invited": gettext_noop("The invitation is on its way."),
    "unsent": gettext_noop(
        "The account is there, but no mail leaves: no mail server is set up. The command swapflow "
        "user link prints a sign-in link to hand over."
    ),
    "given": gettext_noop("The role is given."),
    "taken": gettext_noop("The role is taken away."),
    "closed": gettext_noop("The account is closed, and signed out everywhere."),
    "opened": gettext_noop("The account is open again."),
}


@router.post("")
def invite(request: Request, principal: MayManage, form: TheForm) -> Response:
    """Create an account with a role, and mail its owner a link to sign in."""
    view = FormView({name: text(form, name) for name in ("email", "name", "role", "where")})
    for name in ("email", "name"):
        if problem := unwritable(view.value(name), most=_LONGEST):
            view.note(name, problem)
    app = app_context(request)
    try:
        # Before the account is made, which would stay without a role.
        role, scope, scope_id = read_grant(app, view.value("role"), view.value("where"))
    except InvalidInputError as error:
        view.note("role", error.message)
    if not view.problems:
        try:
            account = app.office.users.invite(
                view.value("email"),
                name=view.value("name"),
                by=principal.name,
                site=app.settings.address,
            )
        except InvalidInputError as error:
            view.note("email", error.message)
        else:
            app.office.users.grant(account, role, scope, scope_id, by=principal.name)
            return _invited(app)
    return _page(request, principal, view, status=422)


@router.post("/{account_id}/grants")
def give(request: Request, account_id: str, principal: MayManage, form: TheForm) -> Response:
    """Add a role to an account."""
    app = app_context(request)
    account = _account(app, account_id)
    try:
        role, scope, scope_id = read_grant(app, text(form, "role"), text(form, "where"))
        app.office.users.grant(account, role, scope, scope_id, by=principal.name)
    except InvalidInputError as error:
        return _refused(request, principal, error)
    return RedirectResponse("/setup/users?done=given", 303)


@router.post("/{account_id}/grants/remove")
def take(request: Request, account_id: str, principal: MayManage, form: TheForm) -> Response:
    """Remove a role."""
    app = app_context(request)
    account = _account(app, account_id)
    try:
        role, scope, scope_id = read_grant(app, text(form, "role"), text(form, "where"))
        app.office.users.revoke(account, role, scope, scope_id, by=principal.name)
    except InvalidInputError as error:
        return _refused(request, principal, error)
    return RedirectResponse("/setup/users?done=taken", 303)


@router.post("/{account_id}/close")
def close(request: Request, account_id: str, principal: MayManage) -> Response:
    """Close an account: nobody signs in with it any more."""
    app = app_context(request)
    account = _account(app, account_id)
    try:
        _not_oneself(account, principal)
        app.office.users.deactivate(account, by=principal.name)
    except InvalidInputError as error:
        return _refused(request, principal, error)
    return RedirectResponse("/setup/users?done=closed", 303)


@router.post("/{account_id}/open")
def reopen(request: Request, account_id: str, principal: MayManage) -> Response:
    """Open a closed account again."""
    app = app_context(request)
    app.office.users.activate(_account(app, account_id), by=principal.name)
    return RedirectResponse("/setup/users?done=opened", 303)


@router.post("/{account_id}/invite")
def invite_again(request: Request, account_id: str, principal: MayManage) -> Response:
    """Mail an account's owner another way in."""
    app = app_context(request)
    account = _account(app, account_id)
    try:
        app.office.users.invite(
            account.email, name=account.name, by=principal.name, site=app.settings.address
        )
    except InvalidInputError as error:
        return _refused(request, principal, error)
    return _invited(app)


def _invited(app: AppContext) -> Response:
    done = "invited" if app.product.outbox.leaves else "unsent"
    return RedirectResponse(f"/setup/users?done={done}", 303)


def _account(app: AppContext, account_id: str) -> Account:
    found = next((u.account for u in app.office.users.list() if u.account.id == account_id), None)
    if found is None:
        raise NotFoundError("user_account_unknown")
    return found


def _not_oneself(account: Account, principal: Principal) -> None:
    if account.id == principal.account.id:
        raise InvalidInputError("own_account_closed_by_others")


def _refused(request: Request, principal: Principal, error: InvalidInputError) -> Response:
    view = FormView({})
    view.note("", error.message)
    return _page(request, principal, view, status=422)


def _page(
    request: Request, principal: Principal, form: FormView, *, said: str = "", status: int = 200
) -> Response:
    app = app_context(request)
    places = place_names(app)
    return render(
        request,
        "account/users.html",
        {
            "users": app.office.users.list(),
            "me": principal.account.id,
            "form": form,
            "said": said,
            "roles": role_choices(),
            "wheres": place_choices(places),
            "names": places,
            "rights": {
                role.value: sorted(translate(right.message) for right in RIGHTS[role])
                for role in Role
            },
        },
        status=status,
    )
