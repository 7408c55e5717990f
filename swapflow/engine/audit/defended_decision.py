"""A decision as its defence file has it: values alone, built by `defence`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from swapflow.domain.cohort.proposal import MethodSheet
from swapflow.domain.rules import Rules
from swapflow.engine.audit.decision_card import Card
from swapflow.engine.audit.verification import Verification


ZONES = ("in", "close", "out")
"""The zones of a list: in, too close to call, out."""

RULE_CLOSE = "rule close"
"""The origin of a request by the rule about an applicant who was too close to call then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesInForce:
    """A version of the rules, with who put it in force, why and when.

    Attributes:
        digest: SHA-256 of the version as it is stored; a later change would change it.
        has_notice: Whether it holds the notice to applicants.
    """

    version: int
    at: datetime
    by: str
    reason: str
    digest: str
    has_notice: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSince:
    """When the program came to know something, by the times of its events; None for never."""

    launched: datetime | None
    first_request: datetime | None
    first_mark: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneReviews:
    """The reviews of the applicants in one zone of the list.

    Attributes:
        zone: One of `ZONES`.
        reviews: Reviews that count, of all its applicants together.
        fewest: Of one applicant; 0 in an empty zone, as is `most`.
        asked: Answered requests by origin (`explanation.origin_of`), and `RULE_CLOSE`.
    """

    zone: str
    applicants: int
    reviews: int
    fewest: int
    most: int
    asked: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DefendedOutcome:
    """What people decided about one applicant.

    Attributes:
        proposed: Whether the applicant was on the proposed list.
        by: Who recorded the outcome; "" where that is not on record.
        at: When it was recorded: at the meeting, else when the list became final.
        opened_at: When the meeting first opened the applicant's file; None where it did not.
        zone_by: Who took on the clear zone that the applicant was in; "" for nobody.
        together: How many applicants the recorded act decided, with one reason.
    """

    application: int
    external_id: str
    name: str
    rank: int
    zone: str
    reviews: int
    proposed: bool
    verdict: str
    by: str
    prepared_by: str
    reason: str
    at: datetime
    opened_at: datetime | None
    opened_by: str
    zone_by: str
    together: int

    @property
    def overridden(self) -> bool:
        """Whether people decided otherwise than was proposed."""
        return self.proposed != (self.verdict == "selected")


@dataclass(frozen=True, slots=True, kw_only=True)
class DefendedReconsideration:
    """One request to look at a decision again.

    Attributes:
        result: As stored; "" while it is open.
        upheld: Whether it changed the list; None while it is open, and where it was withdrawn.
    """

    application: int
    external_id: str
    asked_on: date
    reason: str
    result: str
    decided_reason: str
    upheld: bool | None
    closed_at: datetime | None
    closed_by: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneTakenOn:
    """A named person took on a clear zone of the list.

    Attributes:
        opened: How many of its files the meeting had opened by then.
    """

    zone: str
    applicants: int
    opened: int
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Defence:
    """The defence file of a program's latest final list.

    Attributes:
        seq: Number of the last event that it includes; `head` is that event's hash.
        at: Time of that event.
        first: The rules in force at the launch.
        rules: The rules in force at the decision.
        met: Whether a meeting about the list is on record.
    """

    cycle: str
    cycle_name: str
    version: int
    seq: int
    head: str
    at: datetime
    first: Rules
    rules: Rules
    history: tuple[RulesInForce, ...]
    known: KnownSince
    zones: tuple[ZoneReviews, ...]
    outcomes: tuple[DefendedOutcome, ...]
    signed: tuple[str, ...]
    met: bool
    taken_on: tuple[ZoneTakenOn, ...]
    reconsidered: tuple[DefendedReconsideration, ...]
    sheet: MethodSheet
    replay: Verification

    def outcome(self, application: int) -> DefendedOutcome | None:
        """Return what was decided about an applicant; None for one who was on no list."""
        return next((one for one in self.outcomes if one.application == application), None)

    def without_people(self) -> "Defence":
        """Return it for a reader who may not see applicants: ranks stay, ids and reasons go."""
        return replace(
            self,
            outcomes=tuple(
                replace(one, external_id="", name="", reason="") for one in self.outcomes
            ),
            reconsidered=tuple(
                replace(one, external_id="", reason="", decided_reason="")
                for one in self.reconsidered
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantDefence:
    """The part of a defence file that is about one applicant, with the rest of the program.

    Attributes:
        card: The decision card; it holds the reviews, numbered unless reviewers are to be named.
        withheld: Names of confidential documents and fields that the file leaves out.
        more_reviews: How many applicants had more reviews; `more_close` of them are too close to
            call on the list.
        needed: By how many points of 100 the average of the applicant's marks would have had to
            be higher (lower for one on the list) for the other side of the cut, rounded up; None
            where that is not known.
    """

    program: Defence
    card: Card
    outcome: DefendedOutcome | None
    withheld: tuple[str, ...]
    more_reviews: int
    more_close: int
    needed: int | None
