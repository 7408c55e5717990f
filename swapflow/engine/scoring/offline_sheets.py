"""Offline sheets: each returned row is checked against its request, then all are stored.

A sheet goes to a reviewer who does not sign in, one row per request, and comes back filled. Its
rows are checked here against the ledger; `files.exports.offline_sheet` writes a sheet as a file,
`files.imports.offline_sheet` reads one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.fixed_point import value_units
from swapflow.domain.ids import cycle_of, same_id
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, Assignment, AssignmentStatus
from swapflow.domain.reviewing.rubric import utility
from swapflow.domain.reviewing.score import Answer, ScoreDetails
from swapflow.domain.rules import KindRules, Rubric, Rules
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.reviewing import submit
from swapflow.engine.reviewing.blinding import ReviewerView, view_of
from swapflow.engine.reviewing.review_page import ReviewPage, read_review_page, rubric_of
from swapflow.engine.scoring import corrections
from swapflow.engine.scoring.sheet_plan import PlannedRow, ReturnedRow, RowOutcome, SheetPlan
from swapflow.errors import BadRow, BadRowsError, InvalidInputError, NotFoundError


REASON = "came back on a reviewer's sheet"
"""The recorded reason of a correction by a sheet."""

_HIGHEST = 100
_SUREST = 5


def outgoing(cycle_id: str, reviewer: int, *, ledger: Ledger) -> tuple[ReviewPage, ...]:
    """Read a reviewer's open tasks for their sheet, soonest due first."""
    waiting = ledger.assignments(cycle_id, reviewer=reviewer, statuses=OPEN_ASSIGNMENT)
    ordered = sorted(waiting, key=lambda a: (a.due_at is None, a.due_at, a.id))
    return tuple(read_review_page(ledger.task(one.id), ledger=ledger) for one in ordered)


def examine(
    cycle_id: str,
    returned: Sequence[ReturnedRow],
    *,
    by: str,
    source: str,
    reviewer: int | None = None,
    bad: Sequence[BadRow] = (),
    ledger: Ledger,
) -> SheetPlan:
    """Check the rows of a sheet against the requests; changes nothing.

    Args:
        cycle_id: The cycle.
        returned: The rows as read.
        by: The person who enters them; recorded beside the reviewer.
        source: The file's name in messages.
        reviewer: Whose sheet it must be, by number; None for anybody's of the cycle.
        bad: Rows of the file that could not be read.
        ledger: The ledger.
    """
    reader = _Reader(
        cycle=ledger.cycle(cycle_id),
        rules=ledger.rules(cycle_id),
        ledger=ledger,
        by=by,
        expected=reviewer,
    )
    for row in returned:
        reader.take(row)
    problems = sorted([*bad, *reader.bad], key=lambda row: row.line)
    return SheetPlan(
        cycle_id=cycle_id, source=source, rows=tuple(reader.rows), bad=tuple(problems)
    )


def enter(plan: SheetPlan, *, by: str, ledger: CycleReads) -> None:
    """Store the answers of a plan in one transaction: all or none.

    Raises:
        BadRowsError: If the plan holds a bad row.
        AssignmentClosedError: If a request was answered in the meantime.
        CycleFinalizedError: If a correction comes after the list was fixed.
    """
    if plan.bad:
        raise BadRowsError(plan.source, plan.bad)
    fresh, changed = plan.answers(RowOutcome.NEW), plan.answers(RowOutcome.CORRECTED)
    if not fresh and not changed:
        return
    with ledger.write(plan.cycle_id) as tx:
        if fresh:
            submit.take(tx, fresh)
        for answer in changed:
            corrections.correct_in(tx, answer, by=by, reason=REASON)


_GIVEN_AWAY = {
    AssignmentStatus.DECLINED: "this request was declined",
    AssignmentStatus.NO_SHOW: "the applicant did not come, and another date is looked for",
    AssignmentStatus.TAKEN_BACK: "staff took this request back",
}
"""Why a request takes no answer from its reviewer any more."""


