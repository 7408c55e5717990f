"""Messages leave from a thread beside the turns: a broker that hangs holds no score up."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from swapflow.engine.coordination.coordinator import Coordinator
from swapflow.engine.notifications.mail_text import MailText
from swapflow.engine.ports.dispatcher import QueueMessage
from swapflow.errors import UnavailableError
from swapflow.state.memory import MemoryDoorbell
from tests.engine.cycle_by_hand import CYCLE, World
from tests.support.waiting import CAP, wait_until


class HangingBroker:
    """A broker that answers nothing until it is let go."""

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.called = threading.Event()
        self.sent: list[str] = []

    def send(self, messages: Sequence[QueueMessage]) -> None:
        self.called.set()
        assert self.answers.wait(CAP)
        self.sent += [message.id for message in messages]


class BrokenOnce:
    """A broker that is away at the first call."""

    def __init__(self) -> None:
        self.calls = 0
        self.sent: list[str] = []

    def send(self, messages: Sequence[QueueMessage]) -> None:
        self.calls += 1
        if self.calls == 1:
            raise UnavailableError("no broker")
        self.sent += [message.id for message in messages]


@contextmanager
def relaying(
    one: Coordinator, *, once_told_to_end: Callable[[], None] = lambda: None
) -> Iterator[list[UnavailableError]]:
    """Relay from a thread, as the coordinator's process does."""
    ended, told = threading.Event(), list[UnavailableError]()
    thread = threading.Thread(
        target=one.outgoing.run, args=(ended,), kwargs={"on_away": told.append}
    )
    thread.start()
    wait_until(lambda: one.outgoing._beside, what="the thread")
    try:
        yield told
    finally:
        ended.set()
        one.outgoing.wake()
        once_told_to_end()
        thread.join(CAP)
        assert not thread.is_alive()


def coordinator(world: World, broker: HangingBroker | BrokenOnce) -> Coordinator:
    return Coordinator(
        ledger=world.ledger,
        state=world.state,
        dispatcher=broker,
        doorbell=MemoryDoorbell(),
        lease_seconds=3600.0,
        holder="beside",
    )


def test_scores_are_applied_and_decided_on_while_the_broker_hangs(url: str) -> None:
    world, broker = World(url=url), HangingBroker()
    one = coordinator(world, broker)
    with relaying(one):
        one.turn()
        assert broker.called.wait(CAP)
        asked = world.waiting()
        decisions = world.cycle.decisions
        for assignment in asked:
            world.submit(assignment, 0.5)

        wait_until(lambda: one.turn() == 0, what="the scores to be applied")

        assert world.arms().position == world.cycle.position
        assert world.cycle.decisions > decisions
        assert broker.sent == []
        broker.answers.set()
        wait_until(
            lambda: not world.ledger.unsent(again_after=1e6, at_most=10), what="every message"
        )
    assert {a.id for a in world.waiting()} <= set(broker.sent)
    assert len(broker.sent) == len(set(broker.sent)), "each was sent once"
    world.verify()


def test_what_the_last_turn_asked_for_leaves_though_the_end_came_while_others_were_sent() -> None:
    world, broker = World(), HangingBroker()
    one = coordinator(world, broker)
    with relaying(one, once_told_to_end=broker.answers.set):
        one.turn()
        assert broker.called.wait(CAP)
        mail = MailText(subject="Look", parts=("It came.",)).to("a@example.org", mail_id="last")
        world.ledger.office().queue_mail(mail)
        one.turn()

    assert "last" in broker.sent


def test_what_a_broker_did_not_take_is_sent_by_a_later_look() -> None:
    world, broker = World(), BrokenOnce()
    one = coordinator(world, broker)
    with relaying(one) as told:
        one.turn()
        wait_until(
            lambda: {a.id for a in world.waiting()} <= set(broker.sent), what="the requests"
        )
    assert [str(error) for error in told] == ["no broker"]
    assert world.ledger.unsent(again_after=1e6, at_most=10) == ()
    assert world.ledger.cycle(CYCLE).decisions >= 1
