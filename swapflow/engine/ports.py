"""What the steps need from outside: a live state, a ledger, a way out, a doorbell."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from swapflow.domain.applicant import Application, ApplicationStatus, NewApplication
from swapflow.domain.assignment import Assignment, AssignmentStatus, Pull, PullStatus
from swapflow.domain.cohort import MethodSheet, Outcome, Place, Waiver
from swapflow.domain.cycle import Cycle, CycleStatus, Position, Round
from swapflow.domain.document import Document, NewDocument
from swapflow.domain.event import Event, EventType, Json
from swapflow.domain.interview import Interview
from swapflow.domain.quantity import Delta
from swapflow.domain.reviewer import Absence, NewReviewer, Reviewer
from swapflow.domain.rules import Rules
from swapflow.domain.score import Draft, Given, Score
from swapflow.engine.hooks import HookCall


Integers = NDArray[np.int64]


# Live state


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Consecutive events folded together: at most one delta per arm."""

    deltas: tuple[Delta, ...]
    spent: int
    committed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """A snapshot of a cycle's live state.

    Attributes:
        position: The event that the numbers include, and all before it.
        numerator: Sum of gain times value per arm, shape (n,); n is the highest arm ever
            changed plus one, so it can be shorter than the cycle's applications.
        information: Sum of gains received per arm, shape (n,).
        pending: Sum of gains dispatched and not received per arm, shape (n,).
        spent: Cost spent, in the round's unit.
        committed: Cost reserved for open pulls.
    """

    position: Position
    numerator: Integers
    information: Integers
    pending: Integers
    spent: int
    committed: int


class Applied(Enum):
    """What became of changes handed to the live state."""

    APPLIED = "applied"
    DUPLICATE = "duplicate"
    GAP = "gap"


class CycleState(Protocol):
    """The live state of every open cycle: integers per arm, and how far they have read.

    Implementations are safe to share between processes. What a method returns is a snapshot:
    later writes never change it. Every write is atomic, may be repeated, and leaves the state as
    it was when it fails.

    Raises:
        UnavailableError: From any method, if the store does not answer.
    """

    def position(self, cycle_id: str) -> Position:
        """Say how far the state has read; `START` for a cycle it does not know."""
        ...

    def apply(
        self, cycle_id: str, changes: Changes, *, before: Position, after: Position
    ) -> Applied:
        """Fold in the changes of the events after `before` up to `after`, if it stands there.

        Returns:
            APPLIED; DUPLICATE when it stands at `after` or further on already; GAP when it stands
            anywhere else (an earlier number, or another hash at `before`'s number: rebuild from
            the ledger). Unless APPLIED, the state is unchanged.
        """
        ...

    def replace(self, cycle_id: str, arms: Arms) -> None:
        """Put a rebuilt state in the place of whatever was there, all of it at once."""
        ...

    def arms(self, cycle_id: str) -> Arms:
        """Read the whole state of a cycle as of one moment; empty at `START` if unknown."""
        ...

    def forget(self, cycle_id: str) -> None:
        """Drop a cycle's state; it can be rebuilt."""
        ...

    def publish(self, cycle_id: str, board: bytes) -> None:
        """Put a packed board in the place of the one before; pages read it."""
        ...

    def board(self, cycle_id: str) -> bytes | None:
        """Read the packed board; None when there is none."""
        ...


class Doorbell(Protocol):
    """Tells coordinators that there is something new; losing a ring costs a moment, no more."""

    def ring(self, cycle_id: str) -> None:
        """Wake whoever waits; never raises, never blocks for long."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait for a ring for at most `seconds` (2 at most); say whether one came."""
        ...


# Way out


