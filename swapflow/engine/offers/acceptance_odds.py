"""How many offers may be open: the chance that more accept than there are places.

All applicants are assumed to accept with the same unknown rate, independently of each other: no
prediction about a person. The rate is Beta(a, b), so of m open offers a beta-binomial number is
accepted, and answers that have come in sharpen the rate.

Waves add up. While no offer is made, the chance of exceeding the places is a martingale; each
wave raises it by a known amount. So if the raises of all waves together stay within the stated
risk, whatever happened between them, the places are exceeded with at most that probability,
given that the rate is drawn as stated.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from swapflow.errors import InvalidInputError
from swapflow.messages import Message


MOST_AT_ONCE = 10_000
SPENT_AT_ONCE = 0.5
"""Share of the unspent risk that one wave may spend, so that later waves have some too."""

TAIL = 0.025
"""Probability left out on either side of an interval."""

SUREST = 1e6
"""Largest sum of a rate's parameters: a narrower interval adds nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """The state of a round of offers.

    Attributes:
        places: Places in all.
        accepted: Offers accepted; waiting: offers without an answer; refused: declined, or
            without an answer by their date.
        a: First parameter of the rate before this round's answers; b: second parameter.
    """

    places: int
    accepted: int
    waiting: int
    refused: int
    a: float
    b: float

    def exceeded(self, more: int = 0) -> float:
        """Return the probability that too many accept, if this many more are offered."""
        room, offers = self.places - self.accepted, self.waiting + more
        if room < 0:
            return 1.0
        if offers <= room:
            return 0.0
        a, b = self.a + self.accepted, self.b + self.refused
        count = np.arange(room + 1, offers + 1)
        # Sums of logarithms: the binomial coefficients of a few hundred offers overflow a float.
        logs = (
            scipy.special.gammaln(offers + 1)
            - scipy.special.gammaln(count + 1)
            - scipy.special.gammaln(offers - count + 1)
            + scipy.special.betaln(count + a, offers - count + b)
            - scipy.special.betaln(a, b)
        )
        return float(min(1.0, np.exp(logs).sum()))


def most_offers(odds: Odds, *, unspent: float) -> int:
    """Return how many more offers may go out now.

    Args:
        odds: The state of the round.
        unspent: The rest of the stated risk.

    Returns:
        At least as many as fill the places if everybody accepts.
    """
    sure = max(0, odds.places - odds.accepted - odds.waiting)
    allowed = odds.exceeded() + SPENT_AT_ONCE * max(unspent, 0.0)
    low, high = sure, min(MOST_AT_ONCE, sure + 20 * odds.places + 20)
    while low < high:
        middle = (low + high + 1) // 2
        if odds.exceeded(middle) <= allowed:
            low = middle
        else:
            high = middle - 1
    return low


def from_counts(accepted: int, offered: int) -> tuple[float, float]:
    """Return the rate's parameters after last year's accepted and made offers.

    Raises:
        InvalidInputError: If more accepted than were offered, or nothing was offered.
    """
    if offered < 1 or not 0 <= accepted <= offered:
        raise InvalidInputError("accepted_above_offered", accepted=accepted, offered=offered)
    return accepted + 1.0, offered - accepted + 1.0


def from_interval(low: float, high: float) -> tuple[float, float]:
    """Return the rate's parameters whose central 95 % lie between two numbers.

    Raises:
        InvalidInputError: If they are no interval within 0 and 1.
    """
    if not 0 < low < high < 1:
        raise InvalidInputError("rate_interval_invalid", low=low, high=high)
    mean = (low + high) / 2
    least, most = 0.0, np.log(SUREST)
    for _ in range(60):
        middle = (least + most) / 2
        weight = float(np.exp(middle))
        a, b = mean * weight, (1 - mean) * weight
        if scipy.special.betainc(a, b, high) - scipy.special.betainc(a, b, low) < 1 - 2 * TAIL:
            least = middle
        else:
            most = middle
    weight = float(np.exp(most))
    return mean * weight, (1 - mean) * weight


def found_by(a: float, b: float, source: str) -> str:
    """Return where a stored rate comes from, as a message if it is made of the rate's numbers.

    Stored is the English sentence, which a release before this one shows too.
    """
    mean = a / (a + b)
    least, most = 0.0, min(mean, 1 - mean)
    for _ in range(60):
        half = (least + most) / 2
        if (
            scipy.special.betainc(a, b, mean + half) - scipy.special.betainc(a, b, mean - half)
            < 1 - 2 * TAIL
        ):
            least = half
        else:
            most = half
    made = (
        Message("rate_from_last_round", accepted=round(a - 1), offered=round(a + b - 2)),
        Message("rate_from_interval", low=round(mean - most, 4), high=round(mean + most, 4)),
    )
    return next((message for message in made if message == source), source)


def interval(a: float, b: float) -> tuple[float, float]:
    """Return the central 95 % of a rate."""
    return float(scipy.special.betaincinv(a, b, TAIL)), float(
        scipy.special.betaincinv(a, b, 1 - TAIL)
    )
