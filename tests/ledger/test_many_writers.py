"""Many threads and processes at once: nothing is lost, nobody starves, nobody deadlocks."""

import multiprocessing
import os
import threading
from collections import Counter

import pytest

from swapflow.domain.cycle import START, Round
from swapflow.domain.event import EventType
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.ledger.core.fair_lock import FairLock
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import RULES, applicant, pull, reviewer, seat
from tests.support.waiting import CAP, wait_until


FORK = multiprocessing.get_context("fork")


def cycle_in(url: str) -> SqlLedger:
    ledger = SqlLedger(url)
    ledger.create_round(Round(id="2027", name="Season", unit="minutes", zone="UTC"))
    ledger.create_cycle("fall", round_id="2027", name="Fall", rules=RULES, by="ops")
    return ledger


def written(ledger: SqlLedger) -> list[tuple[int, int]]:
    events = ledger.events("fall", after=START, at_most=100_000)
    assert events is not None
    return [(int(str(e.payload["r"])), int(str(e.payload["n"]))) for e in events]


def test_eight_threads_lose_nothing_and_keep_the_chain(ledger: SqlLedger) -> None:
    failures: list[BaseException] = []

    def work(who: int) -> None:
        try:
            for number in range(10):
                with ledger.write("fall") as tx:
                    tx.record(EventType.REVIEWER_LEFT, {"r": who, "n": number}, spent=1)
                ledger.events("fall", after=START, at_most=5)
        except BaseException as error:  # noqa: BLE001 - reported by the test
            failures.append(error)

    threads = [threading.Thread(target=work, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(CAP)

    assert failures == []
    assert sorted(written(ledger)) == [(who, n) for who in range(8) for n in range(10)]
    assert ledger.cycle("fall").spent == 80
    assert ledger.check_chain("fall") is None


def test_four_processes_lose_nothing_and_take_turns(shared_url: str) -> None:
    ledger = cycle_in(shared_url)
    count = 40
    start = FORK.Event()

    def work(who: int) -> None:
        start.wait(CAP)
        for number in range(count):
            with ledger.write("fall") as tx:
                tx.record(EventType.REVIEWER_LEFT, {"r": who, "n": number}, spent=1)
        os._exit(0)

    processes = [FORK.Process(target=work, args=(who,)) for who in range(4)]
    for process in processes:
        process.start()
    start.set()
    for process in processes:
        process.join(CAP)

    order = written(ledger)
    assert [process.exitcode for process in processes] == [0] * 4
    assert sorted(order) == [(who, n) for who in range(4) for n in range(count)]
    assert ledger.check_chain("fall") is None
    # Nobody is through before everybody else has begun: with SQLite's busy handler one was.
    first_done = min(order.index((who, count - 1)) for who in range(4))
    begun = Counter(who for who, _ in order[:first_done])
    assert set(begun) == {0, 1, 2, 3}
    ledger.dispose()


def test_relaying_deciding_and_delivering_at_once_never_deadlock(shared_url: str) -> None:
    ledger = cycle_in(shared_url)
    pulls = [pull(i) for i in range(20)]
    ids = [seat(p).id for p in pulls]
    with ledger.write("fall") as tx:
        tx.add_applications([applicant(f"a{i}") for i in range(20)], [1] * 20, wave=1)
        tx.add_reviewers([reviewer("r")])
        tx.insert_pulls(pulls)
        tx.insert_assignments([seat(p) for p in pulls])
    failures: list[BaseException] = []

    def repeat(act: object) -> None:
        try:
            for _ in range(8):
                act()  # type: ignore[operator]  # a closure below
        except BaseException as error:  # noqa: BLE001 - reported by the test
            failures.append(error)

    def move() -> None:
        with ledger.write("fall") as tx:
            for id_ in reversed(ids):
                tx.move_assignments(
                    [id_], AssignmentStatus.QUEUED, allowed=[AssignmentStatus.DELIVERED]
                )

    acts = [move, move, lambda: ledger.mark_sent(ids), lambda: ledger.mark_delivered(ids)]
    threads = [threading.Thread(target=repeat, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(CAP)

    assert failures == []
    assert {a.sends for a in ledger.assignments("fall")} == {8}
    ledger.dispose()


def test_a_forked_child_writes_with_connections_of_its_own(shared_url: str) -> None:
    ledger = cycle_in(shared_url)

    def child() -> None:
        with ledger.write("fall") as tx:
            tx.record(EventType.REVIEWER_LEFT, {"r": 1, "n": 1})
        os._exit(0)

    process = FORK.Process(target=child)
    process.start()
    process.join(CAP)
    with ledger.write("fall") as tx:
        tx.record(EventType.REVIEWER_LEFT, {"r": 0, "n": 0})

    assert process.exitcode == 0
    assert written(ledger) == [(1, 1), (0, 0)]
    assert ledger.check_chain("fall") is None
    ledger.dispose()


def test_a_write_inside_a_write_is_refused_instead_of_waiting_for_ever(
    file_ledger: SqlLedger,
) -> None:
    with (
        file_ledger.write("fall") as tx,
        pytest.raises(RuntimeError, match="wait for itself"),
        file_ledger.write("fall"),
    ):
        tx.record(EventType.LAUNCHED, {"rules": 1})


def test_a_read_inside_a_write_is_served(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        assert ledger.rules("fall") == tx.rules()


def test_the_fair_lock_serves_in_order_of_arrival() -> None:
    lock = FairLock()
    served: list[int] = []

    def wait(number: int) -> None:
        with lock.held():
            served.append(number)

    with lock.held():
        threads = [threading.Thread(target=wait, args=(number,)) for number in range(6)]
        for number, thread in enumerate(threads):
            thread.start()
            waiting = number + 1
            wait_until(lambda: len(lock._waiting) >= waiting, what="another who waits")  # noqa: B023  # called here
    for thread in threads:
        thread.join(CAP)

    assert served == [0, 1, 2, 3, 4, 5]
    assert not lock.is_mine
