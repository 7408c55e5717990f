"""Days on which an office holds no interviews: public holidays, and days that it names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache


FRIDAY = 5
"""ISO number of the last working day of a week."""

LONGEST_CLOSED = 366
"""Most days of one span; a longer one is a mistyped year."""

_SPAN = re.compile(r"(\d{4}-\d{2}-\d{2})(?:\s*(?:to|bis|until|/|–|—|\.\.)\s*(\d{4}-\d{2}-\d{2}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeDays:
    """Which days from Monday to Friday are no working days of an office.

    Attributes:
        region: Country, or country and region, whose public holidays are kept, by its ISO 3166
            code: "DE-BW", "US-CA", "IE"; "" keeps none.
        closed: Further days as people write them, one day or one span each: "2026-12-24" or
            "2026-12-24 to 2027-01-01".
    """

    region: str = ""
    closed: tuple[str, ...] = ()

    def is_working_day(self, day: date) -> bool:
        """Whether the office works on a day: Monday to Friday, and free for no other reason."""
        return day.isoweekday() <= FRIDAY and not self.is_free(day)

    def is_free(self, day: date) -> bool:
        """Whether a day is a public holiday or closed; a weekend alone is neither."""
        return self.is_closed(day) or bool(self.holiday(day))

    def is_closed(self, day: date) -> bool:
        """Whether the office itself named the day."""
        return any(first <= day <= last for first, last in map(span, self.closed))

    def holiday(self, day: date, language: str = "") -> str:
        """Return the name of the public holiday on a day, "" where there is none.

        Args:
            day: The day.
            language: Of the name, where the holiday's country has it; else as the country
                itself names it.
        """
        if not self.region:
            return ""
        return _holidays(self.region, day.year, language).get(day, "")

    def between(self, first: date, last: date, language: str = "") -> list["FreeSpan"]:
        """List what is free on weekdays from one day to another, in order.

        A closed span comes once, cut to these days; a holiday inside of it is not named again.
        """
        spans = [
            FreeSpan(first=max(first, opens), last=min(last, ends))
            for opens, ends in map(span, self.closed)
            if opens <= last and ends >= first
        ]
        for ahead in range((last - first).days + 1):
            day = first + timedelta(days=ahead)
            named = self.holiday(day, language)
            if named and day.isoweekday() <= FRIDAY and not self.is_closed(day):
                spans.append(FreeSpan(first=day, last=day, name=named))
        return sorted(spans, key=lambda one: (one.first, one.last))


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeSpan:
    """A public holiday, or days on which the office is closed.

    Attributes:
        name: Of the holiday; "" where the office is closed.
    """

    first: date
    last: date
    name: str = ""


WEEKENDS_ALONE = FreeDays()
"""What holds where the rules name no free days."""


def span(text: str) -> tuple[date, date]:
    """Read a day or a span of days: "2026-12-24", "2026-12-24 to 2027-01-01".

    Raises:
        ValueError: If it is neither, ends before it begins, or is longer than a year.
    """
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    first = date.fromisoformat(found[1])
    last = date.fromisoformat(found[2] or found[1])
    if not timedelta() <= last - first < timedelta(days=LONGEST_CLOSED):
        raise ValueError(text)
    return first, last


def countries() -> Mapping[str, tuple[str, ...]]:
    """Return the countries whose public holidays are known, by code, each with its regions."""
    # Not at the top: every command would read it, and only dates of interviews need it.
    import holidays  # noqa: PLC0415

    return {
        country: tuple(regions)
        for country, regions in holidays.list_supported_countries(include_aliases=False).items()
    }


def is_region(code: str) -> bool:
    """Whether the public holidays of a country, or of a region of one, are known."""
    country, dash, region = code.partition("-")
    known = countries()
    return country in known and (region in known[country] if dash else True)


@lru_cache(maxsize=128)
def _holidays(code: str, year: int, language: str) -> Mapping[date, str]:
    import holidays  # noqa: PLC0415

    country, _, region = code.partition("-")
    spoken = holidays.list_localized_countries().get(country, [])
    # Told which, or the library asks the machine for its language.
    own = getattr(holidays, country).default_language
    named = next((one for one in spoken if language and one.split("_")[0] == language), own)
    found = holidays.country_holidays(country, subdiv=region or None, years=year, language=named)
    return dict(found)
