"""Where the places end: the one cut that every page and picture of a program shows."""

import numpy as np

from swapflow.bandit.situation import BoolArray, FloatArray


HALF = 0.5


def cut_estimate(
    estimate: FloatArray, listed: BoolArray, likely: FloatArray | None
) -> float | None:
    """Return the estimate at which an applicant is as likely among the best as not.

    There the likelihood is one half, whatever the margin. Between the two applicants around it the
    estimate is taken in proportion. Where no applicant lies on one side, and before likelihoods
    are known, the cut lies midway between the last in the list and the next.

    Args:
        estimate: Estimates, NaN where there is no mark, shape (n,).
        listed: Who is in the list, shape (n,).
        likely: How likely each is among the best, shape (n,); None where it is not known.

    Returns:
        None without a list, and where all fit in.
    """
    known = ~np.isnan(estimate)
    inside, outside = listed & known, ~listed & known
    if not inside.any() or not outside.any():
        return None
    if likely is not None:
        above, below = known & (likely >= HALF), known & (likely < HALF)
        if above.any() and below.any():
            first = int(np.flatnonzero(above)[np.argmin(likely[above])])
            second = int(np.flatnonzero(below)[np.argmax(likely[below])])
            weight = (likely[first] - HALF) / max(likely[first] - likely[second], 1e-12)
            return float(estimate[first] + weight * (estimate[second] - estimate[first]))
    return float((estimate[inside].min() + estimate[outside].max()) / 2)
