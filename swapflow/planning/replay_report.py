"""A replay as a page: what would have happened last year."""

from pathlib import Path

from swapflow.files.exports.html_page import (
    KeyFigure,
    Point,
    ReportPage,
    ReportSection,
    ReportTable,
    sentence,
)
from swapflow.files.exports.svg_charts import Dot, dots
from swapflow.simulation.replay import Options, ReplayResult


def page(
    found: ReplayResult, options: Options, *, folder: Path, items: int, command: str
) -> ReportPage:
    """Write the report of one replay.

    Args:
        found: What the replay came to.
        options: How it was replayed.
        folder: Where the recorded round lies.
        items: How many applicants it had.
        command: How to make the page again.
    """
    return ReportPage(
        title=f"What would have happened: {folder.name}",
        lead=(
            (
                f"{items:,} applicants for {options.cohort} places, and a budget of "
                f"{options.budget:g} reviews for each applicant. The recorded marks were asked "
                "for again, one batch at a time, as the rules would have asked for them."
            ),
            (
                "Lists are compared by the score that each applicant had in the end, everything "
                "on record counted. This is about marks, not merit."
            ),
        ),
        keys=_keys(found),
        sections=(_ways(found), _meaning(found)),
        advanced=(_details(found, options),),
        foot=f"Made by: {command}",
    )


def _keys(found: ReplayResult) -> tuple[KeyFigure, ...]:
    keys = [
        KeyFigure(
            name="Of the highest possible total",
            figure=_share(found.utility, found.best),
            meaning="is what the list of these rules comes to",
        ),
        KeyFigure(
            name="More than even reviewing",
            figure=f"{100 * (found.utility - found.even) / max(found.best, 1e-9):+.1f} %".replace(
                "-", "−"
            ),
            meaning="of the highest possible total, at the same cost",
        ),
        KeyFigure(
            name="Cost",
            figure=f"{found.cost:,}",
            meaning="in reviews: "
            + ", ".join(f"{count:,} {kind}s" for kind, count in found.pulls.items()),
        ),
    ]
    if found.overlap is not None:
        keys.append(
            KeyFigure(
                name="Shared with the decisions",
                figure=f"{100 * found.overlap:.0f} %",
                meaning="of those who were really chosen are on the list of these rules",
            )
        )
    return tuple(keys)


def _ways(found: ReplayResult) -> ReportSection:
    ways = (
        ("these rules", found.utility, True),
        ("everyone reviewed evenly", found.even, False),
        ("one round each, then interviews", found.two_tier, False),
        ("highest possible", found.best, False),
    )
    rows = [
        Dot(
            label=label,
            value=100 * value / max(found.best, 1e-9),
            low=100 * value / max(found.best, 1e-9),
            high=100 * value / max(found.best, 1e-9),
            text=_share(value, found.best),
            marked=own,
        )
        for label, value, own in ways
    ]
    return ReportSection(
        title="The same cost, spent in other ways",
        picture=dots(
            rows,
            title="Total score of the list, as a share of the highest possible",
            description="; ".join(f"{row.label}: {row.text}" for row in rows),
            axis="total score of the list, in percent of the highest possible",
            name="ways",
        ),
        legend="The square is these rules. One recorded round has no interval; replay other "
        "seeds to see how much the order of the marks does.",
        tables=(
            ReportTable(
                caption="Total score of the list",
                headers=("at the same cost", "score of the list", "of the highest possible"),
                rows=tuple(
                    (label, f"{value:.2f}", _share(value, found.best)) for label, value, _ in ways
                ),
                numbers=(1, 2),
            ),
        ),
    )


def _meaning(found: ReplayResult) -> ReportSection:
    return ReportSection(
        title="Why it stopped",
        points=(
            Point(
                title=sentence(found.why),
                text="A person ends a real round; here nobody was asked.",
            ),
        ),
    )


def _details(found: ReplayResult, options: Options) -> ReportSection:
    return ReportSection(
        title="Details",
        tables=(
            ReportTable(
                caption="Details",
                headers=("what", "value"),
                rows=(
                    ("rule", options.rule.value),
                    ("reviews that everyone gets", options.floor),
                    ("requests in one decision (batch)", options.batch),
                    ("σ", "fitted" if options.sigma is None else f"{options.sigma:g}"),
                    ("δ", f"{options.delta:g}"),
                    ("ε", f"{options.epsilon:g}"),
                    ("certified loss", f"{found.certified_loss:.2f}"),
                    ("seed", found.seed),
                    ("decisions", found.decisions),
                    ("seconds", f"{found.seconds:.1f}"),
                ),
            ),
        ),
    )


def _share(value: float, best: float) -> str:
    return f"{100 * value / best:.1f} %" if best else "–"
