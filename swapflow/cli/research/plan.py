"""`swapflow plan`: a round simulated before it starts, as a page and as JSON."""

import json
import os
import shlex
import sys
import time
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.options import AsJson
from swapflow.cli.output import Listing, report, to_text, warn
from swapflow.cli.research.plan_options import (
    count_applicants,
    read_date,
    read_delays,
    read_marks,
    read_reviewer_options,
    read_setting,
)
from swapflow.cli.research.studies import progress


if TYPE_CHECKING:
    from swapflow.domain.rules import Rules
    from swapflow.planning.plan import RoundPlan


def register(app: typer.Typer) -> None:
    """Add the command to the top level."""
    app.command("plan")(plan)


def plan(
    rules: Annotated[Path, typer.Argument(metavar="CYCLE.TOML", help="The rules to try.")],
    applicants: Annotated[
        str, typer.Option(metavar="N|FILE", help="How many, or a file of applicants.")
    ] = "",
    reviewers: Annotated[str, typer.Option(metavar="N|FILE", help="How many, or a roster.")] = "",
    interviewers: Annotated[
        int | None,
        typer.Option(min=0, help="How many of them take the dearest review; else all."),
    ] = None,
    spread: Annotated[
        float | None, typer.Option(help="Points of 100 by which marks of one applicant spread.")
    ] = None,
    between: Annotated[
        float | None, typer.Option(help="Points of 100 by which applicants spread.")
    ] = None,
    severity: Annotated[
        float | None, typer.Option(help="Points of 100 by which reviewers' strictness spreads.")
    ] = None,
    past: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What `study past --json` printed: source of these."),
    ] = None,
    days: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND=N", help="Median days to an answer; repeatable."),
    ] = None,
    silence: Annotated[
        float, typer.Option(min=0, max=0.9, help="Share of reviews that go unanswered.")
    ] = 0.05,
    start: Annotated[
        str,
        typer.Option(metavar="YYYY-MM-DD", help=("First day, to see whether a deadline is met.")),
    ] = "",
    runs: Annotated[int, typer.Option(min=4, help="Simulated rounds behind the forecast.")] = 12,
    processes: Annotated[
        int, typer.Option(min=0, help="Local processes; 0 takes one per processor.")
    ] = 0,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="The forecast and the comparison only, in a third of the time."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of everything drawn.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--report", metavar="OUT.HTML", help="Where the page goes; else plan.html."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate the round to come: cost, days, share of the ideal list, what to change."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # rounds side by side, each on one core
    from swapflow.files.exports.html_page import write
    from swapflow.files.rules.rules_file import read_rules
    from swapflow.planning.checks import check
    from swapflow.planning.plan import plan as simulate
    from swapflow.planning.plan_report import describe, page

    began = time.monotonic()
    notes: list[str] = []
    wanted = _simulated(read_rules(rules), applicants, notes)
    people = read_reviewer_options(reviewers, wanted, interviewers, notes, applicants=applicants)
    who = count_applicants(applicants, wanted, notes)
    preview = check(wanted, who, people, source=rules.name)
    first = read_date(start)
    marks = read_marks(past, wanted, (spread, between, severity), notes)
    setting = read_setting(wanted, who, people, marks, read_delays(wanted, days, silence, notes))
    with progress(f"planning {describe(setting)}") as show:
        found = simulate(
            setting,
            runs=runs,
            processes=processes or os.cpu_count() or 1,
            seed=seed,
            report=show,
            quick=quick,
        )
    where = out or Path("plan.html")
    command = shlex.join(["swapflow", *sys.argv[1:]])
    write(
        where,
        page(
            found,
            preview,
            title=rules.name,
            assumed=tuple(notes),
            start=first,
            command=command,
        ),
    )
    seconds = time.monotonic() - began
    report(
        _json(found, notes, first, seconds),
        *_plain(found, where, seconds, first),
        as_json=as_json,
    )


# What is planned for


def _simulated(rules: "Rules", applicants: str, notes: list[str]) -> "Rules":
    """Leave out what only the real applicants' groups can show, and say so."""
    invented = not applicants or applicants.isdigit()
    if not (invented and (rules.quotas or rules.targets)):
        return rules
    named = [one.title for one in rules.quotas] + [one.title for one in rules.targets]
    notes.append(
        f"without a file of applicants it is not known who belongs to which group, so the limits "
        f"and wishes for {', '.join(named)} are left out of the simulation: give the file with "
        "--applicants to have them kept to"
    )
    return replace(rules, quotas=(), targets=())


# What came out


def _json(
    found: "RoundPlan", notes: list[str], start: date | None, seconds: float
) -> dict[str, object]:
    from swapflow.planning.suggestions import advise

    content: dict[str, object] = json.loads(to_text(asdict(found)))
    setting = content.pop("setting")
    assert isinstance(setting, dict)
    content |= {
        "applicants": found.setting.applicants,
        "places": found.setting.places,
        "reviewers": len(found.setting.people),
        "budget": found.setting.rules.budget,
        "marks": setting["marks"],
        "days": setting["days"],
        "assumed": notes,
        "recommendations": [asdict(one) for one in advise(found, days_left=_left(found, start))],
        "seconds": seconds,
    }
    return content


def _left(found: "RoundPlan", start: date | None) -> float | None:
    deadline = found.setting.rules.deadline
    return None if deadline is None or start is None else float((deadline.date() - start).days)


def _plain(
    found: "RoundPlan", where: Path, seconds: float, start: date | None
) -> "list[str | Listing]":
    from swapflow.planning.suggestions import advise

    forecast = found.forecast
    rows = tuple(
        (
            way.label,
            f"{100 * way.found.value:.0f} %",
            f"{100 * way.found.low:.0f} to {100 * way.found.high:.0f} %",
            f"{way.days.value:.0f}",
            f"{way.cost.value:,.0f}",
        )
        for way in found.ways
    )
    listed: list[str | Listing] = [
        (
            f"in {forecast.runs} simulated rounds: {100 * forecast.found.value:.0f} of 100 places "
            f"of the ideal list found (95 % interval {100 * forecast.found.low:.0f} to "
            f"{100 * forecast.found.high:.0f}), {forecast.days.value:.0f} days, cost "
            f"{forecast.cost.value:,.0f} of {found.setting.rules.budget:,}; the budget suffices "
            f"in {100 * forecast.sufficed.value:.0f} of 100 rounds"
        ),
        Listing(headers=("way", "ideal list", "95 % interval", "days", "cost"), rows=rows),
        "What we recommend:",
        *(f"- {one.title}: {one.reason}" for one in advise(found, days_left=_left(found, start))),
    ]
    warn(f"{seconds:.0f} seconds")
    listed.append(f"the whole report: {where}")
    return listed
