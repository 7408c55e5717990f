"""The form of the five questions: from rules to its fields, and from what was typed to rules.

Places, reviewers' time, reviews for everyone, interviews and the deadline decide nearly all that
a round costs. Everything else in the rules stays as it is.
"""

from collections.abc import Mapping
from enum import StrEnum

from swapflow.domain.drawn_check import DrawnCheck
from swapflow.domain.rules import FloorFor, KindRules, Rules
from swapflow.files.tables.cells import read_number
from swapflow.i18n.languages import gettext_noop
from swapflow.messages import Message
from swapflow.web.http.nested_forms import FormView, Tree, rows
from swapflow.web.setup.rules_form import read_rules, shown_rules


MINUTES = "minutes"
"""The unit of rounds whose time people type in hours."""
_MINUTES_AN_HOUR = 60
MOST_EVERYONE, MOST_CLOSE = 4, 5
"""Largest numbers of reviews to choose from."""


class Interviews(StrEnum):
    """Who gets an interview."""

    NOBODY = "nobody"
    NEAR = "near"
    CHOSEN = "chosen"
    EVERYONE = "everyone"


def interview_of(rules: Rules) -> KindRules | None:
    """Return the kind that question four asks about: the dearest beside the first."""
    return max(rules.kinds[1:], key=lambda kind: kind.cost, default=None)


def shown_questions(rules: Rules, *, unit: str) -> dict[str, Tree]:
    """Format rules as the fields of the five questions.

    Args:
        rules: The rules.
        unit: The unit of costs; minutes are shown as hours.
    """
    hours = rules.budget / _MINUTES_AN_HOUR if unit == MINUTES else rules.budget
    first, interview = rules.kinds[0], interview_of(rules)
    deadline = shown_rules(rules).get("deadline", "")
    shown: dict[str, Tree] = {
        "places": [{"number": str(line.places)} for line in rules.lines],
        "hours": f"{hours:g}",
        "everyone": str(_count(rules, first.name, FloorFor.ALL)),
        "close": str(_count(rules, first.name, FloorFor.CLOSE)),
        "drawn": "yes" if rules.drawn_check else "no",
        "deadline": deadline,
    }
    if interview is not None:
        shown["interviews"] = _whom(rules, interview).value
        shown["near"] = "" if not interview.total else str(interview.total)
    return shown


def _count(rules: Rules, kind: str, who: FloorFor) -> int:
    return sum(f.count for f in rules.floors if f.kind == kind and f.who is who)


def _whom(rules: Rules, interview: KindRules) -> Interviews:
    if _count(rules, interview.name, FloorFor.ALL):
        return Interviews.EVERYONE
    if _count(rules, interview.name, FloorFor.CHOSEN):
        return Interviews.CHOSEN
    return Interviews.NOBODY if interview.total == 0 else Interviews.NEAR


def read_questions(values: Mapping[str, Tree], old: Rules, view: FormView, *, unit: str) -> Rules:
    """Read the five questions over the rules in force; problems are noted in the view.

    Args:
        values: What was typed.
        old: The rules in force: what no question asks about stays.
        view: Where problems are noted, beside the question that they belong to.
        unit: The unit of costs.
    """
    tree = shown_rules(old)
    for shown, typed in zip(rows(tree, "places"), rows(values, "places"), strict=False):
        shown["number"] = typed.get("number", "")
    tree["budget"] = _budget(_text(values, "hours"), view, unit=unit)
    tree["deadline"] = _text(values, "deadline")
    first, interview = old.kinds[0], interview_of(old)
    floors = [
        floor
        for floor in rows(tree, "floors")
        if (floor["kind"], floor["for"]) not in _asked_about(first, interview)
    ]
    everyone, close = _choice(values, "everyone", view), _choice(values, "close", view)
    floors += _floor(first.name, everyone, FloorFor.ALL)
    floors += _floor(first.name, close, FloorFor.CLOSE)
    if interview is not None:
        kind = next(row for row in rows(tree, "kinds") if row["name"] == interview.name)
        floors += _read_interviews(values, old, interview, kind, view)
    tree["floors"] = list(floors)
    _read_drawn(values, tree, view)
    beneath = FormView(tree)
    new = read_rules(tree, old, beneath)
    for name, found in beneath.problems.items():
        for problem in found:
            if not view.problem(_question(name)):
                view.note(_question(name), problem)
    return new


