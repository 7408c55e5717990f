"""Rules files: TOML that staff can read, to and from the rules of a cycle."""

import dataclasses
import json
import os
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from string import Template

from swapflow.domain.rules import Criterion, KindRules, Rubric, Rules
from swapflow.errors import InvalidInputError, InvalidRulesError
from swapflow.files.rules.checks import problems
from swapflow.files.rules.problem import RulesProblem
from swapflow.files.rules.schema import shape
from swapflow.files.rules.schema_tables import Toml
from swapflow.untrusted.limits import MOST_RULES_BYTES
from swapflow.untrusted.nesting import problem_of
from swapflow.untrusted.toml_text import load_toml


TEMPLATES = ("admissions", "hiring", "fellowship")


def read_rules(path: str | Path) -> Rules:
    """Read and check a rules file.

    Raises:
        InvalidInputError: If there is no such file or it is no text.
        InvalidRulesError: If anything in it is wrong; the message lists all of it.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InvalidInputError("path_unreadable", path=path, problem=error.strerror) from error
    except UnicodeDecodeError as error:
        raise InvalidRulesError("rules_not_utf8", name=path.name, position=error.start) from error
    return parse_rules(text, source=path.name)


def parse_rules(text: str, *, source: str = "rules") -> Rules:
    """Read and check the text of a rules file.

    Args:
        text: TOML.
        source: What messages call it.

    Raises:
        InvalidRulesError: If anything in it is wrong; the message lists all of it.
    """
    if len(text) > MOST_RULES_BYTES:
        raise InvalidRulesError("rules_file_too_long", name=source, most=MOST_RULES_BYTES // 1000)
    try:
        raw = load_toml(text)
    except ValueError as error:
        problem = problem_of(error)
        raise InvalidRulesError("not_toml", source=source, problem=problem) from error
    rules, found = examine_rules(raw)
    _refuse(source, found)
    return rules


def examine_rules(raw: Mapping[str, Toml]) -> tuple[Rules, list[RulesProblem]]:
    """Return the rules that parsed TOML spells, and everything that is wrong with them.

    Where something could not be read, the rules hold a harmless replacement: they are good for
    nothing but being shown, unless there is no problem.
    """
    rules, found, broken = shape(raw)
    unread = {problem.place for problem in found}
    # What follows from a setting that could not be read would only repeat it.
    found += [
        problem
        for problem in problems(rules)
        if problem.place not in unread and broken.isdisjoint(problem.refers)
    ]
    return rules, found


def raw_rules(rules: Rules) -> dict[str, Toml]:
    """Return rules as parsed TOML: tables, lists and values, every setting written out."""
    # By way of the text, so that every setting has one spelling.
    return tomllib.loads(rules_text(rules))


def check_rules(rules: Rules, *, source: str = "rules") -> None:
    """Check rules that did not come from a file.

    Raises:
        InvalidRulesError: If anything is wrong; the message lists all of it.
    """
    _refuse(source, problems(rules))


def write_rules(path: str | Path, rules: Rules) -> None:
    """Write rules as a file that `read_rules` reads back to equal rules.

    A reader of the file at that moment sees the old one or the new one, never half of it.

    Raises:
        InvalidInputError: If it cannot be written there.
    """
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".rules-", suffix=".toml")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(rules_text(rules))
        Path(name).replace(path)
    except OSError as error:
        raise InvalidInputError("path_unwritable", path=path, problem=error.strerror) from error


def template(name: str, **values: float | str) -> str:
    """Return the commented text of a rules file to start from.

    Args:
        name: "admissions", "hiring" or "fellowship".
        values: Settings to put in place of the template's own: places, budget, purpose, rule,
            zone, signatures, seed, review_cost, interview_cost, reviews (for everyone).

    Raises:
        InvalidInputError: If there is no such template, or no such value in it.
        InvalidRulesError: If the values make rules that cannot work.
    """
    if name not in TEMPLATES:
        raise InvalidInputError("template_unknown", name=name, templates=TEMPLATES)
    known: dict[str, float | str] = dict(_DEFAULTS[name])
    unknown = [value for value in values if value not in known]
    if unknown:
        raise InvalidInputError(
            "template_value_unknown", name=name, value=unknown[0], values=known
        )
    folder = resources.files("swapflow.files.rules") / "templates"
    text = "\n".join(
        (folder / part).read_text(encoding="utf-8")
        for part in ("top.toml", f"{name}.toml", "end.toml")
    )
    filled = Template(text).substitute(
        {key: _toml(value) for key, value in {**known, **values}.items()}
    )
    # The values come from outside and may contradict each other.
    parse_rules(filled, source=f"template {name}")
    return filled


_COMMON: dict[str, float | str] = {
    "purpose": "real",
    "rule": "budget",
    "zone": "UTC",
    "signatures": 1,
    "group_outcomes": True,
    "seed": 0,
}
_DEFAULTS: dict[str, dict[str, float | str]] = {
    "admissions": {
        **_COMMON,
        "places": 20,
        "budget": 12_000,
        "reviews": 2,
        "review_cost": 20,
        "interview_cost": 120,
    },
    "hiring": {
        **_COMMON,
        "group_outcomes": False,
        "places": 5,
        "budget": 6_000,
        "reviews": 2,
        "review_cost": 15,
        "interview_cost": 180,
    },
    "fellowship": {
        **_COMMON,
        "places": 10,
        "budget": 15_000,
        "reviews": 2,
        "review_cost": 45,
        "interview_cost": 180,
    },
}


def _refuse(source: str, found: Sequence[RulesProblem]) -> None:
    if found:
        raise InvalidRulesError(
            "rules_refused",
            source=source,
            count=len(found),
            problems=[problem.message for problem in found],
        )


# Writing


def rules_text(rules: Rules) -> str:
    """Format rules as TOML, every setting written out but a seed that was drawn."""
    parts = [
        _settings(
            {
                "version": rules.version,
                "purpose": rules.purpose.value,
                "budget": rules.budget,
                "reserve": rules.reserve,
                "rule": rules.rule.value,
                "packet": rules.packet,
                "blind": rules.blind,
                "signatures": rules.signatures,
                "group_outcomes": rules.group_outcomes,
                "sign_in": rules.sign_in.value,
                "session_days": rules.session_days,
                "confirm_answers": rules.confirm_answers or None,
                "reviewer_figures": (
                    None if rules.reviewer_figures is None else rules.reviewer_figures.value
                ),
                "zone": rules.zone,
                "language": rules.language or None,
                "notice": rules.notice or None,
                "confidential": rules.confidential or None,
                "explanation_days": rules.explanation_days or None,
                "holidays": (rules.free_days and rules.free_days.region) or None,
                "closed": (rules.free_days and rules.free_days.closed) or None,
                "fewest": rules.fewest,
                "bar": rules.bar or None,
                "applications_close": rules.applications_close,
                "deadline": rules.deadline,
            }
        ),
        *(
            _table("[[places]]", {"name": line.name, "number": line.places, "funded": line.funded})
            for line in rules.lines
        ),
        *(_table("[[kinds]]", _kind(kind)) for kind in rules.kinds),
        *(
            _table(
                "[[floors]]", {"kind": floor.kind, "count": floor.count, "for": floor.who.value}
            )
            for floor in rules.floors
        ),
        *(_rubric(rubric) for rubric in rules.rubrics),
        _table(
            "[objective]",
            {
                "name": rules.objective.name,
                "attribute": rules.objective.attribute,
                "legal_basis": rules.objective.legal_basis,
            },
        ),
        *(
            _table(
                "[[objective.spread]]", {"attribute": one.attribute, "weight": float(one.weight)}
            )
            for one in rules.objective.spread
        ),
        *(_table("[[quotas]]", dataclasses.asdict(quota)) for quota in rules.quotas),
        *(_table("[[targets]]", dataclasses.asdict(target)) for target in rules.targets),
    ]
    if rules.drawn_check is not None:
        drawn = rules.drawn_check
        parts.append(_table("[drawn_check]", {"share": float(drawn.share), "least": drawn.least}))
    if rules.automatic is not None:
        automatic = rules.automatic
        parts.append(
            _table(
                "[automatic]",
                {
                    "purpose": automatic.purpose,
                    "approver": automatic.approver,
                    "date": automatic.date,
                },
            )
        )
    parts.append(_table("[advanced]", _advanced(rules)))
    return "\n".join(parts)


_Value = bool | float | str | datetime | tuple[str, ...] | None


def _kind(kind: KindRules) -> dict[str, _Value]:
    return {
        "name": kind.name,
        "cost": kind.cost,
        "gain": kind.gain,
        "requires": kind.requires,
        "requires_count": kind.requires_count if kind.requires else None,
        "maximum": kind.maximum,
        "total": kind.total,
        "seats": kind.seats,
        "quorum": kind.quorum,
        "approval": kind.approval,
        "window_days": kind.window_days,
        "guidance": kind.guidance,
        "questions": kind.questions,
        "link": kind.link,
        "confidence": kind.confidence,
    }


def _rubric(rubric: Rubric) -> str:
    head = _table("[[rubrics]]", {"kind": rubric.kind, "version": rubric.version})
    return "\n".join([head, *(_criterion(criterion) for criterion in rubric.criteria)])


def _criterion(criterion: Criterion) -> str:
    head = _table(
        "[[rubrics.criteria]]", {"name": criterion.name, "weight": float(criterion.weight)}
    )
    marks = "".join(
        f"  {{ mark = {_toml(float(mark))}, means = {_toml(anchor)} }},\n"
        for mark, anchor in criterion.marks
    )
    return f"{head}marks = [\n{marks}]\n"


def _advanced(rules: Rules) -> dict[str, _Value]:
    return {
        "delta": rules.delta,
        "epsilon": rules.epsilon,
        "sigma": rules.sigma,
        "rho": rules.rho,
        "policy": rules.policy,
        "certificate": rules.certificate,
        "severity": rules.severity,
        "kind_offsets": rules.kind_offsets,
        "kind_overlap": rules.kind_overlap or None,
        "join_reviewers": rules.join_reviewers,
        "practice_marks": rules.practice_marks or None,
        "estimates": rules.estimates.value,
        "settled": rules.settled,
        "too_close": rules.too_close,
        "max_applicants": rules.max_applicants,
        "dispatch": rules.dispatch.value,
        "batch": rules.batch,
        "out": rules.out,
        "taper": rules.taper,
        "attempts": rules.attempts,
        "seed": rules.shown_seed,
    }


def _table(head: str, settings: Mapping[str, _Value]) -> str:
    return f"{head}\n{_settings(settings)}"


def _settings(settings: Mapping[str, _Value]) -> str:
    """Format the settings that are set; TOML has no word for none."""
    return "".join(
        f"{name} = {_toml(value)}\n" for name, value in settings.items() if value is not None
    )


def _toml(value: _Value) -> str:
    """Format one value; JSON's strings are TOML's, but for DEL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return repr(value)
