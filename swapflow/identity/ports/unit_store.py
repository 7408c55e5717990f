"""What the office needs from outside for its units."""

from typing import Protocol

from swapflow.identity.units import Unit, UnitMap


class UnitStore(Protocol):
    """The durable record of units, and of the programs that belong to them.

    Every method is one transaction of its own.
    """

    def units(self) -> UnitMap:
        """Read all units and where programs belong, as of one moment."""
        ...

    def add_unit(self, unit: Unit) -> None:
        """Store a unit; raise InvalidInputError if its id is taken.

        Raises NotFoundError where the round, or the unit above, is not in that round.
        """
        ...

    def rename_unit(self, unit_id: str, name: str, *, before: str) -> None:
        """Rename a unit.

        Raises ConflictError where it is not called `before` any more; NotFoundError where there
        is none.
        """
        ...

    def remove_unit(self, unit_id: str) -> None:
        """Delete a unit to which nothing belongs.

        Raises ConflictError while a program, a unit or a role is in it, also when one is put
        there at the same moment; NotFoundError where there is none.
        """
        ...

    def place_program(self, cycle_id: str, unit_id: str | None, *, before: str | None) -> None:
        """Place a program in a unit of its round, or in none.

        Raises ConflictError where it does not belong to the unit `before` any more: what was said
        about the move would not hold; NotFoundError where the round has no such unit.
        """
        ...
