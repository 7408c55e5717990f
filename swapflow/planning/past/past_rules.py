"""A rules file to start the next round from, with what the past round says filled in."""

import re

from swapflow.files.rules.rules_file import parse_rules, template
from swapflow.planning.past.past_estimates import PastEstimates
from swapflow.planning.past.past_fit import KindEstimate


USUAL_MINUTES = {"review": 20, "interview": 120}
USUAL_SHARE = 10
"""One place for this many applicants, where nothing says how many there were."""


def rules_text(found: PastEstimates, *, places: int | None = None) -> str:
    """Write rules for a round like the past one, with a note at everything that was estimated.

    Args:
        found: What the past round says.
        places: How many are to be chosen; by default as many as last time, else one in ten.

    Raises:
        InvalidRulesError: If they make no rules that can work.
    """
    review = found.kinds[0]
    interview = found.kinds[1] if len(found.kinds) > 1 else None
    size = places or found.accepted or max(1, found.items // USUAL_SHARE)
    cost = _minutes(review, USUAL_MINUTES["review"])
    strong = _strong_cost(interview, cost)
    floor = 1
    spent = sum(kind.marks * (cost if kind is review else strong) for kind in found.kinds)
    least = found.items * floor * cost + size * strong
    # 0.94: the template holds back a reserve of 0.05, beside which floors must still be paid.
    budget = round(max(spent, least / 0.94))
    text = template(
        "admissions",
        places=size,
        budget=budget,
        reviews=floor,
        review_cost=cost,
        interview_cost=strong,
    )
    text = _sigma(text, review)
    text = _gain(text, interview)
    text = f"{_head(found, places=places)}\n{text}"
    # Read back: rules that cannot work are refused now, not at the launch.
    parse_rules(text, source="the rules from the past round")
    return text


def _minutes(kind: KindEstimate | None, usual: int) -> int:
    if kind is None or kind.minutes is None:
        return usual
    return max(1, round(kind.minutes.value))


def _strong_cost(interview: KindEstimate | None, review: int) -> int:
    if interview is None or interview.minutes is None:
        return max(review, USUAL_MINUTES["interview"])
    return _minutes(interview, USUAL_MINUTES["interview"])


def _sigma(text: str, review: KindEstimate) -> str:
    if review.noise is None or not review.noise.value > 0:
        return text
    note = (
        "# From last year's reviews (95 % interval "
        f"{review.noise.low:.3f} to {review.noise.high:.3f}). "
    )
    if review.severity is not None and review.within is not None:
        note += (
            'Reviewers\' severity is not in\n# it; for the rule "certified" write '
            f"{review.within.value:.3f}, which has it in it."
        )
    return text.replace("# sigma = 0.16\n", f"{note}\nsigma = {review.noise.value:.4f}\n")


def _gain(text: str, interview: KindEstimate | None) -> str:
    if interview is None or interview.gain is None:
        return text
    gain = interview.gain
    worth = min(max(round(gain.value, 1), 0.1), 100.0)
    note = f"# last year's interviews: 95 % interval {gain.low:.1f} to {gain.high:.1f}"
    return re.sub(r"(?m)^gain = 6$", f"{note}\ngain = {worth:g}", text, count=1)


def _head(found: PastEstimates, *, places: int | None) -> str:
    review = found.kinds[0]
    if places:
        size = "as stated"
    elif found.accepted:
        size = f"the {found.accepted} of last time"
    else:
        size = "not on record, so one for ten applicants stands here. Change it"
    origin = (
        f"# Written from a past round: {found.items} applicants, {review.marks} {review.name}s, "
        f"{found.per_item:.1f} each."
    )
    lines = [
        origin,
        f"# Places: {size}.",
        "# Budget: the working time that the past round took; change it to what there is.",
    ]
    lines += [f"# Not known: {unknown.name} ({unknown.reason})." for unknown in found.unknown]
    return "\n".join(lines) + "\n"
