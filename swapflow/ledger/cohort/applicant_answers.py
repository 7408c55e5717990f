"""What applicants answered by their links, read and written."""

from sqlalchemy import Connection, select
from typing_extensions import override

from swapflow.domain.cohort.applicant_answer import ApplicantAnswer, ApplicantSaid
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.writes.decisions import DecisionWrites
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import columns
from swapflow.ledger.schema import APPLICANT_ANSWER


_ANSWER = columns(APPLICANT_ANSWER, ApplicantAnswer)


class SqlApplicantAnswers(DecisionReads):
    """The part of the ledger that reads applicants' answers."""

    _database: Database

    @override
    def applicant_answers(self, cycle_id: str) -> tuple[ApplicantAnswer, ...]:
        with self._database.reading() as connection:
            return _answers(connection, cycle_id)


class ApplicantAnswerWrites(CycleLock, DecisionWrites):
    """The part of a transaction that writes applicants' answers."""

    @override
    def applicant_answers(self) -> tuple[ApplicantAnswer, ...]:
        return _answers(self._connection, self._id)

    @override
    def add_applicant_answer(
        self,
        application: int,
        answer: ApplicantSaid,
        *,
        offer_id: int | None = None,
        pull_id: str = "",
        sequence: int = 0,
    ) -> ApplicantAnswer:
        row = {
            "cycle_id": self._id,
            "application": application,
            "offer_id": offer_id,
            "pull_id": pull_id,
            "sequence": sequence,
            "answer": answer.value,
            "at": self._now,
        }
        (stored,) = self._carry(APPLICANT_ANSWER, [row])
        return ApplicantAnswer(
            **{column.name: stored[column.name] for column in _ANSWER} | {"answer": answer}
        )


def _answers(connection: Connection, cycle_id: str) -> tuple[ApplicantAnswer, ...]:
    query = (
        select(*_ANSWER)
        .where(APPLICANT_ANSWER.c.cycle_id == cycle_id)
        .order_by(APPLICANT_ANSWER.c.id)
    )
    return tuple(
        ApplicantAnswer(**row._asdict() | {"answer": ApplicantSaid(row.answer)})
        for row in connection.execute(query)
    )
