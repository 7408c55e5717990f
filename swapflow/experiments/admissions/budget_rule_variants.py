"""What was tried to beat the rule `budget`, on redraws of the twin and on two conferences."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.knowledge_gradient import (
    PullChooser,
    PullValues,
    expected_crossing,
)
from swapflow.bandit.oracles.oracle import Oracle, TopK
from swapflow.bandit.situation import FloatArray, IntArray, Look, PullKind, Situation
from swapflow.experiments.budgeted_sampler import BudgetedSampler
from swapflow.experiments.figures import FULL_PAGE, GREY, canvas, label, series
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.known_rounds import TWIN_PLACES, conference, missing, redrawn_twin
from swapflow.experiments.strategies import ByRule, Strategy, play
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


BATCH = 50
RULE = "widening 1.5"
"""The rule as it is; all others are held against it."""

WIDENED = {RULE: 1.5, "no widening": 1.0, "widening 2": 2.0}
MOVING = {"cut moves .3": 0.3, "cut moves .6": 0.6, "cut moves 1": 1.0}
VARIANTS = (*WIDENED, *MOVING)


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingCutValues(PullValues):
    """Values of pulls where the cut will move too, by so much, whatever is learned here.

    What a pull is worth is then what the crossing gains beside what it would have gained without.
    """

    cut: float

    def of_information(
        self, arms: IntArray, information: FloatArray, more: FloatArray
    ) -> FloatArray:
        """Value of `more` information on these arms."""
        step = self._step(information, more)
        return np.asarray(self.slope[arms] * self._gained(self.distance[arms], step))

    def per_cost(
        self,
        arms: IntArray,
        information: FloatArray,
        allowed: IntArray,
        kinds: tuple[PullKind, ...],
    ) -> FloatArray:
        """Value per cost of the best bundle of pulls of each kind."""
        largest = min(int(allowed.max(initial=0)), self.largest_bundle)
        if largest < 1:
            return np.zeros(allowed.shape)
        gain = np.array([kind.gain for kind in kinds])[:, None]
        cost = np.array([kind.cost for kind in kinds])[:, None]
        together = np.arange(1, largest + 1, dtype=np.float64)
        step = self._step(information[:, None, None], together * gain)
        each = self._gained(self.distance[arms, None, None], step) / (together * cost)
        best = np.where(together <= allowed[:, :, None], each, 0.0).max(axis=2)
        return np.asarray(self.slope[arms, None] * best)

    def _gained(self, distance: FloatArray, step: FloatArray) -> FloatArray:
        still = np.full(step.shape, self.cut)
        distance = np.broadcast_to(distance, step.shape)
        both = expected_crossing(distance, np.hypot(step, still))
        return np.maximum(both - expected_crossing(distance, still), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingCut:
    """The rule `budget` without widening, where the cut is expected to move.

    Attributes:
        share: By how much: of the posterior standard deviation of those nearest to it.
        severity: Whether reviewers' severity is taken out.
    """

    share: float
    severity: bool
    name: str = "budget, moving cut"

    def spend(
        self,
        sampler: BudgetedSampler,
        objective: Oracle,
        rng: np.random.Generator,  # noqa: ARG002 - leaves nothing to chance
    ) -> IntArray:
        """Look and ask, a batch at a time, as `ByRule` does."""
        rule = BudgetRule(oracle=objective, severity=self.severity, tolerance=0.0)
        sampler.ask(np.arange(sampler.n)[: sampler.affordable()])
        while True:
            situation = sampler.situation()
            if rule.needs_refit(situation.scores.mark.size):
                rule = rule.refitted(situation)
            look = rule.look(situation)
            chooser = PullChooser(
                values=self._values(situation, look, objective),
                kinds=situation.kinds,
                information=situation.information,
                allowed=situation.allowed,
                kind_left=situation.kind_left,
                budget_left=situation.budget_left,
                once=True,
                waiting=np.zeros(sampler.n, dtype=np.bool_),
            )
            picks = chooser.choose(BATCH)
            if not picks:
                return look.cohort
            for kind in range(len(sampler.kinds)):
                arms = [pick.arm for pick in picks if pick.kind == kind]
                sampler.ask(np.array(arms, dtype=np.int64), kind)

    def _values(self, situation: Situation, look: Look, objective: Oracle) -> MovingCutValues:
        fitted = Fitted.from_dict(look.parameters)
        slope = objective.slopes(look.estimate, look.cohort)
        distance = objective.single_exchange_losses(look.estimate) / slope
        near = np.argsort(distance, kind="stable")[: max(10, look.cohort.size // 5)]
        precision = 1 / fitted.prior_variance + situation.information[near] / fitted.noise_variance
        return MovingCutValues(
            distance=distance,
            slope=slope,
            prior_variance=fitted.prior_variance,
            noise_variance=fitted.noise_variance,
            cut=self.share * math.sqrt(float((1 / precision).mean())),
        )


def _strategy(variant: str, *, severity: bool) -> Strategy:
    if variant in MOVING:
        return MovingCut(share=MOVING[variant], severity=severity)
    widening = WIDENED[variant]
    return ByRule(
        name="budget",
        rule=lambda objective: BudgetRule(
            oracle=objective, severity=severity, tolerance=0.0, widening=widening
        ),
        batch=BATCH,
        choice=None,
    )


def variant_losses(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Spend a budget by one variant; all variants meet the same draws or orders.

    Args:
        study: Name of the study.
        cell: `variant`, `round` ("twin" or a conference's), `ratio` (share of places, 0 for the
            twin's own), `budget` (reviews each), and `data`, the folder.
        runs: Numbers of the runs.

    Returns:
        `loss` of each run, as a share of the best utility.
    """
    stream, name = stream_of(study), str(cell["round"])
    losses = []
    for run in runs:
        rng = stream.generator(run)
        if name == "twin":
            sheet, places = redrawn_twin(rng), TWIN_PLACES
        else:
            sheet = conference(str(cell["data"]), name).shuffled(rng)
            places = round(float(cell["ratio"]) * sheet.truth.size)
        strategy = _strategy(str(cell["variant"]), severity=name == "twin")
        budget = round(float(cell["budget"]) * sheet.truth.size)
        played = play(
            strategy, sheet, TopK(places), budget=budget, rng=stream.generator(run, purpose=1)
        )
        losses.append(played.loss)
    return {"loss": np.array(losses)}


