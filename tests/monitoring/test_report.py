"""A monitoring report tells the record's sums, shows no small cell, and nothing decides by it."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from swapflow.domain.people.application import NewApplication
from swapflow.domain.rules import DispatchMode
from swapflow.errors import InvalidInputError
from swapflow.files.exports.monitoring_report import (
    as_plain,
    report_sheets,
    write_ll144,
    write_report,
)
from swapflow.files.exports.writers import Format
from swapflow.monitoring.report import Monitoring, Report
from swapflow.simulation.replay import decisions_digest
from tests.engine.cycle_by_hand import (
    CYCLE,
    INTERVIEW,
    REVIEW,
    World,
    applicant,
    marks,
    reviewer,
    rules,
)


SETTINGS = rules(
    kinds=(REVIEW, INTERVIEW),
    dispatch=DispatchMode.LOCKSTEP,
    budget=110,
    batch=8,
    max_applicants=500,
    packet=1000,
)
ROSTER = [
    reviewer(f"R{number}", capacity={"review": None, "interview": None}) for number in range(6)
]


def rows(*, flipped: bool = False) -> list[NewApplication]:
    """Forty applicants who declared a sex, and most of them a race."""
    made = []
    for number in range(40):
        sex = "f" if (number % 5 < 2) != flipped else "m"
        race = ("", "x", "y", "z")[number % 4] if not flipped else "z"
        declared = {"sex": sex} | ({"race": race} if race else {})
        made.append(applicant(f"A{number:03d}", monitor=declared))
    return made


def played(applications: Sequence[NewApplication]) -> World:
    world = World(rules=SETTINGS, applications=applications, roster=ROSTER)
    world.run(marks)
    return world


def finalized(applications: Sequence[NewApplication]) -> World:
    world = played(applications)
    if world.cycle.status.value not in {"ended", "proposed"}:
        world.product.cycles.stop(CYCLE, by="ops", reason="enough")
    world.product.cohort.finalize(CYCLE, by="chair")
    return world


def report_of(world: World, *crossed: str, whole: bool = False) -> Report:
    monitoring = Monitoring(world.ledger.monitoring(), world.ledger)
    return monitoring.report(CYCLE, crossed=crossed, whole=whole)


@pytest.fixture(scope="module")
def world() -> World:
    return finalized(rows())


def facts(played: World) -> list[tuple[object, ...]]:
    """The events without the rows that they carry, whose times and salts differ each time."""
    return [
        (e.type, {k: v for k, v in e.payload.items() if k not in {"rows", "sealed"}}, e.deltas)
        for e in played.events()
    ]


@pytest.mark.long
def test_flipping_what_everybody_declared_changes_no_byte_of_decisions_and_cohort() -> None:
    one, other = played(rows()), played(rows(flipped=True))
    assert decisions_digest(one.product, CYCLE) == decisions_digest(other.product, CYCLE)
    assert one.cohort() == other.cohort()
    assert [e.position.hash for e in one.events()] != []
    assert facts(one) == facts(other)


def test_everybody_is_in_one_group_or_unknown_at_each_table(world: World) -> None:
    made = report_of(world, "sex", "race", whole=True)
    assert [g.attributes for g in made.groupings] == [("race",), ("sex",), ("race", "sex")]
    for grouping in made.groupings:
        assert grouping.selection is not None
        assert grouping.selection.unknown is not None
        total = sum(row.tally.all for row in grouping.selection.rows)
        assert total + grouping.selection.unknown.all == made.people == 40
        assert sum(row.people for row in grouping.effort) == 40


def test_the_bottom_line_counts_whom_people_took(world: World) -> None:
    grouping = next(g for g in report_of(world).groupings if g.attributes == ("sex",))
    assert grouping.selection is not None
    assert grouping.selection.unknown is not None
    taken = sum(row.tally.selected for row in grouping.selection.rows)
    assert taken + grouping.selection.unknown.selected == len(world.cohort()) == 3


def test_effort_adds_up_to_the_finished_reviews(world: World) -> None:
    made = report_of(world)
    grouping = next(g for g in made.groupings if g.attributes == ("sex",))
    finished = [score for score in world.standing().values() if score.counts]
    shown = sum(row.people * (row.reviews + row.interviews) for row in grouping.effort)
    assert shown == pytest.approx(len(finished))
    assert all(one.done is None for one in made.reviewers), "a count would tell whose number it is"
    assert len(made.reviewers) == len({score.reviewer for score in finished})


def test_a_purged_person_becomes_unknown_and_the_total_stays(world: World) -> None:
    fresh = finalized(rows())
    before = report_of(fresh, whole=True)
    fresh.product.applicants.erase(CYCLE, "A000", by="ops")
    after = report_of(fresh, whole=True)
    assert after.people == before.people
    by_sex = [
        next(g for g in made.groupings if g.attributes == ("sex",)) for made in (before, after)
    ]
    tables = [g.selection for g in by_sex if g.selection is not None]
    unknown = [table.unknown.all for table in tables if table.unknown is not None]
    assert unknown[1] == unknown[0] + 1


def test_small_groups_are_merged_in_what_programs_read(world: World) -> None:
    plain = json.loads(json.dumps(as_plain(report_of(world, "sex", "race"))))
    rows = [
        row
        for grouping in plain["groupings"]
        for table in grouping["tables"]
        for row in table["rows"]
    ]
    assert rows
    for row in rows:
        assert row["all"] >= 5
        assert row["merged"] == (row["group"] == "others")
    for grouping, told in zip(plain["groupings"], plain["summary"], strict=True):
        assert told["attributes"] == grouping["attributes"]
        assert told["closed"] == (not grouping["tables"][-1]["rows"])
    by_sex = plain["summary"][1]
    assert by_sex["stage"] == "selection rate"
    assert by_sex["group"] in {"f", "m"}
    assert 0 <= by_sex["ratio"] <= 1


def test_birth_dates_that_were_stored_as_they_are_are_told_as_age_bands() -> None:
    born = [f"{1960 + n % 40}-0{1 + n % 9}-1{n % 9}" for n in range(40)]
    people = [applicant(f"A{n:03d}", monitor={"Birthday": day}) for n, day in enumerate(born)]
    made = report_of(finalized(people))

    said = json.dumps(as_plain(made)) + repr(report_sheets(made))

    assert not any(day in said for day in born)
    assert "40 and over" in said


def test_a_value_for_everybody_is_printed_nowhere() -> None:
    codes = [f"D-{n:05d}" for n in range(40)]
    people = [
        applicant(f"A{n:03d}", monitor={"Postcode": code, "sex": "fm"[n % 2]})
        for n, code in enumerate(codes)
    ]
    made = report_of(finalized(people), "Postcode", "sex")

    said = json.dumps(as_plain(made)) + repr(report_sheets(made))

    assert not any(code in said for code in codes)
    told = {tuple(one["attributes"]): one for one in as_plain(made)["summary"]}  # type: ignore[attr-defined]
    assert told["Postcode",]["closed"]
    assert told["Postcode", "sex"]["closed"]
    assert not told["sex",]["closed"]


def test_no_name_and_no_address_stands_in_a_report(world: World) -> None:
    text = json.dumps(as_plain(report_of(world)))
    assert "A0" not in text
    assert "R1" not in text


def test_the_law_144_files_hold_rates_and_ratios(world: World, tmp_path: Path) -> None:
    files = write_ll144(
        report_of(world, "sex", "race", whole=True), tmp_path, sex="sex", race="race"
    )
    assert [file.stem for file in files] == [
        "selection-sex", "scoring-sex", "selection-race", "scoring-race",
        "selection-sex-and-race", "scoring-sex-and-race", "about",
    ]  # fmt: skip
    with (tmp_path / "selection-sex.csv").open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    assert {row["category"] for row in table} == {"f", "m"}
    best = max(float(row["rate"]) for row in table)
    for row in table:
        rate = int(row["selected or above the median"]) / int(row["applicants"])
        assert float(row["rate"]) == pytest.approx(rate, abs=5e-5)
        assert float(row["impact ratio"]) == pytest.approx(rate / best, abs=1e-4)


def test_before_a_decision_the_law_144_tables_are_refused_with_the_reason(tmp_path: Path) -> None:
    open_ = played(rows())
    with pytest.raises(InvalidInputError, match="nothing is decided yet"):
        write_ll144(report_of(open_, "sex", "race"), tmp_path, sex="sex", race="race")
    assert list(tmp_path.iterdir()) == []


def test_an_attribute_that_nobody_declared_is_named(world: World) -> None:
    with pytest.raises(InvalidInputError, match="'age' was declared by no applicant"):
        report_of(world, "age")


def test_a_cycle_without_declarations_says_how_to_get_some() -> None:
    world = World(rules=SETTINGS, applications=4, roster=ROSTER)
    with pytest.raises(InvalidInputError, match="monitor:gender"):
        report_of(world)


@pytest.mark.parametrize("form", Format)
def test_the_sums_come_as_lists_with_small_groups_merged(
    world: World, tmp_path: Path, form: Format
) -> None:
    made = report_of(world, "sex", "race")

    files = write_report(made, tmp_path, form)

    assert [file.name for file in files] == [
        f"monitoring-stages.{form.value}",
        f"monitoring-effort.{form.value}",
    ]
    stages, effort = report_sheets(made)
    assert len(effort.rows) == sum(len(one.effort) for one in made.groupings)
    everybody = stages.headers.index("all")
    assert stages.rows
    assert all(int(row[everybody] or 0) >= 5 for row in stages.rows)
