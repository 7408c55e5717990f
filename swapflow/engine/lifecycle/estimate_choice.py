"""The choice of estimates by which the list is proposed."""

from dataclasses import replace

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import ESTIMATES, Estimates, Rules
from swapflow.engine.lifecycle.rule_changes import change_rules
from swapflow.engine.ports.ledger import Ledger
from swapflow.errors import CycleFinalizedError, InvalidInputError, NotReadyError


def choose_estimates(
    cycle_id: str,
    estimates: Estimates,
    *,
    by: str,
    reason: str,
    made_from: str = "",
    ledger: Ledger,
    provider: bool = False,
) -> Rules:
    """Make the list by other estimates, or by the rule's own again.

    The choice is a version of the rules like any other: on record with its reason, and replayed
    with every list. It voids signatures given for the list before.

    Args:
        cycle_id: The cycle; launched, and its list not final.
        estimates: The estimates that are to make the list.
        by: Who asks for it.
        reason: Why; must be given.
        made_from: The version of the rules that the form was made from; "" for no check.
        ledger: The ledger.
        provider: Whether an identity provider is connected, as for any change of the rules.

    Raises:
        InvalidInputError: If there is no reason, or these estimates are in force already.
        NotReadyError: If the cycle was not launched; its rules are edited then.
        CycleFinalizedError: If the list is final.
    """
    if not reason.strip():
        raise InvalidInputError("reason_missing")
    if ledger.cycle(cycle_id).status is CycleStatus.DRAFT:
        raise NotReadyError("not_launched_set_estimates")
    rules = ledger.rules(cycle_id)
    if ledger.cycle(cycle_id).status is CycleStatus.FINALIZED:
        raise CycleFinalizedError("list_final_estimates")
    if rules.estimates is estimates:
        raise InvalidInputError("estimates_already_used", estimates=ESTIMATES[estimates])
    wanted = replace(rules, estimates=estimates)
    return change_rules(
        cycle_id,
        wanted,
        by=by,
        reason=reason.strip(),
        # What was read is what is changed; the form's own revision, where it carries one.
        made_from=made_from or str(rules.version),
        ledger=ledger,
        provider=provider,
    )
