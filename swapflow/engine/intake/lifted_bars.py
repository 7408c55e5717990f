"""Staff undo what bars a reviewer from an applicant: a conflict that was none, a voided review."""

from swapflow.domain.event import EventType
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT
from swapflow.domain.reviewing.score import NotCounted
from swapflow.domain.rules_versions import FIRST_ASKING
from swapflow.engine.intake.own_reviews import same_people
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import find, refuse_finalized
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError


def remove_conflict(
    cycle_id: str, application: str, reviewer: str, *, by: str, reason: str, ledger: Ledger
) -> None:
    """Take a conflict of interest back, by a further event; the reviewer may be asked again.

    What was taken back when it was recorded stays so: the seat may be another's by now.

    Args:
        cycle_id: The program.
        application: The applicant's id.
        reviewer: The reviewer's id.
        by: Who does it.
        reason: Why; must be given. Kept in an erasable row.
        ledger: The ledger.

    Raises:
        InvalidInputError: If there is no reason, or no such conflict.
        ConflictError: If the two have the same mail address.
        NotFoundError: If an id is not in the program.
        CycleFinalizedError: If the list is fixed.
    """
    if not reason.strip():
        raise InvalidInputError("reason_missing")
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        applicant = find(tx.applications(), application, cycle_id)
        judge = next((r for r in tx.reviewers() if r.external_id == reviewer), None)
        if judge is None:
            raise NotFoundError("reviewer_not_in_program", cycle=cycle_id, reviewer=reviewer)
        if (applicant.number, judge.number) not in tx.conflicts():
            raise InvalidInputError(
                "conflict_not_on_record", applicant=application, reviewer=reviewer
            )
        if same_people([(application, applicant.email)], [(reviewer, judge.email)]):
            raise ConflictError("conflict_of_one_address", applicant=application)
        tx.remove_conflict(applicant.number, judge.number)
        tx.record(EventType.CONFLICT_REMOVED, {"a": applicant.number, "r": judge.number})
        tx.note(
            subject=f"application:{applicant.number}",
            by=by,
            text=f"no conflict with reviewer {judge.number}: {reason.strip()}",
        )


def lift_bar(
    cycle_id: str, application: str, reviewer: str, *, by: str, reason: str, ledger: Ledger
) -> bool:
    """Lift the bar of a voided review: the reviewer may be asked about the applicant again.

    The voided review stays on record and does not count. Voiding another review bars them anew.

    Args and Raises as `remove_conflict`, and:
        InvalidInputError: If no review of the two was voided, or one counts.
        ConflictError: If the program asks nobody twice, the two are in conflict, the applicant was
            opened by the reviewer, or a request is open.

    Returns:
        False if it was lifted before; then nothing is written.
    """
    if not reason.strip():
        raise InvalidInputError("reason_missing")
    before = ledger.lifted_bars(cycle_id)
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        applicant = find(tx.applications(), application, cycle_id).number
        judge = next((r.number for r in tx.reviewers() if r.external_id == reviewer), None)
        if judge is None:
            raise NotFoundError("reviewer_not_in_program", cycle=cycle_id, reviewer=reviewer)
        scores = [s for s in tx.scores_of_reviewer(judge) if s.application == applicant]
        voided = [s for s in scores if not s.counts and s.reason == NotCounted.VOIDED]
        if not voided or any(s.counts for s in scores):
            raise InvalidInputError("no_voided_review", applicant=application, reviewer=reviewer)
        _refuse_other_bars(tx, applicant, judge)
        lifted = before.get((applicant, judge))
        if lifted is not None and lifted >= max(s.submitted_at for s in voided):
            return False
        tx.record(EventType.BAR_LIFTED, {"a": applicant, "r": judge})
        tx.note(
            subject=f"application:{applicant}",
            by=by,
            text=f"reviewer {judge} may be asked again after a void: {reason.strip()}",
        )
        return True


def _refuse_other_bars(tx: Transaction, application: int, reviewer: int) -> None:
    """Refuse to lift a bar where another one stays."""
    if tx.rules().asking == FIRST_ASKING:
        raise ConflictError("program_asks_nobody_twice")
    if (application, reviewer) in tx.conflicts():
        raise ConflictError("conflict_stays")
    if (application, reviewer) in tx.opened_pairs():
        raise ConflictError("opened_stays")
    if any(
        a.application == application for a in tx.assignments_of_reviewer(reviewer, OPEN_ASSIGNMENT)
    ):
        raise ConflictError("request_is_open")
