"""The plan as a page: for whoever decides about the round, words first, letters last."""

from datetime import date, timedelta

from swapflow.domain.interval import Interval
from swapflow.engine.lifecycle.launch_preview import Preview
from swapflow.files.exports.html_page import Key, Page, Section, Table, points
from swapflow.files.exports.svg_charts import SIGNIFICANT, Dot, Square, dots, squares
from swapflow.planning.plan import Plan, Summary
from swapflow.planning.setting import Setting
from swapflow.planning.suggestions import advise


STRONGEST = 0.1
"""Difference in the share found that is drawn in full colour."""


def page(
    plan: Plan,
    preview: Preview,
    *,
    title: str,
    assumed: tuple[str, ...],
    start: date | None,
    command: str,
) -> Page:
    """Write the report.

    Args:
        plan: What was simulated.
        preview: What a launch would say.
        title: Name of the rules file.
        assumed: What was assumed because nothing said otherwise, in sentences.
        start: First day of the round, where it is known.
        command: How to make the page again.
    """
    return Page(
        title=f"Plan of the round: {title}",
        lead=_lead(plan),
        keys=_keys(plan, start),
        sections=(
            _recommended(plan, start),
            _ways(plan),
            _calendar(plan, start),
            *_budget(plan),
            *_matters(plan),
            *_zone(plan),
            _noticed(preview, assumed),
        ),
        advanced=(_letters(plan), _how(plan), _asked(plan)),
        foot=f"Made by: {command}",
    )


def _lead(plan: Plan) -> tuple[str, ...]:
    setting = plan.setting
    kinds = ", ".join(
        f"{kind.name} {kind.cost}" + (" each" if index == 0 else "")
        for index, kind in enumerate(setting.rules.kinds)
    )
    return (
        (
            f"{setting.applicants:,} applicants, {setting.places} places, {len(setting.people)} "
            f"reviewers, a budget of {setting.rules.budget:,} ({kinds}): "
            f"{setting.reviews_each:.2f} {setting.rules.kinds[0].name}s for each applicant."
        ),
        (
            f"The round was run {plan.forecast.runs} times on a computer, with invented applicants"
            " whose true scores are known and invented reviewers who differ as people do. The"
            " ideal list is the one that would be chosen if every true score were known; no round"
            " finds all of it, for marks have chance in them. This is about marks, not merit."
        ),
    )


def _keys(plan: Plan, start: date | None) -> tuple[Key, ...]:
    forecast = plan.forecast
    places = plan.setting.places
    return (
        Key(
            name="Share of the ideal list found",
            figure=f"{_percent(forecast.found)}",
            meaning=f"about {forecast.found.value * places:.0f} of {places} places; "
            f"95 % interval {_ends(forecast.found)}",
        ),
        Key(
            name="Same list if held again",
            figure=f"{_percent(forecast.overlap)}",
            meaning="of the places, with the same applicants and other reviewers' luck; 95 % "
            f"interval {_ends(forecast.overlap)}",
        ),
        Key(
            name="Done after",
            figure=_after(forecast.days.value, start),
            meaning=f"95 % interval {forecast.days.low:.0f} to {forecast.days.high:.0f} days on "
            f"average; nine rounds in ten within {_after(forecast.latest, start)}",
        ),
        Key(
            name="Cost",
            figure=f"{forecast.cost.value:,.0f}",
            meaning=f"of {plan.setting.rules.budget:,}; 95 % interval "
            f"{forecast.cost.low:,.0f} to {forecast.cost.high:,.0f}",
        ),
        Key(
            name="Budget suffices",
            figure=f"{_percent(forecast.sufficed)}",
            meaning="of rounds end because more would hardly change the list, before the money "
            f"does; 95 % interval {_ends(forecast.sufficed)}",
        ),
        Key(
            name="Busiest reviewer",
            figure=f"{forecast.busiest.value:,.0f}",
            meaning="of the unit of the costs (the templates count minutes)",
        ),
    )


