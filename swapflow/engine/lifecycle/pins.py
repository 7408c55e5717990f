"""Pins: a named person puts an application in or out of every list, with a reason.

The rule respects a pin at once: the others compete for the remaining places, and nothing is
requested for an application whose place is certain.
"""

from enum import IntEnum

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.rules import Rules
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.preconditions import find, refuse_finalized
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.selection.list_objective import refuse_impossible
from swapflow.engine.selection.situation import candidates
from swapflow.errors import ConflictError, InvalidInputError


class PinSide(IntEnum):
    """Where a person pins an application, before the rule chooses among the others."""

    OUT = -1
    FREE = 0
    IN = 1


def pin(
    cycle_id: str, external_id: str, where: PinSide, *, by: str, reason: str, ledger: Ledger
) -> None:
    """Pin an application in or out of every list from now on, or free it again.

    Raises:
        NotFoundError: If the cycle has no such application.
        InvalidInputError: If there is no reason, the pin is set already, or the rules compare
            single applicants (certificate "pairwise").
        InfeasibleError: If no list would keep the places and the limits on groups.
        CycleFinalizedError: If the cohort is fixed.
    """
    if not reason.strip():
        raise InvalidInputError("pin_reason_missing", applicant=external_id)
    projection = read_projection(cycle_id, ledger=ledger)
    application = find(ledger.applications(cycle_id), external_id, cycle_id)
    if projection.pins.get(application.number, 0) == where:
        raise InvalidInputError("pinned_so_already", applicant=external_id)
    _refuse(projection, application.number, where, external_id)
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        # Whether a list exists was computed before the lock, since the solver may take seconds.
        if tx.cycle.position != projection.position:
            raise ConflictError("came_in_meanwhile")
        tx.record(EventType.APPLICATION_PINNED, {"a": application.number, "pin": int(where)})
        tx.note(subject=f"application:{application.number}", by=by, text=reason)


def _refuse(projection: CycleProjection, number: int, where: PinSide, external_id: str) -> None:
    rules: Rules = projection.rules
    if where is not PinSide.FREE and rules.certificate == "pairwise":
        raise InvalidInputError("pins_need_mixture")
    if where is not PinSide.FREE and number not in candidates(projection):
        raise InvalidInputError("no_candidate", applicant=external_id)
    if where is PinSide.FREE:
        projection.pins.pop(number, None)
    else:
        projection.pins[number] = int(where)
    # Before the launch there may be too few applications for any list.
    if projection.status is not CycleStatus.DRAFT:
        refuse_impossible(projection, candidates(projection))