@dataclass(slots=True)
class _Reader:
    """Processes rows one by one; unusable ones are collected."""

    cycle: Cycle
    rules: Rules
    ledger: Ledger
    by: str
    expected: int | None
    rows: list[PlannedRow] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    _view: ReviewerView = field(init=False)
    _tasks: dict[str, Assignment] = field(init=False)
    _people: dict[int, Reviewer] = field(init=False)
    _lines: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._view = view_of(self.cycle, self.rules, ledger=self.ledger)
        code = self.cycle.task_code
        self._tasks = {code(a.id): a for a in self.ledger.assignments(self.cycle.id)}
        self._people = {r.number: r for r in self.ledger.reviewers(self.cycle.id)}

    def take(self, row: ReturnedRow) -> None:
        """Process one row."""
        if row.is_blank:
            self.rows.append(_planned(row, "", "", "", RowOutcome.BLANK))
            return
        assignment = self._assignment(row)
        if assignment is None or not self._fits(row, assignment):
            return
        before = len(self.bad)
        kind = self.rules.kinds[assignment.kind]
        answer = self._answer(row, assignment, kind)
        if len(self.bad) > before or answer is None:
            return
        given = self.ledger.given(assignment.id)
        fate, note = self._row_outcome(row, answer, given, assignment)
        if fate is None:
            return
        if fate is RowOutcome.CORRECTED and given is not None:
            # A sheet has no column for every note, so those that it does not ask for are kept.
            answer = replace(answer, notes={**given.notes, **answer.notes})
        who = self._people[assignment.reviewer].external_id
        applicant = self._applicant(assignment)
        stored = None if fate is RowOutcome.UNCHANGED else answer
        planned = _planned(row, applicant, who, kind.name, fate)
        self.rows.append(replace(planned, note=note, answer=stored))

    # Which request it is

    def _assignment(self, row: ReturnedRow) -> Assignment | None:
        if not row.task:
            self._refuse(row, "request key", "", "the key is missing", _SHEET_ANEW)
            return None
        key = _plain_key(row.task)
        found = self._tasks.get(key)
        if found is None:
            self._refuse_key(row, key)
            return None
        earlier = self._lines.setdefault(key, row.line)
        if earlier != row.line:
            reason = f"line {earlier} has this key already"
            self._refuse(row, "request key", row.task, reason, "Keep the row that is right")
            return None
        return found

    def _refuse_key(self, row: ReturnedRow, key: str) -> None:
        """Refuse a key that no request of this program has."""
        elsewhere = cycle_of(key)
        if elsewhere != self.cycle.id and ":" in key and self._is_program(elsewhere):
            reason = f"this key is of another program ({elsewhere})"
            self._refuse(row, "request key", row.task, reason, "Import the sheet there")
            return
        reason = "the key was changed: no request of this program has it"
        sent = [code for code, a in self._tasks.items() if self._is_about(row, a)]
        # The right key is named only where the row itself leaves no doubt.
        sure = f"; this row went out with {sent[0]}" if len(sent) == 1 else ""
        cure = _SHEET_ANEW + sure
        self._refuse(row, "request key", row.task, reason, cure)

    def _is_program(self, cycle_id: str) -> bool:
        try:
            self.ledger.cycle(cycle_id)
        except NotFoundError:
            return False
        return True

    def _is_about(self, row: ReturnedRow, assignment: Assignment) -> bool:
        """Whether a row names reviewer and applicant of a request."""
        if not row.reviewer or not row.applicant:
            return False
        owner = self._people[assignment.reviewer].external_id
        return same_id(owner) == same_id(row.reviewer) and same_id(
            self._applicant(assignment)
        ) == same_id(row.applicant)

    def _fits(self, row: ReturnedRow, assignment: Assignment) -> bool:
        """Whether the row still names the people it went out with."""
        owner = self._people[assignment.reviewer]
        if self.expected is not None and assignment.reviewer != self.expected:
            reason = "this request is another reviewer's"
            self._refuse(
                row, "request key", row.task, reason, "Import the sheet under that reviewer"
            )
            return False
        if row.reviewer and same_id(row.reviewer) != same_id(owner.external_id):
            reason = "this request is not this reviewer's"
            self._refuse(row, "reviewer", row.reviewer, reason, _CELL_BACK)
            return False
        shown = self._applicant(assignment)
        if row.applicant is not None and same_id(row.applicant) != same_id(shown):
            reason = f"the applicant was changed; the row went out with {shown!r}"
            self._refuse(row, "applicant", row.applicant, reason, _CELL_BACK)
            return False
        if assignment.status.is_given_away:
            reason = _GIVEN_AWAY[assignment.status]
            self._refuse(row, "request key", row.task, reason, "Leave the row blank")
            return False
        return True

    def _applicant(self, assignment: Assignment) -> str:
        application = self.ledger.application(self.cycle.id, assignment.application)
        return self._view.name_of(application)

    # What it says

    def _answer(self, row: ReturnedRow, assignment: Assignment, kind: KindRules) -> Answer | None:
        rubric = rubric_of(assignment, self.rules, kind, ledger=self.ledger)
        row = _in_words_of(rubric, row)
        before = len(self.bad)
        score = self._score(row) if rubric is None else None
        if rubric is not None:
            self._check_marks(row, rubric)
        foreign = [name for name in row.marks if rubric is None or not _has(rubric, name)]
        for name in foreign:
            reason = f"the form of {kind.name!r} does not ask for it"
            self._refuse(row, row.headers.get(name, name), "", reason, "Empty the cell")
        notes = self._notes(row, kind)
        if len(self.bad) > before:
            return None
        return Answer(
            assignment_id=assignment.id,
            marks=dict(row.marks),
            utility=score,
            typed_by=self.by,
            remark=row.remark,
            notes=notes,
        )

    def _score(self, row: ReturnedRow) -> float | None:
        header = row.headers.get("score", "score")
        if row.score is None:
            self._refuse(row, header, "", "the score is missing", "Write one from 0 to 100")
        elif not 0 <= row.score <= _HIGHEST:
            shown = f"{row.score:g}"
            self._refuse(row, header, shown, "a score is 0 to 100", "Correct it")
        else:
            return row.score / _HIGHEST
        return None

    def _check_marks(self, row: ReturnedRow, rubric: Rubric) -> None:
        before = len(self.bad)
        for criterion in rubric.criteria:
            header = row.headers.get(criterion.name, criterion.name)
            allowed = [mark for mark, _ in criterion.marks]
            choices = ", ".join(f"{mark:g}" for mark in allowed)
            if criterion.name not in row.marks:
                self._refuse(row, header, "", "no mark is given", f"Write {choices} or N/A")
                continue
            mark = row.marks[criterion.name]
            if mark is not None and mark not in allowed:
                reason = "this is none of the marks"
                self._refuse(row, header, f"{mark:g}", reason, f"Write {choices} or N/A")
        if row.score is not None:
            header = row.headers.get("score", "score")
            reason = "this request has a form with marks of its own"
            self._refuse(row, header, f"{row.score:g}", reason, "Empty the cell")
        if len(self.bad) == before:
            try:
                utility(rubric, {c.name: row.marks[c.name] for c in rubric.criteria})
            except InvalidInputError as error:
                self._refuse(row, "", "", str(error), "Correct the row, or leave it blank")

    def _notes(self, row: ReturnedRow, kind: KindRules) -> dict[str, str]:
        notes = {"private": row.private} if row.private else {}
        if row.confidence is not None:
            header = row.headers.get("confidence", "confidence")
            shown = str(row.confidence)
            if not kind.confidence:
                reason = f"the form of {kind.name!r} does not ask for it"
                self._refuse(row, header, shown, reason, "Empty the cell")
            elif not 1 <= row.confidence <= _SUREST:
                self._refuse(row, header, shown, "confidence is 1 to 5", "Correct it")
            else:
                notes["confidence"] = shown
        return notes

    # What becomes of it

    def _row_outcome(
        self, row: ReturnedRow, answer: Answer, given: ScoreDetails | None, assignment: Assignment
    ) -> tuple[RowOutcome | None, str]:
        fixed = self.cycle.status is CycleStatus.FINALIZED
        if given is None:
            note = ""
            if assignment.status is AssignmentStatus.CANCELLED:
                note = "its request was withdrawn: it is kept, and does not count"
            elif fixed and not assignment.status.is_open:
                note = "the list is fixed: it is kept, and does not count"
            elif assignment.status is AssignmentStatus.EXPIRED:
                note = "it comes late"
            return RowOutcome.NEW, note
        if _same(answer, given):
            return RowOutcome.UNCHANGED, "the same is stored already"
        if fixed:
            reason = "another review is stored, and the list is fixed"
            self._refuse(row, "request key", row.task, reason, "Leave the row blank")
            return None, ""
        return RowOutcome.CORRECTED, "another review is stored, and stays on record"

    def _refuse(self, row: ReturnedRow, column: str, value: str, reason: str, cure: str) -> None:
        self.bad.append(
            BadRow(line=row.line, column=column, value=value[:60], reason=reason, cure=cure)
        )


