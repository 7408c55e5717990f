"""Marks and scores as people type them."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from swapflow.cli.options import split_pair
from swapflow.errors import InvalidInputError, ScoreOutOfRangeError


if TYPE_CHECKING:
    from swapflow.domain.reviewing.score import Answer
    from swapflow.domain.rules import Rubric


NOT_APPLICABLE = frozenset({"n/a", "na", "-", "–"})

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)")


def read_score(text: str) -> float:
    """Read a score: a number from 0 to 1 (0.7), or points out of a hundred (70/100).

    The hundred must be written out: were 1.5 taken for points, a slip would become a bad score.

    Raises:
        ScoreOutOfRangeError: If it lies outside its scale.
        InvalidInputError: If it is no number.
    """
    points, slash, of = text.strip().partition("/")
    if not _NUMBER.fullmatch(points.strip()) or (slash and of.strip() != "100"):
        raise InvalidInputError("score_option_unreadable", text=text)
    value = _number(points, text)
    most = 100 if slash else 1
    if not 0 <= value <= most:
        raise ScoreOutOfRangeError("score_option_out_of_range", text=text, most=most)
    return value / most


def read_marks(given: Sequence[str], rubric: "Rubric") -> dict[str, float | None]:
    """Read --mark "CRITERION=MARK" options; N/A is a choice, and so must be made.

    Raises:
        InvalidInputError: If a criterion is missing, twice or unknown, or a mark is no number.
        ScoreOutOfRangeError: If a mark is none that the rubric knows.
    """
    from swapflow.domain.reviewing.rubric import utility

    spelled = {criterion.name.casefold(): criterion.name for criterion in rubric.criteria}
    marks: dict[str, float | None] = {}
    for text in given:
        typed, mark = split_pair(text, "--mark", "CRITERION=MARK")
        name = spelled.get(typed.casefold(), typed)
        if name in marks:
            raise InvalidInputError("mark_given_twice", criterion=name)
        marks[name] = None if mark.casefold() in NOT_APPLICABLE else _number(mark, text)
    utility(rubric, marks)  # names and scale are checked before what is missing
    missing = [c.name for c in rubric.criteria if c.name not in marks]
    if missing:
        raise InvalidInputError("marks_missing", missing=missing, first=missing[0])
    return marks


def read_answer(
    assignment_id: str,
    *,
    marks: Sequence[str],
    score: str | None,
    rubric: "Rubric | None",
    typed_by: str = "",
    remark: str = "",
) -> "Answer":
    """Read what a command was given as the answer to an assignment.

    Raises:
        InvalidInputError: If there are neither marks nor a score, or both, or they cannot be used.
    """
    from swapflow.domain.reviewing.score import Answer

    if bool(marks) == (score is not None):
        code = "answer_given_twice" if marks else "answer_missing"
        raise InvalidInputError(code, how=_how(rubric))
    if score is not None:
        return Answer(
            assignment_id=assignment_id,
            utility=read_score(score),
            typed_by=typed_by,
            remark=remark,
        )
    if rubric is None:
        raise InvalidInputError("kind_without_criteria")
    return Answer(
        assignment_id=assignment_id,
        marks=read_marks(marks, rubric),
        typed_by=typed_by,
        remark=remark,
    )


def utility_shown(answer: "Answer", rubric: "Rubric | None") -> float:
    """Return what an answer comes to, in [0, 1]."""
    if answer.utility is not None or rubric is None:
        return answer.utility or 0.0
    from swapflow.domain.reviewing.rubric import utility

    return utility(rubric, answer.marks)


def _how(rubric: "Rubric | None") -> str:
    if rubric is None:
        return "--score 0.7 (or --score 70/100)"
    criteria = " ".join(f'--mark "{c.name}=MARK"' for c in rubric.criteria)
    return f"{criteria}, or one --score"


def _number(text: str, whole: str) -> float:
    if not _NUMBER.fullmatch(text.strip()):
        raise InvalidInputError("mark_not_a_number", text=whole, mark=text.strip())
    return float(text.strip().replace(",", "."))
