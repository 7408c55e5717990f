"""What past marks say of kinds, severities and times, each with its interval."""

import math
from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.estimation.posterior import NO_REVIEWER
from swapflow.bandit.estimation.reml import NORMAL_95, SpreadInterval
from swapflow.bandit.estimation.severity import Components, components, of_kinds
from swapflow.bandit.situation import FloatArray, IntArray, Scores
from swapflow.domain.interval import Interval
from swapflow.files.imports.past_round import PastRound
from swapflow.simulation.intervals import bootstrap_interval


ENOUGH = 10
"""Repeated marks below which a spread is not worked out: its interval would say nothing."""


LARGEST_ERROR = 100.0
"""Of a logarithm; beyond, the interval has no ends that a number could hold."""


FINEST = 1e-6
"""Spreads of marks below this are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Something the files cannot tell: what, why not, and what would be needed."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Severity:
    """One reviewer's shrunk severity; positive marks above the others."""

    reviewer: str
    kind: str
    marks: int
    severity: float
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KindEstimate:
    """What is known of one kind, on [0, 1].

    Attributes:
        marks: How many there are.
        level: Mean mark.
        noise: Spread of one mark around applicant and severity; None where unknown.
        severity: Spread between its reviewers; None where unknown.
        within: Spread of one mark around the applicant, severity included; None where unknown.
        gain: How many reviews one of these is worth; None where unknown.
        minutes: Mean working time; None where it is not on record.
        cost: Minutes over a review's; None where unknown.
    """

    name: str
    marks: int
    level: float
    noise: Interval | None
    severity: Interval | None
    within: Interval | None
    gain: Interval | None
    minutes: Interval | None
    cost: Interval | None


