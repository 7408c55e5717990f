"""Messages committed with a decision go to the broker, and again until their effect is seen."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from swapflow.domain.reviewing.assignment import Assignment
from swapflow.engine.ports.dispatcher import Dispatcher, QueueMessage, Topic
from swapflow.engine.ports.ledger import Ledger
from swapflow.errors import DamagedRecordError, UnavailableError


RELAY_BATCH = 2000


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
