"""What the page of an answer shows, as values: words are chosen in the reader's language there."""

from collections import Counter
from dataclasses import asdict
from itertools import islice

from swapflow.advice import wording
from swapflow.advice.advise import MarksAdvice
from swapflow.advice.answering import TOO_CLOSE, tenths
from swapflow.advice.answers import Ranked
from swapflow.advice.report import AROUND_THE_CUT, SHOWN_REQUESTS
from swapflow.advice.trial.question import TrialQuestion
from swapflow.advice.trial.seen_columns import MOST_COLUMNS
from swapflow.messages import plain


MOST_WARNINGS = 20


def page_content(advice: MarksAdvice, question: TrialQuestion) -> dict[str, object]:
    """Return everything that the page shows, as JSON has it; marks and losses are of 100."""
    standing = advice.standing
    around = standing.ranking[
        max(0, standing.places - AROUND_THE_CUT) : standing.places + AROUND_THE_CUT
    ]
    low, high = standing.loss_range
    return {
        "name": question.name,
        "asked": question.reviews,
        "scale": question.scale,
        "stated": dict(question.columns),
        "places": standing.places,
        "count": len(advice.requests),
        "kinds": dict(Counter(one.kind for one in advice.requests)),
        "named": any(one.reviewer for one in advice.requests),
        "requests": _requests(advice),
        "loss": {**asdict(advice.loss), "low": low, "high": high},
        "cut": standing.cut,
        "too_close": standing.too_close,
        "could_change": standing.could_change,
        "around": [_ranked(advice, one) for one in around],
        "figures": asdict(advice.figures),
        "columns": [
            {**asdict(column), "system": one.system}
            for one in advice.files
            for column in islice(one.columns, MOST_COLUMNS)
        ],
        "warnings": [plain(one) for one in advice.warnings[:MOST_WARNINGS]],
        "stop": "" if advice.stop is None else advice.stop.value,
    }


def _requests(advice: MarksAdvice) -> list[dict[str, object]]:
    ranked = {one.applicant: one for one in advice.standing.ranking}
    return [
        {
            **_ranked(advice, ranked[one.applicant]),
            "kind": one.kind,
            "reviewer": one.reviewer,
            "reason": plain(one.reason),
            "gain": one.gain,
        }
        for one in advice.requests[:SHOWN_REQUESTS]
    ]


def _ranked(advice: MarksAdvice, one: Ranked) -> dict[str, object]:
    return {
        "rank": one.rank,
        "applicant": one.applicant,
        "called": advice.names.get(one.applicant, ""),
        "estimate": wording.margin(one),
        "tenths": tenths(one.likely, close=one.zone == TOO_CLOSE),
        "zone": one.zone,
        "reviews": one.reviews,
    }