@dataclass(frozen=True, kw_only=True)
class PastFit:
    """The fitted model with what was left out of it, and why.

    Attributes:
        used: Kinds that are in the model, in its order.
        alone: Whether it says only how reviewers differ (nobody has two marks).
    """

    past: PastRound
    model: Components | None
    used: tuple[int, ...]
    alone: bool
    unknown: tuple[Unknown, ...]

    @classmethod
    def of(cls, past: PastRound) -> "PastFit":
        """Find out what can be known, and fit that."""
        scores, unknown = past.scores, []
        used = [0]
        repeats = _repeats(scores.arm[scores.kind == 0])
        if float(np.ptp(scores.mark[scores.kind == 0])) < FINEST:
            reason = f"every {past.kinds[0]} has the same mark, so nothing can be told apart"
            spread = Unknown(name="every spread, and agreement", reason=reason)
            return cls(past=past, model=None, used=(), alone=False, unknown=(spread,))
        if repeats < ENOUGH:
            return cls._without_repeats(past, repeats)
        # Kinds are compared through applicants who have both;
        # without enough of them nothing links them.
        judged = np.unique(scores.arm[scores.kind == 0])
        for kind in range(1, len(past.kinds)):
            both = np.isin(np.unique(scores.arm[scores.kind == kind]), judged).sum()
            if both >= ENOUGH:
                used.append(kind)
                unknown.append(_assumed(past.kinds[kind], past.kinds[0]))
            else:
                unknown.append(
                    Unknown(
                        name=f"gain of {past.kinds[kind]}",
                        reason=f"only {both} applicants have both a {past.kinds[0]} and a "
                        f"{past.kinds[kind]}; at least {ENOUGH} are needed to compare them",
                    )
                )
        part = of_kinds(scores, used)
        for place, kind in enumerate(used):
            seen = part.reviewer[part.kind == place]
            if _repeats(seen[seen >= 0]) >= ENOUGH:
                continue
            # Taken out of this kind alone: the other kinds' severities can still be told.
            part = replace(part, reviewer=np.where(part.kind == place, NO_REVIEWER, part.reviewer))
            unknown.append(_no_severity(past.kinds[kind], named=bool(np.any(seen >= 0))))
        return cls(
            past=past,
            model=components(part),
            used=tuple(used),
            alone=False,
            unknown=tuple(unknown),
        )

    @classmethod
    def _without_repeats(cls, past: PastRound, repeats: int) -> "PastFit":
        """Explain what fewer than two marks each leave open; reviewers may still be known."""
        kind = past.kinds[0]
        have = (
            f"no applicant has a second {kind}"
            if repeats == 0
            else f"there are only {repeats} second {kind}s of the same applicant"
        )
        unknown = [
            Unknown(
                name="spread of marks of one applicant",
                reason=f"{have}, so nothing tells how far two reviewers of the same applicant "
                f"differ from how far applicants differ; give at least {ENOUGH} applicants a "
                f"second {kind}, by another reviewer",
            ),
            Unknown(name="spread between applicants", reason="for the same reason"),
            Unknown(name="agreement", reason="for the same reason"),
        ]
        unknown += [
            Unknown(name=f"gain of {name}", reason="for the same reason")
            for name in past.kinds[1:]
        ]
        scores = of_kinds(past.scores, [0])
        known = scores.reviewer >= 0
        if _repeats(scores.reviewer[known]) < ENOUGH:
            unknown.append(_no_severity(kind, named=bool(known.any())))
            return cls(past=past, model=None, used=(), alone=False, unknown=tuple(unknown))
        # Reviewers take the place of applicants:
        # with one mark each, only their spread is left to see.
        place = np.unique(scores.reviewer[known], return_inverse=True)[1]
        model = components(
            Scores(
                arm=place.astype(np.int64),
                reviewer=np.full(place.size, NO_REVIEWER, dtype=np.int64),
                kind=np.zeros(place.size, dtype=np.int64),
                mark=scores.mark[known],
            )
        )
        return cls(past=past, model=model, used=(), alone=True, unknown=tuple(unknown))

    @property
    def between(self) -> Interval | None:
        """Spread between applicants."""
        return None if self.model is None or self.alone else _interval(self.model.utility)

    def kind(self, kind: int, times: "list[Interval | None]") -> KindEstimate:
        """Gather what is known of a kind."""
        past = self.past
        own = past.scores.kind == kind
        noise = severity = within = gain = None
        if self.model is not None and kind in self.used:
            place = self.used.index(kind)
            noise = _interval(self.model.noise[place])
            found = self.model.severity[place]
            severity = None if found is None else _interval(found)
            within = self._within(place)
            gain = Interval(1.0, 1.0, 1.0) if place == 0 else self._gain(place)
        elif self.model is not None and self.alone and kind == 0:
            severity = _interval(self.model.utility)
        return KindEstimate(
            name=past.kinds[kind],
            marks=int(np.count_nonzero(own)),
            level=float(past.scores.mark[own].mean()),
            noise=noise,
            severity=severity,
            within=within,
            gain=gain,
            minutes=times[kind],
            cost=_cost(past, kind),
        )

    def severities(self) -> tuple[Severity, ...]:
        """List the reviewers in the order of their severity, the most generous first."""
        if self.model is None or self.alone:
            return ()
        found = []
        for place, kind in enumerate(self.used):
            effects = self.model.effects[place]
            if effects is None:
                continue
            found += [
                Severity(
                    reviewer=self.past.reviewers[int(reviewer)],
                    kind=self.past.kinds[kind],
                    marks=int(count),
                    severity=float(value),
                    error=float(error),
                )
                for reviewer, value, error, count in zip(
                    effects.reviewer, effects.severity, effects.error, effects.count, strict=True
                )
            ]
        return tuple(sorted(found, key=lambda s: (-s.severity, s.kind, s.reviewer)))

    def _places(self, place: int) -> list[int]:
        """Places of a kind's noise and severity among the logarithms of the variances."""
        assert self.model is not None
        kinds = len(self.model.noise)
        severe = [k for k in range(kinds) if self.model.severity[k] is not None]
        return [1 + place] + ([1 + kinds + severe.index(place)] if place in severe else [])

    def _variances(self, place: int) -> tuple[float, FloatArray]:
        """A kind's total variance, and its gradient in the logarithms of all variances."""
        assert self.model is not None
        parts = [self.model.noise[place].value ** 2]
        severity = self.model.severity[place]
        if severity is not None:
            parts.append(severity.value**2)
        slope = np.zeros(self.model.covariance.shape[0])
        slope[self._places(place)] = parts
        return sum(parts), slope

    def _within(self, place: int) -> Interval:
        """Spread of one mark around the applicant: noise and severity together."""
        assert self.model is not None
        if self.model.severity[place] is None:
            return _interval(self.model.noise[place])
        variance, slope = self._variances(place)
        error = self._error(slope / variance)
        value = math.sqrt(variance)
        # Half, because the error is that of the variance's logarithm and this is a spread.
        reach = math.exp(NORMAL_95 * error / 2)
        return Interval(value, value / reach, value * reach)

    def _gain(self, place: int) -> Interval:
        """Total variance of a review over that of this kind; severity is not divided by gain."""
        first, first_slope = self._variances(0)
        own, slope = self._variances(place)
        if math.sqrt(own) < FINEST:
            return Interval(math.inf, 0.0, math.inf)
        reach = math.exp(NORMAL_95 * self._error(first_slope / first - slope / own))
        return Interval(first / own, first / own / reach, first / own * reach)

    def _error(self, slope: FloatArray) -> float:
        """Standard error of a function of the logarithms, by its gradient."""
        assert self.model is not None
        error = math.sqrt(float(slope @ self.model.covariance @ slope))
        return min(error, LARGEST_ERROR)


