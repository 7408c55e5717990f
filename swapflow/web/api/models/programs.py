"""Rounds and programs as JSON."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from swapflow.domain.cycle import CycleStatus
from swapflow.engine.copies.next_year import MOST_YEARS
from swapflow.engine.copies.practice_program import MOST
from swapflow.web.api.models.base import (
    PLAIN,
    Coded,
    In,
    Line,
    Out,
    Reason,
    ShortName,
    Why,
    WithListQuality,
)


class Round(Out):
    """One season of an office."""

    id: str
    name: str
    unit: str
    zone: str


class NewRound(In):
    """A round to be made."""

    id: ShortName
    name: Line = ""
    unit: Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=PLAIN)] = "minutes"
    zone: Annotated[str, StringConstraints(max_length=60, pattern=PLAIN)] = "UTC"


class Program(Out):
    """One decision with its own places, rules, budget and people."""

    id: str
    round: str
    name: str
    status: CycleStatus
    stop_reason: str | None
    rules_version: int
    spent: int
    committed: int
    decisions: int
    list_version: int = Field(description="The latest version that was fixed; 0 before.")
    events: int
    created_at: datetime
    practice_of: str = Field(
        description="The program that this practice program was copied from; empty for a real one."
    )


class NewProgram(In):
    """A program to be made, in draft, from a rules file or from a template of one."""

    id: ShortName
    round: ShortName
    name: Line = ""
    rules: Annotated[str, StringConstraints(max_length=200_000)] = Field(
        default="", description="A rules file (TOML); the template's when it is left out."
    )
    template: Literal["admissions", "hiring", "fellowship"] = "admissions"
    unit: ShortName | None = Field(
        default=None, description="The unit of the round that it belongs to; null for none."
    )


class RulesText(Out):
    """The rules in force."""

    version: int
    rules: str = Field(description="TOML, as the rules editor and `swapflow cycle rules` show it.")


class EffectOfRules(Out):
    """What a change of the rules does to existing scores and to the list of this moment."""

    scores: int = Field(description="Scores of kinds whose form changes.")
    moved: int = Field(description="Those that get another value.")
    unreadable: int = Field(
        description="Those that the new form cannot read; with one, the change is refused."
    )
    entering: list[str] | None = Field(
        description="Ids of applicants who come onto the list; null for a caller who reviews in "
        "the program."
    )
    leaving: list[str] | None = Field(description="Ids of applicants who leave it, likewise.")


class ChangedRules(RulesText):
    """The rules in force after a change, and what it did."""

    effect: EffectOfRules


class NewRules(In):
    """Another version of the rules."""

    rules: Annotated[str, StringConstraints(min_length=1, max_length=200_000)]
    reason: Reason = ""


class Because(In):
    """Why something is done."""

    reason: Reason = ""


class Kind(Out):
    """How far one kind of review has come."""

    name: str
    cost: int
    done: int
    out: int
    waiting_for_approval: int
    overdue: int


class Blocked(Out):
    """A request that cannot go out, and the cure."""

    applicant: str
    kind: str
    reason: str


class Progress(WithListQuality):
    """A program at a glance."""

    program: str
    status: str
    stop_reason: str
    stop_sentence: str
    candidates: int
    places: int
    too_close_to_call: int | None = Field(
        description="Applicants who belong on the list with a probability that decides nothing "
        "(0.1 to 0.9 by default), and those tied at the cut; null while calculating."
    )
    most_to_gain: float | None = Field(
        description="The most the list could still gain under the stated assumptions."
    )
    calculating: bool = Field(
        description="Whether the quality of the list is being calculated; ask again in a moment."
    )
    unit: str
    budget: int
    spent: int
    committed: int
    reserved: int
    kinds: list[Kind]
    floors_missing: int
    blocked: list[Blocked]
    wishes: int


class Event(Out):
    """One fact of a program's record; payloads hold ids, words and numbers only."""

    number: int
    type: str
    at: datetime
    hash: str
    payload: dict[str, object]


class Decision(Out):
    """One entry of the decision log."""

    number: int
    at: datetime
    why: str
    stop: str
    requests: int
    rules_version: int
    too_close_to_call: list[int] = Field(description="Numbers of applicants.")


class Obstacle(Out):
    """What keeps a program from being launched, and where to cure it."""

    step: str
    text: str
    code: Coded = Field(description="The text as a code.")


class LaunchPreview(Out):
    """What launching a program as it stands would mean."""

    applicants: int
    places: int
    reviewers: int
    unit: str
    budget: int
    reserve: int
    floors: int
    rest: int
    days: float | None
    warnings: list[str]
    warning_codes: list[Coded] = Field(description="The warnings as codes, in their order.")
    obstacles: list[Obstacle]


class Extension(In):
    """More budget, another deadline, or both."""

    budget: Annotated[int, Field(ge=1, le=10**9)] | None = None
    deadline: AwareDatetime | None = None
    reason: Why


class NewPracticeProgram(In):
    """A practice program to be made of a program."""

    applicants: int = Field(
        default=0, ge=0, le=MOST, description="How many to invent; 0 for the usual number."
    )
    automatic: bool = Field(
        default=False, description="Whether automatic reviewers answer for the whole roster."
    )


class NextYearProgram(In):
    """Next year's program, and what it takes over beside rules, score forms and questions."""

    id: ShortName
    round: ShortName
    name: Line = ""
    years: int = Field(
        default=1, ge=0, le=MOST_YEARS, description="Years by which its dates move; 0 for none."
    )
    roster: bool = Field(default=True, description="The active reviewers.")
    rights: bool = Field(default=True, description="Rights that people have in it alone.")
    columns: bool = Field(default=True, description="Which columns reviewers see.")
    letters: bool = Field(default=True, description="Texts of letters, as last sent.")


class ThrownAway(Out):
    """A practice program that is gone."""

    program: str
    applicants: int = Field(description="Invented applicants that went with it.")
    reviews: int
    mails: int = Field(description="Mails that never left.")