class Topic(Enum):
    """What a message is about."""

    DELIVER = "deliver"
    MAIL = "mail"
    WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A hint to a worker: one id and the queue it goes to; the ledger knows the rest.

    Attributes:
        tier: Index of the pull kind, which decides the queue of a DELIVER message.
    """

    topic: Topic
    id: str
    tier: int = 0


class Dispatcher(Protocol):
    """Hands messages to workers; a message may be lost, doubled or late, and nothing breaks.

    Raises:
        UnavailableError: If the broker does not take them; some may have been sent.
    """

    def send(self, messages: Sequence[Message]) -> None:
        """Send the messages, in order, in as few round trips as the broker allows."""
        ...


# Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to decide for a cycle; every decision's transaction carries its epoch."""

    cycle_id: str
    holder: str
    epoch: int
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord:
    """What was believed and why these pulls, as the ledger keeps it.

    Attributes:
        number: From 1, without gaps.
        read: The position whose integers the decision was made from.
        digest: SHA-256 over those integers and the structure the decision read.
        picks: (application, kind, ordinal, priority in 1e-9 units, reviewers given).
        look: Fitted parameters, gap, certified loss, sizes: numbers by name.
        cohort: Applications of the cohort that was believed best.
        contested: Applications that another pull could still move.
        stop: Stop reason that was proposed, "" for none.
        versions: Code and library versions.
    """

    cycle_id: str
    number: int
    read: Position
    digest: str
    rules_version: int
    why: str
    picks: tuple[tuple[int, int, int, int, tuple[int, ...]], ...]
    look: Mapping[str, float]
    cohort: tuple[int, ...]
    contested: tuple[int, ...]
    stop: str
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Something staff want of the coordinator, kept until it is done.

    Attributes:
        what: "pull" (an extra pull of `kind` for `application`).
        done: Decision that carried it out, or "refused: …"; "" while open.
    """

    id: int
    cycle_id: str
    what: str
    application: int
    kind: int
    by: str
    reason: str
    done: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A message to a person, as a row: `sending` before SMTP is spoken to, `sent` after."""

    id: str
    to: str
    subject: str
    text: str
    html: str
    calendar: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailRecord:
    """A mail and what became of it.

    Attributes:
        detail: Why it was refused, "" unless it was.
        attempts: How often sending was begun.
    """

    mail: Mail
    detail: str
    created_at: datetime
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesVersion:
    """One version of a cycle's rules, who put it in force, and why."""

    rules: Rules
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Who an application is, and nothing else: what long lists need."""

    number: int
    external_id: str
    name: str
    status: ApplicationStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How many assignments of a kind wait for a reviewer, and how many of them are overdue."""

    kind: int
    reviewer: int
    count: int
    overdue: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """How busy a reviewer is, and how long they take.

    Attributes:
        median_days: From a request to its answer; None before the first.
        last_at: When they last answered.
    """

    waiting: int
    overdue: int
    done: int
    median_days: float | None
    last_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """Whether the processes behind a cycle live.

    Attributes:
        led_until: Until when a coordinator holds the lease; None when none ever did.
        event_at: When the last event was written.
        begun_at: When the first decision was made.
        stuck: Requests handed to the workers more than a minute ago that none has delivered.
    """

    led_until: datetime | None
    event_at: datetime | None
    begun_at: datetime | None
    stuck: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one decision believed, in numbers."""

    number: int
    at: datetime
    too_close: int
    look: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """People want an application in or out, whatever the marks say."""

    application: int
    verdict: str
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Something that a person prepared and others sign: a decision, or a reopening.

    Attributes:
        what: "decision" or "reopening".
        digest: SHA-256 over everything that is signed; a signature is for one digest.
        body: What is to be done, as numbers and reasons.
        at: When; None before it is stored.
        signed: Who has signed this digest, in order.
    """

    what: str
    digest: str
    body: Mapping[str, Json]
    by: str
    at: datetime | None = None
    signed: tuple[str, ...] = ()


class Transaction(Protocol):
    """One write to a cycle, under the lock of the cycle's row; all of it or nothing.

    No computing, Redis or broker call belongs inside. Methods that move rows are conditional
    updates: they say how many rows they moved, and the caller checks.
    """

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

    # Applications and reviewers

    def add_applications(
        self, new: Sequence[NewApplication], ties: Sequence[int], *, wave: int
    ) -> tuple[Application, ...]:
        """Insert applications with the next free numbers, in the order given."""
        ...

    def applications(self, numbers: Collection[int] | None = None) -> tuple[Application, ...]:
        """Read applications, all or those named, in the order of their numbers."""
        ...

    def move_application(
        self, number: int, status: ApplicationStatus, *, by: str, reason: str
    ) -> None:
        """Set an application's status; the reason is kept in an erasable row."""
        ...

    def erase_application(self, number: int) -> None:
        """Erase name, mail, fields, documents, remarks and attributes of one application."""
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

    # Pulls, assignments, scores

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

    def application(self, number: int) -> Application:
        """Read one application; NotFoundError if the cycle has none of this number."""
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

    # Decisions, proposals, outcomes

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

    def queue_mail(self, mails: Sequence[Mail]) -> None:
        """Store mails to be sent; those whose id exists already are left as they are."""
        ...