def _recommended(plan: Plan, start: date | None) -> Section:
    deadline = plan.setting.rules.deadline
    left = None if deadline is None or start is None else (deadline.date() - start).days
    advice = advise(plan, days_left=left)
    return Section(
        title="What we recommend",
        text=("Nothing is recommended that chance alone could explain.",),
        points=points([(one.title, one.reason) for one in advice]),
    )


def _ways(plan: Plan) -> Section:
    small = plan.ways[0].applicants
    note = (
        f"Compared in small, with {small} applicants and everything else in proportion. "
        if small < plan.setting.applicants
        else ""
    )
    return Section(
        title="Ways to spend the same budget",
        text=(
            (
                f"{note}Every way meets the same applicants and the same luck, in "
                f"{plan.ways[0].runs} rounds."
            ),
        ),
        picture=dots(
            [_dot(way, marked=place == 0) for place, way in enumerate(plan.ways)],
            title="Share of the ideal list that each way finds",
            description="; ".join(
                f"{way.label}: {_percent(way.found)}, 95 % interval {_ends(way.found)}"
                for way in plan.ways
            ),
            axis="share of the ideal list found, in percent",
            name="ways",
        ),
        legend="Dot: mean. Line: 95 % interval. The square is these rules.",
        tables=(_figures("Ways to spend the same budget", plan.ways),),
    )


def _calendar(plan: Plan, start: date | None) -> Section:
    first, *rest = plan.ways
    deadline = plan.setting.rules.deadline
    said = f"Half of the simulated rounds are done after {_after(_median(plan), start)}. "
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
    return Section(
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


def _budget(plan: Plan) -> list[Section]:
    levels = [e for e in plan.effects if e.parameter == "budget"]
    if not levels:
        return []
    own = plan.base
    rows = [(1.0, own, "the budget of these rules")]
    rows += [(float(e.level[2:]), e.summary, f"{e.level[2:]} times that") for e in levels]
    rows.sort(key=lambda row: row[0])
    return [
        Section(
            title="What the budget buys",
            text=(_scaled(plan),),
            picture=dots(
                [_dot(found, label=label, marked=share == 1) for share, found, label in rows],
                title="Share of the ideal list found, by budget",
                description="; ".join(
                    f"{label}: {_percent(found.found)}" for _, found, label in rows
                ),
                axis="share of the ideal list found, in percent",
                name="budget",
            ),
            legend="Dot: mean. Line: 95 % interval. The square is the budget of these rules.",
        )
    ]


def _matters(plan: Plan) -> list[Section]:
    if not plan.effects:
        return []
    rows = [
        (
            effect.parameter,
            effect.level,
            _percent(effect.summary.found),
            _ends(effect.summary.found),
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
            _percent(base.found),
            _ends(base.found),
            f"{base.days.value:.0f}",
            f"{base.cost.value:,.0f}",
        ),
    )
    drawn = [_dot(base, label="as planned", marked=True)]
    drawn += [
        _dot(effect.summary, label=f"{effect.parameter}: {effect.level}")
        for effect in plan.effects
        if effect.parameter != "budget"
    ]
    return [
        Section(
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
                Table(
                    caption="One thing changed at a time",
                    headers=("what", "changed to", "ideal list", "95 % interval", "days", "cost"),
                    rows=tuple(rows),
                    numbers=(2, 3, 4, 5),
                ),
            ),
        ),
    ]


