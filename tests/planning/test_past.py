"""What a past round tells: known truth is recovered, and what cannot be known is said."""

import csv
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize

from swapflow.bandit.estimation.severity import components
from swapflow.bandit.situation import FloatArray, IntArray, Scores
from swapflow.cli.main import main
from swapflow.files.rules.rules_file import read_rules


ROOT = Path(__file__).parents[2]
DATA = (ROOT / os.environ.get("SWAPFLOW_DATA", "../shared/data")).resolve()


def data(name: str) -> Path:
    path = DATA / name
    if not path.is_dir():
        pytest.skip(f"needs {name} in the data folder (SWAPFLOW_DATA)")
    return path


def crossed(
    *, arms: int, reviewers: int, each: int, spreads: tuple[float, float, float], seed: int
) -> Scores:
    """Draw marks of a crossed model: spreads of arms, reviewers and noise."""
    rng = np.random.default_rng(seed)
    arm = np.repeat(np.arange(arms), each)
    reviewer = np.concatenate(
        [rng.choice(reviewers, size=each, replace=False) for _ in range(arms)]
    )
    mark = (
        0.5
        + spreads[0] * rng.standard_normal(arms)[arm]
        + spreads[1] * rng.standard_normal(reviewers)[reviewer]
        + spreads[2] * rng.standard_normal(arm.size)
    )
    return Scores(
        arm=arm.astype(np.int64),
        reviewer=reviewer.astype(np.int64),
        kind=np.zeros(arm.size, dtype=np.int64),
        mark=mark,
    )


def literal_deviance(scores: Scores, variances: tuple[float, float, float]) -> float:
    """Minus twice the restricted log likelihood, from the whole covariance matrix of the marks."""
    same_arm = scores.arm[:, None] == scores.arm[None, :]
    same_reviewer = scores.reviewer[:, None] == scores.reviewer[None, :]
    covariance = variances[0] * same_arm + variances[1] * same_reviewer
    covariance = covariance + variances[2] * np.eye(scores.mark.size)
    ones = np.ones(scores.mark.size)
    solved = np.linalg.solve(covariance, np.stack([ones, scores.mark], axis=1))
    weight = ones @ solved[:, 0]
    mean = ones @ solved[:, 1] / weight
    left = scores.mark - mean
    return float(
        np.linalg.slogdet(covariance)[1]
        + np.log(weight)
        + left @ np.linalg.solve(covariance, left)
    )


@pytest.mark.parametrize(("arms", "reviewers"), [(40, 12), (12, 40)])
def test_the_components_are_the_maximum_of_the_likelihood_written_out(
    arms: int, reviewers: int
) -> None:
    scores = crossed(arms=arms, reviewers=reviewers, each=5, spreads=(0.12, 0.06, 0.15), seed=arms)

    found = components(scores, intervals=False)

    assert found.severity[0] is not None
    best = np.array([found.utility.value, found.severity[0].value, found.noise[0].value]) ** 2
    lowest = literal_deviance(scores, tuple(best))
    assert lowest == pytest.approx(-2 * found.likelihood, abs=1e-6)
    for place in range(3):
        for factor in (0.9, 1.1):
            moved = best.copy()
            moved[place] *= factor
            assert literal_deviance(scores, tuple(moved)) > lowest


def test_the_ends_of_a_profile_interval_are_where_the_likelihood_has_fallen() -> None:
    scores = crossed(arms=30, reviewers=10, each=4, spreads=(0.12, 0.08, 0.15), seed=4)

    found = components(scores)

    assert found.severity[0] is not None
    for end in (found.severity[0].low, found.severity[0].high):
        held = end**2

        def deviance(logs: FloatArray, held: float = held) -> float:
            return literal_deviance(scores, (np.exp(logs[0]), held, np.exp(logs[1])))

        profile = minimize(deviance, np.log([0.0144, 0.0225]), method="Nelder-Mead").fun
        assert profile + 2 * found.likelihood == pytest.approx(stats.chi2.ppf(0.95, 1), abs=0.1)


@pytest.mark.slow
def test_95_percent_intervals_hold_the_truth_in_about_95_of_100_rounds() -> None:
    spreads = (0.12, 0.06, 0.15)
    hits = np.zeros(3)
    for seed in range(60):
        scores = crossed(arms=60, reviewers=15, each=4, spreads=spreads, seed=seed)
        found = components(scores)
        assert found.severity[0] is not None
        for place, spread in enumerate((found.utility, found.severity[0], found.noise[0])):
            hits[place] += spread.low <= spreads[place] <= spread.high

    assert (hits >= 52).all(), hits


