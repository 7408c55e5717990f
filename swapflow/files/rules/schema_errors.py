"""What is wrong in a rules file, said at its place with a cure."""

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from pydantic_core import ErrorDetails

from swapflow.files.rules.problem import RulesProblem
from swapflow.files.rules.schema_tables import TABLES, AdvancedTable, RulesTable, Toml, TomlTable
from swapflow.messages import Message


Path: TypeAlias = tuple[str | int, ...]


def rules_problem(raw: Mapping[str, Toml], detail: ErrorDetails) -> RulesProblem:
    """Name place, value and cure of one error of the schema."""
    location = _location(detail)
    place = _spelled(raw, location)
    match detail["type"]:
        case "extra_forbidden":
            return _unknown(place, location, detail["input"])
        case "missing":
            return RulesProblem(
                place=place,
                value="",
                reason="it is missing",
                cure=Message("setting_missing_cure", setting=_expected(location)),
            )
        case "literal_error":
            choices = str(detail.get("ctx", {}).get("expected", "")).replace("'", '"')
            return RulesProblem(
                place=place,
                value=_written(detail["input"]),
                reason=Message("setting_not_a_choice", choices=choices),
                cure="Choose one of them",
            )
        case "finite_number":
            return RulesProblem(
                place=place,
                value=_written(detail["input"]),
                reason="it is no finite number",
                cure="Write an ordinary number",
            )
        case _:
            return RulesProblem(
                place=place,
                value=_written(detail["input"]),
                reason=Message("setting_of_other_type", type=_expected(location)),
                cure=_type_cure(detail),
            )


def _location(detail: ErrorDetails) -> Path:
    return tuple(detail["loc"])


def _unknown(place: str, location: Path, value: object) -> RulesProblem:
    name = str(location[-1])
    home = next((table for table in _homes(name) if table != _table_of(location)), None)
    if home is not None:
        cure = f"Move it to {home}"
    else:
        siblings = _siblings(location)
        near = difflib.get_close_matches(name, siblings, n=1)
        cure = (
            f"Did you mean {near[0]}? Otherwise remove it"
            if near
            else f"Remove it; the settings here are {', '.join(siblings)}"
        )
    return RulesProblem(
        place=place, value=_written(value), reason="this setting is not known here", cure=cure
    )


def _names(table: type[TomlTable]) -> list[str]:
    return [info.alias or name for name, info in table.model_fields.items()]


def _table_of(location: Path) -> str:
    tables = [part for part in location[:-1] if isinstance(part, str) and part in TABLES]
    return tables[-1] if tables else ""


def _siblings(location: Path) -> list[str]:
    return _names(TABLES[_table_of(location)])


def _homes(name: str) -> Iterator[str]:
    """Name the places where a setting of that name does belong: the top, or [advanced]."""
    if name in _names(AdvancedTable):
        yield "advanced"
    if name in _names(RulesTable):
        yield "the top of the file, above every [table]"


def _spelled(raw: Mapping[str, Toml], location: Path) -> str:
    """Format a location as a person finds it: kinds 2 ("interview"), cost."""
    parts: list[str] = []
    here: object = raw
    for part in location:
        here = _inside(here, part)
        if isinstance(part, int):
            name = (here.get("name") or here.get("kind")) if isinstance(here, dict) else None
            parts[-1] += f" {part + 1}" + (f' ("{name}")' if isinstance(name, str) else "")
        else:
            parts.append(part)
    return ", ".join(parts)


def _inside(here: object, part: str | int) -> object:
    if isinstance(here, dict):
        return here.get(part)
    if isinstance(here, list) and isinstance(part, int) and part < len(here):
        return here[part]
    return None


_WHOLE = "a whole number, e.g. 20"


_NUMBER = "a number, e.g. 0.05"


_TEXT = "text in double quotes"


_YES_NO = "true or false"


_DATE = "a date or a time without quotes, e.g. 2026-01-31 or 2026-01-31T18:00:00"


