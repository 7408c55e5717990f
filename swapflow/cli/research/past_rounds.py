"""`swapflow study past`: what last year's reviews say about the next round."""

import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from swapflow.cli.options import AsJson, Columns, Encoding, column_roles, split_pair
from swapflow.cli.output import Listing, many, report, to_text, warn
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.planning.past.past_estimates import PastEstimates
    from swapflow.planning.past.past_fit import Severity


FigureTelling = Literal["named", "numbered", "off"]
"""The values of `ReviewerFigures`, which --help need not load the rules for."""


MOST_REVIEWERS = 5
"""Reviewers named at each end; --json has all."""


def register(app: typer.Typer) -> None:
    """Add the command to the group `study`."""
    app.command("past")(past)


def past(
    scores: Annotated[
        Path,
        typer.Argument(metavar="SCORES", help="A row for each score: applicant, reviewer, score."),
    ],
    items: Annotated[Path, typer.Argument(metavar="ITEMS", help="A row for each applicant.")],
    scale: Annotated[
        str, typer.Option(metavar="WORST..BEST", help="Scale of the scores, e.g. 1..10.")
    ] = "",
    interviews: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Interview scores, if in their own file.")
    ] = None,
    interview_scale: Annotated[
        str, typer.Option(metavar="WORST..BEST", help="Scale of the interviews, if another.")
    ] = "",
    only: Annotated[
        str, typer.Option(metavar="COLUMN=VALUE", help="Only these applicants, e.g. year=2025.")
    ] = "",
    minutes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=N", help="Minutes one takes, where no column says so; repeatable."
        ),
    ] = None,
    places: Annotated[
        int | None, typer.Option(min=1, help="Places of the next round, for --rules.")
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option("--rules", metavar="OUT.TOML", help="Write a rules file, ready to edit."),
    ] = None,
    reviewer_figures: Annotated[
        FigureTelling,
        typer.Option(
            help=("How reviewers are listed beside how they mark: by random number or name.")
        ),
    ] = "numbered",
    column: Columns = None,
    encoding: Encoding = None,
    as_json: AsJson = False,
) -> None:
    """Show what a past round's scores tell: spread, agreement, marking, worth of interviews."""
    # Matrices of a few hundred rows: threads that wait for each other cost more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from swapflow.files.imports.past_round import read_past
    from swapflow.planning.past.past_estimates import estimate, with_minutes

    read = read_past(
        scores,
        items,
        scale=scale,
        interviews=interviews,
        interview_scale=interview_scale,
        only=split_pair(only, "--only", "COLUMN=VALUE") if only else None,
        mapping=column_roles(column),
        encoding=encoding,
    )
    found = estimate(with_minutes(read, dict(map(_minutes, minutes or ()))))
    found = replace(found, severities=_told(found.severities, reviewer_figures))
    for warning in found.warnings:
        warn(warning)
    if rules is not None:
        _write_rules(rules, found, places)
    report(_json(found), *_plain(found, rules), as_json=as_json)


def _told(severities: "tuple[Severity, ...]", mode: FigureTelling) -> "tuple[Severity, ...]":
    """Return severities as they are told: named, under numbers drawn for this look, or not."""
    if mode == "named":
        return severities
    people = sorted({one.reviewer for one in severities})
    # Drawn anew each time: a file has no secret of its own that could keep numbers.
    numbers = dict(
        zip(people, SystemRandom().sample(range(len(people)), len(people)), strict=True)
    )
    return tuple(
        replace(one, reviewer=f"reviewer {numbers[one.reviewer] + 1}")
        for one in (severities if mode == "numbered" else ())
    )


def _minutes(text: str) -> tuple[str, float]:
    name, value = split_pair(text, "--minutes", "KIND=N")
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise InvalidInputError("minutes_option_unreadable", text=text, value=value)
    return name, number


def _write_rules(path: Path, found: "PastEstimates", places: int | None) -> None:
    from swapflow.planning.past.past_rules import rules_text

    text = rules_text(found, places=places)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInputError("output_unwritable", file=path, problem=error.strerror) from error


def _json(found: "PastEstimates") -> dict[str, object]:
    from swapflow.planning.past.past_wording import figures

    content: dict[str, object] = json.loads(to_text(asdict(found)))
    content["figures"] = [asdict(figure) for figure in figures(found)]
    return content


def _plain(found: "PastEstimates", rules: Path | None) -> "list[str | Listing]":
    from swapflow.planning.past.past_wording import figures, shown

    known = figures(found)
    review = found.kinds[0]
    head = (
        f"{many(found.scored, 'applicant')} with {many(review.marks, review.name)}, "
        f"{found.per_item:.1f} each"
    )
    without = found.items - found.scored
    listed: list[str | Listing] = [
        head
        + (f"; {without} more without any" if without else "")
        + (f"; {many(found.missing, 'empty cell')} left out" if found.missing else "")
    ]
    if known:
        listed += [
            Listing(
                headers=("what", "estimate", "95 % interval"),
                rows=tuple((figure.title, *shown(figure)) for figure in known),
            ),
            "What it means:",
            *(f"- {figure.title}: {figure.meaning}" for figure in known),
        ]
    if found.days is not None:
        listed.append(
            f"- answers: half of the {review.name}s came within {found.days[0]:.1f} days"
        )
    if found.severities:
        listed += _reviewers(found.severities)
    if found.unknown:
        listed.append("What these files cannot tell:")
        listed += [f"- {unknown.name}: {unknown.reason}" for unknown in found.unknown]
    if rules is not None:
        listed.append(f"rules written to {rules}: edit them, then try `swapflow plan {rules}`")
    return listed


def _reviewers(severities: "tuple[Severity, ...]") -> "list[str | Listing]":
    """Show the ends of the list; shrunk, so that three marks alone make nobody strict."""
    ends = severities
    if len(severities) > 2 * MOST_REVIEWERS:
        ends = (*severities[:MOST_REVIEWERS], *severities[-MOST_REVIEWERS:])
    title = (
        f"Reviewers by how they mark ({len(ends)} of {len(severities)}; --json lists all; "
        "nearer to 0 where there are few marks):"
    )
    return [
        title,
        Listing(
            headers=("reviewer", "kind", "marks", "points above the others", "give or take"),
            rows=tuple(
                (
                    one.reviewer,
                    one.kind,
                    one.marks,
                    f"{100 * one.severity:+.1f}",
                    f"{100 * 1.96 * one.error:.1f}",
                )
                for one in ends
            ),
        ),
    ]
