"""What reviewers' pages keep, on every database: drafts above all."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from swapflow.domain.cycle import Round
from swapflow.domain.people.document import NewDocument
from swapflow.domain.people.interview import Interview
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.errors import (
    AssignmentClosedError,
    NotFoundError,
    StaleDraftError,
)
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import NOON, RULES, applicant, pull, reviewer, score, seat


Opened = Callable[[str], SqlLedger]

ALL_BYTES = bytes(range(256))


def asked(ledger: SqlLedger) -> str:
    """One application, one reviewer, one request; gives the assignment's id."""
    request = pull(0)
    assignment = seat(request)
    with ledger.write("fall") as tx:
        tx.add_applications([applicant("a0")], [1], wave=1)
        tx.add_reviewers([reviewer("r0")])
        tx.insert_pulls([request])
        tx.insert_assignments([assignment])
    return assignment.id


# Drafts


def test_a_draft_is_read_as_it_was_saved_and_counts_its_versions(ledger: SqlLedger) -> None:
    name = asked(ledger)

    first = ledger.save_draft(name, {"remark": "a"}, expected=0)
    second = ledger.save_draft(name, {"remark": "ab"}, expected=first.version)

    assert (first.version, second.version) == (1, 2)
    assert ledger.drafts([name, "another"]) == {name: second}


def test_a_draft_made_from_an_older_version_is_refused_and_changes_nothing(
    ledger: SqlLedger,
) -> None:
    name = asked(ledger)
    ledger.save_draft(name, {"remark": "a"}, expected=0)
    kept = ledger.save_draft(name, {"remark": "ab"}, expected=1)

    for expected in (0, 1, 7):
        with pytest.raises(StaleDraftError) as stale:
            ledger.save_draft(name, {"remark": "other"}, expected=expected)
        assert (stale.value.version, stale.value.body) == (2, {"remark": "ab"})
    assert ledger.drafts([name]) == {name: kept}


def test_a_draft_sent_twice_is_saved_once(ledger: SqlLedger) -> None:
    name = asked(ledger)

    first = ledger.save_draft(name, {"remark": "a"}, expected=0)

    assert ledger.save_draft(name, {"remark": "a"}, expected=0) == first


def test_of_two_tabs_at_once_one_is_told(shared_url: str, opened: Opened) -> None:
    ledger = opened(shared_url)
    ledger.create_round(Round(id="2027", name="2027", unit="minutes", zone="UTC"))
    ledger.create_cycle("fall", round_id="2027", name="Fall", rules=RULES, by="ops")
    name = asked(ledger)

    def save(text: str) -> str:
        try:
            ledger.save_draft(name, {"remark": text}, expected=0)
        except StaleDraftError:
            return "stale"
        return "saved"

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(save, [f"tab {n}" for n in range(8)]))

    assert sorted(results) == ["saved"] + ["stale"] * 7


def test_a_draft_writes_no_event_and_moves_nothing(ledger: SqlLedger) -> None:
    name = asked(ledger)
    before = ledger.cycle("fall"), ledger.assignment(name)

    ledger.save_draft(name, {"remark": "a"}, expected=0)
    ledger.skip(name)
    ledger.skip(name)

    assert (ledger.cycle("fall"), ledger.assignment(name)) == before
    assert list(ledger.skips([name])) == [name]


@pytest.mark.parametrize(
    "status",
    [AssignmentStatus.SCORED, AssignmentStatus.DECLINED, AssignmentStatus.CANCELLED],
)
def test_nothing_is_drafted_for_what_is_closed(
    ledger: SqlLedger, status: AssignmentStatus
) -> None:
    name = asked(ledger)
    with ledger.write("fall") as tx:
        tx.move_assignments([name], status, allowed=list(AssignmentStatus))

    with pytest.raises(AssignmentClosedError):
        ledger.save_draft(name, {"remark": "a"}, expected=0)
    with pytest.raises(NotFoundError):
        ledger.save_draft("fall:9:review:1:1.1", {"remark": "a"}, expected=0)


# Own answers, slots


def test_an_answer_is_read_with_all_that_was_written_and_the_draft_is_gone(
    ledger: SqlLedger,
) -> None:
    name = asked(ledger)
    ledger.save_draft(name, {"remark": "a"}, expected=0)
    given = score(ledger.assignment(name))
    with ledger.write("fall") as tx:
        tx.insert_scores(
            [given],
            marks=[{"craft": 3.0, "care": None}],
            remarks=["solid"],
            notes=[{"confidence": "4", "private": "", "question:1": "yes"}],
        )
        tx.drop_drafts([name])

    found = ledger.given(name)

    assert found is not None
    assert (found.score, found.remark) == (given, "solid")
    assert found.marks == {"craft": 3.0, "care": None}
    assert found.notes == {"confidence": "4", "question:1": "yes"}
    assert ledger.drafts([name]) == {}
    assert ledger.given("fall:9:review:1:1.1") is None


def test_a_slot_is_replaced_as_a_whole(ledger: SqlLedger) -> None:
    asked(ledger)
    slot = Interview(
        pull_id=pull(0).id, starts_at=NOON, minutes=30, zone="Europe/Paris", place="A", by="ops"
    )
    moved = Interview(
        pull_id=slot.pull_id, starts_at=NOON, minutes=45, zone="UTC", sequence=1, missed=True
    )
    for interview in (slot, moved):
        with ledger.write("fall") as tx:
            tx.set_interview(interview)
            assert tx.interview(slot.pull_id) == interview
        assert ledger.interviews([slot.pull_id]) == {slot.pull_id: interview}


# Documents


def test_a_document_is_read_as_stored_and_erased_with_the_application(ledger: SqlLedger) -> None:
    asked(ledger)
    new = NewDocument(
        name="cv.pdf", redacted=True, media="application/pdf", body=bytes(range(256))
    )

    ledger.add_files("fall", [(0, new)])

    (document,) = [d for d in ledger.files("fall", 0) if d.name == "cv.pdf"]
    assert (document.media, document.size, document.redacted) == ("application/pdf", 256, True)
    assert ledger.file_content("fall", 0, document.position) == ALL_BYTES
    assert ledger.with_files("fall") == {0}
    with ledger.write("fall") as tx:
        tx.erase_application(0)
    assert ledger.files("fall", 0) == ()
    with pytest.raises(NotFoundError):
        ledger.file_content("fall", 0, document.position)


def test_an_application_is_read_alone(ledger: SqlLedger) -> None:
    asked(ledger)

    assert ledger.application("fall", 0) == ledger.applications("fall")[0]
    assert ledger.applications_numbered("fall", [0, 5]) == ledger.applications("fall")
    with pytest.raises(NotFoundError):
        ledger.application("fall", 5)
