"""What applicants answer by the links in their mails."""

from dataclasses import dataclass

from swapflow.domain.cohort.applicant_answer import ApplicantAnswer, ApplicantSaid
from swapflow.engine.offers.applicant_links import (
    AnswerPage,
    answer_link,
    calendar_of,
    open_link,
)
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerService:
    """What applicants answer by the links in their mails."""

    context: ServiceContext

    def open(self, token: str) -> AnswerPage:
        """Read what a link asks; changes nothing."""
        return open_link(token, ledger=self.context.ledger)

    def calendar(self, token: str) -> str:
        """Return the date behind a link as a calendar entry."""
        return calendar_of(token, ledger=self.context.ledger)

    def give(self, token: str, number: str, said: ApplicantSaid) -> AnswerPage:
        """Take an answer; the same one again changes nothing."""
        page = answer_link(
            token, number, said, address=self.context.address, ledger=self.context.ledger
        )
        return self.context.ring_after(page.cycle_id, page)

    def list(self, cycle_id: str) -> tuple[ApplicantAnswer, ...]:
        """Read every answer of a program, oldest first."""
        return self.context.ledger.applicant_answers(cycle_id)
