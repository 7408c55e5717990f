"""Why a request was made, by the rule that applied: a floor names whom it protects."""

from dataclasses import replace

from swapflow.domain.rules import Floor, FloorFor
from swapflow.files.exports.decision_card import card_document
from swapflow.web.cycle.approvals import why
from tests.engine.cycle_by_hand import (
    CYCLE,
    INTERVIEW,
    REVIEW,
    World,
    chosen_floor,
    reviewers,
    rules,
)


FLOORS = (Floor(kind="review", count=1), chosen_floor("interview"))


def with_interviews(**changes: object) -> World:
    """A program that promises a review to everyone and an interview to whom it proposes."""
    settings: dict[str, object] = {
        "kinds": (REVIEW, INTERVIEW),
        "floors": FLOORS,
        "budget": 18,
        **changes,
    }
    both = {"review": None, "interview": None}
    return World(rules=rules(**settings), roster=reviewers(4, capacity=both))


def origins(world: World) -> dict[str, set[str]]:
    """The origins of every request, by kind."""
    found: dict[str, set[str]] = {}
    for name in world.names().values():
        for one in world.product.reports.explain(CYCLE, name).asked:
            if one.why == "floor":
                found.setdefault(one.kind, set()).add(one.origin)
    return found


def test_a_floor_for_everyone_and_one_for_the_chosen_are_told_apart() -> None:
    world = with_interviews()

    world.run()

    assert origins(world) == {"review": {"floor all"}, "interview": {"floor chosen"}}


def test_a_floor_for_those_too_close_to_call_is_told_as_that() -> None:
    close = Floor(kind="review", count=3, who=FloorFor.CLOSE)
    floors = (Floor(kind="review", count=1), close)
    world = World(rules=rules(floors=floors, budget=24, settled=0.9))

    world.run()

    assert origins(world)["review"] == {"floor all", "floor close"}


def test_a_card_says_whom_the_rules_promise_a_review() -> None:
    world = with_interviews()
    world.run()
    name = next(
        name
        for name in world.names().values()
        for one in world.product.reports.explain(CYCLE, name).asked
        if one.origin == "floor chosen"
    )

    document = card_document(world.product.reports.decision_card(CYCLE, name))

    grids = [grid for part in document.parts for grid in part.grids]
    told = {cell for grid in grids for row in grid.rows for cell in row}
    assert "everyone gets it" in told
    assert "everyone on the proposed list gets it" in told


def test_an_approval_names_the_rule_that_promised_the_request() -> None:
    approved = (REVIEW, replace(INTERVIEW, approval=True))
    world = with_interviews(kinds=approved)
    for _ in range(20):
        world.turn()
        if not world.answer_all():
            break

    (first, *_) = world.product.approvals.pending(CYCLE)
    dashboard, _ = world.product.reports.dashboard(CYCLE)

    assert first.origin == "floor chosen"
    assert "The rules promise this to everyone on the proposed list." in why(
        first, dashboard, None
    )
