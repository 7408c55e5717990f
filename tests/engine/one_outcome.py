"""What one cycle comes to, as a value that two processes can compare."""

from collections.abc import Sequence

from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.rules import DispatchMode, Rules
from swapflow.simulation.replay import decisions_digest
from tests.engine.cycle_by_hand import CYCLE, World, applicants, marks, reviewers, rules


ROWS, ROSTER = applicants(24), reviewers(6)
LOCKSTEP = rules(
    dispatch=DispatchMode.LOCKSTEP, budget=60, batch=8, max_applicants=500, packet=1000
)


def outcome(
    rows: Sequence[NewApplication] = ROWS,
    roster: Sequence[NewReviewer] = ROSTER,
    *,
    settings: Rules = LOCKSTEP,
) -> tuple[str, tuple[str, ...]]:
    """Digest of the decisions, and the cohort."""
    world = World(rules=settings, applications=rows, roster=roster)
    world.run(marks)
    world.verify()
    return decisions_digest(world.product, CYCLE), tuple(world.cohort())
