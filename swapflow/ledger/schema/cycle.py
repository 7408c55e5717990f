"""Tables of rounds, cycles, their rules, kinds and forms."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    String,
    Text,
    UniqueConstraint,
)
from sqlmodel import Field

from swapflow.ledger.schema.base import JsonText, Row


class RoundRow(Row):
    """One season of an office."""

    __tablename__ = "round"
    id: str = Field(primary_key=True)
    name: str
    unit: str
    zone: str
    created_at: datetime


class CycleRow(Row):
    """One decision; this row's lock orders everything that happens to the cycle.

    The codes of its tasks are hashes with `task_key`, so that nobody can guess one. A practice
    program names in `practice_of` the program that it was copied from; a real one has "".
    At event `rest_seq` its leader had nothing to do, until `rest_until`.
    """

    __tablename__ = "cycle"
    __table_args__ = (
        CheckConstraint("spent + committed >= 0", name="cost_not_negative"),
        CheckConstraint("seq >= 0", name="seq_not_negative"),
    )
    id: str = Field(primary_key=True)
    round_id: str = Field(foreign_key="round.id", index=True)
    name: str
    purpose: str
    status: str
    seq: int = Field(sa_type=BigInteger)
    head_hash: str
    spent: int = Field(sa_type=BigInteger)
    committed: int = Field(sa_type=BigInteger)
    decisions: int
    rules_version: int
    cohort_version: int
    lease_holder: str
    lease_epoch: int
    lease_until: datetime | None
    created_at: datetime
    paused_at: datetime | None
    stop_reason: str | None
    task_key: str
    # The default is the database's alone: where it has no such column yet, rows are added without.
    practice_of: str = Field(
        default="", sa_column=Column(String, nullable=False, server_default="")
    )
    rest_seq: int = Field(
        default=-1, sa_column=Column(BigInteger, nullable=False, server_default="-1")
    )
    rest_until: datetime | None = None


class RulesRow(Row):
    """One immutable version of a cycle's rules; `reason` is erasable."""

    __tablename__ = "rules"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    body: str = Field(sa_type=Text)
    digest: str
    by: str
    reason: str = Field(sa_type=Text)
    at: datetime


class PullKindRow(Row):
    """One kind of a rules version, as a row for queries; `rules.body` is authoritative."""

    __tablename__ = "pull_kind"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "rules_version"], ["rules.cycle_id", "rules.version"]),
        UniqueConstraint("cycle_id", "rules_version", "name"),
    )
    cycle_id: str = Field(primary_key=True)
    rules_version: int = Field(primary_key=True)
    kind: int = Field(primary_key=True)
    name: str
    cost: int
    gain: int
    requires: str
    maximum: int
    total: int | None
    seats: int
    quorum: int
    approval: bool
    window_days: float


class SeatLineRow(Row):
    """Places of one line of a rules version."""

    __tablename__ = "seat_line"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "rules_version"], ["rules.cycle_id", "rules.version"]),
    )
    cycle_id: str = Field(primary_key=True)
    rules_version: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    name: str
    places: int
    funded: bool


class RubricRow(Row):
    """How the marks of one kind become a utility; assignments pin its version."""

    __tablename__ = "rubric"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    kind: str = Field(primary_key=True)
    version: int = Field(primary_key=True)
    criteria: list[Any] = Field(sa_type=JsonText)


class CoordinatorRow(Row):
    """A coordinator that is there until `until`; its programs name it in their leases."""

    __tablename__ = "coordinator"
    holder: str = Field(primary_key=True)
    since: datetime
    until: datetime


class ClockRow(Row):
    """One row: seconds that tests add to the database's time."""

    __tablename__ = "clock"
    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)
    id: int = Field(primary_key=True)
    offset_seconds: float
