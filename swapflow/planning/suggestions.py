"""What a plan recommends, each with its reason. Nothing is claimed that chance could have done."""

from dataclasses import dataclass

from swapflow.domain.interval import Interval
from swapflow.planning.plan import Effect, RoundPlan, Summary, difference


ENOUGH = 0.02
"""Share of the ideal list that is worth acting on: 2 places in 100."""
LIKELY = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One recommendation: what to do, and why."""

    title: str
    reason: str


def advise(plan: RoundPlan, *, days_left: float | None = None) -> list[Advice]:
    """Return what to do with these rules.

    Args:
        plan: What was simulated.
        days_left: Days from the start to the deadline, where there is one.
    """
    return [
        *_feasible(plan, days_left),
        _rule(plan),
        *_interviews(plan),
        *_budget(plan),
        *_spread(plan),
    ]


def _way(plan: RoundPlan, key: str) -> Summary | None:
    return next((way for way in plan.ways if way.key == f"way/{key}"), None)


def _effects(plan: RoundPlan, parameter: str) -> list[Effect]:
    return [effect for effect in plan.effects if effect.parameter == parameter]


def _share(value: float) -> str:
    return f"{100 * value:.0f} of 100 places"


def _between(interval: Interval) -> str:
    ends = f"{100 * interval.low:+.1f} to {100 * interval.high:+.1f}"
    return f"95 % interval {ends.replace('-', '−')}"


def _feasible(plan: RoundPlan, days_left: float | None) -> list[Advice]:
    forecast = plan.forecast
    if forecast.finished.value < 1:
        return [
            Advice(
                title="Find more reviewers",
                reason="in some of the simulated rounds requests were still waiting after two "
                "years: the people on the roster cannot take that many",
            )
        ]
    if days_left is None or forecast.latest <= days_left:
        return []
    faster = [e for e in _effects(plan, "reviewers") if e.level == "twice as many"]
    cure = "Move the deadline, or find more reviewers"
    if faster:
        cure += f" (twice as many finish in {faster[0].summary.days.value:.0f} days)"
    return [
        Advice(
            title=cure,
            reason=f"nine rounds in ten take up to {forecast.latest:.0f} days, and the deadline "
            f"is after {days_left:.0f}",
        )
    ]


def _rule(plan: RoundPlan) -> Advice:
    """Name the way that finds most; keep the rules where nothing is shown to be better."""
    own = plan.ways[0]
    # Doing without interviews is judged on its own, below.
    others = [(way, difference(way, own)) for way in plan.ways[1:] if way.key != "way/reviews"]
    # Both: shown by the interval, and large enough to be worth a change.
    better = [(way, gap) for way, gap in others if gap.low > 0 and gap.value >= ENOUGH]
    if better:
        way, gap = max(better, key=lambda pair: pair[1].value)
        return Advice(
            title=f"Consider another way: {way.label}",
            reason="with the same applicants and the same luck it finds "
            f"{_share(way.found.value)} of the ideal list where these rules find "
            f"{_share(own.found.value)} "
            f"({_between(gap)} places in 100)",
        )
    beaten = [way.label for way, gap in others if gap.high < 0]
    even = _way(plan, "even")
    assert even is not None
    reason = (
        f"they find {_share(own.found.value)} of the ideal list; the same cost spent evenly finds "
        f"{_share(even.found.value)}. "
    )
    reason += (
        f"Shown to find less in these rounds: {'; '.join(beaten)}"
        if beaten
        else "No other way is shown to find more; run the plan with more rounds to be surer"
    )
    return Advice(title="Keep the way these rules choose", reason=reason)


def _interviews(plan: RoundPlan) -> list[Advice]:
    alone = _way(plan, "reviews")
    if alone is None:
        return []
    kind = plan.setting.rules.kinds[-1]
    first = plan.setting.rules.kinds[0]
    gap = difference(plan.ways[0], alone)
    cost = kind.cost / first.cost
    about = (
        f"one costs as much as {cost:.1f} {first.name}s and is said to tell as much as "
        f"{kind.gain:g}; with them the list holds {_share(plan.ways[0].found.value)} of the ideal "
        f"list, without them and for the same budget {_share(alone.found.value)} "
        f"({_between(gap)} places in 100)"
    )
    if gap.low > 0:
        return [Advice(title=f"Keep the {kind.name}s", reason=about)]
    if gap.high < 0:
        return [
            Advice(
                title=f"Spend the budget on {first.name}s instead of {kind.name}s, unless "
                f"{kind.name}s serve another end",
                reason=about,
            )
        ]
    return [
        Advice(
            title=f"Hold {kind.name}s or not: for the list it makes no difference that shows",
            reason=about,
        )
    ]


def _budget(plan: RoundPlan) -> list[Advice]:
    """Return what a larger and a smaller budget would do."""
    found = plan.base.found.value
    levels = {effect.level: effect.summary for effect in _effects(plan, "budget")}
    likely = plan.forecast.sufficed
    listed = []
    if likely.value >= LIKELY:
        listed.append(
            Advice(
                title="The budget suffices",
                reason=f"in {100 * likely.value:.0f} of 100 simulated rounds asking ended because "
                "more would hardly have changed the list, with money left",
            )
        )
    more = levels.get("× 1.5") or levels.get("× 1.25")
    if more is None:
        return listed
    gap = difference(more, plan.base)
    larger = "half as much again" if more is levels.get("× 1.5") else "a quarter more"
    if gap.low > 0 and gap.value >= ENOUGH:
        listed.append(
            Advice(
                title="If there is money left anywhere, put it here",
                reason=f"{larger} would find {_share(more.found.value)} of the ideal list instead "
                f"of {_share(found)} ({_between(gap)} places in 100)",
            )
        )
    else:
        listed.append(
            Advice(
                title="More money would buy little"
                if gap.high < ENOUGH
                else "Whether more money would help, these rounds do not show",
                reason=f"{larger} finds {_share(more.found.value)} of the ideal list instead of "
                f"{_share(found)} ({_between(gap)} places in 100)",
            )
        )
    less = levels.get("× 0.75")
    if less is not None and difference(plan.base, less).high < ENOUGH:
        listed.append(
            Advice(
                title="A quarter less would nearly do",
                reason=f"it finds {_share(less.found.value)} of the ideal list instead of "
                f"{_share(found)}",
            )
        )
    return listed


def _spread(plan: RoundPlan) -> list[Advice]:
    """Return whether the assumed spread of marks is worth measuring."""
    levels = [effect.summary for effect in _effects(plan, "spread of marks")]
    if len(levels) < 2:  # noqa: PLR2004 - less and more
        return []
    gap = difference(levels[0], levels[-1])
    if gap.low <= 0 or gap.value < ENOUGH:
        return []
    found = [level.found.value for level in levels]
    return [
        Advice(
            title="Train reviewers on the same scale, and measure how far they differ",
            reason="a quarter more or less spread of marks moves the share of the ideal list "
            f"from {100 * max(found):.0f} to {100 * min(found):.0f} of 100; `swapflow study past` "
            "measures it on last year's reviews",
        )
    ]
