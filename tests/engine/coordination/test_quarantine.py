"""One damaged program stops only itself: it is named, looked at again, and the others go on."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.engine.coordination.coordinator import Coordinator
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import Lease
from swapflow.errors import DamagedRecordError, UnavailableError
from swapflow.ledger.sql_ledger import SqlLedger
from tests.engine.coordination.three_programs import (
    DAMAGED,
    INTACT,
    PROGRAMS,
    List,
    Office,
    columns_of_a_program,
    damage,
)
from tests.support.migrated import new_database


@pytest.fixture(scope="module")
def under_way(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with three programs in the middle of asking."""
    file = tmp_path_factory.mktemp("three") / "swapflow.db"
    new_database(file)
    office = Office(file)
    office.make()
    for _ in range(4):
        office.step(PROGRAMS)
    assert all(
        office.product.cycles.get(c).status is CycleStatus.RUNNING
        and office.product.cycles.get(c).decisions
        for c in PROGRAMS
    )
    office.ledger.compact()
    office.close()
    return file


@pytest.fixture(scope="module")
def undisturbed(under_way: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, List]:
    """What each of the programs comes to while nothing is damaged."""
    with opened(under_way, tmp_path_factory.mktemp("undisturbed")) as office:
        return office.play(PROGRAMS)


class opened:  # noqa: N801 - reads as a function
    """An office on a copy of a file, closed at the end of the block."""

    def __init__(self, file: Path, folder: Path) -> None:
        self.file = folder / "copy.db"
        shutil.copy(file, self.file)

    def __enter__(self) -> Office:
        self.office = Office(self.file)
        return self.office

    def __exit__(self, *exception: object) -> None:
        self.office.close()


@pytest.fixture
def office(under_way: Path, tmp_path: Path) -> Iterator[Office]:
    with opened(under_way, tmp_path) as one:
        yield one


def damage_event(file: Path, *, body: str = "nonsense{") -> int:
    """Damage the last event of one program; gives its number."""
    with closing(sqlite3.connect(file)) as connection:
        (seq,) = connection.execute(
            "SELECT max(seq) FROM event WHERE cycle_id = ?", (DAMAGED,)
        ).fetchone()
        connection.execute(
            "UPDATE event SET body = ? WHERE cycle_id = ? AND seq = ?", (body, DAMAGED, seq)
        )
        connection.commit()
    return int(seq)


def test_whatever_rows_of_one_program_are_damaged_the_others_come_to_the_same_lists(
    under_way: Path, undisturbed: dict[str, List], tmp_path: Path
) -> None:
    tables: dict[str, list[str]] = {}
    for table, column in columns_of_a_program(under_way):
        tables.setdefault(table, []).append(column)

    assert walk(under_way, undisturbed, tmp_path, list(tables.items())) == {}
    assert set(tables) >= {
        "cycle",
        "rules",
        "event",
        "assignment",
        "pull",
        "score",
        "decision",
        "roster",
        "application",
        "person",
        "webhook_call",
    }


@pytest.mark.slow
def test_whatever_single_column_of_one_program_is_damaged_the_others_come_to_the_same_lists(
    under_way: Path, undisturbed: dict[str, List], tmp_path: Path
) -> None:
    kinds = [(table, [column]) for table, column in columns_of_a_program(under_way)]

    assert walk(under_way, undisturbed, tmp_path, kinds) == {}


def walk(
    under_way: Path,
    undisturbed: dict[str, List],
    folder: Path,
    kinds: list[tuple[str, list[str]]],
) -> dict[tuple[str, ...], str]:
    """Play on after each damage; gives what came out otherwise, by table and columns."""
    expected = {cycle_id: undisturbed[cycle_id] for cycle_id in INTACT}
    wrong: dict[tuple[str, ...], str] = {}
    for number, (table, columns) in enumerate(kinds):
        place = folder / str(number)
        place.mkdir()
        copy = opened(under_way, place)
        for column in columns:
            damage(copy.file, table, column)
        try:
            with copy as office:
                if (found := office.play(INTACT)) != expected:
                    wrong[table, *columns] = f"other lists: {found}"
        except Exception as error:  # noqa: BLE001 - each is a finding
            wrong[table, *columns] = f"{type(error).__name__}: {error}"
        shutil.rmtree(place)
    return wrong


@pytest.mark.parametrize(
    "body",
    [
        "nonsense{",
        "[]",
        '{"payload":{},"deltas":[],"spent":0,"committed":0}',
        '{"payload":null,"deltas":[["a","b","c","d"]],"spent":"x","committed":0}',
        "[" * 100_000,
    ],
    ids=["no JSON", "no event", "empty", "no integers", "too deep"],
)
def test_a_damaged_event_is_named_with_its_number_wherever_it_is_met(
    office: Office, body: str
) -> None:
    seq = damage_event(office.file, body=body)

    office.coordinator.turn()

    note = office.state.quarantined()[DAMAGED]
    assert note.event == seq
    assert f"event {seq} of program {DAMAGED}" in note.why
    assert set(office.state.quarantined()) == {DAMAGED}
    found = office.product.reports.verify(DAMAGED)
    assert not found.passed
    assert any(f"event {seq}" in finding.what for finding in found.findings)
    with pytest.raises(DamagedRecordError, match=f"event {seq} of program {DAMAGED}"):
        office.product.cohort.propose(DAMAGED)


def test_a_program_that_is_repaired_goes_on_once_its_record_is_verified(
    office: Office, undisturbed: dict[str, List]
) -> None:
    with closing(sqlite3.connect(office.file)) as connection:
        bodies = connection.execute("SELECT body, cycle_id, seq FROM event").fetchall()
    damage_event(office.file)
    assert office.play(INTACT) == {cycle_id: undisturbed[cycle_id] for cycle_id in INTACT}
    assert DAMAGED in office.state.quarantined()
    with closing(sqlite3.connect(office.file)) as connection:
        connection.executemany("UPDATE event SET body = ? WHERE cycle_id = ? AND seq = ?", bodies)
        connection.commit()

    assert office.product.reports.verify(DAMAGED).passed

    assert office.state.quarantined() == {}
    assert office.play([DAMAGED]) == {DAMAGED: undisturbed[DAMAGED]}
    assert office.state.quarantined() == {}


class Locked:
    """A ledger that one program's row is locked in, by a session that hangs."""

    def __init__(self, ledger: SqlLedger) -> None:
        self._ledger = ledger
        self.tries = 0

    def take_lease(self, cycle_id: str, *, holder: str, seconds: float) -> Lease | None:
        if cycle_id == DAMAGED:
            self.tries += 1
            raise UnavailableError("database_away")
        return self._ledger.take_lease(cycle_id, holder=holder, seconds=seconds)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the ledger has
        return getattr(self._ledger, name)


def test_a_program_whose_row_is_locked_holds_the_others_up_once_and_not_each_turn(
    office: Office, undisturbed: dict[str, List]
) -> None:
    locked = Locked(office.ledger)
    office.coordinator = Coordinator(
        ledger=cast("Ledger", locked),
        state=office.state,
        dispatcher=office.product.context.dispatcher,
        doorbell=office.product.context.doorbell,
        lease_seconds=3600.0,
        holder="one",
    )

    assert office.play(INTACT) == {cycle_id: undisturbed[cycle_id] for cycle_id in INTACT}

    assert locked.tries == 1
    assert office.state.quarantined() == {}
