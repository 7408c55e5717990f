"""Which kinds of a program are interviews, for which dates are set."""

from collections.abc import Sequence
from dataclasses import dataclass

from swapflow.domain.rules import KindRules


READING = "review"
"""The name of reading a file, as the set-up writes it into new rules."""


@dataclass(frozen=True, slots=True)
class InterviewKinds:
    """Which kinds of a program are interviews.

    Attributes:
        numbers: Places of the kinds in the rules.
        once_dated: Whether they are interviews only once an open request of theirs had a date.
    """

    numbers: frozenset[int]
    once_dated: bool


def interview_kinds(kinds: Sequence[KindRules]) -> InterviewKinds:
    """Return which kinds are interviews: all but the first, or the only one.

    An only kind that one reviewer reads alone, under the name of reading, is none until staff
    gave one of its requests a date.
    """
    if len(kinds) > 1:
        return InterviewKinds(frozenset(range(1, len(kinds))), once_dated=False)
    reads = any(kind.name == READING and kind.seats == 1 for kind in kinds)
    return InterviewKinds(frozenset(range(len(kinds))), once_dated=reads)
