"""What the ledger promises of people and their erasure, on every database."""

from dataclasses import replace
from datetime import timedelta

import pytest

from swapflow.domain.event import EventType
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import Absence
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import (
    NOON,
    RULES,
    applicant,
    mail,
    people,
    place,
    pull,
    score,
    seat,
    sheet,
)


def test_applications_are_numbered_as_they_come_and_read_as_they_were_given(
    ledger: SqlLedger,
) -> None:
    with ledger.write("fall") as tx:
        first = tx.add_applications(
            [applicant("z"), applicant("a", ready=False, selection={"field": "x", "b": "y"})],
            [0, 2**64 - 1],
            wave=1,
        )
    with ledger.write("fall") as tx:
        late = tx.add_applications([applicant("m", email="")], [5], wave=2)

    found = ledger.applications("fall")
    assert found == (*first, *late)
    assert [(a.number, a.external_id, a.wave, a.tie) for a in found] == [
        (0, "z", 1, 0),
        (1, "a", 1, 2**64 - 1),
        (2, "m", 2, 5),
    ]
    assert found[1].status is ApplicationStatus.INCOMPLETE
    assert found[1].attributes == {"field": "x", "b": "y"}
    assert found[0].fields == {"essay": "Essay by z"}
    with ledger.write("fall") as tx:
        assert tx.applications([2, 0]) == (found[0], found[2])


def test_an_external_id_used_twice_is_refused_by_name(ledger: SqlLedger) -> None:
    people(ledger)

    with pytest.raises(InvalidInputError, match="twice: a1"), ledger.write("fall") as tx:
        tx.add_applications([applicant("new"), applicant("a1")], [1, 2], wave=2)
    with pytest.raises(InvalidInputError, match="twice: b"), ledger.write("fall") as tx:
        tx.add_applications([applicant("b"), applicant("b")], [1, 2], wave=2)

    assert len(ledger.applications("fall")) == 3


def test_no_method_gives_monitoring_attributes(ledger: SqlLedger) -> None:
    people(ledger)

    seen = f"{ledger.applications('fall')}{ledger.reviewers('fall')}"

    assert "sex" not in seen
    assert "biology" in seen


def test_a_moved_application_is_read_so_and_an_unknown_one_is_refused(ledger: SqlLedger) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        tx.move_application(1, ApplicationStatus.WITHDRAWN, by="ops", reason="moved abroad")

    assert ledger.applications("fall")[1].status is ApplicationStatus.WITHDRAWN
    with pytest.raises(NotFoundError, match="no applicant 9"), ledger.write("fall") as tx:
        tx.move_application(9, ApplicationStatus.READY, by="ops", reason="")


def test_the_roster_is_read_as_it_was_given_and_as_it_was_changed(ledger: SqlLedger) -> None:
    people(ledger, reviewers=2)
    before = ledger.reviewers("fall")
    extra = Absence(first=NOON.date() + timedelta(days=9), last=NOON.date() + timedelta(days=9))
    changed = replace(
        before[1],
        active=False,
        capacity={"review": 1},
        topics=("topology", "genetics"),
        packet=3,
        absences=(),
    )
    with ledger.write("fall") as tx:
        tx.change_reviewer(changed)
        tx.add_absence(0, extra)
        tx.add_absence(0, extra)

    assert before[0].topics == ("genetics", "algebra")
    assert before[0].capacity == {"review": 5, "panel": None}
    after = ledger.reviewers("fall")
    assert after[1] == changed
    assert after[0].absences == (*before[0].absences, extra)
    assert ledger.due_work("fall").absences


def test_numbers_of_topics_and_groups_stay_what_they_are(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        first = [tx.topic_number("algebra"), tx.topic_number("logic"), tx.topic_number("algebra")]
        groups = [tx.group_number("field", "x"), tx.group_number("sex", "f")]
    with ledger.write("fall") as tx:
        second = [tx.topic_number("logic"), tx.topic_number("new")]
        groups.append(tx.group_number("field", "y"))

    assert (first, second, groups) == ([0, 1, 0], [1, 2], [0, 0, 1])


def test_conflicts_known_already_are_not_counted_again(ledger: SqlLedger) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        assert tx.add_conflicts([(0, 0), (0, 1)], source="import") == 2
        assert tx.add_conflicts([(0, 1), (2, 1), (2, 1)], source="decline") == 1
        assert tx.add_conflicts([], source="import") == 0
        tx.set_panel([(0, 1), (0, 1)])
        tx.set_panel([(0, 0)])


def test_documents_that_nobody_marked_redacted_are_named(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.add_applications(
            [
                applicant("open"),
                applicant("safe", documents=(("cv", "/x", True),)),
                applicant("none", documents=()),
            ],
            [1, 2, 3],
            wave=1,
        )

    assert ledger.unredacted("fall") == ("open",)
    assert ledger.documents("fall", application=1) == (("cv", "/x", True),)


def test_a_purged_person_leaves_numbers_only_and_the_chain_stands(ledger: SqlLedger) -> None:
    people(ledger)
    pulls = [pull(0), pull(1)]
    seats = [seat(pulls[0]), seat(pulls[1])]
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments(seats)
        tx.insert_scores(
            [score(s) for s in seats], marks=[{"craft": 1.0}] * 2, remarks=["bad", "good"]
        )
        tx.insert_proposal([place(0, 1, external_id="a0", name="Name of a0")], sheet())
        tx.note(subject="application:0", by="ops", text="they called")
        tx.add_staff_request(what="pull", application=0, kind=0, by="ops", reason="they wrote")
        tx.queue_mail([mail("m", text="Please read Name of a0 (a0@applicants.example).")])
        tx.record(EventType.SCORED, {"a": 0, "v": 750_000})
    scores = ledger.scores("fall")

    with ledger.write("fall") as tx:
        tx.erase_application(0)
        tx.record(EventType.PURGED, {"a": 0})

    erased, kept = ledger.applications("fall")[:2]
    assert (erased.external_id, erased.name, erased.email) == ("", "", "")
    assert (erased.fields, erased.attributes) == ({}, {})
    assert kept.name == "Name of a1"
    assert ledger.scores("fall") == scores
    assert ledger.remarks("fall") == ((seats[1].id, "good"),)
    assert ledger.proposals("fall")[0][1][0].name == ""
    assert ledger.documents("fall", application=0) == ()
    assert ledger.wishes("fall")[0].reason == ""
    assert ledger.mails(at_most=1)[0].text == "Please read [erased] ([erased])."
    assert ledger.check_chain("fall") is None


def test_two_purged_people_do_not_collide(ledger: SqlLedger) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        tx.erase_application(0)
        tx.erase_application(1)
        tx.erase_application(1)

    assert [a.external_id for a in ledger.applications("fall")] == ["", "", "a2"]
    with pytest.raises(NotFoundError), ledger.write("fall") as tx:
        tx.erase_application(7)


def test_a_person_known_elsewhere_outlives_one_purge(ledger: SqlLedger) -> None:
    ledger.create_cycle("spring", round_id="2027", name="Spring", rules=RULES, by="ops")
    for cycle in ("fall", "spring"):
        with ledger.write(cycle) as tx:
            tx.add_applications([applicant("same")], [1], wave=1)

    with ledger.write("fall") as tx:
        tx.erase_application(0)

    assert ledger.applications("fall")[0].name == ""
    assert ledger.applications("spring")[0].name == "Name of same"
