"""The lock of a cycle, and what is read together with it."""

import threading
from dataclasses import replace

import pytest
from sqlalchemy import text

from swapflow.domain.cycle import Round
from swapflow.domain.event import EventType
from swapflow.domain.rules import Rules
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import RULES
from tests.support.waiting import CAP, wait_until


def cycle_in(url: str) -> SqlLedger:
    ledger = SqlLedger(url)
    ledger.create_round(Round(id="2027", name="Season", unit="minutes", zone="UTC"))
    ledger.create_cycle("fall", round_id="2027", name="Fall", rules=RULES, by="ops")
    return ledger


@pytest.mark.parametrize("writes", [False, True], ids=["only locks", "writes the row"])
def test_a_write_that_waited_for_the_lock_is_dated_after_its_predecessor(
    shared_url: str,
    writes: bool,
) -> None:
    """The clock is read once the lock is had, though both come from one statement."""
    ledger = cycle_in(shared_url)
    follower: list[object] = []
    begun = threading.Event()

    def follow() -> None:
        begun.set()
        with ledger.write("fall") as tx:
            follower.append(tx.now)

    with ledger.write("fall") as tx:
        if writes:
            tx.record(EventType.REVIEWER_LEFT, {"r": 1})
        waiting = threading.Thread(target=follow)
        waiting.start()
        begun.wait(CAP)
        if not ledger._database.is_sqlite:
            wait_until(lambda: _waits(ledger), what="the second write waits for the lock")
        released = ledger.now()
    waiting.join(CAP)

    (dated,) = follower
    assert isinstance(dated, type(released))
    assert dated >= released
    ledger.dispose()


def test_a_write_that_waited_while_the_rules_changed_goes_by_the_new_rules(
    shared_url: str,
) -> None:
    """The digest that came with the lock may be older than the lock: it is not gone by then."""
    ledger = cycle_in(shared_url)
    changed = replace(RULES, version=2, budget=77)
    found: list[Rules] = []

    def follow() -> None:
        with ledger.write("fall") as tx:
            found.append(tx.rules())

    with ledger.write("fall") as tx:
        assert tx.rules() == RULES
        tx.set_rules(changed, by="ops", reason="more")
        assert tx.rules() == changed
        assert tx.rules(1) == RULES
        waiting = threading.Thread(target=follow)
        waiting.start()
        if not ledger._database.is_sqlite:
            wait_until(lambda: _waits(ledger), what="the second write waits for the lock")
    waiting.join(CAP)

    assert found == [changed]
    ledger.dispose()


def test_rules_changed_behind_their_digest_are_read_every_time(file_ledger: SqlLedger) -> None:
    """A digest names a text; where the text is another one, nothing is remembered under it."""
    rules = replace(RULES, version=2, budget=4321)
    with file_ledger.write("fall") as tx:
        tx.set_rules(rules, by="ops", reason="")
    for budget in (5, 6):
        with file_ledger._database.writing() as connection:
            connection.execute(
                text(
                    "UPDATE rules SET digest = 'none of it',"
                    " body = json_set(body, '$.budget', :budget) WHERE version = 2"
                ),
                {"budget": budget},
            )
        assert file_ledger.rules("fall").budget == budget


def test_rules_are_parsed_once_however_often_they_are_read(file_ledger: SqlLedger) -> None:
    """Every page and every write needs the rules: the same text is the same object."""
    first = file_ledger.rules("fall")

    with file_ledger.write("fall") as tx:
        assert tx.rules() is first
    assert file_ledger.rules("fall", 1) is first


def _waits(ledger: SqlLedger) -> bool:
    """Whether a connection waits for another one's lock."""
    with ledger._database.reading() as connection:
        waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(connection.execute(waiting).scalar_one())
