"""What the ledger promises of events, the chain and leases, on every database."""

from datetime import timedelta

import pytest

from swapflow.domain.cycle import START, CycleStatus, Position
from swapflow.domain.event import EventType
from swapflow.domain.fixed_point import Delta
from swapflow.engine.ports.coordination import Rest
from swapflow.errors import InvalidInputError, LeaseLostError
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import (
    NOON,
    RULES,
    applicant,
)


def _launch_with_twins(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1}, spent=5)
        tx.set_status(CycleStatus.RUNNING)
        tx.add_applications([applicant("a")], [1], wave=1)
        tx.add_applications([applicant("a")], [1], wave=1)


def test_events_come_back_in_order_with_everything_they_carried(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        first = tx.record(EventType.LAUNCHED, {"rules": 1})
        second = tx.record(
            EventType.PULLS_OPENED,
            {"pulls": [[0, 0, 1, False]], "why": "floor"},
            deltas=[Delta(application=0, pending=1000)],
            committed=30,
        )
        inside = tx.cycle

    events = ledger.events("fall", after=START, at_most=10)
    assert events is not None
    assert (first, second) == (1, 2)
    assert [e.position.seq for e in events] == [1, 2]
    assert (events[1].type, events[1].payload, events[1].deltas, events[1].committed) == (
        EventType.PULLS_OPENED,
        {"pulls": [[0, 0, 1, False]], "why": "floor"},
        (Delta(application=0, pending=1000),),
        30,
    )
    assert ledger.cycle("fall") == inside
    assert inside.position == events[1].position
    assert inside.committed == 30
    assert ledger.check_chain("fall") is None


def test_what_events_spend_and_commit_adds_up_within_a_transaction_and_over_several(
    ledger: SqlLedger,
) -> None:
    for spent, committed in (((5, 7), (30, -10)), ((2, 0), (0, -4))):
        with ledger.write("fall") as tx:
            before = tx.cycle
            for one, other in zip(spent, committed, strict=True):
                tx.record(EventType.REVIEWER_LEFT, {"r": 0}, spent=one, committed=other)
            after = tx.cycle
        assert after.spent == before.spent + sum(spent)
        assert after.committed == before.committed + sum(committed)

    cycle = ledger.cycle("fall")
    assert (cycle.spent, cycle.committed) == (14, 16)


def test_reading_goes_on_where_it_ended_and_stops_at_the_limit(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        for number in range(5):
            tx.record(EventType.REVIEWER_LEFT, {"r": number})

    first = ledger.events("fall", after=START, at_most=2)
    assert first is not None
    rest = ledger.events("fall", after=first[-1].position, at_most=10)
    assert rest is not None
    none = ledger.events("fall", after=rest[-1].position, at_most=10)

    assert [e.payload["r"] for e in (*first, *rest)] == [0, 1, 2, 3, 4]
    assert none == ()


def test_a_position_that_the_ledger_never_had_is_told_apart(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
    head = ledger.cycle("fall").position

    assert ledger.events("fall", after=Position(1, "0" * 64), at_most=5) is None
    assert ledger.events("fall", after=Position(2, head.hash), at_most=5) is None
    assert ledger.events("fall", after=head, at_most=5) == ()


def test_an_error_inside_a_transaction_leaves_nothing_behind(ledger: SqlLedger) -> None:
    before = ledger.cycle("fall")

    with pytest.raises(InvalidInputError, match="twice: a"):
        _launch_with_twins(ledger)

    assert ledger.cycle("fall") == before
    assert ledger.applications("fall") == ()
    assert ledger.events("fall", after=START, at_most=5) == ()


def test_event_types_after_a_number_leave_out_what_is_not_committed(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
        tx.record(EventType.PAUSED, {})
        tx.record(EventType.PAUSED, {})
    with ledger.write("fall") as tx:
        tx.record(EventType.RESUMED, {"shift": 0})

        assert tx.event_types_after(1) == {EventType.PAUSED}
        assert tx.event_types_after(3) == frozenset()


def test_status_pause_and_stop_reason_follow_the_cycle(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.set_status(CycleStatus.PAUSED, paused_at=NOON)
    paused = ledger.cycle("fall")
    with ledger.write("fall") as tx:
        tx.set_status(CycleStatus.PROPOSED, stop_reason="budget")
    with ledger.write("fall") as tx:
        tx.set_status(CycleStatus.ENDED)
    ended = ledger.cycle("fall")
    with ledger.write("fall") as tx:
        tx.set_status(CycleStatus.RUNNING)
    running = ledger.cycle("fall")

    assert (paused.status, paused.paused_at) == (CycleStatus.PAUSED, NOON)
    assert (ended.status, ended.paused_at, ended.stop_reason) == (
        CycleStatus.ENDED,
        None,
        "budget",
    )
    assert (running.status, running.stop_reason) == (CycleStatus.RUNNING, None)


def test_a_lease_keeps_others_out_until_it_is_released(ledger: SqlLedger) -> None:
    first = ledger.take_lease("fall", holder="one", seconds=60)
    assert first is not None
    renewed = ledger.take_lease("fall", holder="one", seconds=120)
    assert renewed is not None
    other = ledger.take_lease("fall", holder="two", seconds=60)
    ledger.release_lease(renewed)
    after = ledger.take_lease("fall", holder="two", seconds=60)
    assert after is not None

    assert (first.epoch, renewed.epoch, other, after.epoch) == (1, 1, None, 2)
    assert renewed.until > first.until


def test_a_lease_that_ran_out_gets_a_new_epoch_even_for_its_holder(ledger: SqlLedger) -> None:
    ledger.take_lease("fall", holder="one", seconds=-1)
    again = ledger.take_lease("fall", holder="one", seconds=60)

    assert again is not None
    assert again.epoch == 2


def test_a_lease_of_a_clock_that_was_set_back_keeps_nobody_out(ledger: SqlLedger) -> None:
    ledger.take_lease("fall", holder="one", seconds=6 * 3600)  # 15 seconds, six hours ahead

    after = ledger.take_lease("fall", holder="two", seconds=15)

    assert after is not None
    assert after.epoch == 2


def test_a_lost_lease_can_neither_write_nor_release(ledger: SqlLedger) -> None:
    old = ledger.take_lease("fall", holder="one", seconds=-1)
    new = ledger.take_lease("fall", holder="two", seconds=60)
    assert old is not None
    assert new is not None

    with pytest.raises(LeaseLostError), ledger.write("fall", epoch=old.epoch) as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
    ledger.release_lease(old)

    assert ledger.take_lease("fall", holder="three", seconds=60) is None
    assert ledger.cycle("fall").position == START
    with ledger.write("fall", epoch=new.epoch) as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
    assert ledger.cycle("fall").position.seq == 1


def test_free_leases_are_taken_together_each_by_one_holder_and_epoch(ledger: SqlLedger) -> None:
    ledger.create_cycle("spring", round_id="2027", name="Spring", rules=RULES, by="ops")
    held = ledger.take_lease("spring", holder="two", seconds=60)

    taken = ledger.take_leases(("fall", "spring"), holder="one", seconds=60)

    assert [(lease.cycle_id, lease.holder, lease.epoch) for lease in taken] == [("fall", "one", 1)]
    assert ledger.take_leases(("fall", "spring"), holder="three", seconds=60) == ()
    ledger.release_lease(taken[0])
    assert held is not None
    ledger.release_lease(held)
    again = ledger.take_leases(("fall", "spring"), holder="three", seconds=60)
    assert sorted((lease.cycle_id, lease.epoch) for lease in again) == [("fall", 2), ("spring", 2)]


def test_a_rest_is_noted_by_the_leader_alone_and_ends_with_the_next_event(
    ledger: SqlLedger,
) -> None:
    lost = ledger.take_lease("fall", holder="one", seconds=-1)
    lease = ledger.take_lease("fall", holder="two", seconds=60)
    assert lost is not None
    assert lease is not None
    seq, until = ledger.cycle("fall").position.seq, ledger.now() + timedelta(days=1)

    assert ledger.note_rests([Rest(lease=lost, seq=seq, until=None)]) == frozenset()
    assert ledger.note_rests([Rest(lease=lease, seq=seq + 1, until=None)]) == frozenset()
    assert not ledger.heads(lease_seconds=60).of["fall"].rested
    assert ledger.note_rests([Rest(lease=lease, seq=seq, until=until)]) == {"fall"}
    head = ledger.heads(lease_seconds=60).of["fall"]
    assert (head.rested, head.rests_until) == (True, until)
    with ledger.write("fall") as tx:
        tx.record(EventType.REVIEWER_LEFT, {"r": 0})
    assert not ledger.heads(lease_seconds=60).of["fall"].rested


def test_the_test_offset_moves_now_but_not_leases(ledger: SqlLedger) -> None:
    ledger.take_lease("fall", holder="one", seconds=60)
    real = ledger.now()

    ledger.set_clock_offset(86_400)

    assert timedelta(hours=23) < ledger.now() - real < timedelta(hours=25)
    with ledger.write("fall") as tx:
        assert abs(tx.now - ledger.now()) < timedelta(seconds=10)
    assert ledger.take_lease("fall", holder="two", seconds=60) is None
