"""`swapflow advise`: who should be read again, from a table of marks alone."""

import os
import re
import shlex
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from swapflow.cli.options import AsJson, Encoding, split_pair
from swapflow.cli.output import Listing, report, warn
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.advice.advise import AdviceQuestion, MarksAdvice, MarksSource
    from swapflow.advice.kinds import ReviewKind
    from swapflow.domain.reviewing.mark_scale import MarkScale
    from swapflow.files.marks.mark import HowToRead


USUAL_REVIEWS = 20
"""Requests where neither --reviews nor --hours says how many."""

USUAL_MINUTES = 20
"""Minutes of a review, where --hours is given and nothing says how long one takes."""

SHOWN = 25
"""Requests shown at the terminal; next.csv has all."""


def register(app: typer.Typer) -> None:
    """Add the command to the top level."""
    app.command("advise")(advise)


def advise(
    marks: Annotated[
        list[str],
        typer.Argument(
            metavar="MARKS",
            help="Tables of marks (CSV, XLSX, JSON); KIND=FILE for those of one kind of review.",
        ),
    ],
    places: Annotated[
        int | None, typer.Option(min=1, help="How many are chosen; --rules may say it.")
    ] = None,
    reviews: Annotated[
        int | None, typer.Option(min=1, max=2000, help="How many more reviews there may be.")
    ] = None,
    hours: Annotated[
        float | None,
        typer.Option(min=0.1, max=10_000, help="Hours that reviewers have, instead of --reviews."),
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[KIND|COLUMN=]WORST..BEST",
            help="Scale of the marks, e.g. 1..10, or interview=1..5; repeatable.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HEADER=ROLE",
            help=(
                "Take a column as `applicant`, `reviewer`, `kind`, `mark`, `criterion`, `name`, "
                "`version`, `conflicts`, `none` or `kind:NAME`; repeatable."
            ),
        ),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=N", help="A criterion and its weight; repeatable."),
    ] = None,
    columns_are: Annotated[
        Literal["reviewers", "reviews"] | None,
        typer.Option(help="What columns of marks are, where their headers mislead."),
    ] = None,
    kinds: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help='What may be asked for, e.g. "review cost=20; interview cost=60 gain=6 most=1".',
        ),
    ] = "",
    rules: Annotated[
        Path | None,
        typer.Option(metavar="FILE.TOML", help="A rules file: costs, gains, floors, quotas."),
    ] = None,
    reviewers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A list of reviewers: limits, conflicts, absences."),
    ] = None,
    applicants: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A list of everyone, with groups where quotas need them."
        ),
    ] = None,
    exclude: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Reviews that are out, e.g. next.csv; repeatable."),
    ] = None,
    rule: Annotated[
        Literal["budget", "certified", "paper"], typer.Option(help="Who is reviewed next.")
    ] = "budget",
    sigma: Annotated[
        float | None, typer.Option(help="Advanced: spread of one mark, for other rules.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Decides ties.")] = 0,
    on: Annotated[
        str, typer.Option(metavar="YYYY-MM-DD", help="Day on which absences count; else today.")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder for the files; here by default, none with --json."
        ),
    ] = None,
    hotcrp: Annotated[
        Literal["primary", "secondary", "pcreview"] | None,
        typer.Option(help="Write HotCRP's file for bulk upload too, with this action."),
    ] = None,
    hotcrp_round: Annotated[
        str, typer.Option(metavar="NAME", help="Review round in HotCRP's file.")
    ] = "",
    encoding: Encoding = None,
    as_json: AsJson = False,
) -> None:
    """Find in a table of marks who should be read again, by whom, and whether it is worth it."""
    # Matrices of a few hundred rows: threads that wait for each other cost more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from swapflow.advice.advise import AdviceQuestion
    from swapflow.advice.advise import advise as answer
    from swapflow.files.rules.rules_file import read_rules

    if reviews is not None and hours is not None:
        raise InvalidInputError("advice_reviews_and_hours")
    if rules is not None and kinds:
        raise InvalidInputError("advice_kinds_and_rules")
    how = _how(scale, column, weight, columns_are, encoding)
    named = _kinds(kinds, timed=hours is not None)
    question = AdviceQuestion(
        marks=tuple(_source(one) for one in marks),
        places=places,
        reviews=reviews if hours is not None or reviews is not None else USUAL_REVIEWS,
        budget=None if hours is None else round(60 * hours),
        kinds=named,
        rules=None if rules is None else read_rules(rules),
        rule=rule,
        sigma=sigma,
        seed=seed,
        how=how,
        reviewers=reviewers,
        applicants=applicants,
        exclude=tuple(exclude or ()),
        on=_day(on),
    )
    advice = answer(question)
    if hours is not None and not kinds and rules is None:
        warn(f"a review is taken to last {USUAL_MINUTES} minutes; say otherwise with --kinds")
    for warning in advice.warnings:
        warn(warning)
    written = _written(
        advice, question, out, as_json=as_json, hotcrp=hotcrp, hotcrp_round=hotcrp_round
    )
    report(advice.content(), *_plain(advice, written, timed=_timed(question)), as_json=as_json)


