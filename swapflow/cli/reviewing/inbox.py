"""`swapflow inbox`: a reviewer at a terminal, or staff who type for one.

A task is named by a short code of its own: an assignment's id tells how often and in which order
an applicant was asked about, which reviewers are not shown. Staff may use either.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, Reason, login_name, product
from swapflow.cli.output import Listing, day, hundred, report, warn
from swapflow.cli.reviewing.mark_input import read_answer, utility_shown
from swapflow.cli.reviewing.rubric_output import criteria_shown, rubric_lines
from swapflow.domain.ids import cycle_of
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.errors import AssignmentClosedError, InvalidInputError, NotFoundError


if TYPE_CHECKING:
    from swapflow.domain.people.application import Application
    from swapflow.domain.reviewing.assignment import Assignment
    from swapflow.domain.reviewing.score import Answer, Receipt, Score
    from swapflow.domain.rules import Rubric
    from swapflow.engine.reviewing.blinding import ReviewerView
    from swapflow.engine.services import Swapflow


app = typer.Typer(
    cls=CommandGroup, no_args_is_help=True, help="A reviewer's reviews: read, score, decline."
)

Task = Annotated[str, typer.Argument(metavar="TASK", help="Its code, as `inbox list` shows it.")]
AsReviewer = Annotated[
    str | None,
    typer.Option(
        "--reviewer", metavar="ID", envvar="SWAPFLOW_REVIEWER", help="Who you are as a reviewer."
    ),
]
ForReviewer = Annotated[
    str | None,
    typer.Option("--for", metavar="ID", help="Staff: the reviewer you act for."),
]
StaffName = Annotated[
    str | None,
    typer.Option(
        "--by", metavar="NAME", help="Staff: your name, with --for. Both are kept in the record."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalReviewer:
    """The person at the terminal: the reviewer meant, and staff's name when they type."""

    reviewer: str
    staff: str

    @property
    def name(self) -> str:
        """The name in the record."""
        return self.staff or self.reviewer


@app.command("list")
def list_tasks(
    cycle: Annotated[str, typer.Argument(metavar="CYCLE", help="The program's short name.")],
    reviewer: AsReviewer = None,
    for_reviewer: ForReviewer = None,
    by: StaffName = None,
    as_json: AsJson = False,
) -> None:
    """List what waits for a reviewer, soonest due first."""
    seat = _seat(reviewer, for_reviewer, by)
    swapflow = product()
    rules, code_of = swapflow.cycles.rules(cycle), swapflow.cycles.get(cycle).task_code
    applications = {a.number: a for a in swapflow.applicants.list(cycle)}
    view = swapflow.applicants.reviewer_view(cycle)
    tasks = [
        {
            "task": code_of(a.id),
            "applicant": _named(view, applications[a.application]),
            "kind": rules.kinds[a.kind].name,
            "due": a.due_minute,
            "opened": a.opened_at is not None,
            "due_shown": day(a.due_at, rules.zone),
        }
        for a in swapflow.tasks.inbox(cycle, seat.reviewer)
    ]
    report(
        {"cycle": cycle, "reviewer": seat.reviewer, "tasks": tasks},
        Listing(
            headers=("task", "applicant", "kind", "due", "opened"),
            rows=tuple(
                (t["task"], t["applicant"], t["kind"], t["due_shown"], t["opened"]) for t in tasks
            ),
            empty="nothing waits for you",
        ),
        as_json=as_json,
    )


@app.command("show")
def show(
    task: Task,
    reviewer: AsReviewer = None,
    for_reviewer: ForReviewer = None,
    by: StaffName = None,
    as_json: AsJson = False,
) -> None:
    """Show a review: the applicant as far as you may see, and what to judge."""
    seat = _seat(reviewer, for_reviewer, by)
    swapflow = product()
    found = _find(swapflow, task, seat)
    # Staff who look do not begin the task: begun, it is not given to another.
    if found.status.is_open and not seat.staff:
        found = swapflow.tasks.open(found.id)
    rules = swapflow.cycles.rules(found.cycle_id)
    kind = rules.kinds[found.kind].name
    code = swapflow.tasks.code(found.id)
    rubric = rules.rubric(kind)
    seen = _seen(swapflow, found)
    own = _own_score(swapflow, found)
    report(
        {
            "task": code,
            "kind": kind,
            "status": found.status.value,
            "due": found.due_minute,
            **seen,
            "criteria": criteria_shown(rubric),
            "own_score": None if own is None else 100 * own.value / 1e6,
        },
        f"{kind} of {seen['applicant']}, due {day(found.due_at, rules.zone)}",
        *([f"your score: {hundred(own.value / 1e6)} of 100"] if own else []),
        *(f"{name}: {value}" for name, value in _spelled(seen)),
        *rubric_lines(code, rubric),
        as_json=as_json,
    )


