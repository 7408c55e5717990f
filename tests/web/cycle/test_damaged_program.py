"""A program whose record is damaged: its pages name the event, everybody else's work goes on."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from starlette.testclient import TestClient

from swapflow.identity.account import Method
from swapflow.identity.permissions import Role
from swapflow.ledger.schema.base import METADATA
from tests.web.site import Site


@pytest.fixture
def damaged(site: Site) -> int:
    """Two programs that share a reviewer; the last event of `fall` cannot be read: its number."""
    site.launched("fall")
    site.launched("spring", round_id="round")
    with closing(sqlite3.connect(site.file)) as connection:
        (seq,) = connection.execute(
            "SELECT max(seq) FROM event WHERE cycle_id = 'fall'"
        ).fetchone()
        connection.execute(
            "UPDATE event SET body = '{' WHERE cycle_id = 'fall' AND seq = ?", (seq,)
        )
        connection.commit()
    return int(seq)


def test_decide_and_the_events_api_name_the_event_that_cannot_be_read(
    site: Site, damaged: int
) -> None:
    staff = site.signed_in(Role.ADMINISTRATOR)

    page = staff.get("/decide/fall")
    events = staff.get("/api/v1/cycles/fall/events")

    assert page.status_code == 503
    assert f"Event {damaged} of program fall cannot be read" in page.text
    assert events.status_code == 503
    assert events.json()["code"] == "event_damaged"
    assert events.json()["params"]["event"] == damaged
    assert staff.get("/decide/spring").status_code == 200


def test_today_names_the_program_that_stands_still_and_its_event(site: Site, damaged: int) -> None:
    site.product.cycles.coordinator("test").turn()  # another life, which reads all anew
    staff = site.signed_in(Role.ADMINISTRATOR)

    both, one = staff.get("/today"), staff.get("/today/fall")

    assert f"does not go on after event {damaged}" in both.text
    assert f"does not go on after event {damaged}" in one.text
    assert "does not go on after" not in staff.get("/today/spring").text


def test_reviewers_of_a_damaged_program_find_their_tasks_of_the_others(
    site: Site, damaged: int
) -> None:
    with closing(sqlite3.connect(site.file)) as connection:
        # The digest as well: a process goes on with rules that it knows by theirs.
        connection.execute("UPDATE rules SET body = '{', digest = 'x' WHERE cycle_id = 'fall'")
        connection.commit()
    reviewer: TestClient = site.signed_in(email="r1@example.org", method=Method.LINK)

    inbox = reviewer.get("/inbox")

    assert inbox.status_code == 200
    assert "MS spring" in inbox.text
    assert "The reviews of program fall cannot be shown" in inbox.text


def test_whatever_column_of_a_program_is_damaged_its_reviewers_find_their_other_tasks(
    site: Site, damaged: int
) -> None:
    """Columns of every table that the list is read from, one after the other."""
    reviewer: TestClient = site.signed_in(email="r1@example.org", method=Method.LINK)
    whole = site.product.tasks.list(site.product.tasks.seats([("spring", 0), ("fall", 0)]))
    codes = {task.code for task in whole.waiting if task.cycle_id == "spring"}
    assert codes
    wrong, said = {}, set()
    for table, where in LISTED.items():
        for column in METADATA.tables[table].columns:
            if column.name in {"id", "cycle_id", "assignment_id"}:
                continue
            with put_wrong(site, table, column.name, where):
                inbox = reviewer.get("/inbox")
            # A task's page is found by its code.
            missing = {code for code in codes if code not in inbox.text}
            if inbox.status_code != 200 or missing:
                wrong[table, column.name] = inbox.status_code
            if "The reviews of program fall cannot be shown" in inbox.text:
                said.add((table, column.name))

    assert wrong == {}
    assert said >= {
        ("cycle", "created_at"),
        ("cycle", "status"),
        ("assignment", "kind"),
        ("assignment", "due_at"),
    }


LISTED = {
    "cycle": "id = 'fall'",
    "rules": "cycle_id = 'fall'",
    "assignment": "cycle_id = 'fall'",
    "application": "cycle_id = 'fall'",
    "roster": "cycle_id = 'fall' AND number <> 0",
}
"""The rows of one program that a reviewer's list is read from, by table."""


@contextmanager
def put_wrong(site: Site, table: str, column: str, where: str) -> Iterator[None]:
    """Overwrite a column of some rows inside the block, past every check of the database."""
    with closing(sqlite3.connect(site.file)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        select = f'SELECT "{column}", rowid FROM "{table}" WHERE {where}'
        before = connection.execute(select).fetchall()
        update = f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = ?'
        connection.executemany(update, [("nonsense{", row) for _, row in before])
        connection.commit()
        try:
            yield
        finally:
            connection.executemany(update, before)
            connection.commit()


def test_damaged_rules_of_one_program_keep_nobody_from_signing_in(
    site: Site, damaged: int
) -> None:
    with closing(sqlite3.connect(site.file)) as connection:
        connection.execute("UPDATE rules SET body = '{' WHERE cycle_id = 'fall'")
        connection.commit()

    assert site.signed_in(Role.ADMINISTRATOR).get("/today/spring").status_code == 200
