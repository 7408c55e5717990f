"""Advice used by hand on a round with a known truth, against a replay of it at the same cost."""

from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import pytest

from swapflow.automatic_reviewers.recorded_round import Recording, read_recording
from swapflow.simulation.replay import Options, recorded_program, replay as replayed
from tests.advice.by_hand import used_by_hand
from tests.experiments.datasets import dataset  # noqa: F401 - set below where the data are


PLACES, TIMES, REVIEWS = 150, 7, 150
SEEDS = range(6)
