"""Meetings, their outcomes, endorsements, and conflicts of interest."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime

from sqlalchemy import Connection, bindparam, exists, insert, or_, select
from typing_extensions import override

from swapflow.domain.cohort.meeting import (
    Endorsement,
    Meeting,
    MeetingLook,
    Said,
    Shown,
    Turn,
    Word,
    ZoneConfirmed,
    ZoneSide,
)
from swapflow.domain.event import EventType
from swapflow.domain.reviewing.score import Score
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.writes.decisions import DecisionWrites
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import SCORE_COLUMNS, to_score
from swapflow.ledger.core.statements import insert_ignoring
from swapflow.ledger.schema import (
    CONFLICT,
    ENDORSEMENT,
    EVENT,
    MEETING,
    MEETING_LOOK,
    MEETING_OUTCOME,
    MEETING_TURN,
    OPENED,
    PANEL,
    SCORE,
    ZONE_CONFIRMATION,
)


_LATER = SCORE.alias("later")
_OF_PANEL = (PANEL.c.cycle_id == SCORE.c.cycle_id) & (PANEL.c.application == SCORE.c.application)
_BARRED_SCORES = (
    select(*SCORE_COLUMNS)
    .where(
        SCORE.c.cycle_id == bindparam("cycle"),
        SCORE.c.counts.is_(True),
        # First whom anybody is barred from: mostly few or none, beside scores of thousands.
        SCORE.c.application.in_(
            select(CONFLICT.c.application)
            .where(CONFLICT.c.cycle_id == bindparam("cycle"))
            .union(select(PANEL.c.application).where(PANEL.c.cycle_id == bindparam("cycle")))
        ),
        ~exists().where(
            _LATER.c.assignment_id == SCORE.c.assignment_id, _LATER.c.revision > SCORE.c.revision
        ),
        or_(
            exists().where(
                CONFLICT.c.cycle_id == SCORE.c.cycle_id,
                CONFLICT.c.application == SCORE.c.application,
                CONFLICT.c.reviewer == SCORE.c.reviewer,
            ),
            exists().where(_OF_PANEL)
            & ~exists().where(_OF_PANEL, PANEL.c.reviewer == SCORE.c.reviewer),
        ),
    )
    .order_by(SCORE.c.id)
)


class SqlMeetings(DecisionReads):
    """The part of the ledger that reads meetings."""

    _database: Database

    @override
    def meeting(self, cycle_id: str, version: int) -> Meeting | None:
        with self._database.reading() as connection:
            return _meeting(connection, cycle_id, version)

    @override
    def endorsements(self, cycle_id: str) -> tuple[Endorsement, ...]:
        columns = [ENDORSEMENT.c[name] for name in ("application", "by", "text", "at")]
        query = select(*columns).filter_by(cycle_id=cycle_id).order_by(ENDORSEMENT.c.id)
        with self._database.reading() as connection:
            return tuple(Endorsement(**row._asdict()) for row in connection.execute(query))

    @override
    def conflicts(self, cycle_id: str) -> tuple[tuple[int, int], ...]:
        columns = CONFLICT.c.application, CONFLICT.c.reviewer
        query = select(*columns).where(CONFLICT.c.cycle_id == cycle_id).order_by(*columns)
        with self._database.reading() as connection:
            return tuple((row.application, row.reviewer) for row in connection.execute(query))

    @override
    def opened_pairs(self, cycle_id: str) -> frozenset[tuple[int, int]]:
        query = select(OPENED.c.application, OPENED.c.reviewer).filter_by(cycle_id=cycle_id)
        with self._database.reading() as connection:
            return frozenset((row.application, row.reviewer) for row in connection.execute(query))

    @override
    def lifted_bars(self, cycle_id: str) -> Mapping[tuple[int, int], datetime]:
        query = (
            select(EVENT.c.body, EVENT.c.at)
            .where(EVENT.c.cycle_id == cycle_id, EVENT.c.type == EventType.BAR_LIFTED.value)
            .order_by(EVENT.c.seq)
        )
        with self._database.reading() as connection:
            found = [
                (json.loads(row.body)["payload"], row.at) for row in connection.execute(query)
            ]
        return {(payload["a"], payload["r"]): at for payload, at in found}

    @override
    def conflict_sources(self, cycle_id: str) -> Mapping[tuple[int, int], str]:
        query = select(CONFLICT).where(CONFLICT.c.cycle_id == cycle_id)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return {(row.application, row.reviewer): row.source for row in rows}

    @override
    def barred_scores(self, cycle_id: str, application: int | None = None) -> tuple[Score, ...]:
        query, values = _BARRED_SCORES, {"cycle": cycle_id}
        if application is not None:
            query = query.where(SCORE.c.application == application)
        with self._database.reading() as connection:
            rows = connection.execute(query, values)
            return tuple(to_score(row) for row in rows)

    @override
    def panels(self, cycle_id: str) -> tuple[tuple[int, int], ...]:
        columns = PANEL.c.application, PANEL.c.reviewer
        query = select(*columns).where(PANEL.c.cycle_id == cycle_id).order_by(*columns)
        with self._database.reading() as connection:
            return tuple((row.application, row.reviewer) for row in connection.execute(query))

    @override
    def waived_conflicts(self, cycle_id: str) -> frozenset[tuple[int, int]]:
        query = select(EVENT.c.body).where(
            EVENT.c.cycle_id == cycle_id, EVENT.c.type == EventType.CONFLICT_WAIVED.value
        )
        with self._database.reading() as connection:
            payloads = [json.loads(body)["payload"] for body in connection.scalars(query)]
        return frozenset((payload["a"], payload["r"]) for payload in payloads)


class MeetingWrites(CycleLock, DecisionWrites):
    """The part of a transaction that writes meetings."""

    @override
    def meeting(self, version: int) -> Meeting | None:
        return _meeting(self._connection, self._id, version)

    @override
    def open_meeting(self, version: int, *, by: str) -> bool:
        row = {"cycle_id": self._id, "version": version, "by": by, "at": self._now}
        new = insert_ignoring(self._connection, MEETING, [row]) > 0
        if new:
            self._carried.add(MEETING, [row])
        return new

    @override
    def insert_said(
        self,
        version: int,
        applications: Collection[int],
        word: Word,
        *,
        line: str,
        reason: str,
        by: str,
    ) -> None:
        # One row each: the reason of a decision about several is sealed with each of them, so
        # that one applicant's erasure takes neither the others' reason nor leaves theirs.
        rows = [
            {
                "cycle_id": self._id,
                "version": version,
                "application": application,
                "outcome": word.value,
                "reason": reason,
                "by": by,
                "at": self._now,
                "line": line,
                "together": len(applications),
            }
            for application in applications
        ]
        self._carry(MEETING_OUTCOME, rows)

    @override
    def insert_look(self, version: int, application: int, what: Shown, *, by: str) -> None:
        row = {
            "cycle_id": self._id,
            "version": version,
            "application": application,
            "what": what.value,
            "by": by,
            "at": self._now,
        }
        self._carry(MEETING_LOOK, [row])

    @override
    def insert_zone(
        self, version: int, zone: ZoneSide, applications: Collection[int], *, opened: int, by: str
    ) -> None:
        row = {
            "cycle_id": self._id,
            "version": version,
            "zone": zone.value,
            "applications": sorted(applications),
            "opened": opened,
            "by": by,
            "at": self._now,
        }
        self._carry(ZONE_CONFIRMATION, [row])

    @override
    def insert_turn(self, version: int, *, closed: bool, reason: str, by: str) -> None:
        row = {
            "cycle_id": self._id,
            "version": version,
            "closed": closed,
            "reason": reason,
            "by": by,
            "at": self._now,
        }
        self._carry(MEETING_TURN, [row])

    @override
    def insert_endorsement(self, application: int, *, text: str, by: str) -> None:
        row = {
            "cycle_id": self._id,
            "application": application,
            "by": by,
            "text": text,
            "at": self._now,
        }
        self._connection.execute(insert(ENDORSEMENT), row)


def _meeting(connection: Connection, cycle_id: str, version: int) -> Meeting | None:
    opened = connection.execute(
        select(MEETING.c.by, MEETING.c.at).filter_by(cycle_id=cycle_id, version=version)
    ).one_or_none()
    if opened is None:
        return None
    query = (
        select(MEETING_OUTCOME)
        .filter_by(cycle_id=cycle_id, version=version)
        .order_by(MEETING_OUTCOME.c.id)
    )
    turns = (
        select(*[MEETING_TURN.c[name] for name in ("closed", "reason", "by", "at")])
        .filter_by(cycle_id=cycle_id, version=version)
        .order_by(MEETING_TURN.c.id)
    )
    looks = select(MEETING_LOOK).filter_by(cycle_id=cycle_id, version=version)
    zones = select(ZONE_CONFIRMATION).filter_by(cycle_id=cycle_id, version=version)
    return Meeting(
        version=version,
        by=opened.by,
        at=opened.at,
        said=tuple(
            Said(
                application=row.application,
                word=Word(row.outcome),
                reason=row.reason,
                by=row.by,
                at=row.at,
                line=row.line,
                together=row.together,
            )
            for row in connection.execute(query)
        ),
        looks=tuple(
            MeetingLook(application=row.application, what=Shown(row.what), by=row.by, at=row.at)
            for row in connection.execute(looks.order_by(MEETING_LOOK.c.id))
        ),
        zones=tuple(
            ZoneConfirmed(
                zone=ZoneSide(row.zone),
                applications=tuple(row.applications),
                opened=row.opened,
                by=row.by,
                at=row.at,
            )
            for row in connection.execute(zones.order_by(ZONE_CONFIRMATION.c.id))
        ),
        turns=tuple(Turn(**row._asdict()) for row in connection.execute(turns)),
    )
