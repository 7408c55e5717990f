"""What every page asks for goes along an index, whatever else the program holds."""

from collections.abc import Callable

import pytest
from sqlalchemy import event

from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.errors import NotFoundError
from swapflow.identity.account import Account
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import NOON


OWN = "ix_assignment_cycle_id_reviewer_status"
ACCOUNT = Account(
    id="1",
    email="r0@example.org",
    name="",
    password="",
    subject="",
    active=True,
    created_at=NOON,
    last_seen_at=None,
)
OPEN = {AssignmentStatus.QUEUED, AssignmentStatus.DELIVERED}


def plans(ledger: SqlLedger, read: Callable[[], object]) -> str:
    """How SQLite goes about everything that a call reads."""
    asked: list[tuple[str, object]] = []

    def note(*seen: object) -> None:
        asked.append((str(seen[2]), seen[3]))

    engine = ledger._database._engine
    event.listen(engine, "before_cursor_execute", note)
    read()
    event.remove(engine, "before_cursor_execute", note)
    with ledger._database.reading() as connection:
        return "\n".join(
            str(step[3])
            for text, given in asked
            if text.startswith("SELECT")
            for step in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", given)  # type: ignore[arg-type]  # as the driver got it
        )


@pytest.mark.parametrize(
    "read",
    [
        lambda ledger: ledger.assignment_ids("fall", reviewer=0),
        lambda ledger: ledger.assignments("fall", reviewer=0),
        lambda ledger: ledger.assignments("fall", reviewer=0, statuses=OPEN),
    ],
    ids=["ids", "all", "open"],
)
def test_a_reviewers_own_requests_are_found_without_walking_through_the_program(
    file_ledger: SqlLedger, read: Callable[[SqlLedger], object]
) -> None:
    assert f"USING INDEX {OWN}" in plans(file_ledger, lambda: read(file_ledger)).replace(
        "COVERING ", ""
    )


def test_the_seats_of_an_address_are_found_along_an_index(file_ledger: SqlLedger) -> None:
    found = plans(file_ledger, lambda: file_ledger.office().seats("R0@example.org"))

    assert "ix_person_lower_email" in found
    assert "SCAN" not in found


@pytest.mark.parametrize(
    "read",
    [
        lambda ledger: ledger.listed_tasks("fall", 0, OPEN),
        lambda ledger: ledger.program_seats([("fall", 0), ("spring", 1)]),
        lambda ledger: ledger.office().access(ACCOUNT),
        lambda ledger: ledger.office().session("digest"),
        lambda ledger: ledger.due_work("fall"),
        lambda ledger: ledger.outbox_work(again_after=60.0),
        lambda ledger: _missing(lambda: ledger.task("fall:1:review:1:1:1")),
    ],
    ids=["list", "programs", "access", "session", "due work", "outbox", "task"],
)
def test_what_every_request_and_turn_reads_walks_through_no_table_that_grows(
    file_ledger: SqlLedger, read: Callable[[SqlLedger], object]
) -> None:
    """One statement for many things must not become one that reads everything."""
    found = plans(file_ledger, lambda: read(file_ledger))

    walked = {line for line in found.splitlines() if line.startswith("SCAN")}
    assert walked <= {
        "SCAN CONSTANT ROW",
        "SCAN clock",  # one row
        "SCAN cycle",
        "SCAN webhook",
        "SCAN announcement",
        "SCAN assignment USING INDEX ix_assignment_unsent",  # holds only those that were not sent
    }


def test_a_list_of_tasks_starts_from_the_reviewers_own(file_ledger: SqlLedger) -> None:
    """However many tables the list joins, the reviewer's own requests come first."""
    found = plans(file_ledger, lambda: file_ledger.listed_tasks("fall", 0, OPEN))

    assert OWN in found.splitlines()[0]


def _missing(read: Callable[[], object]) -> None:
    with pytest.raises(NotFoundError):
        read()
