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

from swapflow.cli.options import AsJson, split_pair
from swapflow.cli.output import Listing, report, to_text, warn
from swapflow.cli.research.studies import progress
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.domain.people.application import NewApplication
    from swapflow.domain.people.reviewer import NewReviewer
    from swapflow.domain.rules import Rules
    from swapflow.planning.plan import Plan
    from swapflow.planning.setting import Days, Marks, Setting


PER_PLACE = 10
"""Applicants for a place, where nothing says how many there are."""
PER_REVIEWER = 40
"""Applicants for a reviewer, likewise."""
DAYS_SHARE = 0.5
"""Median days to an answer, as a share of the window."""
USUAL_DAYS = 7.0
LARGEST_SPREAD = 50.0
"""Points of 100: half of all marks at either end."""


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
        typer.Option(min=0, help="How many of them take the dearest kind; else all."),
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
        float, typer.Option(min=0, max=0.9, help="Share of requests that go unanswered.")
    ] = 0.05,
    start: Annotated[
        str, typer.Option(metavar="YYYY-MM-DD", help="First day, to see whether a deadline holds.")
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
    people = _reviewers(reviewers, wanted, interviewers, notes, applicants=applicants)
    who = _applicants(applicants, wanted, notes)
    preview = check(wanted, who, people, source=rules.name)
    first = _date(start)
    marks = _marks(past, wanted, (spread, between, severity), notes)
    setting = _setting(wanted, who, people, marks, _delays(wanted, days, silence, notes))
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
        f"without a file of applicants nobody knows who belongs to which group, so the limits "
        f"and wishes for {', '.join(named)} are left out of the simulation: give the file with "
        "--applicants to have them kept to"
    )
    return replace(rules, quotas=(), targets=())


def _applicants(text: str, rules: "Rules", notes: list[str]) -> "tuple[NewApplication, ...]":
    """Read the applicants, or invent as many as are said."""
    from swapflow.domain.people.application import NewApplication
    from swapflow.files.imports.applications import read_applications
    from swapflow.planning.setting import USUAL_GROUPS

    if text and not text.isdigit():
        return read_applications(Path(text), rules=rules).new
    count = _count(text, rules, notes)
    spread = [one.attribute for one in rules.objective.attributes]
    if spread:
        notes.append(
            f"{USUAL_GROUPS} groups of equal size in {', '.join(spread)}: a file of applicants "
            "says how many there are (--applicants)"
        )
    return tuple(
        NewApplication(
            external_id=f"A{number:06d}",
            # Each further attribute crosses those before it.
            selection={
                name: f"group {number // USUAL_GROUPS**place % USUAL_GROUPS + 1}"
                for place, name in enumerate(spread)
            },
            monitor={},
            fields={},
        )
        for number in range(count)
    )


def _count(text: str, rules: "Rules", notes: list[str]) -> int:
    if text.isdigit():
        return int(text)
    if rules.max_applicants is not None:
        notes.append(f"{rules.max_applicants:,} applicants: the most that the rules name")
        return rules.max_applicants
    count = PER_PLACE * rules.cohort_size
    notes.append(
        f"{count:,} applicants, {PER_PLACE} for each place: say how many there are with "
        "--applicants"
    )
    return count


