"""What a submitted answer becomes: a score, and its seat as events name it."""

from datetime import datetime

from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.reviewing.score import Answer, Late, Origin, Score, ScoreDetails
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


NOTHING_GIVEN = "0"
"""The revision of a form that was made before anything was handed in."""


def review_revision(given: ScoreDetails | None) -> str:
    """Return the revision that a form about an assignment is made from."""
    return NOTHING_GIVEN if given is None else str(given.score.revision)


def same_content(answer: Answer, given: ScoreDetails) -> bool:
    """Whether an answer says what is stored: marks, remark and notes."""
    return (
        dict(answer.marks) == dict(given.marks)
        and answer.remark == given.remark
        and {name: text for name, text in answer.notes.items() if text} == dict(given.notes)
    )


def adds_nothing(answer: Answer, given: ScoreDetails) -> bool:
    """Whether an answer that came again says nothing beyond what is stored: nothing is lost."""
    return (
        dict(answer.marks) == dict(given.marks)
        and answer.remark in {"", given.remark}
        and all(given.notes.get(name) == text for name, text in answer.notes.items() if text)
    )


def told_of(given: ScoreDetails) -> dict[str, object]:
    """Return what a stored review says, by the name of the field."""
    marks = {name: "N/A" if mark is None else mark for name, mark in given.marks.items()}
    content: dict[str, object] = {**marks, "score": given.score.value / 10_000}
    return {**content, **({"remark": given.remark} if given.remark else {}), **given.notes}
