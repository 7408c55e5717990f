"""Three small programs on one SQLite file, played by hand, of which a test damages one."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.engine.ports.live_state import CycleState
from swapflow.engine.services import ServiceContext, compose
from swapflow.errors import SwapflowError
from swapflow.identity.ports.integration_store import Webhook
from swapflow.ledger.schema.base import METADATA
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.queues.inline import InlineDispatcher
from swapflow.simulation.replay import decisions_digest
from swapflow.state.memory import MemoryCycleState, MemoryDoorbell
from tests.engine.cycle_by_hand import applicants, marks, reviewer, rules


PROGRAMS = ("one", "two", "three")
DAMAGED = "two"
INTACT = ("one", "three")


@dataclass(frozen=True, kw_only=True)
class List:
    """What a program came to."""

    cohort: tuple[str, ...]
    decisions: str
    stop: str


class Office:
    """A product on a file, with one coordinator, the workers and reviewers who answer at once."""

    def __init__(self, file: Path, *, state: CycleState | None = None) -> None:
        self.file = file
        self.ledger = SqlLedger(f"sqlite:///{file}")
        self.state = state or MemoryCycleState()
        self._dispatcher = InlineDispatcher(self._work)
        self.product = compose(
            ServiceContext(
                ledger=self.ledger,
                state=self.state,
                dispatcher=self._dispatcher,
                doorbell=MemoryDoorbell(),
                post=lambda _mail: None,
                lease_seconds=3600.0,
            )
        )
        self.coordinator = self.product.cycles.coordinator("one")

    def make(self) -> None:
        """Make and launch the three programs, and a webhook that hears of all their events."""
        self.product.cycles.new_round("round", name="Round")
        for seed, cycle_id in enumerate(PROGRAMS):
            self.product.cycles.new(
                cycle_id, round_id="round", rules=rules(budget=16, seed=seed), by="ops"
            )
            self.product.applicants.import_all(
                cycle_id,
                [replace(one, selection={"region": "north"}) for one in applicants(6)],
            )
            self.product.reviewers.import_all(
                cycle_id,
                [
                    reviewer(f"R{n}", email=f"r{n}@{cycle_id}.example", topics=("law",))
                    for n in range(3)
                ],
            )
            self.product.cycles.launch(cycle_id, by="ops")
        self.ledger.office().add_webhook(
            Webhook(
                id="hook",
                url="https://example.org",
                secret="s",
                events=("score.received", "batch.dispatched"),
                cycle_id=None,
                by="ops",
                created_at=self.ledger.now(),
                active=True,
            )
        )

    def step(self, programs: Sequence[str]) -> int:
        """Take one turn of everybody: coordinator, workers, and one answer of each reviewer."""
        done = self.coordinator.turn() + self._dispatcher.run_pending()
        for cycle_id in programs:
            names = {a.number: a.external_id for a in self.product.applicants.list(cycle_id)}
            for who in self.product.reviewers.list(cycle_id):
                for asked in self.product.tasks.inbox(cycle_id, who.external_id)[:1]:
                    utility = marks(
                        names[asked.application], "review", asked.ordinal, who.external_id
                    )
                    self.product.tasks.submit([Answer(assignment_id=asked.id, utility=utility)])
                    done += 1
        return done

    def play(self, programs: Sequence[str]) -> dict[str, List]:
        """Play some programs to their end; the others are left to the coordinator."""
        for _ in range(200):
            if all(self._has_ended(cycle_id) for cycle_id in programs):
                return {cycle_id: self.outcome(cycle_id) for cycle_id in programs}
            self.step([cycle_id for cycle_id in programs if not self._has_ended(cycle_id)])
        raise AssertionError("after 200 turns the programs have not ended")

    def outcome(self, cycle_id: str) -> List:
        return List(
            cohort=tuple(
                place.external_id for place in self.product.cohort.propose(cycle_id).cohort
            ),
            decisions=decisions_digest(self.product, cycle_id),
            stop=self.product.cycles.get(cycle_id).stop_reason or "",
        )

    def close(self) -> None:
        self.ledger.dispose()

    def _has_ended(self, cycle_id: str) -> bool:
        return self.product.cycles.get(cycle_id).status is CycleStatus.ENDED

    def _work(self, messages: Sequence[QueueMessage]) -> None:
        """Do what workers do: each message is a task of its own, and fails alone."""
        for message in messages:
            if message.topic is Topic.DELIVER:
                try:
                    self.product.tasks.deliver([message.id])
                except SwapflowError:
                    assert message.id.startswith(DAMAGED)


def columns_of_a_program(file: Path) -> list[tuple[str, str]]:
    """List every table that holds rows of the program, with each column that is no key."""
    with closing(sqlite3.connect(file)) as connection:
        return [
            (table.name, column.name)
            for table in METADATA.sorted_tables
            if (where := rows_of(table.name))
            and connection.execute(
                f'SELECT 1 FROM "{table.name}" WHERE {where} LIMIT 1'
            ).fetchone()
            for column in table.columns
            if not column.primary_key and column.name != "cycle_id"
        ]


def rows_of(table: str) -> str:
    """Return the SQL that picks the program's rows of a table; "" where none are its own."""
    columns = METADATA.tables[table].columns
    if table == "cycle":
        return f"id = '{DAMAGED}'"
    if table == "person":
        return f"email LIKE '%@{DAMAGED}.example'"
    if "cycle_id" in columns:
        return f"cycle_id = '{DAMAGED}'"
    owner = next((name for name in ("assignment_id", "pull_id") if name in columns), None)
    return "" if owner is None else f"{owner} LIKE '{DAMAGED}:%'"


def damage(file: Path, table: str, column: str, value: object = "nonsense{") -> None:
    """Overwrite a column of the program's rows, past every check of the database."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(
            f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE {rows_of(table)}', (value,)
        )
        connection.commit()
