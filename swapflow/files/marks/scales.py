"""The scale of a column of marks: what its header says, and what its marks leave no doubt of."""

import re
from collections.abc import Iterable, Sequence

from swapflow.domain.reviewing.mark_scale import MarkScale


_ENDS = re.compile(
    r"(?:[(\[,:]|\b(?:scale|skala|from|von|de)\b)\s*([-+]?\d+(?:[.,]\d+)?)\s*(?:\.\.|[-–—]|to|bis|à|/)\s*(\d+(?:[.,]\d+)?)\s*[)\],;]?",
    re.IGNORECASE,
)
_BEST = (
    "best|highest|high|excellent|outstanding|exceptional|superb|top|strong|very good|sehr gut"
    "|beste|bester|bestes|bestnote|höchste|hoch|hervorragend|exzellent|ausgezeichnet|strongest"
    "|strongly agree|strong accept|accept|admit|yes|excellente?|meilleure?|mejor|très bien"
)
_WORST = (
    "worst|lowest|low|poor|very poor|weak|weakest|unacceptable|unsatisfactory|bad|insufficient"
    "|fail|failed|ungenügend|mangelhaft|nicht bestanden|schlecht|schlechteste|schlechtester"
    "|niedrig|niedrigste|nicht geeignet|ungeeignet|strongly disagree|strong reject"
    "|reject|deny|none|no|insuffisant|mauvais|pire|peor|malo"
)
_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
_LINK = r"\s*(?:=|:|[-–—]|is|ist|\()?\s*(?:the\s+|die\s+|das\s+|der\s+)?"
_SAID = {
    end: re.compile(rf"(?<![\d.,])({_NUMBER}){_LINK}(?:{words})\b", re.IGNORECASE)
    for end, words in (("best", _BEST), ("worst", _WORST))
}
_SAID_BEFORE = {
    end: re.compile(rf"\b(?:{words})\s*(?:=|:|is|ist)\s*({_NUMBER})", re.IGNORECASE)
    for end, words in (("best", _BEST), ("worst", _WORST))
}

_GERMAN = re.compile(
    r"\b(?:\w*noten?|zensur\w*|\w*gutacht\w*|bewerb\w*|kandidatin|prüf\w*|bewert\w*"
    r"|durchschnitt|mittelwert|nachname|vorname)\b",
    re.IGNORECASE,
)
_OF_MARKS = re.compile(
    r"scale|skala|points?|punkt|marks?\b|scores?|ratings?|noten?\b|gutacht|bewert|échelle|escala",
    re.IGNORECASE,
)
_POINTS = re.compile(r"punkt|pkt|points", re.IGNORECASE)
"""Words of headers in German, where a mark from 1 to 5 or 6 is a grade unless it is in points."""

_GRADE_ENDS = {(1.0, 4.0), (1.0, 5.0), (1.0, 6.0)}
_GRADE_STEPS = frozenset({0, 3, 7})
_LONGEST = 400
"""Characters of a text that are looked at."""


def scale_in(header: str) -> MarkScale | None:
    """Return the scale that a text states: "Total (0–100)", "1 = poor, 5 = excellent".

    None where it states none, or only one end.
    """
    ends = _stated_ends(header)
    best, worst = _end(header, "best"), _end(header, "worst")
    if best is not None and worst is not None and best != worst:
        return MarkScale(worst=worst, best=best)
    if ends is None:
        return None
    low, high = ends
    if best == low or worst == high:
        low, high = high, low
    return MarkScale(worst=low, best=high)


def noted_scale(text: str) -> MarkScale | None:
    """Return the scale that a line beside the table states: "1 = very good, 5 = failed".

    Two numbers alone are a scale only in a line that speaks of marks, unlike "Fall (2026-27)".
    """
    best, worst = _end(text, "best"), _end(text, "worst")
    if best is not None and worst is not None and best != worst:
        return MarkScale(worst=worst, best=best)
    return scale_in(text) if _OF_MARKS.search(text) else None


def scale_of(
    marks: Sequence[float], *, header: str, headers: Sequence[str] = (), notes: Iterable[str] = ()
) -> MarkScale | None:
    """Read a scale from marks that reach both ends of a usual one; None where there is doubt.

    Grades of which 1 is the best look like marks of which 5 is: those that may be grades are in
    doubt unless the header or a note beside the table says which end is the best.

    Args:
        marks: The numbers.
        header: Of their column.
        headers: All of the table.
        notes: What stands above and under the table.
    """
    read = MarkScale.of_marks(marks)
    if read is None:
        return None
    for text in (header, *notes):
        best, worst = _end(text, "best"), _end(text, "worst")
        if best is None and worst is None:
            continue
        if best in {None, read.best} and worst in {None, read.worst}:
            return read
        if best in {None, read.worst} and worst in {None, read.best}:
            return MarkScale(worst=read.best, best=read.worst, stated=False)
        return None
    return None if _may_be_grades(marks, header, headers) else read


def _may_be_grades(marks: Sequence[float], header: str, headers: Sequence[str]) -> bool:
    if (min(marks), max(marks)) not in _GRADE_ENDS or _POINTS.search(header):
        return False
    tenths = {round(10 * mark) % 10 for mark in marks}
    steps = tenths <= _GRADE_STEPS and tenths != {0}
    return steps or any(_GERMAN.search(one.replace("_", " ")) for one in (header, *headers))


def _stated_ends(header: str) -> tuple[float, float] | None:
    match = _ENDS.search(header)
    if match is None:
        return None
    low, high = (_value(part) for part in match.groups())
    return None if low == high else (low, high)


def _end(text: str, end: str) -> float | None:
    found = {
        _value(match[1])
        for expression in (_SAID[end], _SAID_BEFORE[end])
        for match in expression.finditer(text[:_LONGEST])
    }
    return found.pop() if len(found) == 1 else None


def _value(text: str) -> float:
    return float(text.replace(",", "."))
