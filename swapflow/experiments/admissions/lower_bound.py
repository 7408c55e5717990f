"""The rule `budget` beside a bound below which no rule can lose on average.

A round of n applicants, K places and a budget B is relaxed: the budget and the number of places
are to hold on average only. With a price p for a unit of cost and a price c for a place, every
applicant is then a problem of his own, to be stopped at the best moment,

    V(p, c) = sup over stopping times of E[max(m - c, 0) - p · cost],    m the posterior mean,

and for any prices K c + p B + n V(p, c) is at least the expected value of the best rule of the
whole round, whatever it looks at and however far it plans. The least of it over the prices is the
bound. It knows what no rule knows: the prior, the noise, and every reviewer's severity.

Source:
    Brown and Smith, "Index Policies and Performance Bounds for Dynamic Selection Problems",
    Management Science 66, 2020; the problem of one applicant is that of Xie and Frazier,
    "Sequential Bayes-Optimal Policies for Multiple Comparisons with a Known Standard",
    Operations Research 61, 2013.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log, sqrt

import numpy as np
from matplotlib.figure import Figure
from numpy.polynomial.hermite_e import hermegauss
from scipy.optimize import minimize
from scipy.signal import fftconvolve
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.situation import FloatArray
from swapflow.experiments.admissions.fixed_budgets import BUDGETS
from swapflow.experiments.admissions.reviews_needed import BATCH
from swapflow.experiments.figures import canvas, label, series
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.known_rounds import (
    INTERVIEW,
    TWIN_APPLICANTS,
    TWIN_LEVEL,
    TWIN_MARKS,
    TWIN_PLACES,
    TWIN_REVIEWS,
    TWIN_SEVERITY,
    TWIN_SIGMA,
    TWIN_SPREAD,
    redrawn_twin,
)
from swapflow.experiments.strategies import budget_rule, play
from swapflow.experiments.study import (
    Result,
    Study,
    StudyEffort,
    StudyPart,
    floats,
    mean_and_error,
)
from swapflow.experiments.sweep import Array, Cell
from swapflow.simulation.random_numbers import stream_of


TARGET = 1.10
"""Times the bound that the rule may lose."""

FLOORED = ((1, BUDGETS), (2, (2.5, 3.0)))
"""Reviews for everybody, and the budgets at which they are tried."""

REACH, POINTS = 7.0, 1601
"""The grid of posterior means: prior standard deviations to each side, and points."""

NORMAL_REACH = 9.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRound:
    """What the bound knows of a round; utilities and marks are normal.

    Attributes:
        applicants: n.
        places: K.
        spread: Standard deviation of utilities.
        level: Their mean.
        review: Standard deviation of a review around utility and (known) severity.
        interview: That of an interview.
        reviews: Most reviews of one applicant; one interview each may follow.
        cost: Cost of an interview in reviews.
        floor: Reviews that everybody gets.
    """

    applicants: int
    places: int
    spread: float
    level: float
    review: float
    interview: float
    reviews: int
    cost: float
    floor: int

    def variance(self, reviews: int, interviews: int) -> float:
        """Return the posterior variance of a utility after these marks."""
        seen = reviews / self.review**2 + interviews / self.interview**2
        return 1 / (1 / self.spread**2 + seen)


def twin_round(floor: int) -> KnownRound:
    """Return redraws of the twin as the bound sees them."""
    return KnownRound(
        applicants=TWIN_APPLICANTS,
        places=TWIN_PLACES,
        spread=TWIN_SPREAD,
        level=TWIN_LEVEL,
        review=rounded_sigma(),
        interview=TWIN_SIGMA / sqrt(INTERVIEW.gain),
        reviews=TWIN_REVIEWS,
        cost=INTERVIEW.cost,
        floor=floor,
    )


@lru_cache(maxsize=1)
def rounded_sigma() -> float:
    """Return the spread of an exact mark that tells as much as one on the twin's form.

    Marks are moved to the nearest of six, which loses something: the expected posterior variance
    after one mark of known severity is computed by quadrature. After two, three or four marks the
    same spread comes out to four digits.
    """
    ends = (np.array(TWIN_MARKS[1:]) + np.array(TWIN_MARKS[:-1])) / 2
    cuts = np.concatenate([[-np.inf], ends, [np.inf]])
    nodes, weights = hermegauss(21)
    at = TWIN_LEVEL + TWIN_SPREAD * np.linspace(-REACH, REACH, 701)
    prior = np.exp(-0.5 * ((at - TWIN_LEVEL) / TWIN_SPREAD) ** 2)
    prior /= prior.sum()
    # Axes: severity, mark, utility.
    exact = (at + TWIN_SEVERITY * nodes[:, None])[:, None, :]
    chance = ndtr((cuts[1:, None] - exact) / TWIN_SIGMA) - ndtr(
        (cuts[:-1, None] - exact) / TWIN_SIGMA
    )
    joint = prior * chance
    total = joint.sum(axis=2)
    mean = joint @ at / total
    variance = joint @ at**2 / total - mean**2
    left = float((weights / weights.sum()) @ (total * variance).sum(axis=1))
    return sqrt(1 / (1 / left - 1 / TWIN_SPREAD**2))


def best_value(known: KnownRound) -> float:
    """Return the expected sum of the K highest of n normal utilities."""
    chance = (np.arange(200_000) + 0.5) / 200_000
    # The one at this quantile is among the best K if fewer than K of the others are higher.
    among = binom.cdf(known.places - 1, known.applicants - 1, 1 - chance)
    above = known.applicants * float((ndtri(chance) * among).mean())
    return known.places * known.level + known.spread * above


def most_value(known: KnownRound, budget: float) -> float:
    """Return the bound: the value that no rule exceeds on average with `budget` reviews each."""
    means = known.level + known.spread * np.linspace(-REACH, REACH, POINTS)

    def relaxed(prices: FloatArray) -> float:
        price, place = exp(float(prices[0])), float(prices[1])
        own = _value_of_one(known, means, price=price, place=place)
        return known.places * place + known.applicants * (price * budget + own)

    start = np.array([log(0.003), known.level + 1.1 * known.spread])
    steps = np.array([[0.0, 0.0], [0.7, 0.0], [0.0, 0.1 * known.spread]])
    found = minimize(
        relaxed,
        start,
        method="Nelder-Mead",
        options={"initial_simplex": start + steps, "xatol": 1e-5, "fatol": 1e-4, "maxiter": 500},
    )
    return float(found.fun)


def _value_of_one(known: KnownRound, means: FloatArray, *, price: float, place: float) -> float:
    """Return what one applicant is worth before any mark, at these prices."""
    stopped = np.maximum(means - place, 0.0)
    value: dict[tuple[int, int], FloatArray] = {}
    for interviews in (1, 0):
        for reviews in range(known.reviews, -1, -1):
            here = known.variance(reviews, interviews)
            ways = [] if reviews < known.floor else [stopped]
            if reviews < known.reviews:
                step = sqrt(here - known.variance(reviews + 1, interviews))
                ways.append(_expected(value[reviews + 1, interviews], means, step) - price)
            if not interviews and reviews >= known.floor:
                step = sqrt(here - known.variance(reviews, 1))
                ways.append(_expected(value[reviews, 1], means, step) - known.cost * price)
            value[reviews, interviews] = np.max(ways, axis=0)
    return float(np.interp(known.level, means, value[0, 0]))


def _expected(value: FloatArray, means: FloatArray, step: float) -> FloatArray:
    """Return the expectation of a value after a normal step of the mean.

    Exact for the line through the grid's points, which lies above a convex value: what is lost on
    the grid makes the bound no smaller.
    """
    width = float(means[1] - means[0])
    reach = int(NORMAL_REACH * step / width) + 2
    ends = np.arange(-reach - 1, reach + 2) * width / step
    # Second differences of E max(x - Z, 0) are the weights of hats between the points.
    ramp = ends * ndtr(ends) + np.exp(-0.5 * ends**2) / sqrt(2 * np.pi)
    weights = np.diff(ramp, 2) * step / width
    below = np.full(reach, value[0])
    beyond = value[-1] + width * np.arange(1, reach + 1)
    return np.asarray(fftconvolve(np.concatenate([below, value, beyond]), weights, mode="valid"))


def losses(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Spend a budget by the rule `budget` on redraws of the twin.

    Returns:
        `lost`, in utility, of each run.
    """
    stream, objective = stream_of(study), TopK(TWIN_PLACES)
    strategy = budget_rule(batch=BATCH, floor=int(cell["floor"]), severity=True)
    lost = []
    for run in runs:
        sheet = redrawn_twin(stream.generator(run))
        played = play(
            strategy,
            sheet,
            objective,
            budget=round(float(cell["budget"]) * sheet.truth.size),
            rng=stream.generator(run, purpose=1),
        )
        lost.append(played.best - played.utility)
    return {"lost": np.array(lost)}


