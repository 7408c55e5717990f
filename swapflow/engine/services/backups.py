"""Backups that people of the office make, and rehearsals of restoring one."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from swapflow.engine.audit.verify import verify
from swapflow.engine.coordination.turns import readable_cycles
from swapflow.engine.ports.backup_store import BackupStore, StoredCopy
from swapflow.engine.ports.backups import BackupRun, RunKind, RunState, SeenProgram
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.services.context import ServiceContext
from swapflow.errors import ConflictError, NotFoundError, SwapflowError, UnavailableError
from swapflow.messages import Message


OLD_AFTER = timedelta(days=7)
"""Age from which the last backup is a thing to do."""

TOUCHED_EVERY = 2.0
"""Seconds between two notes of how far a run is."""

STALE_AFTER = timedelta(seconds=60)
"""A run that was not touched for so long is interrupted: its process is gone."""

RUNS_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupService:
    """Backups that people of the office make, and rehearsals of restoring one.

    Each is one run on record. A page starts one and comes back to see how far it is; a command
    waits for it.
    """

    context: ServiceContext

    @property
    def can(self) -> bool:
        """Whether this deployment has a place for backups: a record in memory has none."""
        return self.context.backups is not None

    def copies(self) -> tuple[StoredCopy, ...]:
        """List the backups that are there, newest first."""
        store = self.context.backups
        return () if store is None else tuple(c for c in store.copies() if c.is_backup)

    def runs(self, *, at_most: int = RUNS_SHOWN) -> tuple[BackupRun, ...]:
        """Read the last backups and rehearsals on record, newest first."""
        return self.context.ledger.backup_runs(at_most=at_most)

    def under_way(self, run: BackupRun) -> bool:
        """Whether a run goes on; one whose process is gone does not."""
        return run.state is RunState.RUNNING and run.touched_at >= self._stale_before()

    def last(self) -> datetime | None:
        """Return when the last backup was made, by record or by the files; None for never."""
        # A backup may have been moved to another machine, and one may have come from a file.
        recorded = self.context.ledger.last_backup_at()
        made = [copy.made_at for copy in self.copies()[:1]]
        return max([*made, *([recorded] if recorded else [])], default=None)

    def overdue_days(self) -> int | None:
        """Return how many days old the last backup is, once that is too many; None before.

        Without any backup the days count from the first decision of a program: what nobody has
        worked on yet can be set up again.
        """
        if not self.can:
            return None
        since = self.last() or self._worked_since()
        age = self.context.ledger.now() - since if since else timedelta()
        return age.days if age > OLD_AFTER else None

    def start(self, *, by: str) -> BackupRun:
        """Begin a backup and return at once; one that goes on already is returned instead."""
        return self._start(lambda: self._begin_backup(by), self._back_up)

    def start_rehearsal(self, *, by: str) -> BackupRun:
        """Begin a rehearsal of restoring the newest backup, and return at once."""
        return self._start(lambda: self._begin_rehearsal("", by), self._rehearse)

    def make(self, *, by: str) -> BackupRun:
        """Make a backup and wait for it.

        Raises:
            ConflictError: If a backup or a rehearsal goes on.
            UnavailableError: If disk or database do not do it.
        """
        run = self._required(self._begin_backup(by))
        self._back_up(run)
        return self._ended(run)

    def rehearse(self, *, by: str, file: str = "") -> BackupRun:
        """Restore a backup beside everything else, verify each program, and wait for it.

        Args:
            by: Who.
            file: Name of the backup; the newest when "".

        Raises:
            NotFoundError: If there is no backup, or none of this name.
            ConflictError: If a backup or a rehearsal goes on.
        """
        run = self._required(self._begin_rehearsal(file, by))
        self._rehearse(run)
        return self._ended(run)

    def note_made(self, file: str, size: int, *, by: str) -> None:
        """Put a backup on record that was written to a file of the caller's choice."""
        run = self._begin(RunKind.BACKUP, file, size, by)
        if run is not None:
            self.context.ledger.end_run(run.id, RunState.DONE, done=size)

    def _begin_backup(self, by: str) -> BackupRun | None:
        store = self._store()
        name = f"swapflow-{self.context.ledger.now():%Y%m%dT%H%M%S%f}Z.backup"
        return self._begin(RunKind.BACKUP, name, store.expected_size(), by)

    def _begin_rehearsal(self, file: str, by: str) -> BackupRun | None:
        known = [copy.name for copy in self.copies()]
        if not known or (file and file not in known):
            raise NotFoundError("backup_not_found" if known else "no_backup_yet", file=file)
        # Of the office now, which may have more programs than the backup: it is only a forecast.
        total = len(readable_cycles(self.context.ledger))
        return self._begin(RunKind.REHEARSAL, file or known[0], total, by)

    def _begin(self, kind: RunKind, file: str, total: int, by: str) -> BackupRun | None:
        number = self.context.ledger.begin_run(
            kind, file, by=by, total=total, stale_before=self._stale_before()
        )
        return None if number is None else self._read(number)

    def _start(
        self, begin: Callable[[], BackupRun | None], work: Callable[[BackupRun], None]
    ) -> BackupRun:
        run = begin()
        if run is None:
            return next(one for one in self.runs() if one.state is RunState.RUNNING)
        # A daemon: a process that must stop leaves the run interrupted, and no half file counts.
        threading.Thread(target=work, args=[run], name=f"backup-{run.id}", daemon=True).start()
        return run

    def _back_up(self, run: BackupRun) -> None:
        store = self._store()
        # The file on disk tells how far it is: no database says that of its own copy.
        with self._on_record(run), self._touched(run, lambda: store.written(run.file)):
            copy = store.make(run.file)
            self.context.ledger.end_run(run.id, RunState.DONE, done=copy.size)

    def _rehearse(self, run: BackupRun) -> None:
        saw: list[SeenProgram] = []
        store = self._store()
        with (
            self._on_record(run),
            self._touched(run, lambda: len(saw)),
            store.opened(run.file) as copy,
        ):
            for program in _verified(copy):
                saw.append(program)  # noqa: PERF402 - its length is read meanwhile
            self.context.ledger.end_run(run.id, RunState.DONE, done=len(saw), saw=saw)

    @contextmanager
    def _on_record(self, run: BackupRun) -> Iterator[None]:
        """Store why a run fails, for those who wait for it to read."""
        try:
            yield
        except Exception as error:
            # Also a bug must end the run: no person sees a thread fail.
            known = isinstance(error, SwapflowError)
            problem = error.message if isinstance(error, SwapflowError) else Message("run_broke")
            self.context.ledger.end_run(run.id, RunState.FAILED, problem=problem)
            if not known:
                raise

    @contextmanager
    def _touched(self, run: BackupRun, done: Callable[[], int]) -> Iterator[None]:
        """Note how far a run is while the block works."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(TOUCHED_EVERY):
                # A busy database must not end the run that it keeps from being noted.
                with suppress(SwapflowError):
                    self.context.ledger.touch_run(run.id, done=done())

        watcher = threading.Thread(target=watch, name=f"backup-{run.id}-watch", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()

    def _required(self, run: BackupRun | None) -> BackupRun:
        if run is None:
            raise ConflictError("backup_under_way")
        return run

    def _ended(self, run: BackupRun) -> BackupRun:
        ended = self._read(run.id)
        if ended.state is RunState.FAILED:
            raise UnavailableError(
                ended.problem if isinstance(ended.problem, Message) else "run_broke"
            )
        return ended

    def _read(self, number: int) -> BackupRun:
        return next(one for one in self.runs() if one.id == number)

    def _store(self) -> BackupStore:
        if self.context.backups is None:
            raise ConflictError("no_place_for_backups")
        return self.context.backups

    def _stale_before(self) -> datetime:
        return self.context.ledger.now() - STALE_AFTER

    def _worked_since(self) -> datetime | None:
        ledger = self.context.ledger
        cycles = [cycle for cycle in readable_cycles(ledger) if cycle.is_launched]
        begun = [ledger.process_health(cycle.id).begun_at for cycle in cycles]
        return min((at for at in begun if at is not None), default=None)


def _verified(copy: Ledger) -> Iterator[SeenProgram]:
    """Verify every program of a copy; one that cannot be read does not keep others from it."""
    damaged: list[SeenProgram] = []
    cycles = readable_cycles(
        copy,
        lambda error: damaged.append(
            SeenProgram(
                program=error.cycle, events=0, decisions=0, passed=False, problem=error.message
            )
        ),
    )
    for cycle in cycles:
        # Without the live state: Redis has that of now, not of the day of the backup.
        found = verify(cycle.id, ledger=copy)
        fatal = [one.what for one in found.findings if one.fatal]
        yield SeenProgram(
            program=cycle.id,
            events=found.events,
            decisions=found.decisions,
            passed=found.passed,
            problem="" if found.passed else fatal[0],
        )
    yield from damaged
