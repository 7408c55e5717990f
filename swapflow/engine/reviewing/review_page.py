"""The review page: everything that one task shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.people.application import Application
from swapflow.domain.people.interview import Interview
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, Assignment, AssignmentStatus
from swapflow.domain.reviewing.score import Draft, ScoreDetails
from swapflow.domain.rules import KindRules, Rubric, Rules
from swapflow.engine.interviews.invitations import invitation_of
from swapflow.engine.ports.coordination import EventReads
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import TaskRecord
from swapflow.engine.ports.requests import RequestReads
from swapflow.engine.ports.reviewer_tasks import ReviewerTasks
from swapflow.engine.reviewing.blinding import ReviewerView
from swapflow.engine.reviewing.documents import TEXT, neutral_name
from swapflow.errors import InvalidInputError, NotFoundError


MOST_FIELDS = 200
LONGEST_DRAFT = 200_000
LONGEST_SHOWN = 400_000
"""Most bytes of a text file that a page shows whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDocument:
    """A document as a reviewer sees it.

    Attributes:
        number: From 1, among those that are shown.
        position: Its number in the store.
        link: Where it is, for a link; "" for an uploaded file.
        text: Content of an uploaded text file; "" otherwise.
    """

    number: int
    position: int
    name: str
    link: str
    media: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewForm(TaskRecord):
    """One task with what its answer is read by.

    Attributes:
        rubric: The form: the version that it was begun with, else the one in force.
    """

    rubric: Rubric | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPage(ReviewForm):
    """One task with everything that its page shows.

    Attributes:
        fellows: Names of the other reviewers of the request; empty in a blind cycle.
        given: The reviewer's own answer, once there is one.
        late: The due time has passed.
        reconsidered: Whether it belongs to an open reconsideration; the list is final
            nevertheless.
    """

    applicant: str
    external_id: str
    fields: Mapping[str, str]
    papers: tuple[ShownDocument, ...]
    hidden_papers: int
    link: str
    interview: Interview | None
    fellows: tuple[str, ...]
    draft: Draft | None
    given: ScoreDetails | None
    reviewer: Reviewer
    now: datetime
    reconsidered: bool = False

    @property
    def late(self) -> bool:
        """Whether the due time has passed."""
        due = self.assignment.due_at
        return due is not None and due < self.now

    @property
    def decided_after(self) -> datetime | None:
        """The deadline, after which a decision is planned; None once it has passed."""
        deadline = self.rules.deadline
        return deadline if deadline is not None and deadline > self.now else None

    @property
    def takes_answers(self) -> bool:
        """Whether the form accepts an answer: late ones are accepted, unwanted ones are not."""
        if self.cycle.status is CycleStatus.FINALIZED:
            return self.reconsidered and self.assignment.status in OPEN_ASSIGNMENT
        return self.assignment.status in OPEN_ASSIGNMENT | {AssignmentStatus.EXPIRED}

    @property
    def can_correct(self) -> bool:
        """Whether the reviewer's own answer may still be changed."""
        fixed = self.cycle.status is CycleStatus.FINALIZED
        return self.given is not None and (self.reconsidered or not fixed)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReview:
    """What the next form says of a review that was handed in just now.

    Attributes:
        code: Of its task.
        applicant: A reviewer's name for whom it is about.
        value: Its score, in millionths.
    """

    code: str
    applicant: str
    value: int


def read_stored_review(task: TaskRecord, *, ledger: Ledger) -> StoredReview | None:
    """Read what to say of a task's answer, None without one."""
    with ledger.one_moment():
        given = ledger.given(task.assignment.id)
        if given is None:
            return None
        application = ledger.application(task.cycle.id, task.assignment.application)
    view = ReviewerView(cycle=task.cycle, blind=task.rules.blind, shown=task.shown)
    return StoredReview(
        code=task.code, applicant=view.name_of(application), value=given.score.value
    )


def read_review_form(task: TaskRecord, *, ledger: EventReads) -> ReviewForm:
    """Read what an answer to a task is read by: mostly nothing more than the task."""
    return ReviewForm(
        assignment=task.assignment,
        cycle=task.cycle,
        rules=task.rules,
        unit=task.unit,
        shown=task.shown,
        rubric=rubric_of(task.assignment, task.rules, task.kind, ledger=ledger),
    )


def read_review_page(task: TaskRecord, *, ledger: Ledger) -> ReviewPage:
    """Read the page of a task: the application, the form, the own answer."""
    with ledger.one_moment():
        return _read_review_page(task, ledger=ledger)


