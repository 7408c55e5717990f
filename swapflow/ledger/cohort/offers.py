"""Offers of places and their answers, read and written."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, func, select
from typing_extensions import override

from swapflow.domain.cohort.applicant_answer import TAKE_BACK_WITHIN, ApplicantSaid
from swapflow.domain.cohort.offer import Offer, OfferAnswer, YieldRate
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.writes.decisions import DecisionWrites
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.database import Database
from swapflow.ledger.schema import APPLICANT_ANSWER, OFFER, OFFER_ANSWER, YIELD_RATE


class SqlOffers(DecisionReads):
    """The part of the ledger that reads offers."""

    _database: Database

    @override
    def offers(self, cycle_id: str) -> tuple[Offer, ...]:
        with self._database.reading() as connection:
            return _offers(connection, cycle_id)

    @override
    def yield_rate(self, cycle_id: str) -> YieldRate | None:
        columns = [c for c in YIELD_RATE.c if c.name not in {"id", "cycle_id"}]
        query = (
            select(*columns)
            .where(YIELD_RATE.c.cycle_id == cycle_id)
            .order_by(YIELD_RATE.c.id.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
            return None if row is None else YieldRate(**row._asdict())


class OfferWrites(CycleLock, DecisionWrites):
    """The part of a transaction that writes offers."""

    @override
    def offers(self) -> tuple[Offer, ...]:
        return _offers(self._connection, self._id)

    @override
    def insert_offers(
        self,
        version: int,
        places: Sequence[tuple[int, str]],
        *,
        until: datetime | None,
        risk: float,
        by: str,
    ) -> None:
        rows = [
            {
                "cycle_id": self._id,
                "version": version,
                "application": application,
                "line": line,
                "by": by,
                "at": self._now,
                "until": until,
                # The risk belongs to the wave; its first offer holds it, so that sums over offers
                # are right.
                "risk": 0.0 if index else risk,
            }
            for index, (application, line) in enumerate(places)
        ]
        self._carry(OFFER, rows)

    @override
    def answer_offer(self, offer_id: int, answer: OfferAnswer) -> None:
        self._connection.execute(delete(OFFER_ANSWER).where(OFFER_ANSWER.c.offer_id == offer_id))
        row = {"offer_id": offer_id, "answer": answer.value, "at": self._now}
        self._carry(OFFER_ANSWER, [row])

    @override
    def insert_yield(self, rate: YieldRate) -> None:
        row = {
            "cycle_id": self._id,
            "accepting": rate.accepting,
            "declining": rate.declining,
            "risk": rate.risk,
            "source": str(rate.source),
            "by": rate.by,
            "at": rate.at,
        }
        self._carry(YIELD_RATE, [row])


def _offers(connection: Connection, cycle_id: str) -> tuple[Offer, ...]:
    answer = func.coalesce(OFFER_ANSWER.c.answer, OfferAnswer.WAITING.value).label("answer")
    columns = [column for column in OFFER.c if column.name != "cycle_id"]
    query = (
        select(*columns, answer)
        .join(OFFER_ANSWER, OFFER_ANSWER.c.offer_id == OFFER.c.id, isouter=True)
        .where(OFFER.c.cycle_id == cycle_id)
        .order_by(OFFER.c.id)
    )
    rows = connection.execute(query).all()
    declined = _declined_by_link(connection, cycle_id) if rows else {}
    return tuple(
        Offer(
            **{
                **row._asdict(),
                "answer": OfferAnswer(row.answer),
                "held_until": declined.get(row.id),
            }
        )
        for row in rows
    )


def _declined_by_link(connection: Connection, cycle_id: str) -> dict[int, datetime]:
    """Return, by offer, until when a decline that came by a link may be taken back."""
    answers = (
        select(APPLICANT_ANSWER.c.offer_id, APPLICANT_ANSWER.c.answer, APPLICANT_ANSWER.c.at)
        .where(APPLICANT_ANSWER.c.cycle_id == cycle_id, APPLICANT_ANSWER.c.offer_id.is_not(None))
        .order_by(APPLICANT_ANSWER.c.id)
    )
    last = {row.offer_id: row for row in connection.execute(answers)}
    return {
        offer_id: row.at + TAKE_BACK_WITHIN
        for offer_id, row in last.items()
        if row.answer == ApplicantSaid.DECLINED.value
    }
