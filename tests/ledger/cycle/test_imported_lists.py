"""What lists bring, on every database."""

from dataclasses import replace

from sqlalchemy import select

from swapflow.domain.people.shown_columns import NEW_PROGRAM, ShownColumns
from swapflow.ledger.schema import MONITORING_ATTRIBUTE, PERSON
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import RULES, applicant


def test_what_a_list_said_is_kept_replaced_and_erased_with_the_person(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.add_applications([applicant("a"), applicant("b")], [1, 2], wave=1)
        first = tx.imported_values()
        tx.store_imported_values({0: {"name": "Ann", "field:city": "Rome"}})
        tx.keep_list_reading("applicants", {"column:Who": "name"}, by="olga")
        tx.keep_list_reading("applicants", {"column:Who": "email"}, by="olga")

    assert sorted(first) == [0, 1]
    assert ledger.imported_values("fall")[0] == {"name": "Ann", "field:city": "Rome"}
    assert ledger.imported_values("fall")[1] == first[1]
    assert ledger.list_reading("fall", "applicants") == {"column:Who": "email"}
    assert ledger.list_reading("fall", "reviewers") == {}

    with ledger.write("fall") as tx:
        tx.erase_application(0)

    assert sorted(ledger.imported_values("fall")) == [1]


def test_a_changed_application_is_read_back_and_leaves_no_person_behind(
    ledger: SqlLedger,
) -> None:
    with ledger.write("fall") as tx:
        (there,) = tx.add_applications([applicant("a")], [1], wave=1)
        changed = replace(
            there,
            name="Zoë",
            email="z@example.org",
            attributes={"area": "logic"},
            fields={"city": "Oslo"},
        )
        tx.change_application(changed)
        tx.write_monitoring(0, {"sex": "f", "region": "north"})
        tx.write_monitoring(0, {"sex": "x"})

    assert ledger.applications("fall") == (changed,)
    with ledger._database.reading() as connection:
        monitored = connection.execute(
            select(MONITORING_ATTRIBUTE.c.name, MONITORING_ATTRIBUTE.c.value)
        )
        assert {(row.name, row.value) for row in monitored} >= {("sex", "x"), ("region", "north")}
        assert connection.execute(select(PERSON.c.name)).scalars().all() == ["Zoë"]


def test_a_link_takes_the_place_of_the_one_of_its_name(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.add_applications([replace(applicant("a"), documents=())], [1], wave=1)
        tx.put_link(0, "cv", "https://e.org/1", redacted=False)
        tx.put_link(0, "letter", "https://e.org/2", redacted=False)
        assert tx.put_link(0, "cv", "https://e.org/3", redacted=True)

    files = ledger.files("fall", 0)
    assert [(f.position, f.name, f.link, f.redacted) for f in files] == [
        (0, "cv", "https://e.org/3", True),
        (1, "letter", "https://e.org/2", False),
    ]


def test_a_new_program_shows_by_choice_and_one_without_a_row_by_its_list(
    ledger: SqlLedger,
) -> None:
    ledger.create_cycle("spring", round_id="2027", name="Spring", rules=RULES, by="ops")
    with ledger.write("fall") as tx:
        # As a program of an earlier release, which has no such row.
        tx.keep_list_reading("shown", {}, by="ops")

    seats = ledger.program_seats([("fall", 0), ("spring", 0)])

    assert {one.cycle.id: one.shown for one in seats} == {
        "fall": ShownColumns(by_choice=False, numbered=False),
        "spring": NEW_PROGRAM,
    }
