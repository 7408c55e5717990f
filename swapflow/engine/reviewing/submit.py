"""Step 5, submit: answers become scores; the ledger holds a score before anyone is told."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.fixed_point import Delta, contribution, value_units
from swapflow.domain.ids import cycle_of, pull_id
from swapflow.domain.reviewing.assignment import (
    OPEN_ASSIGNMENT,
    Assignment,
    AssignmentStatus,
    Pull,
    PullReason,
    PullStatus,
)
from swapflow.domain.reviewing.rubric import utility
from swapflow.domain.reviewing.score import Answer, Late, NotCounted, Origin, Receipt, Score
from swapflow.domain.rules import Rules
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.projection.pull_events import EXTRA_PULL
from swapflow.engine.reviewing.asked_again import asked_again, end_asked_again
from swapflow.engine.reviewing.submitted_score import (
    adds_nothing,
    check_origin,
    new_score,
    seat_payload,
)
from swapflow.errors import (
    AssignmentClosedError,
    InvalidInputError,
    NotFoundError,
)


UNASKED = frozenset({Origin.VOLUNTEERED, Origin.IMPORTED})


def submit(answers: Sequence[Answer], *, ledger: CycleReads) -> tuple[Receipt, ...]:
    """Store answers of one cycle in one transaction, all or none, and return receipts.

    When this returns, the ledger has committed; Redis, broker, coordinator and workers may all be
    down. Submitting the same again returns the same receipt and changes nothing.

    Args:
        answers: Answers to assignments of one cycle.
        ledger: The ledger.

    Returns:
        One receipt per answer, in the same order.

    Raises:
        NotFoundError: If there is no such assignment.
        ScoreOutOfRangeError: If a score lies outside its scale.
        InvalidInputError: If an automatic answer is not allowed in this cycle.
        AssignmentClosedError: If the assignment was declined, or answered differently before.
    """
    if not answers:
        return ()
    with ledger.write(cycle_of_answers(answers)) as tx:
        return take(tx, answers)


def cycle_of_answers(answers: Sequence[Answer]) -> str:
    """Return the cycle of answers; several cycles raise InvalidInputError."""
    cycles = {cycle_of(answer.assignment_id) for answer in answers}
    if len(cycles) > 1:
        raise InvalidInputError("answers_of_several_cycles", cycles=len(cycles))
    return cycles.pop()


def take(tx: Transaction, answers: Sequence[Answer]) -> tuple[Receipt, ...]:
    """Store answers within a transaction that may hold more; otherwise as `submit`."""
    return _Submission(tx, answers).run()


def utility_of(answer: Answer, rules: Rules, kind: int) -> int:
    """Convert an answer to value units, by the rubric when it holds marks."""
    if answer.utility is not None:
        return value_units(answer.utility)
    rubric = rules.rubric(rules.kinds[kind].name)
    if rubric is None:
        raise InvalidInputError("kind_without_rubric", assignment=answer.assignment_id)
    return value_units(utility(rubric, answer.marks))


@dataclass(slots=True)
class _Change:
    """A pull's contribution to its arm, before and after this transaction."""

    pull: Pull
    before: tuple[int, int]
    values: dict[int, int]  # counted value by seat

    def after(self) -> tuple[int, int]:
        return contribution(
            [self.values[seat] for seat in sorted(self.values)],
            gain=self.pull.gain,
            quorum=self.pull.quorum,
        )