def _zone(plan: Plan) -> list[Section]:
    zone = plan.zone
    if zone is None:
        return []
    first = plan.setting.rules.kinds[0].name
    cells = [
        [
            Square(text=_sign(won, error), strength=won / STRONGEST if _shown(won, error) else 0)
            for won, error in zip(wons, errors, strict=True)
        ]
        for wons, errors in zip(zone.won, zone.error, strict=True)
    ]
    return [
        Section(
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


def _noticed(preview: Preview, assumed: tuple[str, ...]) -> Section:
    pairs = [("Assumed", text) for text in assumed]
    pairs += [("To think about", warning) for warning in preview.warnings]
    return Section(
        title="What was assumed, and what to think about",
        text=(
            (
                f"Floors cost {preview.floors:,}, staff keep {preview.reserve:,}, "
                f"{max(0, preview.rest):,} are left to go where they still matter."
            ),
        ),
        points=points(pairs),
    )


# Advanced


def _letters(plan: Plan) -> Section:
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
    return Section(
        title="Parameters",
        text=(note,) if note else (),
        tables=(
            Table(caption="Parameters", headers=("letter", "meaning", "value"), rows=tuple(rows)),
        ),
    )


def _how(plan: Plan) -> Section:
    medians = ", ".join(f"{days:g}" for days in plan.setting.days.median)
    return Section(
        title="How it was simulated",
        text=(
            (
                "The decisions are the product's own rule on simulated answers: floors first, "
                "then looks once a day; reserve, maxima, requirements, packets and capacities as "
                "in a live round. Requests go to whoever has most room and has not judged "
                "the applicant. "
                f"Answers take lognormal times (medians {medians} "
                f"days, sd of the logarithm {plan.setting.days.variation:g}), at most the window; "
                f"{100 * plan.setting.days.silence:g} % need a second try. Utilities are normal, "
                "and marks are normal around them; severity is not divided by the gain. Conflicts,"
                " absences and topics are left out."
            ),
            (
                "Intervals: Student's for means, Wilson's for shares, paired by round for "
                f"differences. Seed {plan.seed}; the same seed and rules give the same page."
            ),
        ),
    )


def _asked(plan: Plan) -> Section:
    names = [kind.name for kind in plan.setting.rules.kinds]
    rows = [
        (
            way.label,
            *(f"{count:,.0f}" for count in way.asked),
            *("0" for _ in range(len(names) - len(way.asked))),
            f"{way.value.value:.4f}",
            _percent(way.sufficed),
        )
        for way in (plan.forecast, *plan.ways)
    ]
    return Section(
        title="Requests and value",
        tables=(
            Table(
                caption="Requests per round, true total over that of the ideal list, rounds that "
                "settled",
                headers=("way", *names, "value", "settled"),
                rows=tuple(rows),
                numbers=tuple(range(1, len(names) + 3)),
            ),
        ),
    )


# Small words


def _figures(caption: str, summaries: tuple[Summary, ...]) -> Table:
    return Table(
        caption=caption,
        headers=("way", "ideal list", "95 % interval", "same list again", "days", "cost"),
        rows=tuple(
            (
                way.label,
                _percent(way.found),
                _ends(way.found),
                _percent(way.overlap),
                f"{way.days.value:.0f}",
                f"{way.cost.value:,.0f}",
            )
            for way in summaries
        ),
        numbers=(1, 2, 3, 4, 5),
    )


def _dot(summary: Summary, *, label: str = "", marked: bool = False) -> Dot:
    found = summary.found
    return Dot(
        label=label or summary.label,
        value=100 * found.value,
        low=100 * found.low,
        high=100 * found.high,
        text=_percent(found),
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


def _scaled(plan: Plan) -> str:
    small = plan.base.applicants
    if small < plan.setting.applicants:
        return (
            f"Simulated in small, with {small} applicants and everything else in proportion, "
            f"{plan.base.runs} rounds each."
        )
    return f"{plan.base.runs} rounds each."


def _percent(interval: Interval) -> str:
    return f"{100 * interval.value:.0f} %"


def _ends(interval: Interval) -> str:
    return f"{100 * interval.low:.0f} to {100 * interval.high:.0f} %"


def _after(days: float, start: date | None) -> str:
    if start is None:
        return f"{days:.0f} days"
    return f"{days:.0f} days ({(start + timedelta(days=round(days))).isoformat()})"


def _median(plan: Plan) -> float:
    ordered = sorted(plan.forecast.lengths)
    return ordered[len(ordered) // 2]


def _shown(won: float, error: float) -> bool:
    return abs(won) > SIGNIFICANT * max(error, 1e-9)


def _sign(won: float, error: float) -> str:
    star = "*" if _shown(won, error) else ""
    return f"{100 * won:+.0f}{star}"


def describe(setting: Setting) -> str:
    """Say in a few words what is planned, for progress."""
    return f"{setting.applicants:,} applicants, {setting.places} places"
