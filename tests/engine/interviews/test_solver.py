"""Dates for many interviews at once, on made-up panels."""

from collections import Counter
from datetime import date, datetime, timedelta
from itertools import combinations
from random import Random

import pytest

from swapflow.domain.free_days import WEEKENDS_ALONE
from swapflow.engine.interviews.schedule import hours_of, working_days
from swapflow.engine.interviews.solver import MOST_A_DAY, WantedInterview, assign


MONDAY = date(2031, 3, 10)


def meeting(key: str, people: set[int], *, days: int = 10, minutes: int = 30) -> WantedInterview:
    return WantedInterview(
        key=key,
        people=frozenset(people),
        minutes=minutes,
        hours={
            day: hours_of(day, minutes, "UTC")
            for day in working_days(MONDAY, days, WEEKENDS_ALONE)
        },
    )


def drawn(seed: int) -> list[WantedInterview]:
    """Draw panels of one to three out of seven people who are often taken."""
    draw = Random(seed)
    found = []
    for number in range(draw.randint(1, 30)):
        people = {*draw.sample(range(7), draw.randint(1, 3)), -1 - number % 20}
        minutes = draw.choice([20, 30, 45, 90])
        free = {
            day: [at for at in hours_of(day, minutes, "Europe/Berlin") if draw.random() < 0.4]
            for day in working_days(MONDAY, draw.randint(1, 8), WEEKENDS_ALONE)
        }
        found.append(
            WantedInterview(
                key=f"{number:02d}", people=frozenset(people), minutes=minutes, hours=free
            )
        )
    return found


def overlap(
    one: tuple[WantedInterview, datetime], other: tuple[WantedInterview, datetime]
) -> bool:
    (first, at), (second, then) = one, other
    return at < then + timedelta(minutes=second.minutes) and then < at + timedelta(
        minutes=first.minutes
    )


def per_day(
    meetings: list[WantedInterview], chosen: dict[str, datetime]
) -> Counter[tuple[int, date]]:
    return Counter(
        (person, chosen[m.key].date()) for m in meetings for person in m.people if m.key in chosen
    )


@pytest.mark.parametrize("seed", range(40))
def test_no_person_is_at_two_interviews_at_once_and_none_is_left_out_that_fits(seed: int) -> None:
    meetings = drawn(seed)

    chosen = assign(meetings, load={})

    dated = [(m, chosen[m.key]) for m in meetings if m.key in chosen]
    assert all(at in m.hours[at.date()] for m, at in dated)
    assert not [
        (a[0].key, b[0].key)
        for a, b in combinations(dated, 2)
        if a[0].people & b[0].people and overlap(a, b)
    ]
    load = per_day(meetings, chosen)
    assert max(load.values()) <= MOST_A_DAY
    for left in (m for m in meetings if m.key not in chosen):
        for day, hours in left.hours.items():
            full = any(load[person, day] >= MOST_A_DAY for person in left.people)
            assert full or all(
                any(m.people & left.people and overlap((left, at), (m, then)) for m, then in dated)
                for at in hours
            )
    assert assign(list(reversed(meetings)), load={}) == chosen


def test_the_search_goes_back_where_the_first_hour_was_the_wrong_one() -> None:
    nine, ten = (datetime.fromisoformat(f"2031-03-10T{h}:00+00:00") for h in ("09", "10"))
    meetings = [
        WantedInterview(key="a", people=frozenset({1}), minutes=60, hours={MONDAY: [nine, ten]}),
        WantedInterview(key="b", people=frozenset({2}), minutes=60, hours={MONDAY: [nine, ten]}),
        WantedInterview(
            key="c", people=frozenset({1, 2}), minutes=60, hours={MONDAY: [nine, ten]}
        ),
    ]

    assert assign(meetings, load={}) == {"a": nine, "b": nine, "c": ten}


def test_a_panel_has_as_few_days_as_it_needs_and_each_is_about_as_full() -> None:
    meetings = [meeting(f"{n:02d}", {1, 2}) for n in range(10)]

    chosen = assign(meetings, load={})

    assert sorted(Counter(at.date() for at in chosen.values()).items()) == [
        (MONDAY, 4),
        (MONDAY + timedelta(days=1), 3),
        (MONDAY + timedelta(days=2), 3),
    ]
    assert min(chosen.values()) == datetime.fromisoformat("2031-03-10T09:00+00:00")


def test_a_day_that_is_full_already_gets_nothing_more() -> None:
    chosen = assign([meeting("a", {1, 2})], load={(2, MONDAY): MOST_A_DAY})

    assert chosen["a"].date() == MONDAY + timedelta(days=1)


def test_two_hundred_interviews_are_dated_within_a_second_or_two() -> None:
    draw = Random(5)
    meetings = [
        meeting(f"{n:03d}", {*draw.sample(range(12), 2), -1 - n}, days=60) for n in range(200)
    ]

    chosen = assign(meetings, load={})

    assert len(chosen) == 200
    assert max(per_day(meetings, chosen).values()) <= MOST_A_DAY