def _parts(effort: StudyEffort) -> Sequence[StudyPart]:
    rounds = [("twin", 0.0, budget) for budget in (1.25, 2.0, 3.0)]
    if not missing(effort.data, ("iclr2021", "iclr2022")):
        rounds += [(name, ratio, 1.5) for name in ("iclr2021", "iclr2022") for ratio in (0.4, 0.1)]
    cells: list[Cell] = [
        {
            "round": name,
            "ratio": ratio,
            "budget": budget,
            "variant": variant,
            "data": "" if name == "twin" else str(effort.data),
        }
        for name, ratio, budget in rounds
        for variant in VARIANTS
    ]
    return [StudyPart(name="losses", cells=cells, work=variant_losses, full=10, quick=1, chunk=1)]


def _finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    own = {
        _place(cell): floats(arrays, "loss")
        for cell, arrays in results["losses"]
        if cell["variant"] == RULE
    }
    rows: list[Row] = []
    for cell, arrays in results["losses"]:
        loss = floats(arrays, "loss")
        more, error = mean_and_error(loss - own[_place(cell)])
        rows.append(
            {
                "round": cell["round"],
                "ratio": cell["ratio"] or None,
                "budget": cell["budget"],
                "variant": cell["variant"],
                "runs": loss.size,
                "loss": float(loss.mean()),
                "more": more,
                "more_se": None if math.isnan(error) else error,
            }
        )
    table = FindingTable.of(rows)
    others = [name for name in VARIANTS if name != RULE]
    worse = {
        name: sum(more > 0 for more in table.where(variant=name).numbers("more"))
        for name in others
    }
    everywhere = [name for name in others if not worse[name]]
    counts = ", ".join(f"{name} in {worse[name]}" for name in others)
    return Finding(
        tables={"budget-variants": table},
        figures={"budget-variants": _draw},
        seen=(
            f"Losing more than the rule as it is, of {len(own)} rounds and budgets: {counts}. "
            + (
                f"Never worse: {', '.join(everywhere)}."
                if everywhere
                else "No variant wins everywhere, so the rule stays."
            )
        ),
        notes=(NOTE,),
    )


def _place(cell: Mapping[str, object]) -> tuple[object, ...]:
    return cell["round"], cell["ratio"], cell["budget"]


NOTE = (
    "`widening` is the factor on posterior variances in choosing; 1.5 is the rule's. With "
    "`cut moves` there is none, but the cut is expected to move by that share of the posterior "
    "standard deviation of those nearest to it, and a pull is worth what it adds to that. Column "
    "`more` is the loss above the rule's, run by run on the same draws."
)


def _draw(tables: dict[str, FindingTable]) -> Figure:
    table = tables["budget-variants"]
    places = list(dict.fromkeys((r["round"], r["ratio"], r["budget"]) for r in table.records()))
    figure, (axes,) = canvas(width=FULL_PAGE, height=3.0)
    for number, name in enumerate(v for v in VARIANTS if v != RULE):
        rows = table.where(variant=name)
        errors = [0.0 if math.isnan(e) else 100 * e for e in rows.numbers("more_se")]
        series(
            axes,
            [place + 0.13 * (number - 2) for place in range(len(places))],
            [100 * more for more in rows.numbers("more")],
            name=name,
            number=number,
            error=errors,
            joined=False,
        )
    axes.axhline(0.0, color=GREY, linewidth=0.8)
    names = [
        f"{name},\n{budget:g} each" + (f",\nK/n = {ratio}" if ratio else "")
        for name, ratio, budget in places
    ]
    axes.set_xticks(range(len(places)), names)
    label(
        axes,
        title="Variants of `budget` against the rule as it is (above 0: they lose more)",
        x="round, share of places, and budget (reviews each)",
        y="further loss, % of best",
    )
    axes.legend(ncols=2)
    return figure


STUDIES = (
    Study(
        name="budget-variants",
        group="beyond",
        title="What was tried to beat the rule `budget`",
        paper="Not in the paper.",
        parts=_parts,
        conclude=_finding,
    ),
)
