"""Marks, scores and what is withheld, as people read them."""

from collections.abc import Collection, Iterable

from swapflow.engine.audit.decision_card import CardMark, CardStanding
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


def way_in_words(standing: CardStanding) -> Iterable[tuple[str, str]]:
    """Return the steps from the average of the marks to the score, in points of 100."""
    way = standing.way
    if way is None:
        return
    yield gettext("Average of the marks"), of_hundred(way.mean)
    steps = [(gettext("Few marks: nearer to the program's average"), way.few_marks)]
    if way.severity is None:
        steps = [(gettext("Few marks, and differences between reviewers"), way.few_marks)]
    else:
        steps.append((gettext("How these reviewers mark"), way.severity))
    for name, step in (*steps, (gettext("How this review is marked"), way.kind)):
        yield name, f"{100 * step:+.1f}"


def cut_in_words(standing: CardStanding) -> str:
    """Return how far a score is from the cut."""
    if standing.cut is None:
        return gettext("there is no cut: every applicant has a place")
    apart = standing.estimate - standing.cut
    if standing.proposed:
        said = (
            gettext("%(points)s points above the first who was not proposed")
            if apart >= 0
            else gettext("%(points)s points below the first who was not proposed")
        )
    else:
        said = (
            gettext("%(points)s points above the last who was proposed")
            if apart >= 0
            else gettext("%(points)s points below the last who was proposed")
        )
    return said % {"points": hundred(abs(apart))}


def withheld_in_words(names: Collection[str]) -> Iterable[str]:
    """Return what an applicant's own copy says of the confidential items that it leaves out."""
    if names:
        yield gettext(
            "Confidential, and left out of this copy: %(names)s. Those who judged could read them."
        ) % {"names": ", ".join(names)}
