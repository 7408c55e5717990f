"""Small cycles whose reviewers are people: a test opens, submits and waits in their place."""

from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Floor, KindRules, Rules, SeatLine
from tests.system.stack import Stack


REVIEW = KindRules(name="review", cost=1, gain=1.0, maximum=1, window_days=7)
RULES = Rules(
    version=1,
    lines=(SeatLine(name="all", places=3),),
    kinds=(REVIEW,),
    floors=(Floor(kind="review", count=1),),
    budget=20,
    reserve=0.0,
    blind=False,
)
ROUND = "people"


def launch_with_people(stack: Stack, cycle_id: str, *, applications: int = 8) -> None:
    """Make and launch a cycle of a few applications for three people, due in a week."""
    product = stack.product
    if not any(known.id == ROUND for known in product.cycles.rounds()):
        product.cycles.new_round(ROUND, name="People")
    product.cycles.new(cycle_id, round_id=ROUND, rules=RULES, by="ops")
    product.applicants.import_all(
        cycle_id,
        [
            NewApplication(external_id=f"A{n}", selection={}, monitor={}, fields={})
            for n in range(applications)
        ],
    )
    product.reviewers.import_all(
        cycle_id, [NewReviewer(external_id=f"R{n}", capacity={"review": None}) for n in range(3)]
    )
    product.cycles.launch(cycle_id, by="ops")


def delivered(stack: Stack, cycle_id: str, *, at_least: int = 1) -> tuple[Assignment, ...]:
    """Wait until enough assignments lie in inboxes, and return them in the order of their ids."""
    product = stack.product

    def lying() -> tuple[Assignment, ...]:
        return product.context.ledger.assignments(cycle_id, statuses={AssignmentStatus.DELIVERED})

    stack.wait_for(lambda: len(lying()) >= at_least, what=f"{at_least} deliveries")
    return tuple(sorted(lying(), key=lambda a: a.id))


def answer(assignment: Assignment, utility: float = 0.5) -> Answer:
    return Answer(assignment_id=assignment.id, utility=utility)


def information(stack: Stack, cycle_id: str, application: int) -> int:
    """What the live state knows of an application, in gain units."""
    known = stack.product.context.state.arms(cycle_id).information
    return int(known[application]) if application < known.size else 0