class _Submission:
    """One transaction that stores answers."""

    def __init__(self, tx: Transaction, answers: Sequence[Answer]) -> None:
        self._tx = tx
        self._answers = answers
        self._rules = tx.rules()
        ids = [answer.assignment_id for answer in answers]
        self._assignments, self._pulls = tx.assignments_with_pulls(ids)
        for missing in (name for name in ids if name not in self._assignments):
            raise NotFoundError("assignment_not_found", assignment=missing)
        self._scores = {s.assignment_id: s for s in self._known_scores(self._pulls)}
        self._changes = {p.id: _change_of(p, self._scores.values()) for p in self._pulls.values()}
        self._new: list[Score] = []
        self._marks: list[Mapping[str, float | None]] = []
        self._remarks: list[str] = []
        self._notes: list[Mapping[str, str]] = []
        self._scored: list[str] = []
        self._closed: list[str] = []
        self._replaced: set[str] = set()

    def run(self) -> tuple[Receipt, ...]:
        """Process every answer, then write the rows."""
        receipts = tuple(self._take(answer) for answer in self._answers)
        tx = self._tx
        # A late or withdrawn answer is still stored as a score, so these statuses may move too.
        movable = {
            *OPEN_ASSIGNMENT,
            AssignmentStatus.EXPIRED,
            AssignmentStatus.CANCELLED,
        }
        if self._scored:
            tx.move_assignments(self._scored, AssignmentStatus.SCORED, allowed=movable)
        if self._closed:
            tx.move_pulls(self._closed, PullStatus.CLOSED, allowed={PullStatus.OPEN})
            self._end_left_over(self._closed)
        if self._new:
            tx.insert_scores(
                self._new, marks=self._marks, remarks=self._remarks, notes=self._notes
            )
            tx.drop_drafts([score.assignment_id for score in self._new])
        return receipts

    def _take(self, answer: Answer) -> Receipt:
        assignment = self._assignments[answer.assignment_id]
        check_origin(answer, self._rules)
        value = self._value(answer, assignment)
        earlier = self._scores.get(assignment.id)
        # Checked before the status: a repeated submit gets its receipt even after the task was
        # closed.
        if earlier is not None:
            return _again(self._tx, answer, earlier, value, new=earlier in self._new)
        if assignment.status.is_given_away:
            raise AssignmentClosedError(assignment.id, assignment.status)
        if self._is_over(assignment):
            return self._keep(answer, assignment, value, reason=NotCounted.AFTER_LIST)
        if assignment.status is AssignmentStatus.EXPIRED:
            # Two scores of one reviewer on one application are not independent, so only one may
            # count.
            if self._admitted(assignment):
                return self._keep(answer, assignment, value, reason=NotCounted.TWICE)
            return self._take_late(answer, assignment, value)
        if self._is_cancelled(assignment):
            return self._keep(answer, assignment, value, reason=NotCounted.NO_LONGER_ASKED)
        return self._count(answer, assignment, value, late=None)

    def _is_over(self, assignment: Assignment) -> bool:
        """Whether the list is final and this answer serves no reconsideration."""
        if self._tx.cycle.status is not CycleStatus.FINALIZED:
            return False
        pull = self._pulls[assignment.pull_id]
        return pull.why is not PullReason.RECONSIDERATION or pull.status is not PullStatus.OPEN

    def _is_cancelled(self, assignment: Assignment) -> bool:
        """Whether the answer is not wanted any more, even if only since this transaction began."""
        return (
            assignment.status is AssignmentStatus.CANCELLED
            or assignment.id in self._replaced
            or assignment.pull_id in self._closed
        )

    def _admitted(self, assignment: Assignment) -> bool:
        """Whether another score of the same reviewer on the same application counts."""
        return any(
            score.application == assignment.application
            for score in self._tx.scores_of_reviewer(assignment.reviewer)
            if score.counts
        )

    def _value(self, answer: Answer, assignment: Assignment) -> int:
        """Convert the marks by the rubric in force, or by the one the form was opened with."""
        # Today's rubric is tried first: where it can read the marks, its utilities are the ones
        # that count.
        try:
            return utility_of(answer, self._rules, assignment.kind)
        except InvalidInputError:
            pinned = self._rules_when_opened(assignment)
            if pinned is None:
                raise
            return utility_of(answer, pinned, assignment.kind)

    def _rules_when_opened(self, assignment: Assignment) -> Rules | None:
        """Find rules with the rubric that an assignment was opened with, if it is not today's."""
        name = self._rules.kinds[assignment.kind].name
        for version in range(self._rules.version, 0, -1):
            rules = self._tx.rules(version)
            rubric = rules.rubric(name)
            if rubric is not None and rubric.version == assignment.rubric_version:
                return None if version == self._rules.version else rules
        return None

    def _take_late(self, answer: Answer, assignment: Assignment, value: int) -> Receipt:
        """Close the own pull if no other reviewer has begun it, else open an extra one."""
        pull = self._pulls[assignment.pull_id]
        same_seat = [a for a in self._tx.assignments_of([pull.id]) if a.seat == assignment.seat]
        again = asked_again(self._tx, assignment)
        begun = assignment.seat in self._changes[pull.id].values or any(
            a.status is AssignmentStatus.OPENED and a.reviewer != assignment.reviewer
            for a in same_seat
        )
        waits = pull.status is PullStatus.OPEN and pull.id not in self._closed
        if waits and not begun:
            self._replaced.update(end_asked_again(self._tx, again))
            # A successor who has not opened the request loses nothing when the first reviewer's
            # answer counts.
            replaced_by = [a.id for a in same_seat if a.status.is_open]
            self._replaced.update(replaced_by)
            self._tx.move_assignments(
                replaced_by,
                AssignmentStatus.CANCELLED,
                allowed={AssignmentStatus.QUEUED, AssignmentStatus.DELIVERED},
            )
            return self._count(answer, assignment, value, late=Late.CLOSES)
        cycle = self._tx.cycle
        if cycle.status is CycleStatus.FINALIZED:
            return self._keep(answer, assignment, value, reason=NotCounted.NO_LONGER_ASKED)
        if cycle.spent + cycle.committed + pull.cost > self._rules.budget:
            return self._keep(answer, assignment, value, reason=NotCounted.NO_BUDGET)
        self._replaced.update(end_asked_again(self._tx, again))
        return self._count_extra(answer, assignment, value)

    def _count(
        self, answer: Answer, assignment: Assignment, value: int, *, late: Late | None
    ) -> Receipt:
        change = self._changes[assignment.pull_id]
        pull = change.pull
        before = change.after()
        change.values[assignment.seat] = value
        numerator, information = change.after()
        closes = information > 0 and before[1] == 0
        delta = Delta(
            application=pull.application,
            numerator=numerator - before[0],
            information=information - before[1],
            pending=-pull.gain if closes else 0,
        )
        if closes:
            self._closed.append(pull.id)
        seq = self._tx.record(
            EventType.SCORED,
            _scored(assignment, value, counts=True, closes=closes, late=late),
            deltas=[delta],
            spent=pull.cost if closes else 0,
            committed=-pull.cost if closes else 0,
        )
        return self._store(answer, assignment, value, seq=seq, late=late)

    def _count_extra(self, answer: Answer, assignment: Assignment, value: int) -> Receipt:
        """Open and close a pull for a late score whose own pull went to another reviewer."""
        tx, own = self._tx, self._pulls[assignment.pull_id]
        ordinal = tx.next_ordinal(own.application, own.kind)
        kind = self._rules.kinds[own.kind]
        # An extra pull of its own: the score counts beside its successor's, and its cost is spent.
        extra = replace(
            own,
            id=pull_id(tx.cycle.id, own.application, kind.name, ordinal),
            ordinal=ordinal,
            status=PullStatus.CLOSED,
            why=PullReason.LATE,
            decision=0,
            seats=1,
            quorum=1,
        )
        tx.insert_pulls([extra])
        numerator, information = contribution([value], gain=extra.gain, quorum=1)
        where = replace(assignment, pull_id=extra.id, ordinal=ordinal)
        payload = _scored(where, value, counts=True, closes=False, late=Late.EXTRA)
        seq = tx.record(
            EventType.SCORED,
            {**payload, "extra": EXTRA_PULL},
            deltas=[
                Delta(application=own.application, numerator=numerator, information=information)
            ],
            spent=extra.cost,
        )
        return self._store(answer, where, value, seq=seq, late=Late.EXTRA)

    def _keep(
        self, answer: Answer, assignment: Assignment, value: int, *, reason: NotCounted
    ) -> Receipt:
        """Store a score that does not count."""
        payload = _scored(assignment, value, counts=False, closes=False, late=Late.UNCOUNTED)
        seq = self._tx.record(EventType.SCORED, payload)
        late, why = Late.UNCOUNTED, reason.value
        return self._store(answer, assignment, value, seq=seq, late=late, reason=why)

    def _store(
        self,
        answer: Answer,
        assignment: Assignment,
        value: int,
        *,
        seq: int,
        late: Late | None,
        reason: str = "",
    ) -> Receipt:
        score = new_score(
            answer, assignment, value, seq=seq, late=late, reason=reason, at=self._tx.now
        )
        self._scores[assignment.id] = score
        self._new.append(score)
        self._marks.append(answer.marks)
        self._remarks.append(answer.remark)
        self._notes.append(answer.notes)
        self._scored.append(assignment.id)
        return Receipt(
            assignment_id=assignment.id, seq=seq, value=value, counts=not reason, repeated=False
        )

    def _known_scores(self, pull_ids: Collection[str]) -> tuple[Score, ...]:
        """Read the scores of the pulls, and of assignments counted under an extra pull."""
        answered = [
            a.id for a in self._assignments.values() if a.status is AssignmentStatus.SCORED
        ]
        return (
            *self._tx.standing_scores(pull_ids),
            *self._tx.scores_of_assignments(answered),
        )

    def _end_left_over(self, pulls: Sequence[str]) -> None:
        """Cancel seats that a quorum has made superfluous."""
        scored = set(self._scored)
        left = [
            a.id for a in self._tx.assignments_of(pulls) if a.status.is_open and a.id not in scored
        ]
        if left:
            self._tx.move_assignments(left, AssignmentStatus.CANCELLED, allowed=OPEN_ASSIGNMENT)