def _repeats(groups: IntArray) -> int:
    """Count the members of groups beyond their first."""
    return int(groups.size - np.unique(groups).size)


def _assumed(kind: str, first: str) -> Unknown:
    """Explain why a difference of level is not known, whatever the model says of it."""
    return Unknown(
        name=f"generosity of {kind}s against {first}s",
        reason=f"the files do not say that anybody got one of the {kind}s by chance; if whoever "
        "got one was chosen for it, the difference of the levels is an assumption",
    )


def _no_severity(kind: str, *, named: bool) -> Unknown:
    reason = (
        f"hardly any reviewer gave two {kind}s"
        if named
        else f"the file does not say who gave the {kind}s; add a column reviewer"
    )
    return Unknown(name=f"severity of {kind}s", reason=reason)


def _interval(spread: SpreadInterval) -> Interval:
    return Interval(spread.value, spread.low, spread.high)


def mean_minutes(past: PastRound, kind: int) -> Interval | None:
    """Mean minutes of a kind."""
    minutes = past.minutes[past.scores.kind == kind]
    minutes = minutes[np.isfinite(minutes)]
    if minutes.size < 2:  # noqa: PLR2004 - one time has no spread
        return None
    # A fixed key: the same files give the same interval each time.
    rng = np.random.Generator(np.random.Philox(key=kind))
    return bootstrap_interval(minutes, lambda values: float(values.mean()), rng=rng)


def _cost(past: PastRound, kind: int) -> Interval | None:
    """Mean minutes of a kind over a review's, with a bootstrap interval."""
    if kind == 0:
        return Interval(1.0, 1.0, 1.0)
    times = [past.minutes[past.scores.kind == k] for k in (0, kind)]
    review, other = (time[np.isfinite(time)] for time in times)
    if min(review.size, other.size) < 2 or not review.mean() > 0:  # noqa: PLR2004 - likewise
        return None
    rng = np.random.Generator(np.random.Philox(key=100 + kind))
    ratios = [
        rng.choice(other, other.size).mean() / max(rng.choice(review, review.size).mean(), 1e-9)
        for _ in range(1000)
    ]
    low, high = np.quantile(ratios, (0.025, 0.975))
    return Interval(float(other.mean() / review.mean()), float(low), float(high))


def usual_days(past: PastRound) -> tuple[float, float] | None:
    """Measure the median days to an answer and the sd of their logarithm."""
    days = past.days[(past.scores.kind == 0) & (past.days > 0)]
    if days.size < ENOUGH:
        return None
    return float(np.median(days)), float(np.log(days).std())


def unknown_figures(past: PastRound, kinds: tuple[KindEstimate, ...]) -> list[Unknown]:
    """What no file said at all."""
    found = []
    if len(past.kinds) == 1:
        found.append(
            Unknown(
                name="gain and cost of interviews",
                reason="there is no interview in these files; add them with --interviews, or with "
                "a column kind",
            )
        )
    found += [
        Unknown(
            name=f"cost of {kind.name}",
            reason=f"the files do not say how long a {kinds[0].name} and a {kind.name} took; add "
            f"a column minutes or hours, or say --minutes {kind.name}=120",
        )
        for kind in kinds[1:]
        if kind.cost is None
    ]
    return found
