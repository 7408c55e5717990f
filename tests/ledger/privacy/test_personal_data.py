"""One person's file and the log of acts, on every database."""

from collections.abc import Iterator

import pytest

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.people.application import ApplicationStatus
from swapflow.engine.cohort.finalize import Override
from swapflow.ledger.privacy.personal_data import SECRET, SqlPersonalData
from swapflow.ledger.schema.base import METADATA
from tests.engine.cycle_by_hand import CYCLE, World, applicant, rules


def told(url: str) -> World:
    """A finished cycle in which one applicant left traces, and people changed the list."""
    people = [applicant(f"A{number}", name=f"Name{number}") for number in range(8)]
    people[3] = applicant(
        "A3", name="Quendolyn", fields={"essay": "peculiar"}, monitor={"colour": "violet"},
        documents=(("cv", "https://files.example.org/cv", True),),
    )  # fmt: skip
    world = World(url=url, rules=rules(budget=14, out=8), applications=people)
    world.turn()
    task = next(a for a in world.waiting() if a.application == 3)
    world.submit(task, 0.5, remark="a remark", notes={"private": "between us"})
    world.product.applicants.move(
        CYCLE, "A7", ApplicationStatus.HELD, by="ops", reason="wait for papers"
    )
    world.run()
    places = world.product.cohort.propose(CYCLE).places
    change = (
        Override(external_id=places[0].external_id, verdict=Verdict.WAITLISTED, reason="late"),
        Override(external_id=places[-1].external_id, verdict=Verdict.SELECTED, reason="project"),
    )
    world.product.cohort.finalize(CYCLE, by="Chair", overrides=change)
    return world


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = told("sqlite://")
    yield made
    made.ledger.dispose()


def test_a_file_holds_every_row_of_its_person_and_no_other(url: str) -> None:
    world = told(url)
    reader = SqlPersonalData(world.ledger._database)

    mine = reader.applicant(CYCLE, "A3")
    everything = repr(mine.rows)
    for word in ("Quendolyn", "peculiar", "violet", "a remark", "between us", "files.example.org"):
        assert word in everything, word
    assert "Name4" not in everything
    for table, rows in mine.rows.items():
        assert {row["application"] for row in rows if "application" in row} <= {3}, table
    roster = reader.reviewer(CYCLE, "R1")
    number = roster.rows["roster"][0]["number"]
    for table, rows in roster.rows.items():
        assert {row["reviewer"] for row in rows if "reviewer" in row} <= {number}, table
    assert [act.by for act in reader.acts(CYCLE) if act.what == "signed"] == ["Chair"]
    world.ledger.dispose()


def test_no_table_that_concerns_an_applicant_is_forgotten(world: World) -> None:
    """Whatever names an application, or hangs on something that does, is read."""
    reader = SqlPersonalData(world.ledger._database)
    found = {file for n in range(8) for file in reader.applicant(CYCLE, f"A{n}").rows}
    found |= {file for n in range(1, 5) for file in reader.reviewer(CYCLE, f"R{n}").rows}
    with world.ledger._database.reading() as connection:
        personal = {
            table.name
            for table in METADATA.sorted_tables
            if {"application", "assignment_id", "pull_id", "reviewer"} & set(table.c.keys())
            and connection.execute(table.select().limit(1)).first() is not None
        }

    assert personal
    assert personal <= found


def test_what_opens_doors_is_in_no_file(world: World) -> None:
    mine = SqlPersonalData(world.ledger._database).applicant(CYCLE, "A3")

    for table, rows in mine.rows.items():
        assert not [column for row in rows for column in row if column in SECRET], table


def test_the_log_begins_with_what_people_did_against_the_list(world: World) -> None:
    acts = SqlPersonalData(world.ledger._database).acts(CYCLE)

    departed = [(act.what, act.by, act.reason) for act in acts if act.departs]
    assert ("waitlisted, though proposed", "Chair", "late") in departed
    assert ("put in, not proposed", "Chair", "project") in departed
    assert ("gave a reason", "ops", "wait for papers") in departed
    assert [act.about for act in acts if act.reason == "wait for papers"] == ["A7"]
    assert [act.by for act in acts if act.what == "signed"] == ["Chair"]