def _change_of(pull: Pull, scores: Iterable[Score]) -> _Change:
    values = {s.seat: s.value for s in scores if s.pull_id == pull.id and s.counts}
    change = _Change(pull=pull, before=(0, 0), values=values)
    change.before = change.after()
    return change


def _again(tx: Transaction, answer: Answer, earlier: Score, value: int, *, new: bool) -> Receipt:
    """Return the receipt for an answer stored before; another one needs a correction.

    Args:
        tx: The transaction.
        answer: The answer that came again.
        earlier: The score that is there.
        value: The value of the answer.
        new: Whether the score is of this transaction, and not stored yet.
    """
    given = None if new else tx.given(earlier.assignment_id)
    if earlier.value != value or (given is not None and not adds_nothing(answer, given)):
        raise AssignmentClosedError(
            earlier.assignment_id, AssignmentStatus.SCORED, code="assignment_answered"
        )
    return Receipt(
        assignment_id=earlier.assignment_id,
        seq=earlier.seq,
        value=earlier.value,
        counts=earlier.counts,
        repeated=True,
    )


def _scored(
    assignment: Assignment, value: int, *, counts: bool, closes: bool, late: Late | None
) -> dict[str, int | str | None]:
    return {
        **seat_payload(assignment),
        "v": value,
        "counts": int(counts),
        "closes": int(closes),
        "extra": 0,
        "late": None if late is None else late.value,
    }
