"""Where roles reach, as choices of a form: the office, rounds, units, programs."""

from collections.abc import Mapping

from swapflow.errors import InvalidInputError
from swapflow.i18n.languages import gettext
from swapflow.identity.permissions import Role, Scope
from swapflow.web.http.context import AppContext, known_places


OFFICE = "office:"


def read_grant(app: AppContext, role: str, where: str) -> tuple[Role, Scope, str]:
    """Read a role and where it reaches: "office", "round:ID", "unit:ID" or "cycle:ID".

    Raises:
        InvalidInputError: If one of them was not chosen, or is not there.
    """
    if role not in set(Role):
        raise InvalidInputError("role_not_chosen")
    kind, _, scope_id = where.partition(":")
    known = known_places(app.product, app.office)
    if kind not in set(Scope) or scope_id not in known[Scope(kind)]:
        raise InvalidInputError("role_scope_not_chosen")
    return Role(role), Scope(kind), scope_id


def place_names(app: AppContext) -> dict[str, str]:
    """Return what each place is called, by "round:ID", "unit:ID", "cycle:ID" and "office:"."""
    units = app.office.units.all()
    places = {OFFICE: gettext("the whole office")}
    for one in app.product.cycles.rounds():
        places[f"round:{one.id}"] = gettext("round %(name)s") % {"name": one.name}
        for _, unit in units.tree(one.id):
            places[f"unit:{unit.id}"] = gettext("unit %(name)s") % {"name": units.name(unit.id)}
    for cycle in app.product.cycles.list():
        places[f"cycle:{cycle.id}"] = gettext("program %(name)s") % {"name": cycle.name}
    return places


def place_choices(places: Mapping[str, str]) -> list[tuple[str, str]]:
    """Offer the places of `place_names`."""
    return [(where.removesuffix(":"), name) for where, name in places.items()]


def role_choices() -> list[tuple[str, str]]:
    """Offer each role."""
    return [("", gettext("choose …")), *((role.value, gettext(role.value)) for role in Role)]
