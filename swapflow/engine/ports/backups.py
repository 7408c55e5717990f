"""The record of backups that were made, and of rehearsals of restoring one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class RunKind(StrEnum):
    """What was done."""

    BACKUP = "backup"
    REHEARSAL = "rehearsal"


class RunState(StrEnum):
    """How a run came out; INTERRUPTED is one whose process is gone."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenProgram:
    """What a rehearsal found of one program in a backup.

    Attributes:
        passed: Whether its replay agrees with its record.
        problem: Why it does not, or why it could not be read, a message; "" when it passed.
    """

    program: str
    events: int
    decisions: int
    passed: bool
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupRun:
    """A backup that was made, or a rehearsal of restoring one.

    Attributes:
        file: Name of the backup.
        touched_at: When it was last seen to go on.
        done: Bytes written, or programs verified, by now.
        total: Of how many, as expected at the start.
        problem: Why it failed, a message; "" while it did not.
        saw: What a rehearsal found.
    """

    id: int
    kind: RunKind
    file: str
    by: str
    at: datetime
    touched_at: datetime
    ended_at: datetime | None
    state: RunState
    done: int
    total: int
    problem: str
    saw: tuple[SeenProgram, ...]

    @property
    def passed(self) -> bool:
        """Whether all went well: it ended, and every program that it saw verifies."""
        return self.state is RunState.DONE and all(one.passed for one in self.saw)


class BackupRecord(Protocol):
    """The record of backups and rehearsals."""

    def backup_runs(self, *, at_most: int) -> tuple[BackupRun, ...]:
        """Read the last runs, newest first."""
        ...

    def last_backup_at(self) -> datetime | None:
        """Read when the last backup that was made ended; None if there was none."""
        ...

    def begin_run(
        self, kind: RunKind, file: str, *, by: str, total: int, stale_before: datetime
    ) -> int | None:
        """Store that a run begins, and return its number.

        Returns:
            None while another run goes on that was touched since `stale_before`; of two at the
            same moment one begins.
        """
        ...

    def touch_run(self, run: int, *, done: int) -> None:
        """Store that a run goes on, and how far it is."""
        ...

    def end_run(
        self,
        run: int,
        state: RunState,
        *,
        done: int = 0,
        problem: str = "",
        saw: Sequence[SeenProgram] = (),
    ) -> None:
        """Store how a run ended."""
        ...
