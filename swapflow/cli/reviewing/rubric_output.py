"""How a rubric is shown to a reviewer at a terminal."""

from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from swapflow.domain.rules import Rubric


def criteria_shown(rubric: "Rubric | None") -> list[dict[str, object]]:
    """Return the criteria of a rubric for JSON."""
    if rubric is None:
        return []
    return [
        {
            "name": criterion.name,
            "weight": criterion.weight,
            "marks": [{"mark": mark, "means": means} for mark, means in criterion.marks],
        }
        for criterion in rubric.criteria
    ]


def rubric_lines(code: str, rubric: "Rubric | None") -> list[str]:
    """Return the criteria of a rubric as lines, and the command that answers it."""
    if rubric is None:
        return [f"to answer: swapflow inbox score {code} --score 0.7   (0 to 1, or 70/100)"]
    lines = [""]
    for criterion in rubric.criteria:
        lines.append(f"{criterion.name} (weight {criterion.weight:g})")
        lines += [f"  {mark:g}  {means}" for mark, means in criterion.marks]
    marks = " ".join(f'--mark "{c.name}=…"' for c in rubric.criteria)
    return [*lines, "", f"to answer: swapflow inbox score {code} {marks}"]
