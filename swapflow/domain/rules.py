"""The rules of a cycle: immutable versions; every decision names its version."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from swapflow.domain.drawn_check import DrawnCheck
from swapflow.domain.free_days import FreeDays
from swapflow.domain.objective import GroupQuota, GroupTarget, Objective
from swapflow.domain.rules_versions import LATEST_ASKING, LATEST_AVERAGES, LATEST_FIT


USUAL_TAPER = 0.5
"""Taper of a program whose rules name none when it is launched."""


class RuleName(StrEnum):
    """The rule that chooses pulls and decides when to stop."""

    BUDGET = "budget"
    CERTIFIED = "certified"
    PAPER = "paper"


class DispatchMode(StrEnum):
    """How decisions follow each other.

    ROLLING keeps a number of pulls open and refills it as answers come in. LOCKSTEP waits until
    every pull of a batch is closed, so that the whole cycle is a function of the answers.
    """

    ROLLING = "rolling"
    LOCKSTEP = "lockstep"


class Estimates(StrEnum):
    """The estimates that make a list.

    RULE means the rule's own: `budget` removes the effects that `severity` and `kind_offsets`
    name, the others none. RAW removes none; ADJUSTED removes how severe reviewers are and how
    generous kinds are. In all cases the rule chooses what is requested.
    """

    RULE = "rule"
    RAW = "raw"
    ADJUSTED = "adjusted"


ESTIMATES = {
    Estimates.RULE: "the rule's own estimates",
    Estimates.RAW: "marks as they were given",
    Estimates.ADJUSTED: "adjusted estimates",
}
"""The name of each in a sentence."""


class Purpose(StrEnum):
    """The purpose of a cycle; automatic reviewers need more than a click in a real one."""

    REAL = "real"
    SIMULATION = "simulation"
    REPLAY = "replay"


class SignInPolicy(StrEnum):
    """The kind of sign-in that a cycle's pages require."""

    ANY = "any"
    PROVIDER = "provider"


class ReviewerFigures(StrEnum):
    """How staff are told how quick, how late and how severe each reviewer is."""

    NAMED = "named"
    NUMBERED = "numbered"
    OFF = "off"


