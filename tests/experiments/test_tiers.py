"""Tiered interviewing: CACO and BRUTaS do as said, and the study draws what it found."""

import itertools
import math
from collections.abc import Mapping

import numpy as np
import pytest

from swapflow.bandit.oracles.oracle import Diverse, TopK
from swapflow.bandit.situation import FloatArray, PullKind
from swapflow.errors import InvalidInputError
from swapflow.experiments.admissions import tiered_interviews
from swapflow.experiments.admissions.tiered_rounds import SETTINGS, screened_twin
from swapflow.experiments.admissions.tiered_stopping import until_it_stops
from swapflow.experiments.budgeted_sampler import BudgetedSampler
from swapflow.experiments.figures import house_style
from swapflow.experiments.strategies import budget_rule
from swapflow.experiments.study import StudyEffort
from swapflow.experiments.tiered_strategies import (
    Ahead,
    Brutas,
    Caco,
    InOrder,
    RandomTiers,
    UniformTiers,
    phases,
)
from swapflow.simulation.random_numbers import stream_of
from swapflow.simulation.score_sources import Gaussian


KINDS = (
    PullKind(cost=1.0, gain=1.0),
    PullKind(cost=3.0, gain=4.0),
    PullKind(cost=6.0, gain=15.0),
)
STREAM = stream_of("tests of tiers")
CUTS = (8, 5, 3)


def gaussian(run: int, *, n: int = 14, sigma: float = 0.4) -> Gaussian:
    truth = STREAM.normals(run, np.arange(n), 0, 9)
    return Gaussian(truth=truth, kinds=KINDS, sigma=sigma, stream=STREAM, run=run)


def boxed_caco(
    source: Gaussian, *, delta: float, eps: float, by_means: bool
) -> tuple[set[int], float]:
    """CACO once more, applicant by applicant, in plain Python."""
    left = list(range(source.truth.size))
    information = dict.fromkeys(left, 0.0)
    total = dict.fromkeys(left, 0.0)
    cost = 0.0

    def top(value: dict[int, float], k: int) -> set[int]:
        return set(sorted(value, key=lambda arm: (-value[arm], arm))[:k])

    for kind, cut in enumerate(CUTS):
        given = dict.fromkeys(left, 0)

        def pull(arm: int, kind: int = kind, given: dict[int, int] = given) -> None:
            nonlocal cost
            address = (np.array([part]) for part in (arm, kind, given[arm]))
            total[arm] += KINDS[kind].gain * float(source.marks(*address)[0])
            information[arm] += KINDS[kind].gain
            given[arm] += 1
            cost += KINDS[kind].cost

        for arm in left:
            pull(arm)
        while True:
            mean = {arm: total[arm] / information[arm] for arm in left}
            inside = top(mean, cut)
            log = 2 * math.log(4 * len(left) * cost**3 / delta)
            radius = {arm: source.sigma * math.sqrt(log / information[arm]) for arm in left}
            worst = {a: mean[a] - radius[a] if a in inside else mean[a] + radius[a] for a in left}
            rival = top(worst, cut)
            value = mean if by_means else worst
            if abs(sum(value[a] for a in rival) - sum(value[a] for a in inside)) <= eps:
                break
            pull(max(sorted(inside ^ rival), key=radius.__getitem__))
        left = sorted(inside)
    return set(left), cost


@pytest.mark.parametrize("by_means", [False, True])
def test_caco_takes_the_steps_of_its_box(by_means: bool) -> None:
    for run in range(4):
        source = gaussian(run)
        cohort, cost = boxed_caco(source, delta=0.2, eps=0.6, by_means=by_means)
        sampler = BudgetedSampler(Ahead(source), budget=1e6)
        rule = Caco(cuts=CUTS, sigma=source.sigma, delta=0.2, tolerance=0.6, by_means=by_means)
        chosen = rule.spend(sampler, TopK(3), np.random.default_rng(0))
        assert set(chosen.tolist()) == cohort
        assert sampler.spent == pytest.approx(cost)


