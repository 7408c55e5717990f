"""The paper's admissions experiments on the twin, and on real reviews where they are at hand.

The paper's data is private. The twin has its scale (1,600 applicants, about 150 places, interviews
at six times a review's cost); what a classifier's score is in the paper, the true utility is here,
and what its committee did, ordinary practice does here: a review each, interviews for the best.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

import numpy as np
from matplotlib.figure import Figure

from swapflow.bandit.oracles.oracle import Diverse, Oracle, TopK
from swapflow.bandit.paper import PaperRule
from swapflow.bandit.situation import FloatArray, IntArray, PullKind
from swapflow.experiments.budgeted_sampler import Desk
from swapflow.experiments.figures import LOOKS, canvas, label, series
from swapflow.experiments.finding import Finding, Row, Table
from swapflow.experiments.known_rounds import (
    INTERVIEW,
    REVIEW,
    TWIN_PLACES,
    TWIN_SIGMA,
    Sheet,
    conference,
    missing,
    twin,
)
from swapflow.experiments.strategies import Choice, TwoTier, budget_rule, play
from swapflow.experiments.study import Effort, Part, Result, Study, floats, grid, mean_and_error
from swapflow.experiments.sweep import Array, Cell
from swapflow.simulation.random_numbers import Stream, stream_of


SIGMA, DELTA = 0.007, 0.05
"""The radius's σ at which SWAP stops by itself near the paper's 1,978; marks spread .15."""

PAPER_COST = 2000
UNBOUNDED = 1e12
GAINS = tuple(float(s) for s in range(1, 21))


class WithFallback:
    """The twin's marks in order, and scores drawn around a model once they are used up.

    So the paper's experiments went on beyond the reviews on record. Implements `ScoreSource`.
    """

    def __init__(self, sheet: Sheet, gain: float, stream: Stream, run: int) -> None:
        self._sheet, self._stream, self._run = sheet, stream, run
        self.truth: FloatArray = sheet.truth
        self.kinds: tuple[PullKind, ...] = (REVIEW, PullKind(cost=INTERVIEW.cost, gain=gain))
        self.limits: IntArray = np.full((sheet.truth.size, 2), 10**9)

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Look a mark up, or draw it around the truth with the kind's spread."""
        held = np.where(kind == 0, self._sheet.limits[arm, 0], self._sheet.limits[arm, -1])
        real = ordinal < held
        gain = np.array([1.0, self.kinds[1].gain])[kind]
        noise = TWIN_SIGMA / np.sqrt(gain) * self._stream.normals(self._run, arm, ordinal, kind)
        drawn = np.clip(self.truth[arm] + noise, 0, 1)
        within = np.minimum(ordinal, self._sheet.table.shape[1] - 1)
        recorded = self._sheet.marks(arm, kind, within)
        # An interview on record has the information of seven reviews, whatever s is believed.
        return np.where(real & ((kind == 0) | (gain == INTERVIEW.gain)), recorded, drawn)

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:  # noqa: ARG002 - the protocol's
        """Nobody in particular: the paper knows no reviewers."""
        return np.full(np.broadcast_shapes(np.shape(arm), np.shape(kind)), -1, dtype=np.int64)