class FloorFor(StrEnum):
    """The applicants that a floor protects: everyone, the list, or those too close to call."""

    ALL = "all"
    CHOSEN = "chosen"
    CLOSE = "close"


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRules:
    """A way to gather information, as fixed by the rules.

    Attributes:
        cost: Integer, in the round's unit (minutes by default).
        gain: Information in units of one pull of the first kind (the paper's s).
        requires: Kind that must be closed for an application first, "" for none.
        requires_count: How many of that kind must be closed first.
        maximum: Most pulls of this kind per application.
        total: Most pulls of this kind in the cycle, None for no cap.
        seats: Reviewers of one pull; quorum: answers that close it.
        approval: Whether a named person approves each batch before it goes out.
        window_days: Time a reviewer has; 0 means no due date.
        guidance: Text above the score form.
        questions: An interviewer's questions, in order.
        link: Address of an applicant's file elsewhere, with {external_id} in it; "" for none.
        confidence: Whether reviewers also state their confidence, from 1 to 5.
    """

    name: str
    cost: int
    gain: float
    requires: str = ""
    requires_count: int = 1
    maximum: int
    total: int | None = None
    seats: int = 1
    quorum: int = 1
    approval: bool = False
    window_days: float = 14.0
    guidance: str = ""
    questions: tuple[str, ...] = ()
    link: str = ""
    confidence: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """A least number of pulls of a kind for everyone, the chosen, or those too close to call."""

    kind: str
    count: int
    who: FloorFor = FloorFor.ALL


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLine:
    """Places of one line (funded, unfunded, a site …); lines sum to the cohort's size."""

    name: str
    places: int
    funded: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomaticReview:
    """Who allowed programs to answer in a real cycle, for which purpose, and when."""

    purpose: str
    approver: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One row of a rubric.

    Attributes:
        marks: The marks that may be given, lowest first, each with its anchor text.
        weight: Share in the utility, relative to the other criteria.
    """

    name: str
    marks: tuple[tuple[float, str], ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """The conversion of the marks of one kind to a utility."""

    kind: str
    version: int
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Everything that decides how a cycle runs; a change makes a new version.

    Attributes:
        lines: The places; their sum is the cohort's size K.
        budget: Most cost that may be committed and spent; reserve: its share kept for staff.
        quotas: Limits on groups of selection attributes, which may cross.
        targets: Groups that add to the list's value.
        fewest: Fewest places to fill; None fills all of them.
        bar: Estimate, from 0 to 1, above which an applicant is worth a place beyond the fewest.
        delta: Probability with which the certificate may fail.
        epsilon: Loss of cohort value at which `certified` and `paper` stop.
        sigma: Spread of marks around an applicant's true score; None lets `budget` fit it.
        rho: Time scale of the mixture radius.
        policy: Strong-pull policy of `paper`: paper, weak, strong, ratio or symdiff.
        certificate: "mixture" or "pairwise" (plain top-k only), for `certified`.
        severity: Whether `budget` estimates and removes each reviewer's severity.
        kind_offsets: Whether `budget` estimates and removes each kind's offset.
        kind_overlap: Share of those near the cut who get a kind that they lack, by a draw; or 0.
        practice_marks: Whether marks of practice files inform the severities.
        join_reviewers: Whether, of two equally loaded reviewers, the one who links reviewers
            without a shared applicant is asked first, so that severities can be compared.
        estimates: Whose estimates make the list.
        settled: Share of the cohort's value below which further pulls are worth nothing.
        too_close: An applicant is too close to call whose probability of being among the best
            lies between this and 1 minus this.
        fit: Version of the model's fit (`FitVersion`); a launched program keeps its own.
        asking: Version of who may be asked again about an applicant; a launched program keeps its
            own. In the first, nobody who was asked once. In the second, nobody in conflict, nobody
            who declined as unqualified, and nobody whose review counts or was taken out.
        averages: Version of what the floor for those too close to call brings to those left out
            whose plain average is above the cut; a launched program keeps its own.
        drawn_check: How many of those clearly out are read once more before a stop, or None.
        max_applicants: Stated number behind the radii; None takes those present.
        batch: Pulls per decision in lockstep; most pulls per decision in rolling.
        out: Most open pulls at once in rolling; None means reviewers times packet.
        taper: Share of what is not yet spent that the rule keeps out in rolling; 0 for no limit
            but `out`. None is settled at the launch; programs launched before have none.
        packet: Most open assignments at once per reviewer, unless the roster has another number.
        attempts: Tries to fill a seat before staff are asked.
        applications_close: No new arm after this; None while open.
        deadline: The rule proposes to stop then; None for none.
        signatures: Named people who must sign the cohort.
        group_outcomes: Whether a meeting may decide several applicants in one act.
        sign_in: Whether the cycle's pages need a sign-in through the identity provider.
        free_days: Public holidays and closed days, which have no interviews; None for none.
        language: Tag of the language of mails and letters; "" for the deployment's.
        reviewer_figures: How staff are told of each reviewer's figures. None where a file does
            not say it: settled at the launch, and kept as it is afterwards. Programs launched
            before have none, and show figures as they did: named, beside reviewers, for good.
        session_days: Longest time that a device stays signed in where this cycle is open.
        confirm_answers: Whether applicants' answers to offers count only once staff confirm them.
        seed: Decides ties, and what else is drawn; 0 in a real program's file for one that is
            drawn at the launch.
        seed_drawn: Whether the seed was drawn at the launch: then it is shown to nobody before
            the list is final.
        notice: What applicants were told about the way of deciding, where and since when.
        confidential: Words in names of documents and fields that an applicant's copy leaves out.
        explanation_days: Days until those without a place must have their letter; 0 for no day.
    """

    version: int
    purpose: Purpose = Purpose.REAL
    lines: tuple[SeatLine, ...]
    kinds: tuple[KindRules, ...]
    rubrics: tuple[Rubric, ...] = ()
    floors: tuple[Floor, ...] = ()
    budget: int
    reserve: float = 0.05
    rule: RuleName = RuleName.BUDGET
    objective: Objective = field(default_factory=Objective)
    quotas: tuple[GroupQuota, ...] = ()
    targets: tuple[GroupTarget, ...] = ()
    fewest: int | None = None
    bar: float = 0.0
    delta: float = 0.05
    epsilon: float = 0.0
    sigma: float | None = None
    rho: float = 3.0
    policy: str = "paper"
    certificate: str = "mixture"
    severity: bool = True
    kind_offsets: bool = True
    kind_overlap: float = 0.0
    join_reviewers: bool = False
    practice_marks: bool = False
    estimates: Estimates = Estimates.RULE
    settled: float = 0.0005
    too_close: float = 0.1
    fit: int = LATEST_FIT
    asking: int = LATEST_ASKING
    averages: int = LATEST_AVERAGES
    drawn_check: DrawnCheck | None = None
    max_applicants: int | None = None
    dispatch: DispatchMode = DispatchMode.ROLLING
    batch: int = 50
    out: int | None = None
    taper: float | None = None
    packet: int = 10
    attempts: int = 5
    blind: bool = True
    applications_close: datetime | None = None
    deadline: datetime | None = None
    zone: str = "UTC"
    free_days: FreeDays | None = None
    language: str = ""
    automatic: AutomaticReview | None = None
    signatures: int = 1
    group_outcomes: bool = True
    sign_in: SignInPolicy = SignInPolicy.ANY
    session_days: float = 30.0
    confirm_answers: bool = False
    reviewer_figures: ReviewerFigures | None = ReviewerFigures.NUMBERED
    seed: int = 0
    seed_drawn: bool = False
    notice: str = ""
    confidential: tuple[str, ...] = ()
    explanation_days: int = 0

    @property
    def shown_seed(self) -> int | None:
        """The seed where it may be shown; None where it was drawn."""
        return None if self.seed_drawn else self.seed

    @property
    def seed_digest(self) -> str:
        """SHA-256 of a drawn seed: shown from the launch on, so that it cannot be exchanged."""
        return hashlib.sha256(str(self.seed).encode()).hexdigest() if self.seed_drawn else ""

    @property
    def cohort_size(self) -> int:
        """The places of all lines together (K)."""
        return sum(line.places for line in self.lines)

    @property
    def fewest_places(self) -> int:
        """Fewest places to fill."""
        return self.cohort_size if self.fewest is None else self.fewest

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every selection attribute that the choice of a list uses, each once, in order."""
        names = [one.attribute for one in self.objective.attributes]
        names += [quota.attribute for quota in self.quotas]
        names += [target.attribute for target in self.targets]
        # A dict keeps the order of the rules file; a set has another in every process.
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def plain(self) -> bool:
        """Whether the list is just the highest estimates, one for every place."""
        wishes = self.objective.attributes or self.quotas or self.targets
        return not wishes and self.fewest_places == self.cohort_size

    @property
    def takes_out(self) -> tuple[bool, bool]:
        """Whether a list's estimates exclude reviewers' severity, and kinds' offsets."""
        if self.estimates is Estimates.RULE:
            by_model = self.rule is RuleName.BUDGET
            return by_model and self.severity, by_model and self.kind_offsets
        adjusted = self.estimates is Estimates.ADJUSTED
        return adjusted, adjusted

    @property
    def keeps_figures_apart(self) -> bool:
        """Whether figures about reviewers are computed and shown for a logged look alone."""
        return self.reviewer_figures is not None

    @property
    def promises_close(self) -> bool:
        """Whether there is a floor for those who are too close to call."""
        return any(floor.who is FloorFor.CLOSE for floor in self.floors)

    @property
    def overlaps(self) -> bool:
        """Whether some applicants near the cut get another kind by the draw."""
        return self.kind_overlap > 0 and len(self.kinds) > 1

    def kind_index(self, name: str) -> int:
        """Return the index of a kind by its name; -1 when there is none."""
        return next((i for i, kind in enumerate(self.kinds) if kind.name == name), -1)

    def floor_counts(self, who: FloorFor) -> tuple[int, ...]:
        """Return the floor of each kind, in the order of the kinds, 0 where there is none.

        A floor of a kind includes the kinds that it requires; for the chosen and for those too
        close to call, only as far as everybody's floors do not include them already.
        """
        stated = self._stated(who)
        counts = self.with_prerequisites(stated)
        if who is FloorFor.ALL:
            return tuple(counts)
        # What everybody's floors include is paid for already;
        # counting it again would hold money back.
        given = self.with_prerequisites(self._stated(FloorFor.ALL))
        return tuple(
            own if whole <= everyone else whole
            for own, whole, everyone in zip(stated, counts, given, strict=True)
        )

    def _stated(self, who: FloorFor) -> list[int]:
        counts = [0] * len(self.kinds)
        for floor in self.floors:
            if floor.who is who:
                counts[self.kind_index(floor.kind)] = floor.count
        return counts

    def with_prerequisites(self, stated: Sequence[int]) -> list[int]:
        """Add to counts of each kind the counts of the kinds that they require.

        As many passes as there are kinds follow any chain, and still end if there is a circle.
        """
        counts = list(stated)
        for _ in self.kinds:
            for index, kind in enumerate(self.kinds):
                first = self.kind_index(kind.requires)
                if counts[index] and first >= 0:
                    counts[first] = max(counts[first], kind.requires_count)
        return counts

    def rubric(self, kind: str) -> Rubric | None:
        """Return the rubric of a kind, None when its scores are utilities already."""
        return next((rubric for rubric in self.rubrics if rubric.kind == kind), None)
