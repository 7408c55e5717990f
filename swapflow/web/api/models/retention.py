"""Kept data and backups as JSON: rules, holds, deletions, and runs on record."""

from datetime import datetime

from pydantic import Field

from swapflow.domain.people.kept_data import MOST_DAYS, KeptData
from swapflow.engine.ports.backups import RunKind, RunState
from swapflow.web.api.models.base import In, Line, Out, ShortName, Why


class KeptKind(Out):
    """One kind of data of a round: its rule, and when it goes."""

    kind: KeptData
    days: int | None = Field(description="Days after the round ended; null keeps it.")
    goes_at: datetime | None = Field(description="Null without a rule or while the round goes on.")
    count: int = Field(description="Rows or files that are there now and would go.")
    set_by: str
    held: bool = Field(description="Whether a legal hold keeps some of it.")
    revision: str = Field(description="To be sent as `If-Match` with another rule.")


class DeletionDone(Out):
    """What a rule deleted; `program` is null for backups, which hold all programs."""

    kind: KeptData
    program: str | None
    count: int
    days: int
    set_by: str
    at: datetime


class Hold(Out):
    """A legal hold, also one that was lifted."""

    hold: int
    program: str | None = Field(description="Null for the whole round.")
    person: str = Field(description='Id of the applicant or reviewer; "" for all.')
    reason: str
    by: str
    at: datetime
    lifted_by: str
    lifted_reason: str
    lifted_at: datetime | None


class Retention(Out):
    """What a round keeps for how long, what goes when, what went, and its holds."""

    round: str
    kinds: list[KeptKind]
    holds: list[Hold]
    deleted: list[DeletionDone]


class NewRetentionRule(In):
    """How long a kind of data is kept."""

    days: int | None = Field(ge=1, le=MOST_DAYS, description="Null deletes nothing.")


class NewHold(In):
    """A hold on a round, a program, or one person of a program."""

    program: ShortName | None = None
    applicant: Line = ""
    reviewer: Line = ""
    reason: Why


class LiftedHold(In):
    """Why a hold ends."""

    reason: Why


class SeenInBackup(Out):
    """What a rehearsal found of one program."""

    program: str
    events: int
    decisions: int
    passed: bool
    problem: str


class RunOnRecord(Out):
    """A backup that was made, or a rehearsal of restoring one."""

    run: int
    kind: RunKind
    file: str
    by: str
    at: datetime
    ended_at: datetime | None
    state: RunState
    done: int = Field(description="Bytes written, or programs verified.")
    total: int = Field(description="Of how many, as expected at the start.")
    passed: bool = Field(description="Whether it ended and every program seen verifies.")
    problem: str
    saw: list[SeenInBackup]


class BackupCopy(Out):
    """A backup that is there."""

    file: str
    made_at: datetime
    size: int = Field(description="Bytes.")


class BackupsShown(Out):
    """The backups that are there, and the last runs on record, newest first."""

    last: datetime | None = Field(description="When the last backup was made; null for never.")
    copies: list[BackupCopy]
    runs: list[RunOnRecord]
