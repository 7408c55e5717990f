"""Days on which an office holds no interviews."""

from datetime import date

import pytest

from swapflow.domain.free_days import FreeDays, FreeSpan, countries, is_region, span


def test_a_public_holiday_is_one_in_its_region_alone() -> None:
    epiphany = date(2027, 1, 6)

    assert FreeDays(region="DE-BW").holiday(epiphany, "de") == "Heilige Drei Könige"
    assert not FreeDays(region="DE-BE").holiday(epiphany)
    assert not FreeDays(region="DE").holiday(epiphany)
    assert not FreeDays().holiday(epiphany)


def test_a_holiday_is_named_in_the_readers_language_or_in_its_countrys_own() -> None:
    new_year = date(2027, 1, 1)
    german = FreeDays(region="DE")

    assert german.holiday(new_year, "en") == "New Year's Day"
    assert german.holiday(new_year, "de") == german.holiday(new_year, "xx") == "Neujahr"


@pytest.mark.parametrize("country", sorted(countries()))
def test_every_country_that_is_offered_has_holidays_without_an_error(country: str) -> None:
    found = [FreeDays(region=country).holiday(date(2027, 1, day)) for day in range(1, 32)]

    assert is_region(country)
    assert all(isinstance(name, str) for name in found)


@pytest.mark.parametrize("code", ["", "D", "DE-", "DE-XX", "de", "Germany", "-BW"])
def test_what_is_no_country_or_region_is_none(code: str) -> None:
    assert not is_region(code)


@pytest.mark.parametrize(
    "text",
    [
        "2026-12-24 to 2027-01-01",
        "2026-12-24/2027-01-01",
        " 2026-12-24 – 2027-01-01 ",
        "2026-12-24 bis 2027-01-01",
    ],
)
def test_a_span_is_read_as_people_write_it(text: str) -> None:
    assert span(text) == (date(2026, 12, 24), date(2027, 1, 1))


@pytest.mark.parametrize("text", ["", "Christmas", "2026-02-30", "2027-01-01 to 2026-12-24"])
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the value is the message
        span(text)


def test_what_was_passed_over_names_holidays_and_closed_spans_once_and_no_weekend() -> None:
    free = FreeDays(region="DE", closed=("2026-12-24 to 2026-12-31",))

    passed = free.between(date(2026, 12, 28), date(2027, 1, 10), "en")

    assert passed == [
        FreeSpan(first=date(2026, 12, 28), last=date(2026, 12, 31)),
        FreeSpan(first=date(2027, 1, 1), last=date(2027, 1, 1), name="New Year's Day"),
    ]
