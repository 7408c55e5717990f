"""Units of a round: their programs, and the people who have a role in them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import Cycle, Round
from swapflow.errors import ForbiddenError, InvalidInputError, NotFoundError, SwapflowError
from swapflow.i18n.languages import gettext
from swapflow.identity.permissions import Right, Role, Scope
from swapflow.identity.principal import Principal, UserAccount
from swapflow.identity.unit_rights import givable
from swapflow.identity.units import Unit, UnitMap
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may_in_round_or_unit, may_in_unit
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import FormView, TheForm, text
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/setup/rounds/{round_id}/units")

MayInRound = Annotated[Principal, Depends(may_in_round_or_unit(Right.MANAGE_USERS))]
MayInUnit = Annotated[Principal, Depends(may_in_unit(Right.MANAGE_USERS))]

IN_ROUND = "+"
"""The choice of a unit directly in the round; no id of a unit is this."""

NEW = "new-unit"
"""Begins the ids of the fields of a new unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitView:
    """A unit as the page shows it.

    Attributes:
        depth: Units above it.
        name: With the units above it.
        places: Where roles can be given: the unit, those within it, their programs.
        roles: The roles that the reader may give here, and take away.
        is_empty: Whether it can be removed.
        giving: The form by which a role is given.
        naming: The form by which it is renamed.
        open_form: The prefix of the form that was refused; "" for none.
    """

    unit: Unit
    depth: int
    name: str
    programs: tuple[Cycle, ...]
    people: tuple[UserAccount, ...]
    places: tuple[tuple[str, str], ...]
    roles: tuple[Role, ...]
    is_empty: bool
    giving: FormView
    naming: FormView
    open_form: str

    @property
    def role_options(self) -> list[tuple[str, str]]:
        """The roles as choices of the form."""
        return [
            ("", gettext("choose …")),
            *((role.value, gettext(role.value)) for role in self.roles),
        ]

    @property
    def place_names(self) -> dict[str, str]:
        """What each place is called."""
        return dict(self.places)


@router.get("")
def show_units(request: Request, round_id: str, principal: MayInRound) -> Response:
    """Show the units of a round that the principal may manage."""
    return _page(request, principal, round_id, FormView({}))


@router.post("")
def add_unit(request: Request, round_id: str, principal: MayInRound, form: TheForm) -> Response:
    """Make a unit, directly in the round or within another one."""
    view = FormView({name: text(form, name) for name in ("name", "parent")}, prefix=NEW)
    app, above = app_context(request), view.value("parent")

    def add() -> Message:
        if not above:
            raise InvalidInputError("unit_above_not_chosen")
        parent = None if above == IN_ROUND else above
        made = app.office.units.add(
            view.value("name"), round_id=round_id, parent_id=parent, by=principal
        )
        return Message("act_unit_made", unit=made.name)

    return _do(request, principal, round_id, add, view=view, field="name" if above else "parent")


@router.post("/{unit_id}/name")
def rename_unit(
    request: Request, round_id: str, unit_id: str, principal: MayInUnit, form: TheForm
) -> Response:
    """Rename a unit."""
    view = FormView({"name": text(form, "name")}, prefix=f"name-{unit_id}")
    app = app_context(request)

    def rename() -> Message:
        before = text(form, "shown")
        named = app.office.units.rename(
            unit_id, view.value("name"), by=principal, shown=before
        ).name
        return Message("act_unit_renamed", before=before, unit=named)

    return _do(request, principal, round_id, rename, view=view, field="name")


@router.post("/{unit_id}/remove")
def remove_unit(request: Request, round_id: str, unit_id: str, principal: MayInUnit) -> Response:
    """Remove a unit in which there is nothing any more."""
    app = app_context(request)

    def remove() -> Message:
        name = app.office.units.get(unit_id).name
        app.office.units.remove(unit_id, by=principal)
        return Message("act_unit_removed", unit=name)

    return _do(request, principal, round_id, remove)


@router.post("/{unit_id}/grants")
def give_role(
    request: Request, round_id: str, unit_id: str, principal: MayInUnit, form: TheForm
) -> Response:
    """Grant a role within a unit to the owner of a mail address."""
    names = ("email", "name", "role", "where")
    view = FormView({name: text(form, name) for name in names}, prefix=f"give-{unit_id}")
    app = app_context(request)

    def give() -> Message:
        role, scope, place = _grant(view.value("role"), view.value("where"))
        invited = app.office.units.give_to(
            view.value("email"),
            role,
            scope,
            place,
            unit_id=unit_id,
            by=principal,
            site=app.settings.address,
            name=view.value("name"),
        )
        if not invited:
            return Message("act_role_given", email=view.value("email"))
        mailed = app.product.outbox.leaves
        return Message(
            "act_role_given_invited" if mailed else "act_role_given_unsent",
            email=view.value("email"),
        )

    return _do(request, principal, round_id, give, view=view, field="email")


