"""When reviewers are taken: the one read that looks over all programs of a person."""

from collections.abc import Collection
from datetime import date
from hashlib import sha256

from sqlalchemy import Connection, bindparam, select, text

from swapflow.domain.people.interview import Booking, Diary
from swapflow.domain.people.reviewer import Absence
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, AssignmentStatus
from swapflow.ledger.schema import ASSIGNMENT, CYCLE, INTERVIEW, ROSTER, ROSTER_ABSENCE


# A seat that is answered was an interview too: its hour is no less taken.
_TAKES_TIME = sorted(status.value for status in OPEN_ASSIGNMENT | {AssignmentStatus.SCORED})

_DIARY_LOCKS = 5_303
"""The space of PostgreSQL's advisory locks that diaries use."""

_HOLD = text("SELECT pg_advisory_xact_lock(:space, :number)")

_HERE, _THERE = ROSTER.alias("here"), ROSTER.alias("there")
_HERE_OF, _THERE_OF = CYCLE.alias("here_of"), CYCLE.alias("there_of")
_SAME_PERSON = (
    _HERE.join(_THERE, _HERE.c.person_id == _THERE.c.person_id)
    .join(_HERE_OF, _HERE_OF.c.id == _HERE.c.cycle_id)
    # An interview of a practice program takes no hour of a real one; its own it does.
    .join(
        _THERE_OF,
        (_THERE_OF.c.id == _THERE.c.cycle_id)
        & ((_THERE_OF.c.practice_of == "") | (_THERE_OF.c.id == _HERE_OF.c.id)),
    )
)

_BOOKED = (
    select(
        _HERE.c.number.label("reviewer"),
        INTERVIEW.c.pull_id,
        INTERVIEW.c.starts_at,
        INTERVIEW.c.minutes,
    )
    .select_from(
        _SAME_PERSON.join(
            ASSIGNMENT,
            (ASSIGNMENT.c.cycle_id == _THERE.c.cycle_id)
            & (ASSIGNMENT.c.reviewer == _THERE.c.number),
        ).join(INTERVIEW, INTERVIEW.c.pull_id == ASSIGNMENT.c.pull_id)
    )
    .where(
        _HERE.c.cycle_id == bindparam("cycle"),
        ASSIGNMENT.c.status.in_(_TAKES_TIME),
        INTERVIEW.c.cancelled.is_(False),
        INTERVIEW.c.missed.is_(False),
    )
    .order_by(INTERVIEW.c.starts_at, INTERVIEW.c.pull_id, _HERE.c.number)
    .distinct()
)

_AWAY = (
    select(_HERE.c.number.label("reviewer"), ROSTER_ABSENCE.c.first, ROSTER_ABSENCE.c.last)
    .select_from(
        _SAME_PERSON.join(
            ROSTER_ABSENCE,
            (ROSTER_ABSENCE.c.cycle_id == _THERE.c.cycle_id)
            & (ROSTER_ABSENCE.c.reviewer == _THERE.c.number),
        )
    )
    .where(_HERE.c.cycle_id == bindparam("cycle"))
    .order_by(_HERE.c.number, ROSTER_ABSENCE.c.first, ROSTER_ABSENCE.c.last)
    .distinct()
)


def hold_diaries(connection: Connection, cycle_id: str, reviewers: Collection[int]) -> None:
    """Wait for other writes that set dates of these people, and keep later ones waiting."""
    if connection.dialect.name != "postgresql":
        return  # a write has locked the whole file already
    people = select(ROSTER.c.person_id).where(
        ROSTER.c.cycle_id == cycle_id, ROSTER.c.number.in_(sorted(reviewers))
    )
    # In one order, so that two writes never wait for each other; no row is locked, so that no
    # other kind of write waits.
    for number in sorted({_lock_number(row.person_id) for row in connection.execute(people)}):
        connection.execute(_HOLD, {"space": _DIARY_LOCKS, "number": number})


def _lock_number(person_id: str) -> int:
    digest = sha256(person_id.encode()).digest()
    return int.from_bytes(digest[:4], "big", signed=True)


def read_diary(connection: Connection, cycle_id: str) -> Diary:
    """Read the interviews and days away of a cycle's reviewers, in every cycle they are in."""
    key = {"cycle": cycle_id}
    away: dict[int, tuple[Absence, ...]] = {}
    for row in connection.execute(_AWAY, key):
        days = Absence(first=date.fromisoformat(row.first), last=date.fromisoformat(row.last))
        away[row.reviewer] = (*away.get(row.reviewer, ()), days)
    booked = connection.execute(_BOOKED, key)
    return Diary(bookings=tuple(Booking(**row._asdict()) for row in booked), away=away)
