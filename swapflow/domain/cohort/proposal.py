"""The rule's proposal and people's decisions: separate things, written separately."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from swapflow.domain.cohort.quality_words import QualityFigures
from swapflow.domain.seal import Seal, seal
from swapflow.messages import Message


ROUNDING = 1e-9
"""Tolerance when shares are compared."""


class Standing(StrEnum):
    """The part of a proposal that an application is in."""

    COHORT = "cohort"
    WAITLIST = "waitlist"


class Verdict(StrEnum):
    """A person's decision about an application; no code writes one by itself."""

    SELECTED = "selected"
    WAITLISTED = "waitlisted"
    NOT_SELECTED = "not selected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One application's place in a proposal, with the evidence behind it.

    Attributes:
        rank: From 1, in the order of the proposal: cohort first, then the waitlist.
        estimate: The estimate that the cohort was chosen by, in [0, 1].
        margin: Radius of the estimate.
        evidence: Information received, in units of one pull of the first kind.
        contested: Whether the rule's own worst case, every estimate wrong by its whole radius,
            would change this application's standing: the paper's contested set.
        pulls: Scores that count, by kind name.
        floor_missing: Pulls that its floors still lack, by kind name.
        likely: Probability, by the model, of being among the best; None where it is not known.
        close: Whether that is too close to call; None in a list of an earlier release.
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
    likely: float | None = None
    close: bool | None = None

    @property
    def too_close(self) -> bool:
        """Whether the application is too close to call."""
        return self.contested if self.close is None else self.close


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLimit:
    """A limit of the rules on one group, with its members.

    Attributes:
        title: Name of the group for people, e.g. `region = North`.
        applications: Numbers of the candidates in it.
        minimum: Fewest of the chosen; maximum: most, None for no limit.
        minimum_share: Smallest share of the chosen; maximum_share: largest share.
    """

    title: str
    applications: frozenset[int]
    minimum: int
    maximum: int | None
    minimum_share: float
    maximum_share: float

    def held(self, chosen: Collection[int]) -> int:
        """Count its members among the chosen."""
        return len(self.applications.intersection(chosen))

    def wants(self) -> Message:
        """Return the limit in words."""
        parts = []
        if self.minimum:
            parts.append(Message("at_least", minimum=self.minimum))
        if self.maximum is not None:
            parts.append(Message("at_most", maximum=self.maximum))
        if self.minimum_share > 0:
            parts.append(Message("at_least_share", share=self.minimum_share))
        if self.maximum_share < 1:
            parts.append(Message("at_most_share", share=self.maximum_share))
        return Message("limit_wants", parts=parts) if parts else Message("any_number")

    def broken_by(self, chosen: Collection[int]) -> bool:
        """Whether a list of these applications breaks the limit."""
        held, size = self.held(chosen), len(chosen)
        most = size if self.maximum is None else self.maximum
        return not (
            self.minimum <= held <= most
            # Compared as counts: a share of a list's size is rarely a whole number.
            and self.minimum_share * size <= held + ROUNDING
            and held <= self.maximum_share * size + ROUNDING
        )

    def said_of(self, chosen: Collection[int]) -> Message:
        """Return in words how a list of these applications meets the limit."""
        return Message(
            "limit_stands", group=self.title, held=self.held(chosen), wants=self.wants()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodSheet:
    """How a proposal was made: the explanation that the office shows on request.

    Attributes:
        limits: How the list meets each limit on a group, in words.
        given_way: Where no list keeps every limit: the changes that would allow one.
        estimates: The estimates that people chose: "raw" or "adjusted"; "rule": the rule's own,
            without such a choice.
        expected_loss: What the list is expected to lack, by the model, in the objective's units;
            None where it is not known.
        expected_loss_range: 90 % range of it.
        belong: How many of the list's applicants belong on it, by the model (H).
        belong_range: 90 % range of their number.
        close: Numbers of the applications too close to call; None in a sheet of an earlier
            release.
        contested: Size of the paper's contested set: those on the list or on its closest rival
            under the rule's own worst case, and not on both; None in such a sheet.
        drawn: What became of those drawn from the clearly out, in a sentence; "" without a draw.
        seed: None where the launch drew it and the list is not final.
        seed_digest: SHA-256 of a drawn seed, shown from the launch on.
    """

    cycle_id: str
    position: int
    head_hash: str
    rules_version: int
    rule: str
    objective: str
    cohort_size: int
    candidates: int
    seed: int | None
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
    limits: tuple[str, ...] = ()
    given_way: tuple[str, ...] = ()
    estimates: str = "rule"
    expected_loss_range: tuple[float, float] | None = None
    belong: float | None = None
    belong_range: tuple[float, float] | None = None
    close: tuple[int, ...] | None = None
    contested: int | None = None
    seed_digest: str = ""
    drawn: str = ""


def figures_of(sheet: MethodSheet) -> QualityFigures | None:
    """Return how good the list of a method sheet is; None where that is not known."""
    numbers = (sheet.expected_loss, sheet.expected_loss_range, sheet.belong, sheet.belong_range)
    loss, loss_range, belong, belong_range = numbers
    if loss is None or loss_range is None or belong is None or belong_range is None:
        return None
    return QualityFigures(
        places=sheet.cohort_size,
        expected_loss=loss,
        expected_loss_range=loss_range,
        linear=sheet.objective == "top-k",
        belong=belong,
        belong_range=belong_range,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningCheck:
    """One thing that is looked at before a list is signed.

    Attributes:
        name: What is checked: a stable code.
        met: Whether nothing stands against signing; else a reason must be on record, or for a
            limit the rules must change.
        applicants: External ids of those it is about.
        sentences: What is wrong, in sentences, where it is not about single applicants.
    """

    name: str
    met: bool
    applicants: tuple[str, ...] = ()
    sentences: tuple[Message | str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnSample:
    """What became of those drawn from the clearly out to be read once more.

    Attributes:
        took_place: Whether there was a draw. Before it, `numbers` are those who would be drawn
            now, and are told to nobody: a check that is known beforehand checks little.
        numbers: Numbers of those drawn, in the order of the draw.
        read: Those of them whom a reviewer new to them has read.
        places: Where they are on the list; who withdrew since is not among them.
    """

    took_place: bool
    numbers: tuple[int, ...]
    read: frozenset[int]
    places: tuple[Place, ...]

    @property
    def unread(self) -> tuple[Place, ...]:
        """Those on the list or its waitlist whom nobody new to them has read."""
        return tuple(place for place in self.places if place.application not in self.read)

    @property
    def complete(self) -> bool:
        """Whether all who can be on the list were read."""
        return not self.unread

    @property
    def stayed(self) -> tuple[Place, ...]:
        """Those who were read and are still clearly out."""
        return tuple(
            place
            for place in self.places
            if place.application in self.read
            and place.standing is not Standing.COHORT
            and not place.too_close
        )

    @property
    def sentence(self) -> Message:
        """What became of the draw, in a sentence without names."""
        if not self.numbers:
            return Message("draw_of_nobody")
        if not self.took_place:
            return Message("draw_not_made")
        drawn, stayed = len(self.places), len(self.stayed)
        if self.unread:
            read = drawn - len(self.unread)
            return Message("draw_unread", drawn=drawn, read=read, stayed=stayed)
        return Message("draw_read", drawn=drawn, stayed=stayed)

    def on(self, places: Collection[Place]) -> "DrawnSample":
        """Return it for another list: the places that those drawn have there."""
        drawn = tuple(place for place in places if place.application in self.numbers)
        return replace(self, places=drawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The list that the rule proposes, best first, with the method sheet that explains it.

    Attributes:
        limits: Limits of the rules on groups.
        fewest: Fewest places that must be filled; None where it equals the number proposed.
        promised: Numbers of applications with a valid offer, which they keep.
        near: Numbers of applications whose standing one more score could change.
        promises_close: Whether the rules promise reviews to applicants too close to call.
        close_checks: What that promise still lacks, in sentences.
        drawn: What became of those drawn from the clearly out; None where the rules draw none.
    """

    cycle_id: str
    version: int
    places: tuple[Place, ...]
    sheet: MethodSheet
    limits: tuple[GroupLimit, ...] = ()
    fewest: int | None = None
    promised: frozenset[int] = frozenset()
    near: frozenset[int] = frozenset()
    promises_close: bool = False
    close_checks: tuple[Message, ...] = ()
    drawn: DrawnSample | None = None

    @property
    def cohort(self) -> tuple[Place, ...]:
        """The places in the cohort."""
        return tuple(p for p in self.places if p.standing is Standing.COHORT)

    @property
    def seal(self) -> Seal:
        """The digest of what a decision about this list rests on.

        Estimates are left out: one that moves nobody changes no decision.
        """
        return seal(
            version=[self.cycle_id, self.version],
            rules=[self.sheet.rules_version, self.sheet.given_way],
            list=[[p.application, p.standing.value] for p in self.places],
            missing=[[p.application, dict(p.floor_missing)] for p in self.places],
            promised=self.promised,
            explained=[p.application for p in self.to_explain],
        )

    @property
    def out_above_cut(self) -> tuple[Place, ...]:
        """Those proposed out although the plain average of their marks is above the cut.

        The cut is the last estimate on the list. Named only under a floor for those too close to
        call: programs without it promise nothing about plain averages.
        """
        if not (self.promises_close and self.cohort):
            return ()
        cut = min(place.estimate for place in self.cohort)
        return tuple(
            p
            for p in self.places
            if p.standing is not Standing.COHORT and p.estimate <= cut < (p.raw_mean or 0.0)
        )

    @property
    def checks(self) -> tuple[SigningCheck, ...]:
        """What is looked at before the list is signed; those about a promise only where it is."""
        below = tuple(p.external_id for p in self.places if p.floor_missing)
        given_way = self.sheet.given_way
        checks = [
            SigningCheck(name="floors", met=not below, applicants=below),
            SigningCheck(name="limits", met=not given_way, sentences=given_way),
        ]
        if self.promises_close:
            above = tuple(p.external_id for p in self.out_above_cut)
            checks += [
                SigningCheck(
                    name="close_floor", met=not self.close_checks, sentences=self.close_checks
                ),
                SigningCheck(name="out_above_cut", met=not above, applicants=above),
            ]
        if self.drawn is not None:
            unread = self.drawn.unread if self.drawn.took_place else ()
            checks.append(
                SigningCheck(
                    name="drawn_check",
                    met=self.drawn.complete,
                    applicants=tuple(p.external_id for p in unread),
                    sentences=(self.drawn.sentence,),
                )
            )
        return tuple(checks)

    @property
    def to_explain(self) -> tuple[Place, ...]:
        """Those who may not be decided about without a reason on record."""
        about = {place.application for place in self.out_above_cut}
        about |= {place.application for place in (self.drawn.unread if self.drawn else ())}
        return tuple(p for p in self.places if p.floor_missing or p.application in about)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A decision by people about one application.

    Attributes:
        by: Who recorded it: in a meeting, else who prepared the list, or decided without one. Of
            lists of earlier releases, which have no `prepared_by`, the last who signed.
        reason: Why.
        at: When the list became final.
        prepared_by: Who prepared the list for signature, or decided about it; None where that is
            not on record.
    """

    application: int
    verdict: Verdict
    by: str
    reason: str
    at: datetime
    prepared_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A named person accepts that an application stays below a floor, with the reason."""

    by: str
    reason: str
