"""What a submitted answer becomes: a score, and its seat as events name it."""

from datetime import datetime

from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.reviewing.score import Answer, Late, Origin, Score
from swapflow.domain.rules import Purpose, Rules
from swapflow.errors import InvalidInputError


def check_origin(answer: Answer, rules: Rules) -> None:
    """Refuse a program's answer where the rules name no automatic reviewer.

    Raises:
        InvalidInputError: If a program answers in a real round whose rules have none.
    """
    real = rules.purpose is Purpose.REAL
    if answer.origin is Origin.AUTOMATIC and real and rules.automatic is None:
        raise InvalidInputError("automatic_scores_refused", assignment=answer.assignment_id)


def new_score(
    answer: Answer,
    assignment: Assignment,
    value: int,
    *,
    seq: int,
    late: Late | None,
    reason: str,
    at: datetime,
) -> Score:
    """Build the score of an answer; with a reason it does not count."""
    return Score(
        assignment_id=assignment.id,
        pull_id=assignment.pull_id,
        cycle_id=assignment.cycle_id,
        application=assignment.application,
        kind=assignment.kind,
        ordinal=assignment.ordinal,
        seat=assignment.seat,
        reviewer=assignment.reviewer,
        revision=1,
        value=value,
        counts=not reason,
        reason=reason,
        origin=answer.origin,
        late=late,
        typed_by=answer.typed_by,
        rubric_version=assignment.rubric_version,
        submitted_at=at,
        seq=seq,
    )


def seat_payload(assignment: Assignment) -> dict[str, int]:
    """Build the part of an event that names an assignment's seat."""
    return {
        "a": assignment.application,
        "k": assignment.kind,
        "o": assignment.ordinal,
        "seat": assignment.seat,
        "attempt": assignment.attempt,
        "r": assignment.reviewer,
    }