_EXPECTED = {
    **dict.fromkeys(
        ["version", "budget", "packet", "signatures", "number", "cost", "maximum", "total"], _WHOLE
    ),
    **dict.fromkeys(["seats", "quorum", "count", "max_applicants", "batch", "out"], _WHOLE),
    **dict.fromkeys(["requires_count"], _WHOLE),
    **dict.fromkeys(["attempts", "seed", "explanation_days"], _WHOLE),
    **dict.fromkeys(["reserve", "gain", "window_days", "mark", "weight", "delta"], _NUMBER),
    **dict.fromkeys(["epsilon", "sigma", "rho", "settled", "session_days"], _NUMBER),
    **dict.fromkeys(
        [
            "blind",
            "funded",
            "approval",
            "severity",
            "kind_offsets",
            "join_reviewers",
            "practice_marks",
            "confirm_answers",
        ],
        _YES_NO,
    ),
    "group_outcomes": _YES_NO,
    "confidence": _YES_NO,
    "kind_overlap": _NUMBER,
    "too_close": _NUMBER,
    "taper": _NUMBER,
    "share": _NUMBER,
    "least": _WHOLE,
    "drawn_check": "a table [drawn_check]",
    "questions": 'a list such as ["Why here?", "What would you build first?"]',
    "closed": 'a list such as ["2026-12-24 to 2027-01-01", "2027-05-14"]',
    "confidential": 'a list such as ["reference", "recommendation"]',
    **dict.fromkeys(["applications_close", "deadline"], _DATE),
    "date": "a date, e.g. 2026-01-31",
    "places": "a table [[places]] for each line of places",
    "kinds": "a table [[kinds]] for each kind",
    "floors": "a table [[floors]] for each floor",
    "rubrics": "a table [[rubrics]] for each kind that has a score form",
    "criteria": "a table [[rubrics.criteria]] for each criterion",
    "marks": 'a list such as [{ mark = 1, means = "weak" }, { mark = 5, means = "strong" }]',
    **dict.fromkeys(["minimum", "fewest"], _WHOLE),
    **dict.fromkeys(["minimum_share", "maximum_share", "worth", "bar"], _NUMBER),
    "objective": "a table [objective]",
    "spread": "a table [[objective.spread]] for each attribute",
    "quotas": "a table [[quotas]] for each group",
    "targets": "a table [[targets]] for each group",
    "automatic": "a table [automatic]",
    "advanced": "a table [advanced]",
}


def _expected(location: Path) -> str:
    if isinstance(location[-1], int):
        return "a table with " + ", ".join(_siblings((*location, "")))
    return _EXPECTED.get(location[-1], _TEXT)


def _type_cure(detail: ErrorDetails) -> str:
    value = detail["input"]
    if detail["type"] in {"int_type", "float_type"} and isinstance(value, str):
        return "Remove the quotes"
    if detail["type"] == "int_type" and isinstance(value, float):
        return "Round it to a whole number"
    if detail["type"] == "string_type" and not isinstance(value, (dict, list)):
        return "Put it into double quotes"
    return "Write it that way"


def _written(value: object) -> str:
    """Format a value as the file has it, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"  # noqa: PLR2004 - one line of a terminal


_STAND_INS: dict[str, Toml] = {
    "name": "",
    "kind": "",
    "attribute": "",
    "value": "",
    "worth": 0.0,
    "number": 1,
    "budget": 10**12,
    "cost": 1,
    "maximum": 10**6,
    "count": 1,
    "mark": 0.0,
    "purpose": "?",
    "approver": "?",
    "date": "2000-01-01",
    "places": [],
    "kinds": [],
    "criteria": [],
    "marks": [],
}


def broken_tables(details: list[ErrorDetails]) -> set[str]:
    """Name the tables of which a whole item, or a name that others refer to, was not readable."""
    return {
        str(location[0])
        for location in map(_location, details)
        if location[-1] in {"places", "kinds", "floors", "rubrics", "criteria", "name", "kind"}
        or isinstance(location[-1], int)
    }


def mended_tables(raw: Mapping[str, Toml], details: list[ErrorDetails]) -> dict[str, Toml]:
    """Copy the file with every setting that could not be read removed or replaced."""
    mended = _copied(dict(raw))
    assert isinstance(mended, dict)
    # From the back, so that removing an item of a list leaves the earlier ones in place.
    for location in sorted({_location(d) for d in details}, key=_order, reverse=True):
        here: object = mended
        for part in location[:-1]:
            here = _inside(here, part)
        last = location[-1]
        if isinstance(here, list) and isinstance(last, int):
            del here[last]
        elif isinstance(here, dict):
            here.pop(str(last), None)
            required = TABLES[_table_of(location)].model_fields.get(str(last))
            if required is not None and required.is_required():
                here[str(last)] = _STAND_INS[str(last)]
    return mended


def _order(location: Path) -> tuple[tuple[int, str], ...]:
    return tuple((p, "") if isinstance(p, int) else (-1, p) for p in location)


def _copied(value: Toml) -> Toml:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return value
