"""Dates as offices write them; one that can be read two ways is asked about, never guessed."""

import re
from collections.abc import Collection
from dataclasses import replace
from datetime import date, datetime

from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.tables.cells import is_missing, shorten
from swapflow.files.tables.table import Table, TableRow
from swapflow.files.tables.workbook import serial_date


ORDERS = ("dmy", "mdy")

_COMPACT = re.compile(r"(?:19|20)\d{6}")
_SERIAL = re.compile(r"\d{5}(\.\d+)?")
_TIME = r"(?:[ T,]+(?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?)?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_DAY_FIRST = r"(?:[A-Za-z]{3,9}, +)?(?P<day>\d{1,2})[ \-.]+(?P<month>[A-Za-z]{3,9})[ \-.,]+"
_MONTH_FIRST = r"(?P<month>[A-Za-z]{3,9})[ \-.]+(?P<day>\d{1,2})(?:st|nd|rd|th)?[ \-,]+"
_PARTS = re.compile(rf"(?P<first>\d{{1,2}})[/.\-](?P<second>\d{{1,2}})[/.\-]{_YEAR}{_TIME}")
_YEAR_FIRST = re.compile(
    rf"(?P<year>\d{{4}})[/.\-](?P<second>\d{{1,2}})[/.\-](?P<first>\d{{1,2}}){_TIME}"
)
_NAMED = (re.compile(f"{_DAY_FIRST}{_YEAR}{_TIME}"), re.compile(f"{_MONTH_FIRST}{_YEAR}{_TIME}"))
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PIVOT = 69
"""A two-digit year below it is in this century, as POSIX has it."""
_TWO_DIGITS = 100
_HALF_DAY = 12


class _AmbiguousDateError(InvalidInputError):
    """A date can be read with day first or month first, and nobody said which."""


def read_date(text: str, *, order: str = "") -> date | datetime:
    """Read a date, or a date with a time; an offset is kept as written.

    Read are ISO 8601, 20250217, 2025/2/17, 13/02/2025 and 13.2.25 (day or month first, where only
    one is possible or `order` says which), 14-Feb-25, Feb 14, 2025, each with a time, AM or PM
    too, and a spreadsheet's serial numbers such as 45705.

    Args:
        text: The cell's content.
        order: "dmy" or "mdy" for dates that can be read both ways.

    Raises:
        InvalidInputError: If it is no date of the calendar, or can be read two ways and no
            order is given.
    """
    _check_order(order)
    plain = text.strip()
    try:
        return _read(plain, order)
    except ValueError as error:
        raise InvalidInputError("not_a_date", text=plain) from error


def read_date_column(
    table: Table, headers: Collection[str], *, order: str = ""
) -> tuple[Table, list[BadRow]]:
    """Write the dates of some columns as year-month-day; return the table and the bad cells.

    Raises:
        InvalidInputError: If the table has no such column, or there is no such order.
    """
    _check_order(order)
    for header in headers:
        if header not in table.headers:
            raise InvalidInputError(
                "date_column_missing", source=table.source, header=header, columns=table.headers
            )
    bad: list[BadRow] = []
    rows = tuple(
        TableRow(row.line, {**row.cells, **_dates(row, headers, order, bad)}) for row in table.rows
    )
    return replace(table, rows=rows), bad


def _check_order(order: str) -> None:
    if order and order not in ORDERS:
        raise InvalidInputError("date_order_unknown", order=order)


def _dates(
    row: TableRow, headers: Collection[str], order: str, bad: list[BadRow]
) -> dict[str, str]:
    read: dict[str, str] = {}
    for header in headers:
        if is_missing(row[header]):
            continue
        try:
            read[header] = read_date(row[header], order=order).isoformat()
        except _AmbiguousDateError:
            bad.append(
                BadRow(
                    line=row.line,
                    column=header,
                    value=shorten(row[header]),
                    reason="this date can be read with the day first or the month first",
                    cure="Say which (dmy or mdy), or write it year-month-day",
                )
            )
        except InvalidInputError:
            bad.append(
                BadRow(
                    line=row.line,
                    column=header,
                    value=shorten(row[header]),
                    reason="this is no date of the calendar",
                    cure="Write it year-month-day, e.g. 2026-01-31",
                )
            )
    return read


def _read(text: str, order: str) -> date | datetime:
    if _COMPACT.fullmatch(text):
        return datetime.strptime(text, "%Y%m%d").date()  # noqa: DTZ007 - a day has no zone
    if _SERIAL.fullmatch(text):
        moment = serial_date(float(text))
        return moment.date() if float(text).is_integer() else moment
    if match := _PARTS.fullmatch(text):
        year = _full_year(int(match["year"]))
        return _at(_day(year, int(match["first"]), int(match["second"]), order), match)
    if match := _YEAR_FIRST.fullmatch(text):
        return _at(date(int(match["year"]), int(match["second"]), int(match["first"])), match)
    for form in _NAMED:
        if match := form.fullmatch(text):
            month = _MONTHS.index(match["month"][:3].lower()) + 1
            return _at(date(_full_year(int(match["year"])), month, int(match["day"])), match)
    is_day = len(text) <= len("2025-02-17")
    return date.fromisoformat(text) if is_day else datetime.fromisoformat(text)


def _at(day: date, match: re.Match[str]) -> date | datetime:
    """Add the time that follows a day."""
    if match["time"] is None:
        return day
    hour, _, rest = match["time"].partition(":")
    moment = datetime.fromisoformat(f"{day} {hour:0>2}:{rest}")
    if match["half"] is None:
        return moment
    if not 1 <= moment.hour <= _HALF_DAY:
        raise ValueError("no hour of half a day")
    after = _HALF_DAY if match["half"] in "Pp" else 0
    return moment.replace(hour=moment.hour % _HALF_DAY + after)


def _day(year: int, first: int, second: int, order: str) -> date:
    """Read day and month in the only order possible, else in the order given."""
    if first > 12 or first == second:  # noqa: PLR2004 - months
        return date(year, second, first)
    if second > 12:  # noqa: PLR2004 - months
        return date(year, first, second)
    if not order:
        raise _AmbiguousDateError("date_ambiguous", first=first, second=second, year=year)
    return date(year, second, first) if order == "dmy" else date(year, first, second)


def _full_year(year: int) -> int:
    if year >= _TWO_DIGITS:
        return year
    return year + (2000 if year < _PIVOT else 1900)