@router.post("/{unit_id}/grants/remove")
def take_role(
    request: Request, round_id: str, unit_id: str, principal: MayInUnit, form: TheForm
) -> Response:
    """Take a role within a unit away."""
    app = app_context(request)

    def take() -> Message:
        role, scope, place = _grant(text(form, "role"), text(form, "where"))
        account = app.office.users.get(text(form, "email"))
        app.office.units.take(account, role, scope, place, unit_id=unit_id, by=principal)
        return Message("act_role_taken", email=account.email)

    return _do(request, principal, round_id, take)


def _do(
    request: Request,
    principal: Principal,
    round_id: str,
    deed: Callable[[], Message],
    *,
    view: FormView | None = None,
    field: str = "",
) -> Response:
    """Run an act and lead back to the page, which tells of it; a refusal is shown there."""
    shown = FormView({}) if view is None else view
    try:
        done = deed()
    except SwapflowError as error:
        status, _ = status_of(error)
        misplaced = isinstance(error, NotFoundError | ForbiddenError)
        shown.note("" if misplaced else _field_of(error, field), error.message)
        return _page(request, principal, round_id, shown, status=status)
    tell(request, done)
    return RedirectResponse(f"/setup/rounds/{round_id}/units", 303)


_FIELDS = {
    "role_not_chosen": "role",
    "role_scope_not_chosen": "where",
}


def _field_of(error: SwapflowError, otherwise: str) -> str:
    """Name the field that a refusal is about."""
    return _FIELDS.get(error.code, otherwise)


def _grant(role: str, where: str) -> tuple[Role, Scope, str]:
    """Read a role and where it reaches: "unit:ID" or "cycle:ID"."""
    if role not in set(Role):
        raise InvalidInputError("role_not_chosen")
    kind, _, place = where.partition(":")
    if kind not in {Scope.UNIT, Scope.CYCLE} or not place:
        raise InvalidInputError("role_scope_not_chosen")
    return Role(role), Scope(kind), place


def _page(
    request: Request, principal: Principal, round_id: str, form: FormView, *, status: int = 200
) -> Response:
    app = app_context(request)
    known = next((r for r in app.product.cycles.rounds() if r.id == round_id), None)
    if known is None:
        raise NotFoundError("round_not_found", round=round_id)
    units = app.office.units.all()
    mine = [
        (depth, unit)
        for depth, unit in units.tree(round_id)
        if Right.MANAGE_USERS in principal.rights(round_id=round_id, unit_id=unit.id)
    ]
    in_round = Right.MANAGE_USERS in principal.rights(round_id=round_id)
    # Where the page begins: the units above the reader's own are not theirs.
    highest = min((depth for depth, _ in mine), default=0)
    cycles = [cycle for cycle in app.product.cycles.list() if cycle.round_id == round_id]
    views = [
        _view(app, principal, units, unit, cycles, depth - highest, form) for depth, unit in mine
    ]
    return render(
        request,
        "account/units.html",
        {
            "round": known,
            "units": views,
            "form": form,
            "new": _or_blank(form, NEW),
            "me": principal.account.id,
            "may_office": Right.MANAGE_USERS in principal.rights(),
            "free": [cycle for cycle in cycles if cycle.id not in units.places]
            if in_round
            else [],
            "parents": _parents(known, views, in_round=in_round),
            "in_round": in_round,
        },
        status=status,
    )


def _view(
    app: AppContext,
    principal: Principal,
    units: UnitMap,
    unit: Unit,
    cycles: list[Cycle],
    depth: int,
    form: FormView,
) -> UnitView:
    within, reached = units.within(unit.id), units.programs(unit.id)
    people = app.office.units.people(unit.id)
    below = [one for _, one in units.tree(unit.round_id) if one.id in within]
    return UnitView(
        unit=unit,
        depth=depth,
        name=units.name(unit.id),
        programs=tuple(cycle for cycle in cycles if units.places.get(cycle.id) == unit.id),
        people=people,
        places=(
            *((f"unit:{one.id}", _named(units, unit, one)) for one in below),
            *(
                (f"cycle:{cycle.id}", gettext("program %(name)s") % {"name": cycle.name})
                for cycle in cycles
                if cycle.id in reached
            ),
        ),
        roles=givable(principal, round_id=unit.round_id, unit_id=unit.id),
        is_empty=not reached and not people and within == {unit.id},
        giving=_or_blank(form, f"give-{unit.id}"),
        naming=_or_blank(form, f"name-{unit.id}", name=unit.name),
        open_form=form.prefix,
    )


def _or_blank(form: FormView, prefix: str, **values: str) -> FormView:
    """Return the form that was refused if it is this one, else a fresh one."""
    return form if form.prefix == prefix else FormView(values, prefix=prefix)


def _named(units: UnitMap, unit: Unit, one: Unit) -> str:
    if one.id == unit.id:
        return gettext("all of %(unit)s") % {"unit": unit.name}
    return gettext("unit %(name)s") % {"name": units.name(one.id)}


def _parents(known: Round, views: list[UnitView], *, in_round: bool) -> list[tuple[str, str]]:
    """Offer where a new unit can be: directly in the round, or within another unit."""
    options = [(view.unit.id, view.name) for view in views]
    if in_round:
        return [
            (IN_ROUND, gettext("directly in %(round)s") % {"round": known.name}),
            *options,
        ]
    return options if len(options) == 1 else [("", gettext("choose …")), *options]
