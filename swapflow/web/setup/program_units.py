"""Units on the page of rounds and programs: which a person may set up, and a new program's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from swapflow.domain.cycle import Round
from swapflow.domain.ids import derived_id
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal, require
from swapflow.identity.unit_rights import check_unit
from swapflow.identity.units import Unit, UnitMap
from swapflow.messages import Message
from swapflow.web.http.context import AppContext
from swapflow.web.http.nested_forms import FormView


NEW_ROUND = "+"
"""The choice of a round that is made with the program; no id of a round is this."""


@dataclass(frozen=True, slots=True)
class UnitsToSetUp:
    """The rounds and units in which a person may make programs."""

    principal: Principal
    units: UnitMap

    def in_round(self, round_id: str) -> bool:
        """Whether they may make one without a unit in a round."""
        return Right.SET_UP in self.principal.rights(round_id=round_id)

    def within(self, round_id: str) -> list[Unit]:
        """List the units of a round in which they may make one."""
        return self._with(Right.SET_UP, round_id)

    def anywhere(self, round_id: str) -> bool:
        """Whether they may make one in a round, with a unit or without."""
        return self.in_round(round_id) or bool(self.within(round_id))

    def manages(self, round_id: str) -> bool:
        """Whether they manage people in a round, or in a unit of it."""
        return Right.MANAGE_USERS in self.principal.rights(round_id=round_id) or bool(
            self._with(Right.MANAGE_USERS, round_id)
        )

    def options(self, rounds: Sequence[Round]) -> list[tuple[str, str]]:
        """Offer the units for a new program; none, where a program of a round may have none."""
        free = any(self.in_round(known.id) for known in rounds)
        return [
            ("", gettext("no unit") if free else gettext("choose …")),
            *(
                (unit.id, f"{known.name}: {self.units.name(unit.id)}")
                for known in rounds
                for unit in self.within(known.id)
            ),
        ]

    def round_of(self, view: FormView, known: Mapping[str, Round]) -> str:
        """Return the id of the round that a new program belongs to, of one to be made too.

        The route asks for the right anywhere; it must be held in this round, or in the unit.

        Args:
            view: The form of the program; what is wrong is noted there.
            known: The rounds.

        Raises:
            ForbiddenError: If the person may not make a program there.
            NotFoundError: If the unit is none that they may see.
        """
        chosen, name = view.value("round"), view.value("new_round")
        unit = self.units.units.get(view.value("unit"))
        if unit is not None:
            check_unit(self.principal, Right.SET_UP, unit)
            if chosen not in {"", unit.round_id}:
                view.note("unit", Message("unit_and_round_differ", unit=unit.name))
            return unit.round_id
        if view.value("unit"):
            view.note("unit", Message("unit_not_chosen"))
        if chosen in known:
            if not self.in_round(chosen) and self.within(chosen):
                view.note("unit", Message("unit_not_chosen"))
                return chosen
            require(self.principal, Right.SET_UP, cycle_id=None, round_id=chosen)
            return chosen
        if chosen not in {"", NEW_ROUND} or not name:
            view.note("round", gettext_noop("choose the round that it belongs to"))
            return ""
        require(self.principal, Right.SET_UP, cycle_id=None, round_id=None)
        if name in {other.name for other in known.values()}:
            view.note("new_round", gettext_noop("there is a round of this name; choose it above"))
        return derived_id(name, known.keys())

    def _with(self, right: Right, round_id: str) -> list[Unit]:
        return [
            unit
            for _, unit in self.units.tree(round_id)
            if right in self.principal.rights(round_id=round_id, unit_id=unit.id)
        ]


def units_to_set_up(app: AppContext, principal: Principal) -> UnitsToSetUp:
    """Read the units in which a person may make programs."""
    return UnitsToSetUp(principal, app.office.units.all())


def unit_name(app: AppContext, cycle_id: str) -> str | None:
    """Return the name of a program's unit, "" without one; None where the office has no units."""
    units = app.office.units.all()
    return units.name(units.places.get(cycle_id, "")) if units.units else None
