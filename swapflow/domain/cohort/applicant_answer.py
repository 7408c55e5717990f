"""What applicants answer by the link in their mail: about an interview's date, about an offer."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


TAKE_BACK_WITHIN = timedelta(hours=48)
"""How long a declined place waits for its applicant before it may be passed on."""


class ApplicantSaid(StrEnum):
    """An answer: three about an interview, four about an offer."""

    COMING = "coming"
    CANNOT_COME = "cannot come"
    ANOTHER_TIME = "another time"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    MORE_TIME = "more time"
    TAKEN_BACK = "decline taken back"

    @property
    def is_about_date(self) -> bool:
        """Whether it answers an interview's date."""
        return self in ABOUT_DATES

    @property
    def gives_date_back(self) -> bool:
        """Whether the interview is without a date afterwards."""
        return self in {ApplicantSaid.CANNOT_COME, ApplicantSaid.ANOTHER_TIME}


ABOUT_DATES = (ApplicantSaid.COMING, ApplicantSaid.CANNOT_COME, ApplicantSaid.ANOTHER_TIME)
ABOUT_OFFERS = (ApplicantSaid.ACCEPTED, ApplicantSaid.DECLINED, ApplicantSaid.MORE_TIME)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantAnswer:
    """One answer of an applicant, as it came; the last one about a thing is in force.

    Attributes:
        offer_id: The offer that it answers; None for an interview.
        pull_id: The request whose interview it answers, "" for an offer.
        sequence: The interview's, as the applicant saw it.
    """

    id: int
    application: int
    offer_id: int | None
    pull_id: str
    sequence: int
    answer: ApplicantSaid
    at: datetime


def last_about_offer(
    answers: tuple[ApplicantAnswer, ...], offer_id: int
) -> ApplicantAnswer | None:
    """Return the last answer about an offer; None where none came by a link."""
    return next((one for one in reversed(answers) if one.offer_id == offer_id), None)


def last_about_date(answers: tuple[ApplicantAnswer, ...], pull_id: str) -> ApplicantAnswer | None:
    """Return the last answer about any date of a request; None where none came by a link."""
    return next((one for one in reversed(answers) if one.pull_id == pull_id), None)
