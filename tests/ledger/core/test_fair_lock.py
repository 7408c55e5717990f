"""The lock of one process is passed on in order of arrival, and past those who have given up."""

import threading

import pytest

from swapflow.ledger.core.fair_lock import FairLock
from tests.support.waiting import wait_until


def test_the_thread_that_came_first_has_it_first_although_its_holder_wants_it_again() -> None:
    lock, had = FairLock(), []

    def take(number: int) -> None:
        with lock.held():
            had.append(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(5)]
    with lock.held():
        for arrived, thread in enumerate(threads, start=1):
            thread.start()
            wait_until(lambda n=arrived: len(lock._waiting) == n, what="a thread that waits")  # type: ignore[misc]
    with lock.held():
        had.append(5)
    for thread in threads:
        thread.join()

    assert had == [0, 1, 2, 3, 4, 5]


def test_a_thread_that_gave_up_is_passed_over_and_the_next_has_it() -> None:
    lock = FairLock()
    gave_up: list[bool] = []

    def give_up() -> None:
        with pytest.raises(TimeoutError), lock.held(seconds=0.01):
            pass
        gave_up.append(lock.is_mine)

    with lock.held():
        thread = threading.Thread(target=give_up)
        thread.start()
        thread.join()
        assert lock.is_mine

    with lock.held(seconds=0.01):
        assert lock.is_mine
    assert (gave_up, lock.is_mine) == ([False], False)
