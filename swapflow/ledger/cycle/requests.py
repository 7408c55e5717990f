"""Writes of pulls, assignments and scores: repeatable inserts, conditional moves."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import bindparam, case, delete, func, select, update
from typing_extensions import override

from swapflow.domain.people.application import Application
from swapflow.domain.people.interview import Diary, Interview
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import (
    OPEN_ASSIGNMENT,
    Assignment,
    AssignmentStatus,
    Pull,
    PullStatus,
)
from swapflow.domain.reviewing.score import Score, ScoreDetails
from swapflow.engine.ports.writes.people import PeopleWrites
from swapflow.engine.ports.writes.requests import RequestWrites as RequestWritesPort
from swapflow.errors import NotFoundError
from swapflow.ledger.core import queries
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.row_mapping import (
    Values,
    columns,
    from_assignment,
    from_pull,
    from_score,
    to_assignment,
    to_pull,
)
from swapflow.ledger.core.statements import insert_all, insert_ignoring, moved_in
from swapflow.ledger.cycle.lists.diaries import hold_diaries, read_diary
from swapflow.ledger.schema import (
    ASSIGNMENT,
    DRAFT,
    INTERVIEW,
    MARK,
    PULL,
    REMARK,
    SCORE,
    SCORE_NOTE,
    SEAT,
)
from swapflow.ledger.schema.reviewing import OPEN_ONLY, UNFINISHED_ONLY


# Literals instead of parameters, so that the databases use the partial indexes.
_OVERDUE = (
    queries.ASSIGNMENTS.where(
        ASSIGNMENT.c.cycle_id == bindparam("cycle"),
        ASSIGNMENT.c.due_at < bindparam("moment"),
        OPEN_ONLY,
    )
    .order_by(ASSIGNMENT.c.due_at, *queries.ASSIGNMENT_ORDER)
    .limit(bindparam("at_most"))
)
_BEGUN = queries.ASSIGNMENTS.where(
    ASSIGNMENT.c.cycle_id == bindparam("cycle"),
    ASSIGNMENT.c.status == AssignmentStatus.OPENED.value,
).order_by(*queries.ASSIGNMENT_ORDER)
_UNFINISHED = queries.PULLS.where(PULL.c.cycle_id == bindparam("cycle"), UNFINISHED_ONLY)
_UNFINISHED_OF = _UNFINISHED.where(PULL.c.application == bindparam("application"))
_DUE_TIMES = select(ASSIGNMENT.c.id, ASSIGNMENT.c.due_at).where(
    ASSIGNMENT.c.cycle_id == bindparam("cycle"), ASSIGNMENT.c.due_at.is_not(None), OPEN_ONLY
)
_SHIFT = (
    update(ASSIGNMENT)
    .where(ASSIGNMENT.c.id == bindparam("which"))
    .values(due_at=bindparam("moment"))
)
_RESUME = (
    update(ASSIGNMENT)
    .where(
        ASSIGNMENT.c.id == bindparam("which"),
        ASSIGNMENT.c.status == AssignmentStatus.CANCELLED.value,
    )
    .values(
        status=case(
            (ASSIGNMENT.c.opened_at.is_not(None), AssignmentStatus.OPENED.value),
            (ASSIGNMENT.c.delivered_at.is_not(None), AssignmentStatus.DELIVERED.value),
            else_=AssignmentStatus.QUEUED.value,
        ),
        due_at=bindparam("moment"),
    )
)
_MOVE_ASSIGNMENTS = (
    update(ASSIGNMENT)
    .where(
        ASSIGNMENT.c.id.in_(bindparam("values", expanding=True)),
        ASSIGNMENT.c.status.in_(bindparam("allowed", expanding=True)),
    )
    .values(status=bindparam("status"))
)
_MOVE_PULLS = (
    update(PULL)
    .where(
        PULL.c.id.in_(bindparam("values", expanding=True)),
        PULL.c.status.in_(bindparam("allowed", expanding=True)),
    )
    .values(status=bindparam("status"))
)
_DROP_DRAFTS = delete(DRAFT).where(DRAFT.c.assignment_id.in_(bindparam("values", expanding=True)))
_DECLINE = _MOVE_ASSIGNMENTS.values(decline_kind=bindparam("decline"))
_DELIVER = _MOVE_ASSIGNMENTS.values(delivered_at=bindparam("moment"))
_OPEN = _MOVE_ASSIGNMENTS.values(opened_at=bindparam("moment"))
_LAST_ORDINAL = select(func.max(PULL.c.ordinal)).where(
    PULL.c.cycle_id == bindparam("cycle"),
    PULL.c.application == bindparam("application"),
    PULL.c.kind == bindparam("kind"),
)
_LAST_ORDINALS = (
    select(PULL.c.application, PULL.c.kind, func.max(PULL.c.ordinal))
    .where(PULL.c.cycle_id == bindparam("cycle"))
    .group_by(PULL.c.application, PULL.c.kind)
)
_SINGLE_LOOKS = 10  # more than these mean a batch, for which all are read at once


class RequestWrites(CycleLock, PeopleWrites, RequestWritesPort):
    """The part of a transaction that requests and stores scores."""

    _single_looks = 0
    _ordinals: dict[tuple[int, int], int] | None = None

    @override
    def insert_pulls(self, pulls: Sequence[Pull]) -> None:
        # A pull's id follows from what it asks, so a decision that is written again adds nothing.
        insert_ignoring(self._connection, PULL, [from_pull(pull) for pull in pulls])
        self._ordinals = None
        seats = [
            {"pull_id": pull.id, "seat": seat}
            for pull in pulls
            for seat in range(1, pull.seats + 1)
        ]
        insert_ignoring(self._connection, SEAT, seats)

    @override
    def insert_assignments(self, assignments: Sequence[Assignment]) -> None:
        fresh: Values = {"delivered_at": None, "decline_kind": None}
        rows = [from_assignment(assignment) | fresh for assignment in assignments]
        insert_ignoring(self._connection, ASSIGNMENT, rows)

    @override
    def pulls(self, ids: Collection[str]) -> dict[str, Pull]:
        return queries.pulls_by_id(self._connection, ids)

    @override
    def next_ordinal(self, application: int, kind: int) -> int:
        if self._ordinals is None and self._single_looks < _SINGLE_LOOKS:
            self._single_looks += 1
            which = {"cycle": self._id, "application": application, "kind": kind}
            last: int | None = self._connection.execute(_LAST_ORDINAL, which).scalar_one()
            return (last or 0) + 1
        if self._ordinals is None:
            rows = self._connection.execute(_LAST_ORDINALS, {"cycle": self._id})
            self._ordinals = {(row[0], row[1]): row[2] for row in rows}
        return self._ordinals.get((application, kind), 0) + 1

    @override
    def assignments(self, ids: Collection[str]) -> dict[str, Assignment]:
        return queries.assignments_by_id(self._connection, ids)

    @override
    def assignments_with_pulls(
        self, ids: Collection[str]
    ) -> tuple[dict[str, Assignment], dict[str, Pull]]:
        return queries.assignments_with_pulls(self._connection, ids)

    @override
    def assignments_of(self, pull_ids: Collection[str]) -> tuple[Assignment, ...]:
        return queries.assignments_by_pull(self._connection, pull_ids)

    @override
    def assignments_of_reviewer(
        self, reviewer: int, statuses: Collection[AssignmentStatus]
    ) -> tuple[Assignment, ...]:
        return queries.assignments_by_reviewer(self._connection, self._id, reviewer, statuses)

    @override
    def end_assignments_of(self, reviewer: int) -> tuple[Assignment, ...]:
        found = self.assignments_of_reviewer(reviewer, OPEN_ASSIGNMENT)
        ids = [assignment.id for assignment in found]
        self.move_assignments(ids, AssignmentStatus.EXPIRED, allowed=OPEN_ASSIGNMENT)
        return tuple(replace(a, status=AssignmentStatus.EXPIRED) for a in found)

    @override
    def begun_assignments(self) -> tuple[Assignment, ...]:
        rows = self._connection.execute(_BEGUN, {"cycle": self._id})
        return tuple(to_assignment(row) for row in rows)

    @override
    def open_pulls(self) -> tuple[Pull, ...]:
        rows = self._connection.execute(_UNFINISHED, {"cycle": self._id})
        return tuple(to_pull(row) for row in rows)

    @override
    def open_pulls_of(self, application: int) -> tuple[Pull, ...]:
        which = {"cycle": self._id, "application": application}
        rows = self._connection.execute(_UNFINISHED_OF, which)
        return tuple(to_pull(row) for row in rows)

    @override
    def overdue(self, *, at_most: int) -> tuple[Assignment, ...]:
        rows = self._connection.execute(
            _OVERDUE, {"cycle": self._id, "moment": self._now, "at_most": at_most}
        )
        return tuple(to_assignment(row) for row in rows)

    @override
    def move_assignments(
        self,
        ids: Collection[str],
        to: AssignmentStatus,
        *,
        allowed: Collection[AssignmentStatus],
        decline: DeclineKind | None = None,
    ) -> int:
        """Move assignments that are in one of the allowed statuses; return how many.

        Args:
            ids: The assignments.
            to: The new status; DELIVERED and OPENED store the time.
            allowed: Statuses that may be left.
            decline: Why the reviewer declined, when `to` is DECLINED.
        """
        more: Values = {}
        match to:
            case AssignmentStatus.DECLINED:
                statement = _DECLINE
                more = {"decline": decline.value if decline else None}
            case AssignmentStatus.DELIVERED | AssignmentStatus.OPENED:
                statement = _DELIVER if to is AssignmentStatus.DELIVERED else _OPEN
                more = {"moment": self._now}
            case _:
                statement = _MOVE_ASSIGNMENTS
        return moved_in(
            self._connection,
            statement,
            ids,
            status=to.value,
            allowed=[status.value for status in allowed],
            **more,
        )

    @override
    def move_pulls(
        self, ids: Collection[str], to: PullStatus, *, allowed: Collection[PullStatus]
    ) -> int:
        return moved_in(
            self._connection,
            _MOVE_PULLS,
            ids,
            status=to.value,
            allowed=[status.value for status in allowed],
        )

    @override
    def resume_assignments(
        self, assignments: Sequence[Assignment], *, windows: Sequence[float | None]
    ) -> None:
        for one in assignments:
            window, due = windows[one.kind], one.due_at
            if window and due is not None and due <= self._now:
                due = self._now + timedelta(days=window)
            self._connection.execute(_RESUME, {"which": one.id, "moment": due})

    @override
    def shift_due_times(self, by: timedelta) -> None:
        # Row by row in Python: the two databases add intervals to times in different ways.
        due = self._connection.execute(_DUE_TIMES, {"cycle": self._id})
        moved = [{"which": id_, "moment": moment + by} for id_, moment in due]
        if moved:
            self._connection.execute(_SHIFT, moved)

    @override
    def insert_scores(
        self,
        scores: Sequence[Score],
        *,
        marks: Sequence[Mapping[str, float | None]],
        remarks: Sequence[str],
        notes: Sequence[Mapping[str, str]] = (),
    ) -> None:
        keys = [{"assignment_id": s.assignment_id, "revision": s.revision} for s in scores]
        insert_all(self._connection, SCORE, [from_score(score) for score in scores])
        insert_all(
            self._connection,
            MARK,
            [
                key | {"criterion": criterion, "mark": mark}
                for key, given in zip(keys, marks, strict=True)
                for criterion, mark in given.items()
            ],
        )
        insert_all(
            self._connection,
            REMARK,
            [k | {"text": text} for k, text in zip(keys, remarks, strict=True) if text],
        )
        insert_all(
            self._connection,
            SCORE_NOTE,
            [
                key | {"name": name, "text": text}
                # Not strict: `notes` is empty where no score has any.
                for key, written in zip(keys, notes, strict=False)
                for name, text in written.items()
                if text
            ],
        )

    @override
    def drop_drafts(self, ids: Collection[str]) -> None:
        moved_in(self._connection, _DROP_DRAFTS, ids)

    @override
    def application(self, number: int) -> Application:
        found = queries.applications(self._connection, self._id, [number])
        if not found:
            raise NotFoundError("application_number_not_found", cycle=self._id, number=number)
        return found[0]

    @override
    def interview(self, pull_id: str) -> Interview | None:
        query = select(*columns(INTERVIEW, Interview)).where(INTERVIEW.c.pull_id == pull_id)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else Interview(**row._asdict())

    @override
    def hold_diaries(self, reviewers: Collection[int]) -> None:
        hold_diaries(self._connection, self._id, reviewers)

    @override
    def diary(self) -> Diary:
        return read_diary(self._connection, self._id)

    @override
    def set_interview(self, interview: Interview) -> None:
        values = {
            column.name: getattr(interview, column.name)
            for column in INTERVIEW.c
            if column.name != "at"
        } | {"at": self._now}
        self._connection.execute(delete(INTERVIEW).where(INTERVIEW.c.pull_id == interview.pull_id))
        insert_all(self._connection, INTERVIEW, [values])

    @override
    def standing_scores(self, pull_ids: Collection[str]) -> tuple[Score, ...]:
        return queries.standing_scores(self._connection, pull_ids)

    @override
    def scores_of_assignments(self, ids: Collection[str]) -> tuple[Score, ...]:
        return queries.scores_by_assignment(self._connection, ids)

    @override
    def given(self, assignment_id: str) -> ScoreDetails | None:
        return queries.score_details(self._connection, assignment_id)

    @override
    def scores_with_marks(self, kind: int) -> tuple[tuple[Score, Mapping[str, float | None]], ...]:
        return queries.scores_with_marks(self._connection, self._id, kind)

    @override
    def scores_of_reviewer(self, reviewer: int) -> tuple[Score, ...]:
        return queries.scores_by_reviewer(self._connection, self._id, reviewer)