# What is asked


def _how(
    scale: list[str] | None,
    column: list[str] | None,
    weight: list[str] | None,
    columns_are: str | None,
    encoding: str | None,
) -> "HowToRead":
    from swapflow.files.marks.mark import HowToRead

    return HowToRead(
        scales=dict(map(_scale, scale or ())),
        columns={
            h: r.casefold()
            for h, r in (split_pair(c, "--column", "HEADER=ROLE") for c in column or ())
        },
        weights=dict(map(_weight, weight or ())),
        by=columns_are or "",
        encoding=encoding,
    )


def _scale(text: str) -> "tuple[str, MarkScale]":
    from swapflow.domain.reviewing.mark_scale import MarkScale

    name, _, ends = text.rpartition("=")
    return name.strip().casefold(), MarkScale.written(ends)


def _weight(text: str) -> tuple[str, float]:
    name, value = split_pair(text, "--weight", "COLUMN=N")
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise InvalidInputError("advice_weight", text=text)
    return name, number


def _kinds(text: str, *, timed: bool) -> "tuple[ReviewKind, ...]":
    """Read what may be asked for: "review cost=20; interview cost=60 gain=6"."""
    from swapflow.advice.kinds import ReviewKind

    if not text.strip():
        return (ReviewKind(cost=USUAL_MINUTES),) if timed else ()
    found = []
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, *settings = part.split()
        said: dict[str, str] = {}
        for setting in settings:
            key, _, value = setting.partition("=")
            if key not in {"cost", "gain", "floor", "most", "requires"} or not value:
                raise InvalidInputError("advice_kinds_unreadable", text=part)
            said[key] = value
        try:
            found.append(
                ReviewKind(
                    name.casefold(),
                    cost=int(said.get("cost", "1")),
                    gain=float(said.get("gain", "1")),
                    floor=int(said.get("floor", "0")),
                    most=int(said["most"]) if "most" in said else None,
                    requires=said.get("requires", "").casefold(),
                )
            )
        except ValueError as error:
            raise InvalidInputError("advice_kinds_unreadable", text=part) from error
    return tuple(found)


def _source(text: str) -> "MarksSource":
    """Read FILE or KIND=FILE; a file whose name holds "=" is taken as it is."""
    from swapflow.advice.advise import read_source

    kind, _, path = text.partition("=")
    if path and not Path(text).exists() and re.fullmatch(r"[a-z][a-z0-9_-]{0,23}", kind):
        return read_source(Path(path), kind)
    return read_source(Path(text))


def _day(text: str) -> date:
    if not text:
        return date.today()  # noqa: DTZ011 - the day on the wall of the office
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidInputError("advice_day", text=text) from error


def _timed(question: "AdviceQuestion") -> bool:
    """Whether costs are minutes: where hours were given, or a rules file speaks of them."""
    return question.budget is not None


# What is answered


def _written(
    advice: "MarksAdvice",
    question: "AdviceQuestion",
    out: Path | None,
    *,
    as_json: bool,
    hotcrp: str | None,
    hotcrp_round: str,
) -> list[Path]:
    if as_json and out is None:
        return []
    from swapflow.advice.report import page
    from swapflow.advice.tables import HotcrpAction, write_tables
    from swapflow.files.exports.html_page import write

    folder = out or Path()
    written = write_tables(
        folder,
        advice,
        action=None if hotcrp is None else HotcrpAction(hotcrp),
        round_name=hotcrp_round,
    )
    command = shlex.join(["swapflow", *sys.argv[1:]])
    path = folder / "report.html"
    write(path, page(advice, command=command, timed=_timed(question)))
    return [path, *written]


def _plain(advice: "MarksAdvice", written: list[Path], *, timed: bool) -> "list[str | Listing]":
    from swapflow.advice import wording

    listed: list[str | Listing] = [
        wording.read(advice),
        wording.looks(advice),
        wording.zones(advice),
    ]
    if advice.requests:
        rows = [
            (
                place,
                one.applicant,
                one.kind,
                one.reviewer or "any new to them",
                f"{one.gain:.3f}",
                one.reason,
            )
            for place, one in enumerate(advice.requests[:SHOWN], start=1)
        ]
        more = len(advice.requests) - len(rows)
        listed += [
            f"{wording.title(advice)}:",
            Listing(
                headers=("#", "applicant", "kind", "reviewer", "points a place", "why"),
                rows=tuple(rows),
            ),
            *([f"and {more} more, in next.csv"] if more else []),
        ]
    listed.append(wording.worth(advice))
    if timed and advice.requests:
        listed.append(f"They take about {wording.hours(advice.cost)}.")
    if said := wording.stopped(advice):
        listed.append(said)
    if written:
        listed.append("Written: " + ", ".join(str(path) for path in written))
    return listed
