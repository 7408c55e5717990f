"""Which kinds of a program are interviews."""

import pytest

from swapflow.domain.reviewing.interview_kinds import interview_kinds
from swapflow.domain.rules import KindRules


def kind(name: str, *, seats: int = 1, questions: tuple[str, ...] = ()) -> KindRules:
    return KindRules(name=name, cost=1, gain=1.0, maximum=4, seats=seats, questions=questions)


@pytest.mark.parametrize(
    ("kinds", "dated", "numbers"),
    [
        ([kind("review")], (), set()),
        ([kind("review")], (0,), {0}),
        ([kind("review", seats=3)], (), {0}),
        ([kind("review", questions=("Why here?",))], (), {0}),
        ([kind("interview")], (), {0}),
        ([kind("audition")], (), {0}),
        ([kind("review"), kind("interview")], (), {1}),
        ([kind("weak"), kind("strong")], (), {1}),
        ([kind("first reading"), kind("second reading")], (), set()),
        ([kind("first reading"), kind("second reading")], (1,), {1}),
        ([kind("interview"), kind("panel"), kind("review")], (), {0, 1}),
        ([kind("Gutachten"), kind("Auswahlgespräch")], (), {1}),
    ],
)
def test_a_kind_is_an_interview_by_panel_questions_name_or_date_else_after_the_first(
    kinds: list[KindRules], dated: tuple[int, ...], numbers: set[int]
) -> None:
    assert interview_kinds(kinds, dated=dated) == numbers
