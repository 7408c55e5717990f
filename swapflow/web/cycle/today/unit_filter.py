"""To do narrowed to one unit: which units a person sees programs of, and how many."""

from collections.abc import Collection
from dataclasses import dataclass

from swapflow.identity.units import UnitMap


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitChoice:
    """A unit to which To do can be narrowed; the first choice is all programs.

    Attributes:
        unit_id: Its id; "" for all programs.
        name: With the units above it; "" for all programs.
        programs: Programs of it, and of the units within it, that the reader sees.
    """

    unit_id: str
    name: str
    programs: frozenset[str]
    is_current: bool


def unit_choices(units: UnitMap, seen: Collection[str], chosen: str) -> tuple[UnitChoice, ...]:
    """List the units to choose from; nothing where each would show all programs.

    Args:
        units: All units.
        seen: The programs that the reader sees.
        chosen: Id of the unit that is asked for; one that is no choice counts as all.
    """
    everything = frozenset(seen)
    found = [
        (unit.id, here)
        for unit in sorted(units.units.values(), key=lambda one: units.name(one.id))
        if (here := units.programs(unit.id) & everything)
    ]
    if all(here == everything for _, here in found):
        return ()
    known = chosen if chosen in dict(found) else ""
    return (
        UnitChoice(unit_id="", name="", programs=everything, is_current=not known),
        *(
            UnitChoice(
                unit_id=unit, name=units.name(unit), programs=here, is_current=unit == known
            )
            for unit, here in found
        ),
    )
