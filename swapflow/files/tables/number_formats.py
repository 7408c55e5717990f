"""Numbers, dates and times of a spreadsheet, written as its number formats show them.

A stored number is not what people see: 0.85 in a cell of the format `0%` is 85 %. Digits that a
format only rounds away are kept, for they are what was measured. By hand: the libraries that write
every format of a spreadsheet round too, and none is kept up.
"""

import math
import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from functools import lru_cache

from swapflow.untrusted.limits import LONGEST_NUMBER_FORMAT


DIGITS = 15
"""A spreadsheet's numbers keep 15 digits; longer ones have lost their last."""

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].|\[\$(?P<money>[^\]-]*)[^\]]*\]|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<code>.)",
    re.DOTALL,
)
_SHOWN_DIGITS = re.compile(r'"([^"]*)"|\\(.)|([-/ 0])')
_FRACTION = re.compile(r"[?#0]\s*/\s*(?P<below>[?#0]+|\d+)")
_IN_THOUSANDS = re.compile(r"[0#?](?P<commas>,+)[^0#?]*$")
_MOST_BELOW = 10_000
_LONGEST_WHOLE = 1e21


@dataclass(frozen=True, slots=True)
class _Format:
    """What one section of a number format does to a number, beyond rounding it.

    Attributes:
        codes: Its codes, without text in quotes and brackets.
        percents: How many percent signs it has; each multiplies by 100.
        thousands: How many times it divides by 1,000.
        below: Largest denominator of its fractions, negative for the only one; 0 for none.
        before: Currency shown before the digits.
        after: Currency shown after them.
    """

    codes: str
    percents: int
    thousands: int
    below: int
    before: str
    after: str


@lru_cache(maxsize=1024)
def _format_of(number_format: str) -> _Format:
    codes, before, after = "", "", ""
    for token in _TOKEN.finditer(number_format):
        code = token["code"] or ""
        if code == ";":  # only numbers above zero: the sections for others repeat it
            break
        text = token["quoted"] or token["escaped"] or token["money"] or code
        if (text and any(unicodedata.category(c) == "Sc" for c in text)) or token["money"]:
            if any(c in codes for c in "0#?"):
                after += text.strip()
            else:
                before += text.strip()
        elif code:
            codes += code
    fraction, thousands = _FRACTION.search(codes), _IN_THOUSANDS.search(codes)
    below = 0
    if fraction is not None:
        fixed = fraction["below"].isdigit() and fraction["below"].strip("0")
        below = -int(fraction["below"]) if fixed else 10 ** len(fraction["below"]) - 1
    return _Format(
        codes=codes,
        percents=codes.count("%"),
        thousands=len(thousands["commas"]) if thousands else 0,
        below=max(-_MOST_BELOW, min(below, _MOST_BELOW)),
        before=before,
        after=after,
    )


def shown_number(value: float, number_format: str) -> str:
    """Write a number as its format shows it: percentages, currencies, fractions, leading zeros."""
    if not math.isfinite(value):
        return str(value)
    if number_format in {"", "General", "@"} or len(number_format) > LONGEST_NUMBER_FORMAT:
        return _plain(value)
    form = _format_of(number_format)
    if form.below and not float(value).is_integer():
        return _fraction(value, form.below)
    text = _plain(value * 100**form.percents / 1000**form.thousands)
    if form.percents or form.before or form.after:
        return f"{form.before}{text}{form.after}{'%' * form.percents}"
    return _spelled(text, number_format) if text.isdigit() else text


def shown_moment(value: datetime | date | time | timedelta, number_format: str) -> str:
    """Write a date or a time: year-month-day, less what the format leaves out on purpose."""
    if isinstance(value, timedelta):
        return _duration(value)
    codes = _format_of(number_format[:LONGEST_NUMBER_FORMAT]).codes.casefold()
    if isinstance(value, datetime) and "h" in codes and not set("yd") & set(codes):
        return value.time().isoformat(timespec="seconds")
    if isinstance(value, date) and "y" in codes and not set("dh") & set(codes):
        return f"{value:%Y-%m}" if "m" in codes else f"{value:%Y}"
    if isinstance(value, datetime):
        if value.time() == time(0):
            return value.date().isoformat()
        return value.isoformat(sep=" ", timespec="seconds")
    return value.isoformat()


def _plain(value: float) -> str:
    if not float(value).is_integer():
        text = f"{value:.{DIGITS}g}"  # as a spreadsheet shows it, not 0.30000000000000004
        return repr(value) if "e" in text else text
    return str(int(value)) if abs(value) < _LONGEST_WHOLE else repr(value)


def _fraction(value: float, below: int) -> str:
    sign, size = "-" if value < 0 else "", abs(value)
    whole = int(size)
    rest = Fraction(size - whole)
    if below < 0:
        above, under = round(rest * -below), -below
    else:
        near = rest.limit_denominator(below)
        above, under = near.numerator, near.denominator
    if above in {0, under}:
        return f"{sign}{whole + above // under}"
    return f"{sign}{whole} {above}/{under}" if whole else f"{sign}{above}/{under}"


def _duration(value: timedelta) -> str:
    minutes, seconds = divmod(round(value.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}"


def _spelled(digits: str, number_format: str) -> str:
    """Write digits in a format of zeros, dashes and quoted text; any other is passed over."""
    parts = list(_SHOWN_DIGITS.finditer(number_format))
    if "".join(part[0] for part in parts) != number_format:
        return digits
    zeros = sum(part[3] == "0" for part in parts)
    if not zeros or (zeros == 1 and len(parts) == 1):
        return digits
    left = list(digits.zfill(zeros))
    surplus = "".join(left[: len(left) - zeros])
    rest = iter(left[len(left) - zeros :])
    spelled, begun = "", False
    for part in parts:
        if part[3] == "0":
            spelled += ("" if begun else surplus) + next(rest)
            begun = True
        else:
            spelled += part[1] or part[2] or part[3] or ""
    return spelled
