"""The record of backups that were made and of rehearsals, in rows."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import func, insert, select, update
from typing_extensions import override

from swapflow.engine.ports.backups import BackupRecord, BackupRun, RunKind, RunState, SeenProgram
from swapflow.ledger.core.database import Database
from swapflow.ledger.schema import BACKUP_RUN, CLOCK
from swapflow.messages import plain, restored


class SqlBackupRecord(BackupRecord):
    """Backups and rehearsals, outside of any program's transaction."""

    _database: Database

    @override
    def backup_runs(self, *, at_most: int) -> tuple[BackupRun, ...]:
        query = select(BACKUP_RUN).order_by(BACKUP_RUN.c.id.desc()).limit(at_most)
        with self._database.reading() as connection:
            return tuple(_run(dict(row)) for row in connection.execute(query).mappings())

    @override
    def last_backup_at(self) -> datetime | None:
        query = (
            select(BACKUP_RUN.c.ended_at)
            .filter_by(kind=RunKind.BACKUP.value, state=RunState.DONE.value)
            .order_by(BACKUP_RUN.c.id.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            return connection.execute(query).scalar_one_or_none()

    @override
    def begin_run(
        self, kind: RunKind, file: str, *, by: str, total: int, stale_before: datetime
    ) -> int | None:
        with self._database.writing() as connection:
            # One row that exists everywhere orders those who begin at the same moment.
            connection.execute(select(CLOCK.c.offset_seconds).with_for_update()).first()
            under_way = select(func.count()).where(
                BACKUP_RUN.c.state == RunState.RUNNING.value,
                BACKUP_RUN.c.touched_at >= stale_before,
            )
            if connection.execute(under_way).scalar_one():
                return None
            now = self._database.now(connection)
            gone = BACKUP_RUN.c.state == RunState.RUNNING.value
            ended = {"state": RunState.INTERRUPTED.value, "ended_at": now}
            connection.execute(update(BACKUP_RUN).where(gone).values(ended))
            row: dict[str, object] = {
                "kind": kind.value,
                "file": file,
                "by": by,
                "at": now,
                "touched_at": now,
                "state": RunState.RUNNING.value,
                "done": 0,
                "total": total,
                "problem": '""',
                "saw": [],
            }
            made = connection.execute(insert(BACKUP_RUN).values(row).returning(BACKUP_RUN.c.id))
            return int(made.scalar_one())

    @override
    def touch_run(self, run: int, *, done: int) -> None:
        with self._database.writing() as connection:
            row = {"done": done, "touched_at": self._database.now(connection)}
            connection.execute(update(BACKUP_RUN).filter_by(id=run).values(row))

    @override
    def end_run(
        self,
        run: int,
        state: RunState,
        *,
        done: int = 0,
        problem: str = "",
        saw: Sequence[SeenProgram] = (),
    ) -> None:
        with self._database.writing() as connection:
            now = self._database.now(connection)
            row = {
                "state": state.value,
                "done": done,
                "problem": json.dumps(plain(problem)),
                "saw": [asdict(one) | {"problem": plain(one.problem)} for one in saw],
                "touched_at": now,
                "ended_at": now,
            }
            connection.execute(update(BACKUP_RUN).filter_by(id=run).values(row))


def _run(row: dict[str, object]) -> BackupRun:
    saw = row.pop("saw")
    assert isinstance(saw, list)
    return BackupRun(
        **{
            **row,
            "kind": RunKind(str(row["kind"])),
            "state": RunState(str(row["state"])),
            "problem": restored(json.loads(str(row["problem"]))),
            "saw": tuple(
                SeenProgram(**{**one, "problem": restored(one["problem"])}) for one in saw
            ),
        }  # type: ignore[arg-type]
    )
