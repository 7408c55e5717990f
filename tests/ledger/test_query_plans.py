"""What every page asks for goes along an index, whatever else the program holds."""

from collections.abc import Callable

import pytest
from sqlalchemy import event

from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.ledger.sql_ledger import SqlLedger


OWN = "ix_assignment_cycle_id_reviewer_status"
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
