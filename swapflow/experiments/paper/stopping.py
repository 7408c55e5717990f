"""What a certificate costs: three radii, coin or need, a tolerance, and many pulls out at once."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import ndtri

from swapflow.bandit.certified import Certificate, CertifiedRule
from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.run import UNLIMITED, RunTrace, run_rule
from swapflow.bandit.situation import FloatArray, PullKind, Situation
from swapflow.bandit.strong_pull_policy import StrongPolicy
from swapflow.experiments.figures import FULL_PAGE, LOOKS, canvas, label
from swapflow.experiments.finding import Finding, FindingTable, Row
from swapflow.experiments.kernel.simulate import Radius, SimulationProblem, simulate
from swapflow.experiments.study import (
    Result,
    Study,
    StudyEffort,
    StudyPart,
    floats,
    grid,
    mean_and_error,
)
from swapflow.experiments.sweep import Array, Cell
from swapflow.simulation.random_numbers import stream_of
from swapflow.simulation.response_delays import Lognormal
from swapflow.simulation.score_sources import Gaussian


N, SIZE, DELTA = 100, 10, 0.05
SPREADS = {"clear border": 0.5, "clear border, little noise": 0.12, "normal scores": 0.3}
KINDS = ((10.0, 5.0), (4.0, 3.0), (15.0, 6.0), (6.0, 6.0))
"""s and j."""

RULES: dict[str, tuple[Radius, StrongPolicy | None]] = {
    "paper, weak": (Radius.PAPER, StrongPolicy.WEAK),
    "paper, coin": (Radius.PAPER, StrongPolicy.PAPER),
    "certified, weak": (Radius.MIXTURE, StrongPolicy.WEAK),
    "certified, strong": (Radius.MIXTURE, StrongPolicy.STRONG),
    "certified, coin": (Radius.MIXTURE, StrongPolicy.PAPER),
    "certified, need": (Radius.MIXTURE, None),
    "pairwise, weak": (Radius.PAIRWISE, StrongPolicy.WEAK),
    "pairwise, need": (Radius.PAIRWISE, None),
}
WEAK_RULES = ("paper, weak", "certified, weak", "pairwise, weak")
TOLERANCES = (0.0, 0.05, 0.1, 0.2, 0.5)
REVIEWERS, PACKET = 20, 10


def truth_of(instance: str) -> FloatArray:
    """Return 100 utilities: ten of 1.0 to 1.3 over ninety of 0 to .7, or normal quantiles."""
    if instance == "normal scores":
        return np.sort(ndtri((np.arange(N) + 0.5) / N))[::-1].copy()
    return np.concatenate([np.linspace(1.3, 1.0, SIZE), np.linspace(0.7, 0.0, N - SIZE)])


def stop_costs(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Run a rule until it stops.

    Returns:
        `cost` and `loss` (in utility) of each run, and whether it is `wrong` or `stopped`.
    """
    instance = str(cell["instance"])
    radius, policy = RULES[str(cell["rule"])]
    truth = truth_of(instance)
    outcomes = simulate(
        SimulationProblem(
            size=SIZE,
            sigma=SPREADS[instance],
            delta=DELTA,
            gain=float(cell["s"]),
            cost=float(cell["j"]),
            radius=radius,
            policy=policy,
            tolerance=float(cell["eps"]),
        ),
        truth,
        stream=stream_of(study.rsplit("/", 2)[0], instance + study.rsplit("/", 1)[-1]),
        runs=runs,
    )
    loss = truth[:SIZE].sum() - outcomes.cohort @ truth
    return {
        "cost": outcomes.cost,
        "loss": loss,
        "wrong": loss > 1e-9,  # noqa: PLR2004 - rounding
        "stopped": outcomes.stopped,
    }


