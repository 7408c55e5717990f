"""Cohorts that are fixed, with people to whom places are offered."""

from swapflow.domain.objective import GroupQuota
from swapflow.domain.rules import Purpose
from tests.engine.cycle_by_hand import CYCLE, World, applicant, rules


PEOPLE = [
    applicant(f"A{n:03d}", selection={"region": "North" if n <= 4 else "South"})
    for n in range(1, 9)
]

NORTH = GroupQuota(attribute="region", value="North", minimum=1)


def rising(external_id: str, *_: object) -> float:
    return int(external_id[1:]) / 10


def fixed(url: str = "sqlite://", **changes: object) -> World:
    """A fixed list: A008, A007, A006, then the waitlist from A005 down."""
    settings: dict[str, object] = {"budget": 8, "purpose": Purpose.REAL, **changes}
    world = World(url=url, rules=rules(**settings), applications=PEOPLE)
    world.run(rising)
    world.product.cohort.finalize(CYCLE, by="chair")
    return world
