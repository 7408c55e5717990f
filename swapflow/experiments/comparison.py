"""Strategies against each other on one kind of instance: the smallest study, and an example."""

import numpy as np

from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.situation import PullKind
from swapflow.experiments.strategies import (
    Anybody,
    Even,
    Ocba,
    Omniscient,
    RandomCohort,
    Sar,
    Strategy,
    TwoTier,
    budget_rule,
    play,
    swap,
)
from swapflow.experiments.sweep import Array, Cell
from swapflow.simulation.random_numbers import stream_of
from swapflow.simulation.score_sources import Gaussian


SIGMA, DELTA = 1.0, 0.05


def strategies(batch: int = 1) -> dict[str, Strategy]:
    """List what there is to compare, by name."""
    every: tuple[Strategy, ...] = (
        Even(),
        Anybody(),
        RandomCohort(),
        TwoTier(),
        Sar(),
        Ocba(batch=batch),
        swap(sigma=SIGMA, delta=DELTA, batch=batch),
        budget_rule(batch=batch),
        Omniscient(),
    )
    return {strategy.name: strategy for strategy in every}


def normal_applicants(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Spend a budget by one strategy on applicants whose utilities are normal.

    Args:
        study: Name of the study.
        cell: `strategy`, `budget` (in reviews), `n`, `size` and `batch`. Random numbers do not
            depend on the strategy or the budget: all meet the same applicants and luck.
        runs: Numbers of the runs.

    Returns:
        `utility`, `best` and `spent` of each run.
    """
    n, size = int(cell["n"]), int(cell["size"])
    strategy = strategies(int(cell["batch"]))[str(cell["strategy"])]
    stream = stream_of(study, f"{n}/{size}")
    played = []
    for run in runs:
        source = Gaussian(
            truth=stream.generator(run).standard_normal(n),
            kinds=(PullKind(cost=1.0, gain=1.0),),
            sigma=SIGMA,
            stream=stream,
            run=run,
        )
        rng = stream.generator(run, purpose=1)
        played.append(play(strategy, source, TopK(size), budget=float(cell["budget"]), rng=rng))
    return {
        "utility": np.array([one.utility for one in played]),
        "best": np.array([one.best for one in played]),
        "spent": np.array([one.spent for one in played]),
    }
