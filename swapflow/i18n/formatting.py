"""Formatting of times, days and numbers in the current language."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from babel.dates import (
    format_date,
    format_datetime,
    format_skeleton,
    format_time,
    get_timezone_name,
)
from babel.numbers import format_decimal

from swapflow.i18n.languages import (
    SOURCE,
    Language,
    current_language,
    gettext,
    ngettext,
    ngettext_noop,
)
from swapflow.i18n.pseudo_locales import PSEUDO, strangely


# English in a form without ambiguity: the day before the month, the month as a word.
_MOMENT, _DAY, _LONG_DAY = "EEE d MMM y, HH:mm", "EEE d MMM", "EEEE d MMMM"

_MINUTES, _HOURS = ("minute", "minutes", "min"), ("hour", "hours", "h")

_SPANS = (
    (
        86_400,
        ngettext_noop("in %(count)s day", "in %(count)s days"),
        ngettext_noop("%(count)s day ago", "%(count)s days ago"),
    ),
    (
        3_600,
        ngettext_noop("in %(count)s hour", "in %(count)s hours"),
        ngettext_noop("%(count)s hour ago", "%(count)s hours ago"),
    ),
    (
        60,
        ngettext_noop("in %(count)s minute", "in %(count)s minutes"),
        ngettext_noop("%(count)s minute ago", "%(count)s minutes ago"),
    ),
)
"""Spans in seconds, the longest first, each with a message for the future and the past."""


def zone_place(zone: str) -> str:
    """Return the place that a time zone is named after: "Berlin" of Europe/Berlin."""
    return zone.rpartition("/")[2].replace("_", " ")


def moment(at: datetime | None, zone: str = "UTC") -> str:
    """Format a time in a zone: "Fri 12 Dec 2026, 17:00 CET"."""
    if at is None:
        return gettext("no date")
    local, language = at.astimezone(ZoneInfo(zone)), current_language()
    if is_english(language):
        spelled = format_datetime(local, _MOMENT, tzinfo=local.tzinfo, locale=language.locale)
        return _as_said(f"{spelled} {local:%Z}", language)
    day_spelled = format_skeleton("yMMMEd", local, tzinfo=local.tzinfo, locale=language.locale)
    time = format_time(local, "short", tzinfo=local.tzinfo, locale=language.locale)
    return f"{day_spelled}, {time} {_zone(local, language)}"


def day(at: datetime | None, zone: str = "UTC") -> str:
    """Format a day in a zone: "Fri 12 Dec"."""
    if at is None:
        return gettext("no date")
    local, language = at.astimezone(ZoneInfo(zone)), current_language()
    if is_english(language):
        spelled = format_datetime(local, _DAY, tzinfo=local.tzinfo, locale=language.locale)
        return _as_said(spelled, language)
    return format_skeleton("MMMEd", local, tzinfo=local.tzinfo, locale=language.locale)


def long_day(at: datetime | None, zone: str = "UTC") -> str:
    """Format a day in a zone, its words whole: "Friday 12 December"."""
    if at is None:
        return gettext("no date")
    local, language = at.astimezone(ZoneInfo(zone)), current_language()
    if is_english(language):
        spelled = format_datetime(local, _LONG_DAY, tzinfo=local.tzinfo, locale=language.locale)
        return _as_said(spelled, language)
    return format_skeleton("MMMMEEEEd", local, tzinfo=local.tzinfo, locale=language.locale)


def weekday(at: datetime, zone: str = "UTC") -> str:
    """Format the day of the week in a zone, short: "Fri"."""
    local, language = at.astimezone(ZoneInfo(zone)), current_language()
    return _as_said(format_date(local.date(), "EEE", locale=language.locale), language)


def day_number(at: datetime, zone: str = "UTC") -> str:
    """Format the day of the month in a zone: "12"."""
    local = at.astimezone(ZoneInfo(zone))
    return format_decimal(local.day, locale=current_language().locale)


def hours(minutes: int) -> str:
    """Format a length of work: "25 min", "3 h", "3 h 20 min"."""
    whole, rest = divmod(minutes, 60)
    if not whole:
        return gettext("%(minutes)s min") % {"minutes": number(rest)}
    if not rest:
        return gettext("%(hours)s h") % {"hours": number(whole)}
    return gettext("%(hours)s h %(minutes)s min") % {"hours": number(whole), "minutes": rest}


def cost_words(value: float, unit: str) -> str:
    """Format a cost: as hours and minutes where the round counts in time, else with its unit."""
    whole, said = round(value), unit.strip().casefold()
    if said in _MINUTES or said in _HOURS:
        minutes = whole if said in _MINUTES else round(60 * value)
        return hours(minutes) if minutes >= 0 else f"−{hours(-minutes)}"
    return f"{number(whole)} {gettext(unit)}"


def date_of(on: date) -> str:
    """Format a date: "Sat 12 Dec 2026"."""
    language = current_language()
    if is_english(language):
        spelled = format_date(on, "EEE d MMM y", locale=language.locale)
        return _as_said(spelled, language)
    return format_skeleton("yMMMEd", on, locale=language.locale)


def clock(at: datetime | None, zone: str = "UTC") -> str:
    """Format the time of a day in a zone: "14:02"."""
    if at is None:
        return ""
    local, language = at.astimezone(ZoneInfo(zone)), current_language()
    if is_english(language):
        return f"{local:%H:%M}"
    return format_time(local, "short", tzinfo=local.tzinfo, locale=language.locale)


def until(at: datetime | None, now: datetime | None = None) -> str:
    """Format the distance to a time: "in 2 days", "3 hours ago"."""
    if at is None:
        return ""
    seconds = (at - (now or datetime.now(UTC))).total_seconds()
    size = abs(seconds)
    for length, ahead, behind in _SPANS:
        if size >= length:
            return counted(int(size // length), *(ahead if seconds > 0 else behind))
    return gettext("now")


def days_until(at: datetime, zone: str = "UTC", now: datetime | None = None) -> str:
    """Format the distance to a day, as calendars count: "today", "tomorrow", "in 14 days"."""
    here = ZoneInfo(zone)
    today = (now or datetime.now(UTC)).astimezone(here).date()
    # Seconds would say 13 days of a morning two weeks ahead when it is afternoon now.
    ahead = (at.astimezone(here).date() - today).days
    if ahead == 0:
        return gettext("today")
    if ahead == 1:
        return gettext("tomorrow")
    return counted(abs(ahead), *(_SPANS[0][1] if ahead > 0 else _SPANS[0][2]))


def number(value: float | None) -> str:
    """Format a count with separated thousands."""
    if value is None:
        return "–"
    language = current_language()
    if is_english(language):
        # A narrow space means the same everywhere; comma and full stop do not.
        return f"{value:,.0f}".replace(",", "\u202f")
    return format_decimal(round(value), locale=language.locale)


def decimal(value: float) -> str:
    """Format a number with at most one decimal, as the language writes it."""
    language = current_language()
    if is_english(language):
        return f"{value:,.1f}".replace(",", "\u202f").removesuffix(".0")
    return format_decimal(round(value, 1), locale=language.locale)


def counted(count: int, one: str, many: str, **more: object) -> str:
    """Format a count with its noun: `counted(3, "%(count)s review", "%(count)s reviews")`.

    Args:
        count: Chooses the form, and is filled in with separated thousands.
        one: The message for one thing.
        many: The message for any other number.
        more: Values of the messages' other placeholders.
    """
    return ngettext(one, many, count) % {"count": number(count), **more}


def is_english(language: Language) -> bool:
    """Return whether dates and numbers are written the English way."""
    return language.tag == SOURCE or language.tag in PSEUDO


def _as_said(spelled: str, language: Language) -> str:
    """Mark a formatted date in a pseudo-locale, so that tests can tell that it was formatted."""
    if language.tag not in PSEUDO:
        return spelled
    return strangely(spelled)  # never reversed, since digits would be read backwards


def _zone(local: datetime, language: Language) -> str:
    """Return the name of a time's zone; the usual letters where the language has none."""
    named = get_timezone_name(local, width="short", locale=language.locale)
    return f"{local:%Z}" if named.startswith(("+", "-", "GMT")) else named
