"""One write to a cycle, by subject."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from swapflow.domain.cohort.announcement import Announcement, Group
from swapflow.domain.cohort.meeting import Meeting, Word
from swapflow.domain.cohort.offer import Offer, OfferAnswer, YieldRate
from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place, Waiver
from swapflow.domain.cohort.reconsideration import (
    Closing,
    NewReconsideration,
    Reconsideration,
)
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.event import EventType, Json
from swapflow.domain.fixed_point import Delta
from swapflow.domain.people.application import Application, ApplicationStatus, NewApplication
from swapflow.domain.people.interview import Interview
from swapflow.domain.people.reviewer import Absence, NewReviewer, Reviewer
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, Pull, PullStatus
from swapflow.domain.reviewing.score import Score
from swapflow.domain.rules import Rules
from swapflow.engine.ports.records import DecisionRecord, Mail


class CycleWriting(Protocol):
    """Cycle, rules and events, within one transaction."""

    @property
    def cycle(self) -> Cycle:
        """The cycle's row as it stood when the lock was taken, plus this transaction's events."""
        ...

    @property
    def now(self) -> datetime:
        """The database's time when the lock was taken, plus the test offset; aware UTC."""
        ...

    def record(
        self,
        event_type: EventType,
        payload: Mapping[str, Json],
        *,
        deltas: Sequence[Delta] = (),
        spent: int = 0,
        committed: int = 0,
    ) -> int:
        """Append an event to the chain; gives its number."""
        ...

    def event_types_after(self, seq: int) -> frozenset[EventType]:
        """Say what kinds of events came after one, this transaction's own excluded."""
        ...

    def set_status(
        self, status: CycleStatus, *, paused_at: datetime | None = None, stop_reason: str = ""
    ) -> None:
        """Move the cycle to another status."""
        ...

    def set_rules(self, rules: Rules, *, by: str, reason: str) -> None:
        """Store a new rules version and make it the cycle's."""
        ...

    def rules(self, version: int = 0) -> Rules:
        """Read a rules version, 0 for the current one."""
        ...

    def add_wish(self, *, what: str, application: int, kind: int, by: str, reason: str) -> int:
        """Store a wish of staff; gives its id."""
        ...

    def close_wish(self, wish_id: int, done: str) -> None:
        """Say what became of a wish."""
        ...

    def note(self, *, subject: str, by: str, text: str) -> str:
        """Store a free-text reason in an erasable row; gives its salted digest.

        A subject `application:NUMBER`, or a pull's or an assignment's id, has the note erased
        with that application.
        """
        ...

    def hold(self) -> tuple[str, str] | None:
        """Read who put erasing on hold, and why; None when nobody did, or it was let go."""
        ...

    def queue_mail(self, mails: Sequence[Mail], *, held: bool = False) -> None:
        """Store mails to be sent, or to be held; those whose id exists already are left alone."""
        ...


