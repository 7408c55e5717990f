"""Reading a cycle: the queries that transactions, views and outboxes share.

Results are ordered by numbers where possible: the two databases sort words differently.
"""

from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, select

from swapflow.domain.people.application import Application
from swapflow.domain.people.reviewer import Absence, Reviewer
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, Pull
from swapflow.domain.reviewing.score import Score, ScoreDetails
from swapflow.ledger.core.row_mapping import (
    ASSIGNMENT_COLUMNS,
    PULL_COLUMNS,
    SCORE_COLUMNS,
    AnyRow,
    to_absence,
    to_application,
    to_assignment,
    to_pull,
    to_reviewer,
    to_score,
)
from swapflow.ledger.core.statements import rows_in
from swapflow.ledger.schema import (
    APPLICATION,
    ASSIGNMENT,
    EXPERTISE,
    MARK,
    PERSON,
    PULL,
    REMARK,
    ROSTER,
    ROSTER_ABSENCE,
    SCORE,
    SCORE_NOTE,
    SELECTION_ATTRIBUTE,
    TOPIC,
)


_IN_VALUES: BindParameter[Any] = bindparam("values", expanding=True)
_IN_CYCLE: BindParameter[str] = bindparam("cycle")

PULL_ORDER = (PULL.c.application, PULL.c.kind, PULL.c.ordinal)
ASSIGNMENT_ORDER = (
    ASSIGNMENT.c.application,
    ASSIGNMENT.c.kind,
    ASSIGNMENT.c.ordinal,
    ASSIGNMENT.c.seat,
    ASSIGNMENT.c.attempt,
)
PULLS = select(*PULL_COLUMNS).order_by(*PULL_ORDER)
ASSIGNMENTS = select(*ASSIGNMENT_COLUMNS)
SCORES = select(*SCORE_COLUMNS).order_by(SCORE.c.id)

_PULLS_BY_ID = select(*PULL_COLUMNS).where(PULL.c.id.in_(_IN_VALUES))
_ASSIGNMENTS_BY_ID = ASSIGNMENTS.where(ASSIGNMENT.c.id.in_(_IN_VALUES))
_REQUESTS_BY_ID = (
    select(*ASSIGNMENT_COLUMNS, *PULL_COLUMNS)
    .join(PULL, PULL.c.id == ASSIGNMENT.c.pull_id)
    .where(ASSIGNMENT.c.id.in_(_IN_VALUES))
)
_ASSIGNMENTS_BY_PULL = ASSIGNMENTS.where(ASSIGNMENT.c.pull_id.in_(_IN_VALUES))
_SCORES_BY_PULL = SCORES.where(SCORE.c.pull_id.in_(_IN_VALUES))
_SCORES_BY_ASSIGNMENT = SCORES.where(SCORE.c.assignment_id.in_(_IN_VALUES))
_MARKS, _REMARK, _NOTES = (
    select(*wanted).where(
        table.c.assignment_id == bindparam("assignment"),
        table.c.revision == bindparam("revision"),
    )
    for table, wanted in ((MARK, MARK.c), (REMARK, [REMARK.c.text]), (SCORE_NOTE, SCORE_NOTE.c))
)
_ASSIGNMENTS_BY_REVIEWER = ASSIGNMENTS.where(
    ASSIGNMENT.c.cycle_id == _IN_CYCLE,
    ASSIGNMENT.c.reviewer == bindparam("reviewer"),
    ASSIGNMENT.c.status.in_(_IN_VALUES),
)
_SCORES_BY_REVIEWER = SCORES.where(
    SCORE.c.cycle_id == _IN_CYCLE, SCORE.c.reviewer == bindparam("reviewer")
)
_MARKS_BY_KIND = (
    select(MARK.c.assignment_id, MARK.c.revision, MARK.c.criterion, MARK.c.mark)
    .join(
        SCORE,
        (SCORE.c.assignment_id == MARK.c.assignment_id) & (SCORE.c.revision == MARK.c.revision),
    )
    .where(SCORE.c.cycle_id == _IN_CYCLE, SCORE.c.kind == bindparam("kind"))
    .order_by(MARK.c.assignment_id, MARK.c.revision)
)
_APPLICATIONS = (
    select(
        APPLICATION.c.number,
        APPLICATION.c.external_id,
        PERSON.c.name,
        PERSON.c.email,
        APPLICATION.c.status,
        APPLICATION.c.wave,
        APPLICATION.c.tie,
        APPLICATION.c.fields,
    )
    # Outer: an erased application has no person any more, and keeps its number.
    .select_from(APPLICATION.outerjoin(PERSON, PERSON.c.id == APPLICATION.c.person_id))
    .where(APPLICATION.c.cycle_id == _IN_CYCLE)
    .order_by(APPLICATION.c.number)
)
_ATTRIBUTES = (
    select(
        SELECTION_ATTRIBUTE.c.application, SELECTION_ATTRIBUTE.c.name, SELECTION_ATTRIBUTE.c.value
    )
    .where(SELECTION_ATTRIBUTE.c.cycle_id == _IN_CYCLE)
    .order_by(SELECTION_ATTRIBUTE.c.application, SELECTION_ATTRIBUTE.c.name)
)
_APPLICATIONS_BY_NUMBER = _APPLICATIONS.where(APPLICATION.c.number.in_(_IN_VALUES))
_ATTRIBUTES_BY_NUMBER = _ATTRIBUTES.where(SELECTION_ATTRIBUTE.c.application.in_(_IN_VALUES))
_ROSTER = (
    select(ROSTER, PERSON.c.name, PERSON.c.email)
    .join(PERSON, PERSON.c.id == ROSTER.c.person_id)
    .where(ROSTER.c.cycle_id == _IN_CYCLE)
    .order_by(ROSTER.c.number)
)
_EXPERTISE = (
    select(EXPERTISE.c.reviewer, TOPIC.c.name)
    .join(
        TOPIC,
        (TOPIC.c.cycle_id == EXPERTISE.c.cycle_id) & (TOPIC.c.number == EXPERTISE.c.topic),
    )
    .where(EXPERTISE.c.cycle_id == _IN_CYCLE)
    .order_by(EXPERTISE.c.reviewer, EXPERTISE.c.position)
)
_ABSENCES = (
    select(ROSTER_ABSENCE.c.reviewer, ROSTER_ABSENCE.c.first, ROSTER_ABSENCE.c.last)
    .where(ROSTER_ABSENCE.c.cycle_id == _IN_CYCLE)
    .order_by(ROSTER_ABSENCE.c.reviewer, ROSTER_ABSENCE.c.first, ROSTER_ABSENCE.c.last)
)
_ONE_OF_ROSTER = _ROSTER.where(ROSTER.c.number == bindparam("reviewer"))
_EXPERTISE_OF_ONE = _EXPERTISE.where(EXPERTISE.c.reviewer == bindparam("reviewer"))
_ABSENCES_OF_ONE = _ABSENCES.where(ROSTER_ABSENCE.c.reviewer == bindparam("reviewer"))


