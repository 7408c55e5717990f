"""Letters of announcements: written, held, withdrawn, released."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, Select, and_, func, select, update
from typing_extensions import override

from swapflow.domain.cohort.announcement import (
    AnnouncedLetter,
    Announcement,
    Group,
    LetterFacts,
    LetterState,
)
from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import ApplicationStatus
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.outbox import Outbox
from swapflow.engine.ports.writes.decisions import DecisionWrites
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import AnyRow
from swapflow.ledger.schema import (
    ANNOUNCED,
    ANNOUNCEMENT,
    APPLICATION,
    CYCLE,
    MESSAGE,
    OFFER,
    OFFER_ANSWER,
    OUTCOME,
)


DUE_LETTERS = (
    select(ANNOUNCED.c.message_id)
    .join(ANNOUNCEMENT, ANNOUNCEMENT.c.id == ANNOUNCED.c.announcement_id)
    .join(MESSAGE, MESSAGE.c.id == ANNOUNCED.c.message_id)
    .where(MESSAGE.c.state == LetterState.HELD.value)
)


_FACTS = (
    select(
        ANNOUNCED.c.application,
        ANNOUNCED.c.told,
        ANNOUNCED.c.offer_id,
        ANNOUNCED.c.cycle_id,
        CYCLE.c.cohort_version,
        CYCLE.c.status.label("cycle_status"),
        APPLICATION.c.status.label("application_status"),
    )
    .join(CYCLE, CYCLE.c.id == ANNOUNCED.c.cycle_id)
    .join(
        APPLICATION,
        and_(
            APPLICATION.c.cycle_id == ANNOUNCED.c.cycle_id,
            APPLICATION.c.number == ANNOUNCED.c.application,
        ),
    )
)
_ANSWERS = select(
    OFFER.c.id, func.coalesce(OFFER_ANSWER.c.answer, OfferAnswer.WAITING.value)
).join(OFFER_ANSWER, OFFER_ANSWER.c.offer_id == OFFER.c.id, isouter=True)


class SqlAnnouncements(DecisionReads, Outbox):
    """The part of the ledger that reads announcements, and releases their letters."""

    _database: Database

    @override
    def announcements(self, cycle_id: str) -> tuple[Announcement, ...]:
        with self._database.reading() as connection:
            return _announcements(connection, cycle_id)

    @override
    def letter_facts(self, mail_id: str) -> LetterFacts | None:
        with self._database.reading() as connection:
            row = connection.execute(_FACTS.where(ANNOUNCED.c.message_id == mail_id)).one_or_none()
            if row is None:
                return None
            mine = (OFFER.c.cycle_id == row.cycle_id, OFFER.c.application == row.application)
            offers = connection.execute(_ANSWERS.where(*mine)).all()
            verdict = connection.execute(
                select(OUTCOME.c.verdict)
                .where(
                    OUTCOME.c.cycle_id == row.cycle_id,
                    OUTCOME.c.version == row.cohort_version,
                    OUTCOME.c.application == row.application,
                )
                .order_by(OUTCOME.c.id.desc())
                .limit(1)
            ).scalar()
        stands = {offer for offer, answer in offers if OfferAnswer(answer).stands}
        return LetterFacts(
            group=Group(row.told),
            cycle_status=CycleStatus(row.cycle_status),
            application_status=ApplicationStatus(row.application_status),
            offer_stands=row.offer_id in stands,
            has_place=bool(stands),
            verdict=None if verdict is None else Verdict(verdict),
        )

    @override
    def release_letters(self) -> int:
        with self._database.reading() as connection:
            now = self._database.now(connection)
            due = DUE_LETTERS.where(ANNOUNCEMENT.c.leaves_at <= now)
            if connection.execute(due.limit(1)).first() is None:
                return 0
        # Asked again inside the write: an announcement may be withdrawn between the two.
        with self._database.writing() as connection:
            due = DUE_LETTERS.where(ANNOUNCEMENT.c.leaves_at <= self._database.now(connection))
            # A mail's age counts from its release: a long hold must not look like a delay.
            moved = connection.execute(
                update(MESSAGE)
                .where(MESSAGE.c.id.in_(due), MESSAGE.c.state == LetterState.HELD.value)
                .values(
                    state=LetterState.QUEUED.value,
                    created_at=self._database.now(connection, real=True),
                )
            )
            return moved.rowcount


class AnnouncementWrites(CycleLock, DecisionWrites):
    """The part of a transaction that writes announcements."""

    @override
    def announcements(self) -> tuple[Announcement, ...]:
        return _announcements(self._connection, self._id)

    @override
    def insert_announcement(self, version: int, *, leaves_at: datetime, by: str) -> int:
        row = {
            "cycle_id": self._id,
            "version": version,
            "by": by,
            "at": self._now,
            "leaves_at": leaves_at,
            "taken_back_by": "",
            "taken_back_at": None,
        }
        (stored,) = self._carry(ANNOUNCEMENT, [row])
        return int(stored["id"])

    @override
    def insert_letters(
        self, announcement_id: int, letters: Sequence[tuple[int, Group, int | None, str]]
    ) -> None:
        self._carry(
            ANNOUNCED,
            [
                {
                    "announcement_id": announcement_id,
                    "application": application,
                    "cycle_id": self._id,
                    "message_id": mail_id,
                    "told": group.value,
                    "offer_id": offer,
                }
                for application, group, offer, mail_id in letters
            ],
        )

    @override
    def take_letters_back(self, announcement_id: int, *, by: str) -> int:
        mine = select(ANNOUNCED.c.message_id).where(ANNOUNCED.c.announcement_id == announcement_id)
        moved = self._connection.execute(
            update(MESSAGE)
            .where(MESSAGE.c.id.in_(mine), MESSAGE.c.state == LetterState.HELD.value)
            .values(state=LetterState.TAKEN_BACK.value)
        )
        self._connection.execute(
            update(ANNOUNCEMENT)
            .where(ANNOUNCEMENT.c.id == announcement_id)
            .values(taken_back_by=by, taken_back_at=self._now)
        )
        self._carry_again(ANNOUNCEMENT, announcement_id)
        return moved.rowcount


def _announcements(connection: Connection, cycle_id: str) -> tuple[Announcement, ...]:
    columns = [c for c in ANNOUNCEMENT.c if c.name not in {"cycle_id", "taken_back_at"}]
    mine = select(*columns).where(ANNOUNCEMENT.c.cycle_id == cycle_id).order_by(ANNOUNCEMENT.c.id)
    rows = connection.execute(mine).all()
    if not rows:
        return ()
    letters: dict[int, list[AnnouncedLetter]] = defaultdict(list)
    query = (
        _letters()
        .where(ANNOUNCED.c.cycle_id == cycle_id)
        .order_by(ANNOUNCED.c.announcement_id, ANNOUNCED.c.application)
    )
    for row in connection.execute(query):
        letters[row.announcement_id].append(_letter(row))
    return tuple(Announcement(**row._asdict(), letters=tuple(letters[row.id])) for row in rows)


def _letters() -> Select[tuple[object, ...]]:
    return select(ANNOUNCED, MESSAGE.c.state, MESSAGE.c.detail).join(
        MESSAGE, MESSAGE.c.id == ANNOUNCED.c.message_id
    )


def _letter(row: AnyRow) -> AnnouncedLetter:
    return AnnouncedLetter(
        application=row.application,
        group=Group(row.told),
        mail_id=row.message_id,
        offer=row.offer_id,
        state=LetterState(row.state),
        detail=row.detail,
    )
