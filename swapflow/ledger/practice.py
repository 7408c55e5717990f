"""Practice files, their marks and notes: stored and read."""

from collections.abc import Mapping

from sqlalchemy import Connection, insert, select
from typing_extensions import override

from swapflow.domain.reviewing.practice import (
    PracticeFile,
    PracticeMark,
    PracticeNote,
    PracticeRecord,
)
from swapflow.engine.ports.writes.practice import PracticeReads, PracticeWrites
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.database import Database
from swapflow.ledger.schema import PRACTICE_FILE, PRACTICE_MARK, PRACTICE_NOTE


class SqlPractice(PracticeReads):
    """The part of the ledger that reads practice files."""

    _database: Database

    @override
    def practice(self, cycle_id: str) -> PracticeRecord:
        with self._database.reading() as connection:
            return _practice(connection, cycle_id)


class SqlPracticeWrites(CycleLock, PracticeWrites):
    """The part of a transaction that writes practice files."""

    @override
    def practised(self) -> PracticeRecord:
        return _practice(self._connection, self._id)

    @override
    def insert_practice_file(self, title: str, text: str, *, by: str) -> int:
        number = len(self.practised().files)
        row = {"number": number, "title": title, "text": text, "by": by}
        self._connection.execute(
            insert(PRACTICE_FILE).values(cycle_id=self._id, at=self._now, **row)
        )
        return number

    @override
    def insert_practice_mark(
        self,
        file: int,
        reviewer: int,
        value: int,
        *,
        marks: Mapping[str, float | None],
        remark: str,
    ) -> None:
        row = {"file": file, "reviewer": reviewer, "value": value, "marks": dict(marks)}
        self._connection.execute(
            insert(PRACTICE_MARK).values(cycle_id=self._id, remark=remark, at=self._now, **row)
        )

    @override
    def insert_practice_note(self, file: int, text: str, *, reviewer: int | None, by: str) -> None:
        row = {"file": file, "text": text, "reviewer": reviewer, "by": by}
        self._connection.execute(
            insert(PRACTICE_NOTE).values(cycle_id=self._id, at=self._now, **row)
        )


def _practice(connection: Connection, cycle_id: str) -> PracticeRecord:
    """Read all practice of a cycle; most cycles have no file, and need one statement."""
    own = {"cycle_id": cycle_id}
    files = connection.execute(
        select(PRACTICE_FILE).filter_by(**own).order_by(PRACTICE_FILE.c.number)
    ).all()
    if not files:
        return PracticeRecord()
    marks = connection.execute(
        select(PRACTICE_MARK)
        .filter_by(**own)
        .order_by(PRACTICE_MARK.c.file, PRACTICE_MARK.c.reviewer)
    )
    notes = connection.execute(select(PRACTICE_NOTE).filter_by(**own).order_by(PRACTICE_NOTE.c.id))
    return PracticeRecord(
        files=tuple(
            PracticeFile(number=row.number, title=row.title, text=row.text, by=row.by, at=row.at)
            for row in files
        ),
        marks=tuple(
            PracticeMark(
                file=row.file,
                reviewer=row.reviewer,
                value=row.value,
                marks=row.marks,
                remark=row.remark,
                at=row.at,
            )
            for row in marks
        ),
        notes=tuple(
            PracticeNote(
                id=row.id,
                file=row.file,
                reviewer=row.reviewer,
                by=row.by,
                text=row.text,
                at=row.at,
            )
            for row in notes
        ),
    )
