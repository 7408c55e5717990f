"""A cycle in which one reviewer marks lower than the others."""

from swapflow.bandit.ties import tie_key


SPREAD = 0.08
"""Planted standard deviation of severities."""


def normal(*words: str) -> float:
    """A draw that only the words decide, about standard normal."""
    return sum((tie_key(3, "/".join((*words, str(i)))) >> 11) / 2**53 for i in range(12)) - 6


def planted(by: str) -> float:
    return SPREAD * normal("severity", by)


def severe(external_id: str, kind: str, ordinal: int, by: str) -> float:
    """A mark that is truth, severity and noise."""
    truth = 0.5 + 0.11 * normal("truth", external_id)
    noise = 0.1 * normal("noise", external_id, kind, str(ordinal), by)
    generous = 0.1 if kind == "interview" else 0.0
    return min(1.0, max(0.0, truth + planted(by) + generous + noise))
