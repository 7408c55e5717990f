"""Every column of every table is changed by SQL, one at a time: verify names it.

Where it does not, `docs/security.md` says why.
"""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Boolean, Column, DateTime, Float, Integer, Table

from swapflow.domain.cohort.meeting import Shown, Word, ZoneSide
from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.cohort.proposal import Standing, Verdict
from swapflow.domain.cohort.reconsideration import Result
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.assignment import AssignmentStatus, PullReason, PullStatus
from swapflow.domain.reviewing.score import Late, Origin
from swapflow.domain.rules import Purpose
from swapflow.errors import NotFoundError
from swapflow.ledger.schema.base import METADATA, JsonText
from tests.engine.cycle_by_hand import CYCLE, World
from tests.engine.everything_decided import everything
from tests.support.migrated import new_database


PAGE = Path(__file__).parents[3] / "docs" / "security.md"
HEADING = "## What `cycle verify` does not compare"
WORDS: dict[str, list[str]] = {
    "application.status": [one.value for one in ApplicationStatus],
    "assignment.status": [one.value for one in AssignmentStatus],
    "cycle.status": [one.value for one in CycleStatus],
    "cycle.purpose": [one.value for one in Purpose],
    "meeting_look.what": [one.value for one in Shown],
    "meeting_outcome.outcome": [one.value for one in Word],
    "offer_answer.answer": [one.value for one in OfferAnswer if one is not OfferAnswer.WAITING],
    "outcome.verdict": [one.value for one in Verdict],
    "place.standing": [one.value for one in Standing],
    "pull.status": [one.value for one in PullStatus],
    "pull.why": [one.value for one in PullReason],
    "reconsideration.result": [one.value for one in Result],
    "score.late": [one.value for one in Late],
    "score.origin": [one.value for one in Origin],
    "zone_confirmation.zone": [one.value for one in ZoneSide],
}
"""Columns of a few words; another word than these could not be read at all."""


@dataclass(frozen=True)
class Place:
    """One column of one row."""

    table: str
    column: str
    rowid: int

    @property
    def name(self) -> str:
        return f"{self.table}.{self.column}"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = everything(new_database(tmp_path_factory.mktemp("columns") / "ledger.db"))
    assert made.product.reports.verify(CYCLE).findings == ()
    yield made
    made.ledger.dispose()


def excused() -> dict[str, set[str]]:
    """What the page says is not compared, by table: columns, or "all"."""
    _, _, rest = PAGE.read_text("utf-8").partition(HEADING)
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", rest, re.MULTILINE)
    assert all(len(why.split()) > 2 for _, _, why in rows), "each row says why"
    return {
        table: {"all"} if columns.strip() == "all" else set(re.findall(r"`(\w+)`", columns))
        for table, columns, _ in rows
    }


def other(column: Column[Any], name: str, value: Any) -> Any:  # noqa: ANN401 - any column's
    """Another value that the column could hold, in the form in which SQLite stores it."""
    kind = getattr(column.type, "impl_instance", column.type)
    if name in WORDS:
        new: object = next(word for word in WORDS[name] if word != value)
    elif isinstance(column.type, JsonText):
        new = _other_json(json.loads(value))
    elif isinstance(kind, Boolean):
        new = 0 if value else 1
    elif isinstance(kind, DateTime):
        moment = datetime.fromisoformat(value or "2027-01-01") + timedelta(days=1)
        new = moment.isoformat(sep=" ", timespec="microseconds")
    elif isinstance(kind, Integer):
        new = (value or 0) + 977
    elif isinstance(kind, Float):
        new = (value or 0.0) + 0.25
    else:
        new = f"{value or ''}x"
    return new


def _other_json(value: Any) -> str:  # noqa: ANN401 - any column's
    if isinstance(value, list):
        return json.dumps(value[:-1] if value else [1])
    if isinstance(value, dict):
        changed = {**value}
        key = min(changed, default="a")
        changed[key] = 977 if not isinstance(changed.get(key), str) else f"{changed[key]}x"
        return json.dumps(changed)
    return json.dumps(977)


def rows_of(database: sqlite3.Connection, table: Table) -> list[int]:
    """The first and the last row of a table, by SQLite's own numbers."""
    found = database.execute(f'SELECT min(rowid), max(rowid) FROM "{table.name}"').fetchone()
    return sorted({one for one in found if one is not None})


def change(file: Path, place: Place) -> tuple[object, Place]:
    """Change one column of one row; returns what it was, and where the row is now."""
    column = METADATA.tables[place.table].c[place.column]
    with closing(sqlite3.connect(file)) as database:
        query = f'SELECT "{place.column}" FROM "{place.table}" WHERE rowid = ?'
        (before,) = database.execute(query, [place.rowid]).fetchone()
    new = other(column, place.name, before)
    put(file, place, new)
    with closing(sqlite3.connect(file)) as database:
        stays = database.execute(query, [place.rowid]).fetchone() is not None
    # A key of one integer is SQLite's own number of the row.
    return before, place if stays else replace(place, rowid=new)


def put(file: Path, place: Place, value: object) -> None:
    """Write a value into a column, whatever the tables' checks say."""
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        query = f'UPDATE "{place.table}" SET "{place.column}" = ? WHERE rowid = ?'
        assert database.execute(query, [value, place.rowid]).rowcount == 1, place


def named(world: World) -> str:
    """What verify finds; a program that is not found any more is named by that."""
    try:
        found = world.product.reports.verify(CYCLE, live=False)
    except NotFoundError as error:
        return str(error)
    return "; ".join(f.what for f in found.findings if f.fatal)


def walked(file: Path) -> list[Place]:
    """Every column of the first and the last row of every table."""
    with closing(sqlite3.connect(file)) as database:
        return [
            Place(table.name, column.name, rowid)
            for table in METADATA.sorted_tables
            for rowid in rows_of(database, table)
            for column in table.c
        ]


def is_excused(place: Place, excuses: Mapping[str, set[str]]) -> bool:
    return bool(excuses.get(place.table, set()) & {"all", place.column})


def test_every_column_that_the_page_does_not_excuse_is_named_when_it_is_changed(
    world: World,
) -> None:
    file, excuses, unseen = world.ledger._database.file, excused(), set()
    assert file is not None
    compared = [place for place in walked(file) if not is_excused(place, excuses)]

    for place in compared:
        before, there = change(file, place)
        if not named(world):
            unseen.add(place.name)
        put(file, there, before)

    assert unseen == set()
    assert len({place.name for place in compared}) > 150
    assert world.product.reports.verify(CYCLE).findings == ()


def test_the_cycle_of_this_test_has_rows_in_every_table_that_is_compared(world: World) -> None:
    file, excuses = world.ledger._database.file, excused()
    assert file is not None
    filled = {place.table for place in walked(file)}

    compared = {t.name for t in METADATA.sorted_tables if excuses.get(t.name) != {"all"}}

    assert compared - filled == set()


def test_the_page_excuses_no_column_that_is_not_there_or_that_is_compared_after_all(
    world: World,
) -> None:
    source, excuses = world.ledger._database.file, excused()
    assert source is not None
    columns = {t.name: {c.name for c in t.c} for t in METADATA.sorted_tables}
    wrong = {
        table: names - columns.get(table, set()) - {"all"} for table, names in excuses.items()
    }
    assert {table: names for table, names in wrong.items() if names} == {}
    assert set(excuses) <= set(columns)

    noticed = set()
    for place in walked(source):
        if place.column in excuses.get(place.table, set()):
            before, there = change(source, place)
            if named(world):
                noticed.add(place.name)
            put(source, there, before)

    assert noticed == set()
