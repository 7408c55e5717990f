"""Each estimate with its interval and a sentence that says what it means."""

import math
from dataclasses import dataclass

from swapflow.domain.interval import Interval
from swapflow.planning.past.past_estimates import PastEstimates
from swapflow.planning.past.past_fit import KindEstimate


MEAN_DISTANCE = 2 / math.sqrt(math.pi)
"""Mean distance of two normal marks, in units of their spread."""
FIRM, TENTATIVE = 0.8, 0.667
"""Krippendorff's usual borders for alpha: rely on it, and draw tentative conclusions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordedEstimate:
    """One estimate.

    Attributes:
        name: Key in JSON.
        title: What people call it.
        interval: The figure and its 95 % interval.
        unit: "points" (of 100), "share", "reviews", "minutes" or "marks" of the office's scale.
        meaning: What it means to a person who is no statistician.
    """

    name: str
    title: str
    interval: Interval
    unit: str
    meaning: str


def figures(found: PastEstimates) -> list[WordedEstimate]:
    """List what is known, in the order in which it is read."""
    listed = [
        *(_within(found, found.kinds[0])),
        *(_between(found)),
        *(_severity(found.kinds[0], found)),
        *(_agreement(found)),
    ]
    for kind in found.kinds[1:]:
        listed += [*_within(found, kind), *_severity(kind, found), *_gain(kind, found.kinds[0])]
    for kind in found.kinds:
        listed += _time(kind, found.kinds[0])
    return listed


def shown(figure: WordedEstimate) -> tuple[str, str]:
    """Format a figure and its interval as people read them."""
    value, low, high = figure.interval.value, figure.interval.low, figure.interval.high
    if figure.unit == "points":
        return f"{100 * value:.1f} points", f"{100 * low:.1f} to {_up(100 * high)}"
    if figure.unit == "share":
        return f"{value:.2f}", f"{low:.2f} to {high:.2f}"
    digits = 0 if figure.unit == "minutes" else 1
    return f"{value:.{digits}f} {figure.unit}", f"{low:.{digits}f} to {_up(high, digits)}"


def _up(high: float, digits: int = 1) -> str:
    return "no upper limit" if math.isinf(high) else f"{high:.{digits}f}"


def _within(found: PastEstimates, kind: KindEstimate) -> list[WordedEstimate]:
    if kind.within is None:
        return []
    apart = MEAN_DISTANCE * kind.within.value
    width = abs(found.scale[1] - found.scale[0])
    # A scale from 0 to 1 says nothing that points do not.
    marks = "" if width == 1 else f", {apart * width:.1f} marks on your scale"
    return [
        WordedEstimate(
            name=f"spread_{kind.name}",
            title=f"spread of {kind.name} marks of one applicant",
            interval=kind.within,
            unit="points",
            meaning=f"two {kind.name}s of the same applicant lie {100 * apart:.0f} points of 100 "
            f"apart on average{marks}",
        )
    ]


def _between(found: PastEstimates) -> list[WordedEstimate]:
    if found.between is None or found.kinds[0].within is None:
        return []
    share = found.between.value / max(found.kinds[0].within.value, 1e-12)
    return [
        WordedEstimate(
            name="between",
            title="spread between applicants",
            interval=found.between,
            unit="points",
            meaning="two in three applicants would lie within "
            f"{100 * found.between.value:.0f} points of the mean if marks had no chance in "
            f"them; that is {share:.1f} times the spread of marks of one applicant",
        )
    ]


def _severity(kind: KindEstimate, found: PastEstimates) -> list[WordedEstimate]:
    if kind.severity is None:
        return []
    value = kind.severity.value
    part = ""
    if kind.within is not None and found.between is not None:
        whole = kind.within.value**2 + found.between.value**2
        part = f"; {100 * value**2 / whole:.1f} % of the variation of marks is who reads"
    # A normal distribution has a sixth beyond one standard deviation on either side.
    visible = (
        f"every sixth reviewer marks {100 * value:.1f} points of 100 or more above the others, "
        f"every sixth as much below{part}"
    )
    doubt = "it may as well be nothing: these marks do not show that reviewers differ"
    return [
        WordedEstimate(
            name=f"severity_{kind.name}",
            title=f"spread between reviewers ({kind.name})",
            interval=kind.severity,
            unit="points",
            meaning=visible if kind.severity.low > 0 else f"{visible}. But {doubt}",
        )
    ]


def _agreement(found: PastEstimates) -> list[WordedEstimate]:
    known = found.agreement
    if known is None or found.between is None:
        return []
    each = known.marks_each
    listed = [
        WordedEstimate(
            name="icc",
            title="what one review tells (ICC)",
            interval=known.icc,
            unit="share",
            meaning=f"of what one mark says, {100 * known.icc.value:.0f} % is the applicant and "
            f"{100 - 100 * known.icc.value:.0f} % is chance and who happened to read",
        ),
        WordedEstimate(
            name="icc_mean",
            title=f"what the mean of {each:.1f} reviews tells (ICC)",
            interval=known.icc_mean,
            unit="share",
            meaning=f"if other people had read the same applicants {each:.1f} times each, the two "
            f"lists of means would correlate by {known.icc_mean.value:.2f}",
        ),
        WordedEstimate(
            name="alpha",
            title="agreement (Krippendorff's alpha)",
            interval=known.alpha,
            unit="share",
            meaning=_alpha(known.alpha.value),
        ),
    ]
    if known.kappa is not None:
        listed.append(
            WordedEstimate(
                name="kappa",
                title="agreement (weighted kappa)",
                interval=known.kappa,
                unit="share",
                meaning=f"two reviewers are {100 * known.kappa.value:.0f} % of the way from "
                "marking at random to marking alike",
            )
        )
        listed.append(
            WordedEstimate(
                name="same_mark",
                title="pairs of reviewers with the same mark",
                interval=known.same,
                unit="share",
                meaning=f"in {100 * known.same.value:.0f} of 100 pairs, two reviewers of one "
                "applicant gave the very same mark",
            )
        )
    return listed


def _alpha(alpha: float) -> str:
    if alpha >= FIRM:
        return "reviewers agree so well that one mark would nearly do (0.80 is the usual border)"
    if alpha >= TENTATIVE:
        return "good enough for tentative conclusions from one mark (0.67 is the usual border)"
    return (
        "below 0.67, the usual border: no single mark should decide about anybody, several "
        "together may"
    )


def _gain(kind: KindEstimate, first: KindEstimate) -> list[WordedEstimate]:
    if kind.gain is None:
        return []
    return [
        WordedEstimate(
            name=f"gain_{kind.name}",
            title=f"worth of one {kind.name}, in {first.name}s",
            interval=kind.gain,
            unit=f"{first.name}s",
            meaning=f"one {kind.name} tells as much about an applicant as "
            f"{kind.gain.value:.1f} {first.name}s by different people; it pays where it costs "
            "less than that",
        )
    ]


def _time(kind: KindEstimate, first: KindEstimate) -> list[WordedEstimate]:
    listed = []
    if kind.minutes is not None:
        listed.append(
            WordedEstimate(
                name=f"minutes_{kind.name}",
                title=f"time for one {kind.name}",
                interval=kind.minutes,
                unit="minutes",
                meaning=f"one {kind.name} takes {kind.minutes.value:.0f} minutes on average",
            )
        )
    if kind is not first and kind.cost is not None:
        listed.append(
            WordedEstimate(
                name=f"cost_{kind.name}",
                title=f"cost of one {kind.name}, in {first.name}s",
                interval=kind.cost,
                unit=f"{first.name}s",
                meaning=_worth(kind, first),
            )
        )
    return listed


def _worth(kind: KindEstimate, first: KindEstimate) -> str:
    assert kind.cost is not None
    said = f"one {kind.name} takes the time of {kind.cost.value:.1f} {first.name}s"
    if kind.gain is None:
        return said
    # Only intervals that lie apart show which of the two is more.
    if kind.gain.low > kind.cost.high:
        return f"{said} and tells more than that: {kind.name}s pay"
    if kind.gain.high < kind.cost.low:
        return f"{said} and tells less than that: {first.name}s for the same time tell more"
    return f"{said}; whether it tells more than that, these data cannot say"
