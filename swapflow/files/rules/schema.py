"""The shape of a rules file: which tables and settings there are, and of which type.

Only shape is checked here; what the settings mean for each other is in `rules_checks`. A setting
of the wrong type is reported and then replaced by one that does no further harm, so that one
reading finds all the problems of a file.
"""

import difflib
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from typing import Annotated, Literal, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from swapflow.domain.rules import (
    AutomaticReview,
    Criterion,
    DispatchMode,
    Estimates,
    Floor,
    FloorFor,
    GroupQuota,
    GroupTarget,
    KindRules,
    Objective,
    Purpose,
    Rubric,
    RuleName,
    Rules,
    SeatLine,
    SpreadOver,
    WayIn,
)
from swapflow.files.rules.problem import Problem


Toml: TypeAlias = (
    "str | int | float | bool | datetime | date | time | list[Toml] | dict[str, Toml]"
)
Path: TypeAlias = tuple[str | int, ...]

ANYWHERE_ON_EARTH = "Etc/GMT+12"
"""What "AoE" means: a day ends when it has ended everywhere."""


def _as_moment(value: object) -> object:
    # A union of two types would put its members' names into the places that errors report.
    if isinstance(value, date):  # a datetime is one too
        return value
    raise PydanticCustomError("moment_type", "no date")


