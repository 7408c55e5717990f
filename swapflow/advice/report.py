"""Advice as one page that can be printed: what to ask for, what it brings, what it rests on."""

from swapflow.advice import wording
from swapflow.advice.advise import MarksAdvice
from swapflow.advice.answering import TOO_CLOSE
from swapflow.advice.answers import Ranked
from swapflow.files.exports.html_page import (
    KeyFigure,
    Point,
    ReportPage,
    ReportSection,
    ReportTable,
    sentence,
)
from swapflow.files.exports.svg_charts import Bar, Dot, bars, dots


AROUND_THE_CUT = 12
"""Applicants shown above the cut, and below it."""

SHOWN_REQUESTS = 60
"""Requests that the page lists; the table has all."""

LONGEST_LABEL = 34

METHOD = (
    (
        "A mark is what the applicant deserves, plus how high the reviewer marks, plus chance: "
        "all normal, fitted to the marks in the file. Estimates are that model's posterior means."
    ),
    "The next request is the one with the highest expected improvement of the list per cost.",
    (
        "What is expected after further reviews: posterior means drawn 64 times from their "
        "predictive distribution, with the variances that there will be."
    ),
    "This is about marks, not merit: people decide.",
)


def page(advice: MarksAdvice, *, command: str, timed: bool = False) -> ReportPage:
    """Write the report.

    Args:
        advice: The answer.
        command: How to make the page again.
        timed: Whether costs are minutes.
    """
    sources = ", ".join(one.source for one in advice.files)
    lead = [f"{sources}: {wording.read(advice)}", wording.worth(advice)]
    if timed and advice.requests:
        lead.append(f"They take about {wording.hours(advice.cost)}.")
    if said := wording.stopped(advice):
        lead.append(said)
    return ReportPage(
        title=wording.title(advice),
        lead=tuple(lead),
        keys=_keys(advice),
        sections=(
            _loss(advice),
            *((_requests(advice),) if advice.requests else ()),
            _ranking(advice),
            _marks(advice),
            _columns(advice),
            *((_noticed(advice),) if advice.warnings else ()),
        ),
        advanced=(_method(advice),),
        foot=f"Made by: {command}",
    )


def _keys(advice: MarksAdvice) -> tuple[KeyFigure, ...]:
    loss, standing = advice.loss, advice.standing
    low, high = standing.loss_range
    return (
        KeyFigure(
            name="Short of the best possible",
            figure=wording.points(loss.now),
            meaning=f"of 100 a place, by the model (90 % range {low:.1f} to {high:.1f})",
        ),
        KeyFigure(
            name="After these requests",
            figure=wording.points(loss.after),
            meaning="expected, with those that are out" if advice.waiting else "expected",
        ),
        KeyFigure(
            name="Too close to call",
            figure=f"{standing.too_close:,}",
            meaning=f"of {advice.figures.applicants:,} applicants; the cut is at "
            f"{standing.cut:.1f}",
        ),
        KeyFigure(
            name="Places that could still change",
            figure=f"{standing.could_change:.1f}",
            meaning=f"of {standing.places:,}, by the model",
        ),
    )


def _requests(advice: MarksAdvice) -> ReportSection:
    ranked = {one.applicant: one for one in advice.standing.ranking}
    several = len({one.kind for one in advice.requests}) > 1
    named = any(one.reviewer for one in advice.requests)
    shown = advice.requests[:SHOWN_REQUESTS]
    rows = []
    for place, one in enumerate(shown, start=1):
        own = ranked[one.applicant]
        rows.append(
            (
                place,
                _called(advice, one.applicant),
                *((one.kind,) if several else ()),
                own.reviews,
                wording.margin(own),
                wording.chance(own),
                *((one.reviewer,) if named else ()),
                wording.gain(one.gain),
                # How near is told by the columns beside it.
                "near the cut" if own.zone == TOO_CLOSE and own.reviews else one.reason,
            )
        )
    text = [
        "In this order: each is the request that is expected to add most to the list for its cost."
    ]
    if not named:
        text.append("Ask any reviewer who has not read the applicant: the file names none.")
    if len(advice.requests) > len(shown):
        text.append(f"The first {len(shown)} are shown; next.csv has all.")
    return ReportSection(
        title="The next requests",
        text=tuple(text),
        tables=(
            ReportTable(
                caption="What to ask for, in order",
                headers=(
                    "#",
                    "Applicant",
                    *(("Kind",) if several else ()),
                    "Marks",
                    "Estimate",
                    f"Top {advice.standing.places}",
                    *(("A reviewer new to them",) if named else ()),
                    "Points a place",
                    "Why",
                ),
                rows=tuple(rows),
                numbers=(0, 2 + several, 3 + several, 4 + several, 5 + several + named),
            ),
        ),
    )


