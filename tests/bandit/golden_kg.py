"""Compares the plain knowledge gradient (one pull at a time, nothing widened) with vectors."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

from swapflow.bandit.estimation.knowledge_gradient import PullChooser, PullValues
from swapflow.bandit.situation import FloatArray, PullKind
from swapflow.bandit.ties import unrounded


def check_kg(rows: Iterable[Mapping[str, Any]]) -> None:
    """Check posterior, values and picks of every row, floats to 1e-9 relative."""
    for row in rows:
        information = np.array(row["T"]) + np.array(row["pending"])
        received = np.array(row["T"])
        noise, prior = row["sigma"] ** 2, row["t2"]
        mean = (row["m0"] / prior + received * np.array(row["u"]) / noise) / (
            1 / prior + received / noise
        )
        assert mean == pytest.approx(row["post_mean"], rel=1e-9)

        values = PullValues(
            distance=_top_k_distance(mean, row["K"]),
            slope=np.ones(mean.size),
            prior_variance=prior,
            noise_variance=noise,
            largest_bundle=1,
        )
        assert values.variance(information) == pytest.approx(row["post_var"], rel=1e-9)
        weak = values.of_information(np.arange(mean.size), information, np.ones(mean.size))
        assert weak == pytest.approx(row["kg_weak"], rel=1e-9, abs=0)

        kinds = tuple(PullKind(cost=cost, gain=gain) for gain, cost in row["kinds"])
        chooser = PullChooser(
            values=values,
            kinds=kinds,
            information=information,
            allowed=np.full((mean.size, len(kinds)), 99),
            kind_left=np.full(len(kinds), 999),
            budget_left=1e9,
            tidy=unrounded,
            waiting=np.zeros(mean.size, dtype=np.bool_),
        )
        picks = chooser.choose(len(row["picks"]))
        assert [(pick.arm, pick.kind) for pick in picks] == [
            (pick["arm"], pick["kind"]) for pick in row["picks"]
        ]
        # A row gives the value of a pull; a pick's priority is that over the pull's cost.
        assert [pick.priority * kinds[pick.kind].cost for pick in picks] == pytest.approx(
            [pick["value"] for pick in row["picks"]], rel=1e-9, abs=0
        )


def _top_k_distance(mean: FloatArray, k: int) -> FloatArray:
    """Distance of members from the best outsider, of outsiders from the weakest member."""
    order = np.argsort(-mean, kind="stable")
    inside = np.zeros(mean.size, dtype=np.bool_)
    inside[order[:k]] = True
    return np.asarray(np.abs(mean - np.where(inside, mean[order[k]], mean[order[k - 1]])))
