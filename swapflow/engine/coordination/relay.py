"""Messages committed with a decision go to the broker, and again until their effect is seen."""

from swapflow.domain.reviewing.assignment import Assignment
from swapflow.engine.ports.dispatcher import Dispatcher, QueueMessage, Topic
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import Mail


RELAY_BATCH = 2000


def relay(*, ledger: Ledger, dispatcher: Dispatcher, again_after: float) -> int:
    """Send a message for every row that has none, or whose message had no effect.

    The rows are assignments, mails and webhook calls, which are first created from events.

    No lease is needed: two relays send twice, which has the effect of once.

    Returns:
        Messages sent.

    Raises:
        UnavailableError: If the broker or the database does not answer; what was not marked as
            sent will be sent again.
    """
    # One look first: most relays find nothing, or assignments alone.
    work = ledger.outbox_work(again_after=again_after)
    waiting: tuple[Assignment, ...] = ()
    mails: tuple[Mail, ...] = ()
    calls: tuple[str, ...] = ()
    if work.assignments:
        waiting = ledger.unsent(again_after=again_after, at_most=RELAY_BATCH)
    if work.letters:
        ledger.release_letters()
    if work.letters or work.mails:
        mails = ledger.mails(again_after=again_after, at_most=RELAY_BATCH)
    if work.events:
        ledger.queue_calls()
    if work.events or work.calls:
        calls = ledger.due_calls(again_after=again_after, at_most=RELAY_BATCH)
    messages = [QueueMessage(topic=Topic.DELIVER, id=a.id, tier=a.kind) for a in waiting]
    messages += [QueueMessage(topic=Topic.MAIL, id=mail.id) for mail in mails]
    messages += [QueueMessage(topic=Topic.WEBHOOK, id=call) for call in calls]
    if messages:
        dispatcher.send(messages)
    # Marked after sending: a crash in between sends twice, the other order would send never.
    if waiting:
        ledger.mark_sent([assignment.id for assignment in waiting])
    if mails:
        ledger.mark_relayed([mail.id for mail in mails])
    if calls:
        ledger.mark_calls_relayed(calls)
    return len(messages)