def test_caco_misses_no_more_than_its_tolerances_in_these_runs() -> None:
    for run in range(8):
        sampler = BudgetedSampler(Ahead(gaussian(run)), budget=1e6)
        rule = Caco(cuts=CUTS, sigma=0.4, delta=0.1, tolerance=0.3)
        cohort = rule.spend(sampler, TopK(3), np.random.default_rng(0))
        assert np.sort(sampler.source.truth)[-3:].sum() - sampler.source.truth[cohort].sum() <= 0.9


def test_caco_out_of_budget_still_names_a_whole_cohort() -> None:
    sampler = BudgetedSampler(gaussian(1), budget=20.0)
    cohort = Caco(cuts=CUTS, sigma=0.4, delta=0.1).spend(
        sampler, TopK(3), np.random.default_rng(0)
    )
    assert cohort.size == 3
    assert sampler.spent <= 20


def test_phases_of_brutas_keep_the_budget_and_leave_little_of_it() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        undecided = int(rng.integers(2, 60))
        decisions = int(rng.integers(1, undecided + 1))
        marks = int(rng.integers(undecided, 40 * undecided))
        each = int(rng.choice([1, 4, 10**9]))
        given = phases(undecided=undecided, decisions=decisions, marks=marks, each=each)
        present = undecided - np.arange(decisions)
        used = int((np.diff(given, prepend=0) * present).sum())
        assert given[0] >= 1
        assert np.all(np.diff(given) >= 0)
        assert given.max() <= each
        assert used <= marks
        # One mark more in some phase would pass it, unless nobody can be given more.
        assert each == given.max() or marks - used <= 2 * undecided * decisions


def test_phases_of_a_tier_that_decides_all_are_those_of_csar() -> None:
    n, marks = 12, 400
    given = phases(undecided=n, decisions=n, marks=marks, each=10**9)
    harmonic = sum(1 / k for k in range(1, n + 1))
    published = [math.ceil((marks - n) / (harmonic * (n - t))) for t in range(n)]
    assert given == pytest.approx(published, abs=3)
    assert all(own >= theirs for own, theirs in zip(given, published, strict=True))


@pytest.mark.parametrize("make", [Brutas, UniformTiers, RandomTiers])
@pytest.mark.parametrize("budget", [9.0, 30.0, 120.0])
def test_tiers_keep_budget_and_cuts(make: type[Brutas], budget: float) -> None:
    for run in range(5):
        sampler = BudgetedSampler(gaussian(run), budget=budget)
        strategy = make(cuts=CUTS, shares=(0.4, 0.3, 0.3))
        cohort = strategy.spend(sampler, TopK(3), np.random.default_rng(run))
        assert len(set(cohort.tolist())) == 3
        assert sampler.spent <= budget + 1e-9
        reached = (sampler.asked > 0).sum(axis=0)
        assert reached[1] <= CUTS[0]
        assert reached[2] <= CUTS[1]


def test_brutas_gives_accepted_and_rejected_applicants_nothing_more() -> None:
    source = Gaussian(
        truth=np.array([9.0, 0.1, 0.0, -0.1, -9.0]),
        kinds=KINDS[:2],
        sigma=0.01,
        stream=STREAM,
        run=0,
    )
    sampler = BudgetedSampler(source, budget=100.0)
    cohort = Brutas(cuts=(3, 2), shares=(0.5, 0.5)).spend(
        sampler, TopK(2), np.random.default_rng(0)
    )
    assert cohort.tolist() == [0, 1]
    assert sampler.asked[[0, 4], 1].tolist() == [0, 0]
    assert (sampler.asked[[1, 2, 3], 1] > 0).all()


def test_in_order_gives_no_later_kind_without_the_one_before() -> None:
    sampler = BudgetedSampler(gaussian(2), budget=150.0)
    strategy = InOrder(strategy=budget_rule())
    cohort = strategy.spend(sampler, TopK(3), np.random.default_rng(0))
    assert cohort.size == 3
    assert 100 < sampler.spent <= 150
    assert sampler.asked[:, 2].any()
    assert (sampler.asked[:, 1][sampler.asked[:, 2] > 0] > 0).all()


