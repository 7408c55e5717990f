"""The example with three applicants: Figure 1 of the paper, and Example 1's best pulls."""

import math
from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure

from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.run import RunStep, RunTrace, run_rule
from swapflow.bandit.situation import PullKind
from swapflow.bandit.strong_pull_policy import kind_for_need
from swapflow.experiments.figures import BLUE, GREY, VERMILION, canvas, label
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.paper.theory import cheapest_plan, meant_plan, printed_plan
from swapflow.experiments.study import Study
from swapflow.simulation.random_numbers import stream_of


TRUTH = (0.6, 0.5, 0.3)
"""True utilities of the paper's Example 2, which returns to the example of Figure 1."""

SIZE = 2
SIGMA = 0.12
DELTA = 0.1
GAIN, COST = 7, 4
MOST_NEEDED = 40


WHERE_FROM = (
    "The paper prints no numbers for this figure. The true utilities are those of its Example 2 "
    "(.6, .5, .3); the picture is the first look of our run at which the three applicants stand "
    "as the caption says."
)
MISPRINT = (
    "Example 1 prints 1[z - (x mod y)] both for the last strong pull and for the weak pulls: as "
    "printed they come together or not at all."
)


def find(seed: int) -> Finding:
    """Run SWAP until its look is that of the figure, and try every plan of pulls."""
    step = _look_of_the_figure(seed)
    plans = FindingTable.of([_plan_row(needed) for needed in range(1, MOST_NEEDED + 1)])
    return Finding(
        tables={"example": FindingTable.of(_arm_rows(step)), "example-plans": plans},
        figures={"example": _draw_arms, "example-plans": _draw_plans},
        seen=_seen(int(step.situation.cost), plans),
        notes=(WHERE_FROM, MISPRINT),
    )


def _seen(pulls: int, plans: FindingTable) -> str:
    """Explain what the picture and the plans show."""
    best, coin, printed, need = (
        sum(plans.numbers(f"cost_{name}")) for name in ("best", "coin", "printed", "need")
    )
    short = sum(plans.numbers("printed_short"))
    exact = plans.column("cost_meant") == plans.column("cost_best")
    return (
        f"After {pulls} weak pulls our run stands just so: M = {{a1, a2}}, the rival is "
        "{a1, a3}, and a2 or a3 is pulled next. Of Example 1's plans the formula as printed "
        f"costs {printed / best:.2f} times the cheapest pulls and gives too little in "
        f"{short:.0f} of {len(plans.rows)} cases; with its two indicators excluding each other "
        f"it is {'always' if exact else 'not always'} the cheapest. The need-based choice of the "
        f"rule `certified` costs {need / best:.2f} times the cheapest, the paper's coin "
        f"{coin / best:.2f} times on average."
    )


def _look_of_the_figure(seed: int) -> RunStep:
    """Return the first look, of the first run, at which a2 and a3 alone are contested."""
    looks = (step for run in range(1000) for step in _walk(seed, run))
    return next(step for step in looks if _as_in_the_figure(step))


def _walk(seed: int, run: int) -> Iterator[RunStep]:
    """Run Algorithm 1 on the three applicants, weak pulls only."""
    rng = stream_of("example", str(seed)).generator(run)

    def reward(arm: int, kind: int) -> float:  # noqa: ARG001 - a Rewards function
        return float(rng.normal(TRUTH[arm], SIGMA))

    rule = PaperRule(oracle=TopK(SIZE), sigma=SIGMA, delta=DELTA)
    trace = RunTrace(kinds=(PullKind(cost=1, gain=1),), max_pulls=350)
    return run_rule(rule, reward, n=len(TRUTH), trace=trace, rng=rng)


def _as_in_the_figure(step: RunStep) -> bool:
    """Whether M = {a1, a2}, the rival {a1, a3}, and a1's flag lies above a3's."""
    low, high = (step.look.estimate + sign * step.look.radius for sign in (-1, 1))
    cohorts = step.look.cohort.tolist(), step.look.rival.tolist()
    return cohorts == ([0, 1], [0, 2]) and bool(low[0] > high[2])


def _arm_rows(step: RunStep) -> list[Row]:
    look = step.look
    return [
        {
            "applicant": f"a{arm + 1}",
            "true_utility": TRUTH[arm],
            "estimate": float(look.estimate[arm]),
            "radius": float(look.radius[arm]),
            "weak_pulls": int(step.situation.information[arm]),
            "in_cohort": arm in look.cohort,
            "in_rival": arm in look.rival,
        }
        for arm in range(len(TRUTH))
    ]


