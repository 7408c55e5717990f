"""The reviewer's desk: what waits in every cycle, and everything that one task shows."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import quote

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.people.application import Application
from swapflow.domain.people.interview import Interview
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, Assignment, AssignmentStatus
from swapflow.domain.reviewing.score import Draft, Given
from swapflow.domain.rules import KindRules, Rubric, Rules
from swapflow.engine.ports import Ledger
from swapflow.engine.reviewing.blinding import shown_as, visible_fields
from swapflow.engine.reviewing.documents import TEXT, neutral_name
from swapflow.engine.reviewing.interviews import invitation_of
from swapflow.errors import InvalidInputError, NotFoundError


SOON = timedelta(days=3)
"""How near a due time is called soon."""

MOST_FIELDS = 200
LONGEST_DRAFT = 200_000
LONGEST_SHOWN = 400_000
"""Bytes of a text file that a page shows whole."""

DONE = frozenset({AssignmentStatus.SCORED})
SHOWN = OPEN_ASSIGNMENT | DONE | {AssignmentStatus.EXPIRED}


class Section(StrEnum):
    """Where a task stands in the list, in this order."""

    OVERDUE = "overdue"
    SOON = "soon"
    STARTED = "started"
    NEW = "new"
    PASSED_ON = "passed on"
    DONE = "done"


ENDED = frozenset({Section.DONE, Section.PASSED_ON})
"""Where nothing is left to be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One row of the inbox.

    Attributes:
        minutes: What it is reckoned to take; None when the round counts in something else.
    """

    code: str
    cycle_id: str
    cycle: str
    zone: str
    applicant: str
    kind: str
    minutes: int | None
    due_at: datetime | None
    section: Section
    draft: bool
    skipped: bool
    interview: Interview | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskCycle:
    """One cycle in which somebody reviews."""

    id: str
    name: str
    status: CycleStatus
    deadline: datetime | None
    zone: str
    done: int
    waiting: int
    reviewer: Reviewer
    packet: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Everything on somebody's desk; `tasks` stand in the order in which they should be done."""

    now: datetime
    cycles: tuple[DeskCycle, ...]
    tasks: tuple[Task, ...]

    @property
    def waiting(self) -> tuple[Task, ...]:
        """What is still to be done."""
        return tuple(task for task in self.tasks if task.section not in ENDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A document as a reviewer sees it.

    Attributes:
        number: From 1, among those that are shown.
        position: Where it is stored.
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
class Sheet:
    """One task with everything that its page shows.

    Attributes:
        rubric: What the form asks for: the version it was begun with, else the one in force.
        fellows: Names of whoever else sits there; empty in a blind cycle.
        given: The own answer, once there is one.
        late: The due time has passed.
        reconsidered: It belongs to a reconsideration that is open: the list is fixed all the same.
    """

    code: str
    assignment: Assignment
    cycle: Cycle
    rules: Rules
    kind: KindRules
    rubric: Rubric | None
    unit: str
    applicant: str
    external_id: str
    fields: Mapping[str, str]
    papers: tuple[Paper, ...]
    hidden_papers: int
    link: str
    interview: Interview | None
    fellows: tuple[str, ...]
    draft: Draft | None
    given: Given | None
    reviewer: Reviewer
    now: datetime
    reconsidered: bool = False

    @property
    def late(self) -> bool:
        """Whether the due time has passed."""
        due = self.assignment.due_at
        return due is not None and due < self.now

    @property
    def takes_answers(self) -> bool:
        """Whether the form is of use: a late answer is taken, one that nobody wants is not."""
        if self.cycle.status is CycleStatus.FINALIZED:
            return self.reconsidered and self.assignment.status in OPEN_ASSIGNMENT
        return self.assignment.status in OPEN_ASSIGNMENT | {AssignmentStatus.EXPIRED}

    @property
    def can_correct(self) -> bool:
        """Whether the own answer may still be changed."""
        fixed = self.cycle.status is CycleStatus.FINALIZED
        return self.given is not None and (self.reconsidered or not fixed)


def read_desk(seats: Collection[tuple[str, int]], *, ledger: Ledger) -> Desk:
    """Read everything that waits for somebody, in every cycle where they sit."""
    with ledger.one_moment():
        return _read_desk(seats, ledger=ledger)


def read_next(seats: Collection[tuple[str, int]], *, after: str, ledger: Ledger) -> Task | None:
    """Read what somebody should do after a task: the first that waits and is not that one.

    What they have done already is not read: it grows, and this is asked after every review.
    """
    waiting: list[Task] = []
    with ledger.one_moment():
        now = ledger.now()
        units = {known.id: known.unit for known in ledger.rounds()} if seats else {}
        for cycle_id, number in seats:
            cycle, rules = ledger.cycle(cycle_id), ledger.rules(cycle_id)
            theirs = ledger.assignments(cycle_id, reviewer=number, statuses=SHOWN - DONE)
            tasks = _tasks(cycle, rules, theirs, units[cycle.round_id], now=now, ledger=ledger)
            waiting += [t for t in tasks if t.section not in ENDED and t.code != after]
    return min(waiting, key=_urgency, default=None)


def _read_desk(seats: Collection[tuple[str, int]], *, ledger: Ledger) -> Desk:
    now = ledger.now()
    units = {known.id: known.unit for known in ledger.rounds()} if seats else {}
    cycles: list[DeskCycle] = []
    tasks: list[Task] = []
    for cycle_id, number in seats:
        cycle = ledger.cycle(cycle_id)
        rules = ledger.rules(cycle_id)
        theirs = ledger.assignments(cycle_id, reviewer=number, statuses=SHOWN)
        tasks += _tasks(cycle, rules, theirs, units[cycle.round_id], now=now, ledger=ledger)
        reviewer = ledger.reviewer(cycle_id, number)
        cycles.append(
            DeskCycle(
                id=cycle_id,
                name=cycle.name,
                status=cycle.status,
                deadline=rules.deadline,
                zone=rules.zone,
                done=sum(a.status is AssignmentStatus.SCORED for a in theirs),
                waiting=sum(a.status.is_open for a in theirs),
                reviewer=reviewer,
                packet=reviewer.packet or rules.packet,
            )
        )
    return Desk(now=now, cycles=tuple(cycles), tasks=tuple(sorted(tasks, key=_urgency)))


def read_sheet(assignment: Assignment, *, ledger: Ledger) -> Sheet:
    """Read what a reviewer sees of an assignment: the file, the form, the own answer."""
    with ledger.one_moment():
        return _read_sheet(assignment, ledger=ledger)


def _read_sheet(assignment: Assignment, *, ledger: Ledger) -> Sheet:
    cycle = ledger.cycle(assignment.cycle_id)
    rules = ledger.rules(cycle.id)
    kind = rules.kinds[assignment.kind]
    application = ledger.application(cycle.id, assignment.application)
    papers, hidden = _papers(application, rules, ledger=ledger)
    return Sheet(
        code=cycle.task_code(assignment.id),
        assignment=assignment,
        cycle=cycle,
        rules=rules,
        kind=kind,
        rubric=rubric_of(assignment, rules, kind, ledger=ledger),
        unit=next(r.unit for r in ledger.rounds() if r.id == cycle.round_id),
        applicant=shown_as(application, blind=rules.blind),
        external_id=application.external_id if not rules.blind else "",
        fields={
            name: text
            for name, text in visible_fields(application, blind=rules.blind).items()
            if text
        },
        papers=papers,
        hidden_papers=hidden,
        link=_filled(kind.link, application),
        interview=ledger.interviews([assignment.pull_id]).get(assignment.pull_id),
        fellows=_fellows(assignment, rules, ledger=ledger),
        draft=ledger.drafts([assignment.id]).get(assignment.id),
        given=ledger.given(assignment.id),
        reviewer=ledger.reviewer(cycle.id, assignment.reviewer),
        now=ledger.now(),
        reconsidered=_is_reconsidered(assignment, cycle, ledger=ledger),
    )


def _is_reconsidered(assignment: Assignment, cycle: Cycle, *, ledger: Ledger) -> bool:
    """Whether something was asked for in a reconsideration that is open."""
    return cycle.status is CycleStatus.FINALIZED and any(
        one.is_open
        and one.application == assignment.application
        and one.at <= assignment.created_at
        for one in ledger.reconsiderations(cycle.id)
    )


def read_document(assignment: Assignment, number: int, *, ledger: Ledger) -> tuple[Paper, bytes]:
    """Read an uploaded document that a reviewer may see, by its number on the sheet.

    Raises:
        NotFoundError: If there is none, or the blind policy hides it.
    """
    rules = ledger.rules(assignment.cycle_id)
    application = ledger.application(assignment.cycle_id, assignment.application)
    papers, _ = _papers(application, rules, ledger=ledger, read=False)
    for paper in papers:
        if paper.number == number and paper.media:
            body = ledger.file_content(assignment.cycle_id, assignment.application, paper.position)
            return paper, body
    raise NotFoundError("there is no such document")


def calendar_of(sheet: Sheet, *, address: str, ledger: Ledger) -> str:
    """Spell the calendar entry of a task that has a slot.

    Raises:
        NotFoundError: If it has none.
    """
    if sheet.interview is None:
        raise NotFoundError("there is no date yet")
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
    """Give a draft as it is kept: named fields with something in them.

    Raises:
        InvalidInputError: If there are too many fields, or too much text.
    """
    if len(body) > MOST_FIELDS or sum(len(n) + len(t) for n, t in body.items()) > LONGEST_DRAFT:
        raise InvalidInputError("this is more text than a draft holds; shorten it")
    # PostgreSQL takes no NUL in a text.
    return {name: text.replace("\x00", "") for name, text in body.items() if text}


def _tasks(
    cycle: Cycle,
    rules: Rules,
    theirs: Collection[Assignment],
    unit: str,
    *,
    now: datetime,
    ledger: Ledger,
) -> Iterable[Task]:
    ids = [a.id for a in theirs]
    drafts, skips = ledger.drafts(ids), ledger.skips(ids)
    slots = ledger.interviews({a.pull_id for a in theirs})
    applications = {
        a.number: a
        for a in ledger.applications_numbered(cycle.id, {a.application for a in theirs})
    }
    for a in theirs:
        if a.status is AssignmentStatus.EXPIRED and cycle.status is CycleStatus.FINALIZED:
            continue
        kind = rules.kinds[a.kind]
        yield Task(
            code=cycle.task_code(a.id),
            cycle_id=cycle.id,
            cycle=cycle.name,
            zone=rules.zone,
            applicant=shown_as(applications[a.application], blind=rules.blind),
            kind=kind.name,
            minutes=kind.cost if unit == "minutes" else None,
            due_at=a.due_at,
            section=_section(a, begun=a.id in drafts, now=now),
            draft=a.id in drafts,
            skipped=a.id in skips,
            interview=slots.get(a.pull_id),
        )


def _section(assignment: Assignment, *, begun: bool, now: datetime) -> Section:
    if assignment.status is AssignmentStatus.SCORED:
        return Section.DONE
    if assignment.status is AssignmentStatus.EXPIRED:
        return Section.OVERDUE if begun else Section.PASSED_ON
    due = assignment.due_at
    if due is not None and due < now:
        return Section.OVERDUE
    if due is not None and due < now + SOON:
        return Section.SOON
    return Section.STARTED if begun else Section.NEW


def _urgency(task: Task) -> tuple[int, bool, bool, float, str]:
    section = list(Section).index(task.section)
    due = task.due_at.timestamp() if task.due_at else 0.0
    return section, task.skipped, task.due_at is None, due, task.code


def _papers(
    application: Application, rules: Rules, *, ledger: Ledger, read: bool = True
) -> tuple[tuple[Paper, ...], int]:
    """Give the documents that may be shown, and count those that may not."""
    stored = ledger.files(application.cycle_id, application.number)
    allowed = [document for document in stored if document.redacted or not rules.blind]
    papers = []
    for number, document in enumerate(allowed, start=1):
        text = ""
        if read and document.media == TEXT and document.size <= LONGEST_SHOWN:
            where = (application.cycle_id, application.number, document.position)
            text = ledger.file_content(*where).decode("utf-8-sig", "replace")
        papers.append(
            Paper(
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
    assignment: Assignment, rules: Rules, kind: KindRules, *, ledger: Ledger
) -> Rubric | None:
    """Find the rubric that the form was begun with; a change must not move what was typed."""
    current = rules.rubric(kind.name)
    pinned = assignment.rubric_version
    if current is None or not pinned or current.version == pinned:
        return current
    for version in range(rules.version - 1, 0, -1):
        older = ledger.rules(assignment.cycle_id, version).rubric(kind.name)
        if older is not None and older.version == pinned:
            return older
    return current


def _fellows(assignment: Assignment, rules: Rules, *, ledger: Ledger) -> tuple[str, ...]:
    """Name whoever else sits on the same request; in a blind cycle nobody."""
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


def _filled(template: str, application: Application) -> str:
    return template.replace("{external_id}", quote(application.external_id, safe=""))
