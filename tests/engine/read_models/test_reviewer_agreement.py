"""Agreement is what another implementation of the same measure finds."""

import krippendorff
import numpy as np
import pytest

from swapflow.bandit.situation import Scores
from swapflow.engine.read_models.reviewer_agreement import agreement


def marks_of(table: np.ndarray) -> Scores:
    """Return the marks of a table, reviewers down and applicants across; NaN where none is."""
    reviewer, arm = np.nonzero(~np.isnan(table))
    return Scores(
        arm=arm.astype(np.int64),
        kind=np.zeros(arm.size, dtype=np.int64),
        reviewer=reviewer.astype(np.int64),
        mark=table[reviewer, arm],
    )


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("missing", [0.0, 0.3, 0.7])
def test_alpha_is_what_a_second_implementation_finds(seed: int, missing: float) -> None:
    rng = np.random.default_rng(seed)
    quality = rng.normal(0.5, 0.2, size=40)
    table = np.round(np.clip(quality + rng.normal(0, 0.15, size=(5, 40)), 0, 1), 1)
    table[rng.random(table.shape) < missing] = np.nan

    found = agreement(marks_of(table))

    assert found is not None
    second = krippendorff.alpha(reliability_data=table, level_of_measurement="interval")
    assert found.alpha.value == pytest.approx(second, abs=1e-9)


def test_alpha_of_reviewers_who_always_agree_is_one() -> None:
    table = np.tile(np.linspace(0.0, 1.0, 11), (3, 1))

    found = agreement(marks_of(table))

    assert found is not None
    assert found.alpha.value == pytest.approx(1.0)
    assert krippendorff.alpha(reliability_data=table, level_of_measurement="interval") == 1.0
