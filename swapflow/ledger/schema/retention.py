"""Tables of what is kept for how long."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Text
from sqlmodel import Field

from swapflow.ledger.schema.base import JsonText, Row


class RetentionRuleRow(Row):
    """How long a round keeps a kind of data; the last row of a kind is in force."""

    __tablename__ = "retention_rule"
    id: int | None = Field(default=None, primary_key=True)
    round_id: str = Field(foreign_key="round.id", index=True)
    kind: str
    days: int | None = None
    by: str
    at: datetime


class RetentionDeletionRow(Row):
    """What a rule deleted, in rows or files, and who had set the rule."""

    __tablename__ = "retention_deletion"
    id: int | None = Field(default=None, primary_key=True)
    round_id: str = Field(foreign_key="round.id", index=True)
    cycle_id: str
    kind: str
    rows: int
    days: int
    set_by: str
    at: datetime


class LegalHoldRow(Row):
    """A named person keeps data of a round, program or applicant from being deleted."""

    __tablename__ = "legal_hold"
    id: int | None = Field(default=None, primary_key=True)
    round_id: str = Field(foreign_key="round.id", index=True)
    cycle_id: str
    application: int | None = None
    reviewer: int | None = None
    reason: str = Field(sa_type=Text)
    by: str
    at: datetime
    lifted_by: str
    lifted_reason: str = Field(sa_type=Text)
    lifted_at: datetime | None = None


class BackupRunRow(Row):
    """A backup that was made, or a rehearsal of restoring one: by whom, and what it came to.

    `saw` is what a rehearsal found, as JSON; `touched_at` is moved while the run goes on.
    """

    __tablename__ = "backup_run"
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    file: str
    by: str
    at: datetime
    touched_at: datetime
    ended_at: datetime | None = None
    state: str
    done: int = Field(sa_type=BigInteger)
    total: int = Field(sa_type=BigInteger)
    problem: str = Field(sa_type=Text)
    saw: list[dict[str, Any]] = Field(sa_type=JsonText)