def applications(
    connection: Connection, cycle_id: str, numbers: Collection[int] | None = None
) -> tuple[Application, ...]:
    """Read applications, all or those named, in the order of their numbers."""
    cycle = {"cycle": cycle_id}
    if numbers is None:
        rows: Iterable[AnyRow] = connection.execute(_APPLICATIONS, cycle)
        pairs: Iterable[AnyRow] = connection.execute(_ATTRIBUTES, cycle)
    else:
        # Sorted before they are split, so that the rows of all parts together come in order.
        wanted = sorted(set(numbers))
        rows = rows_in(connection, _APPLICATIONS_BY_NUMBER, wanted, **cycle)
        pairs = rows_in(connection, _ATTRIBUTES_BY_NUMBER, wanted, **cycle)
    attributes: dict[int, dict[str, str]] = {}
    for number, name, value in pairs:
        attributes.setdefault(number, {})[name] = value
    return tuple(to_application(cycle_id, row, attributes.get(row[0], {})) for row in rows)


def reviewers(
    connection: Connection, cycle_id: str, number: int | None = None
) -> tuple[Reviewer, ...]:
    """Read the roster, in the order of the numbers; or only the reviewer with a number."""
    asked: dict[str, str | int] = {"cycle": cycle_id}
    roster, expertise, away = _ROSTER, _EXPERTISE, _ABSENCES
    if number is not None:
        asked["reviewer"] = number
        roster, expertise, away = _ONE_OF_ROSTER, _EXPERTISE_OF_ONE, _ABSENCES_OF_ONE
    topics: dict[int, list[str]] = {}
    for who, topic in connection.execute(expertise, asked):
        topics.setdefault(who, []).append(topic)
    absences: dict[int, list[Absence]] = {}
    for who, first, last in connection.execute(away, asked):
        absences.setdefault(who, []).append(to_absence(first, last))
    return tuple(
        to_reviewer(row, tuple(topics.get(row.number, ())), tuple(absences.get(row.number, ())))
        for row in connection.execute(roster, asked)
    )


def pulls_by_id(connection: Connection, ids: Collection[str]) -> dict[str, Pull]:
    """Read pulls by id; unknown ids are absent from the answer."""
    return {row[0]: to_pull(row) for row in rows_in(connection, _PULLS_BY_ID, ids)}


def assignments_by_id(connection: Connection, ids: Collection[str]) -> dict[str, Assignment]:
    """Read assignments by id; unknown ids are absent from the answer."""
    return {row[0]: to_assignment(row) for row in rows_in(connection, _ASSIGNMENTS_BY_ID, ids)}