def _plan_row(needed: int) -> Row:
    """Cost of every way to give one arm the information it needs."""
    best = cheapest_plan(needed, gain=GAIN, cost=COST)
    printed = printed_plan(needed, gain=GAIN, cost=COST)
    meant = meant_plan(needed, gain=GAIN, cost=COST)
    return {
        "needed": needed,
        "s": GAIN,
        "j": COST,
        "cost_weak": needed,
        "cost_strong": COST * math.ceil(needed / GAIN),
        "cost_best": best.cost,
        "cost_printed": printed.cost,
        "printed_short": printed.information < needed,
        "cost_meant": meant.cost,
        "cost_need": _by_need(needed),
        "cost_coin": _by_coin(needed),
    }


def _by_need(needed: int) -> int:
    """Cost when every pull's kind follows from what is still needed."""
    kinds = PullKind(cost=1, gain=1), PullKind(cost=COST, gain=GAIN)
    cost = 0
    while needed > 0:
        kind = kinds[kind_for_need(kinds, needed)]
        needed -= int(kind.gain)
        cost += int(kind.cost)
    return cost


def _by_coin(needed: int) -> float:
    """Expected cost when a coin with the paper's probability chooses every pull's kind."""
    strong = (GAIN - COST) / (GAIN - 1)
    expected = np.zeros(needed + 1)
    for left in range(1, needed + 1):
        after_strong = expected[max(left - GAIN, 0)]
        expected[left] = strong * (COST + after_strong) + (1 - strong) * (1 + expected[left - 1])
    return float(expected[needed])


def _draw_arms(tables: dict[str, FindingTable]) -> Figure:
    """Draw estimates with their flags, as Figure 1."""
    rows = tables["example"].records()
    figure, (axes,) = canvas(height=2.5)
    for place, row in enumerate(rows):
        inside = bool(row["in_cohort"])
        axes.errorbar(
            place,
            float(row["estimate"] or 0),
            yerr=float(row["radius"] or 0),
            color=BLUE if inside else VERMILION,
            marker="o" if inside else "s",
            capsize=5,
            label={0: "in M, the best two", 2: "outside"}.get(place),
        )
    axes.plot(
        range(len(rows)),
        tables["example"].numbers("true_utility"),
        "_",
        color=GREY,
        markersize=14,
        label="true utility",
    )
    axes.set_xticks(
        range(len(rows)),
        [f"{row['applicant']}\n{row['weak_pulls']} weak pulls" for row in rows],
    )
    axes.set_xlim(-0.5, len(rows) - 0.5)
    label(
        axes,
        title="SWAP at step t: a2 and a3 overlap",
        x="applicant (n = 3, K = 2)",
        y="utility, score in [0, 1]",
    )
    axes.legend(loc="upper right")
    return figure


def _draw_plans(tables: dict[str, FindingTable]) -> Figure:
    """Draw what each way to pull costs, over the information that is needed."""
    table = tables["example-plans"]
    figure, (axes,) = canvas(height=2.6)
    needed = table.numbers("needed")
    for number, (column, name) in enumerate(
        (
            ("cost_weak", "weak only"),
            ("cost_strong", "strong only"),
            ("cost_coin", "the paper's coin (mean)"),
            ("cost_need", "need-based"),
            ("cost_best", "cheapest (Example 1)"),
        )
    ):
        style = ("-", "--", "-.", ":", "-")[number]
        axes.plot(
            needed,
            table.numbers(column),
            linestyle=style,
            linewidth=2.4 if column == "cost_best" else 1.2,
            alpha=0.45 if column == "cost_best" else 1.0,
            color=(GREY, VERMILION, "#CC79A7", BLUE, "#009E73")[number],
            label=name,
        )
    label(
        axes,
        title=f"Cost of one applicant's information (s = {GAIN}, j = {COST})",
        x="information still needed, in weak pulls",
        y="cost, in weak pulls",
    )
    axes.legend()
    return figure


STUDIES = (
    Study(
        name="example",
        group="paper",
        title="The example with three applicants (Figure 1, Example 1)",
        paper=(
            "With M = {a1, a2} and the rival {a1, a3}, the radii of a2 and a3 overlap, so SWAP "
            "may pull a3; how best to pull it depends on s and j."
        ),
        parts=lambda _effort: (),
        conclude=lambda effort, _results: find(effort.seed),
    ),
)
