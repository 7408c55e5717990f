"""Refusals that several steps share."""

from collections.abc import Iterable

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import Application
from swapflow.domain.reviewing.assignment import Pull, PullReason
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.errors import CycleFinalizedError, NotFoundError


def refuse_finalized(tx: Transaction) -> None:
    """Refuse to change a cycle whose cohort is fixed.

    Raises:
        CycleFinalizedError: If it is.
    """
    if tx.cycle.status is CycleStatus.FINALIZED:
        raise CycleFinalizedError("cycle_finalized", cycle=tx.cycle.id)


def is_reconsidered(tx: Transaction, pull: Pull) -> bool:
    """Whether a pull belongs to a reconsideration that is still open."""
    return pull.why is PullReason.RECONSIDERATION and any(
        one.is_open and one.application == pull.application for one in tx.reconsiderations()
    )


def find(applications: Iterable[Application], external_id: str, cycle_id: str) -> Application:
    """Find an application by its external id."""
    for application in applications:
        if application.external_id == external_id:
            return application
    raise NotFoundError("applicant_not_in_program", cycle=cycle_id, applicant=external_id)