def _read_review_page(task: TaskRecord, *, ledger: Ledger) -> ReviewPage:
    assignment, cycle, rules = task.assignment, task.cycle, task.rules
    application = ledger.application(cycle.id, assignment.application)
    view = ReviewerView(cycle=cycle, blind=rules.blind, shown=task.shown)
    papers, hidden = _papers(application, rules, ledger=ledger)
    return ReviewPage(
        assignment=assignment,
        cycle=cycle,
        rules=rules,
        rubric=rubric_of(assignment, rules, task.kind, ledger=ledger),
        unit=task.unit,
        shown=task.shown,
        applicant=view.name_of(application),
        external_id=application.external_id if not rules.blind else "",
        fields={name: text for name, text in view.fields_of(application).items() if text},
        papers=papers,
        hidden_papers=hidden,
        link=view.link_of(task.kind.link, application),
        interview=ledger.interviews([assignment.pull_id]).get(assignment.pull_id),
        fellows=_fellows(assignment, rules, ledger=ledger),
        draft=ledger.drafts([assignment.id]).get(assignment.id),
        given=ledger.given(assignment.id),
        reviewer=ledger.reviewer(cycle.id, assignment.reviewer),
        now=ledger.now(),
        reconsidered=_is_reconsidered(assignment, cycle, ledger=ledger),
    )


def _is_reconsidered(assignment: Assignment, cycle: Cycle, *, ledger: DecisionReads) -> bool:
    """Whether the request belongs to an open reconsideration."""
    return cycle.status is CycleStatus.FINALIZED and any(
        one.is_open
        and one.application == assignment.application
        and one.at <= assignment.created_at
        for one in ledger.reconsiderations(cycle.id)
    )


def read_document(
    assignment: Assignment, number: int, *, ledger: Ledger
) -> tuple[ShownDocument, bytes]:
    """Read an uploaded document that a reviewer may see, by its number on the page.

    Raises:
        NotFoundError: If there is none, or the blind policy hides it.
    """
    rules = ledger.rules(assignment.cycle_id)
    application = ledger.application(assignment.cycle_id, assignment.application)
    papers, _ = _papers(application, rules, ledger=ledger, read=False)
    for paper in papers:
        # A link has no media type and is never served from here.
        if paper.number == number and paper.media:
            body = ledger.file_content(assignment.cycle_id, assignment.application, paper.position)
            return paper, body
    raise NotFoundError("document_not_found")


def calendar_of(sheet: ReviewPage, *, address: str, ledger: CycleReads) -> str:
    """Build the calendar entry of a task that has a slot.

    Raises:
        NotFoundError: If it has none.
    """
    if sheet.interview is None:
        raise NotFoundError("no_interview_date_yet")
    return invitation_of(
        sheet.interview,
        sheet.assignment,
        guest=sheet.reviewer,
        cycle=sheet.cycle,
        kind=sheet.kind.name,
        stamp=ledger.now(),
        address=address,
    )


def clean(body: Mapping[str, str]) -> dict[str, str]:
    """Return a draft in its stored form: only fields that are not empty.

    Raises:
        InvalidInputError: If there are too many fields, or too much text.
    """
    if len(body) > MOST_FIELDS or sum(len(n) + len(t) for n, t in body.items()) > LONGEST_DRAFT:
        raise InvalidInputError("draft_too_long")
    # PostgreSQL takes no NUL in a text.
    return {name: text.replace("\x00", "") for name, text in body.items() if text}


def _papers(
    application: Application, rules: Rules, *, ledger: ReviewerTasks, read: bool = True
) -> tuple[tuple[ShownDocument, ...], int]:
    """Return the documents that may be shown, and count the hidden ones."""
    stored = ledger.files(application.cycle_id, application.number)
    allowed = [document for document in stored if document.redacted or not rules.blind]
    papers = []
    for number, document in enumerate(allowed, start=1):
        text = ""
        if read and document.media == TEXT and document.size <= LONGEST_SHOWN:
            where = (application.cycle_id, application.number, document.position)
            text = ledger.file_content(*where).decode("utf-8-sig", "replace")
        papers.append(
            ShownDocument(
                number=number,
                position=document.position,
                name=neutral_name(number, document.media) if rules.blind else document.name,
                link=document.link,
                media=document.media,
                text=text,
            )
        )
    return tuple(papers), len(stored) - len(allowed)


def rubric_of(
    assignment: Assignment, rules: Rules, kind: KindRules, *, ledger: EventReads
) -> Rubric | None:
    """Find the rubric that the form was begun with; a change must not affect what was typed."""
    current = rules.rubric(kind.name)
    pinned = assignment.rubric_version
    if current is None or not pinned or current.version == pinned:
        return current
    for version in range(rules.version - 1, 0, -1):
        older = ledger.rules(assignment.cycle_id, version).rubric(kind.name)
        if older is not None and older.version == pinned:
            return older
    return current


def _fellows(assignment: Assignment, rules: Rules, *, ledger: RequestReads) -> tuple[str, ...]:
    """Return the names of the request's other reviewers; none in a blind cycle."""
    if rules.blind or rules.kinds[assignment.kind].seats == 1:
        return ()
    seated = ledger.assignments(assignment.cycle_id, application=assignment.application)
    people = {r.number: r for r in ledger.reviewers(assignment.cycle_id)}
    return tuple(
        people[a.reviewer].name or people[a.reviewer].external_id
        for a in seated
        if a.pull_id == assignment.pull_id
        and a.reviewer != assignment.reviewer
        and (a.status.is_open or a.status is AssignmentStatus.SCORED)
    )
