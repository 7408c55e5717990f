"""Folds that are kept: as a fold from the first event at any moment, and after a restore."""

import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from swapflow.domain.cycle import START, Position
from swapflow.domain.event import Event
from swapflow.domain.rules import Rules
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.services import ServiceContext, compose
from swapflow.errors import NotFoundError, UnavailableError
from swapflow.ledger.sql_ledger import SqlLedger
from tests.engine.compared_projection import folded
from tests.engine.cycle_by_hand import CYCLE, World, open_ledger, reviewers, rules
from tests.support.migrated import new_database
from tests.support.waiting import CAP


class WatchedLedger(SqlLedger):
    """A ledger that notes from where events are read, and fails when told to.

    Attributes:
        read: The positions after which events were read.
        fails: Whether reading the rules of a version fails.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.read: list[Position] = []
        self.fails = False

    def events(self, cycle_id: str, *, after: Position, at_most: int) -> tuple[Event, ...] | None:
        self.read.append(after)
        return super().events(cycle_id, after=after, at_most=at_most)

    def rules(self, cycle_id: str, version: int = 0) -> Rules:
        if version and self.fails:
            raise UnavailableError("the database went away")
        return super().rules(cycle_id, version)


def world_in(folder: Path) -> World:
    return World(url=new_database(folder / "ledger.db"))


def test_only_what_is_new_is_read_once_a_cycle_was_folded(tmp_path: Path) -> None:
    world = world_in(tmp_path)
    world.run()
    ledger, snapshots = WatchedLedger(f"sqlite:///{tmp_path / 'ledger.db'}"), SnapshotCache()
    folded(snapshots, ledger)
    before = world.cycle.position
    world.hire(reviewers(5)[4:])
    ledger.read.clear()

    assert folded(snapshots, ledger) == folded(SnapshotCache(), world.ledger)

    assert before != START
    assert ledger.read[0] == before
    assert START not in ledger.read
    ledger.dispose()


def test_a_ledger_put_back_from_a_copy_is_folded_anew(tmp_path: Path) -> None:
    for name in ("now", "then"):
        (tmp_path / name).mkdir()
    world, snapshots = world_in(tmp_path / "now"), SnapshotCache()
    world.turn()
    world.ledger.backup(tmp_path / "then" / "ledger.db")
    world.run()
    folded(snapshots, world.ledger)
    restored = open_ledger(f"sqlite:///{tmp_path / 'then' / 'ledger.db'}")

    assert folded(snapshots, restored) == folded(SnapshotCache(), restored)
    assert folded(snapshots, restored) != folded(SnapshotCache(), world.ledger)

    # It goes on another way, past the place where the other history stood.
    other = compose(
        ServiceContext(
            ledger=restored,
            state=world.state,
            dispatcher=world.product.context.dispatcher,
            doorbell=world.product.context.doorbell,
            post=lambda _mail: None,
        )
    )
    folded(snapshots, world.ledger)
    while restored.cycle(CYCLE).position.seq <= world.cycle.position.seq:
        other.cycles.pause(CYCLE, by="ops", reason="another history")
        other.cycles.resume(CYCLE, by="ops", reason="another history")
    assert folded(snapshots, restored) == folded(SnapshotCache(), restored)
    restored.dispose()


def test_rules_of_a_draft_change_without_an_event_and_are_seen_at_once() -> None:
    world, snapshots = World(launch=False), SnapshotCache()
    folded(snapshots, world.ledger)

    world.product.cycles.change_rules(CYCLE, rules(budget=31), by="ops", reason="more")

    assert folded(snapshots, world.ledger) == folded(SnapshotCache(), world.ledger)
    with snapshots.at_head(CYCLE, ledger=world.ledger) as seen:
        assert seen.projection.rules.budget == 31


def test_a_fold_that_failed_halfway_is_thrown_away(tmp_path: Path) -> None:
    world, snapshots = (
        World(url=new_database(tmp_path / "ledger.db"), launch=False),
        SnapshotCache(),
    )
    ledger = WatchedLedger(f"sqlite:///{tmp_path / 'ledger.db'}")
    folded(snapshots, ledger)
    world.product.cycles.launch(CYCLE, by="ops")
    ledger.fails = True

    with pytest.raises(UnavailableError):
        folded(snapshots, ledger)

    ledger.fails = False
    assert folded(snapshots, ledger) == folded(SnapshotCache(), world.ledger)
    ledger.dispose()


def test_what_is_believed_is_made_once_and_anew_after_an_event() -> None:
    world, snapshots = World(), SnapshotCache()
    world.run()

    def assessment() -> object:
        with snapshots.at_head(CYCLE, ledger=world.ledger) as seen:
            return seen.assessment(ledger=world.ledger)

    first = assessment()

    assert assessment() is first
    world.hire(reviewers(5)[4:])
    assert assessment() is not first


def test_a_second_reader_waits_until_the_first_is_done_and_does_not_fold_beside_it() -> None:
    world, snapshots, done = World(), SnapshotCache(), threading.Event()
    world.run()

    def read() -> None:
        with snapshots.at_head(CYCLE, ledger=world.ledger):
            done.set()

    second = threading.Thread(target=read)
    with ExitStack() as first:
        first.enter_context(snapshots.at_head(CYCLE, ledger=world.ledger))
        second.start()
        assert not done.wait(0.2)
    second.join(CAP)

    assert done.is_set()


def test_the_cycle_asked_for_longest_ago_is_dropped_when_there_are_too_many(
    tmp_path: Path,
) -> None:
    world = world_in(tmp_path)
    world.product.cycles.new("spring", round_id="round", rules=rules(), by="ops")
    ledger, snapshots = WatchedLedger(f"sqlite:///{tmp_path / 'ledger.db'}"), SnapshotCache(most=1)
    folded(snapshots, ledger)
    folded(snapshots, ledger, cycle="spring")
    ledger.read.clear()

    folded(snapshots, ledger)

    assert ledger.read[0] == START
    ledger.dispose()


def test_a_cycle_that_is_not_there_is_not_found() -> None:
    world = World()

    with pytest.raises(NotFoundError), SnapshotCache().at_head("nowhere", ledger=world.ledger):
        pass