def test_a_severity_from_few_marks_is_shrunk_more_than_one_from_many() -> None:
    scores = crossed(arms=200, reviewers=20, each=3, spreads=(0.1, 0.1, 0.15), seed=1)
    lone = Scores(
        arm=np.append(scores.arm, 0),
        reviewer=np.append(scores.reviewer, 20),
        kind=np.append(scores.kind, 0),
        mark=np.append(scores.mark, 1.0),
    )

    effects = components(lone, intervals=False).effects[0]

    assert effects is not None
    assert effects.count[20] == 1
    assert effects.error[20] > 1.5 * effects.error[:20].max()


def test_marks_without_any_repeat_are_refused_by_the_model() -> None:
    once: IntArray = np.arange(5)
    scores = Scores(
        arm=once, reviewer=once - 10, kind=np.zeros(5, dtype=np.int64), mark=np.ones(5)
    )

    with pytest.raises(ValueError, match="no arm has two marks"):
        components(scores)


# The command


def write(path: Path, header: str, rows: "list[str]") -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def past(
    capsys: pytest.CaptureFixture[str], *arguments: "str | Path"
) -> "tuple[int, dict[str, dict[str, float]], dict[str, object]]":
    """Run the command; gives code, figures by name, and all of the JSON."""
    code = main(["study", "past", *map(str, arguments), "--json"])
    content = json.loads(capsys.readouterr().out)
    return code, {f["name"]: f["interval"] for f in content["figures"]}, content


def invented(folder: Path, *, seed: int = 0) -> tuple[Path, Path]:
    """A round with known truth: between .12, reviewers .06, noise .15; interviews worth 4.

    An interview's spread, without severity, is half the total spread of a review.
    """
    rng = np.random.default_rng(seed)
    utility = rng.normal(0.5, 0.12, 600)
    severity = rng.normal(0, 0.06, 40)
    half = np.sqrt(0.15**2 + 0.06**2) / 2
    rows = []
    for item in range(600):
        for reviewer in rng.choice(40, size=3, replace=False):
            mark = utility[item] + severity[reviewer] + rng.normal(0, 0.15)
            rows.append(
                f"A{item},R{reviewer},review,{mark:.4f},{rng.gamma(4, 5):.1f},"
                f"{rng.lognormal(1.2, 0.6):.2f}"
            )
        if item % 2 == 0:
            mark = utility[item] + rng.normal(0, half)
            rows.append(f"A{item},,interview,{mark:.4f},{rng.gamma(40, 2):.1f},")
    scores = write(folder / "scores.csv", "applicant,reviewer,kind,mark,minutes,days", rows)
    items = write(
        folder / "items.csv",
        "applicant,accepted",
        [f"A{item},{int(utility[item] > 0.65)}" for item in range(600)],
    )
    return scores, items


def unknown_of(content: Mapping[str, object]) -> list[dict[str, str]]:
    listed = content["unknown"]
    assert isinstance(listed, list)
    return listed


def test_known_spreads_worth_and_cost_are_recovered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores, items = invented(tmp_path)
    out = tmp_path / "rules.toml"

    code, figures, content = past(capsys, scores, items, "--scale", "-1..2", "--rules", out)

    assert code == 0
    assert 3 * figures["spread_review"]["value"] == pytest.approx(np.hypot(0.15, 0.06), rel=0.05)
    assert 3 * figures["between"]["value"] == pytest.approx(0.12, rel=0.1)
    assert 3 * figures["severity_review"]["value"] == pytest.approx(0.06, rel=0.35)
    assert figures["gain_interview"]["low"] < 4 < figures["gain_interview"]["high"]
    assert figures["minutes_review"]["value"] == pytest.approx(20, rel=0.05)
    assert figures["cost_interview"]["low"] < 4 < figures["cost_interview"]["high"]
    rules = read_rules(out)
    assert rules.sigma == pytest.approx(0.05, rel=0.05)
    assert rules.cohort_size == content["accepted"]
    assert rules.kinds[1].gain == pytest.approx(figures["gain_interview"]["value"], abs=0.06)
    (assumed,) = [u for u in unknown_of(content) if u["name"].startswith("generosity of")]
    assert assumed["name"] == "generosity of interviews against reviews"
    assert "is an assumption" in assumed["reason"]
    assert rules.kinds[0].cost == 20


def test_every_figure_has_an_interval_around_it_and_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores, items = invented(tmp_path)

    _, figures, content = past(capsys, scores, items, "--scale", "-1..2")

    assert {"icc", "alpha", "severity_review"} <= figures.keys()
    for figure in figures.values():
        assert figure["low"] <= figure["value"] <= figure["high"]
    assert isinstance(content["figures"], list)
    assert all(len(figure["meaning"].split()) > 5 for figure in content["figures"])


def test_one_score_an_applicant_says_what_cannot_be_known_and_invents_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(2)
    scores = write(
        tmp_path / "scores.csv",
        "applicant,mark",
        [f"A{item},{rng.integers(1, 6)}" for item in range(50)],
    )
    items = write(tmp_path / "items.csv", "applicant", [f"A{item}" for item in range(50)])
    out = tmp_path / "rules.toml"

    code, figures, content = past(capsys, scores, items, "--scale", "1..5", "--rules", out)

    assert code == 0
    assert figures == {}
    assert content["between"] is None
    assert content["agreement"] is None
    assert isinstance(content["unknown"], list)
    names = [unknown["name"] for unknown in content["unknown"]]
    assert "spread of marks of one applicant" in names
    assert "severity of reviews" in names
    assert read_rules(out).sigma is None


