"""Offers of places, their answers, and how many are expected to accept: never who."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from swapflow.domain.seal import revision


class OfferAnswer(StrEnum):
    """The answer to an offer; WAITING until there is one or the date has passed.

    One is TAKEN_BACK along with its letter, before that left, so the applicant never knew of it.
    """

    WAITING = "waiting"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    NO_ANSWER = "no answer"
    TAKEN_BACK = "taken back"

    @property
    def stands(self) -> bool:
        """Whether the place may still be taken, or is taken."""
        return self in {OfferAnswer.WAITING, OfferAnswer.ACCEPTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A place offered to an applicant.

    Attributes:
        version: The cohort version under which it was made.
        line: The line of places that it is on.
        until: Up to when an answer counts; None for no date.
        risk: Increase, by this wave of offers, of the probability that more accept than there are
            places; on the wave's first offer, 0 on the others.
        held_until: Until when the place waits after its applicant declined by their link; None
            where they did not.
    """

    id: int
    version: int
    application: int
    line: str
    by: str
    at: datetime
    until: datetime | None
    risk: float
    answer: OfferAnswer
    held_until: datetime | None = None

    def is_held(self, now: datetime) -> bool:
        """Whether the applicant declined by their link and may still take it back."""
        return (
            self.answer is OfferAnswer.DECLINED
            and self.held_until is not None
            and now < self.held_until
        )

    @property
    def revision(self) -> str:
        """The revision that a form about its answer is made from."""
        return revision(self.id, self.answer.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class YieldRate:
    """The share of offers that is accepted: one rate for everybody in a cycle.

    The rate is assumed to be Beta(accepting, declining): as if that many had accepted and declined
    before, including one imaginary applicant of each.

    Attributes:
        accepting: First parameter; declining: second parameter.
        risk: Most probability, over the whole round, that more accept than there are places.
        source: Where it comes from, in words; `found_by` is it as a message, where it is ours.
    """

    accepting: float
    declining: float
    risk: float
    source: str
    by: str
    at: datetime

    @property
    def revision(self) -> str:
        """The revision that a form about another rate is made from."""
        return revision(self.accepting, self.declining, self.risk, self.source, self.at)

    @property
    def mean(self) -> float:
        """The expected rate."""
        return self.accepting / (self.accepting + self.declining)


def promised(offers: Sequence[Offer]) -> frozenset[int]:
    """Return the applications with a valid offer, which may not lose it."""
    return frozenset(offer.application for offer in offers if offer.answer.stands)
