"""A week of interviews as a page shows it: interviewers by days, and an agenda of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from swapflow.domain.free_days import FRIDAY, WEEKENDS_ALONE
from swapflow.domain.people.interview import Diary
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.rules import Rules
from swapflow.engine.interviews.slots import Requested


DAYS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One interview in the week.

    Attributes:
        requested: Its request; None for one of another program, or one that is over.
        elsewhere: Whether it belongs to another program.
    """

    starts_at: datetime
    ends_at: datetime
    requested: Requested | None
    elsewhere: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCell:
    """What one interviewer has on one day."""

    entries: tuple[Entry, ...]
    away: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InterviewerRow:
    """One interviewer's week."""

    reviewer: Reviewer
    cells: tuple[DayCell, ...]

    @property
    def count(self) -> int:
        """How many interviews they have in the week, those of other programs too."""
        return sum(len(cell.entries) for cell in self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgendaDay:
    """One day for all: the program's own dates, and who is away."""

    day: date
    entries: tuple[Entry, ...]
    away: tuple[Reviewer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InterviewWeek:
    """A week of a program's interviews.

    Attributes:
        first: Its Monday.
        days: Monday to Friday, and days at the weekend that have an interview.
        holidays: The public holidays among them, by name.
        closed: Those among them on which the office is closed.
    """

    first: date
    days: tuple[date, ...]
    holidays: Mapping[date, str]
    closed: frozenset[date]
    rows: tuple[InterviewerRow, ...]
    agenda: tuple[AgendaDay, ...]

    @property
    def before(self) -> date:
        """The Monday before."""
        return self.first - timedelta(days=DAYS)

    @property
    def after(self) -> date:
        """The next Monday."""
        return self.first + timedelta(days=DAYS)


def week_of(
    asked: Sequence[Requested],
    diary: Diary,
    reviewers: Sequence[Reviewer],
    *,
    cycle_id: str,
    rules: Rules,
    now: datetime,
    on: date | None = None,
    language: str = "",
) -> InterviewWeek:
    """Lay out the week of a day.

    Args:
        asked: The program's requests.
        diary: When its reviewers are taken.
        reviewers: Its roster.
        cycle_id: The program.
        rules: The program's: in its zone days are meant, and they name holidays.
        now: The moment of the look.
        on: A day of the week; None for the next week that has a date, or this one.
        language: In which holidays are named, where their country has it.
    """
    local, free_days = ZoneInfo(rules.zone), rules.free_days or WEEKENDS_ALONE
    dated = [one for one in asked if one.interview is not None and one.interview.stands]
    own = sorted((_entry(one) for one in dated), key=lambda e: (e.starts_at, _key(e)))
    if on is None:
        coming = [e.starts_at for e in own if e.ends_at > now]
        on = (coming[0] if coming else now).astimezone(local).date()
    first = on - timedelta(days=on.weekday())
    known = {one.pull.id: entry for one in dated for entry in (_entry(one),)}
    found: dict[tuple[int, date], list[Entry]] = {}
    for booking in diary.bookings:
        entry = known.get(booking.pull_id) or Entry(
            starts_at=booking.starts_at,
            ends_at=booking.ends_at,
            requested=None,
            elsewhere=not booking.pull_id.startswith(f"{cycle_id}:"),
        )
        day = booking.starts_at.astimezone(local).date()
        found.setdefault((booking.reviewer, day), []).append(entry)
    of_day = [(e.starts_at.astimezone(local).date(), e) for e in own]
    taken = {day for _, day in found} | {day for day, _ in of_day}
    week = [first + timedelta(days=n) for n in range(DAYS)]
    days = tuple(day for day in week if day.isoweekday() <= FRIDAY or day in taken)
    sitting = {r.number for one in asked for r in one.reviewers}
    shown = [
        r
        for r in reviewers
        if r.number in sitting or any((r.number, day) in found for day in days)
    ]
    return InterviewWeek(
        first=first,
        days=days,
        holidays={day: name for day in days if (name := free_days.holiday(day, language))},
        closed=frozenset(filter(free_days.is_closed, days)),
        rows=tuple(
            InterviewerRow(
                reviewer=r,
                cells=tuple(
                    DayCell(
                        entries=tuple(found.get((r.number, day), ())),
                        away=diary.is_away(r.number, day),
                    )
                    for day in days
                ),
            )
            for r in shown
        ),
        agenda=tuple(
            AgendaDay(
                day=day,
                entries=tuple(e for of, e in of_day if of == day),
                away=tuple(r for r in shown if diary.is_away(r.number, day)),
            )
            for day in days
        ),
    )


def _entry(one: Requested) -> Entry:
    assert one.interview is not None
    return Entry(starts_at=one.interview.starts_at, ends_at=one.interview.ends_at, requested=one)


def _key(entry: Entry) -> str:
    return entry.requested.pull.id if entry.requested else ""