def _parts(_effort: StudyEffort) -> Sequence[StudyPart]:
    cells: list[Cell] = [
        {"floor": floor, "budget": budget} for floor, budgets in FLOORED for budget in budgets
    ]
    return [StudyPart(name="losses", cells=cells, work=losses, full=50, quick=2, chunk=5)]


def _finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    best = best_value(twin_round(0))
    rows: list[Row] = []
    for cell, arrays in results["losses"]:
        floor, budget = int(cell["floor"]), float(cell["budget"])
        bound, unbound = (1 - most_value(twin_round(f), budget) / best for f in (floor, 0))
        lost = floats(arrays, "lost")
        loss, error = mean_and_error(lost / best)
        rows.append(
            {
                "floor": floor,
                "budget": budget,
                "runs": lost.size,
                "bound": bound,
                "budget_rule": loss,
                "budget_rule_se": error,
                "times_the_bound": loss / bound,
                "times_se": error / bound,
                "bound_without_floor": unbound,
            }
        )
    table = FindingTable.of(rows)
    once = table.where(floor=1)
    times = once.numbers("times_the_bound")
    above = [
        f"{float(row['times_the_bound'] or 0):.3f} (standard error "
        f"{float(row['times_se'] or 0):.3f}) at {row['budget']:g}"
        for row in once.records()
        if float(row["times_the_bound"] or 0) > TARGET
    ]
    return Finding(
        tables={"lower-bound": table},
        figures={"lower-bound": _draw},
        seen=(
            f"With a review for everybody, `budget` loses {min(times):.2f} to {max(times):.2f} "
            f"times what the best rule imaginable must lose, at {len(times)} budgets from 1.1 to "
            f"4 reviews each; wanted is {TARGET:.2f} at most"
            + (f", missed with {', '.join(above)}." if above else ", which is met at each.")
        ),
        notes=(NOTE.format(sigma=rounded_sigma(), batch=BATCH),),
    )