def experiment(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Let one way of working choose a cohort under one objective.

    Args:
        study: Name of the study.
        cell: `way`, `by` ("" for top-k, else an attribute), `s`, and `only` (a program or "").
        runs: Numbers of the runs.

    Returns:
        `top` (sum of utilities), `diverse` (w_div by the attribute), `cost`, `pulls` and `strong`
        per applicant and share, of each run.
    """
    stream = stream_of(study)
    rows = []
    for run in runs:
        rng = stream.generator(run)
        sheet = _twin_of(str(cell["only"])).shuffled(rng)
        objective = _objective(sheet, str(cell["by"]), _places(str(cell["only"])))
        source = WithFallback(sheet, float(cell["s"]), stream, run)
        desk = Desk(source, budget=UNBOUNDED)
        cohort = _chosen(str(cell["way"]), desk, sheet, objective, rng)
        groups = (
            np.zeros(desk.n, dtype=np.int64) if not cell["by"] else sheet.classes(str(cell["by"]))
        )
        rows.append(
            (
                float(sheet.truth[cohort].sum()),
                Diverse(cohort.size, groups).value(sheet.truth, cohort),
                desk.spent,
                float(desk.asked.sum()) / desk.n,
                float(desk.asked[:, 1].sum() / max(desk.asked.sum(), 1)),
            )
        )
    names = ("top", "diverse", "cost", "pulls", "strong")
    return dict(zip(names, np.array(rows).T, strict=True))


def _chosen(
    way: str, desk: Desk, sheet: Sheet, objective: Oracle, rng: np.random.Generator
) -> IntArray:
    """Spend as the way of working does, and name its cohort."""
    match way:
        case "SWAP" | "SWAP, true spread":
            own = way == "SWAP"
            limit, sigma = (math.inf, SIGMA) if own else (PAPER_COST, TWIN_SIGMA)
            return _swap(desk, objective, rng, limit=limit, sigma=sigma)
        case "practice":
            desk.budget = PAPER_COST
            return TwoTier(choice=Choice.MEAN).spend(desk, TopK(objective.size), rng)
        case "budget":
            desk.budget = PAPER_COST
            return budget_rule(batch=50).spend(desk, objective, rng)
        case "uniform":
            for kind in (0, 1):
                desk.ask(np.arange(desk.n), kind)
        case "random":
            while desk.spent < 10 * PAPER_COST:
                desk.ask(rng.integers(desk.n, size=desk.n // 2), int(rng.integers(2)))
        case _:
            return objective.best(sheet.truth)
    return objective.best(desk.mean)


def _swap(
    desk: Desk, objective: Oracle, rng: np.random.Generator, *, limit: float, sigma: float
) -> IntArray:
    """Algorithm 1, one pull at a time, until it stops or the limit is spent."""
    desk.ask(np.arange(desk.n))
    rule = PaperRule(oracle=objective, sigma=sigma, delta=DELTA)
    while True:
        situation = desk.situation()
        look = rule.look(situation)
        if look.stop is not None or desk.spent >= limit:
            return look.cohort
        picks = rule.choose(situation, look, at_most=1, rng=rng).picks
        if not picks:
            return look.cohort
        desk.ask(np.array([picks[0].arm]), picks[0].kind)


@lru_cache(maxsize=4)
def _twin_of(program: str) -> Sheet:
    sheet = twin()
    if not program:
        return sheet
    kept = np.flatnonzero(np.array(sheet.groups["program"]) == program)
    return Sheet(
        truth=sheet.truth[kept],
        table=sheet.table[kept],
        judges=sheet.judges[kept],
        interviews=sheet.interviews[kept],
        accepted=np.zeros(0, dtype=np.int64),
        groups={k: tuple(np.array(v)[kept].tolist()) for k, v in sheet.groups.items()},
        kinds=sheet.kinds,
    )


def _places(program: str) -> int:
    return {"": TWIN_PLACES, "MS": 30, "PhD": 120}[program]


def _objective(sheet: Sheet, by: str, size: int) -> Oracle:
    return Diverse(size, sheet.classes(by)) if by else TopK(size)


WAYS = ("SWAP", "SWAP, true spread", "budget", "practice", "uniform", "random", "best possible")


def _parts(_effort: Effort) -> Sequence[Part]:
    cells = grid(way=WAYS, by=("", "gender", "region"), s=[7.0], only=[""])
    return [Part(name="ways", cells=cells, work=experiment, full=20, quick=1, chunk=1)]


def _gain_parts(effort: Effort) -> Sequence[Part]:
    gains = GAINS if effort.full else (1.0, 5.0, 7.0, 10.0, 20.0)
    cells = grid(way=["SWAP"], by=[""], s=gains, only=("MS", "PhD"))
    return [Part(name="gains", cells=cells, work=experiment, full=10, quick=1, chunk=1)]


def _finding(_effort: Effort, results: Mapping[str, Sequence[Result]]) -> Finding:
    rows: list[Row] = []
    for cell, arrays in results["ways"]:
        row: dict[str, float | int | str | bool | None] = {
            "way": cell["way"],
            "objective": str(cell["by"]) or "top-k",
            "runs": len(arrays["top"]),
        }
        for name in ("top", "diverse", "cost", "pulls", "strong"):
            row[name] = float(floats(arrays, name).mean())
            row[f"{name}_sd"] = float(floats(arrays, name).std())
        rows.append(row)
    table = Table.of(rows)
    found = {(r["way"], r["objective"]): r for r in rows}

    def of(way: str, objective: str, name: str) -> float:
        return float(found[way, objective][name] or 0)

    gain = of("SWAP", "top-k", "top") / of("practice", "top-k", "top")
    region = of("SWAP", "region", "diverse") / of("practice", "region", "diverse")
    return Finding(
        tables={"admissions": table},
        figures={
            "admissions-top": partial(_draw, "top"),
            "admissions-diverse": partial(_draw, "diverse"),
        },
        seen=(
            f"On the twin SWAP's cohort has {gain:.3f} times ordinary practice's utility at "
            f"cost {of('SWAP', 'top-k', 'cost'):,.0f} against "
            f"{of('practice', 'top-k', 'cost'):,.0f} (the paper: {80.1 / 73.96:.3f}); "
            f"under w_div by region {region:.3f} times its "
            f"diversity (the paper: {22.1 / 20.47:.3f}). The rule `budget` at the same cost: "
            f"{of('budget', 'top-k', 'top') / of('practice', 'top-k', 'top'):.3f}."
        ),
        beside=_beside(of),
        notes=(COMPARABLE, SIGMA_NOTE),
    )


COMPARABLE = (
    "Comparable are ratios to actual or ordinary practice; w and T themselves are not, for the "
    "applicants are others. Ordinary practice on the twin stands where the paper has its "
    "committee: one review each, then interviews for the best until 2,000 is spent, chosen by "
    "plain means. The twin's utilities hardly differ between genders and regions, so w_div has "
    "less to gain from them than in the paper."
)
SIGMA_NOTE = (
    "SWAP stops by itself near the paper's 1,978 only if its radius believes in marks that spread "
    "by .007; they spread by .15. With the true spread it is cut at 2,000 and reviews almost "
    "evenly (row `SWAP, true spread`). Once an applicant's marks are used up they are drawn "
    "around the model's score, as in the paper."
)


def _beside(of: Callable[[str, str, str], float]) -> Table:
    """Lay tables 1 and 2 and the text's comparisons out beside ours."""
    practice = {name: of("practice", "top-k", name) for name in ("top", "cost")}
    rows: list[Row] = [
        {
            "quantity": "w, SWAP over actual (Table 1)",
            "paper": 80.1 / 73.96,
            "twin": of("SWAP", "top-k", "top") / practice["top"],
        },
        {
            "quantity": "T, SWAP over actual (Table 1)",
            "paper": 1978 / 2000,
            "twin": of("SWAP", "top-k", "cost") / practice["cost"],
        },
    ]
    printed = {"gender": (8.5 / 8.6, 12.1 / 11.8), "region": (8.0 / 8.6, 22.1 / 20.47)}
    for by, (top, diverse) in printed.items():
        rows += [
            {
                "quantity": f"√w_top, SWAP over actual, by {by} (Table 2)",
                "paper": top,
                "twin": math.sqrt(of("SWAP", by, "top") / of("practice", by, "top")),
            },
            {
                "quantity": f"w_div, SWAP over actual, by {by} (Table 2)",
                "paper": diverse,
                "twin": of("SWAP", by, "diverse") / of("practice", by, "diverse"),
            },
        ]
    swap_root = math.sqrt(of("SWAP", "region", "top"))
    rows += [
        {
            "quantity": "pulls per applicant, SWAP",
            "paper": 1.17,
            "twin": of("SWAP", "region", "pulls"),
        },
        {"quantity": "of these strong", "paper": 0.05, "twin": of("SWAP", "region", "strong")},
        {
            "quantity": "uniform: cost over SWAP's",
            "paper": 9.0,
            "twin": of("uniform", "region", "cost") / of("SWAP", "region", "cost"),
        },
        {
            "quantity": "uniform: √w_top over SWAP's",
            "paper": 8.3 / 8.0,
            "twin": math.sqrt(of("uniform", "region", "top")) / swap_root,
        },
        {
            "quantity": "random at ten times the cost: √w_top over SWAP's",
            "paper": 7.9 / 8.0,
            "twin": math.sqrt(of("random", "region", "top")) / swap_root,
        },
    ]
    return Table.of(rows)


def _draw(name: str, tables: dict[str, Table]) -> Figure:
    table = tables["admissions"].where(objective="region")
    figure, (axes,) = canvas(height=2.8)
    for number, row in enumerate(table.records()):
        value = float(row[name] or 0)
        axes.errorbar(
            float(row["cost"] or 0),
            math.sqrt(value) if name == "top" else value,
            color=LOOKS[number].colour,
            marker=LOOKS[number].marker,
            linestyle="none",
            markersize=6,
            label=str(row["way"]),
        )
    axes.set_xscale("symlog", linthresh=1000)
    axes.set_xticks([0, 1000, 10_000], ["0", "1,000", "10,000"])
    axes.set_xticks([], minor=True)
    label(
        axes,
        title="Cost and " + ("general utility" if name == "top" else "diversity by region"),
        x="cost T (reviews)",
        y="√w_top (root of the sum)" if name == "top" else "w_div (sum of regions' roots)",
    )
    axes.legend(fontsize=6)
    return figure


def _gain_finding(_effort: Effort, results: Mapping[str, Sequence[Result]]) -> Finding:
    rows: list[Row] = []
    for cell, arrays in results["gains"]:
        cost, error = mean_and_error(floats(arrays, "cost"))
        rows.append(
            {
                "program": cell["only"],
                "s": cell["s"],
                "runs": len(arrays["cost"]),
                "cost": cost,
                "cost_se": error if error == error else None,  # noqa: PLR0124 - not NaN
                "strong_share": float(floats(arrays, "strong").mean()),
            }
        )
    table = Table.of(rows)
    low, high = min(table.numbers("cost")), max(table.numbers("cost"))
    return Finding(
        tables={"admissions-gains": table},
        figures={"admissions-gains": _draw_gains},
        seen=(
            f"Over s the cost of SWAP runs from {low:,.0f} to {high:,.0f} for the two programs of "
            "the twin (1,000 and 600 applicants); with σ fixed, it rises with the share of strong "
            "pulls wherever few reviews would do."
        ),
        notes=(SIGMA_NOTE,),
    )


def _draw_gains(tables: dict[str, Table]) -> Figure:
    figure, (axes,) = canvas(height=2.5)
    for number, program in enumerate(("MS", "PhD")):
        rows = tables["admissions-gains"].where(program=program)
        errors = [0.0 if e != e else e for e in rows.numbers("cost_se")]  # noqa: PLR0124 - NaN
        series(
            axes,
            rows.numbers("s"),
            rows.numbers("cost"),
            name=program,
            number=number,
            error=errors,
        )
    label(
        axes,
        title="Cost of SWAP over s (j = 6)",
        x="s, information of an interview (reviews)",
        y="cost T (reviews)",
    )
    axes.set_ylim(bottom=0)
    axes.set_xticks([1, 5, 10, 15, 20])
    axes.legend()
    return figure


def areas(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Spend a share of the conference's own reviews, under w_div by area.

    Returns:
        `top` and `diverse` of the cohort over those of the papers really accepted, and `cost`
        over the reviews really given.
    """
    stream = stream_of(study)
    rows = []
    for run in runs:
        sheet = conference(str(cell["data"]), "iclr2023").shuffled(stream.generator(run))
        groups, actual = sheet.classes("area"), sheet.accepted
        value = Diverse(actual.size, groups)
        objective: Oracle = TopK(actual.size) if cell["objective"] == "top-k" else value
        given = float(sheet.limits.sum())
        budget = round(float(cell["share"]) * given)
        rng = stream.generator(run, purpose=1)
        played = play(budget_rule(batch=200), sheet, objective, budget=budget, rng=rng)
        rows.append(
            (
                float(sheet.truth[played.cohort].sum() / sheet.truth[actual].sum()),
                value.value(sheet.truth, played.cohort) / value.value(sheet.truth, actual),
                played.spent / given,
            )
        )
    return dict(zip(("top", "diverse", "cost"), np.array(rows).T, strict=True))


def _area_parts(effort: Effort) -> Sequence[Part]:
    cells = grid(
        objective=("top-k", "area"), share=(0.33, 0.5, 0.75, 1.0), data=[str(effort.data)]
    )
    return [Part(name="areas", cells=cells, work=areas, full=5, quick=1, chunk=1)]


def _area_finding(_effort: Effort, results: Mapping[str, Sequence[Result]]) -> Finding:
    rows: list[Row] = [
        {
            "objective": cell["objective"],
            "share_of_reviews": cell["share"],
            "runs": len(arrays["top"]),
            **{name: float(floats(arrays, name).mean()) for name in ("top", "diverse", "cost")},
        }
        for cell, arrays in results["areas"]
    ]
    table = Table.of(rows)
    last = [row for row in rows if row["objective"] == "area"][-1]
    beside = Table.of(
        [
            {
                "quantity": "general, over actual (area of study)",
                "paper": 8.3 / 8.6,
                "iclr2023": math.sqrt(float(last["top"] or 0)),
            },
            {
                "quantity": "diversity, over actual",
                "paper": 32.5 / 27.4,
                "iclr2023": float(last["diverse"] or 0),
            },
        ]
    )
    return Finding(
        tables={"admissions-area": table},
        figures={"admissions-area": _draw_areas},
        seen=(
            "On real reviews of 2023, `budget` under w_div over 15 areas reaches "
            f"{float(last['diverse'] or 0):.3f} of the diversity and "
            f"{float(last['top'] or 0):.3f} of the utility of the papers really "
            "accepted with all of their reviews."
        ),
        beside=beside,
        notes=(AREA_NOTE,),
    )


AREA_NOTE = (
    "General fit is compared as a root, as in the paper's table. A cohort is judged by the "
    "committee's own final marks, which the first marks do not yet know."
)


def _draw_areas(tables: dict[str, Table]) -> Figure:
    figure, (axes,) = canvas(height=2.6)
    number = 0
    for objective in ("top-k", "area"):
        rows = tables["admissions-area"].where(objective=objective)
        for column, name in (("top", "utility"), ("diverse", "diversity")):
            series(
                axes,
                rows.numbers("share_of_reviews"),
                rows.numbers(column),
                name=f"{name}, objective {objective}",
                number=number,
            )
            number += 1
    axes.axhline(1.0, color="#767676", linewidth=0.8)
    label(
        axes,
        title="`budget` against the papers really accepted",
        x="share of the reviews really given",
        y="over the accepted papers' (ratio)",
    )
    axes.legend()
    return figure


STUDIES = (
    Study(
        name="admissions",
        group="admissions",
        title="Graduate admissions: utility, cost and diversity (Tables 1 and 2, Figure 6)",
        paper=(
            "SWAP: w 80.1 (0.5) at T 1978 (53); actual: 73.96 at about 2000. Gender: √w_top 8.5 "
            "against 8.6, w_div 12.1 against 11.8; region: 8.0 against 8.6, 22.1 against 20.47. "
            "Uniform at 9 times the cost: 8.3 and 11.8; random at 10 times: 7.9 and 11.16."
        ),
        parts=_parts,
        conclude=_finding,
    ),
    Study(
        name="admissions-gains",
        group="admissions",
        title="Cost of SWAP over s (appendix)",
        paper="Over many values of s the total cost stays near what the actual process spent.",
        parts=_gain_parts,
        conclude=_gain_finding,
    ),
    Study(
        name="admissions-area",
        group="admissions",
        title="Diversity over areas of study (appendix), on real reviews",
        paper="SWAP: general 8.3 (0.03), diversity 32.5 (0.03); actual: 8.6 and 27.4.",
        parts=_area_parts,
        conclude=_area_finding,
        lacking=lambda effort: missing(effort.data, ("iclr2023",)),
    ),
)