@app.command("score")
def score(
    task: Task,
    mark: Annotated[
        list[str] | None,
        typer.Option(metavar="CRITERION=MARK", help="One for each criterion; N/A is a choice."),
    ] = None,
    overall: Annotated[
        str | None,
        typer.Option("--score", metavar="S", help="One overall score: 0 to 1, or 70/100."),
    ] = None,
    remark: Annotated[str, typer.Option(metavar="TEXT", help="For the committee.")] = "",
    reviewer: AsReviewer = None,
    for_reviewer: ForReviewer = None,
    by: StaffName = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before it is stored.")] = False,
    as_json: AsJson = False,
) -> None:
    """Hand in a score; what is said to be stored is stored."""
    seat = _seat(reviewer, for_reviewer, by)
    swapflow = product()
    found = _find(swapflow, task, seat)
    rules = swapflow.cycles.rules(found.cycle_id)
    rubric = rules.rubric(rules.kinds[found.kind].name)
    answer = read_answer(
        found.id,
        marks=mark or (),
        score=overall,
        rubric=rubric,
        typed_by=seat.staff,
        remark=remark,
    )
    _announce(answer, rubric, seat, ask=not yes)
    code = swapflow.tasks.code(found.id)
    with _named_by(code):
        receipt = swapflow.tasks.submit([answer])[0]
    deadline = rules.deadline
    ahead = deadline is not None and deadline > swapflow.cycles.now()
    planned = f" (planned for {day(deadline, rules.zone)})" if ahead else ""
    _report_receipt(receipt, answer, seat, planned, code=code, as_json=as_json)


@app.command("decline")
def decline(
    task: Task,
    kind: Annotated[
        DeclineKind, typer.Option(help="conflict is recorded for good; busy until a day.")
    ],
    until: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="With busy: your last day away.")
    ] = None,
    reason: Reason = "",
    reviewer: AsReviewer = None,
    for_reviewer: ForReviewer = None,
    by: StaffName = None,
    as_json: AsJson = False,
) -> None:
    """Decline a review; another reviewer is asked."""
    from swapflow.domain.people.reviewer import Absence

    seat = _seat(reviewer, for_reviewer, by)
    last = _last_day(kind, until)
    swapflow = product()
    found = _find(swapflow, task, seat)
    busy = None if last is None else Absence(first=_today(swapflow), last=last)
    code = swapflow.tasks.code(found.id)
    with _named_by(code):
        swapflow.tasks.decline(found.id, kind, by=seat.name, reason=reason, busy=busy)
    consequence = {
        DeclineKind.CONFLICT: "you will never be asked about this applicant",
        DeclineKind.BUSY: f"nothing new comes until {until}",
        DeclineKind.UNQUALIFIED: "another reviewer is asked",
        DeclineKind.MISSED: "another reviewer is asked; it does not count against you",
    }[kind]
    report(
        {
            "task": code,
            "declined": kind.value,
            "reviewer": seat.reviewer,
            "typed_by": seat.staff or None,
        },
        f"noted (no-show): {consequence}"
        if kind is DeclineKind.MISSED
        else f"declined ({kind.value}): {consequence}",
        as_json=as_json,
    )


def _seat(reviewer: str | None, for_reviewer: str | None, by: str | None) -> TerminalReviewer:
    """Find out who acts; staff name themselves and the reviewer, a reviewer only one."""
    if for_reviewer:
        return TerminalReviewer(reviewer=for_reviewer, staff=by or login_name())
    if by:
        raise InvalidInputError("by_without_for")
    if not reviewer:
        raise InvalidInputError("reviewer_option_missing")
    return TerminalReviewer(reviewer=reviewer, staff="")


@contextmanager
def _named_by(code: str) -> Iterator[None]:
    """Name a task by its code in what a refusal says."""
    try:
        yield
    except AssignmentClosedError as error:
        raise error.named(code) from error


