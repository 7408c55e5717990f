import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapflow.domain.reviewing.rubric import utility
from swapflow.domain.rules import Criterion, Rubric
from swapflow.errors import InvalidInputError, ScoreOutOfRangeError


RUBRIC = Rubric(
    kind="review",
    version=1,
    criteria=(
        Criterion(name="Research", weight=3.0, marks=((1, "weak"), (3, "solid"), (5, "top"))),
        Criterion(name="Fit", weight=1.0, marks=((0, "no"), (1, "yes"))),
    ),
)


def test_marks_become_the_weighted_mean_of_their_places_on_the_scale() -> None:
    assert utility(RUBRIC, {"Research": 3, "Fit": 1}) == (3 * 0.5 + 1 * 1) / 4


def test_not_applicable_takes_the_criterion_out_and_is_never_a_zero() -> None:
    assert utility(RUBRIC, {"Research": 5, "Fit": None}) == 1.0
    assert utility(RUBRIC, {"Research": 5}) == 1.0


def test_all_criteria_not_applicable_is_refused_with_the_cure() -> None:
    with pytest.raises(InvalidInputError, match=r"is marked; give a mark"):
        utility(RUBRIC, {"Research": None, "Fit": None})


@pytest.mark.parametrize("mark", [0.0, 2.0, 6.0, float("nan"), float("inf")])
def test_a_mark_that_is_not_on_the_scale_is_refused_by_name(mark: float) -> None:
    with pytest.raises(ScoreOutOfRangeError, match=r"'Research': .* none of the marks 1, 3, 5"):
        utility(RUBRIC, {"Research": mark})


def test_an_unknown_criterion_is_refused_and_the_known_ones_are_listed() -> None:
    with pytest.raises(InvalidInputError, match=r"no criterion 'Charm'; it has 'Research', 'Fit'"):
        utility(RUBRIC, {"Charm": 1})


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.floats(0.01, 1e6)),
        min_size=1,
        max_size=8,
    )
)
def test_every_choice_of_marks_gives_a_utility_in_zero_to_one(
    chosen: list[tuple[int, float]],
) -> None:
    scale = tuple((float(mark), "") for mark in range(10))
    criteria = tuple(
        Criterion(name=str(i), weight=weight, marks=scale) for i, (_, weight) in enumerate(chosen)
    )

    got = utility(
        Rubric(kind="review", version=1, criteria=criteria),
        {str(i): float(mark) for i, (mark, _) in enumerate(chosen)},
    )

    assert 0.0 <= got <= 1.0
    assert (got == 1.0) >= all(mark == 9 for mark, _ in chosen)
