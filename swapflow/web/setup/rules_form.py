"""The fields of the rules form: from rules to texts, and from what was typed to rules.

Written by hand for the reasons that `nested_forms` gives.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime
from zoneinfo import ZoneInfo

from swapflow.domain.rules import Rules
from swapflow.files.rules.problem import RulesProblem
from swapflow.files.rules.rules_file import examine_rules, raw_rules
from swapflow.files.rules.schema_tables import Toml
from swapflow.files.tables.cells import read_number
from swapflow.i18n.languages import gettext_noop
from swapflow.i18n.translation import translate
from swapflow.web.http.nested_forms import LONGEST_TEXT, FormView, Tree, rows, unwritable


_WHOLE = frozenset((
    "budget", "packet", "signatures", "number", "cost", "minimum", "maximum", "fewest",
    "total", "seats", "quorum", "requires_count", "count", "least", "max_applicants", "batch",
    "out", "attempts", "seed", "explanation_days",
))  # fmt: skip
_NUMBER = frozenset(
    (
        "reserve",
        "minimum_share",
        "maximum_share",
        "worth",
        "bar",
        "gain",
        "window_days",
        "weight",
        "mark",
        "delta",
        "epsilon",
        "sigma",
        "rho",
        "settled",
        "too_close",
        "taper",
        "kind_overlap",
        "share",
        "session_days",
    )
)
_YES_NO = frozenset(
    (
        "blind",
        "funded",
        "approval",
        "severity",
        "kind_offsets",
        "join_reviewers",
        "practice_marks",
        "confidence",
        "group_outcomes",
        "confirm_answers",
    )
)
_MOMENT = frozenset(("applications_close", "deadline"))
_ONE_A_LINE = frozenset(("questions", "confidential", "closed"))
_QUOTA = ("attribute", "value", "minimum", "maximum", "minimum_share", "maximum_share")
_TARGET = ("attribute", "value", "number", "worth")
_TOP = (
    "fewest",
    "bar",
    "purpose",
    "budget",
    "reserve",
    "rule",
    "packet",
    "blind",
    "signatures",
    "group_outcomes",
    "zone",
    "language",
    "notice",
    "confidential",
    "explanation_days",
    "holidays",
    "closed",
    "applications_close",
    "deadline",
    "sign_in",
    "session_days",
    "confirm_answers",
    "reviewer_figures",
)
_ADVANCED = (
    "delta",
    "epsilon",
    "sigma",
    "rho",
    "policy",
    "certificate",
    "severity",
    "kind_offsets",
    "kind_overlap",
    "join_reviewers",
    "practice_marks",
    "estimates",
    "settled",
    "too_close",
    "max_applicants",
    "dispatch",
    "batch",
    "out",
    "taper",
    "attempts",
    "seed",
)
_KIND = (
    "name",
    "cost",
    "gain",
    "requires",
    "requires_count",
    "maximum",
    "total",
    "seats",
    "quorum",
    "approval",
    "window_days",
    "guidance",
    "questions",
    "link",
    "confidence",
)


# From rules to a form


def shown_rules(rules: Rules) -> dict[str, Tree]:
    """Format rules as the texts of a form."""
    shown = _texts(raw_rules(rules))
    assert isinstance(shown, dict)
    for name in _MOMENT:
        moment = getattr(rules, name)
        if moment is not None:
            local = moment.astimezone(ZoneInfo(rules.zone))
            shown[name] = f"{local:%Y-%m-%dT%H:%M}" + (f":{local:%S}" if local.second else "")
    shown["confidential"] = "\n".join(rules.confidential)
    shown["closed"] = "\n".join(rules.free_days.closed if rules.free_days else ())
    advanced = shown.get("advanced")
    if isinstance(advanced, dict):
        # Left out of a file while off; a form has to say so, or a browser sends its first choice.
        advanced.setdefault("practice_marks", "no")
    for kind in rows(shown, "kinds"):
        # Survives a renaming in the form, so that floors and score forms can follow their kind.
        kind["was"] = kind["name"]
        questions = kind.get("questions", [])
        kind["questions"] = "\n".join(map(str, questions))
        kind.setdefault("confidence", "no")
    return shown


def _texts(value: Toml) -> Tree:
    if isinstance(value, dict):
        return {name: _texts(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_texts(item) for item in value]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


# From a form to rules


def read_rules(values: Mapping[str, Tree], old: Rules, view: FormView) -> Rules:
    """Read a form over the rules in force; problems are noted in the view."""
    raw = raw_rules(old)
    before = {str(kind["name"]): kind for kind in _tables(raw, "kinds")}
    _take(raw, values, _TOP, "", view)
    raw["places"] = [
        _taken({}, row, ("name", "number", "funded"), f"places.{i}.", view)
        for i, row in enumerate(rows(values, "places"))
    ]
    kinds: list[Toml] = []
    renamed: dict[str, str] = {}
    for i, row in enumerate(rows(values, "kinds")):
        was = str(row.get("was", ""))
        if problem := unwritable(was, most=200):
            view.note(f"kinds.{i}.name", problem)
        kind = _taken(dict(before.get(was, {})), row, _KIND, f"kinds.{i}.", view)
        kinds.append(kind)
        if was in before:
            renamed[was] = str(kind.get("name", ""))
    raw["kinds"] = kinds
    raw["floors"] = [
        _taken({}, row, ("kind", "count", "for"), f"floors.{i}.", view)
        for i, row in enumerate(rows(values, "floors"))
    ]
    for table, columns in (("quotas", _QUOTA), ("targets", _TARGET)):
        raw[table] = [
            _taken({}, row, columns, f"{table}.{i}.", view)
            for i, row in enumerate(rows(values, table))
        ]
    for name, fields in (
        ("objective", ("name", "attribute", "legal_basis")),
        ("advanced", _ADVANCED),
    ):
        there, typed = raw.get(name, {}), values.get(name, {})
        assert isinstance(there, dict)
        raw[name] = _taken(
            there, typed if isinstance(typed, dict) else {}, fields, f"{name}.", view
        )
    _take_drawn_check(raw, values, view)
    _take_automatic(raw, values, view)
    _follow(raw, renamed)
    return examined(raw, view)


def examined(raw: dict[str, Toml], view: FormView) -> Rules:
    """Build rules from their tables; what is wrong is noted beside its field, once."""
    rules, found = examine_rules(raw)
    noted = set(view.problems)
    for problem in found:
        name = field_of(problem.place)
        if name not in noted:  # said already, in the words of the form
            view.note(name, problem_sentence(problem))
    return rules


def _take_drawn_check(raw: dict[str, Toml], values: Mapping[str, Tree], view: FormView) -> None:
    """Read how many of those out are drawn; two blank fields draw none."""
    typed = values.get("drawn_check", {})
    typed = typed if isinstance(typed, dict) else {}
    raw.pop("drawn_check", None)
    if any(isinstance(value, str) and value.strip() for value in typed.values()):
        raw["drawn_check"] = _taken({}, typed, ("share", "least"), "drawn_check.", view)


def _take_automatic(raw: dict[str, Toml], values: Mapping[str, Tree], view: FormView) -> None:
    typed = values.get("automatic", {})
    typed = typed if isinstance(typed, dict) else {}
    raw.pop("automatic", None)
    if any(isinstance(value, str) and value.strip() for value in typed.values()):
        fields = ("purpose", "approver", "date")
        table = _taken({}, typed, fields, "automatic.", view)
        raw["automatic"] = {name: table.get(name, "") for name in fields}


def _follow(raw: dict[str, Toml], renamed: Mapping[str, str]) -> None:
    """Rename a kind where it is named, and drop score forms of removed kinds."""
    names = {str(kind.get("name", "")) for kind in _tables(raw, "kinds")}
    # A name that another kind has now stays with that kind.
    moved = {old: new for old, new in renamed.items() if old not in names}
    raw["rubrics"] = [
        {**rubric, "kind": moved.get(str(rubric["kind"]), rubric["kind"])}
        for rubric in _tables(raw, "rubrics")
        if str(rubric["kind"]) in names | set(moved)
    ]
    for floor in _tables(raw, "floors"):
        floor["kind"] = moved.get(str(floor.get("kind")), floor.get("kind", ""))
    for kind in _tables(raw, "kinds"):
        if kind.get("requires"):
            kind["requires"] = moved.get(str(kind["requires"]), kind["requires"])


def _tables(raw: Mapping[str, Toml], name: str) -> list[dict[str, Toml]]:
    found = raw.get(name, [])
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _taken(
    base: dict[str, Toml],
    row: Mapping[str, Tree],
    names: tuple[str, ...],
    prefix: str,
    view: FormView,
) -> dict[str, Toml]:
    _take(base, row, names, prefix, view)
    return base


def _take(
    into: dict[str, Toml],
    row: Mapping[str, Tree],
    names: tuple[str, ...],
    prefix: str,
    view: FormView,
) -> None:
    """Read fields into a table; a blank one is left out, so that its default holds."""
    for name in names:
        typed = row.get(name, "")
        try:
            value = read_field(name, typed if isinstance(typed, str) else "")
        except ValueError as error:
            view.note(prefix + name, str(error))
            value = None
            if name in _STAND_INS:
                into[name] = _STAND_INS[name]
                continue
        if value is None:
            into.pop(name, None)
        else:
            into[name] = value


_STAND_INS: Mapping[str, Toml] = {
    "budget": 10**12,
    "number": 1,
    "cost": 1,
    "maximum": 10**6,
    "count": 1,
    "mark": 0.0,
    "name": "",
    "kind": "",
}
"""What replaces a required setting that could not be read, so that one problem is one."""


def read_field(name: str, typed: str) -> "Toml | None":
    """Read one field of a form; None when it is blank.

    Raises:
        ValueError: If it cannot be read; the message is for the person who typed it.
    """
    plain = typed.strip()
    if name in _YES_NO and plain:
        if plain not in {"yes", "no"}:
            raise ValueError(gettext_noop("choose yes or no"))
        return plain == "yes"
    if problem := unwritable(plain, most=LONGEST.get(name, 200)):
        raise ValueError(problem)
    if not plain:
        return None
    if name in _WHOLE:
        # People and spreadsheets group digits by spaces, narrow ones too.
        digits = re.sub(r"[\s\u202f']", "", plain)
        if not re.fullmatch(r"-?[0-9]{1,12}", digits):
            raise ValueError(gettext_noop("not a whole number: write digits only, such as 20"))
        return int(digits)
    if name in _NUMBER:
        number = read_number(plain)
        if number is None:
            raise ValueError(gettext_noop("not a number: write it as 2 or 0.5"))
        return number
    if name in _ONE_A_LINE:
        return [line.strip() for line in plain.splitlines() if line.strip()]
    return _read_moment(plain) if name in _MOMENT else plain


LONGEST: Mapping[str, int] = {
    **dict.fromkeys(
        (
            "legal_basis",
            "purpose",
            "means",
            "guidance",
            "notice",
            *_ONE_A_LINE,
        ),
        LONGEST_TEXT,
    ),
    "link": 1000,
}
"""Characters of the fields that may be longer than a name."""


def _read_moment(plain: str) -> datetime | date:
    try:
        return date.fromisoformat(plain) if len(plain) == 10 else datetime.fromisoformat(plain)  # noqa: PLR2004 - year-month-day
    except ValueError as error:
        raise ValueError(
            gettext_noop("this is no date and time; write e.g. 2027-01-31T18:00")
        ) from error


_PART = re.compile(r"(\w+)(?: (\d+)(?: \(\".*?\"\))?)?(?:, |$)")


def field_of(place: str) -> str:
    """Return the field that a place in a rules file has in the form, "" when there is none."""
    app: list[str] = []
    at = 0
    while at < len(place):
        found = _PART.match(place, at)
        if found is None:
            return ""
        app.append(found[1])
        if found[2]:
            app.append(str(int(found[2]) - 1))
        at = found.end()
    return ".".join(app)


_TOML_TALK = re.compile(r"\[|\btable\b|=|quotes|setting")


def problem_sentence(problem: RulesProblem) -> str:
    """Return what is wrong, with the cure where it does not speak of the file's own language."""
    cure = "" if _TOML_TALK.search(problem.cure) else f". {translate(problem.cure)}"
    return f"{translate(problem.reason)}{cure}"
