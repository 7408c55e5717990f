"""Reads behind the tables of people: what is asked for, without a date, or far apart, and names.

Each counts in the database, so that a table of twenty thousand is built in a moment.
"""

import hashlib
from collections.abc import Collection

from sqlalchemy import ColumnElement, Text, cast, exists, func, literal, select
from typing_extensions import override

from swapflow.domain.reviewing.assignment import AssignmentStatus, PullStatus
from swapflow.engine.ports.overview import OverviewReads
from swapflow.engine.ports.records import Load
from swapflow.ledger.core.database import Database
from swapflow.ledger.schema import APPLICATION, ASSIGNMENT, INTERVIEW, PERSON, PULL, SCORE
from swapflow.ledger.schema.reviewing import OPEN_ONLY, UNFINISHED_ONLY


_WHOM = ASSIGNMENT.c.application + 0
"""Whom an assignment is about, as an expression: SQLite would otherwise group in the order of an
index of all assignments instead of reading the few that are open."""


class SqlTables(OverviewReads):
    """The part of the ledger behind the tables of people.

    Raises:
        UnavailableError: From any method, if the database does not answer.
    """

    _database: Database

    @override
    def names_digest(self, cycle_id: str) -> str:
        parts = (APPLICATION.c.external_id, PERSON.c.name, APPLICATION.c.status)
        between = literal("\x1f")
        told: ColumnElement[str] = cast(APPLICATION.c.number, Text)
        for part in parts:
            told = told.concat(between).concat(func.coalesce(part, ""))
        ordered = (
            select(told.label("told"))
            .select_from(APPLICATION.outerjoin(PERSON, PERSON.c.id == APPLICATION.c.person_id))
            .where(APPLICATION.c.cycle_id == cycle_id)
            .order_by(APPLICATION.c.number)
            .subquery()
        )
        joined = func.group_concat if self._database.is_sqlite else func.string_agg
        with self._database.reading() as connection:
            whole = connection.execute(select(joined(ordered.c.told, literal("\x1e")))).scalar()
        return hashlib.sha256((whole or "").encode()).hexdigest()

    @override
    def asked_for(self, cycle_id: str) -> dict[tuple[int, int], int]:
        query = (
            select(_WHOM, ASSIGNMENT.c.kind, func.count())
            # In the words of a partial index, or SQLite would not use it.
            .where(ASSIGNMENT.c.cycle_id == cycle_id, OPEN_ONLY)
            .group_by(_WHOM, ASSIGNMENT.c.kind)
        )
        with self._database.reading() as connection:
            return {
                (application, kind): count
                for application, kind, count in connection.execute(query)
            }

    @override
    def undated(self, cycle_id: str, kinds: Collection[int]) -> frozenset[int]:
        dated = exists().where(INTERVIEW.c.pull_id == PULL.c.id, ~INTERVIEW.c.cancelled)
        query = (
            select(PULL.c.application + 0)
            .where(
                PULL.c.cycle_id == cycle_id,
                UNFINISHED_ONLY,
                PULL.c.status == PullStatus.OPEN.value,
                PULL.c.kind.in_(sorted(kinds)),
                ~dated,
            )
            .distinct()
        )
        with self._database.reading() as connection:
            return frozenset(connection.execute(query).scalars())

    @override
    def far_apart(self, cycle_id: str, *, least: int) -> frozenset[int]:
        later = SCORE.alias("later")
        corrected = exists().where(
            later.c.assignment_id == SCORE.c.assignment_id, later.c.revision > SCORE.c.revision
        )
        query = (
            select(SCORE.c.application)
            .where(SCORE.c.cycle_id == cycle_id, SCORE.c.counts, ~corrected)
            .group_by(SCORE.c.application)
            .having(func.max(SCORE.c.value) - func.min(SCORE.c.value) >= least)
        )
        with self._database.reading() as connection:
            return frozenset(connection.execute(query).scalars())

    @override
    def counted_loads(self, cycle_id: str) -> dict[int, Load]:
        waiting = self._waiting_by_reviewer(cycle_id)
        query = (
            select(ASSIGNMENT.c.reviewer, func.count())
            .where(
                ASSIGNMENT.c.cycle_id == cycle_id,
                ASSIGNMENT.c.status == AssignmentStatus.SCORED.value,
            )
            .group_by(ASSIGNMENT.c.reviewer)
        )
        with self._database.reading() as connection:
            done: dict[int, int] = dict(map(tuple, connection.execute(query)))
        return {
            reviewer: Load(
                waiting=waiting.get(reviewer, (0, 0))[0],
                overdue=waiting.get(reviewer, (0, 0))[1],
                done=done.get(reviewer, 0),
                median_days=None,
                last_at=None,
            )
            for reviewer in waiting.keys() | done.keys()
        }

    def _waiting_by_reviewer(self, cycle_id: str) -> dict[int, tuple[int, int]]:
        """Count each reviewer's open assignments, and the overdue ones."""
        totals: dict[int, tuple[int, int]] = {}
        for one in self.waiting(cycle_id):
            count, overdue = totals.get(one.reviewer, (0, 0))
            totals[one.reviewer] = (count + one.count, overdue + one.overdue)
        return totals
