"""Conversion of a reviewer's marks to a utility in [0, 1], by the rubric of the kind."""

from collections.abc import Mapping

from swapflow.domain.rules import Criterion, Rubric
from swapflow.errors import InvalidInputError, ScoreOutOfRangeError


def utility(rubric: Rubric, marks: Mapping[str, float | None]) -> float:
    """Return the weighted mean of the marks, each mapped evenly onto [0, 1].

    A criterion's lowest mark counts 0, its highest 1. "N/A" (None, or a criterion left out) takes
    the criterion out of the mean together with its weight: it is a choice, never a 0.

    Args:
        rubric: Supplies criteria, the marks that may be given, and weights.
        marks: Mark by criterion name.

    Raises:
        ScoreOutOfRangeError: If a mark is none of the criterion's marks.
        InvalidInputError: If a criterion is unknown, or if every criterion is N/A.
    """
    unknown = [name for name in marks if name not in {c.name for c in rubric.criteria}]
    if unknown:
        known = ", ".join(repr(c.name) for c in rubric.criteria)
        raise InvalidInputError(
            "criterion_unknown", kind=rubric.kind, criterion=unknown[0], criteria=known
        )
    # Compared with None and not by truth: 0 is a mark.
    given = [(c, mark) for c in rubric.criteria if (mark := marks.get(c.name)) is not None]
    total = sum(criterion.weight for criterion, _ in given)
    if total <= 0:
        raise InvalidInputError("every_criterion_not_applicable", kind=rubric.kind)
    weighted = sum(c.weight * _share(c, mark) for c, mark in given)
    # Rounding in the sums may overshoot 1 by one bit.
    return min(1.0, weighted / total)


def _share(criterion: Criterion, mark: float) -> float:
    """Return a mark's place between the criterion's lowest (0) and highest (1)."""
    allowed = [value for value, _ in criterion.marks]
    if mark not in allowed:
        choices = ", ".join(f"{value:g}" for value in allowed)
        raise ScoreOutOfRangeError(
            "mark_not_in_scale", criterion=criterion.name, mark=mark, choices=choices
        )
    return (mark - min(allowed)) / (max(allowed) - min(allowed))
