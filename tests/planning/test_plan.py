"""Planning: the simulated round keeps the rules' limits, and impossible rules are refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from swapflow.cli.main import main
from swapflow.domain.objective import GroupQuota, GroupTarget
from swapflow.domain.rules import DispatchMode, Floor, FloorFor, KindRules, RuleName, Rules
from swapflow.files.rules.rules_file import template
from swapflow.planning.alternatives import changes_of
from swapflow.planning.round_state import SpendingPolicy
from swapflow.planning.setting import Days, Marks, PlannedReviewer, PlanSetting
from swapflow.planning.simulated_round import RoundOutcome, simulate
from swapflow.planning.suggestions import advise
from swapflow.simulation.random_numbers import stream_of
from tests.planning.plans import SAME, planned, rules, setting


STREAM = stream_of("plan", "test")


def run(
    planned: PlanSetting, *, luck: int = 0, way: SpendingPolicy = SpendingPolicy.RULES
) -> RoundOutcome:
    return simulate(planned, STREAM, truth=0, luck=luck, way=way)


@pytest.mark.parametrize("way", list(SpendingPolicy))
def test_no_way_spends_more_than_the_budget_less_the_reserve(way: SpendingPolicy) -> None:
    wanted = rules()

    outcome = run(setting(wanted), way=way)

    assert outcome.cost <= wanted.budget - int(wanted.reserve * wanted.budget)
    assert outcome.cohort.size == 5
    assert 0 <= outcome.found <= 1


def test_floors_are_met_for_everyone_and_for_those_on_the_list() -> None:
    outcome = run(setting(rules(reviews=2, budget=6000)))

    assert outcome.asked[0] >= 2 * 40
    assert outcome.asked[1] >= 5


def test_the_same_numbers_give_the_same_round_and_other_luck_another() -> None:
    planned = setting(rules())

    first, again, other = run(planned), run(planned), run(planned, luck=1)

    assert (first.days, first.cost, first.cohort.tolist()) == (
        again.days,
        again.cost,
        again.cohort.tolist(),
    )
    assert first.days != other.days


def test_marks_without_any_noise_find_the_ideal_list() -> None:
    planned = replace(setting(rules()), marks=Marks(sigma=1e-6, between=0.1, severity=0.0))

    assert run(planned).found == 1.0


def test_marks_that_are_all_noise_find_no_more_than_chance() -> None:
    planned = replace(setting(rules()), marks=Marks(sigma=0.5, between=0.001, severity=0.0))

    found = [run(planned, luck=luck, way=SpendingPolicy.EVEN).found for luck in range(12)]

    assert np.mean(found) < 0.4


def test_a_busier_panel_takes_longer() -> None:
    few, many = setting(rules(), people=6, packet=2), setting(rules(), people=24, packet=10)

    assert run(few).days > run(many).days


def test_people_who_take_no_more_end_the_asking() -> None:
    tired = replace(setting(rules()), people=(PlannedReviewer(most=(6, 4), packet=10),) * 8)

    outcome = run(tired)

    assert outcome.asked[0] <= 48
    assert outcome.asked[1] * 2 <= 32
    assert outcome.finished


def test_lockstep_takes_longer_than_keeping_requests_out() -> None:
    rolling = rules()
    lockstep = replace(rolling, dispatch=DispatchMode.LOCKSTEP, batch=4)

    assert run(setting(lockstep)).days > run(setting(rolling)).days


def test_answers_within_the_window_and_second_tries_wait_longer() -> None:
    calm = setting(rules())
    silent = replace(calm, days=replace(calm.days, silence=0.9))

    assert run(silent).days > run(calm).days


def test_a_round_in_small_keeps_its_proportions() -> None:
    large = setting(rules(places=100, budget=80_000), applicants=1000, people=50)

    small = large.at_most(100)

    assert (small.applicants, small.places, len(small.people)) == (100, 10, 5)
    assert small.reviews_each == pytest.approx(large.reviews_each)


def test_everything_that_staff_set_is_varied_and_stays_payable() -> None:
    wanted = replace(rules(), rule=RuleName.CERTIFIED, sigma=0.16)

    found = changes_of(setting(wanted))

    assert {change[2] for change in found} == {"", "K", "σ", "s", "j", "δ", "ε", "batch"}
    assert {"budget", "reviewers", "requests out at once"} <= {change[0] for change in found}
    poor = setting(rules(budget=1600))
    assert "× 0.75" not in {change[1] for change in changes_of(poor)}


# Limits on groups, wishes, empty places, tiers


NORTH = GroupQuota(attribute="region", value="North", minimum=3)


def grouped(wanted: Rules, *, north: int = 8, **more: int) -> PlanSetting:
    """A round in which only the first applicants are North."""
    planned = setting(wanted, **more)
    region = tuple("North" if n < north else "South" for n in range(planned.applicants))
    return replace(planned, values={"region": region})


@pytest.mark.parametrize("way", list(SpendingPolicy))
def test_the_simulated_list_keeps_to_the_quotas(way: SpendingPolicy) -> None:
    wanted = replace(rules(), quotas=(NORTH,))

    free = [run(grouped(rules()), luck=luck, way=way).cohort for luck in range(3)]
    kept = [run(grouped(wanted), luck=luck, way=way).cohort for luck in range(3)]

    assert any((cohort < 8).sum() < 3 for cohort in free), "the quota changes nothing here"
    assert all((cohort < 8).sum() >= 3 for cohort in kept)
    assert all(cohort.size == 5 for cohort in kept)


def test_the_simulated_list_gives_credit_to_wishes() -> None:
    target = GroupTarget(attribute="region", value="North", number=3, worth=5.0)

    cohort = run(grouped(replace(rules(), targets=(target,)))).cohort

    assert (cohort < 8).sum() >= 3


def test_places_that_nobody_is_worth_stay_empty_in_the_simulation() -> None:
    assert run(setting(replace(rules(), fewest=2, bar=0.99))).cohort.size == 2
    assert run(setting(replace(rules(), fewest=0, bar=0.99))).found == 0.0


def test_a_round_in_small_keeps_its_quotas_and_groups_in_proportion() -> None:
    wanted = replace(
        rules(places=100, budget=80_000),
        quotas=(replace(NORTH, minimum=40, maximum=60),),
        fewest=90,
    )

    small = grouped(wanted, north=300, applicants=1000, people=50).at_most(100)

    assert small.values["region"].count("North") == 30
    (quota,) = small.rules.quotas
    assert (quota.minimum, quota.maximum, small.rules.fewest) == (4, 6, 9)


def tiers(*, after: int = 2) -> Rules:
    """Screens, reviews after a screen, panels after two reviews."""
    screen = KindRules(name="screen", cost=5, gain=1.0, maximum=1)
    review = KindRules(name="review", cost=20, gain=4.0, maximum=3, requires="screen")
    panel = KindRules(
        name="panel",
        cost=60,
        gain=12.0,
        maximum=1,
        seats=2,
        quorum=2,
        requires="review",
        requires_count=after,
    )
    return replace(
        rules(),
        kinds=(screen, review, panel),
        rubrics=(),
        floors=(
            Floor(kind="screen", count=1),
            Floor(kind="panel", count=1, who=FloorFor.CHOSEN),
        ),
        budget=1600,
        reserve=0.0,
        settled=0.0,
    )


def in_tiers(wanted: Rules) -> PlanSetting:
    planned = setting(wanted, people=12)
    return replace(planned, days=Days(median=(3.0, 6.0, 9.0)))


@pytest.mark.parametrize("way", [SpendingPolicy.RULES, SpendingPolicy.TWO_TIER])
def test_a_tier_begins_only_after_the_one_before_it(way: SpendingPolicy) -> None:
    for luck in range(3):
        outcome = run(in_tiers(tiers()), luck=luck, way=way)

        assert outcome.asked[0] == 40
        assert outcome.asked[2] >= 5
        assert outcome.asked[1] >= 2 * outcome.asked[2]
        assert outcome.cost <= 1600
        assert outcome.days > 3.0


def test_a_tier_that_can_never_begin_is_not_begun() -> None:
    outcome = run(in_tiers(tiers(after=4)))

    assert outcome.asked[2] == 0


# Advice


BETTER = [0.70, 0.72, 0.71, 0.73]
WORSE = [0.50, 0.52, 0.51, 0.53]


def test_another_way_is_recommended_only_when_it_is_shown_to_find_more() -> None:
    shown = advise(planned(BETTER, SAME, SAME))
    not_shown = advise(planned(SAME, SAME, SAME))

    assert any(one.title == "Consider another way: way/even" for one in shown)
    assert any(one.title == "Keep the way these rules choose" for one in not_shown)


def test_interviews_are_kept_dropped_or_left_open_as_the_rounds_show() -> None:
    titles = [
        next(one.title for one in advise(planned(SAME, alone, SAME)) if "interview" in one.title)
        for alone in (WORSE, BETTER, SAME)
    ]

    assert titles[0] == "Keep the interviews"
    assert titles[1].startswith("Spend the budget on reviews instead of interviews")
    assert "no difference that shows" in titles[2]


def test_more_money_is_asked_for_only_when_it_is_shown_to_help() -> None:
    helps = [one.title for one in advise(planned(SAME, SAME, BETTER))]
    unclear = [one.title for one in advise(planned(SAME, SAME, [0.4, 0.9, 0.5, 0.8]))]

    assert "If there is money left anywhere, put it here" in helps
    assert "Whether more money would help, these rounds do not show" in unclear


def test_a_deadline_that_is_missed_comes_first() -> None:
    first = advise(planned(SAME, SAME, SAME), days_left=20.0)[0]

    assert first.title.startswith("Move the deadline")


# The command


def write(folder: Path, text: str) -> Path:
    path = folder / "cycle.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(capsys: pytest.CaptureFixture[str], *arguments: "str | Path") -> str:
    code = main(["plan", *map(str, arguments)])
    said = capsys.readouterr()
    assert code == 2
    assert said.out == ""
    assert "Traceback" not in said.err
    return said.err


BASE = template("admissions", places=6, budget=6000, reviews=1)


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        (BASE, ["--applicants", "500"], "which is not one for each of 500 applicants (10000)"),
        (BASE, ["--applicants", "6"], "6 places for 6 applicants leave nothing to decide"),
        (
            BASE.replace("gain = 6", "gain = 0.5"),
            ["--applicants", "60"],
            "one interview is said to tell less than one review (gain 0.5)",
        ),
        (
            BASE.replace("delta = 0.05", "delta = 1.5"),
            ["--applicants", "60"],
            "delta is the probability with which the promise may fail, so it lies between 0 and 1",
        ),
        (
            BASE.replace("delta = 0.05", "delta = 0.0"),
            ["--applicants", "60"],
            "delta is the probability with which the promise may fail, so it lies between 0 and 1",
        ),
        (
            BASE,
            ["--applicants", "60", "--reviewers", "9", "--interviewers", "0"],
            "no reviewer takes 'interview'",
        ),
        (BASE, ["--applicants", "60", "--spread", "900"], "is no spread on a scale of 100"),
        (BASE, ["--applicants", "60", "--days", "panel=3"], "one of the rules"),
        (BASE, ["--applicants", "60", "--start", "soon"], "is no date"),
        (BASE, ["--applicants", "none.csv"], "cannot be read"),
    ],
)
def test_what_is_impossible_gets_one_clear_sentence(
    text: str,
    options: "list[str]",
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = refused(capsys, write(tmp_path, text), *options)

    assert said.count(sentence) == 1
    assert "simulated" not in said


def test_a_roster_without_interviewers_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("reviewer_id,capacity:review\nR1,\nR2,\nR3,5\n", encoding="utf-8")

    said = refused(capsys, write(tmp_path, BASE), "--applicants", "60", "--reviewers", roster)

    assert "no reviewer takes 'interview'" in said


def test_a_tiny_round_is_planned_from_files_and_last_year(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cycle = write(tmp_path, template("admissions", places=3, budget=1600, reviews=1))
    people = tmp_path / "people.csv"
    people.write_text(
        "external_id\n" + "".join(f"P{number}\n" for number in range(20)), encoding="utf-8"
    )
    roster = tmp_path / "roster.csv"
    roster.write_text(
        "reviewer_id,capacity:review,capacity:interview\n"
        + "".join(f"R{number},,{2 if number < 4 else 0}\n" for number in range(7)),
        encoding="utf-8",
    )
    last = tmp_path / "past.json"
    interval = {"value": 0.2, "low": 0.1, "high": 0.3}
    last.write_text(
        json.dumps(
            {
                "kinds": [{"noise": interval, "severity": None, "level": 0.6}],
                "between": {**interval, "value": 0.1},
            }
        ),
        encoding="utf-8",
    )
    page = tmp_path / "plan.html"

    code = main(
        [
            *("plan", str(cycle), "--applicants", str(people), "--reviewers", str(roster)),
            *("--past", str(last), "--runs", "4", "--processes", "1", "--quick"),
            *("--report", str(page), "--json"),
        ]
    )

    said = capsys.readouterr()
    assert code == 0
    content = json.loads(said.out)
    assert content["marks"]["sigma"] == 0.2
    assert content["marks"]["between"] == 0.1
    assert (content["applicants"], content["reviewers"], content["places"]) == (20, 7, 3)
    assert content["recommendations"]
    assert any("reviewers" in note for note in content["assumed"])
    for way in content["ways"]:
        for figure in ("found", "days", "cost", "overlap", "sufficed"):
            assert way[figure]["low"] <= way[figure]["value"] <= way[figure]["high"]
    assert "planning 20 applicants" in said.err
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def plain(capsys: pytest.CaptureFixture[str], *arguments: "str | Path") -> dict[str, object]:
    code = main(["plan", *map(str, arguments), "--quick", "--runs", "4", "--json"])
    said = capsys.readouterr()
    assert code == 0, said.err
    content: dict[str, object] = json.loads(said.out)
    return content


def test_limits_on_groups_are_kept_to_with_a_file_and_else_said_to_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = template("admissions", places=3, budget=1400, reviews=1)
    cycle = write(
        tmp_path, text + '\n[[quotas]]\nattribute = "region"\nvalue = "North"\nminimum = 1\n'
    )
    people = tmp_path / "people.csv"
    rows = [f"A{n},{'North' if n < 4 else 'South'}" for n in range(20)]
    people.write_text("\n".join(["id,region", *rows]) + "\n", encoding="utf-8")
    common = (cycle, "--reviewers", "6", "--processes", "1", "--report", tmp_path / "p.html")

    real = plain(capsys, "--applicants", people, *common)
    invented = plain(capsys, "--applicants", "20", *common)

    assert "region = North" not in json.dumps(real["assumed"])
    assert "limits and wishes for region = North are left out" in json.dumps(invented["assumed"])
    assert "region = North" in (tmp_path / "p.html").read_text(encoding="utf-8")
