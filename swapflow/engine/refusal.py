"""Refusals that several steps share."""

from swapflow.domain.cycle import CycleStatus
from swapflow.engine.ports import Transaction
from swapflow.errors import CycleFinalizedError


def refuse_finalized(tx: Transaction) -> None:
    """Refuse to change a cycle whose cohort is fixed.

    Raises:
        CycleFinalizedError: If it is.
    """
    if tx.cycle.status is CycleStatus.FINALIZED:
        raise CycleFinalizedError(
            f"cycle {tx.cycle.id!r} is finalized; `swapflow cycle reopen` starts another version"
        )
