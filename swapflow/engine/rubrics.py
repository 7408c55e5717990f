"""Rubrics in versions: an answer is kept as marks, so another rubric can read it again."""

from collections.abc import Mapping
from dataclasses import replace

from swapflow.domain.quantity import value_units
from swapflow.domain.rubric import utility
from swapflow.domain.rules import Rubric, Rules
from swapflow.domain.score import Answer
from swapflow.engine.corrections import revise
from swapflow.engine.ports import Transaction
from swapflow.errors import InvalidInputError, InvalidRulesError


def numbered(old: Rules, new: Rules) -> Rules:
    """Give each changed rubric of new rules the next version of its kind, the others their own."""
    rubrics = []
    for rubric in new.rubrics:
        before = old.rubric(rubric.kind)
        if before is None:
            rubrics.append(replace(rubric, version=1))
        elif before.criteria == rubric.criteria:
            rubrics.append(before)
        else:
            rubrics.append(replace(rubric, version=before.version + 1))
    return replace(new, rubrics=tuple(rubrics))


def recompute(tx: Transaction, old: Rules, new: Rules, *, by: str) -> int:
    """Read every stored mark again under changed rubrics; counts the scores that changed.

    A criterion that is no longer there is left out, a new one counts as N/A.

    Raises:
        InvalidRulesError: If a stored mark has no place in the new rubric; nothing is changed.
    """
    changed = 0
    for rubric in new.rubrics:
        if rubric == old.rubric(rubric.kind):
            continue
        for score, marks in tx.scores_with_marks(new.kind_index(rubric.kind)):
            try:
                value = value_units(utility(rubric, _kept(rubric, marks)))
            except InvalidInputError as error:
                raise InvalidRulesError(
                    f"the rubric of {rubric.kind!r} cannot read a score that was given under the "
                    f"old one: {error}. Keep the old marks and criteria, or void these scores"
                ) from error
            if value != score.value:
                reason = f"rubric of {rubric.kind!r}, version {rubric.version}"
                revised = replace(
                    score,
                    revision=score.revision + 1,
                    value=value,
                    rubric_version=rubric.version,
                    submitted_at=tx.now,
                )
                answer = Answer(assignment_id=score.assignment_id, marks=dict(marks))
                revise(tx, score, revised, marks=answer, by=by, reason=reason)
                changed += 1
    return changed


def _kept(rubric: Rubric, marks: Mapping[str, float | None]) -> dict[str, float | None]:
    names = {criterion.name for criterion in rubric.criteria}
    return {name: mark for name, mark in marks.items() if name in names}
