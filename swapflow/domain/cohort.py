"""What the rule proposes and what people decide: separate things, written by separate hands."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Standing(StrEnum):
    """Where a proposal puts an application."""

    COHORT = "cohort"
    WAITLIST = "waitlist"


class Verdict(StrEnum):
    """What people decided about an application; no code writes one by itself."""

    SELECTED = "selected"
    WAITLISTED = "waitlisted"
    NOT_SELECTED = "not selected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One application's place in a proposal, with the evidence behind it.

    Attributes:
        rank: From 1, in the order of the proposal: cohort first, then the waitlist.
        estimate: What the cohort was chosen by, in [0, 1].
        margin: Radius of the estimate.
        evidence: Information received, in units of one pull of the first kind.
        contested: Another pull could still change this application's standing.
        pulls: Scores that count, by kind name.
        floor_missing: Pulls that its floors still lack, by kind name.
    """

    application: int
    external_id: str
    name: str
    rank: int
    standing: Standing
    estimate: float
    raw_mean: float | None
    margin: float
    evidence: float
    contested: bool
    tied: bool
    pulls: dict[str, int]
    floor_missing: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodSheet:
    """How a proposal came about: what HR shows when asked."""

    cycle_id: str
    position: int
    head_hash: str
    rules_version: int
    rule: str
    objective: str
    cohort_size: int
    candidates: int
    seed: int
    parameters: dict[str, float]
    stop_reason: str
    stop_sentence: str
    certified_loss: float
    expected_loss: float | None
    certificate: str
    promises: str
    spent: int
    committed: int
    budget: int
    unit: str
    pulls: dict[str, int]
    decisions: int
    versions: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The list the rule proposes, best first, and the method sheet that explains it."""

    cycle_id: str
    version: int
    places: tuple[Place, ...]
    sheet: MethodSheet

    @property
    def cohort(self) -> tuple[Place, ...]:
        """The places in the cohort."""
        return tuple(p for p in self.places if p.standing is Standing.COHORT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A decision by a person about one application."""

    application: int
    verdict: Verdict
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A named person accepts that somebody stays below a floor, and says why."""

    by: str
    reason: str
