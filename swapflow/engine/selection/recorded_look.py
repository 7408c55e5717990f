"""The numbers of a look as a decision records them, and how they compare with a replay's."""

import math
import platform
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib.metadata import version

import numpy as np

from swapflow.engine.ports.records import DecisionRecord
from swapflow.engine.selection.decide import DecisionPlan


FORMULAS = 1
"""The version of the formulas behind a look; raised when equal integers give another look.

It stands in the decision's event: a replay compares looks only where it has the same formulas.
"""

COMPUTED_OTHERWISE = frozenset({"expected_loss"})
"""Numbers of looks without a version of their formulas that are computed otherwise today.

They held the loss with the cut fixed at posterior means, which was too high.
"""

CLOSE = 1e-6
"""Relative difference of two numbers that another processor may cause."""


def look_numbers(plan: DecisionPlan) -> dict[str, float]:
    """Return the numbers of a decision's look, by name."""
    numbers = {
        "reserved": float(plan.situation.reserved),
        "spent": float(plan.situation.spent),
        "committed": float(plan.situation.committed),
    }
    if plan.fitted_at is not None:
        numbers["fitted_at"] = float(plan.fitted_at)
    look = plan.look
    if look is not None:
        numbers |= {name: float(value) for name, value in look.parameters.items()}
        numbers |= {
            "gap": float(look.gap),
            "certified_loss": float(look.certified_loss),
            "expected_loss": float(look.expected_loss),
        }
        if look.quality is not None:
            numbers |= {
                "expected_loss_low": float(look.quality.loss_range[0]),
                "expected_loss_high": float(look.quality.loss_range[1]),
                "belong": float(look.quality.belong),
                "could_change": float(look.cohort.size - look.quality.belong),
            }
    return numbers


def look_differences(
    recorded: DecisionRecord, plan: DecisionPlan, *, whole: bool
) -> Iterator[tuple[str, bool]]:
    """Compare a recorded look with a replay's.

    Args:
        recorded: The decision on record.
        plan: The replay's.
        whole: Whether the record must have every number: older releases recorded fewer.

    Returns:
        What differs, and whether that is more than rounding.
    """
    if sorted(recorded.cohort) != sorted(plan.cohort):
        yield "names another cohort than the replay", True
    if sorted(recorded.contested) != sorted(plan.contested):
        yield "names others too close to call than the replay", True
    elif recorded.contested != plan.contested:
        yield "has those too close to call in another order than the replay", False
    numbers = look_numbers(plan)
    names = {*recorded.look, *numbers} if whole else {*recorded.look} - COMPUTED_OTHERWISE
    apart = _apart(recorded.look, numbers, names)
    if apart:
        yield f"has another look than the replay ({', '.join(apart[:5])})", True


def _apart(
    one: Mapping[str, float], other: Mapping[str, float], names: Collection[str]
) -> list[str]:
    """List the names whose numbers differ by more than rounding."""
    return [
        name
        for name in sorted(names)
        if name not in one or name not in other or not _close(one[name], other[name])
    ]


def _close(one: float, other: float) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE / 1000)


@cache
def versions() -> Mapping[str, str]:
    """Return the versions that a decision's last digits may depend on."""
    # Read once a process: looking a package up costs more than many a decision.
    return {
        "swapflow": version("swapflow"),
        "numpy": np.__version__,
        "scipy": version("scipy"),
        "python": platform.python_version(),
    }
