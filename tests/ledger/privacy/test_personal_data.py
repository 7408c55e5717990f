"""One person's file and the log of acts, on every database."""

from collections.abc import Iterator

import pytest

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.people.application import ApplicationStatus
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.reviewing.documents import DocumentUpload
from swapflow.files.exports.decision_card import card_document, card_json
from swapflow.files.exports.defence.defence_file import (
    applicant_defence_document,
    applicant_defence_json,
)
from swapflow.files.exports.document import html
from swapflow.files.exports.personal_data import (
    named_files,
    personal_data_document,
    personal_data_json,
)
from swapflow.identity.personal_data import PersonalDataReport, own_copy
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


LETTER, OPEN_LETTER = "the candid words of Professor Quine", "an open letter by Doctor Ayer"


def lettered(url: str) -> World:
    """A finished cycle with one confidential letter as a file, one as a link, and an open one."""
    person = applicant(
        "A0",
        name="Quendolyn",
        fields={"essay": "peculiar", "Reference remarks": "remarkably candid"},
        documents=(
            ("reference by link", "https://files.example.org/quine-letter", True),
            ("cv", "https://files.example.org/cv", True),
        ),
    )
    others = [applicant(f"A{number}") for number in range(1, 8)]
    world = World(
        url=url,
        rules=rules(budget=14, out=8, confidential=("reference",)),
        applications=[person, *others],
        launch=False,
    )
    world.product.applicants.attach_documents(
        CYCLE,
        [
            DocumentUpload(path="A0_quine_confidential.txt", body=LETTER.encode()),
            DocumentUpload(path="A0_ayer.txt", body=OPEN_LETTER.encode()),
        ],
        redacted=True,
    )
    world.product.cycles.launch(CYCLE, by="ops")
    world.run()
    world.product.cohort.finalize(CYCLE, by="Chair")
    return world


def test_an_applicants_own_copy_has_no_byte_of_a_confidential_letter_and_says_so(url: str) -> None:
    world = lettered(url)
    whole = SqlPersonalData(world.ledger._database).applicant(CYCLE, "A0")
    copy = own_copy(whole, world.product.cycles.rules(CYCLE).confidential)
    card = world.product.reports.decision_card(CYCLE, "A0")
    defence = world.product.reports.applicant_defence(CYCLE, "A0")

    def files(report: PersonalDataReport) -> bytes:
        pages = [html(personal_data_document(report)), personal_data_json(report)]
        return b"".join([*pages, *(body for _, body in named_files(report))])

    everything = files(copy) + card_json(card) + html(card_document(card))
    everything += applicant_defence_json(defence) + html(applicant_defence_document(defence))

    for secret in (LETTER, "quine-letter", "remarkably candid"):
        assert secret.encode() in files(whole), "the office's own copy has it"
        assert secret.encode() not in everything, secret
    for told in (OPEN_LETTER, "https://files.example.org/cv", "peculiar"):
        assert told.encode() in everything, told
    named = ("reference by link", "A0_quine_confidential.txt", "Reference remarks")
    assert set(copy.withheld) == set(card.withheld) == set(defence.withheld) == set(named)
    for made in (html(personal_data_document(copy)), html(card_document(card))):
        assert b"left out of this copy" in made
    world.ledger.dispose()


def test_those_who_judge_read_a_confidential_letter(url: str) -> None:
    world = lettered(url)
    task = world.ledger.assignments(CYCLE, application=0)[0]

    record = world.ledger.task(task.id)
    papers = [paper for paper in world.product.tasks.page(record).papers if paper.media]
    bodies = [world.product.tasks.document(task, paper.number)[1] for paper in papers]

    assert LETTER.encode() in bodies
    assert OPEN_LETTER.encode() in bodies
    world.ledger.dispose()
