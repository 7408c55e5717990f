"""Reads of a cycle's record: proposals, outcomes, signatures, remarks."""

from typing import Any

from sqlalchemy import Select, bindparam, func, select
from typing_extensions import override

from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.requests import RequestReads
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import (
    OUTCOME_COLUMNS,
    AnyRow,
    to_outcome,
    to_place,
    to_sheet,
)
from swapflow.ledger.core.statements import require_cycle
from swapflow.ledger.schema import (
    APPLICATION,
    ASSIGNMENT,
    DOCUMENT,
    NOTE,
    OUTCOME,
    PERSON,
    PLACE,
    PROPOSAL,
    REMARK,
    SCORE,
    SIGNATURE,
)


_PLACES = (
    select(PLACE, APPLICATION.c.external_id, PERSON.c.name)
    .select_from(
        PLACE.join(
            APPLICATION,
            (APPLICATION.c.cycle_id == PLACE.c.cycle_id)
            & (APPLICATION.c.number == PLACE.c.application),
        ).outerjoin(PERSON, PERSON.c.id == APPLICATION.c.person_id)
    )
    .where(PLACE.c.cycle_id == bindparam("cycle"))
    .order_by(PLACE.c.version, PLACE.c.rank)
)


class SqlRecordReads(RequestReads, DecisionReads):
    """The part of the ledger that reads the results of a cycle, for reports and exports.

    Raises:
        NotFoundError: From any method, if the cycle does not exist.
        UnavailableError: From any method, if the database does not answer.
    """

    _database: Database

    @override
    def proposals(self, cycle_id: str) -> tuple[tuple[int, tuple[Place, ...], MethodSheet], ...]:
        query = select(PROPOSAL).filter_by(cycle_id=cycle_id).order_by(PROPOSAL.c.version)
        places: dict[int, list[Place]] = {}
        with self._database.reading() as connection:
            proposals = connection.execute(query).all()
            sheets = {row.version: to_sheet(row.sheet) for row in proposals}
            close = {
                version: None if sheet.close is None else frozenset(sheet.close)
                for version, sheet in sheets.items()
            }
            for row in connection.execute(_PLACES, {"cycle": cycle_id}):
                place = to_place(row, close.get(row.version))
                places.setdefault(row.version, []).append(place)
            if not proposals:
                require_cycle(connection, cycle_id)
        return tuple(
            (version, tuple(places.get(version, ())), sheet) for version, sheet in sheets.items()
        )

    @override
    def outcomes(self, cycle_id: str, version: int) -> tuple[Outcome, ...]:
        query = (
            select(*OUTCOME_COLUMNS)
            .filter_by(cycle_id=cycle_id, version=version)
            .order_by(OUTCOME.c.id)
        )
        # By id: a later outcome of the same version overwrites the one before.
        standing = {row.application: to_outcome(row) for row in self._all(cycle_id, query)}
        return tuple(standing[number] for number in sorted(standing))

    @override
    def signatures(self, cycle_id: str, version: int) -> tuple[tuple[str, str], ...]:
        query = (
            select(SIGNATURE.c.by, SIGNATURE.c.role)
            .filter_by(cycle_id=cycle_id, version=version)
            .order_by(SIGNATURE.c.at, SIGNATURE.c.by)
        )
        return tuple((row.by, row.role) for row in self._all(cycle_id, query))

    @override
    def unredacted(self, cycle_id: str) -> tuple[str, ...]:
        query = (
            select(APPLICATION.c.number, APPLICATION.c.external_id)
            .join(
                DOCUMENT,
                (DOCUMENT.c.cycle_id == APPLICATION.c.cycle_id)
                & (DOCUMENT.c.application == APPLICATION.c.number),
            )
            .where(APPLICATION.c.cycle_id == cycle_id, DOCUMENT.c.redacted.is_(False))
            .distinct()
            .order_by(APPLICATION.c.number)
        )
        return tuple(row.external_id or "" for row in self._all(cycle_id, query))

    @override
    def documents(self, cycle_id: str, *, application: int) -> tuple[tuple[str, str, bool], ...]:
        query = (
            select(DOCUMENT.c.name, DOCUMENT.c.link, DOCUMENT.c.redacted)
            .filter_by(cycle_id=cycle_id, application=application)
            .order_by(DOCUMENT.c.position, DOCUMENT.c.version)
        )
        return tuple((r.name, r.link, r.redacted) for r in self._all(cycle_id, query))

    @override
    def remarks(self, cycle_id: str) -> tuple[tuple[str, str], ...]:
        query = (
            select(SCORE.c.assignment_id, REMARK.c.text)
            .join(
                REMARK,
                (REMARK.c.assignment_id == SCORE.c.assignment_id)
                & (REMARK.c.revision == SCORE.c.revision),
            )
            .where(SCORE.c.cycle_id == cycle_id)
            .order_by(SCORE.c.id)
        )
        # Likewise by id: the newest revision with a remark is the one that stays.
        standing = {row.assignment_id: row.text for row in self._all(cycle_id, query)}
        return tuple(standing.items())

    @override
    def said_of_scores(self, cycle_id: str) -> dict[str, str]:
        scored = select(SCORE.c.assignment_id).where(SCORE.c.cycle_id == cycle_id)
        query = (
            select(NOTE.c.subject, NOTE.c.text)
            .where(NOTE.c.cycle_id == cycle_id, NOTE.c.subject.in_(scored))
            .order_by(NOTE.c.id)
        )
        return {row.subject: row.text for row in self._all(cycle_id, query)}

    @override
    def counts(self, cycle_id: str) -> dict[tuple[int, str], int]:
        query = (
            select(ASSIGNMENT.c.kind, ASSIGNMENT.c.status, func.count())
            .where(ASSIGNMENT.c.cycle_id == cycle_id)
            .group_by(ASSIGNMENT.c.kind, ASSIGNMENT.c.status)
            .order_by(ASSIGNMENT.c.kind, ASSIGNMENT.c.status)
        )
        return {(kind, status): count for kind, status, count in self._all(cycle_id, query)}

    def _all(self, cycle_id: str, query: Select[*tuple[Any, ...]]) -> list[AnyRow]:
        """Run a query about a cycle; raise if it finds nothing and the cycle is missing."""
        with self._database.reading() as connection:
            rows = list(connection.execute(query))
            if not rows:
                require_cycle(connection, cycle_id)
        return rows
