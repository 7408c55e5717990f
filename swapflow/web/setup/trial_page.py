"""What the page of an answer shows, made ready for its template."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from swapflow.i18n.formatting import counted, decimal, number
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.i18n.translation import translate
from swapflow.messages import restored


HIGHEST, FLOOR = 100.0, 150.0
"""Height of the highest bar, and where bars begin, in units of the picture."""

LEFT, STEP = 20, 118
"""Where the first bar begins, and how far bars are apart."""

ROLES = {
    "applicant": gettext_noop("applicant"),
    "reviewer": gettext_noop("reviewer"),
    "kind": gettext_noop("kind of review"),
    "name": gettext_noop("name"),
    "version": gettext_noop("version"),
    "conflicts": gettext_noop("conflicts of interest"),
    "mark": gettext_noop("mark"),
}
"""What columns are taken for."""

ZONES = {
    "in": gettext_noop("in"),
    "too close to call": gettext_noop("too close to call"),
    "out": gettext_noop("out"),
}

STOPS = {
    "settled": gettext_noop(
        "The rule would stop: further reviews are unlikely to change the list."
    ),
    "certified": gettext_noop("The rule would stop: the list is certain enough by its own test."),
    "budget": gettext_noop("The rule would stop: what is left pays for no further review."),
    "exhausted": gettext_noop(
        "The rule would stop: no applicant near the cut can get another review."
    ),
}

_MARK = re.compile(
    r"mark(?:, (?P<low>\S+) to (?P<high>[^\s,]+))?(?:, counts (?P<weight>[^\s,]+))?"
    r"(?:, by (?P<who>.+?))?(?: \((?P<kind>.+)\))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LossBar:
    """One bar of the picture: where it is, how high, and what is written at it."""

    x: int
    y: float
    height: float
    middle: int
    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnView:
    """One column of the file; `taken` is "" where it is not used."""

    header: str
    first: str
    taken: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialView:
    """An answer as the template shows it.

    Attributes:
        content: What `page_content` made; figures that need no word.
        several: Whether requests are of several kinds.
        now: Points by which the list falls short; likewise `low` and `high` of its range.
        stay: How many places would stay.
        worth: What the requests bring, in a sentence.
    """

    content: Mapping[str, Any]
    title: str
    several: bool
    now: str
    low: str
    high: str
    stay: str
    bars: tuple[LossBar, ...]
    described: str
    worth: str
    stopped: str
    columns: tuple[ColumnView, ...]
    used: int
    warnings: tuple[str, ...]
    zones: Mapping[str, str]


def trial_view(content: Mapping[str, Any]) -> TrialView:
    """Word an answer in the reader's language."""
    loss = content["loss"]
    columns = tuple(
        ColumnView(header=one["header"], first=one["first"], taken=_taken(one["taken"]))
        for one in content["columns"]
    )
    bars = _bars(content)
    return TrialView(
        content=content,
        title=_title(content),
        several=len(content["kinds"]) > 1,
        now=_points(loss["now"]),
        low=decimal(loss["low"]),
        high=decimal(loss["high"]),
        stay=decimal(content["places"] - content["could_change"]),
        bars=bars,
        described="; ".join(f"{bar.text} {bar.label}" for bar in bars),
        worth=_worth(content),
        stopped=gettext(STOPS[content["stop"]]) if content["stop"] in STOPS else "",
        columns=columns,
        used=sum(bool(one.taken) for one in columns),
        warnings=tuple(translate(restored(one)) for one in content["warnings"]),
        zones={zone: gettext(name) for zone, name in ZONES.items()},
    )


def _title(content: Mapping[str, Any]) -> str:
    count = content["count"]
    if not count:
        return gettext("No further review is worth asking for")
    if list(content["kinds"]) == ["review"]:
        return counted(count, "Ask for this review next", "Ask for these %(count)s reviews next")
    return counted(count, "Ask for this review next", "Ask for these %(count)s reviews next")


def _worth(content: Mapping[str, Any]) -> str:
    if not content["count"]:
        return ""
    loss = content["loss"]
    first, second = loss["now"] - loss["after"], loss["after"] - loss["after_twice"]
    return counted(
        content["count"],
        "This one would raise the list by %(first)s points a place, the next one by %(second)s.",
        "These %(count)s would raise the list by %(first)s points a place, the next %(count)s by "
        "%(second)s.",
        first=_points(first),
        second=_points(second),
    )


def _bars(content: Mapping[str, Any]) -> tuple[LossBar, ...]:
    loss, count = content["loss"], content["count"]
    steps = [(gettext("now"), loss["now"])]
    if count:
        steps += [
            (gettext("after these %(count)s") % {"count": number(count)}, loss["after"]),
            (gettext("after %(count)s more") % {"count": number(count)}, loss["after_twice"]),
        ]
    most = max(1e-9, *(value for _, value in steps))
    heights = [HIGHEST * max(value, 0.0) / most for _, value in steps]
    return tuple(
        LossBar(
            x=LEFT + STEP * place,
            y=round(FLOOR - height, 1),
            height=round(height, 1),
            middle=LEFT + STEP * place + 46,
            label=label,
            text=_points(value),
        )
        for place, ((label, value), height) in enumerate(zip(steps, heights, strict=True))
    )


def _points(value: float) -> str:
    """Format points so that a small difference is not 0."""
    value = max(value, 0.0)
    if value >= 0.095 or value < 0.005:  # noqa: PLR2004 - one digit says enough, or none does
        return decimal(value)
    # The separator as the language has it, from a number with one decimal.
    return f"0{decimal(0.5)[1]}{round(100 * value):02d}"


def _taken(taken: str) -> str:
    """Word what a column was taken for."""
    if taken in ROLES:
        return gettext(ROLES[taken])
    found = _MARK.fullmatch(taken)
    if found is None:
        return taken
    parts = [gettext("mark")]
    if found["low"]:
        ends = {"low": found["low"], "high": found["high"]}
        parts = [gettext("mark, %(low)s to %(high)s") % ends]
    if found["weight"]:
        parts.append(gettext("counts %(weight)s") % {"weight": found["weight"]})
    if found["who"]:
        parts.append(gettext("by %(who)s") % {"who": found["who"]})
    return ", ".join(parts) + (f" ({found['kind']})" if found["kind"] else "")
