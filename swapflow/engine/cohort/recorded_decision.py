"""The final list from the proposal and a meeting's record, without a prepared decision."""

from collections.abc import Sequence

from swapflow.domain.cohort.proposal import Proposal, Waiver
from swapflow.engine.cohort.finalize import (
    DecisionAuthors,
    Override,
    WorkedOutDecision,
    fix_list,
    work_out,
)
from swapflow.engine.cohort.recorded_outcomes import check_recorded, follow, recorders
from swapflow.engine.confirmation import check_shown, confirm
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.read_models.proposal import propose
from swapflow.engine.read_models.snapshot import SnapshotCache


def finalize_as_recorded(
    cycle_id: str,
    *,
    by: str,
    signed_by: Sequence[str] = (),
    overrides: Sequence[Override] = (),
    waiver: Waiver | None = None,
    shown: str = "",
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> Proposal:
    """Make the list final, following the recorded outcomes of a meeting.

    Args:
        cycle_id: The cycle.
        by: Who decides.
        signed_by: As `work_out` takes it, as overrides and waiver.
        overrides: Decisions that differ from the proposal.
        waiver: Accepts that some applications are below a floor.
        shown: Digest of the list that they were shown; "" if nothing was shown.
        ledger: The ledger.
        snapshots: Cached snapshots.

    Returns:
        The proposal as stored; its seal holds the digest.

    Raises:
        NotReadyError, InvalidInputError: As `check_recorded`, `follow` and `work_out` do.
        ConflictError: If the list is another than was shown.
    """
    snapshots = snapshots or SnapshotCache()

    def work() -> WorkedOutDecision:
        proposal = propose(cycle_id, ledger=ledger, snapshots=snapshots)
        # Before anything else, so that nobody is told what is wrong with a list they never saw.
        check_shown(proposal.seal, shown)
        meeting = ledger.meeting(cycle_id, proposal.version)
        check_recorded(proposal, meeting)
        changes = follow(proposal, overrides, meeting)
        return work_out(
            cycle_id,
            proposal,
            by=by,
            signed_by=signed_by,
            authors=DecisionAuthors(
                prepared_by=by, recorded=recorders(proposal, changes, meeting)
            ),
            overrides=changes,
            waiver=waiver,
            ledger=ledger,
        )

    return confirm(cycle_id, work, fix_list, shown=shown, ledger=ledger)
