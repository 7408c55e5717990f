"""Reads and writes of the reviewers' pages: drafts, skips, documents, slots, own answers.

None of it is an event, and no cycle's row is locked: a draft must be saved while the coordinator
works, and affects no decision.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, bindparam, delete, func, insert, select, update
from typing_extensions import override

from swapflow.domain.people.application import Application
from swapflow.domain.people.document import Document, NewDocument
from swapflow.domain.people.interview import Diary, Interview
from swapflow.domain.reviewing.score import Draft, ScoreDetails
from swapflow.engine.ports.requests import RequestReads
from swapflow.engine.ports.reviewer_tasks import ReviewerTasks
from swapflow.errors import NotFoundError
from swapflow.ledger.core import queries
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import columns
from swapflow.ledger.core.statements import insert_all, insert_ignoring, require_cycle, rows_in
from swapflow.ledger.cycle.draft_batches import DraftBatches
from swapflow.ledger.cycle.imported_lists import (
    read_imported_values,
    read_list_reading,
    read_list_readings,
)
from swapflow.ledger.cycle.lists.diaries import read_diary
from swapflow.ledger.schema import (
    DOCUMENT,
    DOCUMENT_CONTENT,
    DRAFT,
    INTERVIEW,
    PULL,
    SKIP,
)


_IN_VALUES: BindParameter[Any] = bindparam("values", expanding=True)
_DRAFTS = select(DRAFT).where(DRAFT.c.assignment_id.in_(_IN_VALUES))
_SKIPS = select(SKIP).where(SKIP.c.assignment_id.in_(_IN_VALUES))
_INTERVIEWS = select(*columns(INTERVIEW, Interview)).where(INTERVIEW.c.pull_id.in_(_IN_VALUES))
_CONTENT = (
    (DOCUMENT_CONTENT.c.cycle_id == DOCUMENT.c.cycle_id)
    & (DOCUMENT_CONTENT.c.application == DOCUMENT.c.application)
    & (DOCUMENT_CONTENT.c.position == DOCUMENT.c.position)
    & (DOCUMENT_CONTENT.c.version == DOCUMENT.c.version)
)
_FILES = (
    select(
        DOCUMENT.c.position,
        DOCUMENT.c.name,
        DOCUMENT.c.link,
        DOCUMENT.c.redacted,
        DOCUMENT_CONTENT.c.media,
        func.length(DOCUMENT_CONTENT.c.body).label("size"),
    )
    .select_from(DOCUMENT.outerjoin(DOCUMENT_CONTENT, _CONTENT))
    .where(
        DOCUMENT.c.cycle_id == bindparam("cycle"),
        DOCUMENT.c.application == bindparam("application"),
    )
    .order_by(DOCUMENT.c.position, DOCUMENT.c.version)
)


class SqlReviewerTasks(RequestReads, ReviewerTasks):
    """The part of the ledger behind the reviewers' pages.

    Raises:
        UnavailableError: From any method, if the database does not answer.
    """

    _database: Database
    _draft_saves: DraftBatches

    @override
    def application(self, cycle_id: str, number: int) -> Application:
        """Read one application.

        Raises:
            NotFoundError: If the cycle has none of this number.
        """
        found = self.applications_numbered(cycle_id, [number])
        if not found:
            raise NotFoundError("application_number_not_found", cycle=cycle_id, number=number)
        return found[0]

    @override
    def applications_numbered(
        self, cycle_id: str, numbers: Collection[int]
    ) -> tuple[Application, ...]:
        with self._database.reading() as connection:
            return queries.applications(connection, cycle_id, numbers)

    # Drafts

    @override
    def drafts(self, ids: Collection[str]) -> dict[str, Draft]:
        with self._database.reading() as connection:
            return {
                row.assignment_id: Draft(
                    assignment_id=row.assignment_id,
                    version=row.version,
                    body=row.body,
                    at=row.at,
                )
                for row in rows_in(connection, _DRAFTS, ids)
            }

    @override
    def save_draft(self, assignment_id: str, body: Mapping[str, str], *, expected: int) -> Draft:
        """Store what a reviewer has typed so far, if the version is the one they started from.

        Saving the stored text again changes nothing, so a save may be repeated. Saves at the same
        time share one commit.

        Raises:
            NotFoundError: If there is no such assignment.
            AssignmentClosedError: If it was answered, declined or cancelled.
            StaleDraftError: If another version is stored by now, with another body.
        """
        return self.save_draft_soon(assignment_id, body, expected=expected).result()

    @override
    def save_draft_soon(
        self, assignment_id: str, body: Mapping[str, str], *, expected: int
    ) -> Future[Draft]:
        return self._draft_saves.save(assignment_id, body, expected=expected)

    @override
    def drop_draft(self, assignment_id: str) -> None:
        with self._database.writing() as connection:
            connection.execute(delete(DRAFT).where(DRAFT.c.assignment_id == assignment_id))

    # Skipped tasks

    @override
    def skip(self, assignment_id: str) -> None:
        with self._database.writing() as connection:
            now = self._database.now(connection)
            if not insert_ignoring(
                connection, SKIP, [{"assignment_id": assignment_id, "at": now}]
            ):
                connection.execute(
                    update(SKIP).where(SKIP.c.assignment_id == assignment_id).values(at=now)
                )

    @override
    def skips(self, ids: Collection[str]) -> dict[str, datetime]:
        with self._database.reading() as connection:
            return {row.assignment_id: row.at for row in rows_in(connection, _SKIPS, ids)}

    # Own answers and slots

    @override
    def given(self, assignment_id: str) -> ScoreDetails | None:
        with self._database.reading() as connection:
            return queries.score_details(connection, assignment_id)

    @override
    def interviews(self, pull_ids: Collection[str]) -> dict[str, Interview]:
        with self._database.reading() as connection:
            return {
                row.pull_id: Interview(**row._asdict())
                for row in rows_in(connection, _INTERVIEWS, pull_ids)
            }

    @override
    def dated_kinds(self, cycle_id: str) -> frozenset[int]:
        query = (
            select(PULL.c.kind)
            .join(INTERVIEW, INTERVIEW.c.pull_id == PULL.c.id)
            .where(PULL.c.cycle_id == cycle_id)
            .distinct()
        )
        with self._database.reading() as connection:
            return frozenset(connection.execute(query).scalars())

    @override
    def diary(self, cycle_id: str) -> Diary:
        with self._database.reading() as connection:
            return read_diary(connection, cycle_id)

    # Documents

    @override
    def imported_values(self, cycle_id: str) -> dict[int, dict[str, str]]:
        with self._database.reading() as connection:
            return read_imported_values(connection, cycle_id)

    @override
    def list_reading(self, cycle_id: str, what: str) -> dict[str, str]:
        with self._database.reading() as connection:
            return read_list_reading(connection, cycle_id, what)

    @override
    def list_readings(self, what: Sequence[str]) -> list[dict[str, str]]:
        with self._database.reading() as connection:
            return read_list_readings(connection, what)

    @override
    def files(self, cycle_id: str, application: int) -> tuple[Document, ...]:
        asked = {"cycle": cycle_id, "application": application}
        with self._database.reading() as connection:
            return tuple(
                Document(
                    position=row.position,
                    name=row.name,
                    link=row.link,
                    redacted=row.redacted,
                    media=row.media or "",
                    size=row.size or 0,
                )
                for row in connection.execute(_FILES, asked)
            )

    @override
    def file_content(self, cycle_id: str, application: int, position: int) -> bytes:
        query = (
            select(DOCUMENT_CONTENT.c.body)
            .filter_by(cycle_id=cycle_id, application=application, position=position)
            .order_by(DOCUMENT_CONTENT.c.version.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            body = connection.execute(query).scalar_one_or_none()
        if body is None:
            raise NotFoundError("document_not_found")
        return bytes(body)

    @override
    def with_files(self, cycle_id: str) -> frozenset[int]:
        query = select(DOCUMENT.c.application).filter_by(cycle_id=cycle_id).distinct()
        with self._database.reading() as connection:
            return frozenset(connection.execute(query).scalars())

    @override
    def add_files(self, cycle_id: str, new: Sequence[tuple[int, NewDocument]]) -> None:
        with self._database.writing() as connection:
            require_cycle(connection, cycle_id)
            now = self._database.now(connection)
            for application, document in new:
                key = {"cycle_id": cycle_id, "application": application}
                known = connection.execute(
                    select(DOCUMENT.c.position, DOCUMENT.c.version, DOCUMENT.c.name).filter_by(
                        **key
                    )
                ).all()
                same = [row for row in known if row.name == document.name]
                position = (
                    same[0].position
                    if same
                    else 1 + max((row.position for row in known), default=-1)
                )
                version = 1 + max((row.version for row in same), default=0)
                place = key | {"position": position}
                for table in (DOCUMENT, DOCUMENT_CONTENT):
                    connection.execute(delete(table).filter_by(**place))
                place |= {"version": version}
                connection.execute(
                    insert(DOCUMENT),
                    place | {"name": document.name, "link": "", "redacted": document.redacted},
                )
                insert_all(
                    connection,
                    DOCUMENT_CONTENT,
                    [
                        place
                        | {
                            "media": document.media,
                            "digest": hashlib.sha256(document.body).hexdigest(),
                            "body": document.body,
                            "at": now,
                        }
                    ],
                )
