"""Advice used by hand on a round with a known truth, against a replay of it at the same cost."""

import os
import shutil
from pathlib import Path
from statistics import mean

import pytest

from swapflow.automatic_reviewers.recorded_round import read_recording
from swapflow.simulation.replay import Options, recorded_program, replay
from tests.advice.by_hand import used_by_hand


ROOT = Path(__file__).parents[2]
TWIN = (ROOT / os.environ.get("SWAPFLOW_DATA", "../shared/data")).resolve() / "synthetic_twin"
PLACES, TIMES, REVIEWS = 150, 7, 150
SEEDS = range(3)


@pytest.mark.slow
@pytest.mark.data
def test_150_reviews_seven_times_by_hand_lose_what_a_replay_loses(tmp_path: Path) -> None:
    if not TWIN.is_dir():
        pytest.skip("needs synthetic_twin in the data folder (SWAPFLOW_DATA)")
    folder = tmp_path / "recorded"
    folder.mkdir()
    for name in ("items.csv", "scores.csv"):  # without its interviews
        shutil.copy(TWIN / name, folder / name)
    recording = read_recording(folder)
    best = recording.best_utility(PLACES)
    by_hand, replayed = [], []

    for seed in SEEDS:
        shuffled = recording.shuffled(seed)
        cohort, cost = used_by_hand(
            shuffled, tmp_path, places=PLACES, times=TIMES, reviews=REVIEWS, seed=seed
        )
        options = Options(
            cohort=PLACES, budget=cost / len(recording.items), batch=REVIEWS, seed=seed
        )
        found = replay(shuffled, recorded_program(folder, seed), options)
        assert found.cost == cost
        by_hand.append(best - shuffled.utility_of(cohort))
        replayed.append(best - found.utility)

    print(f"by hand {by_hand}, replayed {replayed}")
    # One order of the marks or another moves a round by about .5, so the mean of three by .3.
    assert abs(mean(by_hand) - mean(replayed)) < 0.6
