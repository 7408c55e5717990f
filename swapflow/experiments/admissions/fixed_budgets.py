"""Fixed budgets: what the same cost buys under each strategy, and how many reviews are saved.

Nobody's certificate is met at the budgets of real rounds; so strategies spend what there is, all
of them choose by posterior means, and are held against the truth.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.oracles.oracle import TopK
from swapflow.experiments.budgeted_sampler import Desk
from swapflow.experiments.figures import FULL_PAGE, GREY, canvas, label, series
from swapflow.experiments.finding import Finding, Row, Table
from swapflow.experiments.known_rounds import (
    CONFERENCES,
    TWIN_PLACES,
    TWIN_SIGMA,
    Sheet,
    conference,
    missing,
    redrawn_twin,
)
from swapflow.experiments.strategies import (
    Choice,
    Even,
    Ocba,
    Sar,
    Strategy,
    TwoTier,
    budget_rule,
    play,
    swap,
)
from swapflow.experiments.study import Effort, Part, Result, Study, floats, grid, mean_and_error
from swapflow.experiments.sweep import Array, Cell
from swapflow.simulation.random_numbers import stream_of


BATCH = 50
DELTA = 0.05
BUDGETS = (1.1, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0)
RATIOS = {"0.4": 0.76, "0.1": 0.60, "0.04": 0.50}
"""Share of places, and at most which share of even reviewing's reviews should do."""

EVEN_AT = 3.0
"""Reviews each, whose utility under even reviewing is to be reached."""

STRATEGIES: dict[str, Strategy] = {
    "even": Even(),
    "two-tier": TwoTier(),
    "two-tier, severity taken out": TwoTier(choice=Choice.ADJUSTED),
    "SAR": Sar(),
    "OCBA": Ocba(batch=BATCH),
    "paper (SWAP)": swap(sigma=TWIN_SIGMA, delta=DELTA, batch=BATCH),
    "budget": budget_rule(batch=BATCH, severity=True),
}
CONFERENCE_STRATEGIES = ("even", "two-tier", "SAR", "OCBA", "paper (SWAP)", "budget")


