"""Which hours suit a panel: working days and hours, and what its people have already."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from swapflow.domain.free_days import WEEKENDS_ALONE, FreeDays
from swapflow.domain.people.interview import Booking, Diary, Interview
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import Pull
from swapflow.domain.rules import Rules
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.errors import ConflictError
from swapflow.messages import Message


HALVES = ((time(9), time(12)), (time(13), time(17)))
"""The hours of a working day, with the break at noon."""

WHOLE = ((time(9), time(17)),)
"""The hours for what is longer than a morning."""

NOTICE = 3
"""Working days between setting a date and the interview, where no one says another number."""

LENGTH = 30
"""Minutes of an interview of a kind that has had no date yet."""

HORIZON = 60
"""Working days that are looked at for a free hour: twelve weeks."""

LOOKED_AHEAD = 1000
"""Days that are looked through for working days: more than twelve weeks and a closed year."""

OFFERED = 3
"""Free hours that are offered in place of one that is taken."""


class DoubleBookingError(ConflictError):
    """An interviewer has another interview at the time of a date; no date was set.

    Attributes:
        pull_id: The request whose date was refused.
        free: The next times at which its whole panel is free, in the program's zone.
    """

    def __init__(
        self, pull_id: str, *, who: str, when: datetime, minutes: int, free: Sequence[datetime]
    ) -> None:
        hours = [Message("free_hour", at=at) for at in free] or [Message("no_free_hour")]
        super().__init__("interviewer_booked", who=who, when=when, minutes=minutes, free=hours)
        self.pull_id = pull_id
        self.free = tuple(free)


@dataclass(frozen=True, slots=True, kw_only=True)
class InterviewerTime:
    """What is known about the time of a program's interviewers.

    Attributes:
        zone: The program's, in which working days and hours are meant.
        now: Aware; nothing is offered before.
        automatic: Numbers of reviewers that are programs: they have all the time in the world.
        free_days: Days of the zone on which no hour is offered.
    """

    diary: Diary
    zone: str
    now: datetime
    automatic: frozenset[int] = frozenset()
    free_days: FreeDays = WEEKENDS_ALONE

    def people(self, reviewers: Collection[int]) -> frozenset[int]:
        """Return those of these reviewers whose time matters."""
        return frozenset(reviewers) - self.automatic

    def without(self, pull_id: str) -> "InterviewerTime":
        """Return the agenda without the date of a request."""
        others = tuple(one for one in self.diary.bookings if one.pull_id != pull_id)
        return replace(self, diary=replace(self.diary, bookings=others))

    def with_date(
        self, pull_id: str, date: Interview, reviewers: Collection[int]
    ) -> "InterviewerTime":
        """Return the agenda with another date of a request in place of the one it has."""
        others = self.without(pull_id).diary.bookings
        new = [
            Booking(reviewer=one, pull_id=pull_id, starts_at=date.starts_at, minutes=date.minutes)
            for one in reviewers
        ]
        bookings = sorted([*others, *new], key=lambda one: (one.starts_at, one.pull_id))
        return replace(self, diary=replace(self.diary, bookings=tuple(bookings)))

    def free(self, people: Collection[int], day: date, minutes: int) -> Iterator[datetime]:
        """Find the hours of a day at which all of these people are free, as aware UTC.

        A day on which one of them is away has none, nor has a public holiday or a closed day.
        """
        if self.free_days.is_free(day) or any(self.diary.is_away(one, day) for one in people):
            return
        for at in hours_of(day, minutes, self.zone):
            if at > self.now and self.diary.clash(people, at, minutes) is None:
                yield at

    def next_free(self, people: Collection[int], minutes: int, since: datetime) -> list[datetime]:
        """Find the next hours at which all of these people are free, a few of them."""
        first = max(since, self.now).astimezone(ZoneInfo(self.zone)).date()
        days = working_days(first, HORIZON, self.free_days)
        found = (at for day in days for at in self.free(people, day, minutes))
        return list(islice(found, OFFERED))


def interviewer_time(
    diary: Diary, reviewers: Iterable[Reviewer], *, rules: Rules, now: datetime
) -> InterviewerTime:
    """Put together what is known about the time of a program's reviewers."""
    programs = frozenset(one.number for one in reviewers if one.automatic)
    return InterviewerTime(
        diary=diary,
        zone=rules.zone,
        now=now,
        automatic=programs,
        free_days=rules.free_days or WEEKENDS_ALONE,
    )