def _read_drawn(values: Mapping[str, Tree], tree: dict[str, Tree], view: FormView) -> None:
    """Turn the drawn check of those out on or off; a form without the question changes nothing."""
    match _text(values, "drawn"):
        case "yes":
            usual = DrawnCheck()
            tree.setdefault(
                "drawn_check", {"share": f"{usual.share:g}", "least": str(usual.least)}
            )
        case "no":
            tree.pop("drawn_check", None)
        case "":
            pass
        case _:
            view.note("drawn", gettext_noop("choose yes or no"))


def _asked_about(first: KindRules, interview: KindRules | None) -> set[tuple[str, str]]:
    """The floors that the questions replace, by kind and whom they protect."""
    asked = {(first.name, FloorFor.ALL.value), (first.name, FloorFor.CLOSE.value)}
    if interview is not None:
        asked |= {(interview.name, who.value) for who in (FloorFor.ALL, FloorFor.CHOSEN)}
    return asked


def _floor(kind: str, count: int, who: FloorFor) -> list[dict[str, Tree]]:
    return [{"kind": kind, "count": str(count), "for": who.value}] if count else []


def _read_interviews(
    values: Mapping[str, Tree],
    old: Rules,
    interview: KindRules,
    kind: dict[str, Tree],
    view: FormView,
) -> list[dict[str, Tree]]:
    """Write who gets an interview into the form of its kind; return its floors."""
    try:
        whom = Interviews(_text(values, "interviews"))
    except ValueError:
        view.note("interviews", gettext_noop("choose who gets an interview"))
        return []
    kind["total"] = _most(values, interview, whom, kept=_whom(old, interview) is whom)
    who = {Interviews.CHOSEN: FloorFor.CHOSEN, Interviews.EVERYONE: FloorFor.ALL}.get(whom)
    return [] if who is None else _floor(interview.name, 1, who)


def _most(
    values: Mapping[str, Tree], interview: KindRules, whom: Interviews, *, kept: bool
) -> str:
    """Return the most interviews in all, "" for no limit; a new answer lifts the old one's."""
    if whom is Interviews.NOBODY:
        return "0"
    if whom is Interviews.NEAR:
        return _text(values, "near")
    return str(interview.total) if kept and interview.total else ""


def _budget(typed: str, view: FormView, *, unit: str) -> str:
    """Return the budget in the unit of costs, as a whole number."""
    plain = typed.strip().removesuffix("h").strip()
    hours = read_number(plain)
    if hours is None or hours <= 0:
        view.note("hours", Message("hours_missing"))
        return ""
    return str(round(hours * _MINUTES_AN_HOUR) if unit == MINUTES else round(hours))


def _choice(values: Mapping[str, Tree], name: str, view: FormView) -> int:
    typed = _text(values, name)
    if not (typed.isascii() and typed.isdecimal() and len(typed) == 1):
        view.note(name, gettext_noop("choose how many reviews"))
        return 0
    return int(typed)


def _text(values: Mapping[str, Tree], name: str) -> str:
    found = values.get(name, "")
    return found if isinstance(found, str) else ""


def _question(rules_field: str) -> str:
    """Return the question that a field of the rules belongs to; "" for none of them."""
    if rules_field.startswith("places."):
        return rules_field
    if rules_field == "budget":
        return "hours"
    if rules_field == "deadline":
        return "deadline"
    if rules_field.startswith("floors"):
        return "everyone"
    return "near" if rules_field.endswith(".total") else ""
