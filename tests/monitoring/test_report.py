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


def report_of(world: World, *crossed: str) -> Report:
    return Monitoring(world.ledger.monitoring(), world.ledger).report(CYCLE, crossed=crossed)


@pytest.fixture(scope="module")
def world() -> World:
    return finalized(rows())


def facts(played: World) -> list[tuple[object, ...]]:
    """The events without the rows that they carry, whose times and salts differ each time."""
    return [
        (e.type, {k: v for k, v in e.payload.items() if k not in {"rows", "sealed"}}, e.deltas)
        for e in played.events()
    ]


def test_flipping_what_everybody_declared_changes_no_byte_of_decisions_and_cohort() -> None:
    one, other = played(rows()), played(rows(flipped=True))
    assert decisions_digest(one.product, CYCLE) == decisions_digest(other.product, CYCLE)
    assert one.cohort() == other.cohort()
    assert [e.position.hash for e in one.events()] != []
    assert facts(one) == facts(other)


def test_everybody_is_in_one_group_or_unknown_at_each_table(world: World) -> None:
    made = report_of(world, "sex", "race")
    assert [g.attributes for g in made.groupings] == [("race",), ("sex",), ("race", "sex")]
    for grouping in made.groupings:
        assert grouping.selection is not None
        total = sum(row.tally.all for row in grouping.selection.rows)
        assert total + grouping.selection.unknown.all == made.people == 40
        assert sum(row.people for row in grouping.effort) == 40


def test_the_bottom_line_counts_whom_people_took(world: World) -> None:
    grouping = next(g for g in report_of(world).groupings if g.attributes == ("sex",))
    assert grouping.selection is not None
    taken = sum(row.tally.selected for row in grouping.selection.rows)
    assert taken + grouping.selection.unknown.selected == len(world.cohort()) == 3


def test_effort_adds_up_to_the_finished_reviews(world: World) -> None:
    made = report_of(world)
    grouping = next(g for g in made.groupings if g.attributes == ("sex",))
    finished = [score for score in world.standing().values() if score.counts]
    shown = sum(row.people * (row.reviews + row.interviews) for row in grouping.effort)
    assert shown == pytest.approx(len(finished))
    assert sum(one.done for one in made.reviewers) == len(finished)


def test_a_purged_person_becomes_unknown_and_the_total_stays(world: World) -> None:
    fresh = finalized(rows())
    before = report_of(fresh)
    fresh.product.applicants.erase(CYCLE, "A000", by="ops")
    after = report_of(fresh)
    assert after.people == before.people
    by_sex = [
        next(g for g in made.groupings if g.attributes == ("sex",)) for made in (before, after)
    ]
    unknown = [g.selection.unknown.all for g in by_sex if g.selection is not None]
    assert unknown[1] == unknown[0] + 1


def test_small_groups_are_closed_in_what_programs_read(world: World) -> None:
    plain = json.loads(json.dumps(as_plain(report_of(world, "sex", "race"))))
    for grouping in plain["groupings"]:
        for table in grouping["tables"]:
            for row in table["rows"]:
                assert row["closed"] == (row["all"] is None)
                assert row["all"] is None or row["all"] == 0 or row["all"] >= 5


def test_no_name_and_no_address_stands_in_a_report(world: World) -> None:
    text = json.dumps(as_plain(report_of(world)))
    assert "A0" not in text
    assert "R1" not in text


def test_the_law_144_files_hold_rates_and_ratios(world: World, tmp_path: Path) -> None:
    files = write_ll144(report_of(world, "sex", "race"), tmp_path, sex="sex", race="race")
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
    with pytest.raises(InvalidInputError, match="'age' was declared by nobody"):
        report_of(world, "age")


def test_a_cycle_without_declarations_says_how_to_get_some() -> None:
    world = World(rules=SETTINGS, applications=4, roster=ROSTER)
    with pytest.raises(InvalidInputError, match="monitor:NAME"):
        report_of(world)


@pytest.mark.parametrize("form", Format)
def test_the_sums_come_as_lists_with_small_groups_blank(
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
    closed, everybody = stages.headers.index("closed"), stages.headers.index("all")
    assert stages.rows
    for row in stages.rows:
        assert (row[everybody] is None) == row[closed]
        assert row[everybody] is None or row[everybody] == 0 or int(row[everybody] or 0) >= 5
