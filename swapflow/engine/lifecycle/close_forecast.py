"""How many will be too close to call and how many drawn, forecast before there is a mark."""

import math

import scipy

from swapflow.domain.rules import FloorFor, Rules
from swapflow.messages import Message


NOISE = 1.5
"""Variance of one review around an applicant, in variances between applicants.

Between admissions files (1 to 2) and conferences (2 to 3); the share that is too close hangs on it
only a little, since a wider spread of estimates and a wider uncertainty cancel.
"""


def close_forecast(rules: Rules, ready: int, left: int) -> list[str]:
    """Forecast what the floor for those too close to call is likely to take.

    Args:
        rules: Supply floors, places and costs.
        ready: Applicants who are complete.
        left: Budget less the other floors and the reserve for staff.
    """
    if not rules.promises_close or not 0 < rules.cohort_size < ready:
        return []
    everyone, close = rules.floor_counts(FloorFor.ALL), rules.floor_counts(FloorFor.CLOSE)
    count = round(ready * share_too_close(rules.cohort_size / ready, everyone[0], rules.too_close))
    lack = [max(0, c - e) for c, e in zip(close, everyone, strict=True)]
    cost = count * sum(n * kind.cost for n, kind in zip(lack, rules.kinds, strict=True))
    promised = ", ".join(
        f"{n} × {kind.name}" for n, kind in zip(close, rules.kinds, strict=True) if n
    )
    code = "close_floor_forecast" if cost <= left else "close_floor_above_budget"
    return [Message(code, count=count, promised=promised, cost=cost, left=max(0, left))]


def draw_forecast(rules: Rules, ready: int, reviewers: int) -> list[str]:
    """Forecast who is drawn of those clearly out, and what may keep them from being read.

    Args:
        rules: Supply the draw, places and costs.
        ready: Applicants who are complete.
        reviewers: Reviewers on the roster.
    """
    check, left = rules.drawn_check, ready - rules.fewest_places
    if check is None or left <= 0:
        return []
    everyone = rules.floor_counts(FloorFor.ALL)[0]
    share = share_too_close(rules.cohort_size / ready, everyone, rules.too_close)
    # Those who are too close lie on both sides of the cut.
    out = max(1, round(left - share * ready / 2))
    count = check.count(out)
    said = Message("draw_forecast", count=count, out=out, cost=count * rules.kinds[0].cost)
    found: list[str] = [said]
    if count > out / 2:
        found.append(Message("draw_of_most", count=count, out=out))
    seats = rules.kinds[0].seats
    if reviewers < (everyone + 1) * seats:
        found.append(Message("draw_without_new_reviewer", reviewers=reviewers))
    return found


def share_too_close(places: float, reviews: int, least: float) -> float:
    """Return the share of applicants who are too close once everybody has these reviews.

    Utilities and marks are normal here.

    Args:
        places: Places for each applicant, above 0 and below 1.
        reviews: Reviews of each; without any, one is assumed.
        least: Smallest probability that counts as too close, above 0 and at most .5.
    """
    variance = 1 / (1 + max(reviews, 1) / NOISE)
    cut = float(scipy.special.ndtri(1 - places))
    reach = float(scipy.special.ndtri(1 - least)) * math.sqrt(variance)
    spread = math.sqrt(1 - variance)
    # Posterior means are less spread than utilities, so their cut lies nearer to the middle.
    middle = cut * spread
    return float(
        scipy.special.ndtr((middle + reach) / spread)
        - scipy.special.ndtr((middle - reach) / spread)
    )
