"""Marks and scores as people read them."""

from swapflow.engine.audit.decision_card import (
    CardMark,
)
from swapflow.i18n.languages import gettext


def mark_in_words(mark: CardMark) -> str:
    """Return a mark with the highest one there is, where that is known."""
    if mark.mark is None:
        return gettext("not applicable")
    if mark.most is None:
        return f"{mark.mark:g}"
    return gettext("%(mark)s of %(most)s") % {"mark": f"{mark.mark:g}", "most": f"{mark.most:g}"}


def hundred(utility: float) -> str:
    """Return a score in [0, 1] as points of a hundred, without the word."""
    return f"{100 * utility:.1f}"


def of_hundred(utility: float) -> str:
    """Return a score in [0, 1] as points "of 100"."""
    return gettext("%(score)s of 100") % {"score": hundred(utility)}
