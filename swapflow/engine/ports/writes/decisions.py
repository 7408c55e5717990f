"""Writes of what was decided, and of what follows a decision."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from swapflow.domain.cohort.announcement import Announcement, Group
from swapflow.domain.cohort.applicant_answer import ApplicantAnswer, ApplicantSaid
from swapflow.domain.cohort.meeting import Meeting, Shown, Word, ZoneSide
from swapflow.domain.cohort.offer import Offer, OfferAnswer, YieldRate
from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place, Waiver
from swapflow.domain.cohort.reconsideration import (
    Closing,
    NewReconsideration,
    Reconsideration,
)
from swapflow.engine.ports.records import DecisionRecord


class DecisionWrites(Protocol):
    """Decisions, proposals and outcomes, within one transaction."""

    def insert_decision(self, decision: DecisionRecord) -> None:
        """Store a decision; the cycle's count of decisions follows."""
        ...

    def insert_proposal(self, places: Sequence[Place], sheet: MethodSheet) -> int:
        """Store a proposal; return its version."""
        ...

    def insert_outcomes(self, version: int, outcomes: Sequence[Outcome]) -> None:
        """Store what people decided, for one cohort version."""
        ...

    def insert_signature(self, version: int, *, by: str, role: str) -> None:
        """Store that a named person signed a cohort version."""
        ...

    def insert_waiver(self, version: int, application: int, waiver: Waiver) -> None:
        """Store that a person accepts an application below a floor."""
        ...

    def set_cohort_version(self, version: int) -> None:
        """Make a cohort version the cycle's latest."""
        ...

    def insert_offers(
        self,
        version: int,
        places: Sequence[tuple[int, str]],
        *,
        until: datetime | None,
        risk: float,
        by: str,
    ) -> None:
        """Store offers of places, (application, line) each, that go out together."""
        ...

    def reconsiderations(self) -> tuple[Reconsideration, ...]:
        """Read every reconsideration of the cycle, oldest first."""
        ...

    def insert_reconsideration(self, new: NewReconsideration, *, by: str) -> int:
        """Store a newly opened reconsideration; return its id."""
        ...

    def close_reconsideration(self, which: int, closing: Closing, *, by: Collection[str]) -> None:
        """Store how a reconsideration ended, replacing what was stored before."""
        ...

    def offers(self) -> tuple[Offer, ...]:
        """Read every offer with its answer, oldest first."""
        ...

    def answer_offer(self, offer_id: int, answer: OfferAnswer) -> None:
        """Store the answer to an offer, replacing an earlier answer."""
        ...

    def applicant_answers(self) -> tuple[ApplicantAnswer, ...]:
        """Read what applicants answered by their links, oldest first."""
        ...

    def add_applicant_answer(
        self,
        application: int,
        answer: ApplicantSaid,
        *,
        offer_id: int | None = None,
        pull_id: str = "",
        sequence: int = 0,
    ) -> ApplicantAnswer:
        """Store what an applicant answered; the next event carries it."""
        ...

    def announcements(self) -> tuple[Announcement, ...]:
        """Read every announcement with its letters, oldest first."""
        ...

    def insert_announcement(self, version: int, *, leaves_at: datetime, by: str) -> int:
        """Store an announcement without its letters; return its id."""
        ...

    def insert_letters(
        self, announcement_id: int, letters: Sequence[tuple[int, Group, int | None, str]]
    ) -> None:
        """Store letters, (application, what it tells, offer, id of its mail) each."""
        ...

    def take_letters_back(self, announcement_id: int, *, by: str) -> int:
        """Withdraw the letters of an announcement that are still held; return how many."""
        ...

    def insert_yield(self, rate: YieldRate) -> None:
        """Store an acceptance rate; it is in force from now on."""
        ...

    def meeting(self, version: int) -> Meeting | None:
        """Read the meeting about a version of the list; None when none was opened."""
        ...

    def open_meeting(self, version: int, *, by: str) -> bool:
        """Open the meeting about a version of the list; False when it was open before."""
        ...

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
        """Store what one act of a meeting said about applications; earlier entries are kept."""
        ...

    def insert_look(self, version: int, application: int, what: Shown, *, by: str) -> None:
        """Store that a meeting looked at something about an application."""
        ...

    def insert_zone(
        self, version: int, zone: ZoneSide, applications: Collection[int], *, opened: int, by: str
    ) -> None:
        """Store that a person took on a clear zone, and how many of its files were opened."""
        ...

    def insert_turn(self, version: int, *, closed: bool, reason: str, by: str) -> None:
        """Store that a meeting was closed, or reopened for a reason."""
        ...

    def insert_endorsement(self, application: int, *, text: str, by: str) -> None:
        """Store an endorsement of an application."""
        ...
