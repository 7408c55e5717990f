"""Advice in sentences."""

from collections import Counter
from collections.abc import Sequence

from swapflow.advice.advise import MarksAdvice
from swapflow.advice.answering import TOO_CLOSE, tenths
from swapflow.advice.answers import Ranked, Request
from swapflow.bandit.situation import StopReason


STOPS = {
    StopReason.SETTLED: "further reviews are unlikely to change the list",
    StopReason.CERTIFIED: "the list is certain enough by the rule's own test",
    StopReason.BUDGET: "what is left pays for no further request",
    StopReason.EXHAUSTED: (
        "nobody near the cut can get another review; further reviewers would change that"
    ),
}
"""Why the rule would stop asking."""

_LEAST_GAIN = 0.001
"""Points of 100 a place; a request that brings less is said to bring less than this."""


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: "1 review", "40 reviews"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def what(requests: Sequence[Request]) -> str:
    """Name requests by kind: "38 reviews and 2 interviews"."""
    kinds = Counter(one.kind for one in requests)
    return " and ".join(counted(count, kind) for kind, count in kinds.items()) or "no review"


def title(advice: MarksAdvice) -> str:
    """Word what to do, in the fewest words."""
    if not advice.requests:
        return "Ask for no further review"
    single = len({one.kind for one in advice.requests}) == 1
    asked = what(advice.requests)
    return f"Ask for {'this' if len(advice.requests) == 1 else 'these'} {asked}" + (
        " next" if single else ""
    )


def gain(points: float) -> str:
    """Word what a request brings, in points of 100 a place; a little is not told as nothing."""
    return f"{points:.3f}" if points >= _LEAST_GAIN else f"under {_LEAST_GAIN}"


def worth(advice: MarksAdvice) -> str:
    """Word what the requests bring, and what as many again would."""
    loss = advice.loss
    if not advice.requests and not advice.waiting:
        return (
            f"The list is expected to lack {points(loss.now)} a place against the best possible."
        )
    asked = what(advice.requests)
    more = "more " if advice.requests else ""
    first = asked.split(" ", 1)
    subject = f"{first[0]} {more}{first[1]}"
    if advice.waiting:
        out = counted(advice.waiting, "request")
        subject = f"The {out} out" + (f" and {subject}" if advice.requests else "")
    sentence = f"{subject} would raise the list by about {points(loss.now - loss.after)} a place"
    if advice.requests:
        sentence += (
            f"; the next {len(advice.requests):,} by {points(loss.after - loss.after_twice)}"
        )
    return f"{sentence}."


def points(value: float) -> str:
    """Show points of 100 so that a small difference is not 0."""
    value = max(value, 0.0)
    shown = f"{value:.1f}" if value >= 0.1 else f"{value:.2f}"  # noqa: PLR2004 - digits
    return "less than 0.01 points" if 0 < value < 0.005 else f"{shown} points"  # noqa: PLR2004


def stopped(advice: MarksAdvice) -> str:
    """Word why there are fewer requests than asked for; "" where the rule would go on."""
    if advice.stop is not None:
        return f"The rule would stop: {STOPS[advice.stop]}."
    if advice.wanted is None or len(advice.requests) >= advice.wanted:
        return ""
    made = counted(len(advice.requests), "request")
    return (
        f"There {'is' if len(advice.requests) == 1 else 'are'} {made}, not {advice.wanted:,}: the "
        "reviewers in the file have read the other applicants near the cut, or are asked already. "
        "Further reviewers would change that."
    )


def read(advice: MarksAdvice) -> str:
    """Word what was read."""
    figures = advice.figures
    reviewers = (
        f" by {counted(figures.reviewers, 'reviewer')}"
        if figures.reviewers
        else ", without reviewers' names"
    )
    return (
        f"{counted(figures.applicants, 'applicant')} for "
        f"{counted(advice.standing.places, 'place')}; {counted(figures.marks, 'mark')}, "
        f"{figures.marks / max(figures.applicants, 1):.1f} each{reviewers}; average "
        f"{figures.average:.0f} of 100."
    )


def looks(advice: MarksAdvice) -> str:
    """Word how the marks look."""
    figures = advice.figures
    if not figures.reviewers:
        severity = "how high each reviewer marks cannot be told without names"
    elif figures.apart < 0.5:  # noqa: PLR2004 - what would be shown as 0
        severity = "reviewers mark alike"
    else:
        severity = f"reviewers mark up to {figures.apart:.0f} points apart"
    return (
        f"Applicants spread by {figures.spread:.0f} points, {severity}, and one mark is off by "
        f"{figures.noise:.0f}; two marks of one applicant agree to {figures.agreement:.2f} "
        "(1 is always)."
    )


def zones(advice: MarksAdvice) -> str:
    """Word where the cut is and how many are too close to call."""
    standing = advice.standing
    return (
        f"The cut is at {standing.cut:.1f}; {standing.too_close:,} are too close to call. About "
        f"{standing.could_change:.1f} of the {standing.places:,} places could still change."
    )


def margin(one: Ranked) -> str:
    """Show an estimate with its margin."""
    return f"{one.estimate:.0f} ± {max(one.high - one.estimate, one.estimate - one.low):.0f}"


def chance(one: Ranked) -> str:
    """Show a likelihood in tenths."""
    return f"{tenths(one.likely, close=one.zone == TOO_CLOSE)} in 10"


def hours(minutes: int) -> str:
    """Show minutes as people say them: 3 h 20 min."""
    whole, rest = divmod(minutes, 60)
    return (
        " ".join(
            part for part in (f"{whole} h" if whole else "", f"{rest} min" if rest else "") if part
        )
        or "0 min"
    )