def assignments_with_pulls(
    connection: Connection, ids: Collection[str]
) -> tuple[dict[str, Assignment], dict[str, Pull]]:
    """Read assignments and the pulls that they serve, each by id; unknown ids are absent."""
    assignments, pulls = {}, {}
    for row in rows_in(connection, _REQUESTS_BY_ID, ids):
        assignment = to_assignment(row[: len(ASSIGNMENT_COLUMNS)])
        assignments[assignment.id] = assignment
        if assignment.pull_id not in pulls:
            pulls[assignment.pull_id] = to_pull(row[len(ASSIGNMENT_COLUMNS) :])
    return assignments, pulls


def assignments_by_pull(
    connection: Connection, pull_ids: Collection[str]
) -> tuple[Assignment, ...]:
    """Read every assignment of the pulls, by pull, seat and attempt."""
    rows = rows_in(connection, _ASSIGNMENTS_BY_PULL, pull_ids)
    return tuple(sorted(map(to_assignment, rows), key=place))


def assignments_by_reviewer(
    connection: Connection, cycle_id: str, reviewer: int, statuses: Collection[AssignmentStatus]
) -> tuple[Assignment, ...]:
    """Read a reviewer's assignments in the given statuses."""
    rows = rows_in(
        connection,
        _ASSIGNMENTS_BY_REVIEWER,
        [status.value for status in statuses],
        cycle=cycle_id,
        reviewer=reviewer,
    )
    # With ORDER BY, SQLite scans the whole cycle instead of one reviewer's rows.
    return tuple(sorted(map(to_assignment, rows), key=place))


def standing_scores(connection: Connection, pull_ids: Collection[str]) -> tuple[Score, ...]:
    """Read the latest revision of every score of the pulls."""
    return _latest(rows_in(connection, _SCORES_BY_PULL, pull_ids))


def scores_by_assignment(connection: Connection, ids: Collection[str]) -> tuple[Score, ...]:
    """Read the latest revision of the score of each assignment that has one."""
    return _latest(rows_in(connection, _SCORES_BY_ASSIGNMENT, ids))


def scores_by_reviewer(connection: Connection, cycle_id: str, reviewer: int) -> tuple[Score, ...]:
    """Read the latest revision of every score of a reviewer."""
    parameters = {"cycle": cycle_id, "reviewer": reviewer}
    return _latest(connection.execute(_SCORES_BY_REVIEWER, parameters))


def scores_with_marks(
    connection: Connection, cycle_id: str, kind: int
) -> tuple[tuple[Score, dict[str, float | None]], ...]:
    """Read the latest revision of every score of a kind that has marks, with the newest marks."""
    parameters = {"cycle": cycle_id, "kind": kind}
    marks: dict[str, dict[str, float | None]] = {}
    newest: dict[str, int] = {}
    for row in connection.execute(_MARKS_BY_KIND, parameters):
        # A correction of a value alone has no marks:
        # the newest revision that has some is the one shown.
        if row.revision > newest.get(row.assignment_id, 0):
            newest[row.assignment_id] = row.revision
            marks[row.assignment_id] = {}
        if row.revision == newest[row.assignment_id]:
            marks[row.assignment_id][row.criterion] = row.mark
    scores = scores_by_assignment(connection, sorted(marks))
    return tuple((score, marks[score.assignment_id]) for score in scores)


def _latest(rows: Iterable[AnyRow]) -> tuple[Score, ...]:
    """Keep the highest revision per assignment, ordered by pull, seat and first answer."""
    standing: dict[str, Score] = {}
    for score in map(to_score, rows):
        known = standing.get(score.assignment_id)
        if known is None or known.revision < score.revision:
            standing[score.assignment_id] = score
    return tuple(
        sorted(standing.values(), key=lambda s: (s.application, s.kind, s.ordinal, s.seat))
    )


def place(assignment: Assignment) -> tuple[int, int, int, int, int]:
    """Return the sort key of a cycle's assignments."""
    return (
        assignment.application,
        assignment.kind,
        assignment.ordinal,
        assignment.seat,
        assignment.attempt,
    )


def score_details(connection: Connection, assignment_id: str) -> ScoreDetails | None:
    """Read the valid score of an assignment with what was written; None without one."""
    found = scores_by_assignment(connection, [assignment_id])
    if not found:
        return None
    key = {"assignment": assignment_id, "revision": found[0].revision}
    marks = connection.execute(_MARKS, key).all()
    remark = connection.execute(_REMARK, key).scalar()
    notes = connection.execute(_NOTES, key).all()
    return ScoreDetails(
        score=found[0],
        marks={row.criterion: row.mark for row in marks},
        remark=remark or "",
        notes={row.name: row.text for row in notes},
    )
