"""The rounds that tiers are tried on: normal utilities, and the twin with and without a screen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.estimation.posterior import NO_REVIEWER
from swapflow.bandit.situation import FloatArray, IntArray, PullKind
from swapflow.experiments.admissions.tiered_stopping import PLACES, THREE, TWO, normal_source
from swapflow.experiments.known_rounds import (
    INTERVIEW,
    TWIN_LEVEL,
    TWIN_MARKS,
    TWIN_PLACES,
    TWIN_REVIEWERS,
    TWIN_SEVERITY,
    TWIN_SIGMA,
    TWIN_SPREAD,
    redrawn_twin,
)
from swapflow.experiments.sweep import Array
from swapflow.simulation.random_numbers import Stream
from swapflow.simulation.score_sources import ScoreSource


WIDE_SIGMA = 1.0
"""Spread of a mark at fixed budgets: at .2 a few marks each leave nothing to be won."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSetting:
    """A round in tiers.

    Attributes:
        kinds: One a tier.
        places: K.
        cuts: K_1 to K_(m-1), several that are tried.
        shares: Each tier's share of the budget, several that are tried with all cuts.
        budgets: Per applicant, in pulls of the kind that `unit` names.
        unit: Index of that kind.
        batch: Requests per decision of the rule `budget`.
        severity: Whether reviewers differ, and the rule `budget` takes it out.
        draw: Makes the round of a run.
    """

    kinds: tuple[PullKind, ...]
    places: int
    cuts: tuple[tuple[int, ...], ...]
    shares: tuple[tuple[float, ...], ...]
    budgets: tuple[float, ...]
    unit: int
    batch: int
    severity: bool
    draw: Callable[[Stream, int], ScoreSource]

    @property
    def allocations(self) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
        """All cuts with all shares, K the last cut."""
        return [((*cut, self.places), share) for cut in self.cuts for share in self.shares]


@dataclass(frozen=True, eq=False, kw_only=True)
class Tables:
    """Marks that are known beforehand, one table a kind; implements `ScoreSource`.

    Attributes:
        tables: Marks of each kind in the order in which they are given, each (n, most).
        judges: Who gave them, likewise.
    """

    truth: FloatArray
    kinds: tuple[PullKind, ...]
    tables: tuple[FloatArray, ...]
    judges: tuple[IntArray, ...]

    @property
    def limits(self) -> IntArray:
        """What is on record."""
        most = np.array([table.shape[1] for table in self.tables], dtype=np.int64)
        return np.tile(most, (self.truth.size, 1))

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Look marks up."""
        return np.asarray(_looked_up(self.tables, arm, kind, ordinal), dtype=np.float64)

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:
        """Look reviewers up."""
        return np.asarray(_looked_up(self.judges, arm, kind, ordinal), dtype=np.int64)


def _looked_up(
    tables: Sequence[FloatArray] | Sequence[IntArray],
    arm: IntArray,
    kind: IntArray,
    ordinal: IntArray,
) -> Array:
    found: Array = np.zeros(np.shape(arm), dtype=tables[0].dtype)
    for index, table in enumerate(tables):
        of_kind = kind == index
        found[of_kind] = table[arm[of_kind], ordinal[of_kind]]
    return found


SCREENED = (
    PullKind(cost=1.0, gain=1.0),
    PullKind(cost=3.0, gain=4.0),
    PullKind(cost=3 * INTERVIEW.cost, gain=4 * INTERVIEW.gain),
)
"""The twin's review and interview behind a screen: a third of a review's time, a quarter of what
it tells."""


def screened_twin(rng: np.random.Generator) -> Tables:
    """Draw a round like the twin anew, with a screen by one more reviewer before its reviews."""
    n, most = 1600, 3
    truth = np.clip(rng.normal(TWIN_LEVEL, TWIN_SPREAD, n), 0, 1)
    severity = rng.normal(0, TWIN_SEVERITY, TWIN_REVIEWERS)
    judges = np.argsort(rng.random((n, TWIN_REVIEWERS)), axis=1)[:, : most + 1].astype(np.int64)
    spread = TWIN_SIGMA * np.array([np.sqrt(SCREENED[1].gain), *[1.0] * most])
    exact = truth[:, None] + severity[judges] + rng.normal(0, spread, (n, most + 1))
    levels = np.array(TWIN_MARKS)
    table = levels[np.searchsorted((levels[1:] + levels[:-1]) / 2, exact, "right")]
    noise = rng.normal(0, TWIN_SIGMA / np.sqrt(INTERVIEW.gain), (n, 1))
    return Tables(
        truth=truth,
        kinds=SCREENED,
        tables=(table[:, :1], table[:, 1:], np.clip(truth[:, None] + noise, 0, 1)),
        judges=(judges[:, :1], judges[:, 1:], np.full((n, 1), NO_REVIEWER, dtype=np.int64)),
    )


SETTINGS: dict[str, TierSetting] = {
    "normal utilities, two tiers": TierSetting(
        kinds=TWO,
        places=PLACES,
        cuts=((8,), (10,), (15,), (25,)),
        shares=((0.3, 0.7), (0.5, 0.5), (0.7, 0.3)),
        budgets=(1.5, 2.0, 4.0, 8.0),
        unit=0,
        batch=5,
        severity=False,
        draw=lambda stream, run: normal_source(TWO, WIDE_SIGMA, stream, run),
    ),
    "normal utilities, three tiers": TierSetting(
        kinds=THREE,
        places=PLACES,
        cuts=((20, 10), (15, 8), (30, 15)),
        shares=((0.3, 0.3, 0.4), (0.5, 0.25, 0.25), (0.2, 0.2, 0.6)),
        budgets=(1.5, 2.0, 4.0, 8.0),
        unit=0,
        batch=5,
        severity=False,
        draw=lambda stream, run: normal_source(THREE, WIDE_SIGMA, stream, run),
    ),
    "twin, two tiers": TierSetting(
        kinds=(PullKind(cost=1.0, gain=1.0), INTERVIEW),
        places=TWIN_PLACES,
        cuts=((200,), (300,), (450,)),
        shares=((0.5, 0.5), (0.65, 0.35), (0.8, 0.2)),
        budgets=(1.25, 1.5, 2.0, 3.0),
        unit=0,
        batch=50,
        severity=True,
        draw=lambda stream, run: redrawn_twin(stream.generator(run)),
    ),
    "twin, three tiers": TierSetting(
        kinds=SCREENED,
        places=TWIN_PLACES,
        cuts=((400, 200), (600, 250), (800, 300)),
        shares=((0.2, 0.3, 0.5), (0.3, 0.4, 0.3), (0.15, 0.45, 0.4)),
        budgets=(1.25, 1.5, 2.0, 3.0),
        unit=1,
        batch=50,
        severity=True,
        draw=lambda stream, run: screened_twin(stream.generator(run)),
    ),
}
