"""Which kinds of a program are interviews."""

import pytest

from swapflow.domain.reviewing.interview_kinds import InterviewKinds, interview_kinds
from swapflow.domain.rules import KindRules


def kind(name: str, *, seats: int = 1) -> KindRules:
    return KindRules(name=name, cost=1, gain=1.0, maximum=4, seats=seats)


@pytest.mark.parametrize(
    ("kinds", "numbers", "once_dated"),
    [
        ([kind("review")], {0}, True),
        ([kind("review", seats=3)], {0}, False),
        ([kind("interview")], {0}, False),
        ([kind("review"), kind("interview")], {1}, False),
        ([kind("interview"), kind("panel"), kind("review")], {1, 2}, False),
    ],
)
def test_all_but_the_first_are_interviews_and_an_only_one_unless_it_is_reading(
    kinds: list[KindRules], numbers: set[int], *, once_dated: bool
) -> None:
    assert interview_kinds(kinds) == InterviewKinds(frozenset(numbers), once_dated=once_dated)
