"""Rules as another program takes them over: its own version, seed and dates."""

from dataclasses import replace
from datetime import date, datetime
from typing import TypeVar

from swapflow.domain.rules import Rules


Day = TypeVar("Day", date, datetime)

LEAP_DAY = 29


def years_later(day: Day, years: int) -> Day:
    """Return the same day of the month some years on; 28 February where there is no 29th."""
    if (day.month, day.day) == (2, LEAP_DAY):
        try:
            return day.replace(year=day.year + years)
        except ValueError:
            return day.replace(year=day.year + years, day=LEAP_DAY - 1)
    return day.replace(year=day.year + years)


def first_version(rules: Rules) -> Rules:
    """Return rules as the first version of a program of their own.

    What a launch settled is left open again: each program draws its own seed.
    """
    return replace(
        rules,
        version=1,
        rubrics=tuple(replace(rubric, version=1) for rubric in rules.rubrics),
        seed=0,
        seed_drawn=False,
    )


def dates_later(rules: Rules, years: int) -> Rules:
    """Return rules whose dates lie some years later."""
    return replace(
        rules,
        applications_close=None
        if rules.applications_close is None
        else years_later(rules.applications_close, years),
        deadline=None if rules.deadline is None else years_later(rules.deadline, years),
    )


def years_until(day: datetime, now: datetime) -> int:
    """Return the fewest whole years after which a day lies ahead; 0 where it does."""
    years = max(0, now.year - day.year)
    return years if years_later(day, years) > now else years + 1
