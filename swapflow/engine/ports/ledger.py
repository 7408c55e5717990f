"""The durable record outside of a transaction, by subject."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from swapflow.domain.cohort.announcement import Announcement, LetterFacts
from swapflow.domain.cohort.meeting import Endorsement, Meeting
from swapflow.domain.cohort.offer import Offer, YieldRate
from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place
from swapflow.domain.cohort.reconsideration import Reconsideration
from swapflow.domain.cycle import Cycle, Position, Round
from swapflow.domain.event import Event
from swapflow.domain.people.application import Application
from swapflow.domain.people.document import Document, NewDocument
from swapflow.domain.people.interview import Interview
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, Pull, PullStatus
from swapflow.domain.reviewing.score import Draft, Given, Score
from swapflow.domain.rules import Rules
from swapflow.domain.webhook_call import HookCall
from swapflow.engine.ports.records import (
    DecisionRecord,
    Lease,
    Load,
    Mail,
    MailRecord,
    Named,
    Pin,
    Prepared,
    Pulse,
    RulesVersion,
    Step,
    Waiting,
    Wish,
)
from swapflow.engine.ports.writes.transaction import Transaction


class Rounds(Protocol):
    """Rounds, cycles and their rules."""

    def now(self) -> datetime:
        """The database's time plus the offset that tests set; aware UTC."""
        ...

    def one_moment(self) -> AbstractContextManager[None]:
        """Let every read of this thread see the same moment until the block ends.

        It is cheaper besides. Nothing may be written meanwhile.
        """
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

    def rules(self, cycle_id: str, version: int = 0) -> Rules:
        """Read a rules version, 0 for the current one."""
        ...

    def rules_history(self, cycle_id: str) -> tuple[RulesVersion, ...]:
        """Read every version of a cycle's rules, newest first."""
        ...

    def compact(self) -> None:
        """Make what was erased unreadable on disk as well, as far as the database can."""
        ...


class Coordination(Protocol):
    """What the coordinator lives on: the lease, the events, the decisions, the way out."""

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

    def check_chain(self, cycle_id: str) -> str | None:
        """Recompute every event's hash from the stored bytes; what is wrong first, or None."""
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

    def decisions(self, cycle_id: str) -> tuple[DecisionRecord, ...]:
        """Read a cycle's decisions, in order."""
        ...

    def decisions_numbered(
        self, cycle_id: str, numbers: Collection[int]
    ) -> dict[int, DecisionRecord]:
        """Read some decisions, by number."""
        ...

    def decisions_before(
        self, cycle_id: str, number: int, *, at_most: int
    ) -> tuple[tuple[DecisionRecord, datetime], ...]:
        """Read decisions below a number and when they were made, newest first; 0: the newest."""
        ...

    def last_look(self, cycle_id: str) -> dict[str, float] | None:
        """Read the numbers of the last decision that recorded a fitted model; None before."""
        ...

    def steps(self, cycle_id: str, *, at_most: int) -> tuple[Step, ...]:
        """Read the last decisions in numbers, oldest first."""
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


class Requests(Protocol):
    """Applications, reviewers, assignments and scores of a cycle."""

    def assignment(self, assignment_id: str) -> Assignment:
        """Read one assignment."""
        ...

    def assignment_ids(self, cycle_id: str, *, reviewer: int) -> tuple[str, ...]:
        """Name everything that a reviewer was ever asked for in a cycle."""
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

    def application(self, cycle_id: str, number: int) -> Application:
        """Read one application."""
        ...

    def applications_numbered(
        self, cycle_id: str, numbers: Collection[int]
    ) -> tuple[Application, ...]:
        """Read some applications, in the order of their numbers."""
        ...

    def reviewers(self, cycle_id: str) -> tuple[Reviewer, ...]:
        """Read a cycle's roster, in the order of the numbers."""
        ...

    def reviewer(self, cycle_id: str, number: int) -> Reviewer:
        """Read one reviewer of a cycle's roster."""
        ...

    def remarks(self, cycle_id: str) -> tuple[tuple[str, str], ...]:
        """Read (assignment id, remark) of a cycle, for exports."""
        ...

    def scores_with_marks(
        self, cycle_id: str, kind: int
    ) -> tuple[tuple[Score, Mapping[str, float | None]], ...]:
        """Read the latest revision of every score of a kind that was given as marks, with them."""
        ...

    def counts(self, cycle_id: str) -> dict[tuple[int, str], int]:
        """Count assignments by (kind, status), for progress views."""
        ...

    def unredacted(self, cycle_id: str) -> tuple[str, ...]:
        """Name the external ids whose documents are not marked redacted."""
        ...

    def documents(self, cycle_id: str, *, application: int) -> tuple[tuple[str, str, bool], ...]:
        """Read an application's documents: (name, link or path, marked redacted)."""
        ...


