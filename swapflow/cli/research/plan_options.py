"""Options of `swapflow plan`, read and checked."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from swapflow.cli.options import split_pair
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.domain.people.application import NewApplication
    from swapflow.domain.people.reviewer import NewReviewer
    from swapflow.domain.rules import Rules
    from swapflow.planning.setting import Days, Marks, PlanSetting


PER_PLACE = 10
"""Applicants for a place, where nothing says how many there are."""


PER_REVIEWER = 40
"""Applicants for a reviewer, likewise."""


LARGEST_SPREAD = 50.0
"""Points of 100: half of all marks at either end."""


def count_applicants(text: str, rules: "Rules", notes: list[str]) -> "tuple[NewApplication, ...]":
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


def read_reviewer_options(
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
            raise InvalidInputError("interviewers_with_roster", roster=text)
        return read_reviewers(Path(text), rules=rules)
    if text:
        count = int(text)
    else:
        known = len(count_applicants(applicants, rules, []))
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


def read_setting(
    rules: "Rules",
    who: "tuple[NewApplication, ...]",
    people: "tuple[NewReviewer, ...]",
    marks: "Marks",
    delays: "Days",
) -> "PlanSetting":
    """Build the setting of the plan from its options."""
    from swapflow.planning.setting import PlanSetting, planned_reviewers

    return PlanSetting(
        rules=rules,
        applicants=len(who),
        people=planned_reviewers(rules, people),
        marks=marks,
        days=delays,
        values={
            name: tuple(one.selection.get(name, "") for one in who) for name in rules.attributes
        },
    )


def read_marks(
    past: Path | None,
    rules: "Rules",
    stated: tuple[float | None, float | None, float | None],
    notes: list[str],
) -> "Marks":
    """Read each spread from the options, else from a past round, else from the rules or usage."""
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
                raise InvalidInputError("spread_out_of_range", option=option, value=value)
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
    from swapflow.untrusted.json_text import read_json_file

    content = read_json_file(path)
    try:
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
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise InvalidInputError("past_estimates_unreadable", path=path) from error


def read_delays(
    rules: "Rules", stated: list[str] | None, silence: float, notes: list[str]
) -> "Days":
    """Read how long reviewers take: as given, or as in the past round."""
    from swapflow.planning.setting import Days, usual_days

    known: dict[str, float] = {}
    for text in stated or ():
        name, value = split_pair(text, "--days", "KIND=N")
        if rules.kind_index(name) < 0 or not _positive(value):
            kinds = ", ".join(kind.name for kind in rules.kinds)
            raise InvalidInputError("days_option_unreadable", text=text, kinds=kinds)
        known[name] = float(value)
    medians = tuple(
        known.get(kind.name) or usual
        for kind, usual in zip(rules.kinds, usual_days(rules), strict=True)
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


def read_date(text: str) -> date | None:
    """Read a date in ISO form; None for an empty text."""
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInputError("start_not_a_date", text=text) from None
