"""Messages committed with a decision go to the broker, and again until their effect is seen."""

import threading
from collections.abc import Callable, Collection, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from itertools import groupby

from swapflow.domain.reviewing.assignment import Assignment
from swapflow.engine.ports.dispatcher import Dispatcher, QueueMessage, Topic
from swapflow.engine.ports.ledger import Ledger
from swapflow.errors import DamagedRecordError, UnavailableError


RELAY_BATCH = 2000

RELAYS_APART = 2.0
"""Seconds after which a thread looks though no turn asked: a turn may be long, a mail may wait."""


@dataclass(slots=True)
class Relayed:
    """What one relay sent, and what it could not.

    Attributes:
        messages: Messages sent.
        faults: Errors by the cycle whose rows cannot be sent; "" where that is unknown.
    """

    messages: int = 0
    faults: dict[str, Exception] = field(default_factory=dict)


def relay(
    *, ledger: Ledger, dispatcher: Dispatcher, again_after: float, without: Collection[str] = ()
) -> Relayed:
    """Send a message for every row that has none, or whose message had no effect.

    The rows are assignments, mails and webhook calls, which are first created from events. What
    cannot be sent of one cycle keeps back nothing of another, and requests no mail.

    No lease is needed: two relays send twice, which has the effect of once.

    Args:
        ledger: The ledger.
        dispatcher: The way to the workers.
        again_after: Seconds after which a message without effect is sent again.
        without: Cycles whose requests and events are left alone.

    Raises:
        UnavailableError: If the broker or the database does not answer; what was not marked as
            sent will be sent again.
    """
    # One look first: most relays find nothing, or assignments alone.
    work = ledger.outbox_work(again_after=again_after)
    relayed = Relayed()

    def letters() -> int:
        ledger.release_letters()
        return 0

    def mails() -> int:
        found = ledger.mails(at_most=RELAY_BATCH, again_after=again_after)
        messages = [
            QueueMessage(topic=Topic.SIGN_IN if mail.cycle_id is None else Topic.MAIL, id=mail.id)
            for mail in found
        ]
        return _send(messages, ledger.mark_relayed, dispatcher)

    def requests() -> int:
        waiting = ledger.unsent(again_after=again_after, at_most=RELAY_BATCH, without=without)
        return _send_requests(waiting, relayed, ledger=ledger, dispatcher=dispatcher)

    def events() -> int:
        ledger.queue_calls(without=without)
        return 0

    def calls() -> int:
        found = ledger.due_calls(again_after=again_after, at_most=RELAY_BATCH)
        messages = [QueueMessage(topic=Topic.WEBHOOK, id=call) for call in found]
        return _send(messages, ledger.mark_calls_relayed, dispatcher)

    # Mails first: a sign-in waits for nothing but its mail.
    stages = {
        letters: work.letters,
        mails: work.letters or work.mails,
        requests: work.assignments,
        events: work.events,
        calls: work.events or work.calls,
    }
    for stage in (stage for stage, waits in stages.items() if waits):
        try:
            relayed.messages += stage()
        except UnavailableError:
            raise
        except Exception as error:  # noqa: BLE001 - one damaged row must not stop the rest
            relayed.faults[_cycle_of(error)] = error
    return relayed


class Outgoing:
    """What a coordinator relays: within its turns, or from a thread beside them.

    With the thread a turn only asks: a broker that hangs, or a thousand messages, hold no score
    up. Without one, as in a simulation, asking relays at once.

    Args:
        ledger: The ledger, which is safe for threads.
        dispatcher: The way to the workers.
        again_after: Seconds after which a message without effect is sent again.
    """

    def __init__(self, *, ledger: Ledger, dispatcher: Dispatcher, again_after: float) -> None:
        self._ledger = ledger
        self._dispatcher = dispatcher
        self._again_after = again_after
        self._beside = False
        self._asked = threading.Event()
        self._mutex = threading.Lock()
        # What the last turn knew of who leads what; before the first one nothing is sent.
        self._without: Collection[str] | None = None
        self._context: Context | None = None
        self._faults: dict[str, Exception] = {}

    def ask(self, without: Collection[str]) -> Relayed:
        """Relay what waits, or have the thread do it.

        Args:
            without: Cycles whose requests and events are left alone, until the next call.

        Returns:
            What was sent, and what could not; from a thread the latter alone, since the last call.
        """
        if not self._beside:
            return self._relay(without)
        with self._mutex:
            # Messages carry the trace of the turn that asked for them last.
            self._without, self._context = without, copy_context()
            faults, self._faults = self._faults, {}
        self._asked.set()
        return Relayed(faults=faults)

    def run(self, ended: threading.Event, *, on_away: Callable[[UnavailableError], None]) -> None:
        """Relay beside the turns until the event is set; for a thread of its own.

        Args:
            ended: Ends it after one more look, so that what was committed is sent.
            on_away: Told when the broker or the database does not answer. What was not marked as
                sent is sent again by a later look.
        """
        self._beside = True
        is_last = False
        while not is_last:
            self._asked.wait(RELAYS_APART)
            self._asked.clear()
            # After the wait, and not at the loop's head: the last turn may have asked while this
            # thread was still sending what the one before had.
            is_last = ended.is_set()
            with self._mutex:
                without, context = self._without, self._context or copy_context()
                self._context = None
            if without is None:
                continue
            try:
                relayed = context.run(self._relay, without)
            except UnavailableError as error:
                on_away(error)
                ended.wait(RELAYS_APART)
                continue
            except Exception as error:  # noqa: BLE001 - the turn raises what is no cycle's
                relayed = Relayed(faults={"": error})
            with self._mutex:
                self._faults |= relayed.faults
            if relayed.messages:
                self._asked.set()

    def wake(self) -> None:
        """Have the thread look at once, whatever was asked."""
        self._asked.set()

    def _relay(self, without: Collection[str]) -> Relayed:
        return relay(
            ledger=self._ledger,
            dispatcher=self._dispatcher,
            again_after=self._again_after,
            without=without,
        )


def _send_requests(
    waiting: Sequence[Assignment], relayed: Relayed, *, ledger: Ledger, dispatcher: Dispatcher
) -> int:
    """Send requests, all at once or, where that fails, one cycle at a time."""

    def send(assignments: Sequence[Assignment]) -> int:
        if assignments:
            dispatcher.send(
                [QueueMessage(topic=Topic.DELIVER, id=a.id, tier=a.kind) for a in assignments]
            )
            # Marked after sending: a crash in between sends twice, the other order would send
            # never.
            ledger.mark_sent([a.id for a in assignments])
        return len(assignments)

    try:
        return send(waiting)
    except UnavailableError:
        raise
    except Exception:  # noqa: BLE001 - told apart below
        sent = 0
        for cycle_id, theirs in groupby(
            sorted(waiting, key=lambda a: a.cycle_id), key=lambda a: a.cycle_id
        ):
            try:
                sent += send(list(theirs))
            except UnavailableError:
                raise
            except Exception as error:  # noqa: BLE001 - the other cycles go on
                relayed.faults[cycle_id] = error
        return sent


def _send(
    messages: Sequence[QueueMessage],
    mark: Callable[[Sequence[str]], None],
    dispatcher: Dispatcher,
) -> int:
    """Send messages, then mark their rows as sent."""
    if messages:
        dispatcher.send(messages)
        mark([message.id for message in messages])
    return len(messages)


def _cycle_of(error: Exception) -> str:
    return error.cycle if isinstance(error, DamagedRecordError) else ""