NOTE = (
    "Losses are shares of the best list's utility. The bound is a Lagrangian relaxation of the "
    "whole horizon (docs/algorithm.md): no rule loses less on average that gives everybody "
    "`floor` reviews, not even one that knows prior, noise and severities. A mark on the twin's "
    "form counts as one of spread {sigma:.4f}, which tells as much. `bound_without_floor` is that "
    "of rules that need not review everybody. Batches of {batch} in lockstep."
)


def _draw(tables: dict[str, FindingTable]) -> Figure:
    table = tables["lower-bound"].where(floor=1)
    figure, (axes,) = canvas(height=2.9)
    for number, (column, name) in enumerate(
        (("budget_rule", "budget"), ("bound", "no rule can lose less"))
    ):
        error = [100 * e for e in table.numbers("budget_rule_se")] if not number else None
        series(
            axes,
            table.numbers("budget"),
            [100 * loss for loss in table.numbers(column)],
            name=name,
            number=number,
            error=error,
        )
    label(
        axes,
        title="The rule `budget` and the bound, redraws of the twin",
        x="budget, in reviews per applicant",
        y="utility lost, % of best",
    )
    axes.set_ylim(bottom=0)
    axes.legend()
    return figure


STUDIES = (
    Study(
        name="lower-bound",
        group="beyond",
        title="The rule `budget` beside a bound for every rule",
        paper="Bounds the cost of its own rule from above, and no rule's loss from below.",
        parts=_parts,
        conclude=_finding,
    ),
)
