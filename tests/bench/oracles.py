"""Times what chooses a list: `python -m tests.bench.oracles` prints a table, var/oracles.json.

A decision is what the coordinator does at every turn with limits on groups: the objective made
anew from the candidates, one look (the list, its closest alternative, the most it could gain),
and the choice of ten pulls. All times are processor time, medians of several rounds.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.oracles.bounded import Bounded
from swapflow.bandit.oracles.feasibility import feasible
from swapflow.bandit.oracles.limits import Limit, Target, Terms, counts_of
from swapflow.bandit.oracles.oracle import DiverseExact, Oracle, TopK
from swapflow.bandit.oracles.quota import Quota
from swapflow.bandit.oracles.spread import Attribute, SpreadOracle
from swapflow.bandit.situation import (
    UNSCORED_MEAN,
    FloatArray,
    IntArray,
    PullKind,
    Scores,
    Situation,
)


OUT = Path("var/oracles.json")
SIZES = (200, 1_600, 5_000, 20_000)
ROUNDS = 5
VALUES = (4, 5, 3)
"""Values of the attributes: the first two cross in 20 groups, all three in 60."""

KINDS = (PullKind(cost=20.0, gain=1.0), PullKind(cost=120.0, gain=5.0))

Maker = Callable[["Field"], Oracle]


class Field:
    """Applicants with attributes, one or two scores each, and limits that bite."""

    def __init__(self, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.n, self.places = n, n // 16
        self.groups = [rng.integers(0, values, n) for values in VALUES]
        truth = rng.normal(0.5, 0.12, n)
        for groups in self.groups:
            truth = truth + 0.05 * (groups == 0)
        arm = np.concatenate([np.arange(n), rng.choice(n, n // 2, replace=False)])
        arm.sort()
        self.scores = Scores(
            arm=arm,
            reviewer=rng.integers(0, max(n // 20, 2), arm.size),
            kind=np.zeros(arm.size, dtype=np.int64),
            mark=np.clip(truth[arm] + rng.normal(0, 0.15, arm.size), 0, 1),
        )

    def situation(self) -> Situation:
        information = np.bincount(self.scores.arm, minlength=self.n).astype(np.float64)
        total = np.bincount(self.scores.arm, weights=self.scores.mark, minlength=self.n)
        mean = np.where(information > 0, total / np.maximum(information, 1), UNSCORED_MEAN)
        return Situation(
            mean=mean,
            information=information,
            pending=np.zeros(self.n),
            settled_mean=mean,
            settled_information=information,
            kinds=KINDS,
            allowed=np.full((self.n, 2), 2, dtype=np.int64),
            kind_left=np.full(2, 10**9, dtype=np.int64),
            budget_left=1e7,
            cost=float(information.sum()),
            scores=self.scores,
            lowest=0.0,
            highest=1.0,
        )

    def limits(self, attributes: int) -> tuple[Limit, ...]:
        """Limit every group of some attributes to four fifths to five fourths of its share."""
        return tuple(
            Limit(
                name=f"{index} = {value}",
                members=self.groups[index] == value,
                minimum=int(0.8 * self.places / VALUES[index]),
                maximum=int(1.25 * self.places / VALUES[index]) + 1,
            )
            for index in range(attributes)
            for value in range(VALUES[index])
        )

    def terms(self, attributes: int, **more: object) -> Terms:
        settings: dict[str, object] = {
            "size": self.places,
            "pinned": np.zeros(self.n, dtype=np.int64),
            "limits": self.limits(attributes),
        }
        return Terms(**(settings | more))  # type: ignore[arg-type]  # by name


def _quota(field: Field) -> Oracle:
    minimum, maximum = counts_of(field.limits(1), field.places)
    groups: IntArray = field.groups[0]
    return Quota(field.places, groups, minimum, maximum)


def _bounded(terms: Terms) -> Oracle:
    """Make the oracle as the engine does: whether any list exists is part of the time."""
    satisfiable, _ = feasible(terms)
    return Bounded(satisfiable, checked=True)


def _targets(field: Field) -> Oracle:
    wishes = tuple(
        Target(name=limit.name, members=limit.members, number=limit.minimum + 1, worth=1.0)
        for limit in field.limits(2)
    )
    return _bounded(field.terms(0, targets=wishes))


def _spread(field: Field, attributes: int, limited: int = 0) -> Oracle:
    over = tuple(Attribute(groups=groups) for groups in field.groups[:attributes])
    terms, _ = feasible(field.terms(limited))
    return SpreadOracle(terms, over, checked=True)


MAKERS: dict[str, Maker] = {
    "highest sum": lambda field: TopK(field.places),
    "quotas on one attribute": _quota,
    "quotas on two that cross": lambda field: _bounded(field.terms(2)),
    "quotas on three that cross": lambda field: _bounded(field.terms(3)),
    "targets on two": _targets,
    "quotas on two, 3/4 to all places": lambda field: _bounded(
        field.terms(2, least=3 * field.places // 4, bar=0.6)
    ),
    "diverse over one": lambda field: DiverseExact(field.places, field.groups[0]),
    "diverse over two": lambda field: _spread(field, 2),
    "diverse over two, quotas on three": lambda field: _spread(field, 2, limited=3),
}


def measure(sizes: tuple[int, ...] = SIZES, *, rounds: int = ROUNDS) -> dict[str, float]:
    """Time one list and one decision of every kind, and print the table.

    Returns:
        `<kind>, n=<n>, list ms` and `…, decision ms`: medians.
    """
    figures: dict[str, float] = {}
    titles = ("applicants", "places", "list ms", "decision ms")
    print(f"{'what is chosen':36}" + "".join(f" {title:>11}" for title in titles))
    for name, make in MAKERS.items():
        for n in sizes:
            found = [_times(make, *_field(n, seed)) for seed in range(rounds)]
            one, decision = (1e3 * float(np.median(times)) for times in zip(*found, strict=True))
            figures[f"{name}, n={n}, list ms"] = one
            figures[f"{name}, n={n}, decision ms"] = decision
            print(f"{name:36} {n:11,} {n // 16:11,} {one:11.2f} {decision:11.2f}", flush=True)
    return figures


@cache
def _field(n: int, seed: int) -> tuple[Field, Situation, Fitted | None]:
    """Make applicants, and the parameters that the last fit left in force."""
    field = Field(n, seed)
    situation = field.situation()
    return field, situation, BudgetRule(oracle=TopK(field.places)).refitted(situation).fitted


def _times(
    make: Maker, field: Field, situation: Situation, fitted: Fitted | None
) -> tuple[float, float]:
    """Time one list and one whole decision, in seconds of the processor."""
    utilities: FloatArray = np.round(situation.mean, 9)
    oracle = make(field)
    start = time.process_time()
    oracle.best(utilities)
    listed = time.process_time() - start

    start = time.process_time()
    rule = BudgetRule(oracle=make(field), fitted=fitted)
    look = rule.look(situation)
    rule.choose(situation, look, at_most=10, rng=np.random.default_rng(0))
    return listed, time.process_time() - start


if __name__ == "__main__":
    wanted = tuple(int(size) for size in sys.argv[1:]) or SIZES
    result = measure(wanted)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"written to {OUT}")