class PeopleWriting(Protocol):
    """Applications and reviewers, within one transaction."""

    def add_applications(
        self, new: Sequence[NewApplication], ties: Sequence[int], *, wave: int
    ) -> tuple[Application, ...]:
        """Insert applications with the next free numbers, in the order given."""
        ...

    def applications(self, numbers: Collection[int] | None = None) -> tuple[Application, ...]:
        """Read applications, all or those named, in the order of their numbers."""
        ...

    def application(self, number: int) -> Application:
        """Read one application; NotFoundError if the cycle has none of this number."""
        ...

    def move_application(
        self, number: int, status: ApplicationStatus, *, by: str, reason: str
    ) -> None:
        """Set an application's status; the reason is kept in an erasable row."""
        ...

    def erase_application(self, number: int) -> None:
        """Erase name, mail, fields, documents, remarks and attributes of one application."""
        ...

    def erase_reviewer(self, number: int) -> bool:
        """Erase name, mail, id, drafts and mails of one roster entry; its scores stay.

        Person and account too, unless another program or a role as staff needs them: then False.
        """
        ...

    def brought(self) -> dict[int, dict[str, str]]:
        """Read what lists said of each application last, by number."""
        ...

    def keep_brought(self, said_of: Mapping[int, Mapping[str, str]]) -> None:
        """Keep what a list says of applications, in the place of what one said before."""
        ...

    def change_application(self, changed: Application) -> None:
        """Write an application's name, mail, fields and selection attributes."""
        ...

    def write_monitoring(self, number: int, values: Mapping[str, str]) -> None:
        """Write attributes for reports, in the place of those of the same names."""
        ...

    def put_link(self, number: int, name: str, link: str, *, redacted: bool) -> bool:
        """Link a document; False if staff uploaded one of that name, which then stays."""
        ...

    def keep_list_reading(self, what: str, settings: Mapping[str, str], *, by: str) -> None:
        """Keep how a kind of list was read, in the place of how it was before."""
        ...

    def add_reviewers(self, new: Sequence[NewReviewer]) -> tuple[Reviewer, ...]:
        """Insert roster entries with the next free numbers, in the order given."""
        ...

    def reviewers(self) -> tuple[Reviewer, ...]:
        """Read the roster, in the order of the numbers."""
        ...

    def change_reviewer(self, reviewer: Reviewer) -> None:
        """Replace a roster entry's capacity, packet, topics, absences and activity."""
        ...

    def add_absence(self, reviewer: int, absence: Absence) -> None:
        """Add days on which a reviewer gets nothing new."""
        ...

    def add_conflicts(self, pairs: Iterable[tuple[int, int]], *, source: str) -> int:
        """Record (application, reviewer) conflicts; known ones are ignored. Counts new ones."""
        ...

    def set_panel(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Restrict applications to the reviewers named: (application, reviewer) pairs."""
        ...

    def topic_number(self, topic: str) -> int:
        """Give the number of a topic in this cycle, making one for a new topic."""
        ...

    def group_number(self, attribute: str, value: str) -> int:
        """Give the number of an attribute's value in this cycle, making one for a new value."""
        ...


class RequestWriting(Protocol):
    """Pulls, assignments, interviews and scores, within one transaction."""

    def insert_pulls(self, pulls: Sequence[Pull]) -> None:
        """Insert pulls; those that exist already are left as they are."""
        ...

    def insert_assignments(self, assignments: Sequence[Assignment]) -> None:
        """Insert assignments; those that exist already are left as they are."""
        ...

    def pulls(self, ids: Collection[str]) -> dict[str, Pull]:
        """Read pulls by id; unknown ids are absent from the answer."""
        ...

    def next_ordinal(self, application: int, kind: int) -> int:
        """Give the ordinal that the next pull of this kind of this application gets."""
        ...

    def assignments(self, ids: Collection[str]) -> dict[str, Assignment]:
        """Read assignments by id; unknown ids are absent from the answer."""
        ...

    def assignments_of(self, pull_ids: Collection[str]) -> tuple[Assignment, ...]:
        """Read every assignment of the pulls, by pull, seat and attempt."""
        ...

    def assignments_of_reviewer(
        self, reviewer: int, statuses: Collection[AssignmentStatus]
    ) -> tuple[Assignment, ...]:
        """Read a reviewer's assignments in the given statuses."""
        ...

    def end_assignments_of(self, reviewer: int) -> tuple[Assignment, ...]:
        """Move a reviewer's open assignments to EXPIRED and give them."""
        ...

    def open_pulls(self) -> tuple[Pull, ...]:
        """Read every proposed and open pull of the cycle."""
        ...

    def begun_assignments(self) -> tuple[Assignment, ...]:
        """Read the cycle's assignments that a reviewer has opened and not answered."""
        ...

    def insert_approval(
        self, pulls: Collection[str], *, by: str, verdict: str, reason: str
    ) -> None:
        """Store that a named person approved or struck proposed pulls."""
        ...

    def open_pulls_of(self, application: int) -> tuple[Pull, ...]:
        """Read an application's proposed and open pulls."""
        ...

    def overdue(self, *, at_most: int) -> tuple[Assignment, ...]:
        """Read open assignments whose due time has passed, oldest first."""
        ...

    def move_assignments(
        self,
        ids: Collection[str],
        to: AssignmentStatus,
        *,
        allowed: Collection[AssignmentStatus],
    ) -> int:
        """Move assignments that stand in one of the allowed statuses; counts them."""
        ...

    def move_pulls(
        self, ids: Collection[str], to: PullStatus, *, allowed: Collection[PullStatus]
    ) -> int:
        """Move pulls that stand in one of the allowed statuses; counts them."""
        ...

    def shift_due_times(self, by: timedelta) -> None:
        """Move the due time of every open assignment."""
        ...

    def insert_scores(
        self,
        scores: Sequence[Score],
        *,
        marks: Sequence[Mapping[str, float | None]],
        remarks: Sequence[str],
        notes: Sequence[Mapping[str, str]] = (),
    ) -> None:
        """Insert scores with their marks, remarks and notes (erasable rows).

        With no notes at all, nobody wrote any.
        """
        ...

    def drop_drafts(self, ids: Collection[str]) -> None:
        """Forget what was typed and not handed in for these assignments."""
        ...

    def interview(self, pull_id: str) -> Interview | None:
        """Read when and where a pull's people meet the applicant."""
        ...

    def set_interview(self, interview: Interview) -> None:
        """Store when and where a pull's people meet the applicant, in the place of what was."""
        ...

    def standing_scores(self, pull_ids: Collection[str]) -> tuple[Score, ...]:
        """Read the latest revision of every score of the pulls."""
        ...

    def scores_of_assignments(self, ids: Collection[str]) -> tuple[Score, ...]:
        """Read the latest revision of the score of each assignment that has one."""
        ...

    def scores_with_marks(self, kind: int) -> tuple[tuple[Score, Mapping[str, float | None]], ...]:
        """Read the latest revision of every score of a kind that was given as marks, with them."""
        ...

    def scores_of_reviewer(self, reviewer: int) -> tuple[Score, ...]:
        """Read the latest revision of every score of a reviewer."""
        ...


class DecisionWriting(Protocol):
    """Decisions, proposals and outcomes, within one transaction."""

    def insert_decision(self, decision: DecisionRecord) -> None:
        """Store a decision; the cycle's count of decisions follows."""
        ...

    def insert_proposal(self, places: Sequence[Place], sheet: MethodSheet) -> int:
        """Store a proposal; gives its version."""
        ...

    def insert_outcomes(self, version: int, outcomes: Sequence[Outcome]) -> None:
        """Store what people decided, for one cohort version."""
        ...

    def insert_signature(self, version: int, *, by: str, role: str) -> None:
        """Store that a named person signed a cohort version."""
        ...

    def insert_waiver(self, version: int, application: int, waiver: Waiver) -> None:
        """Store that a person accepts somebody below a floor."""
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
        """Read every reconsideration of the cycle, the first first."""
        ...

    def insert_reconsideration(self, new: NewReconsideration, *, by: str) -> int:
        """Store a reconsideration that is opened; gives its id."""
        ...

    def close_reconsideration(self, which: int, closing: Closing, *, by: Collection[str]) -> None:
        """Store how a reconsideration ended, in the place of what was stored before."""
        ...

    def offers(self) -> tuple[Offer, ...]:
        """Read every offer with its answer, the first first."""
        ...

    def answer_offer(self, offer_id: int, answer: OfferAnswer) -> None:
        """Store what was answered to an offer, in the place of what was answered before."""
        ...

    def announcements(self) -> tuple[Announcement, ...]:
        """Read every announcement with its letters, the first first."""
        ...

    def insert_announcement(self, version: int, *, leaves_at: datetime, by: str) -> int:
        """Store an announcement without its letters; gives its id."""
        ...

    def insert_letters(
        self, announcement_id: int, letters: Sequence[tuple[int, Group, int | None, str]]
    ) -> None:
        """Store letters, (application, what it tells, offer, id of its mail) each."""
        ...

    def take_letters_back(self, announcement_id: int, *, by: str) -> int:
        """Take back the letters of an announcement that are still held; counts them."""
        ...

    def insert_yield(self, rate: YieldRate) -> None:
        """Store a yield rate; it is in force from now on."""
        ...

    def meeting(self, version: int) -> Meeting | None:
        """Read the meeting about a version of the list; None when none was opened."""
        ...

    def open_meeting(self, version: int, *, by: str) -> bool:
        """Open the meeting about a version of the list; False when it was open before."""
        ...

    def insert_said(
        self, version: int, application: int, word: Word, *, reason: str, by: str
    ) -> None:
        """Store what a meeting said about an application; what it said before is kept."""
        ...

    def insert_turn(self, version: int, *, closed: bool, reason: str, by: str) -> None:
        """Store that a meeting was closed, or reopened for a reason."""
        ...

    def insert_endorsement(self, application: int, *, text: str, by: str) -> None:
        """Store words in favour of an application."""
        ...


class Transaction(CycleWriting, PeopleWriting, RequestWriting, DecisionWriting, Protocol):
    """One write to a cycle, under the lock of the cycle's row; all of it or nothing.

    No computing, Redis or broker call belongs inside. Methods that move rows are conditional
    updates: they say how many rows they moved, and the caller checks.
    """