def _reviewers(
    text: str,
    rules: "Rules",
    interviewers: int | None,
    notes: list[str],
    *,
    applicants: str,
) -> "tuple[NewReviewer, ...]":
    """Read the roster, or invent as many as are said; the last ones take the dearest kind."""
    from swapflow.domain.people.reviewer import NewReviewer
    from swapflow.files.imports.reviewers import read_reviewers

    if text and not text.isdigit():
        if interviewers is not None:
            raise InvalidInputError(
                "--interviewers counts invented reviewers; the roster in "
                f"{text} says itself who takes what"
            )
        return read_reviewers(Path(text), rules=rules)
    if text:
        count = int(text)
    else:
        known = len(_applicants(applicants, rules, []))
        seats = max(kind.seats for kind in rules.kinds) + max(kind.maximum for kind in rules.kinds)
        count = max(known // PER_REVIEWER, seats, 3)
        notes.append(
            f"{count} reviewers, one for {PER_REVIEWER} applicants: say how many there are with "
            "--reviewers"
        )
    dearest = max(rules.kinds, key=lambda kind: kind.cost).name
    first = rules.kinds[0].name
    able = count if interviewers is None else min(interviewers, count)
    return tuple(
        NewReviewer(
            external_id=f"R{number:05d}",
            email=f"r{number}@reviewers.invalid",
            capacity={
                kind.name: None
                for kind in rules.kinds
                if kind.name != dearest or kind.name == first or number < able
            },
        )
        for number in range(count)
    )


def _setting(
    rules: "Rules",
    who: "tuple[NewApplication, ...]",
    people: "tuple[NewReviewer, ...]",
    marks: "Marks",
    delays: "Days",
) -> "Setting":
    from swapflow.planning.setting import Person, Setting

    return Setting(
        rules=rules,
        applicants=len(who),
        people=tuple(
            Person(
                most=tuple(person.capacity.get(kind.name, 0) for kind in rules.kinds),
                packet=person.packet or rules.packet,
            )
            for person in people
        ),
        marks=marks,
        days=delays,
        values={
            name: tuple(one.selection.get(name, "") for one in who) for name in rules.attributes
        },
    )


def _marks(
    past: Path | None,
    rules: "Rules",
    stated: tuple[float | None, float | None, float | None],
    notes: list[str],
) -> "Marks":
    """Take each spread from the options, else from a past round, else from the rules or usage."""
    from swapflow.planning.setting import Marks

    usual = Marks()
    known = _past(past)
    names = ("sigma", "between", "severity")
    titles = ("spread of marks of one applicant", "spread of applicants", "spread of reviewers")
    options = ("--spread", "--between", "--severity")
    found: dict[str, float] = {}
    for name, title, option, value in zip(names, titles, options, stated, strict=True):
        if value is not None:
            least = 0.0 if name == "severity" else 0.1
            if not least <= value <= LARGEST_SPREAD:
                raise InvalidInputError(
                    f"{option} {value:g} is no spread on a scale of 100: write e.g. 16 "
                    "(at most 50)"
                )
            found[name] = value / 100
        elif known.get(name) is not None:
            found[name] = float(known[name] or 0)
        elif name == "sigma" and rules.sigma is not None:
            found[name] = rules.sigma
        else:
            found[name] = getattr(usual, name)
            notes.append(
                f"{title}: {100 * found[name]:g} points of 100, as seen in conference reviews; "
                f"`swapflow study past` measures it on yours ({option})"
            )
    level = known.get("level")
    return Marks(
        sigma=found["sigma"],
        between=found["between"],
        severity=found["severity"],
        level=0.5 if level is None else level,
    )


def _past(path: Path | None) -> dict[str, float | None]:
    """Read the spreads that `study past --json` printed."""
    if path is None:
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        first = content["kinds"][0]
        pairs = {
            "sigma": first["noise"],
            "between": content["between"],
            "severity": first["severity"],
        }
        return {
            name: None if interval is None else float(interval["value"])
            for name, interval in pairs.items()
        } | {"level": float(first["level"])}
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise InvalidInputError(
            f"{path}: this is not what `swapflow study past --json` prints"
        ) from error


def _delays(rules: "Rules", stated: list[str] | None, silence: float, notes: list[str]) -> "Days":
    from swapflow.planning.setting import Days

    known: dict[str, float] = {}
    for text in stated or ():
        name, value = split_pair(text, "--days", "KIND=N")
        if rules.kind_index(name) < 0 or not _positive(value):
            kinds = ", ".join(kind.name for kind in rules.kinds)
            raise InvalidInputError(
                f"--days {text!r} cannot be read: write KIND=N with a kind of the rules ({kinds}) "
                "and a number of days above 0"
            )
        known[name] = float(value)
    medians = tuple(
        known.get(kind.name) or DAYS_SHARE * kind.window_days or USUAL_DAYS for kind in rules.kinds
    )
    unsaid = [
        f"{kind.name} {median:g}"
        for kind, median in zip(rules.kinds, medians, strict=True)
        if kind.name not in known
    ]
    if unsaid:
        notes.append(
            f"median days to an answer: {', '.join(unsaid)}, half of the window: say what yours "
            "are with --days"
        )
    return Days(median=medians, silence=silence)


def _positive(text: str) -> bool:
    try:
        return 0 < float(text) < 1000  # noqa: PLR2004 - three years are no median
    except ValueError:
        return False


def _date(text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInputError(
            f"--start {text!r} is no date: write year-month-day, e.g. 2026-01-31"
        ) from None


# What came out


def _json(
    found: "Plan", notes: list[str], start: date | None, seconds: float
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


def _left(found: "Plan", start: date | None) -> float | None:
    deadline = found.setting.rules.deadline
    return None if deadline is None or start is None else float((deadline.date() - start).days)


def _plain(
    found: "Plan", where: Path, seconds: float, start: date | None
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
