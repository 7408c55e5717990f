"""Units of a round, such as faculties and departments, and the programs that belong to them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


MOST_LEVELS = 4
"""Units above one another; a university has faculty, school, department, group."""

LONGEST_UNIT_NAME = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A part of the office in one round: a faculty, or a department in it.

    Attributes:
        parent_id: Id of the unit above; None for one directly in the round.
    """

    id: str
    round_id: str
    parent_id: str | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitMap:
    """All units, and where programs belong, as of one moment.

    Attributes:
        units: By id.
        places: The unit of each program that belongs to one.
    """

    units: Mapping[str, Unit]
    places: Mapping[str, str]

    def of(self, cycle_id: str) -> Unit | None:
        """Return the unit that a program belongs to; None without one."""
        return self.units.get(self.places.get(cycle_id, ""))

    def line(self, unit_id: str) -> tuple[Unit, ...]:
        """Return a unit and those above it, the highest first."""
        found: list[Unit] = []
        at = self.units.get(unit_id)
        while at is not None:
            found.insert(0, at)
            at = self.units.get(at.parent_id or "")
        return tuple(found)

    def name(self, unit_id: str) -> str:
        """Return the name of a unit with those above it: "Science, Physics"; "" for none."""
        return ", ".join(one.name for one in self.line(unit_id))

    def within(self, unit_id: str) -> frozenset[str]:
        """Return the ids of a unit and of all units within it."""
        return frozenset(
            one for one in self.units if any(above.id == unit_id for above in self.line(one))
        )

    def tree(self, round_id: str) -> Iterator[tuple[int, Unit]]:
        """Iterate over the units of a round by name, each after the one above, with its depth."""
        yield from self._below(round_id, None, 0)

    def programs(self, unit_id: str) -> frozenset[str]:
        """Return the programs that belong to a unit or to one within it."""
        within = self.within(unit_id)
        return frozenset(cycle for cycle, unit in self.places.items() if unit in within)

    def _below(self, round_id: str, parent: str | None, depth: int) -> Iterator[tuple[int, Unit]]:
        for one in sorted(self.units.values(), key=lambda unit: (unit.name, unit.id)):
            if one.round_id == round_id and one.parent_id == parent:
                yield depth, one
                yield from self._below(round_id, one.id, depth + 1)
