"""A reconsideration that ends without a decision: taken back, or its applicant is erased."""

from swapflow.domain.cohort.reconsideration import Closing, Reconsideration, Result
from swapflow.domain.event import EventType
from swapflow.engine.coordination.dispatch import cancel_pulls
from swapflow.engine.ports import Transaction


def end_unheard(
    tx: Transaction, which: Reconsideration, *, by: str, reason: str, why: str
) -> None:
    """Cancel what is still asked for, and close it; nothing on the list changes."""
    cancel_pulls(tx, tx.open_pulls_of(which.application), why=why)
    tx.record(EventType.RECONSIDERATION_CLOSED, closed(which, Closing(result=Result.WITHDRAWN)))
    tx.close_reconsideration(which.id, Closing(result=Result.WITHDRAWN, reason=reason), by=[by])


def closed(which: Reconsideration, closing: Closing) -> dict[str, int | str]:
    """Give the payload of the event by which a reconsideration ends."""
    return {
        "a": which.application,
        "result": closing.result.value,
        "version": closing.version,
        "place": closing.place,
    }
