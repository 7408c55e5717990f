"""A turn that outlasts the lease costs neither the lease nor the share, on both databases."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from typing_extensions import override

from swapflow.engine.coordination.coordinator import Coordinator
from swapflow.engine.coordination.presence import LONGEST_TURN
from swapflow.engine.ports.records import DueWork
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.state.memory import MemoryDoorbell
from tests.engine.cycle_by_hand import CYCLE, World, rules
from tests.support.waiting import wait_until


LEASE = 3.0
LONG = 4 * LEASE


class SlowLedger(SqlLedger):
    """A ledger at which a turn takes long, once."""

    pause = 0.0

    @override
    def due_work(self, cycle_id: str) -> DueWork:
        pause, SlowLedger.pause = SlowLedger.pause, 0.0
        threading.Event().wait(pause)
        return super().due_work(cycle_id)


def coordinator(world: World, holder: str, lease: float = LEASE) -> Coordinator:
    return Coordinator(
        ledger=world.ledger,
        state=world.state,
        dispatcher=world.product.context.dispatcher,
        doorbell=MemoryDoorbell(),
        lease_seconds=lease,
        move_seconds=3600.0,
        holder=holder,
    )


@contextmanager
def kept(one: Coordinator) -> Iterator[None]:
    """Keep its leases from a thread, as its process does."""
    ended = threading.Event()

    def keep() -> None:
        while not ended.wait(LEASE / 6):
            one.keep()

    thread = threading.Thread(target=keep)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_a_turn_that_outlasts_the_lease_keeps_it_and_its_place(url: str) -> None:
    world = World(url=url, rules=rules())
    world.ledger.__class__ = SlowLedger
    one, two = coordinator(world, "one"), coordinator(world, "two")
    one.turn()
    before = one._workspaces[CYCLE].lease
    one._workspaces[CYCLE].rests_at = None  # the next turn looks at it

    SlowLedger.pause = LONG
    turn = threading.Thread(target=one.turn)
    with kept(one):
        turn.start()
        seen = set[tuple[str, bool]]()
        until = time.monotonic() + LONG - LEASE / 2

        def look() -> bool:
            two.turn()
            heads = world.ledger.heads(lease_seconds=LEASE)
            seen.add((heads.of[CYCLE].leader, "one" in heads.coordinators))
            return time.monotonic() >= until

        wait_until(look, what="most of a long turn")
        turn.join()

    assert seen == {("one", True)}
    after = one._workspaces[CYCLE].lease
    assert before is not None
    assert after is not None
    assert after.epoch == before.epoch
    world.ledger.dispose()


def test_without_the_thread_another_takes_over_from_a_turn_that_hangs(url: str) -> None:
    """This is what the thread is for, and what comes of a turn that it takes for hung."""
    world = World(url=url, rules=rules())
    one, two = coordinator(world, "one"), coordinator(world, "two")
    one.turn()
    one._presence._turn_began -= LONGEST_TURN * LEASE

    with kept(one):

        def leads() -> bool:
            two.turn()
            return world.ledger.heads(lease_seconds=LEASE).of[CYCLE].leader == "two"

        wait_until(leads, what="the other to take over")

    heads = world.ledger.heads(lease_seconds=LEASE)
    assert heads.coordinators == {"two"}
    world.ledger.dispose()


def test_one_that_left_does_not_come_back_by_its_thread(url: str) -> None:
    world = World(url=url, rules=rules())
    one = coordinator(world, "one", lease=3600.0)
    one.turn()

    one.stop()
    one.keep()

    heads = world.ledger.heads(lease_seconds=LEASE)
    assert heads.of[CYCLE].leader == ""
    assert heads.coordinators == set()
    world.ledger.dispose()
