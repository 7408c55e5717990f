"""Dates for many interviews at once: no person is wanted twice, few days, each about as full.

An interview with a panel takes an hour of several people, so this is no matching of pairs. It is
a search: the interview with the fewest hours left chooses first, takes an hour on the day that is
emptiest for its panel, and the hours of all others shrink by it. Where one has none left, the
search goes back. Days are added until all have a date.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta


MOST_A_DAY = 4
"""Interviews of one person on a day, beside those that they have already."""

TRIES = 500
"""Choices that are tried for a number of days before another day is added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedInterview:
    """One interview to be dated.

    Attributes:
        key: Its name; ties are broken by it.
        people: Numbers of all whose time it takes, the applicant included.
        minutes: Its length.
        hours: When all of them are free, by day; each day's hours in order, as aware UTC.
    """

    key: str
    people: frozenset[int]
    minutes: int
    hours: Mapping[date, Sequence[datetime]]


def assign(
    meetings: Sequence[WantedInterview], *, load: Mapping[tuple[int, date], int]
) -> dict[str, datetime]:
    """Choose an hour for as many meetings as the search finds, the same ones for the same input.

    No meeting that is left out fits beside those that have an hour, with `MOST_A_DAY` kept.

    Args:
        meetings: What is to be dated.
        load: Interviews that a person has on a day already; 0 where nothing is said.

    Returns:
        The hour of each by its key.
    """
    possible = sorted((m for m in meetings if any(m.hours.values())), key=lambda m: m.key)
    if not possible:
        return {}
    days = sorted({day for m in possible for day, hours in m.hours.items() if hours})
    count = _fewest_days(possible, days, load)
    while count < len(days):
        found = _Search(possible, days[:count], load).all_of_them()
        if found is not None:
            return found
        # One by one at first; a panel that is seldom free needs leaps.
        count += 1 + count // 8
    search = _Search(possible, days, load)
    return search.all_of_them() or search.most_of_them()


def _fewest_days(
    meetings: Sequence[WantedInterview], days: Sequence[date], load: Mapping[tuple[int, date], int]
) -> int:
    """Return how many of the days are needed at least, by each person's number of meetings."""
    wanted = Counter(person for m in meetings for person in m.people)
    open_on: dict[int, set[date]] = {person: set() for person in wanted}
    needed = 1
    for m in meetings:
        for person in m.people:
            open_on[person].update(day for day, hours in m.hours.items() if hours)
    for person, left in wanted.items():
        count = 0
        for position, day in enumerate(days):
            if count >= left:
                break
            if day in open_on[person]:
                count += max(MOST_A_DAY - load.get((person, day), 0), 0)
                needed = max(needed, position + 1)
    return needed


@dataclass(frozen=True, slots=True)
class _Choice:
    """One meeting's turn: what was left before it, and the hours that it has not tried."""

    meeting: int
    left: dict[int, int]
    hours: Iterator[int]


class _Search:
    """The meetings over some days; the hours that are left to one are bits of an integer."""

    def __init__(
        self,
        meetings: Sequence[WantedInterview],
        days: Sequence[date],
        load: Mapping[tuple[int, date], int],
    ) -> None:
        self._meetings, self._days = meetings, days
        self._load = Counter(
            {(p, d): load.get((p, d), 0) for m in meetings for p in m.people for d in days}
        )
        self._hours = [[at for day in days for at in m.hours.get(day, ())] for m in meetings]
        self._of_day: list[dict[date, int]] = []
        for m in meetings:
            start, masks = 0, {}
            for day in days:
                size = len(m.hours.get(day, ()))
                masks[day] = ((1 << size) - 1) << start
                start += size
            self._of_day.append(masks)
        self._day_of = [[day for day in days for _ in m.hours.get(day, ())] for m in meetings]
        everyone = range(len(meetings))
        self._near = [
            [o for o in everyone if o != n and meetings[o].people & meetings[n].people]
            for n in everyone
        ]

    def all_of_them(self) -> dict[str, datetime] | None:
        """Return an hour for every meeting; None if the tries find none."""
        left, taken = self._start(), dict[int, int]()
        if not all(left.values()):
            return None
        stack = [self._turn(left)]
        for _ in range(TRIES + len(self._meetings)):
            choice = stack[-1]
            if choice.meeting in taken:
                self._count(choice.meeting, taken.pop(choice.meeting), -1)
            hour = next(choice.hours, None)
            if hour is None:
                stack.pop()
                if not stack:
                    return None
                continue
            taken[choice.meeting] = hour
            self._count(choice.meeting, hour, 1)
            after = self._after(choice.left, choice.meeting, hour)
            if not after:
                return self._named(taken)
            if all(after.values()):
                stack.append(self._turn(after))
        for meeting, hour in taken.items():
            self._count(meeting, hour, -1)
        return None

    def most_of_them(self) -> dict[str, datetime]:
        """Return an hour for one meeting after the other, leaving out those that find none."""
        left, taken = {n: mask for n, mask in self._start().items() if mask}, dict[int, int]()
        while left:
            choice = self._turn(left)
            hour = next(choice.hours)
            taken[choice.meeting] = hour
            self._count(choice.meeting, hour, 1)
            after = self._after(left, choice.meeting, hour)
            left = {n: mask for n, mask in after.items() if mask}
        return self._named(taken)

    def _start(self) -> dict[int, int]:
        """Return the hours of each meeting on the days that are not full for its people."""
        return {
            n: sum(mask for day, mask in self._of_day[n].items() if not self._is_full(n, day))
            for n in range(len(self._meetings))
        }

    def _turn(self, left: dict[int, int]) -> _Choice:
        """Return the turn of the meeting with the fewest hours left."""
        n = min(left, key=lambda one: (left[one].bit_count(), one))
        return _Choice(n, left, self._in_order(n, left[n]))

    def _in_order(self, n: int, mask: int) -> Iterator[int]:
        """List a meeting's hours: the emptiest day of its people first, and the earliest on it."""
        people = self._meetings[n].people

        def fullness(day: date) -> tuple[int, date]:
            return max((self._load[person, day] for person in people), default=0), day

        # As full as the days are now: deeper choices count while this list is being read.
        for day in sorted(self._days, key=fullness):
            rest = mask & self._of_day[n][day]
            while rest:
                lowest = rest & -rest
                yield lowest.bit_length() - 1
                rest ^= lowest

    def _after(self, left: dict[int, int], n: int, hour: int) -> dict[int, int]:
        """Return what is left to the others once a meeting has taken an hour."""
        after = {other: mask for other, mask in left.items() if other != n}
        starts, day = self._hours[n][hour], self._day_of[n][hour]
        ends = starts + timedelta(minutes=self._meetings[n].minutes)
        for other in self._near[n]:
            if other not in after:
                continue
            hours, length = self._hours[other], timedelta(minutes=self._meetings[other].minutes)
            first, last = bisect_right(hours, starts - length), bisect_left(hours, ends)
            after[other] &= ~(((1 << (last - first)) - 1) << first) if last > first else -1
            if self._is_full(other, day):
                after[other] &= ~self._of_day[other][day]
        return after

    def _is_full(self, n: int, day: date) -> bool:
        return any(self._load[p, day] >= MOST_A_DAY for p in self._meetings[n].people)

    def _count(self, n: int, hour: int, by: int) -> None:
        for person in self._meetings[n].people:
            self._load[person, self._day_of[n][hour]] += by

    def _named(self, taken: Mapping[int, int]) -> dict[str, datetime]:
        return {self._meetings[n].key: self._hours[n][hour] for n, hour in taken.items()}