def twin_losses(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Let one strategy spend a budget on redraws of the twin; all strategies meet the same."""
    strategy = STRATEGIES[str(cell["strategy"])]
    stream = stream_of(study)
    losses, spent = [], []
    for run in runs:
        sheet = redrawn_twin(stream.generator(run))
        budget = round(float(cell["budget"]) * sheet.truth.size)
        rng = stream.generator(run, purpose=1)
        played = play(strategy, sheet, TopK(TWIN_PLACES), budget=budget, rng=rng)
        losses.append(played.loss)
        spent.append(played.spent / sheet.truth.size)
    return {"loss": np.array(losses), "spent": np.array(spent)}


def conference_losses(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Let one strategy spend a budget on a conference, its papers and marks reordered."""
    strategy = STRATEGIES[str(cell["strategy"])]
    stream = stream_of(study)
    losses = []
    for run in runs:
        sheet = _shuffled(cell, stream.generator(run))
        budget = round(float(cell["budget"]) * sheet.truth.size)
        rng = stream.generator(run, purpose=1)
        objective = TopK(_places(sheet, cell))
        losses.append(play(strategy, sheet, objective, budget=budget, rng=rng).loss)
    return {"loss": np.array(losses)}


def reviews_needed(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Follow the rule `budget` until it has even reviewing's utility for good.

    Returns:
        `first` and `lasting`: the share of even reviewing's reviews at which the rule first has
        its utility, and from which on it always has; `even` and `at_half`: utilities over the
        best one, of even reviewing and of the rule at half of its reviews.
    """
    stream = stream_of(study)
    figures = []
    for run in runs:
        sheet = _shuffled(cell, stream.generator(run))
        objective = TopK(_places(sheet, cell))
        cost = round(EVEN_AT * sheet.truth.size)
        rng = stream.generator(run, purpose=1)
        even = play(STRATEGIES["even"], sheet, objective, budget=cost, rng=rng)
        spent, utility = _followed(sheet, objective, budget=cost)
        share = spent / even.spent
        reached = utility >= even.utility
        below = np.flatnonzero(~reached)
        lasting = 0 if not below.size else below[-1] + 1
        figures.append(
            {
                "first": share[reached.argmax()] if reached.any() else math.inf,
                "lasting": share[lasting] if lasting < share.size else math.inf,
                "even": even.utility / even.best,
                "at_half": float(np.interp(0.5, share, utility)) / even.best,
            }
        )
    return {name: np.array([figure[name] for figure in figures]) for name in figures[0]}


def _followed(sheet: Sheet, objective: TopK, *, budget: float) -> tuple[np.ndarray, np.ndarray]:
    """Give cost and true utility of the proposed cohort at every look of the rule `budget`."""
    desk = Desk(sheet, budget=budget)
    desk.ask(np.arange(desk.n))
    rule, rng = BudgetRule(oracle=objective, tolerance=0.0), np.random.default_rng(0)
    spent, utility = [], []
    while True:
        situation = desk.situation()
        if rule.needs_refit(situation.scores.mark.size):
            rule = rule.refitted(situation)
        look = rule.look(situation)
        spent.append(desk.spent)
        utility.append(float(sheet.truth[look.cohort].sum()))
        picks = rule.choose(situation, look, at_most=BATCH, rng=rng).picks
        if not picks:
            return np.array(spent), np.array(utility)
        desk.ask(np.array([pick.arm for pick in picks], dtype=np.int64))


def _shuffled(cell: Cell, rng: np.random.Generator) -> Sheet:
    return conference(str(cell["data"]), str(cell["round"])).shuffled(rng)


def _places(sheet: Sheet, cell: Cell) -> int:
    return round(float(cell["ratio"]) * sheet.truth.size)


def _twin_parts(_effort: Effort) -> Sequence[Part]:
    cells = grid(budget=BUDGETS, strategy=tuple(STRATEGIES))
    return [Part(name="losses", cells=cells, work=twin_losses, full=50, quick=2, chunk=5)]


def _conference_parts(effort: Effort) -> Sequence[Part]:
    rounds = tuple(CONFERENCES) if effort.full else ("iclr2021",)
    cells = grid(
        round=rounds,
        ratio=[float(ratio) for ratio in RATIOS],
        budget=(1.25, 1.5, 2.0, 2.5),
        strategy=CONFERENCE_STRATEGIES,
        data=[str(effort.data)],
    )
    return [Part(name="losses", cells=cells, work=conference_losses, full=2, quick=1, chunk=1)]


def _needed_parts(effort: Effort) -> Sequence[Part]:
    ratios = [float(ratio) for ratio in RATIOS]
    cells = grid(round=tuple(CONFERENCES), ratio=ratios, data=[str(effort.data)])
    return [Part(name="needed", cells=cells, work=reviews_needed, full=10, quick=1, chunk=1)]


def _loss_rows(results: Sequence[Result]) -> list[Row]:
    """One row per cell: loss with its error, and against even reviewing, run by run."""
    by_cell = {_key(cell): floats(arrays, "loss") for cell, arrays in results}
    rows: list[Row] = []
    for cell, arrays in results:
        loss = floats(arrays, "loss")
        mean, error = mean_and_error(loss)
        budget_loss = by_cell[_key({**cell, "strategy": "budget"})]
        more, more_error = mean_and_error(loss - budget_loss)
        rows.append(
            {
                **{k: v for k, v in cell.items() if k != "data"},
                "runs": loss.size,
                "loss": mean,
                "loss_se": error,
                "more_than_budget": more,
                "more_se": more_error,
            }
        )
    return rows


def _key(cell: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(sorted((k, str(v)) for k, v in cell.items()))


def _twin_finding(_effort: Effort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = Table.of(_loss_rows(results["losses"]))
    others = [name for name in STRATEGIES if name != "budget"]
    beaten = {
        name: [
            float(row["more_than_budget"] or 0) > 0 for row in table.where(strategy=name).records()
        ]
        for name in others
    }
    plain = all(all(beaten[name]) for name in ("even", "two-tier"))
    adjusted = table.where(strategy="two-tier, severity taken out").records()
    lost = [f"{row['budget']}" for row in adjusted if float(row["more_than_budget"] or 0) <= 0]
    at_two = table.where(budget=2.0)
    losses = {r["strategy"]: float(r["loss"] or 0) for r in at_two.records()}
    return Finding(
        tables={"budget-twin": table},
        figures={"budget-twin": _draw_twin},
        seen=(
            f"At 2 reviews each `budget` loses {losses['budget']:.3f} of the best utility, even "
            f"reviewing {losses['even']:.3f}, two-tier practice {losses['two-tier']:.3f}, OCBA "
            f"{losses['OCBA']:.3f}, the paper's rule {losses['paper (SWAP)']:.3f}, SAR "
            f"{losses['SAR']:.3f}. It is below even reviewing and two-tier practice at "
            f"{'every' if plain else 'not every'} budget; two-tier practice with severity taken "
            "out is "
            + ("behind at every budget." if not lost else f"not behind at {', '.join(lost)}.")
        ),
        notes=(TWIN_NOTE,),
    )


TWIN_NOTE = (
    "Each run draws applicants, reviewers, marks and interviews anew; strategies are compared on "
    "the same draws, so differences are surer than the losses themselves. `paper` is given the "
    "true spread of a mark; its radius then spreads reviews almost evenly at these budgets."
)


def _draw_twin(tables: dict[str, Table]) -> Figure:
    table = tables["budget-twin"]
    figure, (axes,) = canvas(height=3.6)
    for number, name in enumerate(STRATEGIES):
        rows = table.where(strategy=name)
        series(
            axes,
            rows.numbers("budget"),
            [100 * loss for loss in rows.numbers("loss")],
            name=name,
            number=number,
            error=[100 * error for error in rows.numbers("loss_se")],
        )
    label(
        axes,
        title="What a budget buys, redraws of the twin",
        x="budget, in reviews per applicant",
        y="utility lost, % of the best cohort's",
    )
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def _conference_finding(_effort: Effort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = Table.of(_loss_rows(results["losses"]))
    rows = [row for row in table.records() if row["strategy"] != "budget"]
    worse = sum(float(row["more_than_budget"] or 0) > 0 for row in rows)
    return Finding(
        tables={"budget-conferences": table},
        figures={"budget-conferences": _draw_conferences},
        seen=(
            f"On {', '.join(dict.fromkeys(str(r['round']) for r in rows))} the rule `budget` "
            f"loses less than the other strategy in {worse} of {len(rows)} comparisons (five "
            "strategies, four budgets, three shares of places)."
        ),
        notes=(PANEL_NOTE,),
    )


def _draw_conferences(tables: dict[str, Table]) -> Figure:
    table = tables["budget-conferences"]
    rounds = list(dict.fromkeys(str(r) for r in table.column("round")))
    figure, grid = canvas(
        width=FULL_PAGE, height=0.6 + 2.2 * len(rounds), rows=len(rounds), columns=len(RATIOS)
    )
    for place, axes in enumerate(grid):
        name, ratio = rounds[place // len(RATIOS)], float(list(RATIOS)[place % len(RATIOS)])
        for number, strategy in enumerate(CONFERENCE_STRATEGIES):
            rows = table.where(round=name, ratio=ratio, strategy=strategy)
            series(
                axes,
                rows.numbers("budget"),
                [100 * loss for loss in rows.numbers("loss")],
                name=strategy,
                number=number,
            )
        label(
            axes,
            title=f"{name}, K/n = {ratio:g}",
            x="budget, reviews per paper",
            y="utility lost, % of best",
        )
        axes.set_ylim(bottom=0)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    return figure


def _needed_finding(_effort: Effort, results: Mapping[str, Sequence[Result]]) -> Finding:
    rows: list[Row] = []
    for cell, arrays in results["needed"]:
        lasting, first = floats(arrays, "lasting"), floats(arrays, "first")
        mean, error = mean_and_error(lasting)
        rows.append(
            {
                "round": cell["round"],
                "ratio": cell["ratio"],
                "runs": lasting.size,
                "needed": mean,
                "needed_se": error,
                "worst": float(lasting.max()),
                "first_reached": float(first.mean()),
                "target": RATIOS[f"{cell['ratio']:g}"],
                "even_utility": float(floats(arrays, "even").mean()),
                "utility_at_half": float(floats(arrays, "at_half").mean()),
            }
        )
    table = Table.of(rows)
    met = sum(
        need <= target
        for need, target in zip(table.numbers("needed"), table.numbers("target"), strict=True)
    )
    spans = [
        f"{min(n):.2f} to {max(n):.2f} at K/n = {ratio}"
        for ratio in RATIOS
        if (n := table.where(ratio=float(ratio)).numbers("needed"))
    ]
    return Finding(
        tables={"reviews-needed": table},
        figures={"reviews-needed": _draw_needed},
        seen=(
            "Even reviewing's utility at 3 reviews each takes the rule `budget` this share of "
            f"the reviews: {'; '.join(spans)}. The target is met in {met} of {len(rows)} rounds."
        ),
        notes=(LASTING_NOTE, PANEL_NOTE),
    )


def _draw_needed(tables: dict[str, Table]) -> Figure:
    table = tables["reviews-needed"]
    figure, (axes,) = canvas(height=2.7)
    rounds = list(dict.fromkeys(str(r) for r in table.column("round")))
    places = np.arange(len(RATIOS))
    for number, name in enumerate(rounds):
        rows = table.where(round=name)
        series(
            axes,
            (places + 0.12 * (number - 1)).tolist(),
            rows.numbers("needed"),
            name=name,
            number=number,
            error=rows.numbers("needed_se"),
            joined=False,
        )
    axes.hlines(list(RATIOS.values()), places - 0.3, places + 0.3, color=GREY, label="target")
    axes.axhline(1.0, color=GREY, linestyle=":", label="even reviewing")
    axes.set_xticks(places, [f"K/n = {ratio}" for ratio in RATIOS])
    label(
        axes,
        title="Reviews that `budget` needs for even's utility",
        x="share of applications that get a place",
        y="share of even reviewing's reviews",
    )
    axes.set_ylim(0, 1.08)
    axes.legend(loc="lower left", ncols=2)
    return figure


PANEL_NOTE = (
    "A cohort is judged by the committee's own final marks: this is agreement with the final "
    "panel, not truth. Rows and marks stay in the data folder; only means are here."
)
LASTING_NOTE = (
    "Counted is the cost from which on the rule's cohort always has even reviewing's utility, "
    "which is stricter than the first time it has (column first_reached)."
)
NOT_IN_PAPER = "Not in the paper, which compares at equal cost with its own committee only."

STUDIES = (
    Study(
        name="budget-twin",
        group="beyond",
        title="Fixed budgets on redraws of the synthetic twin",
        paper=NOT_IN_PAPER,
        parts=_twin_parts,
        conclude=_twin_finding,
    ),
    Study(
        name="reviews-needed",
        group="beyond",
        title="How many reviews the rule `budget` saves on three conferences",
        paper=NOT_IN_PAPER,
        parts=_needed_parts,
        conclude=_needed_finding,
        lacking=lambda effort: missing(effort.data, tuple(CONFERENCES)),
    ),
    Study(
        name="budget-conferences",
        group="beyond",
        title="Fixed budgets on three conferences",
        paper=NOT_IN_PAPER,
        parts=_conference_parts,
        conclude=_conference_finding,
        lacking=lambda effort: missing(effort.data, tuple(CONFERENCES)),
    ),
)
