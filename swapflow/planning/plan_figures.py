"""The figures and tables of a plan's report."""

from datetime import date, timedelta

from swapflow.domain.interval import Interval
from swapflow.domain.rules import USUAL_TAPER
from swapflow.files.exports.html_page import ReportSection, ReportTable
from swapflow.files.exports.svg_charts import SIGNIFICANT, Dot, Square, dots, squares
from swapflow.planning.plan import RoundPlan, Summary


STRONGEST = 0.1
"""Difference in the share found that is drawn in full colour."""


def calendar_section(plan: RoundPlan, start: date | None) -> ReportSection:
    """Draw when the simulated rounds are done."""
    first, *rest = plan.ways
    deadline = plan.setting.rules.deadline
    said = f"Half of the simulated rounds are done after {after_days(_median(plan), start)}. "
    if deadline is not None and start is not None:
        left = (deadline.date() - start).days
        kept = sum(days <= left for days in plan.forecast.lengths)
        said += (
            f"{kept} of {plan.forecast.runs} keep the deadline of {deadline.date().isoformat()}."
        )
    else:
        said += (
            "There is no deadline in the rules."
            if deadline is None
            else "Say when the round starts (--start) to see whether it keeps the deadline."
        )
    people = [e.summary for e in plan.effects if e.parameter == "reviewers"]
    labels = [f"{e.level} reviewers" for e in plan.effects if e.parameter == "reviewers"]
    rows = [_days(first, first.label, marked=True)]
    rows += [_days(way, way.label) for way in rest]
    rows += [_days(way, label) for way, label in zip(people, labels, strict=True)]
    return ReportSection(
        title="How long it takes",
        text=(
            said,
            (
                "Asking where it still matters means waiting for answers before asking on: it "
                "takes longer than asking everybody at once."
            ),
        ),
        picture=dots(
            rows,
            title="Days until the last answer",
            description="; ".join(f"{row.label}: {row.text}" for row in rows),
            axis="days until the last answer",
            name="days",
        ),
        legend="Dot: mean. Line: 95 % interval of the mean. The square is these rules.",
    )


def budget_sections(plan: RoundPlan) -> list[ReportSection]:
    """Draw what other budgets would bring."""
    levels = [e for e in plan.effects if e.parameter == "budget"]
    if not levels:
        return []
    own = plan.base
    rows = [(1.0, own, "the budget of these rules")]
    rows += [(float(e.level[2:]), e.summary, f"{e.level[2:]} times that") for e in levels]
    rows.sort(key=lambda row: row[0])
    return [
        ReportSection(
            title="What the budget buys",
            text=(_scaled(plan),),
            picture=dots(
                [dot_of(found, label=label, marked=share == 1) for share, found, label in rows],
                title="Share of the ideal list found, by budget",
                description="; ".join(
                    f"{label}: {percent(found.found)}" for _, found, label in rows
                ),
                axis="share of the ideal list found, in percent",
                name="budget",
            ),
            legend="Dot: mean. Line: 95 % interval. The square is the budget of these rules.",
        )
    ]


def matters_sections(plan: RoundPlan) -> list[ReportSection]:
    """Draw which settings matter."""
    if not plan.effects:
        return []
    rows = [
        (
            effect.parameter,
            effect.level,
            percent(effect.summary.found),
            ends_of(effect.summary.found),
            f"{effect.summary.days.value:.0f}",
            f"{effect.summary.cost.value:,.0f}",
        )
        for effect in plan.effects
    ]
    base = plan.base
    rows.insert(
        0,
        (
            "these rules",
            "as planned",
            percent(base.found),
            ends_of(base.found),
            f"{base.days.value:.0f}",
            f"{base.cost.value:,.0f}",
        ),
    )
    drawn = [dot_of(base, label="as planned", marked=True)]
    drawn += [
        dot_of(effect.summary, label=f"{effect.parameter}: {effect.level}")
        for effect in plan.effects
        if effect.parameter != "budget"
    ]
    return [
        ReportSection(
            title="What else matters",
            text=(f"{_scaled(plan)} One thing is changed at a time.",),
            picture=dots(
                drawn,
                title="Share of the ideal list found when one thing changes",
                description="; ".join(f"{row[0]} {row[1]}: {row[2]}" for row in rows),
                axis="share of the ideal list found, in percent",
                name="matters",
            ),
            legend="Dot: mean. Line: 95 % interval. The square is the round as planned.",
            tables=(
                ReportTable(
                    caption="One thing changed at a time",
                    headers=("what", "changed to", "ideal list", "95 % interval", "days", "cost"),
                    rows=tuple(rows),
                    numbers=(2, 3, 4, 5),
                ),
            ),
        ),
    ]


