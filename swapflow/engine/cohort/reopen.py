"""Reopening: a final list is decided anew, by two people; the old version stays on record."""

from collections.abc import Collection

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.engine.confirmation import Beside, confirm
from swapflow.engine.offers.announcements import withdraw
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.read_models.final_list import final_list
from swapflow.errors import ConflictError, InvalidInputError


def reopen(
    cycle_id: str, *, names: Collection[str], reason: str, shown: str = "", ledger: Ledger
) -> int:
    """Reopen a final list for another version; the old one stays on record.

    Held letters to applicants are withdrawn, with the offers that they announce.

    Args:
        cycle_id: The cycle.
        names: Two different people.
        reason: Why; must be given.
        shown: Digest of the final list that they were shown; "" if nothing was shown.
        ledger: The ledger.

    Returns:
        The number of the version that the next finalize will store.

    Raises:
        ConflictError: If a reconsideration is open, or another list is final than was shown.
    """
    if len(set(names)) < 2 or not reason.strip():  # noqa: PLR2004 - two pairs of eyes
        raise InvalidInputError("reopening_names_missing")
    return confirm(
        cycle_id,
        lambda: final_list(cycle_id, ledger=ledger),
        lambda tx, _: reopen_in(tx, names=names, reason=reason),
        shown=shown,
        beside={Beside.TOLD},
        ledger=ledger,
    )


def reopen_in(tx: Transaction, *, names: Collection[str], reason: str) -> int:
    """Reopen a final list within a transaction that may hold more; otherwise as `reopen`."""
    cycle = tx.cycle
    if waiting := sum(one.is_open for one in tx.reconsiderations()):
        raise ConflictError("reconsiderations_open", cycle=cycle.id, applicants=waiting)
    for announcement in tx.announcements():
        # A letter that still waits would announce a list that is open again.
        if announcement.held:
            withdraw(tx, announcement, by=" and ".join(sorted(names)))
    tx.record(EventType.REOPENED, {"version": cycle.cohort_version + 1})
    tx.set_status(CycleStatus.ENDED, stop_reason=cycle.stop_reason or "staff")
    tx.note(subject=f"reopening of {cycle.id}", by=" and ".join(sorted(names)), text=reason)
    # What waits for signatures was about the list that is no longer final.
    tx.drop_prepared()
    return cycle.cohort_version + 1