class Desk(Protocol):
    """What a reviewer's pages show and keep: drafts, interviews, files."""

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

    def save_draft_soon(
        self, assignment_id: str, body: Mapping[str, str], *, expected: int
    ) -> Future[Draft]:
        """Begin to save as `save_draft` does; the draft, or its error, is there once it is kept.

        For whoever has no thread to spare while the disk works.
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

    def brought(self, cycle_id: str) -> dict[int, dict[str, str]]:
        """Read what lists said of each application last, by number; nothing of those erased."""
        ...

    def list_reading(self, cycle_id: str, what: str) -> dict[str, str]:
        """Read how a kind of list was read last; {} if none was."""
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


class Overview(Protocol):
    """What the dashboard shows: names, loads, health, pins."""

    def named(self, cycle_id: str, numbers: Collection[int] | None = None) -> tuple[Named, ...]:
        """Read who a cycle's applications are, in the order of their numbers; all or some."""
        ...

    def waiting(self, cycle_id: str) -> tuple[Waiting, ...]:
        """Count open assignments, and those of them that are overdue, by kind and reviewer."""
        ...

    def loads(self, cycle_id: str) -> dict[int, Load]:
        """Read how busy each reviewer is who was ever asked."""
        ...

    def last_moves(
        self, cycle_id: str, applications: Collection[int]
    ) -> dict[int, tuple[datetime, bool]]:
        """Say when each was last asked about or answered, and whether it was an answer."""
        ...

    def pulse(self, cycle_id: str) -> Pulse:
        """Read whether the processes behind a cycle live."""
        ...

    def pins(self, cycle_id: str) -> tuple[Pin, ...]:
        """Read whom people want in or out."""
        ...

    def set_pin(
        self, cycle_id: str, application: int, *, verdict: str, by: str, reason: str
    ) -> None:
        """Note whom people want in or out, in the place of what was; "" takes it back."""
        ...


class Cohorts(Protocol):
    """What was proposed, prepared, signed and decided."""

    def proposals(self, cycle_id: str) -> tuple[tuple[int, tuple[Place, ...], MethodSheet], ...]:
        """Read a cycle's proposals: version, places, method sheet."""
        ...

    def outcomes(self, cycle_id: str, version: int) -> tuple[Outcome, ...]:
        """Read what people decided, for one cohort version."""
        ...

    def signatures(self, cycle_id: str, version: int) -> tuple[tuple[str, str], ...]:
        """Read who signed a cohort version, and in which role, in order."""
        ...

    def offers(self, cycle_id: str) -> tuple[Offer, ...]:
        """Read every offer of a cycle with its answer, the first first."""
        ...

    def reconsiderations(self, cycle_id: str) -> tuple[Reconsideration, ...]:
        """Read every reconsideration of a cycle, the first first."""
        ...

    def reconsidering(self) -> frozenset[str]:
        """Name the cycles in which a reconsideration is open."""
        ...

    def yield_rate(self, cycle_id: str) -> YieldRate | None:
        """Read the yield rate in force; None when none was given."""
        ...

    def announcements(self, cycle_id: str) -> tuple[Announcement, ...]:
        """Read every announcement of a cycle with its letters, the first first."""
        ...

    def letter_facts(self, mail_id: str) -> LetterFacts | None:
        """Read what is so about a letter to an applicant; None when a mail is none."""
        ...

    def meeting(self, cycle_id: str, version: int) -> Meeting | None:
        """Read the meeting about a version of the list; None when none was opened."""
        ...

    def endorsements(self, cycle_id: str) -> tuple[Endorsement, ...]:
        """Read the words in favour of a cycle's applications, the first first."""
        ...

    def conflicts(self, cycle_id: str) -> tuple[tuple[int, int], ...]:
        """Read the (application, reviewer) pairs that are in conflict, in order."""
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


class Post(Protocol):
    """Mails and calls of webhooks that wait, are under way or are done."""

    def release_letters(self) -> int:
        """Let the letters to applicants go whose moment has come; counts them."""
        ...

    def known_mails(self, ids: Collection[str]) -> frozenset[str]:
        """Say which of these mails are there already, sent or not."""
        ...

    def put_mail_off(self, mail_id: str, why: str, *, at_most: int) -> bool:
        """Let a mail wait for another try; after `at_most` tries it has failed, and False."""
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

    def mark_mail(self, mail_id: str, state: str) -> None:
        """Note that a mail was sent ("sent") or refused ("failed: …")."""
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

    def cycle_mails(
        self,
        cycle_id: str,
        *,
        state: str = "",
        skip: int = 0,
        after: tuple[datetime, str] | None = None,
        at_most: int = 50,
    ) -> tuple[MailRecord, ...]:
        """Read a cycle's mails, newest first; a sign-in mail belongs to no cycle.

        Args:
            cycle_id: The cycle.
            state: Only these; "" for all.
            skip: So many are left out at the beginning.
            after: Moment and id of the last one seen; the list goes on behind it.
            at_most: Most mails.
        """
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

    def queue_all_again(self, cycle_id: str) -> int:
        """Let every mail of a cycle that failed wait to be sent again; counts them."""
        ...


class Ledger(Rounds, Coordination, Requests, Desk, Overview, Cohorts, Post, Protocol):
    """The durable record.

    Raises:
        NotFoundError: From any method, if the cycle does not exist.
        UnavailableError: From any method, if the database does not answer.
    """
