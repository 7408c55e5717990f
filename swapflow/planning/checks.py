"""What makes a plan impossible, each in one sentence; the rest is what a launch would refuse."""

from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.rules import Rules
from swapflow.engine.lifecycle.launch_preview import Preview
from swapflow.errors import InvalidRulesError
from swapflow.simulation.replay import InProcess


CYCLE = "plan"


def check(
    rules: Rules,
    applicants: tuple[NewApplication, ...],
    reviewers: tuple[NewReviewer, ...],
    *,
    source: str,
) -> Preview:
    """Check that the round could be launched, and say what a launch would say.

    Raises:
        InvalidRulesError: If it could not; one sentence for each reason.
    """
    found = list(_impossible(rules, len(applicants), reviewers))
    if found:
        raise InvalidRulesError("plan_impossible", source=source, problems=found)
    seen = _preview(rules, applicants, reviewers)
    if seen.obstacles:
        said = "\n  ".join(str(obstacle) for obstacle in seen.obstacles)
        raise InvalidRulesError("plan_refused", source=source, problem=said)
    return seen


def _impossible(rules: Rules, applicants: int, reviewers: tuple[NewReviewer, ...]) -> "list[str]":
    found = []
    first = rules.kinds[0]
    if rules.cohort_size >= applicants:
        found.append(
            f"{rules.cohort_size} places for {applicants} applicants leave nothing to decide: "
            "lower the places under [[places]], or plan for more applicants."
        )
    staff = int(rules.reserve * rules.budget)
    needed = applicants * first.cost
    if rules.budget - staff < needed:
        beside = f" beside the staff's reserve of {staff}" if staff else ""
        found.append(
            f"the budget of {rules.budget} pays {max(0, rules.budget - staff) // first.cost} "
            f"{first.name}s{beside}, which is not one for each of {applicants} applicants "
            f"({needed}): raise the budget, or plan for fewer applicants."
        )
    found += [
        f"one {kind.name} is said to tell less than one {first.name} (gain {kind.gain:g}): write "
        f"1 or more, or remove the kind {kind.name!r}."
        for kind in rules.kinds[1:]
        if kind.gain < 1
    ]
    found += [
        f"no reviewer takes {kind.name!r}: add people who do, or remove that kind from the rules."
        for kind in rules.kinds
        if not any(kind.name in person.capacity for person in reviewers)
    ]
    return found


def _preview(
    rules: Rules,
    applicants: tuple[NewApplication, ...],
    reviewers: tuple[NewReviewer, ...],
) -> Preview:
    """Set the round up in memory and ask what its launch would mean."""
    product = InProcess().product
    product.cycles.new_round("plan", name="Plan", unit="units")
    product.cycles.new(CYCLE, round_id="plan", rules=rules, by="plan")
    product.applicants.import_all(CYCLE, applicants)
    product.reviewers.import_all(CYCLE, reviewers, at_command_line=True)
    return product.cycles.preview(CYCLE)
