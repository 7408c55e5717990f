"""Rubrics in versions: an answer is stored as marks, so another rubric can convert it again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from swapflow.domain.fixed_point import value_units
from swapflow.domain.reviewing.rubric import utility
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Rubric, Rules
from swapflow.engine.ports.records import RulesVersion
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.scoring.corrections import revise
from swapflow.errors import InvalidInputError, InvalidRulesError


def numbered(old: Rules, new: Rules) -> Rules:
    """Number the rubrics of new rules: changed ones get the next version, others keep theirs."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricChange:
    """A rubric that was changed after people were first asked."""

    kind: str
    by: str
    reason: str
    at: datetime


def changed_since(history: Sequence[RulesVersion], begun: datetime | None) -> list[RubricChange]:
    """List the rubrics that were changed after a moment, oldest change first.

    Args:
        history: Every version of the rules, newest first.
        begun: When people were first asked; None for not yet, so that nothing counts.
    """
    if begun is None:
        return []
    pairs = zip(history[1:], history, strict=False)
    return [
        RubricChange(kind=rubric.kind, by=new.by, reason=new.reason, at=new.at)
        for old, new in reversed(list(pairs))
        if new.at > begun
        for rubric in new.rules.rubrics
        if rubric != old.rules.rubric(rubric.kind)
    ]


def recompute(tx: Transaction, old: Rules, new: Rules, *, by: str) -> int:
    """Convert every stored mark again under changed rubrics; return how many scores changed.

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
                    "rubric_cannot_read_scores", kind=rubric.kind, problem=error
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


def reread(rubric: Rubric, marks: Mapping[str, float | None]) -> int | None:
    """Return the value of stored marks under another rubric; None if it cannot read them."""
    try:
        return value_units(utility(rubric, _kept(rubric, marks)))
    except InvalidInputError:
        return None


def _kept(rubric: Rubric, marks: Mapping[str, float | None]) -> dict[str, float | None]:
    names = {criterion.name for criterion in rubric.criteria}
    return {name: mark for name, mark in marks.items() if name in names}
