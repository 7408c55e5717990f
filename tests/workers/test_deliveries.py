"""What a worker keeps in mind between deliveries."""

import gc

import pytest

from swapflow.automatic_reviewers.programs import automatic_reviewer
from swapflow.domain.rules import Purpose
from swapflow.engine.services import delivery
from swapflow.engine.services.delivery import DeliveryService
from tests.engine.cycle_by_hand import World, applicants, reviewers, rules


CYCLES = 6


def test_a_worker_forgets_the_rosters_of_cycles_that_it_has_long_not_delivered_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_people = World(rules=rules(purpose=Purpose.REAL))
    product, kept = with_people.product, DeliveryService(with_people.product, automatic_reviewer)
    names = [f"more{number}" for number in range(CYCLES)]
    for name in names:
        product.new_cycle(
            name, round_id="round", rules=with_people.product.rules("fall"), by="ops"
        )
        product.import_applications(name, applicants(4))
        product.import_reviewers(name, reviewers(2))
        product.launch(name, by="ops")
    with_people.coordinator.turn()

    for name in names:
        for assignment in product.ledger.assignments(name):
            kept.deliver(assignment.id)
    assert len(_rosters()) == CYCLES, "all are fresh, so nothing is read twice"

    monkeypatch.setattr(delivery, "ROSTER_SECONDS", 0.0)
    for assignment in product.ledger.assignments(names[0]):
        kept.deliver(assignment.id)
    assert len(_rosters()) == 1


def _rosters() -> list[object]:
    gc.collect()
    return [thing for thing in gc.get_objects() if type(thing).__name__ == "_Cycle"]