_AROUND_A_KEY = "'\"<>()[]{}`´‘’“”„«»,;.?# \u200b\ufeff"
"""What mail programs and spreadsheets put around a key."""

_SHEET_ANEW = "Take the key from the sheet as it went out"
_CELL_BACK = "Put back what stood there; each key belongs to one row"


def _planned(
    row: ReturnedRow, applicant: str, reviewer: str, kind: str, fate: RowOutcome
) -> PlannedRow:
    return PlannedRow(
        line=row.line,
        task=row.task,
        applicant=applicant or row.applicant or "",
        reviewer=reviewer or row.reviewer,
        kind=kind,
        fate=fate,
    )


def _has(rubric: Rubric, name: str) -> bool:
    return any(criterion.name == name for criterion in rubric.criteria)


def _plain_key(text: str) -> str:
    """Return a key as it went out: in any case, quoted, or as the address of its page."""
    key = same_id(text).rsplit("/tasks/", 1)[-1]
    return key.strip(_AROUND_A_KEY)


def _in_words_of(rubric: Rubric | None, row: ReturnedRow) -> ReturnedRow:
    """Return a row whose criteria are called as the form calls them, whatever their case."""
    exact = {c.name for c in rubric.criteria} if rubric else set()
    asked = {same_id(name): name for name in exact}

    def named(name: str) -> str:
        return name if name in exact else asked.get(same_id(name), name)

    return replace(
        row,
        marks={named(name): mark for name, mark in row.marks.items()},
        headers={named(name): header for name, header in row.headers.items()},
    )


def _same(answer: Answer, given: ScoreDetails) -> bool:
    """Whether an answer equals what is stored; fields that a sheet lacks are not compared."""
    if answer.utility is not None:
        if value_units(answer.utility) != given.score.value:
            return False
    elif dict(answer.marks) != dict(given.marks):
        return False
    same_notes = all(given.notes.get(name) == text for name, text in answer.notes.items())
    return same_notes and answer.remark == given.remark
