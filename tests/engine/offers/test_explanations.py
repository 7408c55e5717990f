"""Where a law asks it, those without a place are owed a letter by a day: who, and until when."""

from dataclasses import replace
from datetime import timedelta

from swapflow.engine.pending.things import PendingCode, PendingThing
from tests.engine.cycle_by_hand import CYCLE
from tests.engine.offers.fixed_cohorts import Office


def owed(office: Office) -> PendingThing | None:
    found = office.product.pending.in_cycle(CYCLE)
    return next((one for one in found if one.code is PendingCode.EXPLANATIONS), None)


def with_days(office: Office, days: int) -> None:
    with office.world.ledger.write(CYCLE) as tx:
        now = tx.rules()
        changed = replace(now, version=now.version + 1, explanation_days=days)
        tx.set_rules(changed, by="ops", reason="the law")


def test_those_without_a_place_are_owed_a_letter_by_a_day_until_it_has_left() -> None:
    office = Office()
    office.offer()
    before = owed(office)
    with_days(office, 30)
    final_at = office.world.ledger.list_final_at(CYCLE)
    assert final_at is not None

    at_first = owed(office)
    office.announce()
    held = owed(office)
    office.world.later(minutes=31)
    office.send()

    assert before is None
    assert at_first is not None
    assert (at_first.params["count"], at_first.key, at_first.path) == (
        4,  # A005 to A002; A001 has no address, which the page of letters says
        f"{final_at + timedelta(days=30):%Y-%m-%d}",
        f"/decide/{CYCLE}/letters",
    )
    assert held is not None, "a letter that is held has not been sent"
    assert owed(office) is None