def working_days(first: date, count: int, free_days: FreeDays) -> Iterator[date]:
    """List working days from a day on, which is among them if it is one.

    Fewer are listed where an office is closed for years: the search ends at `LOOKED_AHEAD`.
    """
    for ahead in range(LOOKED_AHEAD):
        if not count:
            return
        day = first + timedelta(days=ahead)
        if free_days.is_working_day(day):
            yield day
            count -= 1


def first_day(now: datetime, zone: str, notice: int, free_days: FreeDays) -> date:
    """Return the first day that keeps the notice: Friday for 3 working days on a Tuesday."""
    today = now.astimezone(ZoneInfo(zone)).date()
    following = working_days(today + timedelta(days=1), max(notice, 1), free_days)
    return today if notice <= 0 else max(following, default=today + timedelta(days=notice))


def hours_of(day: date, minutes: int, zone: str) -> list[datetime]:
    """List when an interview of a length may begin on a day, one after the other, as aware UTC."""
    length, found = timedelta(minutes=minutes), []
    longest = max(_span(day, *half) for half in HALVES[:1])
    for opens, closes in HALVES if length <= longest else WHOLE:
        at = datetime.combine(day, opens)
        while at + length <= datetime.combine(day, closes):
            found.append(at.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC))
            at += length
    return found


def usual_length(past: Sequence[Interview]) -> int:
    """Return how long interviews mostly were, in minutes; of equally many the shorter."""
    lengths = Counter(one.minutes for one in past)
    return min(lengths, key=lambda n: (-lengths[n], n), default=LENGTH)


def refuse_double_bookings(tx: Transaction, dates: Sequence[tuple[Pull, Interview]]) -> None:
    """Refuse dates at which one of a panel would have two interviews.

    Args:
        tx: The write, which locks the program: its other dates stay as they are meanwhile.
        dates: Those of one act, each with its request. Two of them may change places.

    Raises:
        DoubleBookingError: If one would; names the person and the time, and no applicant.
    """
    if not dates:
        return
    panels: dict[str, list[int]] = {pull.id: [] for pull, _ in dates}
    for seat in tx.assignments_of(list(panels)):
        if seat.status.is_open:
            panels[seat.pull_id].append(seat.reviewer)
    # Before the diary is read: of two programs that want one person the second finds the date.
    tx.hold_diaries({reviewer for panel in panels.values() for reviewer in panel})
    people = {r.number: r for r in tx.reviewers()}
    agenda = interviewer_time(tx.diary(), people.values(), rules=tx.rules(), now=tx.now)
    for pull, slot in dates:
        agenda = agenda.with_date(pull.id, slot, panels[pull.id])
    for pull, slot in dates:
        named = {number: people[number] for number in panels[pull.id]}
        _refuse_double(agenda, named, slot)


def _refuse_double(
    agenda: InterviewerTime, panel: Mapping[int, Reviewer], wanted: Interview
) -> None:
    people, others = agenda.people(panel), agenda.without(wanted.pull_id)
    taken = others.diary.clash(people, wanted.starts_at, wanted.minutes)
    if taken is None:
        return
    local, who = ZoneInfo(agenda.zone), panel[taken.reviewer]
    raise DoubleBookingError(
        wanted.pull_id,
        who=who.name or who.external_id,
        when=taken.starts_at.astimezone(local),
        minutes=taken.minutes,
        free=[
            at.astimezone(local)
            for at in others.next_free(people, wanted.minutes, wanted.starts_at)
        ],
    )


def _span(day: date, opens: time, closes: time) -> timedelta:
    return datetime.combine(day, closes) - datetime.combine(day, opens)
