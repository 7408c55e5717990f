"""Corrections, voids and admitted scores: new events beside the old; history keeps all."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import groupby

from swapflow.domain.event import EventType
from swapflow.domain.fixed_point import Delta, contribution
from swapflow.domain.ids import cycle_of
from swapflow.domain.reviewing.assignment import (
    OPEN_ASSIGNMENT,
    AssignmentStatus,
    Pull,
    PullStatus,
)
from swapflow.domain.reviewing.score import Answer, NotCounted, Score
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import is_reconsidered, refuse_finalized
from swapflow.engine.reviewing.submit import UNASKED, utility_of
from swapflow.engine.reviewing.submitted_score import review_revision, same_content, told_of
from swapflow.engine.revisions import check_revision
from swapflow.errors import InvalidInputError, NotFoundError


def correct(
    answer: Answer,
    *,
    by: str,
    reason: str,
    saw_others: bool = False,
    made_from: str = "",
    ledger: CycleReads,
) -> int:
    """Replace a score by another, until the list is final; the same content changes nothing.

    Args:
        answer: The assignment and its new marks or utility.
        by: Who corrects.
        reason: Why; kept in an erasable row.
        saw_others: Whether others' marks were seen before; such a score is stored and does not
            count.
        made_from: The revision that the form was made from (`review_revision`); "" for no check.
        ledger: The ledger.

    Returns:
        The number of the event; of the one that recorded the answer, if nothing changed.

    Raises:
        NotFoundError: If the assignment has no score.
        StaleRevisionError: If the score was corrected since the form was made.
        CycleFinalizedError: If the cohort is fixed.
    """
    with ledger.write(cycle_of(answer.assignment_id)) as tx:
        return correct_in(
            tx, answer, by=by, reason=reason, saw_others=saw_others, made_from=made_from
        )


def correct_in(
    tx: Transaction,
    answer: Answer,
    *,
    by: str,
    reason: str,
    saw_others: bool = False,
    made_from: str = "",
) -> int:
    """Replace a score within a transaction that may hold more; otherwise as `correct`."""
    there = tx.given(answer.assignment_id)
    if there is None:
        raise NotFoundError("assignment_without_score", assignment=answer.assignment_id)
    old = there.score
    value = utility_of(answer, tx.rules(), old.kind)
    counts = old.counts and not saw_others
    # Before the revision is compared: what is stored already refuses nobody, also when sent late.
    if same_content(answer, there) and (value, counts) == (old.value, old.counts):
        _refuse_fixed(tx, tx.pulls([old.pull_id])[old.pull_id])
        return old.seq
    check_revision(made_from, review_revision(there), told_of(there))
    new = replace(
        old,
        revision=old.revision + 1,
        value=value,
        counts=counts,
        reason=NotCounted.SAW_OTHERS.value if saw_others else old.reason,
        typed_by=by,
        submitted_at=tx.now,
    )
    return revise(tx, old, new, marks=answer, by=by, reason=reason)


def void(
    assignments: Collection[str],
    *,
    by: str,
    reason: str,
    made_from: Mapping[str, str] | None = None,
    ledger: CycleReads,
) -> int:
    """Void scores, which stay on record: of one cycle all or none.

    Args:
        assignments: Whose scores.
        by: Who voids them.
        reason: Why; kept in an erasable row.
        made_from: The revision of each that the form was made from (`review_revision`), by
            assignment; those that are not named are voided whatever they are by now.
        ledger: The ledger.

    Returns:
        How many counted before.

    Raises:
        NotFoundError: If an assignment has no score.
        StaleRevisionError: If a score that counts was corrected since the form was made.
    """
    voided = 0
    for cycle_id, names in groupby(sorted(set(assignments)), key=cycle_of):
        with ledger.write(cycle_id) as tx:
            for assignment in names:
                old = _score(tx, assignment)
                if not old.counts:
                    continue
                _check_as_seen(tx, assignment, made_from)
                new = replace(
                    old,
                    revision=old.revision + 1,
                    counts=False,
                    reason=NotCounted.VOIDED.value,
                    submitted_at=tx.now,
                )
                revise(tx, old, new, marks=None, by=by, reason=reason)
                voided += 1
    return voided


def _check_as_seen(tx: Transaction, assignment: str, made_from: Mapping[str, str] | None) -> None:
    """Check that a score is the one that a form was made from, if it says which."""
    there = tx.given(assignment) if made_from and made_from.get(assignment) else None
    if made_from and there is not None:
        check_revision(made_from[assignment], review_revision(there), told_of(there))


def void_reviewer(
    cycle_id: str, reviewer: int, *, by: str, reason: str, ledger: CycleReads
) -> int:
    """Void every score of a reviewer; return how many counted before."""
    with ledger.write(cycle_id) as tx:
        scores = [score for score in tx.scores_of_reviewer(reviewer) if score.counts]
    return void([s.assignment_id for s in scores], by=by, reason=reason, ledger=ledger)


def restore(
    assignments: Collection[str],
    *,
    by: str,
    reason: str,
    made_from: Mapping[str, str] | None = None,
    ledger: CycleReads,
) -> int:
    """Undo voids: each score counts again, by a further revision; return how many.

    All of them, or none.

    Args:
        assignments: Whose scores, all of one cycle.
        by: Who undoes it.
        reason: Why; kept in an erasable row.
        made_from: As of `void`.
        ledger: The ledger.

    Raises:
        StaleRevisionError: If a score was corrected since the form was made.
        InvalidInputError: If there is no reason, a score was not voided, its reviewer's new
            request about the applicant is open or counts, or its seat went to another.
        CycleFinalizedError: If the cohort is fixed.
    """
    if not reason.strip():
        raise InvalidInputError("reason_missing")
    names = sorted(set(assignments))
    if not names:
        return 0
    if len({cycle_of(name) for name in names}) > 1:
        raise InvalidInputError("answers_of_several_cycles", cycles=len(names))
    with ledger.write(cycle_of(names[0])) as tx:
        for name in names:
            old = _score(tx, name)
            if old.counts or old.reason != NotCounted.VOIDED:
                raise InvalidInputError("score_not_voided", assignment=name)
            _check_as_seen(tx, name, made_from)
            _refuse_second_look(tx, old)
            _refuse_taken_seat(tx, old)
            new = replace(
                old, revision=old.revision + 1, counts=True, reason="", submitted_at=tx.now
            )
            revise(tx, old, new, marks=None, by=by, reason=reason.strip())
    return len(names)


def restore_reviewer(
    cycle_id: str, reviewer: int, *, by: str, reason: str, ledger: CycleReads
) -> int:
    """Undo the voids of all scores of a reviewer; return how many count again.

    Raises:
        InvalidInputError, CycleFinalizedError: As `restore` does; then none is restored.
    """
    with ledger.write(cycle_id) as tx:
        voided = [
            score.assignment_id
            for score in tx.scores_of_reviewer(reviewer)
            if not score.counts and score.reason == NotCounted.VOIDED
        ]
    return restore(voided, by=by, reason=reason, ledger=ledger)


def _refuse_taken_seat(tx: Transaction, score: Score) -> None:
    """Refuse to count a score again whose request waits for others in its place."""
    if tx.pulls([score.pull_id])[score.pull_id].status is not PullStatus.OPEN:
        return
    others = [a for a in tx.assignments_of([score.pull_id]) if a.id != score.assignment_id]
    taken = any(
        a.seat == score.seat and (a.status.is_open or a.status is AssignmentStatus.SCORED)
        for a in others
    )
    pull = tx.pulls([score.pull_id])[score.pull_id]
    counting = sum(s.counts for s in tx.standing_scores([score.pull_id]))
    # The last answer of a panel closes its request; one that was voided cannot.
    if taken or counting + 1 >= pull.quorum:
        raise InvalidInputError("seat_taken", assignment=score.assignment_id)


def admit(assignment: str, *, by: str, reason: str, ledger: CycleReads) -> int:
    """Admit a volunteered score, or one that was kept when its applicant was withdrawn.

    Returns:
        The number of the event.

    Raises:
        InvalidInputError: If the score counts already, if it was asked for and its request was
            not ended by a withdrawal, if its reviewer is in conflict, or was asked about the same
            application: a second score by one reviewer is not independent.
    """
    with ledger.write(cycle_of(assignment)) as tx:
        old = _score(tx, assignment)
        if old.counts or not (old.origin in UNASKED or _was_kept(tx, old)):
            raise InvalidInputError("score_not_volunteered", assignment=assignment)
        _refuse_second_look(tx, old)
        new = replace(old, revision=old.revision + 1, counts=True, reason="admitted by staff")
        return revise(tx, old, new, marks=None, by=by, reason=reason)


def revise(
    tx: Transaction, old: Score, new: Score, *, marks: Answer | None, by: str, reason: str
) -> int:
    """Write a new revision of a score; the event carries new minus old. Return its number."""
    # Computed over all seats of the pull: with a quorum, one seat's change can move the others'
    # weight.
    pull = tx.pulls([old.pull_id])[old.pull_id]
    _refuse_fixed(tx, pull)
    standing = {s.assignment_id: s for s in tx.standing_scores([pull.id]) if s.counts}
    before = _contribution(standing.values(), pull)
    standing.pop(old.assignment_id, None)
    if new.counts:
        standing[new.assignment_id] = new
    after = _contribution(standing.values(), pull)
    tx.insert_scores(
        [new],
        marks=[marks.marks if marks else {}],
        remarks=[marks.remark if marks else ""],
        notes=[marks.notes if marks else {}],
    )
    tx.note(subject=old.assignment_id, by=by, text=reason)
    attempt = int(old.assignment_id.rsplit(".", 1)[1])
    return tx.record(
        EventType.SCORE_CORRECTED,
        {
            "a": old.application,
            "k": old.kind,
            "o": old.ordinal,
            "seat": old.seat,
            "attempt": attempt,
            "v": new.value,
            "counts": int(new.counts),
        },
        deltas=[
            Delta(
                application=old.application,
                numerator=after[0] - before[0],
                information=after[1] - before[1],
            )
        ],
    )


def _was_kept(tx: Transaction, score: Score) -> bool:
    """Whether a score came after its request had ended with the applicant's withdrawal."""
    return (
        score.reason == NotCounted.NO_LONGER_ASKED
        and tx.pulls([score.pull_id])[score.pull_id].status is PullStatus.CANCELLED
        and (score.application, score.reviewer) not in tx.conflicts() | tx.opened_pairs()
    )


def _refuse_fixed(tx: Transaction, pull: Pull) -> None:
    """Refuse once the list is final, unless the request belongs to a reconsideration."""
    if not is_reconsidered(tx, pull):
        refuse_finalized(tx)


def _refuse_second_look(tx: Transaction, score: Score) -> None:
    counted = any(
        other.counts and other.application == score.application
        for other in tx.scores_of_reviewer(score.reviewer)
    )
    asked = any(
        assignment.application == score.application
        for assignment in tx.assignments_of_reviewer(score.reviewer, OPEN_ASSIGNMENT)
    )
    if counted or asked:
        raise InvalidInputError("one_score_per_reviewer", assignment=score.assignment_id)


def _contribution(scores: "Collection[Score]", pull: Pull) -> tuple[int, int]:
    ordered = sorted(scores, key=lambda score: score.seat)
    return contribution([s.value for s in ordered], gain=pull.gain, quorum=pull.quorum)


def _score(tx: Transaction, assignment: str) -> Score:
    found = tx.scores_of_assignments([assignment])
    if not found:
        raise NotFoundError("assignment_without_score", assignment=assignment)
    return found[0]