def _find(swapflow: "Swapflow", task: str, seat: TerminalReviewer) -> "Assignment":
    """Find a task among those of the reviewer; another reviewer's is not there at all."""
    cycle = cycle_of(task)
    code_of = swapflow.cycles.get(cycle).task_code
    # By the reviewer's own list: whether a code exists elsewhere is nobody's business here.
    number = next(
        (r.number for r in swapflow.reviewers.list(cycle) if r.external_id == seat.reviewer), None
    )
    if number is not None:
        for assignment in swapflow.tasks.of_reviewer(cycle, number):
            if task in {assignment.id, code_of(assignment.id)}:
                return assignment
    raise NotFoundError("reviewer_has_no_task", reviewer=seat.reviewer, task=task, cycle=cycle)


def _seen(swapflow: "Swapflow", found: "Assignment") -> "dict[str, str | dict[str, str]]":
    """Return what a reviewer may see of an applicant, as the page of the task shows it."""
    page = swapflow.tasks.page(swapflow.tasks.task(found.id))
    application = swapflow.applicants.get(found.cycle_id, found.application)
    return {
        "applicant": _named(swapflow.applicants.reviewer_view(found.cycle_id), application),
        **({} if page.rules.blind else {"name": application.name}),
        "fields": dict(page.fields),
        "documents": {paper.name: paper.link for paper in page.papers},
    }


def _named(view: "ReviewerView", application: "Application") -> str:
    """Name an applicant to a reviewer: by the id, and as the pages do in a blind cycle."""
    return view.name_of(application) if view.blind else application.external_id


def _own_score(swapflow: "Swapflow", found: "Assignment") -> "Score | None":
    """Read the score that this assignment has, never anybody else's."""
    own = [
        s
        for s in swapflow.scores.list(found.cycle_id, application=found.application)
        if s.assignment_id == found.id
    ]
    return own[-1] if own else None


def _spelled(seen: "dict[str, str | dict[str, str]]") -> list[tuple[str, str]]:
    lines = []
    for name, value in seen.items():
        if isinstance(value, dict):
            lines += [(field, text) for field, text in value.items() if text]
        elif name != "applicant":
            lines.append((name, value))
    return lines


def _announce(
    answer: "Answer", rubric: "Rubric | None", seat: TerminalReviewer, *, ask: bool
) -> None:
    """Show what will be stored, and ask once more when a person sits there."""
    marks = ", ".join(
        f"{name} {'N/A' if mark is None else f'{mark:g}'}" for name, mark in answer.marks.items()
    )
    who = f"{seat.reviewer}, typed by {seat.staff}" if seat.staff else seat.reviewer
    warn(
        f"to be stored: {hundred(utility_shown(answer, rubric))} of 100"
        f"{f' ({marks})' if marks else ' (an overall score, without marks)'}, from {who}"
    )
    if ask and sys.stdin.isatty() and sys.stderr.isatty():
        typer.confirm("Store it?", default=True, abort=True, err=True)


def _report_receipt(
    receipt: "Receipt",
    answer: "Answer",
    seat: TerminalReviewer,
    planned: str,
    *,
    code: str,
    as_json: bool,
) -> None:
    """Report what is stored; `planned` is when the list is to be fixed, "" if not known."""
    stored = (
        f"stored: {hundred(receipt.value / 1e6)} of 100, as number {receipt.seq} of the record"
    )
    if receipt.repeated:
        stored = f"stored before: {hundred(receipt.value / 1e6)} of 100; nothing was changed"
    counted = (
        "it counts"
        if receipt.counts
        else (
            "it is kept, and does not count (it came late, or the list is final); staff can "
            "say why"
        )
    )
    until = f"until the list is final{planned}"
    report(
        {
            "task": code,
            "stored": 100 * receipt.value / 1e6,
            "marks": dict(answer.marks),
            "counts": receipt.counts,
            "repeated": receipt.repeated,
            "number": receipt.seq,
            "reviewer": seat.reviewer,
            "typed_by": seat.staff or None,
            "correctable_until": "finalize",
        },
        stored,
        counted,
        f"staff can correct it {until}: swapflow scores correct",
        as_json=as_json,
    )


def _last_day(kind: DeclineKind, until: str | None) -> date | None:
    if kind is not DeclineKind.BUSY:
        if until:
            raise InvalidInputError("until_without_busy")
        return None
    if not until:
        raise InvalidInputError("busy_without_until")
    try:
        return date.fromisoformat(until)
    except ValueError as error:
        raise InvalidInputError("until_option_not_a_date", text=until) from error


def _today(swapflow: "Swapflow") -> date:
    return swapflow.cycles.now().date()
