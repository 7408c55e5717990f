"""How reviewers and kinds mark in one cycle, and what adjusting the estimates would change.

Severities, kinds' offsets and agreement are computed from marks, their reviewers and kinds, and
nothing about an applicant enters. Reading changes nothing: the rules define which estimates make
the list, and `choose_estimates` puts another version of them in force.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from swapflow.bandit.estimation.posterior import NO_REVIEWER
from swapflow.bandit.estimation.reml import NORMAL_95, SpreadInterval
from swapflow.bandit.estimation.severity import Components, components, of_kinds
from swapflow.bandit.situation import IntArray, Scores
from swapflow.domain.cycle import Position
from swapflow.domain.interval import Interval
from swapflow.domain.reviewing.assignment import PullReason, PullStatus
from swapflow.domain.rules import Estimates
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.requests import RequestReads
from swapflow.engine.read_models.estimate_comparison import (
    ComparedCandidate,
    comparison_rows,
    in_force,
)
from swapflow.engine.read_models.latest_cache import LatestCache
from swapflow.engine.read_models.reviewer_agreement import Agreement, agreement
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.selection.reviewer_overlap import Groups, marked_groups, possible_groups
from swapflow.engine.selection.situation import CycleSituation


ENOUGH = 10
"""Fewest repeated marks for which a spread is estimated: with fewer, its interval is useless."""

FINEST = 1e-6
"""Marks that differ by less are all the same."""


class Lack(StrEnum):
    """Why severities and spreads are not known."""

    NOTHING = ""
    NO_SCORES = "no scores"
    FEW_REPEATS = "few repeats"
    ALL_ALIKE = "all alike"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """How one reviewer marks in one kind: above the others (positive) or below.

    Attributes:
        marks: Number of marks that count; None where it would tell whose random number this is.
        severity: In score units, shrunk, so that a few marks do not make a reviewer look severe.
    """

    reviewer: int
    kind: int
    marks: int | None
    severity: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSpread:
    """How marks of one kind spread around the applicant's utility.

    Attributes:
        noise: Around utility and severity.
        severity: Between its reviewers; None where that cannot be known.
    """

    kind: int
    noise: SpreadInterval
    severity: SpreadInterval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KindOffset:
    """How much more generous a kind is than the first one, for the same applicants.

    Attributes:
        offset: In score units; None where too few have both.
        both: Applicants with marks of both kinds.
        by_chance: How many of them got one of the two by the draw.
        assumed: Whether too few did for a measurement, so that it rests on the model alone:
            applicants with both were selected by their marks.
    """

    kind: int
    offset: Interval | None
    both: int
    by_chance: int
    assumed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the marks show about reviewers and kinds.

    Attributes:
        lack: Why there is nothing about spreads, severities and offsets.
        first: The kind that offsets are counted from; -1 without scores.
        utility: Spread between applicants.
        unnamed: Kinds whose reviewers are not known well enough for severities.
        agreement: Per kind; kinds in which too few applicants have two marks are left out.
    """

    lack: Lack
    first: int = -1
    utility: SpreadInterval | None = None
    kinds: tuple[KindSpread, ...] = ()
    judges: tuple[Judge, ...] = ()
    offsets: tuple[KindOffset, ...] = ()
    unnamed: tuple[int, ...] = ()
    agreement: tuple[tuple[int, Agreement], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How reviewers and kinds mark in a cycle, and what adjusting changes.

    Attributes:
        position: The event up to which everything was read.
        estimates: The estimates that the rules name.
        in_force: The estimates that result: RAW, ADJUSTED, or RULE where only one of severity and
            offsets is taken out.
        groups: Reviewers who can be compared with each other, by the marks that there are.
        apart: The same by what may still come; more than one group stays apart.
        rows: The candidates; empty before the first score.
    """

    position: Position
    estimates: Estimates
    in_force: Estimates
    measured: Measured
    groups: Groups
    apart: Groups
    rows: tuple[ComparedCandidate, ...]

    @property
    def others(self) -> tuple[Estimates, ...]:
        """The estimates that could be chosen instead."""
        return tuple(e for e in (Estimates.RAW, Estimates.ADJUSTED) if e is not self.in_force)

    def comes_in(self, estimates: Estimates) -> tuple[ComparedCandidate, ...]:
        """Return the candidates whom other estimates would put on the list."""
        return tuple(row for row in self.rows if row.listed_by(estimates) and not row.listed)

    def goes_out(self, estimates: Estimates) -> tuple[ComparedCandidate, ...]:
        """Return the candidates whom other estimates would take off the list."""
        return tuple(row for row in self.rows if row.listed and not row.listed_by(estimates))

    def cut(self, estimates: Estimates) -> float | None:
        """Return the middle between the last on the list and the first off it, by estimate."""
        values = [
            (row.raw if estimates is Estimates.RAW else row.adjusted, row.listed_by(estimates))
            for row in self.rows
        ]
        inside = min((value for value, listed in values if listed), default=None)
        outside = max((value for value, listed in values if not listed), default=None)
        return None if inside is None or outside is None else (inside + outside) / 2


def calibration(
    cycle_id: str, *, ledger: Ledger, snapshots: SnapshotCache | None = None
) -> Calibration:
    """Compute how reviewers and kinds mark, and what adjusting would change; writes nothing.

    Args:
        cycle_id: The cycle.
        ledger: The ledger.
        snapshots: As for `propose`.

    Raises:
        NotReadyError: If the cycle was not launched.
    """
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        seen.require_launched()
        projection, rules = seen.projection, seen.projection.rules
        situation = seen.situation()
        scores = situation.situation.scores
        # Taken inside the block: the projection is folded on as soon as the next reader holds it.
        position = projection.position
        groups, apart = marked_groups(projection), possible_groups(projection)
        rows = comparison_rows(seen, ledger=ledger) if scores.mark.size else ()
    return Calibration(
        position=position,
        estimates=rules.estimates,
        in_force=in_force(rules),
        measured=measure(
            scores, kinds=len(rules.kinds), drawn=_drawn(cycle_id, situation, ledger=ledger)
        ),
        groups=groups,
        apart=apart,
        rows=rows,
    )


def latest_calibration(
    cycle_id: str, *, ledger: Ledger, snapshots: SnapshotCache, cache: LatestCache[Calibration]
) -> Calibration:
    """Return the calibration of a cycle, cached until an event.

    Raises:
        NotReadyError: If the cycle was not launched.
    """
    known, head = cache.get(cycle_id), ledger.cycle(cycle_id).position
    if known is None or known.position != head:
        made = calibration(cycle_id, ledger=ledger, snapshots=snapshots)
        known = cache.put(cycle_id, made)
    return known


def _drawn(
    cycle_id: str, situation: CycleSituation, *, ledger: RequestReads
) -> frozenset[tuple[int, int]]:
    """Return the (arm, kind) pairs that the draw selected."""
    arm_of = {number: arm for arm, number in enumerate(situation.application.tolist())}
    return frozenset(
        (arm_of[pull.application], pull.kind)
        for pull in ledger.pulls(cycle_id, statuses={PullStatus.CLOSED})
        if pull.why is PullReason.CHANCE and pull.application in arm_of
    )


def measure(
    scores: Scores, *, kinds: int, drawn: Collection[tuple[int, int]] = frozenset()
) -> Measured:
    """Compute severities, offsets and agreement from the marks alone.

    Args:
        scores: All scores that count.
        kinds: How many kinds the rules have.
        drawn: Arms and the kind that each got by chance; enough of them measure an offset.
    """
    if not scores.mark.size:
        return Measured(lack=Lack.NO_SCORES)
    found = [(kind, agreement(scores, kind=kind)) for kind in range(kinds)]
    agreed = tuple((kind, one) for kind, one in found if one is not None)
    first = int(scores.kind.min())
    both = _both(scores, first, kinds)
    chance = _by_chance(scores, first, kinds, drawn)
    used = [kind for kind in range(kinds) if kind == first or both[kind] >= ENOUGH]
    part = of_kinds(scores, used)
    if float(np.ptp(part.mark)) < FINEST:
        return Measured(lack=Lack.ALL_ALIKE, first=first)
    if _repeats(part.arm) < ENOUGH:
        return Measured(lack=Lack.FEW_REPEATS, first=first, agreement=agreed)
    part, unnamed = _without_unknown(part, used)
    fitted = components(part)
    return Measured(
        lack=Lack.NOTHING,
        first=first,
        utility=fitted.utility,
        kinds=tuple(
            KindSpread(kind=kind, noise=fitted.noise[place], severity=fitted.severity[place])
            for place, kind in enumerate(used)
        ),
        judges=_judges(fitted, used),
        offsets=tuple(
            KindOffset(
                kind=kind,
                offset=_offset(fitted, used.index(kind)) if kind in used else None,
                both=int(both[kind]),
                by_chance=chance[kind],
                assumed=chance[kind] < ENOUGH,
            )
            for kind in range(kinds)
            if kind != first and (scores.kind == kind).any()
        ),
        unnamed=unnamed,
        agreement=agreed,
    )


# The model


def _both(scores: Scores, first: int, kinds: int) -> IntArray:
    """Count the arms that have a mark of the first kind and of each, shape (kinds,)."""
    judged = np.unique(scores.arm[scores.kind == first])
    return np.array(
        [
            np.isin(np.unique(scores.arm[scores.kind == kind]), judged).sum()
            for kind in range(kinds)
        ],
        dtype=np.int64,
    )


def _by_chance(
    scores: Scores, first: int, kinds: int, drawn: Collection[tuple[int, int]]
) -> list[int]:
    """Count the arms with marks of the first kind and of each that were drawn for one of them."""
    have = set(zip(scores.arm.tolist(), scores.kind.tolist(), strict=True))
    return [
        len(
            {
                arm
                for arm, got in drawn
                if got in (first, kind) and {(arm, first), (arm, kind)} <= have
            }
        )
        for kind in range(kinds)
    ]


def _without_unknown(part: Scores, used: Sequence[int]) -> tuple[Scores, tuple[int, ...]]:
    """Remove severity from kinds with too few repeated reviewers; return those kinds too."""
    unnamed = []
    for place, kind in enumerate(used):
        seen = part.reviewer[part.kind == place]
        if _repeats(seen[seen >= 0]) < ENOUGH:
            hidden = np.where(part.kind == place, NO_REVIEWER, part.reviewer)
            part = replace(part, reviewer=hidden)
            unnamed.append(kind)
    return part, tuple(unnamed)


def _repeats(groups: IntArray) -> int:
    """Count the members of groups beyond their first."""
    return int(groups.size - np.unique(groups).size)


def _judges(fitted: Components, used: Sequence[int]) -> tuple[Judge, ...]:
    found = [
        Judge(reviewer=reviewer, kind=kind, marks=count, severity=_around(severity, error))
        for kind, effects in zip(used, fitted.effects, strict=True)
        if effects is not None
        for reviewer, severity, error, count in zip(
            effects.reviewer.tolist(),
            effects.severity.tolist(),
            effects.error.tolist(),
            effects.count.tolist(),
            strict=True,
        )
    ]
    return tuple(sorted(found, key=lambda one: (one.kind, -one.severity.value, one.reviewer)))


def _offset(fitted: Components, place: int) -> Interval:
    """Return how far a kind's level lies above the first one's."""
    spread = fitted.level_covariance
    variance = spread[place, place] + spread[0, 0] - 2 * spread[0, place]
    return _around(fitted.level[place] - fitted.level[0], math.sqrt(max(float(variance), 0.0)))


def _around(value: float, error: float) -> Interval:
    return Interval(value, value - NORMAL_95 * error, value + NORMAL_95 * error)


# The list
