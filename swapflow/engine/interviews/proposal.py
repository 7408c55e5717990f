"""Dates that fit, for all interviews without one: proposed here, set by a person."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from swapflow.domain.free_days import FreeDays, FreeSpan
from swapflow.engine.interviews.schedule import (
    HORIZON,
    NOTICE,
    InterviewerTime,
    first_day,
    interviewer_time,
    working_days,
)
from swapflow.engine.interviews.slots import Requested, requested
from swapflow.engine.interviews.solver import WantedInterview, assign
from swapflow.engine.ports.ledger import Ledger
from swapflow.errors import InvalidInputError
from swapflow.messages import Message


LONGEST_NOTICE = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedDate:
    """A request with an hour at which its whole panel is free; aware UTC."""

    requested: Requested
    starts_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplaced:
    """A request for which no hour was found, and why."""

    requested: Requested
    reason: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class DateProposal:
    """Dates for all requests without one.

    Attributes:
        first: The first day that keeps the notice.
        notice: Working days until then.
        dates: The earliest first.
        left: In the order of the applications.
        free_days: Days without interviews that were passed over.
        looked_at: The present day, and the day of the last date, or `first` if there is none.
    """

    first: date
    notice: int
    dates: tuple[ProposedDate, ...]
    left: tuple[Unplaced, ...]
    free_days: FreeDays
    looked_at: tuple[date, date]

    def passed_over(self, language: str = "") -> list[FreeSpan]:
        """List public holidays and closed days up to the last date, named in a language."""
        return self.free_days.between(*self.looked_at, language)


def propose_dates(cycle_id: str, *, notice: int = NOTICE, ledger: Ledger) -> DateProposal:
    """Find dates for every request without one; nothing is set.

    The same program at the same moment gets the same dates. They lie on working days and hours of
    the program's zone, before its deadline if it has one, and no one has more than `MOST_A_DAY`
    interviews on a day by them.

    Raises:
        InvalidInputError: If the notice is no number of working days that can be kept.
    """
    if not 0 <= notice <= LONGEST_NOTICE:
        raise InvalidInputError("notice_out_of_range", most=LONGEST_NOTICE)
    with ledger.one_moment():
        rules, now = ledger.rules(cycle_id), ledger.now()
        asked = requested(cycle_id, ledger=ledger)
        agenda = interviewer_time(
            ledger.diary(cycle_id), ledger.reviewers(cycle_id), rules=rules, now=now
        )
    first = first_day(now, rules.zone, notice, agenda.free_days)
    days = _days(first, rules.deadline, agenda)
    undated = [one for one in asked if one.interview is None or not one.interview.stands]
    busy = _with_applicants(agenda, asked)
    local = ZoneInfo(rules.zone)
    meetings = {one.pull.id: _meeting(one, busy, days) for one in undated if one.reviewers}
    chosen = assign(list(meetings.values()), load=_load(busy))
    dates = [
        ProposedDate(requested=one, starts_at=chosen[one.pull.id])
        for one in undated
        if one.pull.id in chosen
    ]
    return DateProposal(
        first=first,
        notice=notice,
        dates=tuple(sorted(dates, key=lambda one: (one.starts_at, one.requested.pull.id))),
        left=tuple(
            Unplaced(requested=one, reason=_reason(one, meetings.get(one.pull.id), days[-1]))
            for one in undated
            if one.pull.id not in chosen
        ),
        free_days=agenda.free_days,
        looked_at=(
            now.astimezone(local).date(),
            max((one.starts_at.astimezone(local).date() for one in dates), default=first),
        ),
    )


def free_hours(
    cycle_id: str, days: Sequence[date], *, ledger: Ledger
) -> Mapping[str, tuple[datetime, ...]]:
    """Find the first hour of each of these days at which a request's whole panel is free.

    Args:
        cycle_id: The program.
        days: Days of the program's zone; those without a free hour are left out.
        ledger: The record.

    Returns:
        Hours as aware UTC by request, for each that has interviewers; a request's own date does
        not stand in its way.
    """
    with ledger.one_moment():
        rules, now = ledger.rules(cycle_id), ledger.now()
        asked = requested(cycle_id, ledger=ledger)
        agenda = interviewer_time(
            ledger.diary(cycle_id), ledger.reviewers(cycle_id), rules=rules, now=now
        )
    busy = _with_applicants(agenda, asked)
    found = {}
    for one in asked:
        if not one.reviewers:
            continue
        others = busy.without(one.pull.id)
        people = others.people([r.number for r in one.reviewers]) | {_applicant(one)}
        hours = (next(others.free(people, day, one.minutes), None) for day in days)
        found[one.pull.id] = tuple(at for at in hours if at is not None)
    return found


def _days(first: date, deadline: datetime | None, agenda: InterviewerTime) -> Sequence[date]:
    """Return the days that may have interviews: until the deadline, or the horizon without."""
    # An office that is closed for years has the first day all the same.
    days = list(working_days(first, HORIZON, agenda.free_days)) or [first]
    if deadline is None:
        return days
    last = deadline.astimezone(ZoneInfo(agenda.zone)).date()
    # A deadline that the notice passes over is no reason to find nothing at all.
    return [day for day in days if day <= last] or days


def _applicant(one: Requested) -> int:
    """Return the number under which an applicant is a person beside the reviewers."""
    return -1 - one.pull.application


def _with_applicants(agenda: InterviewerTime, asked: Sequence[Requested]) -> InterviewerTime:
    """Add applicants to the diary: one of them may have two interviews, too."""
    for one in asked:
        if one.interview is not None and one.interview.stands:
            people = [r.number for r in one.reviewers]
            agenda = agenda.with_date(one.pull.id, one.interview, [*people, _applicant(one)])
    return agenda


def _meeting(one: Requested, agenda: InterviewerTime, days: Sequence[date]) -> WantedInterview:
    people = agenda.people([r.number for r in one.reviewers]) | {_applicant(one)}
    unwanted = _given_back(one, agenda.zone)
    return WantedInterview(
        key=one.pull.id,
        people=people,
        minutes=one.minutes,
        hours={
            day: list(agenda.free(people, day, one.minutes)) for day in days if day != unwanted
        },
    )


def _given_back(one: Requested, zone: str) -> date | None:
    """Return the day on which the applicant said that they cannot come."""
    if one.interview is None or one.answer is None or not one.answer.answer.gives_date_back:
        return None
    return one.interview.starts_at.astimezone(ZoneInfo(zone)).date()


def _load(agenda: InterviewerTime) -> Mapping[tuple[int, date], int]:
    local = ZoneInfo(agenda.zone)
    return Counter(
        (one.reviewer, one.starts_at.astimezone(local).date()) for one in agenda.diary.bookings
    )


def _reason(one: Requested, meeting: WantedInterview | None, last: date) -> Message:
    """Return why a request has no date, with the interviewers' names and no applicant's."""
    if meeting is None:
        return Message("interview_without_interviewer")
    names = [r.name or r.external_id for r in one.reviewers]
    if any(meeting.hours.values()):
        return Message("interview_no_hour_left", who=names, last=last)
    if len(names) == 1:
        return Message("interviewer_never_free", who=names[0], last=last)
    return Message("interview_panel_never_free", who=names, last=last)
