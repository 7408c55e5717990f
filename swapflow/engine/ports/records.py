"""Values that ports take and return, beside those of the domain."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from swapflow.domain.cycle import Cycle, Position
from swapflow.domain.event import Json
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.interview import Interview
from swapflow.domain.people.shown_columns import ShownColumns
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.rules import KindRules, Rules
from swapflow.domain.seal import revision


SHOWN = "shown"
"""What the choice of the columns that reviewers see is stored under, among settings of lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to decide for a cycle; every decision's transaction carries its epoch."""

    cycle_id: str
    holder: str
    epoch: int
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord:
    """What was estimated and why these pulls were chosen, as the ledger stores it.

    Attributes:
        number: From 1, without gaps.
        read: The position whose integers the decision was made from.
        digest: SHA-256 over those integers and the structure the decision read.
        picks: (application, kind, ordinal, priority in 1e-9 units, reviewers).
        look: Fitted parameters, gap, certified loss, sizes: numbers by name. With `fitted_at`,
            the parameters are those of the marks up to that event.
        cohort: Applications of the best cohort by the estimates.
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
class ProgramRecord:
    """A cycle with the rules in force, read in one statement.

    Attributes:
        unit: The unit of its round's costs.
        shown: What staff chose to show to its reviewers.
    """

    cycle: Cycle
    rules: Rules
    unit: str
    shown: ShownColumns


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSeat(ProgramRecord):
    """A cycle in which a person reviews, and their number there."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRecord(ProgramRecord):
    """A reviewer's task and its cycle: read once in a request, and passed along."""

    assignment: Assignment

    @property
    def code(self) -> str:
        """The code by which its reviewer names it."""
        return self.cycle.task_code(self.assignment.id)

    @property
    def kind(self) -> KindRules:
        """The rules of its kind."""
        return self.rules.kinds[self.assignment.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTask:
    """One row of a reviewer's list.

    Attributes:
        name: The applicant's; "" once it is erased, as `external_id`.
        drafted: Whether a draft is stored.
        skipped_at: When the reviewer put it off last; None if never.
    """

    assignment: Assignment
    external_id: str
    name: str
    drafted: bool
    skipped_at: datetime | None
    interview: Interview | None

    @property
    def number(self) -> int:
        """The applicant's number."""
        return self.assignment.application


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCounts:
    """How far a reviewer is, in all their programs: tasks done, and tasks that wait."""

    done: int
    waiting: int

    @property
    def all(self) -> int:
        """Both together."""
        return self.done + self.waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class DueWork:
    """What waits for a cycle's coordinator beside its events, all as of one moment.

    Attributes:
        now: The moment.
        overdue: Whether an open assignment's due time has passed.
        absences: Whether anyone on the roster has an absence on record.
        staff_requests: Whether staff have requested something that is still open.
    """

    now: datetime
    overdue: bool
    absences: bool
    staff_requests: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxWork:
    """What waits to leave the house, all as of one moment.

    Attributes:
        assignments: Whether one's message is to be sent, or sent again.
        letters: Whether held letters to applicants may leave.
        mails: Whether one's message is to be sent, or sent again.
        events: Whether some have not become webhook calls yet.
        calls: Whether one is due.
    """

    assignments: bool
    letters: bool
    mails: bool
    events: bool
    calls: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffRequest:
    """A request of staff to the coordinator, kept until it is carried out.

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


NOT_SENT = "not sent"
"""State of a mail for which there was no mail server: it is kept, and can be sent later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A message to a person, as a row: `sending` before the SMTP session, `sent` after.

    Attributes:
        cycle_id: The cycle that it is about; None for a mail of the office, as to sign in.
        code: By which it is known again when it comes back; None until it is about to leave.
    """

    id: str
    to: str
    subject: str
    text: str
    html: str
    calendar: str
    state: str
    cycle_id: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MailRecord:
    """A mail and what became of it: why it was refused, and how often sending was begun."""

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
class RowCheck:
    """What comparing stored rows with the events that carry them came to.

    Attributes:
        findings: Each difference, naming row, column and event.
        erased: Names and texts that could not be compared, since a person was erased.
        uncovered: How many rows of each table no event carries, where older releases wrote.
    """

    findings: tuple[str, ...]
    erased: int
    uncovered: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantName:
    """Who an application is, and nothing else: what long lists need."""

    number: int
    external_id: str
    name: str
    status: ApplicationStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFacts:
    """What a reviewer has to do with a cycle's applications, by their numbers.

    Attributes:
        answered: A review was handed in.
        barred: In conflict, or declined as unqualified.
        opened: Opened in another role.
        waiting: A request is open.
        others: With a panel of which the reviewer is no member.
    """

    answered: frozenset[int]
    barred: frozenset[int]
    opened: frozenset[int]
    waiting: frozenset[int]
    others: frozenset[int]


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
        overdue: Open assignments whose time has passed; None where the rules keep it apart.
        median_days: From a request to its answer; None before the first, or kept apart.
        last_at: When they last answered; None before, or kept apart.
    """

    waiting: int
    overdue: int | None
    done: int
    median_days: float | None
    last_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessHealth:
    """Whether the processes behind a cycle are alive.

    Attributes:
        led_until: Until when a coordinator holds the lease; None when none ever did.
        event_at: When the last event was written.
        begun_at: When the first decision was made.
        stuck: Requests first handed to the workers more than twenty seconds ago that none has
            delivered, however often they were handed over since.
        altered_at: When the live state was last found altered, and made again; None for never.
    """

    led_until: datetime | None
    event_at: datetime | None
    begun_at: datetime | None
    stuck: int
    altered_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionStep:
    """What one decision estimated, in numbers."""

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

    @property
    def revision(self) -> str:
        """The revision that a form about another pin is made from."""
        return revision(self.verdict, self.by, self.reason, self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDecision:
    """A decision or reopening that one person prepared and others sign.

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