def test_marks_drawn_ahead_are_the_same_marks() -> None:
    source = gaussian(4)
    ahead = Ahead(source)
    for arm, kind, ordinal in itertools.product((0, 13), (0, 2), (3, 40)):
        address = tuple(np.array([part]) for part in (arm, kind, ordinal))
        assert ahead.marks(*address) == source.marks(*address)


@pytest.mark.parametrize("cuts", [(8, 5), (8, 8, 3), (14, 5, 3), (8, 5, 4)])
def test_cuts_that_do_not_fall_to_the_places_are_refused(cuts: tuple[int, ...]) -> None:
    rule = Caco(cuts=cuts, sigma=0.4, delta=0.1)
    with pytest.raises(InvalidInputError, match="one cut for each kind"):
        rule.spend(BudgetedSampler(gaussian(0), budget=1e3), TopK(3), np.random.default_rng(0))


def test_another_objective_than_top_k_is_refused() -> None:
    rule = UniformTiers(cuts=CUTS, shares=(1.0, 1.0, 1.0))
    with pytest.raises(InvalidInputError, match="top-k"):
        rule.spend(
            BudgetedSampler(gaussian(0), budget=1e3),
            Diverse(3, np.arange(14) % 2),
            np.random.default_rng(0),
        )


def spread(table: FloatArray, truth: FloatArray) -> float:
    return float((table - truth[:, None]).std())


def test_the_screened_twin_has_a_screen_that_tells_a_quarter_of_a_review() -> None:
    drawn = screened_twin(np.random.default_rng(1))
    screen, review, interview = (spread(table, drawn.truth) for table in drawn.tables)
    assert drawn.limits[0].tolist() == [1, 3, 1]
    # The form's coarse marks and reviewers' severity add to both; so less than a factor of 2.
    assert 1.5 < screen / review < 2.0
    assert interview < review / 2
    assert not np.any(drawn.judges[0] == drawn.judges[1])


def test_certified_stops_far_below_caco_on_the_same_draws() -> None:
    cell: dict[str, str | float] = {"tiers": "two tiers", "eps": 0.3, "delta": 0.3}
    cost = {
        rule: until_it_stops("t/stop/0", {**cell, "rule": rule}, range(3))
        for rule in ("CACO", "certified")
    }
    assert cost["certified"]["stopped"].all()
    assert cost["certified"]["cost"].mean() < 0.5 * cost["CACO"]["cost"].mean()


def wanted(cell: Mapping[str, object]) -> bool:
    """Whether a cell is quick enough for a test: three tiers of the normal, two of CACO."""
    if "rule" in cell:
        return cell["tiers"] == "two tiers"
    return cell["setting"] == "normal utilities, three tiers" and cell["budget"] == 2.0


def test_the_study_draws_what_it_found() -> None:
    study = tiered_interviews.STUDIES[0]
    results = {
        part.name: [
            (cell, part.work(f"tiers/{part.name}/0", cell, range(2)))
            for cell in part.cells
            if wanted(cell)
        ]
        for part in study.parts(StudyEffort())
    }
    finding = study.conclude(StudyEffort(), results)
    budgets = finding.tables["tiers-budgets"]
    assert budgets.column("strategy") == [
        *tiered_interviews.TIERED,
        tiered_interviews.ORDERED,
        tiered_interviews.FREE,
    ]
    assert all(0.9 < spent <= 1 for spent in budgets.numbers("spent"))
    assert len(finding.tables["tiers-allocations"].rows) == 3 * 9 + 2
    assert "BRUTaS loses more in" in finding.seen
    rounded = {name: table.rounded() for name, table in finding.tables.items()}
    with house_style():
        stops = finding.figures["tiers-stop"](rounded).axes[0]
        losses = finding.figures["tiers-budgets"](rounded).axes
    assert [axes.get_title(loc="left") for axes in losses] == [
        name.capitalize() for name in SETTINGS
    ]
    drawn = [float(bars[0].get_ydata()[0]) for bars in stops.containers]
    assert drawn == rounded["tiers-stop"].numbers("cost")
