"""Looks beside a coordinator's turns: how often, what fails, and what no turn waits for."""

import threading

from swapflow.errors import UnavailableError
from swapflow.processes.beside.now_and_then import NowAndThen
from tests.support.waiting import CAP, wait_until


def test_a_look_that_fails_stops_nobody_and_is_taken_again_when_the_next_is_due() -> None:
    now, taken = [0.0], list[float]()

    def look() -> None:
        taken.append(now[0])
        raise (UnavailableError("away") if len(taken) == 1 else OSError("no folder"))

    one = NowAndThen(look=look, every=5.0, event="a", failed="it failed", clock=lambda: now[0])
    for _ in range(11):
        one()
        now[0] += 1.0

    assert taken == [0.0, 5.0, 10.0]


def test_a_turn_waits_for_no_look_in_a_thread_and_a_slow_one_is_not_begun_anew() -> None:
    now, begun, may_end = [0.0], list[float](), threading.Event()

    def look() -> None:
        begun.append(now[0])
        assert may_end.wait(CAP)

    one = NowAndThen(
        look=look, every=5.0, event="a", failed="it failed", in_thread=True, clock=lambda: now[0]
    )
    for _ in range(3):
        one()
        wait_until(lambda: bool(begun), what="the first look has begun")
        now[0] += 5.0
    still = list(begun)
    may_end.set()

    def again() -> bool:
        one()
        return len(begun) > 1

    wait_until(again, what="the next look")

    assert still == [0.0]
    assert begun == [0.0, now[0]]