class Ledger(Protocol):
    """The durable record.

    Raises:
        NotFoundError: From any method, if the cycle does not exist.
        UnavailableError: From any method, if the database does not answer.
    """

    def now(self) -> datetime:
        """The database's time plus the offset that tests set; aware UTC."""
        ...

    def create_round(self, new: Round) -> None:
        """Store a round; an existing id raises InvalidInputError."""
        ...

    def rounds(self) -> tuple[Round, ...]:
        """Read the rounds, oldest first."""
        ...

    def create_cycle(
        self, cycle_id: str, *, round_id: str, name: str, rules: Rules, by: str
    ) -> None:
        """Store a cycle in DRAFT with its first rules; an existing id raises."""
        ...

    def cycle(self, cycle_id: str) -> Cycle:
        """Read a cycle's row."""
        ...

    def cycles(self) -> tuple[Cycle, ...]:
        """Read every cycle's row, oldest first."""
        ...

    def write(
        self, cycle_id: str, *, epoch: int | None = None
    ) -> AbstractContextManager[Transaction]:
        """Open a transaction that locks the cycle's row first.

        Args:
            cycle_id: The cycle.
            epoch: The lease's epoch, for whatever only the coordinator may write.

        Raises:
            LeaseLostError: If the cycle's epoch is another one.
        """
        ...

    def take_lease(self, cycle_id: str, *, holder: str, seconds: float) -> Lease | None:
        """Take or renew the lease; None while another holder's is still valid.

        A new holder, or the same after its lease ran out, gets a higher epoch. The database's
        own time decides, without the test offset.
        """
        ...

    def release_lease(self, lease: Lease) -> None:
        """Let another coordinator take over at once."""
        ...

    def events(self, cycle_id: str, *, after: Position, at_most: int) -> tuple[Event, ...] | None:
        """Read events after a position, at least one if any; None: it never stood there."""
        ...

    def rules(self, cycle_id: str, version: int = 0) -> Rules:
        """Read a rules version, 0 for the current one."""
        ...

    def unsent(self, *, again_after: float, at_most: int) -> tuple[Assignment, ...]:
        """Read QUEUED assignments of cycles that dispatch, never sent or sent too long ago.

        Args:
            again_after: Seconds after which a message without effect is sent again; each
                further time waits twice as long, up to 64 times.
            at_most: Most rows.
        """
        ...

    def mark_sent(self, ids: Collection[str]) -> None:
        """Note that the messages of these assignments have been handed to the broker."""
        ...

    def unanswered(
        self, cycle_id: str, automatic: Collection[int], *, at_most: int
    ) -> tuple[Assignment, ...]:
        """Read open assignments of the given (automatic) reviewers, oldest first."""
        ...

    def mark_delivered(self, ids: Collection[str]) -> int:
        """Move QUEUED assignments to DELIVERED; counts them. Writes no event."""
        ...

    def mark_opened(self, assignment_id: str, *, rubric_version: int) -> bool:
        """Move an assignment to OPENED and pin its rubric; False when it was open already."""
        ...

    def assignment(self, assignment_id: str) -> Assignment:
        """Read one assignment."""
        ...

    def assignments(
        self,
        cycle_id: str,
        *,
        reviewer: int | None = None,
        application: int | None = None,
        statuses: Collection[AssignmentStatus] = (),
    ) -> tuple[Assignment, ...]:
        """Read assignments of a cycle, filtered; no statuses means all."""
        ...

    def pulls(
        self,
        cycle_id: str,
        *,
        application: int | None = None,
        statuses: Collection[PullStatus] = (),
    ) -> tuple[Pull, ...]:
        """Read pulls of a cycle, filtered; no statuses means all."""
        ...

    def scores(self, cycle_id: str, *, application: int | None = None) -> tuple[Score, ...]:
        """Read every revision of every score, in the order of their submission."""
        ...

    def applications(self, cycle_id: str) -> tuple[Application, ...]:
        """Read a cycle's applications, in the order of their numbers."""
        ...

    def reviewers(self, cycle_id: str) -> tuple[Reviewer, ...]:
        """Read a cycle's roster, in the order of the numbers."""
        ...

    def decisions(self, cycle_id: str) -> tuple[DecisionRecord, ...]:
        """Read a cycle's decisions, in order."""
        ...

    def last_look(self, cycle_id: str) -> dict[str, float] | None:
        """Read the numbers of the last decision that recorded a fitted model; None before."""
        ...

    def wishes(self, cycle_id: str) -> tuple[Wish, ...]:
        """Read the open wishes of staff, oldest first."""
        ...

    def has_overdue(self, cycle_id: str) -> bool:
        """Say whether an open assignment's due time has passed."""
        ...

    def has_absences(self, cycle_id: str) -> bool:
        """Say whether anyone on the roster has an absence on record."""
        ...

    def proposals(self, cycle_id: str) -> tuple[tuple[int, tuple[Place, ...], MethodSheet], ...]:
        """Read a cycle's proposals: version, places, method sheet."""
        ...

    def outcomes(self, cycle_id: str, version: int) -> tuple[Outcome, ...]:
        """Read what people decided, for one cohort version."""
        ...

    def known_mails(self, ids: Collection[str]) -> frozenset[str]:
        """Say which of these mails are there already, sent or not."""
        ...

    def put_mail_off(self, mail_id: str, why: str, *, at_most: int) -> bool:
        """Let a mail wait for another try; after `at_most` tries it has failed, and False."""
        ...

    def unredacted(self, cycle_id: str) -> tuple[str, ...]:
        """Name the external ids whose documents are not marked redacted."""
        ...

    def documents(self, cycle_id: str, *, application: int) -> tuple[tuple[str, str, bool], ...]:
        """Read an application's documents: (name, link or path, marked redacted)."""
        ...

    def check_chain(self, cycle_id: str) -> str | None:
        """Recompute every event's hash from the stored bytes; what is wrong first, or None."""
        ...

    def compact(self) -> None:
        """Make what was erased unreadable on disk as well, as far as the database can."""
        ...

    def remarks(self, cycle_id: str) -> tuple[tuple[str, str], ...]:
        """Read (assignment id, remark) of a cycle, for exports."""
        ...

    def counts(self, cycle_id: str) -> dict[tuple[int, str], int]:
        """Count assignments by (kind, status), for progress views."""
        ...

    def mails(self, *, at_most: int, again_after: float = 0.0) -> tuple[Mail, ...]:
        """Read mails that wait to be sent, oldest first.

        Left out are those whose message was handed to the broker within `again_after` seconds.
        """
        ...

    def mark_relayed(self, ids: Collection[str]) -> None:
        """Note that the messages of these mails have been handed to the broker."""
        ...

    def claim_mail(self, mail_id: str) -> Mail | None:
        """Mark a mail as being sent and read it; None when it was sent already."""
        ...

    def queue_calls(self) -> int:
        """Turn events that are new since the last time into calls of webhooks; counts the events.

        A call's id hangs on webhook, cycle and event: two relays make each call once.
        """
        ...

    def due_calls(self, *, again_after: float, at_most: int) -> tuple[str, ...]:
        """Name the calls that are due, soonest first.

        Left out are those whose message was handed to the broker since they became due, unless
        that is longer ago than `again_after` seconds.
        """
        ...

    def mark_calls_relayed(self, ids: Collection[str]) -> None:
        """Note that the messages of these calls have been handed to the broker."""
        ...

    def claim_call(self, call_id: str) -> HookCall | None:
        """Take a due call to send it; None when it is done, not due yet or somebody else's."""
        ...

    def close_call(self, call: HookCall, *, done: bool, detail: str) -> None:
        """Note what an attempt came to: done, to be made again later, or given up."""
        ...

    def mark_mail(self, mail_id: str, state: str) -> None:
        """Note that a mail was sent ("sent") or refused ("failed: …")."""
        ...

    # The reviewers' pages

    def application(self, cycle_id: str, number: int) -> Application:
        """Read one application."""
        ...

    def applications_numbered(
        self, cycle_id: str, numbers: Collection[int]
    ) -> tuple[Application, ...]:
        """Read some applications, in the order of their numbers."""
        ...

    def drafts(self, ids: Collection[str]) -> dict[str, Draft]:
        """Read what was typed and not handed in, by assignment."""
        ...

    def save_draft(self, assignment_id: str, body: Mapping[str, str], *, expected: int) -> Draft:
        """Keep what a reviewer has typed so far; writes no event and takes no cycle's lock.

        Args:
            assignment_id: For which assignment.
            body: The fields of the form, by name.
            expected: The version that the reviewer's page was made from; 0 for none.

        Raises:
            NotFoundError: If there is no such assignment.
            AssignmentClosedError: If it was answered, declined or cancelled.
            StaleDraftError: If another version is stored by now, with another body.
        """
        ...

    def drop_draft(self, assignment_id: str) -> None:
        """Forget what was typed and not handed in."""
        ...

    def skip(self, assignment_id: str) -> None:
        """Put a task at the end of its reviewer's list."""
        ...

    def skips(self, ids: Collection[str]) -> dict[str, datetime]:
        """Read which of these assignments were put off, and when last."""
        ...

    def given(self, assignment_id: str) -> Given | None:
        """Read the standing score of an assignment and what was written with it."""
        ...

    def interviews(self, pull_ids: Collection[str]) -> dict[str, Interview]:
        """Read when and where these pulls' people meet the applicants."""
        ...

    def files(self, cycle_id: str, application: int) -> tuple[Document, ...]:
        """Read an application's documents, without their bytes, in their order."""
        ...

    def file_content(self, cycle_id: str, application: int, position: int) -> bytes:
        """Read an uploaded document; NotFoundError when it is none, or only a link."""
        ...

    def with_files(self, cycle_id: str) -> frozenset[int]:
        """Number the applications that have a document, uploaded or linked."""
        ...

    def add_files(self, cycle_id: str, new: Sequence[tuple[int, NewDocument]]) -> None:
        """Store uploaded documents by application; one of the same name is replaced."""
        ...

    # The dashboard

    def named(self, cycle_id: str) -> tuple[Named, ...]:
        """Read who a cycle's applications are, in the order of their numbers."""
        ...

    def waiting(self, cycle_id: str) -> tuple[Waiting, ...]:
        """Count open assignments, and those of them that are overdue, by kind and reviewer."""
        ...

    def loads(self, cycle_id: str) -> dict[int, Load]:
        """Read how busy each reviewer is who was ever asked."""
        ...

    def pulse(self, cycle_id: str) -> Pulse:
        """Read whether the processes behind a cycle live."""
        ...

    def steps(self, cycle_id: str, *, at_most: int) -> tuple[Step, ...]:
        """Read the last decisions in numbers, oldest first."""
        ...

    def decisions_before(
        self, cycle_id: str, number: int, *, at_most: int
    ) -> tuple[tuple[DecisionRecord, datetime], ...]:
        """Read decisions below a number and when they were made, newest first; 0: the newest."""
        ...

    def pins(self, cycle_id: str) -> tuple[Pin, ...]:
        """Read whom people want in or out."""
        ...

    def set_pin(
        self, cycle_id: str, application: int, *, verdict: str, by: str, reason: str
    ) -> None:
        """Note whom people want in or out, in the place of what was; "" takes it back."""
        ...

    # Staff's own pages

    def rules_history(self, cycle_id: str) -> tuple[RulesVersion, ...]:
        """Read every version of a cycle's rules, newest first."""
        ...

    def scores_with_marks(
        self, cycle_id: str, kind: int
    ) -> tuple[tuple[Score, Mapping[str, float | None]], ...]:
        """Read the latest revision of every score of a kind that was given as marks, with them."""
        ...

    def signatures(self, cycle_id: str, version: int) -> tuple[tuple[str, str], ...]:
        """Read who signed a cohort version, and in which role, in order."""
        ...

    def prepared(self, cycle_id: str) -> Prepared | None:
        """Read what is prepared in a cycle, and who has signed it so far."""
        ...

    def prepare(self, cycle_id: str, new: Prepared) -> None:
        """Put something up for signature, in the place of what was; its signatures are void."""
        ...

    def sign_prepared(self, cycle_id: str, digest: str, *, by: str) -> bool:
        """Add a signature to what has this digest; False when something else is prepared now."""
        ...

    def drop_prepared(self, cycle_id: str) -> bool:
        """Take back what is prepared; False when nothing was."""
        ...

    def cycle_mails(
        self, cycle_id: str, *, state: str = "", skip: int = 0, at_most: int = 50
    ) -> tuple[MailRecord, ...]:
        """Read a cycle's mails, newest first; a sign-in mail belongs to no cycle."""
        ...

    def cycle_mail(self, cycle_id: str, mail_id: str) -> MailRecord:
        """Read one mail of a cycle; NotFoundError if it has no such mail."""
        ...

    def count_mails(self, cycle_id: str) -> dict[str, int]:
        """Count a cycle's mails by state."""
        ...

    def queue_again(self, cycle_id: str, mail_id: str) -> bool:
        """Let a mail that failed wait to be sent again; False when it did not fail."""
        ...
