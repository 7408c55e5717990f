"""Compiled code is compiled once, by whichever test needs it first; the others wait for it."""

import fcntl
import os
from pathlib import Path

import numpy as np
import pytest

from swapflow.experiments.kernel.simulate import Decider, Radius, SimulationProblem, simulate
from swapflow.simulation.random_numbers import stream_of


@pytest.fixture(scope="session")
def compiled_once() -> None:
    """Call every compiled way once, one process at a time: the first one leaves it on disk."""
    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    paper = SimulationProblem(size=2, sigma=0.3, delta=0.1, gain=6.0, cost=3.0)
    mixture = SimulationProblem(size=2, sigma=0.3, delta=0.1, radius=Radius.MIXTURE)
    truth = np.linspace(0, 1, 5)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for problem in (paper, mixture):
            simulate(problem, truth, stream=stream_of("warm"), runs=range(1), max_pulls=2)
        Decider(paper, 5).decide(truth, np.ones(5), cost=5.0)
