"""How many reviews other practices need for a list as good, and what is true beside the model."""

import pytest

from swapflow.automatic_reviewers.recorded_round import read_recording
from swapflow.simulation.baselines import even
from swapflow.simulation.demo import DATA, PROGRAMS
from swapflow.simulation.replay import practice_of
from swapflow.simulation.reviews_needed import first_reaching, reviews_needed


def test_between_two_budgets_lies_a_straight_line() -> None:
    assert first_reaching(2.25, lambda budget: budget, start=1.0) == pytest.approx(2.25)
    assert first_reaching(4.0, lambda budget: 2 * budget, start=1.0) == pytest.approx(2.0)


def test_the_smallest_budget_may_be_the_answer_and_beyond_eight_there_is_none() -> None:
    assert first_reaching(0.5, lambda budget: budget, start=1.0) == 1.0
    assert first_reaching(8.0, lambda budget: budget, start=1.0) == pytest.approx(8.0)
    assert first_reaching(8.1, lambda budget: budget, start=1.0) is None


def test_even_reviewing_needs_what_it_was_given_for_its_own_list() -> None:
    """The list that even reviewing finds with 3 reviews each is reached with 3 at most."""
    program = PROGRAMS[1]
    recording = read_recording(DATA).shuffled(0).only("program", program.value)
    practice, cost = practice_of(recording, 2), 3.0 * len(recording.items)
    utility = even(recording, practice, cost=cost, size=program.places, seed=0)

    needed = reviews_needed(recording, practice, utility=utility, size=program.places, seed=0)
    highest = recording.best_utility(program.places)
    perfect = reviews_needed(recording, practice, utility=highest, size=program.places, seed=0)

    assert needed.even is not None
    assert 2.0 < needed.even <= 3.0
    assert perfect.even is None
