"""What the demo says of a list is what its method sheet and the recorded truth say."""

from dataclasses import replace

import pytest

from swapflow.automatic_reviewers.recorded_round import read_recording
from swapflow.cli.research.demo import _truth_json, _truth_plain
from swapflow.cli.research.replay import replay_plain
from swapflow.domain.cohort.proposal import figures_of
from swapflow.domain.cohort.quality_words import points_a_place
from swapflow.simulation.demo import DATA, Demonstrated, DemoProgram, against_truth
from swapflow.simulation.replay import (
    InProcess,
    Options,
    practice_of,
    prepare,
    recorded_program,
    result,
)
from swapflow.simulation.reviews_needed import reviews_needed


PLACES = 12
PROGRAM = DemoProgram(cycle_id="small", name="Small program", value="PhD", places=PLACES)


@pytest.fixture(scope="module")
def done() -> Demonstrated:
    """60 of the invented applicants, replayed in this process."""
    whole = read_recording(DATA).shuffled(0).only("program", "PhD")
    recording = replace(whole, items=whole.items[:60])
    options = Options(cohort=PLACES, budget=2.5, floor=2, batch=10)
    runner = InProcess()
    prepare(runner.product, "small", recording, recorded_program(DATA, 0), options)
    runner.run("small")
    replayed = result(runner.product, "small", recording, options, started=0.0)
    proposal = runner.product.cohort.propose("small")
    return Demonstrated(
        program=PROGRAM,
        replayed=replayed,
        proposal=proposal,
        effort=(),
        truth=against_truth(proposal, recording, PLACES),
        needed=reviews_needed(
            recording,
            practice_of(recording, 2),
            utility=replayed.utility,
            size=PLACES,
            seed=0,
        ),
    )


def test_losses_are_points_a_place_and_those_who_belong_are_counted(done: Demonstrated) -> None:
    figures, told = figures_of(done.proposal.sheet), _truth_json(done)
    assert figures is not None

    assert told["expected_loss"] == figures.points
    assert told["expected_loss_range"] == list(figures.points_range or ())
    missed = done.replayed.best - done.replayed.utility
    assert told["loss"] == pytest.approx(points_a_place(missed, PLACES))
    assert told["belong"] == figures.belong
    assert 0 < done.truth.belong_true <= PLACES
    assert done.truth.share == pytest.approx(done.replayed.utility / done.replayed.best)


def test_what_is_printed_and_what_is_stored_are_the_same_numbers(done: Demonstrated) -> None:
    lacks, belong, needed = _truth_plain(done)
    told = _truth_json(done)

    assert f"{told['expected_loss']:.1f} by the model" in lacks
    assert f"{told['loss']:.1f} in truth" in lacks
    assert f"{told['belong_true']} in truth" in belong
    assert set(told["reviews_needed"]) == {"even", "two_tier"}  # type: ignore[call-overload]
    assert "2.5 reviews each" in needed


def test_a_bound_that_says_nothing_is_not_printed(done: Demonstrated) -> None:
    """Under `budget` the certified loss is larger than the expected one."""
    shown = replace(done.replayed, shows_certified=True)

    assert not done.replayed.shows_certified
    assert not any("certified:" in str(part) for part in replay_plain(done.replayed, PLACES))
    assert any("certified:" in str(part) for part in replay_plain(shown, PLACES))
