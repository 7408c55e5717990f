"""What staff look at: read again only when something has happened, and only what concerns it."""

from swapflow.engine.read_models.explanation import asked_about, explain
from tests.engine.cycle_by_hand import CYCLE, World, applicant


def test_without_a_published_board_the_record_is_folded_once_per_change() -> None:
    world = World()
    world.turn()
    world.forget_live_state()

    first, live = world.product.reports.dashboard(CYCLE)
    second, _ = world.product.reports.dashboard(CYCLE)
    world.admit([applicant("A900")])
    third, _ = world.product.reports.dashboard(CYCLE)

    assert not live
    assert second is first
    assert third.position == world.product.cycles.get(CYCLE).position != first.position


def test_why_somebody_was_asked_about_is_read_without_the_rest_of_the_program() -> None:
    world = World()
    world.turn()
    world.answer_all()
    world.turn()
    external_id = world.product.applicants.list(CYCLE)[2].external_id

    told = asked_about(CYCLE, 2, ledger=world.ledger)

    assert told
    assert told == explain(CYCLE, external_id, ledger=world.ledger).asked
    assert {one.request.split(":")[1] for one in told} == {"2"}