def test_a_handful_of_second_scores_is_not_enough(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"A{item},{1 + item % 5}" for item in range(50)]
    rows += [f"A{item},3" for item in range(4)]
    scores = write(tmp_path / "scores.csv", "applicant,mark", rows)
    items = write(tmp_path / "items.csv", "applicant", [f"A{item}" for item in range(50)])

    assert main(["study", "past", str(scores), str(items), "--scale", "1..5"]) == 0

    text = capsys.readouterr().out
    assert "only 4 second reviews of the same applicant" in text
    assert "95 % interval" not in text


def test_equal_marks_show_no_spread_and_break_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"A{item},R{reviewer},3" for item in range(20) for reviewer in range(3)]
    scores = write(tmp_path / "scores.csv", "applicant,reviewer,mark", rows)
    items = write(tmp_path / "items.csv", "applicant", [f"A{item}" for item in range(20)])

    code, figures, content = past(capsys, scores, items, "--scale", "1..5")

    assert code == 0
    assert figures == {}
    assert "every review has the same mark" in str(content["unknown"])


def test_bad_rows_are_named_by_line_and_nothing_is_estimated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = write(
        tmp_path / "scores.csv",
        "applicant,reviewer,mark",
        ["A1,R1,3", "A1,R1,4", "A2,R1,nine", "A9,R1,2", "A2,R2,7", "A2,R3,n/a"],
    )
    items = write(tmp_path / "items.csv", "applicant", ["A1", "A2"])

    code = main(["study", "past", str(scores), str(items), "--scale", "1..5"])

    said = capsys.readouterr()
    assert code == 2
    assert said.out == ""
    for line, word in ((3, "line 2"), (4, "no number"), (5, "no such id"), (6, "outside")):
        found = next(row for row in said.err.splitlines() if f"line {line}," in row)
        assert word in found
    assert "line 7" not in said.err


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ([], "state the worst and the best possible score"),
        (["--scale", "5"], "is no scale"),
        (["--scale", "1..5", "--only", "year=2021"], "no column 'year'"),
        (["--scale", "1..5", "--minutes", "panel=30"], "no 'panel'"),
        (["--scale", "1..5", "--minutes", "review=-3"], "no time"),
        (["--scale", "1..5", "--column", "mark=rank"], "mapping"),
    ],
)
def test_options_that_do_not_fit_are_refused_with_a_cure(
    options: "list[str]", word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = write(tmp_path / "scores.csv", "applicant,mark", ["A1,3", "A1,4"])
    items = write(tmp_path / "items.csv", "applicant", ["A1"])

    code = main(["study", "past", str(scores), str(items), *options])

    assert code == 2
    assert word in capsys.readouterr().err


# Real data


@pytest.mark.data
@pytest.mark.parametrize(("year", "sigma"), [("2021", 0.127), ("2022", 0.151)])
def test_sigma_of_recorded_conferences_is_recovered(
    year: str, sigma: float, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = data("iclr_prev")

    _, figures, _ = past(
        capsys,
        folder / "scores.csv",
        folder / "items.csv",
        "--scale",
        "1..10",
        "--only",
        f"year={year}",
    )

    assert figures["spread_review"]["value"] == pytest.approx(sigma, abs=0.003)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "scale", "severity"),
    [("evolang2018", "0..3", 0.058), ("skating", "0..10", 0.014), ("insteval", "1..5", 0.082)],
)
def test_reviewer_variance_of_recorded_panels_is_recovered(
    name: str, scale: str, severity: float, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = data(name)

    _, figures, _ = past(capsys, folder / "scores.csv", folder / "items.csv", "--scale", scale)

    found = figures["severity_review"]["value"] ** 2
    assert found == pytest.approx(severity**2, rel=0.1)


@pytest.mark.data
def test_73_thousand_scores_take_seconds() -> None:
    with (data("insteval") / "scores.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    items = {name: i for i, name in enumerate(dict.fromkeys(r["item_id"] for r in rows))}
    people = {name: i for i, name in enumerate(dict.fromkeys(r["reviewer_id"] for r in rows))}
    scores = Scores(
        arm=np.array([items[r["item_id"]] for r in rows]),
        reviewer=np.array([people[r["reviewer_id"]] for r in rows]),
        kind=np.zeros(len(rows), dtype=np.int64),
        mark=np.array([(float(r["score"]) - 1) / 4 for r in rows]),
    )
    started = time.process_time()

    components(scores)

    assert len(rows) > 70_000
    assert time.process_time() - started < 60
