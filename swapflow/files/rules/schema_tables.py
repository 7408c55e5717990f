"""The tables of a rules file as pydantic reads them."""

from datetime import date, datetime, time
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PlainValidator
from pydantic_core import PydanticCustomError


Toml: TypeAlias = (
    "str | int | float | bool | datetime | date | time | list[Toml] | dict[str, Toml]"
)


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


class TomlTable(BaseModel):
    """A table of a rules file; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class PlacesTable(TomlTable):
    """Places of one line, e.g. funded ones."""

    name: str
    number: int
    funded: bool = True


class KindTable(TomlTable):
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


class FloorTable(TomlTable):
    """A number of pulls of a kind for everyone, for those chosen, or those too close to call."""

    kind: str
    count: int
    who: Literal["all", "chosen", "close"] = Field(default="all", alias="for")


class MarkTable(TomlTable):
    """One mark and what it means."""

    mark: float
    means: str = ""


class CriterionTable(TomlTable):
    """One row of a rubric."""

    name: str
    weight: float = 1.0
    marks: list[MarkTable]


class RubricTable(TomlTable):
    """The score form of one kind."""

    kind: str
    version: int = 1
    criteria: list[CriterionTable]


class SpreadTable(TomlTable):
    """One of several attributes that places are spread over."""

    attribute: str
    weight: float = 1.0


class ObjectiveTable(TomlTable):
    """What the proposed list makes as high as possible."""

    name: Literal["top-k", "diverse"] = "top-k"
    attribute: str = ""
    legal_basis: str = ""
    spread: list[SpreadTable] = []


class QuotaTable(TomlTable):
    """How many of the chosen have one value of an attribute."""

    attribute: str
    value: str
    minimum: int = 0
    maximum: int | None = None
    minimum_share: float = 0.0
    maximum_share: float = 1.0


class TargetTable(TomlTable):
    """How many with one value of an attribute would be good to have, and how good."""

    attribute: str
    value: str
    number: int
    worth: float


class DrawnCheckTable(TomlTable):
    """How many of those clearly out are drawn and read once more before asking stops."""

    share: float = 0.05
    least: int = 5


class AutomaticTable(TomlTable):
    """Who allowed programs to score."""

    purpose: str
    approver: str
    date: Day


class AdvancedTable(TomlTable):
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
    practice_marks: bool = False
    estimates: Literal["rule", "raw", "adjusted"] = "rule"
    settled: float = 0.0005
    too_close: float = 0.1
    max_applicants: int | None = None
    dispatch: Literal["rolling", "lockstep"] = "rolling"
    batch: int = 50
    out: int | None = None
    taper: float | None = None
    attempts: int = 5
    seed: int = 0


class RulesTable(TomlTable):
    """A whole rules file."""

    version: int = 1
    purpose: Literal["real", "simulation", "replay"] = "real"
    budget: int
    reserve: float = 0.05
    rule: Literal["budget", "certified", "paper"] = "budget"
    packet: int = 10
    blind: bool = True
    signatures: int = 1
    group_outcomes: bool = True
    sign_in: Literal["any", "provider"] = "any"
    session_days: float = 30.0
    confirm_answers: bool = False
    reviewer_figures: Literal["named", "numbered", "off"] | None = None
    zone: str = "UTC"
    language: str = ""
    notice: str = ""
    confidential: list[str] = []
    explanation_days: int = 0
    holidays: str = ""
    closed: list[str] = []
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
    drawn_check: DrawnCheckTable | None = None
    automatic: AutomaticTable | None = None
    advanced: AdvancedTable = AdvancedTable()


TABLES: dict[str, type[TomlTable]] = {
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
    "drawn_check": DrawnCheckTable,
    "automatic": AutomaticTable,
    "advanced": AdvancedTable,
}
