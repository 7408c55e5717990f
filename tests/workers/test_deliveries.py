"""What a worker keeps in mind between deliveries."""

import gc

import pytest

from swapflow.domain.rules import Purpose
from swapflow.engine.services import delivery
from tests.engine.cycle_by_hand import World, applicants, reviewers, rules


CYCLES = 6


def test_a_worker_forgets_the_rosters_of_cycles_that_it_has_long_not_delivered_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_people = World(rules=rules(purpose=Purpose.REAL))
    product = with_people.product
    kept = product.delivery
    names = [f"more{number}" for number in range(CYCLES)]
    for name in names:
        product.cycles.new(
            name, round_id="round", rules=with_people.product.cycles.rules("fall"), by="ops"
        )
        product.applicants.import_all(name, applicants(4))
        product.reviewers.import_all(name, reviewers(2))
        product.cycles.launch(name, by="ops")
    with_people.coordinator.turn()

    for name in names:
        for assignment in product.context.ledger.assignments(name):
            kept.deliver(assignment.id)
    assert len(_rosters()) == CYCLES, "all are fresh, so nothing is read twice"

    monkeypatch.setattr(delivery, "ROSTER_SECONDS", 0.0)
    for assignment in product.context.ledger.assignments(names[0]):
        kept.deliver(assignment.id)
    assert len(_rosters()) == 1


def _rosters() -> list[object]:
    gc.collect()
    return [thing for thing in gc.get_objects() if type(thing).__name__ == "_Cycle"]