def _loss(advice: MarksAdvice) -> ReportSection:
    loss, count = advice.loss, len(advice.requests)
    steps = [("now", loss.now)]
    if count or advice.waiting:
        steps.append((f"after these {count:,}" if count else "after those out", loss.after))
    if count:
        steps.append((f"after {count:,} more", loss.after_twice))
    return ReportSection(
        title="What more reviews bring",
        text=(
            wording.worth(advice),
            "When the next column is hardly lower, further reviews are not worth their time.",
        ),
        picture=bars(
            [
                Bar(label=label, value=value, text=f"{value:.2f}", marked=place > 0)
                for place, (label, value) in enumerate(steps)
            ],
            title="Points of 100 a place short of the best possible",
            description="; ".join(f"{value:.2f} {label}" for label, value in steps),
            name="loss",
        ),
        legend="Points of 100 a place by which the list is expected to fall short of the list "
        "that would be chosen if everyone were reviewed without end.",
        tables=(
            ReportTable(
                caption="Short of the best possible",
                headers=("When", "Points of 100 a place"),
                rows=tuple((label, f"{value:.2f}") for label, value in steps),
                numbers=(1,),
            ),
        ),
    )


def _ranking(advice: MarksAdvice) -> ReportSection:
    standing = advice.standing
    around = standing.ranking[
        max(0, standing.places - AROUND_THE_CUT) : standing.places + AROUND_THE_CUT
    ]
    return ReportSection(
        title="Around the cut",
        text=(wording.zones(advice), "ranking.csv has everyone."),
        picture=dots(
            [_dot(advice, one) for one in around],
            title="Estimates around the cut, with their 90 % ranges",
            description=f"The cut is at {standing.cut:.1f}, after rank {standing.places}.",
            axis="estimate, 0 to 100",
            name="ranking",
        ),
        legend="Squares are on the list now; lines are 90 % ranges.",
        tables=(
            ReportTable(
                caption="Around the cut",
                headers=(
                    "Rank",
                    "Applicant",
                    "Estimate",
                    "90 % range",
                    f"Likely among the top {standing.places}",
                    "Now",
                    "Marks",
                ),
                rows=tuple(
                    (
                        one.rank,
                        _called(advice, one.applicant),
                        f"{one.estimate:.1f}",
                        f"{one.low:.0f} to {one.high:.0f}",
                        wording.chance(one),
                        one.zone,
                        one.reviews,
                    )
                    for one in around
                ),
                numbers=(0, 2, 3, 4, 6),
            ),
        ),
    )


def _dot(advice: MarksAdvice, one: Ranked) -> Dot:
    label = f"{one.rank}. {_called(advice, one.applicant)}"
    return Dot(
        label=label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…",
        value=one.estimate,
        low=one.low,
        high=one.high,
        text=wording.chance(one),
        marked=one.rank <= advice.standing.places,
    )


def _marks(advice: MarksAdvice) -> ReportSection:
    figures = advice.figures
    rows: list[tuple[str, str]] = [
        ("Applicants", f"{figures.applicants:,}"),
        ("of them without a mark", f"{figures.applicants - figures.marked:,}"),
        ("Marks", f"{figures.marks:,}"),
        ("Marks each", f"{figures.marks / max(figures.applicants, 1):.1f}"),
        ("Average, of 100", f"{figures.average:.1f}"),
        ("Spread between applicants, points", f"{figures.spread:.1f}"),
        ("How far one mark is off, points", f"{figures.noise:.1f}"),
        ("Agreement of two marks, 0 to 1", f"{figures.agreement:.2f}"),
    ]
    if figures.reviewers:
        rows += [
            ("Reviewers", f"{figures.reviewers:,}"),
            ("Spread of how high they mark, points", f"{figures.severity:.1f}"),
            ("Highest and lowest apart, points", f"{figures.apart:.1f}"),
        ]
    return ReportSection(
        title="How the marks look",
        text=(wording.looks(advice),),
        tables=(
            ReportTable(
                caption="Marks in the file",
                headers=("What", "How much"),
                rows=tuple(rows),
                numbers=(1,),
            ),
        ),
    )


def _columns(advice: MarksAdvice) -> ReportSection:
    tables = []
    for one in advice.files:
        used = sum(bool(column.taken) for column in one.columns)
        tables.append(
            ReportTable(
                caption=f"{one.source}"
                + (f", from {one.system}" if one.system else "")
                + f": {used} of {len(one.columns)} columns used",
                headers=("Column", "First row", "Read as"),
                rows=tuple(
                    (column.header, column.first, column.taken or "not used")
                    for column in one.columns
                ),
            )
        )
    return ReportSection(
        title="Columns understood",
        text=("Change any that is wrong with `--column HEADER=ROLE` and `--scale`.",),
        tables=tuple(tables),
    )


def _noticed(advice: MarksAdvice) -> ReportSection:
    return ReportSection(
        title="Worth knowing",
        points=tuple(Point(title=sentence(text), text="") for text in advice.warnings),
    )


def _method(advice: MarksAdvice) -> ReportSection:
    rules = advice.rules
    return ReportSection(
        title="How it was decided",
        text=METHOD,
        tables=(
            ReportTable(
                caption="Rules",
                headers=("What", "Value"),
                rows=(
                    ("rule", rules.rule.value),
                    ("objective", rules.objective.name),
                    ("places", rules.cohort_size),
                    *(
                        (f"{kind.name}: cost, gain", f"{kind.cost}, {kind.gain:g}")
                        for kind in rules.kinds
                    ),
                    ("seed of ties", rules.seed),
                ),
            ),
        ),
    )


def _called(advice: MarksAdvice, applicant: str) -> str:
    name = advice.names.get(applicant, "")
    return f"{applicant} · {name}" if name and name != applicant else applicant