def out_at_once(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    """Run `certified` or `pairwise` with many pulls out, rolling or in whole batches.

    Answers take a lognormal time of mean 1 and spread 1.

    Returns:
        `cost`, `elapsed` (in mean delays) and whether each run is `wrong`.
    """
    truth, sigma = truth_of("clear border"), SPREADS["clear border"]
    kinds = (PullKind(cost=1.0, gain=1.0),)
    rule = CertifiedRule(
        oracle=TopK(SIZE),
        sigma=sigma,
        delta=DELTA,
        certificate=Certificate(str(cell["certificate"])),
    )
    stream, at_once = stream_of(study), int(cell["out"])
    ends = []
    for run in runs:
        source = Gaussian(truth=truth, kinds=kinds, sigma=sigma, stream=stream, run=run)
        model = Lognormal(mean=(1.0,), stream=stream, run=run)
        marks, delays = _Marks(source), _Delays(model)
        if cell["way"] == "batches":
            ends.append(_in_batches(rule, marks, delays, at_once))
            continue
        trace = RunTrace(kinds=kinds, at_once=at_once, delays=delays)
        rng = stream.generator(run)
        *_, last = run_rule(rule, marks, n=N, trace=trace, rng=rng)
        ends.append((last.situation.cost, last.elapsed, last.look.cohort.tolist()))
    return {
        "cost": np.array([cost for cost, _, _ in ends]),
        "elapsed": np.array([elapsed for _, elapsed, _ in ends]),
        "wrong": np.array([cohort != list(range(SIZE)) for _, _, cohort in ends]),
    }


class _Marks:
    """Hands out an applicant's marks in order."""

    def __init__(self, source: Gaussian) -> None:
        self._source = source
        self._asked: dict[tuple[int, int], int] = {}

    def __call__(self, arm: int, kind: int) -> float:
        ordinal = self._asked.get((arm, kind), 0)
        self._asked[arm, kind] = ordinal + 1
        address = (np.array([part]) for part in (arm, kind, ordinal))
        return float(self._source.marks(*address)[0])


class _Delays:
    """Hands out an applicant's delays in order."""

    def __init__(self, model: Lognormal) -> None:
        self._model = model
        self._asked: dict[int, int] = {}

    def __call__(self, arm: int, kind: int, reward: float) -> float:
        ordinal = self._asked.get(arm, 0)
        self._asked[arm] = ordinal + 1
        where, how, which = (np.array([part]) for part in (arm, kind, ordinal))
        return float(self._model.delays(where, how, which, np.array([reward]))[0])


def _in_batches(
    rule: CertifiedRule, marks: _Marks, delays: _Delays, size: int
) -> tuple[float, float, list[int]]:
    """Send a batch, wait for its slowest answer, look again."""
    elapsed = 0.0
    held = [marks(arm, 0) for arm in range(N)]
    mean, information = np.array(held), np.ones(N)
    rng = np.random.default_rng(0)
    while True:
        situation = _situation(mean, information)
        look = rule.look(situation)
        if look.stop is not None:
            return situation.cost, elapsed, look.cohort.tolist()
        slowest = 0.0
        for pick in rule.choose(situation, look, at_most=size, rng=rng).picks:
            reward = marks(pick.arm, 0)
            slowest = max(slowest, delays(pick.arm, 0, reward))
            before = information[pick.arm]
            mean[pick.arm] = (mean[pick.arm] * before + reward) / (before + 1)
            information[pick.arm] = before + 1
        elapsed += slowest


def _situation(mean: FloatArray, information: FloatArray) -> Situation:
    return Situation(
        mean=mean.copy(),
        information=information.copy(),
        pending=np.zeros(N),
        settled_mean=mean.copy(),
        settled_information=information.copy(),
        kinds=(PullKind(cost=1.0, gain=1.0),),
        allowed=np.full((N, 1), UNLIMITED),
        kind_left=np.full(1, UNLIMITED),
        budget_left=float("inf"),
        cost=float(information.sum()),
    )


def _stop_parts(_effort: StudyEffort) -> Sequence[StudyPart]:
    radii = grid(instance=tuple(SPREADS), rule=WEAK_RULES, s=[1.0], j=[1.0], eps=[0.0])
    kinds = [
        {"instance": instance, "rule": rule, "s": s, "j": j, "eps": 0.0}
        for instance in ("clear border", "clear border, little noise")
        for s, j in KINDS
        for rule in RULES
    ]
    loose = grid(instance=["normal scores"], rule=WEAK_RULES[:2], s=[1.0], j=[1.0], eps=TOLERANCES)
    return [
        StudyPart(name=name, cells=cells, work=stop_costs, full=200, quick=10, chunk=100)
        for name, cells in (("radii", radii), ("kinds", kinds), ("loose", loose))
    ]


def _out_parts(_effort: StudyEffort) -> Sequence[StudyPart]:
    cells = [
        *grid(
            certificate=("mixture", "pairwise"), way=["rolling"], out=(1, 32, REVIEWERS * PACKET)
        ),
        *grid(certificate=["mixture"], way=["batches"], out=(32, REVIEWERS * PACKET)),
    ]
    return [StudyPart(name="out", cells=cells, work=out_at_once, full=20, quick=1, chunk=1)]


def _rows(results: Sequence[Result], *more: str) -> list[Row]:
    rows: list[Row] = []
    for cell, arrays in results:
        row: dict[str, float | int | str | bool | None] = dict(cell)
        row["runs"] = len(arrays["cost"])
        for name in ("cost", *more):
            row[name], row[f"{name}_se"] = mean_and_error(floats(arrays, name))
        row["errors"] = int(floats(arrays, "wrong").sum())
        rows.append(row)
    return rows


def _stop_finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    radii = FindingTable.of(_rows(results["radii"]))
    kinds = FindingTable.of(_rows(results["kinds"]))
    loose = FindingTable.of(_rows(results["loose"], "loss"))
    costs = {(row["instance"], row["rule"]): float(row["cost"] or 0) for row in radii.records()}
    shares = [
        f"{costs[i, 'certified, weak'] / costs[i, 'paper, weak']:.3f} and "
        f"{costs[i, 'pairwise, weak'] / costs[i, 'paper, weak']:.3f} ({i})"
        for i in SPREADS
    ]
    need, coin = (
        np.array(kinds.where(rule=f"certified, {way}").numbers("cost")) for way in ("need", "coin")
    )
    wrong = sum(int(t) for table in (radii, kinds) for t in table.numbers("errors"))
    return Finding(
        tables={"stopping": radii, "stopping-kinds": kinds, "stopping-tolerance": loose},
        figures={"stopping": _draw_radii, "stopping-kinds": _draw_kinds},
        seen=(
            "At equal δ = .05, `certified` and `pairwise` stop at these shares of the cost of "
            f"`paper`, weak pulls only: {'; '.join(shares)}. Choosing kinds by need costs "
            f"{(need / coin).min():.2f} to {(need / coin).max():.2f} of what the paper's coin "
            f"costs under the same radius. Wrong cohorts: {wrong}."
        ),
        notes=(INSTANCE_NOTE,),
    )


INSTANCE_NOTE = (
    "n = 100, K = 10. Clear border: ten utilities of 1.0 to 1.3 over ninety of 0 to .7, noise .5 "
    "or .12; normal scores: normal quantiles, noise .3. Targets: `certified` at a third or less "
    "of the cost of `paper`, `pairwise` at a quarter."
)


def _draw_radii(tables: dict[str, FindingTable]) -> Figure:
    table = tables["stopping"]
    figure, (axes,) = canvas(height=2.7)
    _bars(axes, table, list(SPREADS), "instance", WEAK_RULES)
    label(axes, title="Cost until the rule stops", x="instance", y="cost (weak pulls)")
    axes.set_yscale("log")
    axes.legend()
    return figure


def _draw_kinds(tables: dict[str, FindingTable]) -> Figure:
    table = tables["stopping-kinds"].where(instance="clear border, little noise")
    figure, (axes,) = canvas(height=2.9)
    names = [f"s {s:g}, j {j:g}" for s, j in KINDS]
    rules = ("paper, coin", *(f"certified, {way}" for way in ("weak", "strong", "coin", "need")))
    for number, rule in enumerate(rules):
        rows = [table.where(rule=rule, s=s, j=j) for s, j in KINDS]
        look = LOOKS[number]
        axes.bar(
            np.arange(len(names)) + 0.16 * (number - 2),
            [row.numbers("cost")[0] for row in rows],
            0.15,
            color=look.colour,
            hatch=("", "//", "..", "xx", "\\\\")[number],
            edgecolor="white",
            label=rule,
        )
    axes.set_xticks(range(len(names)), names)
    label(
        axes,
        title="By coin or by need (clear border, little noise)",
        x="information s and cost j of a strong pull",
        y="cost (weak pulls)",
    )
    axes.set_ylim(top=axes.get_ylim()[1] * 1.35)
    axes.legend(ncols=2, loc="upper left")
    return figure


def _bars(
    axes: Axes, table: FindingTable, groups: list[str], column: str, rules: Sequence[str]
) -> None:
    for number, rule in enumerate(rules):
        rows = [table.where(**{column: group, "rule": rule}) for group in groups]
        axes.bar(
            np.arange(len(groups)) + 0.26 * (number - 1),
            [row.numbers("cost")[0] for row in rows],
            0.25,
            yerr=[1.96 * row.numbers("cost_se")[0] for row in rows],
            color=LOOKS[number].colour,
            hatch=("", "//", "..")[number],
            edgecolor="white",
            label=rule,
        )
    axes.set_xticks(range(len(groups)), [group.replace(", ", ",\n") for group in groups])


def _out_finding(_effort: StudyEffort, results: Mapping[str, Sequence[Result]]) -> Finding:
    table = FindingTable.of(_rows(results["out"], "elapsed"))
    rows = {(r["certificate"], r["way"], r["out"]): r for r in table.records()}
    rolling, batches, single = (
        rows["mixture", way, out]
        for way, out in (("rolling", 32), ("batches", 32), ("rolling", 1))
    )
    faster = float(batches["elapsed"] or 0) / float(rolling["elapsed"] or 1)
    dearer = float(rolling["cost"] or 0) / float(batches["cost"] or 1)
    extra = float(rolling["cost"] or 0) / float(single["cost"] or 1)
    return Finding(
        tables={"asynchronous": table},
        figures={"asynchronous": _draw_out},
        seen=(
            f"With 32 requests kept out, a round ends {faster:.1f} times sooner than in whole "
            f"batches of 32, at {dearer:.2f} times their cost and {extra:.2f} times the cost of "
            "one at a time. Wrong cohorts: "
            f"{int(sum(table.numbers('errors')))}."
        ),
        notes=(OUT_NOTE,),
    )


OUT_NOTE = (
    f"Requests out: 1, 32, and {REVIEWERS} reviewers with packets of {PACKET}. Answers take a "
    "lognormal time, mean 1, spread 1; clear border, noise .5, δ = .05, reviews only. At a "
    "certificate nothing more is sent, what is out comes in, and the rule looks again."
)


def _draw_out(tables: dict[str, FindingTable]) -> Figure:
    table = tables["asynchronous"]
    figure, axes = canvas(width=FULL_PAGE, height=2.8, columns=2)
    names = [f"{r['certificate']}, {r['way']}, {r['out']}" for r in table.records()]
    for place, (column, unit) in enumerate(
        (("cost", "cost (weak pulls)"), ("elapsed", "time (mean answering times)"))
    ):
        axes[place].barh(
            range(len(names)),
            table.numbers(column),
            xerr=[1.96 * e for e in table.numbers(f"{column}_se")],
            color=LOOKS[place].colour,
        )
        axes[place].set_yticks(range(len(names)), names if place == 0 else [""] * len(names))
        axes[place].invert_yaxis()
        label(
            axes[place],
            title="Cost until the stop" if place == 0 else "Time until the stop",
            x=unit,
            y="certificate, sending, requests out" if place == 0 else "",
        )
    axes[1].set_xscale("log")
    return figure


STUDIES = (
    Study(
        name="stopping",
        group="beyond",
        title="What the certificates cost, and coin against need",
        paper="Knows one radius, with the cost in its logarithm, and one coin for strong pulls.",
        parts=_stop_parts,
        conclude=_stop_finding,
    ),
    Study(
        name="asynchronous",
        group="beyond",
        title="Many requests out at once, or whole batches",
        paper="Pulls one arm and waits; running in batches is left to its users.",
        parts=_out_parts,
        conclude=_out_finding,
    ),
)
