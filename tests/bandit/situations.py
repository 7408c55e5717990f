"""Situations for tests of the rules."""

from typing import Any

import numpy as np

from swapflow.bandit.situation import PullKind, Situation


REVIEW = PullKind(cost=1.0, gain=1.0)
INTERVIEW = PullKind(cost=5.0, gain=10.0)


def situation(mean: list[float], information: list[float], **changes: Any) -> Situation:  # noqa: ANN401 - any field of the situation
    """Describe a cycle in which nothing is out and nothing is limited, but for the changes."""
    n = len(mean)
    kinds = changes.pop("kinds", (REVIEW,))
    fields: dict[str, Any] = {
        "mean": np.array(mean),
        "information": np.array(information),
        "pending": np.zeros(n),
        "settled_mean": np.array(mean),
        "settled_information": np.array(information),
        "kinds": kinds,
        "allowed": np.full((n, len(kinds)), 99),
        "kind_left": np.full(len(kinds), 999),
        "budget_left": 1e9,
        "cost": float(sum(information)),
    }
    return Situation(**(fields | changes))