def zone_sections(plan: RoundPlan) -> list[ReportSection]:
    """Draw where interviews are worth their cost."""
    zone = plan.zone
    if zone is None:
        return []
    first = plan.setting.rules.kinds[0].name
    cells = [
        [
            # What chance alone could explain has no colour.
            Square(text=_sign(won, error), strength=won / STRONGEST if _shown(won, error) else 0)
            for won, error in zip(wons, errors, strict=True)
        ]
        for wons, errors in zip(zone.won, zone.error, strict=True)
    ]
    return [
        ReportSection(
            title=f"Where {zone.kind}s pay",
            text=(
                (
                    f"Each square compares a round with {zone.kind}s with one of {first}s alone, "
                    "at the same budget: places in 100 of the ideal list that are won or lost. A "
                    "star means that chance alone would hardly do it; the others may be nothing."
                ),
            ),
            picture=squares(
                cells,
                rows=[f"costs {cost:g}" for cost in zone.costs],
                columns=[f"{gain:g}" for gain in zone.gains],
                axes=(f"in {first}s", f"one {zone.kind} tells as much as so many {first}s"),
                title=f"Where {zone.kind}s pay",
                description="; ".join(
                    f"cost {cost:g}, worth {gain:g}: {_sign(won, error)}"
                    for cost, wons, errors in zip(zone.costs, zone.won, zone.error, strict=True)
                    for gain, won, error in zip(zone.gains, wons, errors, strict=True)
                ),
                name="zone",
            ),
            legend=f"These rules: one {zone.kind} costs "
            f"{plan.setting.rules.kinds[-1].cost / plan.setting.review_cost:.1f} {first}s and is "
            f"said to tell {plan.setting.rules.kinds[-1].gain:g}.",
        )
    ]


def letters_section(plan: RoundPlan) -> ReportSection:
    """Explain the letters of the paper with the values used."""
    setting = plan.setting
    rules, marks = setting.rules, setting.marks
    believed = f"{rules.sigma:g}" if rules.sigma else "fitted"
    most = rules.out or "all that fit"
    rows: list[tuple[str, str, str]] = [
        ("n", "applicants", f"{setting.applicants}"),
        ("K", "places", f"{setting.places}"),
        ("σ", "spread of one mark around applicant and severity, simulated", f"{marks.sigma:g}"),
        (
            "σ in the rules",
            "what the rule believes",
            believed,
        ),
        ("τ", "spread between reviewers, simulated", f"{marks.severity:g}"),
        ("√V", "spread between applicants, simulated", f"{marks.between:g}"),
        ("δ", "probability with which a certificate may fail", f"{rules.delta:g}"),
        ("ε", "loss at which `certified` and `paper` stop", f"{rules.epsilon:g}"),
        (
            "batch, out",
            "requests per decision, and most out",
            f"{rules.batch}, {most}",
        ),
        (
            "f",
            "share of the money left that may be out (taper)",
            f"{USUAL_TAPER if rules.taper is None else rules.taper:g}",
        ),
    ]
    rows += [
        (
            f"s, j of {kind.name}",
            "gain and cost in reviews",
            f"{kind.gain:g}, {kind.cost / setting.review_cost:g}",
        )
        for kind in rules.kinds
    ]
    note = (
        "δ and ε steer the rules `certified` and `paper` only; under `budget` they change the "
        "certified loss that is shown and no request, so they are not varied."
        if not any(effect.letter == "δ" for effect in plan.effects)
        else ""
    )
    return ReportSection(
        title="Parameters",
        text=(note,) if note else (),
        tables=(
            ReportTable(
                caption="Parameters", headers=("letter", "meaning", "value"), rows=tuple(rows)
            ),
        ),
    )


def dot_of(summary: Summary, *, label: str = "", marked: bool = False) -> Dot:
    """Draw one way as a dot with its interval."""
    found = summary.found
    return Dot(
        label=label or summary.label,
        value=100 * found.value,
        low=100 * found.low,
        high=100 * found.high,
        text=percent(found),
        marked=marked,
    )


def _days(summary: Summary, label: str, *, marked: bool = False) -> Dot:
    days = summary.days
    return Dot(
        label=label,
        value=days.value,
        low=days.low,
        high=days.high,
        text=f"{days.value:.0f} days",
        marked=marked,
    )


def _scaled(plan: RoundPlan) -> str:
    small = plan.base.applicants
    if small < plan.setting.applicants:
        return (
            f"Simulated in small, with {small} applicants and everything else in proportion, "
            f"{plan.base.runs} rounds each."
        )
    return f"{plan.base.runs} rounds each."


def percent(interval: Interval) -> str:
    """Format a share as a percentage."""
    return f"{100 * interval.value:.0f} %"


def ends_of(interval: Interval) -> str:
    """Format an interval's two ends as percentages."""
    return f"{100 * interval.low:.0f} to {100 * interval.high:.0f} %"


def after_days(days: float, start: date | None) -> str:
    """Format a time after the start, with the date where it is known."""
    if start is None:
        return f"{days:.0f} days"
    return f"{days:.0f} days ({(start + timedelta(days=round(days))).isoformat()})"


def _median(plan: RoundPlan) -> float:
    ordered = sorted(plan.forecast.lengths)
    return ordered[len(ordered) // 2]


def _shown(won: float, error: float) -> bool:
    return abs(won) > SIGNIFICANT * max(error, 1e-9)


def _sign(won: float, error: float) -> str:
    star = "*" if _shown(won, error) else ""
    return f"{100 * won:+.0f}{star}"
