"""What is kept of a list between two looks: never what has changed since."""

from swapflow.engine.read_models.proposal import propose
from tests.engine.cycle_by_hand import CYCLE, World, rules


def test_a_new_score_and_a_corrected_name_are_seen_at_once() -> None:
    """In the list to decide on, the way to an estimate and the decisions, as read anew."""
    world = World(rules=rules(budget=60), applications=12)
    world.turn()
    world.answer_all()
    world.turn()
    cohort, reports = world.product.cohort, world.product.reports
    first = cohort.propose(CYCLE)
    name = first.places[0].external_id

    world.product.applicants.correct(CYCLE, name, {"name": "New Name"}, by="staff", reason="typo")
    renamed = cohort.propose(CYCLE)
    world.answer_all()
    world.turn()
    scored = cohort.propose(CYCLE)

    assert [p.name for p in renamed.places if p.external_id == name] == ["New Name"]
    assert [p.evidence for p in scored.places] != [p.evidence for p in renamed.places]
    assert scored.places == propose(CYCLE, ledger=world.ledger).places
    told = reports.decisions_before(CYCLE)
    assert (
        told
        == reports.decisions_before(CYCLE)
        == world.ledger.decisions_before(CYCLE, 0, at_most=25)
    )
    assert [step.too_close for step in reports.steps(CYCLE)] == [
        len(record.contested) for record, _ in reversed(told)
    ]
