"""Verify: whatever is changed behind the ledger's back is found."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import text

from swapflow.domain.event import EventType
from swapflow.domain.rules import Purpose
from swapflow.engine.audit.verification import Verification
from swapflow.engine.ports.records import DecisionRecord
from swapflow.ledger.sql_ledger import SqlLedger
from tests.engine.cycle_by_hand import CYCLE, World, rules
from tests.support.migrated import new_database


@pytest.fixture
def world(url: str) -> Iterator[World]:
    """A finished cycle of every database, whose record is sound."""
    made = World(url=url, rules=rules(budget=14, out=5))
    made.run()
    assert made.product.reports.verify(CYCLE).findings == ()
    yield made
    made.ledger.dispose()


def tamper(world: World, statement: str, **values: object) -> None:
    with world.ledger._database.writing() as connection:
        assert connection.execute(text(statement), values).rowcount >= 1


def found(verification: Verification) -> str:
    assert not verification.passed
    return "; ".join(finding.what for finding in verification.findings if finding.fatal)


def test_a_sound_record_passes_and_says_what_was_replayed(world: World) -> None:
    verification = world.product.reports.verify(CYCLE)

    assert verification.passed
    assert verification.decisions == world.cycle.decisions > 2
    assert verification.events == world.cycle.position.seq


def test_what_a_running_cycle_does_meanwhile_is_no_difference(tmp_path: Path) -> None:
    world = World(url=new_database(tmp_path / "ledger.db"), rules=rules(budget=14, out=5))
    world.turn()
    ledger = world.ledger
    moved: list[int] = []

    class Meanwhile(SqlLedger):
        """Takes answers in and makes decisions once the decisions so far were read."""

        def decisions(self, cycle_id: str) -> tuple[DecisionRecord, ...]:
            read = super().decisions(cycle_id)

            def others() -> None:
                world.answer_all()
                world.turn()
                moved.append(world.cycle.decisions)

            ledger.__class__ = SqlLedger
            other = Thread(target=others)
            other.start()
            other.join()
            return read

    before = world.cycle.decisions
    ledger.__class__ = Meanwhile
    verification = world.product.reports.verify(CYCLE)

    assert moved[0] > before
    assert [finding.what for finding in verification.findings if finding.fatal] == []
    assert verification.decisions == before
    world.ledger.dispose()


def test_a_changed_byte_in_an_event_is_found(world: World) -> None:
    event = next(e for e in world.events() if e.type.value == "scored")
    tamper(
        world,
        "UPDATE event SET body = replace(body, :old, :new) WHERE seq = :seq",
        old='"seat":1',
        new='"seat":2',
        seq=event.position.seq,
    )

    broken = world.ledger.check_chain(CYCLE)

    assert broken == f"event {event.position.seq} is not what was recorded"


def test_a_changed_pick_of_a_decision_is_found(world: World) -> None:
    record = next(d for d in world.product.reports.decisions(CYCLE) if d.why == "rule" and d.picks)
    picks = [list(pick) for pick in record.picks]
    picks[0][0] = (picks[0][0] + 1) % 8  # type: ignore[operator]  # the application's number
    tamper(
        world,
        "UPDATE decision SET picks = :picks WHERE number = :number",
        picks=json.dumps(picks),
        number=record.number,
    )

    assert f"decision {record.number} is not what was opened" in found(
        world.product.reports.verify(CYCLE)
    )


@pytest.mark.parametrize(
    ("column", "value", "finding"),
    [
        ("status", "cancelled", "closed requests differ"),
        ("status", "open", "open requests differ"),
        ("cost", 7, "the requests cost"),
        ("kind", 1, "closed requests differ"),
    ],
)
def test_a_changed_row_of_a_request_is_found(column: str, value: object, finding: str) -> None:
    world = World(rules=rules(budget=14, out=5))
    world.run()
    tamper(world, f"UPDATE pull SET {column} = :v WHERE id = 'fall:0:review:1'", v=value)

    assert finding in found(world.product.reports.verify(CYCLE))


def test_a_changed_score_is_found() -> None:
    world = World(rules=rules(budget=14))
    world.run()
    tamper(world, "UPDATE score SET value = 999999 WHERE assignment_id = 'fall:0:review:1:1.1'")

    assert "not what its event says" in found(world.product.reports.verify(CYCLE))


def test_a_changed_sum_in_the_cycles_row_is_found() -> None:
    world = World(rules=rules(budget=14))
    world.run()
    tamper(world, "UPDATE cycle SET spent = spent - 1")

    assert "the cycle's row says 13 spent" in found(world.product.reports.verify(CYCLE))


def test_a_wrong_live_state_is_found_and_a_rebuild_cures_it(world: World) -> None:
    arms = world.arms()
    wrong = arms.numerator.copy()
    wrong[3] += 1
    world.state.replace(CYCLE, dataclasses.replace(arms, numerator=wrong))

    assert "live state's integers differ" in found(world.product.reports.verify(CYCLE))
    assert world.product.reports.verify(CYCLE, live=False).passed
    world.product.reports.rebuild(CYCLE)
    assert world.product.reports.verify(CYCLE).findings == ()


def test_a_live_state_that_is_merely_behind_is_no_fault(world: World) -> None:
    world.forget_live_state()

    verification = world.product.reports.verify(CYCLE)

    assert verification.passed
    assert [f.fatal for f in verification.findings] == [False]


def test_a_request_to_somebody_in_conflict_is_found() -> None:
    world = World(rules=rules(budget=8), launch=False)
    world.product.cycles.launch(CYCLE, by="ops")
    world.turn()
    asked = world.waiting()[0]
    with world.ledger.write(CYCLE) as tx:
        item = [asked.application, asked.kind, asked.ordinal, 1, 2, asked.reviewer]
        tx.record(EventType.ASSIGNED, {"items": [item]})

    assert "against capacity, conflicts" in found(world.product.reports.verify(CYCLE, live=False))


def test_a_decision_made_on_another_history_is_found() -> None:
    world = World(rules=rules(budget=14))
    world.run()
    tamper(world, "UPDATE decision SET read_hash = 'elsewhere' WHERE number = 2")

    assert "decision 2 was made on another history" in found(world.product.reports.verify(CYCLE))


def test_a_fixed_list_is_not_said_to_wait_for_a_live_state_that_nobody_keeps_up() -> None:
    world = World(rules=rules(purpose=Purpose.REAL, budget=8))
    world.run()
    world.product.cohort.finalize(CYCLE, by="chair")
    world.product.offers.make(CYCLE, by="ops")

    assert world.product.reports.verify(CYCLE).findings == ()
    world.state.forget(CYCLE)
    assert world.product.reports.verify(CYCLE).findings == ()
