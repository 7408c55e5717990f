"""The office around the programs: keys, users and their roles, the audit log, mails."""

from collections.abc import Collection
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.identity.account import Account, ApiToken
from swapflow.identity.permissions import Grant, Role, Scope
from swapflow.identity.services import Office
from swapflow.web.api.dependencies import MayManageUsers, MaySeeAudit, Signed
from swapflow.web.api.idempotency import SHOWN_ONCE, ApiRoute
from swapflow.web.api.models import office
from swapflow.web.api.models.office import AuditLine, Key, MadeKey, NewGrant, NewKey, NewUser, User
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.http.context import Product, TheOffice, TheSettings, known_places
from swapflow.web.http.dependencies import closed_programs


router = APIRouter(route_class=ApiRoute, tags=["office"])

Id = Annotated[str, Path(max_length=64, pattern=r"^[0-9a-f]{1,64}$")]


# Keys


@router.get("/keys")
def list_keys(principal: Signed, office: TheOffice, paging: Paged) -> Page[Key]:
    """List one's own keys, those that are used up too."""
    last = paging.last(str)
    rows = sorted(map(_key, office.api_clients.keys(principal)), key=lambda row: row.id)
    shown = [row for row in rows if last is None or row.id > str(last[0])]
    return paging.page(shown, lambda row: [row.id])


@router.post("/keys", status_code=201, openapi_extra={SHOWN_ONCE: ["key"]})
def create_key(principal: Signed, office: TheOffice, new: NewKey) -> MadeKey:
    """Make a key for oneself; only a signed-in person can. It is shown this once."""
    key, made = office.api_clients.make_key(
        principal, name=new.name, scopes=new.scopes, days=new.days
    )
    return MadeKey(**_key(made).model_dump(), key=key)


@router.delete("/keys/{key_id}", status_code=204)
def revoke_key(key_id: Id, principal: Signed, office: TheOffice) -> Response:
    """Make one of one's own keys useless for good."""
    office.api_clients.revoke_key(principal, key_id)
    return Response(status_code=204)


# Users


@router.get("/users")
def list_users(principal: MayManageUsers, office: TheOffice, paging: Paged) -> Page[User]:
    """List everybody with an account, and what they may do."""
    del principal
    last = paging.last(str)
    rows = sorted(
        (_user(user.account, user.grants) for user in office.users.list()), key=lambda row: row.id
    )
    shown = [row for row in rows if last is None or row.id > str(last[0])]
    return paging.page(shown, lambda row: [row.id])


@router.post("/users", status_code=201)
def invite_user(
    principal: MayManageUsers, office: TheOffice, settings: TheSettings, new: NewUser
) -> User:
    """Make an account and mail its owner a way in."""
    account = office.users.invite(
        new.email, name=new.name, by=principal.name, site=settings.address
    )
    return _user(account, ())


@router.post("/users/{user_id}/grants")
def give_role(
    user_id: Id,
    principal: MayManageUsers,
    office: TheOffice,
    product: Product,
    new: NewGrant,
) -> User:
    """Grant a user a role."""
    account = _account(office, user_id)
    check_place(office, product, new.scope, new.scope_id)
    office.users.grant(account, new.role, new.scope, new.scope_id, by=principal.name)
    return _user(account, office.users.grants(account.id))


@router.delete("/users/{user_id}/grants")
def take_role(
    user_id: Id,
    principal: MayManageUsers,
    office: TheOffice,
    role: Annotated[Role, Query()],
    scope: Annotated[Scope, Query()] = Scope.OFFICE,
    scope_id: Annotated[str, Query(max_length=40, pattern=r"^[a-z0-9-]*$")] = "",
) -> User:
    """Take a role away from a user."""
    account = _account(office, user_id)
    office.users.revoke(account, role, scope, scope_id, by=principal.name)
    return _user(account, office.users.grants(account.id))


@router.post("/users/{user_id}/invitation")
def invite_user_again(
    user_id: Id, principal: MayManageUsers, office: TheOffice, settings: TheSettings
) -> User:
    """Mail an account's owner another way in."""
    account = _account(office, user_id)
    office.users.invite(account.email, name=account.name, by=principal.name, site=settings.address)
    return _user(account, office.users.grants(account.id))


@router.post("/users/{user_id}/close")
def close_user(user_id: Id, principal: MayManageUsers, office: TheOffice) -> User:
    """Close an account: nobody signs in with it any more, and its keys are no good."""
    account = _account(office, user_id)
    if account.id == principal.account.id:
        raise InvalidInputError("own_account_not_closed")
    office.users.deactivate(account, by=principal.name)
    return _user(_account(office, user_id), office.users.grants(user_id))


@router.post("/users/{user_id}/open")
def open_user(user_id: Id, principal: MayManageUsers, office: TheOffice) -> User:
    """Open a closed account again."""
    office.users.activate(_account(office, user_id), by=principal.name)
    return _user(_account(office, user_id), office.users.grants(user_id))


def check_place(office: Office, product: Swapflow, scope: Scope, scope_id: str) -> None:
    """Raise InvalidInputError unless a place is there."""
    if scope_id not in known_places(product, office)[scope]:
        raise InvalidInputError("scope_unknown", scope=scope, name=scope_id)


# Audit log and mails


@router.get("/audit")
def list_audit(
    request: Request, principal: MaySeeAudit, office: TheOffice, paging: Paged
) -> Page[AuditLine]:
    """Read the audit log of the whole office, newest first.

    What it is about is left out of programs in which the caller reviews, until asking ends.
    """
    return _audit(office, paging, None, closed_programs(request, principal))


@router.get("/cycles/{cycle_id}/audit")
def list_cycle_audit(
    cycle_id: CycleId, principal: MaySeeAudit, office: TheOffice, paging: Paged
) -> Page[AuditLine]:
    """Read the audit log of one program, newest first."""
    del principal
    return _audit(office, paging, cycle_id)


def _audit(
    office: Office, paging: Paged, cycle_id: str | None, closed: Collection[str] = ()
) -> Page[AuditLine]:
    last = paging.last(int)
    found = office.audit_log.entries(
        cycle_id=cycle_id,
        before=None if last is None else int(last[0]),
        at_most=paging.limit + 1,
    )
    rows = [
        AuditLine(
            number=number,
            at=entry.at,
            who=entry.who,
            what=entry.what,
            program=entry.cycle_id,
            about=entry.about,
            detail=entry.detail,
        )
        for number, whole in found
        for entry in (whole.seen_from(closed),)
    ]
    return paging.page(rows, lambda row: [row.number])


def _account(office: Office, user_id: str) -> Account:
    found = office.users.find(user_id)
    if found is None:
        raise NotFoundError("user_unknown")
    return found


def _user(account: Account, grants: tuple[Grant, ...]) -> User:
    return User(
        id=account.id,
        email=account.email,
        name=account.name,
        active=account.active,
        grants=[office.Grant(role=g.role, scope=g.scope, scope_id=g.scope_id) for g in grants],
    )


def _key(token: ApiToken) -> Key:
    return Key(
        id=token.id,
        name=token.name,
        scopes=list(token.scopes),
        created_at=token.created_at,
        expires_at=token.expires_at,
        last_used_at=token.last_used_at,
        revoked_at=token.revoked_at,
    )