def _as_day(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    raise PydanticCustomError("day_type", "no date")


Moment = Annotated[datetime | date, PlainValidator(_as_moment)]
Day = Annotated[str, PlainValidator(_as_day)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class PlacesTable(_Table):
    """Places of one line, e.g. funded ones."""

    name: str
    number: int
    funded: bool = True


class KindTable(_Table):
    """A way to gather scores; without a quorum everybody who sits on one has to answer."""

    name: str
    cost: int
    gain: float = 1.0
    requires: str = ""
    requires_count: int = 1
    maximum: int
    total: int | None = None
    seats: int = 1
    quorum: int | None = None
    approval: bool = False
    window_days: float = 14.0
    guidance: str = ""
    questions: list[str] = []
    link: str = ""
    confidence: bool = False


class FloorTable(_Table):
    """So many of a kind for everyone, or for whoever is chosen."""

    kind: str
    count: int
    who: Literal["all", "chosen"] = Field(default="all", alias="for")


class MarkTable(_Table):
    """One mark and what it means."""

    mark: float
    means: str = ""


class CriterionTable(_Table):
    """One row of a rubric."""

    name: str
    weight: float = 1.0
    marks: list[MarkTable]


class RubricTable(_Table):
    """The score form of one kind."""

    kind: str
    version: int = 1
    criteria: list[CriterionTable]


class SpreadTable(_Table):
    """One of several attributes that places are spread over."""

    attribute: str
    weight: float = 1.0


class ObjectiveTable(_Table):
    """What the proposed list makes as high as possible."""

    name: Literal["top-k", "diverse"] = "top-k"
    attribute: str = ""
    legal_basis: str = ""
    spread: list[SpreadTable] = []


class QuotaTable(_Table):
    """How many of the chosen have one value of an attribute."""

    attribute: str
    value: str
    minimum: int = 0
    maximum: int | None = None
    minimum_share: float = 0.0
    maximum_share: float = 1.0


class TargetTable(_Table):
    """How many with one value of an attribute would be good to have, and how good."""

    attribute: str
    value: str
    number: int
    worth: float


class AutomaticTable(_Table):
    """Who allowed programs to score."""

    purpose: str
    approver: str
    date: Day


class AdvancedTable(_Table):
    """Settings that need the method to be understood."""

    delta: float = 0.05
    epsilon: float = 0.0
    sigma: float | None = None
    rho: float = 3.0
    policy: Literal["paper", "weak", "strong", "ratio", "symdiff"] = "paper"
    certificate: Literal["mixture", "pairwise"] = "mixture"
    severity: bool = True
    kind_offsets: bool = True
    kind_overlap: float = 0.0
    join_reviewers: bool = False
    estimates: Literal["rule", "raw", "adjusted"] = "rule"
    settled: float = 0.0005
    max_applicants: int | None = None
    dispatch: Literal["rolling", "lockstep"] = "rolling"
    batch: int = 50
    out: int | None = None
    attempts: int = 5
    seed: int = 0


class RulesTable(_Table):
    """A whole rules file."""

    version: int = 1
    purpose: Literal["real", "simulation", "replay"] = "real"
    budget: int
    reserve: float = 0.05
    rule: Literal["budget", "certified", "paper"] = "budget"
    packet: int = 10
    blind: bool = True
    signatures: int = 1
    sign_in: Literal["any", "provider"] = "any"
    session_days: float = 30.0
    zone: str = "UTC"
    language: str = ""
    applications_close: Moment | None = None
    deadline: Moment | None = None
    places: list[PlacesTable]
    kinds: list[KindTable]
    floors: list[FloorTable] = []
    rubrics: list[RubricTable] = []
    objective: ObjectiveTable = ObjectiveTable()
    fewest: int | None = None
    bar: float = 0.0
    quotas: list[QuotaTable] = []
    targets: list[TargetTable] = []
    automatic: AutomaticTable | None = None
    advanced: AdvancedTable = AdvancedTable()


def shape(raw: Mapping[str, Toml]) -> tuple[Rules, list[Problem], set[str]]:
    """Give the rules that a parsed TOML file spells, and what is wrong with its shape.

    Returns:
        The rules (with harmless stand-ins where a setting could not be read), the problems, and
        the tables of which an item or a name could not be read.
    """
    try:
        table = RulesTable.model_validate(raw)
    except ValidationError as error:
        details = error.errors()
        found = [_problem(raw, detail) for detail in details]
        broken = _broken_tables(details)
        table = RulesTable.model_validate(_mended(raw, details))
    else:
        found, broken = [], set()
    moments: dict[str, datetime | None] = {}
    for name, value in (
        ("applications_close", table.applications_close),
        ("deadline", table.deadline),
    ):
        moments[name] = None
        try:
            moments[name] = _moment(value, table.zone)
        except ValueError as error:
            found.append(
                Problem(place=name, value=str(value), reason=str(error), cure="Write another hour")
            )
    return _rules(table, moments), found, broken


def zone_name(text: str) -> str:
    """Give the zone's name in the zone database; "AoE" is anywhere on Earth."""
    return ANYWHERE_ON_EARTH if text.casefold() == "aoe" else text


def _rules(table: RulesTable, moments: Mapping[str, datetime | None]) -> Rules:
    advanced = table.advanced
    return Rules(
        version=table.version,
        purpose=Purpose(table.purpose),
        lines=tuple(
            SeatLine(name=line.name, places=line.number, funded=line.funded)
            for line in table.places
        ),
        kinds=tuple(_kind(kind) for kind in table.kinds),
        rubrics=tuple(_rubric(rubric) for rubric in table.rubrics),
        floors=tuple(
            Floor(kind=floor.kind, count=floor.count, who=FloorFor(floor.who))
            for floor in table.floors
        ),
        budget=table.budget,
        reserve=table.reserve,
        rule=RuleName(table.rule),
        objective=_objective(table.objective),
        quotas=tuple(GroupQuota(**quota.model_dump()) for quota in table.quotas),
        targets=tuple(GroupTarget(**target.model_dump()) for target in table.targets),
        fewest=table.fewest,
        bar=table.bar,
        delta=advanced.delta,
        epsilon=advanced.epsilon,
        sigma=advanced.sigma,
        rho=advanced.rho,
        policy=advanced.policy,
        certificate=advanced.certificate,
        severity=advanced.severity,
        kind_offsets=advanced.kind_offsets,
        kind_overlap=advanced.kind_overlap,
        join_reviewers=advanced.join_reviewers,
        estimates=Estimates(advanced.estimates),
        settled=advanced.settled,
        max_applicants=advanced.max_applicants,
        dispatch=DispatchMode(advanced.dispatch),
        batch=advanced.batch,
        out=advanced.out,
        packet=table.packet,
        attempts=advanced.attempts,
        blind=table.blind,
        applications_close=moments["applications_close"],
        deadline=moments["deadline"],
        zone=zone_name(table.zone),
        language=table.language,
        automatic=_automatic(table.automatic),
        signatures=table.signatures,
        sign_in=WayIn(table.sign_in),
        session_days=table.session_days,
        seed=advanced.seed,
    )


def _objective(table: ObjectiveTable) -> Objective:
    return Objective(
        name=table.name,
        attribute=table.attribute,
        spread=tuple(SpreadOver(**one.model_dump()) for one in table.spread),
        legal_basis=table.legal_basis,
    )


def _kind(kind: KindTable) -> KindRules:
    quorum = kind.seats if kind.quorum is None else kind.quorum
    questions = tuple(kind.questions)
    return KindRules(**{**kind.model_dump(), "quorum": quorum, "questions": questions})


def _rubric(rubric: RubricTable) -> Rubric:
    return Rubric(
        kind=rubric.kind,
        version=rubric.version,
        criteria=tuple(
            Criterion(
                name=criterion.name,
                weight=criterion.weight,
                marks=tuple((mark.mark, mark.means) for mark in criterion.marks),
            )
            for criterion in rubric.criteria
        ),
    )


def _automatic(table: AutomaticTable | None) -> AutomaticReview | None:
    if table is None:
        return None
    return AutomaticReview(purpose=table.purpose, approver=table.approver, date=table.date)


def _moment(value: datetime | date | None, zone: str) -> datetime | None:
    """Read a deadline: a day means its end, a time without an offset is in the rules' zone.

    An hour that the clocks repeat means its second pass, which is the kinder deadline.

    Raises:
        ValueError: If the clocks skip that hour.
    """
    if value is None:
        return None
    if not isinstance(value, datetime):
        value = datetime.combine(value, time(23, 59, 59))
    if value.tzinfo is not None:
        return value.astimezone(UTC)
    try:
        info = ZoneInfo(zone_name(zone))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return value.replace(tzinfo=UTC)  # the zone itself is reported by `rules_checks`
    moment = value.replace(tzinfo=info, fold=1).astimezone(UTC)
    if moment.astimezone(info).replace(tzinfo=None) != value:
        raise ValueError(f"the clocks in {zone} skip this hour")
    return moment


# From pydantic's findings to sentences


def _problem(raw: Mapping[str, Toml], detail: ErrorDetails) -> Problem:
    location = _location(detail)
    place = _spelled(raw, location)
    match detail["type"]:
        case "extra_forbidden":
            return _unknown(place, location, detail["input"])
        case "missing":
            return Problem(
                place=place,
                value="",
                reason="it is missing",
                cure=f"Add {_expected(location)}",
            )
        case "literal_error":
            choices = str(detail.get("ctx", {}).get("expected", "")).replace("'", '"')
            return Problem(
                place=place,
                value=_written(detail["input"]),
                reason=f"it is one of {choices}",
                cure="Choose one of them",
            )
        case "finite_number":
            return Problem(
                place=place,
                value=_written(detail["input"]),
                reason="it is no finite number",
                cure="Write an ordinary number",
            )
        case _:
            return Problem(
                place=place,
                value=_written(detail["input"]),
                reason=f"it should be {_expected(location)}",
                cure=_type_cure(detail),
            )


def _location(detail: ErrorDetails) -> Path:
    return tuple(detail["loc"])


def _unknown(place: str, location: Path, value: object) -> Problem:
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
    return Problem(
        place=place, value=_written(value), reason="there is no such setting here", cure=cure
    )


_TABLES: dict[str, type[_Table]] = {
    "": RulesTable,
    "places": PlacesTable,
    "kinds": KindTable,
    "floors": FloorTable,
    "rubrics": RubricTable,
    "criteria": CriterionTable,
    "marks": MarkTable,
    "objective": ObjectiveTable,
    "spread": SpreadTable,
    "quotas": QuotaTable,
    "targets": TargetTable,
    "automatic": AutomaticTable,
    "advanced": AdvancedTable,
}


def _names(table: type[_Table]) -> list[str]:
    return [info.alias or name for name, info in table.model_fields.items()]


def _table_of(location: Path) -> str:
    tables = [part for part in location[:-1] if isinstance(part, str) and part in _TABLES]
    return tables[-1] if tables else ""


def _siblings(location: Path) -> list[str]:
    return _names(_TABLES[_table_of(location)])


def _homes(name: str) -> Iterator[str]:
    """Name the places where a setting of that name does belong: the top, or [advanced]."""
    if name in _names(AdvancedTable):
        yield "advanced"
    if name in _names(RulesTable):
        yield "the top of the file, above every [table]"


def _spelled(raw: Mapping[str, Toml], location: Path) -> str:
    """Spell a location as a person finds it: kinds 2 ("interview"), cost."""
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
    **dict.fromkeys(["attempts", "seed"], _WHOLE),
    **dict.fromkeys(["reserve", "gain", "window_days", "mark", "weight", "delta"], _NUMBER),
    **dict.fromkeys(["epsilon", "sigma", "rho", "settled", "session_days"], _NUMBER),
    **dict.fromkeys(
        ["blind", "funded", "approval", "severity", "kind_offsets", "join_reviewers"], _YES_NO
    ),
    "confidence": _YES_NO,
    "kind_overlap": _NUMBER,
    "questions": 'a list such as ["Why here?", "What would you build first?"]',
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
    """Spell a value as it stands in the file, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"  # noqa: PLR2004 - one line of a terminal


# Stand-ins


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


def _broken_tables(details: list[ErrorDetails]) -> set[str]:
    """Name the tables of which a whole item, or a name that others refer to, was not readable."""
    return {
        str(location[0])
        for location in map(_location, details)
        if location[-1] in {"places", "kinds", "floors", "rubrics", "criteria", "name", "kind"}
        or isinstance(location[-1], int)
    }


def _mended(raw: Mapping[str, Toml], details: list[ErrorDetails]) -> dict[str, Toml]:
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
            required = _TABLES[_table_of(location)].model_fields.get(str(last))
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
