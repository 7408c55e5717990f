"""The plan as a page: for those who decide about the round, words first, symbols last."""

from datetime import date

from swapflow.engine.lifecycle.launch_preview import Preview
from swapflow.files.exports.html_page import (
    KeyFigure,
    ReportPage,
    ReportSection,
    ReportTable,
    points,
)
from swapflow.files.exports.svg_charts import dots
from swapflow.planning.plan import RoundPlan, Summary
from swapflow.planning.plan_figures import (
    after_days,
    budget_sections,
    calendar_section,
    dot_of,
    ends_of,
    letters_section,
    matters_sections,
    percent,
    zone_sections,
)
from swapflow.planning.setting import PlanSetting
from swapflow.planning.suggestions import advise


def page(
    plan: RoundPlan,
    preview: Preview,
    *,
    title: str,
    assumed: tuple[str, ...],
    start: date | None,
    command: str,
) -> ReportPage:
    """Write the report.

    Args:
        plan: What was simulated.
        preview: What a launch would say.
        title: Name of the rules file.
        assumed: What was assumed because nothing said otherwise, in sentences.
        start: First day of the round, where it is known.
        command: How to make the page again.
    """
    return ReportPage(
        title=f"Plan of the round: {title}",
        lead=_lead(plan),
        keys=_keys(plan, start),
        sections=(
            _recommended(plan, start),
            _ways(plan),
            calendar_section(plan, start),
            *budget_sections(plan),
            *matters_sections(plan),
            *zone_sections(plan),
            _noticed(preview, assumed),
        ),
        advanced=(letters_section(plan), _how(plan), _asked(plan)),
        foot=f"Made by: {command}",
    )


def _lead(plan: RoundPlan) -> tuple[str, ...]:
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


def _keys(plan: RoundPlan, start: date | None) -> tuple[KeyFigure, ...]:
    forecast = plan.forecast
    places = plan.setting.places
    return (
        KeyFigure(
            name="Share of the ideal list found",
            figure=f"{percent(forecast.found)}",
            meaning=f"about {forecast.found.value * places:.0f} of {places} places; "
            f"95 % interval {ends_of(forecast.found)}",
        ),
        KeyFigure(
            name="Same list if held again",
            figure=f"{percent(forecast.overlap)}",
            meaning="of the places, with the same applicants and other reviewers' luck; 95 % "
            f"interval {ends_of(forecast.overlap)}",
        ),
        KeyFigure(
            name="Done after",
            figure=after_days(forecast.days.value, start),
            meaning=f"95 % interval {forecast.days.low:.0f} to {forecast.days.high:.0f} days on "
            f"average; nine rounds in ten within {after_days(forecast.latest, start)}",
        ),
        KeyFigure(
            name="Cost",
            figure=f"{forecast.cost.value:,.0f}",
            meaning=f"of {plan.setting.rules.budget:,}; 95 % interval "
            f"{forecast.cost.low:,.0f} to {forecast.cost.high:,.0f}",
        ),
        KeyFigure(
            name="Budget suffices",
            figure=f"{percent(forecast.sufficed)}",
            meaning="of rounds end because more would hardly change the list, before the money "
            f"does; 95 % interval {ends_of(forecast.sufficed)}",
        ),
        KeyFigure(
            name="Busiest reviewer",
            figure=f"{forecast.busiest.value:,.0f}",
            meaning="of the unit of the costs (the templates count minutes)",
        ),
    )


def _recommended(plan: RoundPlan, start: date | None) -> ReportSection:
    deadline = plan.setting.rules.deadline
    left = None if deadline is None or start is None else (deadline.date() - start).days
    advice = advise(plan, days_left=left)
    return ReportSection(
        title="What we recommend",
        text=("Nothing is recommended that chance alone could explain.",),
        points=points([(one.title, one.reason) for one in advice]),
    )


def _ways(plan: RoundPlan) -> ReportSection:
    small = plan.ways[0].applicants
    note = (
        f"Compared in small, with {small} applicants and everything else in proportion. "
        if small < plan.setting.applicants
        else ""
    )
    return ReportSection(
        title="Ways to spend the same budget",
        text=(
            (
                f"{note}Every way meets the same applicants and the same luck, in "
                f"{plan.ways[0].runs} rounds."
            ),
        ),
        picture=dots(
            [dot_of(way, marked=place == 0) for place, way in enumerate(plan.ways)],
            title="Share of the ideal list that each way finds",
            description="; ".join(
                f"{way.label}: {percent(way.found)}, 95 % interval {ends_of(way.found)}"
                for way in plan.ways
            ),
            axis="share of the ideal list found, in percent",
            name="ways",
        ),
        legend="Dot: mean. Line: 95 % interval. The square is these rules.",
        tables=(_figures("Ways to spend the same budget", plan.ways),),
    )


def _noticed(preview: Preview, assumed: tuple[str, ...]) -> ReportSection:
    pairs = [("Assumed", text) for text in assumed]
    pairs += [("To think about", warning) for warning in preview.warnings]
    return ReportSection(
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


def _how(plan: RoundPlan) -> ReportSection:
    medians = ", ".join(f"{days:g}" for days in plan.setting.days.median)
    return ReportSection(
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


def _asked(plan: RoundPlan) -> ReportSection:
    names = [kind.name for kind in plan.setting.rules.kinds]
    rows = [
        (
            way.label,
            *(f"{count:,.0f}" for count in way.asked),
            *("0" for _ in range(len(names) - len(way.asked))),
            f"{way.value.value:.4f}",
            percent(way.sufficed),
        )
        for way in (plan.forecast, *plan.ways)
    ]
    return ReportSection(
        title="Requests and value",
        tables=(
            ReportTable(
                caption="Requests per round, true total over that of the ideal list, rounds that "
                "settled",
                headers=("way", *names, "value", "settled"),
                rows=tuple(rows),
                numbers=tuple(range(1, len(names) + 3)),
            ),
        ),
    )


# Small words


def _figures(caption: str, summaries: tuple[Summary, ...]) -> ReportTable:
    return ReportTable(
        caption=caption,
        headers=("way", "ideal list", "95 % interval", "same list again", "days", "cost"),
        rows=tuple(
            (
                way.label,
                percent(way.found),
                ends_of(way.found),
                percent(way.overlap),
                f"{way.days.value:.0f}",
                f"{way.cost.value:,.0f}",
            )
            for way in summaries
        ),
        numbers=(1, 2, 3, 4, 5),
    )


def describe(setting: PlanSetting) -> str:
    """Return in a few words what is planned, for progress."""
    return f"{setting.applicants:,} applicants, {setting.places} places"
