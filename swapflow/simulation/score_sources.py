"""Score sources: where the marks of a study come from. To add one, write a class like these.

    Gaussian              normal noise around a known truth; what the theorems assume
    HeavyTailed           Student's t noise, for noise that is worse than assumed
    BetaMarks             marks within [0, 1], however close to its ends the truth lies
    Recorded              the marks of a past round, in the order on record
    ClassifierFallback    the same, and a score drawn around a model once they are used up
    Rubric                any of them in whole marks, such as 1 to 5
    Severe                any of them given by reviewers, of whom some are more generous

A source is one round: it knows the truth and every mark that could ever be given. A mark is a
function of its address (applicant, kind, how many of the kind came before), so the order in which
marks are asked for changes nothing, and strategies meet the same luck.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import betaincinv, stdtrit

from swapflow.automatic_reviewers.recorded_round import Recording
from swapflow.bandit.estimation.posterior import NO_REVIEWER
from swapflow.bandit.run import UNLIMITED
from swapflow.bandit.situation import FloatArray, IntArray, PullKind
from swapflow.errors import InvalidInputError
from swapflow.simulation.random_numbers import Stream


PURPOSE_MARK, PURPOSE_SEVERITY, PURPOSE_PANEL, PURPOSE_DELAY = 0, 1000, 1001, 1002
"""What random numbers are for; a mark's purpose is that plus its kind."""


class ScoreSource(Protocol):
    """One round's applicants, and every mark that a reviewer could give.

    `marks` and `reviewers` take arrays of one shape and answer in that shape: the same address
    always gives the same answer. Addresses beyond `limits` are never asked for.
    """

    @property
    def truth(self) -> FloatArray:
        """What a cohort is judged by: each applicant's utility, shape (n,)."""
        ...

    @property
    def kinds(self) -> tuple[PullKind, ...]:
        """The ways to ask; the first is the measure of the others."""
        ...

    @property
    def limits(self) -> IntArray:
        """How many marks of each kind each applicant can be given, shape (n, kinds)."""
        ...

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Return marks.

        Args:
            arm: Indices of applicants.
            kind: Indices into `kinds`.
            ordinal: How many marks of that kind the applicant has been given before.
        """
        ...

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:
        """Return who gives each of these marks; `NO_REVIEWER` where nobody in particular does."""
        ...


class _Anonymous:
    """What sources share whose marks come from nobody in particular, without limit."""

    truth: FloatArray
    kinds: tuple[PullKind, ...]

    @property
    def limits(self) -> IntArray:
        """As many as anybody asks for."""
        return np.full((self.truth.size, len(self.kinds)), UNLIMITED, dtype=np.int64)

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:  # noqa: ARG002 - the protocol's
        """Nobody in particular."""
        return np.full(np.shape(arm), NO_REVIEWER, dtype=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Gaussian(_Anonymous):
    """Normal noise around the truth: sd sigma for a mark of gain 1, sigma / sqrt(gain) else.

    Attributes:
        sigma: Spread of one mark of gain 1, in units of utility.
        deviations: True spread of each kind where it is another than the gain says; empty
            where the gain is right.
        stream: The cell's random numbers.
        run: Number of the run.
    """

    truth: FloatArray
    kinds: tuple[PullKind, ...]
    sigma: float
    stream: Stream
    run: int
    deviations: tuple[float, ...] = ()

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Draw each mark from its own address."""
        noise = self.stream.normals(self.run, arm, ordinal, kind + PURPOSE_MARK)
        return np.asarray(self.truth[arm] + self._spread[kind] * noise)

    @cached_property
    def _spread(self) -> FloatArray:
        usual = [self.sigma / math.sqrt(kind.gain) for kind in self.kinds]
        return np.array(self.deviations or usual)


@dataclass(frozen=True, eq=False, kw_only=True)
class HeavyTailed(Gaussian):
    """Student's t noise with the same spread: now and then a mark is far off.

    Attributes:
        degrees: Degrees of freedom, above 2; 4 gives one mark in 160 beyond 3.5 sigma.
    """

    degrees: float = 4.0

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Draw each mark from its own address."""
        chance = self.stream.uniforms(self.run, arm, ordinal, kind + PURPOSE_MARK)[0]
        scale = math.sqrt((self.degrees - 2) / self.degrees)
        return np.asarray(
            self.truth[arm] + self._spread[kind] * scale * stdtrit(self.degrees, chance)
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class BetaMarks(Gaussian):
    """Marks within [0, 1] with the truth as mean; near the ends they spread less than sigma."""

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Draw each mark from its own address."""
        chance = self.stream.uniforms(self.run, arm, ordinal, kind + PURPOSE_MARK)[0]
        mean = np.clip(self.truth[arm], 1e-3, 1 - 1e-3)
        # A beta's variance is below mean (1 - mean), and one that touches it has marks 0 and 1.
        variance = np.minimum(self._spread[kind] ** 2, 0.8 * mean * (1 - mean))
        weight = mean * (1 - mean) / variance - 1
        return np.asarray(betaincinv(mean * weight, (1 - mean) * weight, chance))


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordedMarks:
    """The marks of a past round, in the order on record (shuffle the recording for another).

    The first kind is a review, the second, if there is one, the interview on record.
    """

    recording: Recording
    kinds: tuple[PullKind, ...]

    @cached_property
    def truth(self) -> FloatArray:
        """The truth where it is known, else the mean of the final marks."""
        return np.array([self.recording.utility[item] for item in self.recording.items])

    @cached_property
    def limits(self) -> IntArray:
        """What is on record."""
        limits = np.zeros((self.truth.size, len(self.kinds)), dtype=np.int64)
        limits[:, 0] = [len(self.recording.reviews[item]) for item in self.recording.items]
        for kind in range(1, len(self.kinds)):
            held = [item in self.recording.interviews for item in self.recording.items]
            limits[:, kind] = held if kind == 1 else 0
        return limits

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Look each mark up."""
        return np.asarray(np.where(kind == 0, self._marks[arm, ordinal], self._interviews[arm]))

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:
        """Look each reviewer up; interviews come from nobody in particular."""
        return np.asarray(np.where(kind == 0, self._reviewers[arm, ordinal], NO_REVIEWER))

    @cached_property
    def _marks(self) -> FloatArray:
        table = np.full((self.truth.size, self.recording.most_reviews), np.nan)
        for arm, item in enumerate(self.recording.items):
            reviews = self.recording.reviews[item]
            table[arm, : len(reviews)] = [review.utility for review in reviews]
        return table

    @cached_property
    def _interviews(self) -> FloatArray:
        held = self.recording.interviews
        return np.array([held.get(item, np.nan) for item in self.recording.items])

    @cached_property
    def _reviewers(self) -> IntArray:
        number = {name: place for place, name in enumerate(self.recording.reviewers)}
        table = np.full(self._marks.shape, NO_REVIEWER, dtype=np.int64)
        for arm, item in enumerate(self.recording.items):
            reviews = self.recording.reviews[item]
            table[arm, : len(reviews)] = [number.get(r.reviewer, NO_REVIEWER) for r in reviews]
        return table


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassifierFallback:
    """Real reviews first; once an applicant's are used up, scores drawn around a model.

    So the paper's admissions experiments went on beyond the reviews on record, with their
    classifier as the model.

    Attributes:
        source: The real reviews.
        model: The model's score of each applicant, shape (n,).
        sigma: Spread of a drawn review around the model's score.
    """

    source: RecordedMarks
    model: FloatArray
    sigma: float
    stream: Stream
    run: int

    @property
    def truth(self) -> FloatArray:
        """That of the real reviews."""
        return self.source.truth

    @property
    def kinds(self) -> tuple[PullKind, ...]:
        """Those of the real reviews."""
        return self.source.kinds

    @property
    def limits(self) -> IntArray:
        """No limits: the model never tires."""
        return np.full_like(self.source.limits, UNLIMITED)

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Look marks up, and draw those that are not on record."""
        arm, kind, ordinal = np.broadcast_arrays(arm, kind, ordinal)
        real = ordinal < self.source.limits[arm, kind]
        gain = np.array([k.gain for k in self.kinds])[kind]
        noise = self.stream.normals(self.run, arm, ordinal, kind + PURPOSE_MARK)
        drawn = self.model[arm] + self.sigma / np.sqrt(gain) * noise
        drawn[real] = self.source.marks(arm[real], kind[real], ordinal[real])
        return np.asarray(drawn)

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:
        """Who gave the real ones; nobody in particular gives the others."""
        arm, kind, ordinal = np.broadcast_arrays(arm, kind, ordinal)
        real = ordinal < self.source.limits[arm, kind]
        who = np.full(real.shape, NO_REVIEWER, dtype=np.int64)
        who[real] = self.source.reviewers(arm[real], kind[real], ordinal[real])
        return who


@dataclass(frozen=True, eq=False, kw_only=True)
class RubricMarks:
    """Another source's marks, moved to the nearest mark that the rubric has.

    Attributes:
        source: Where the marks come from.
        levels: The marks as utilities, ascending: (0, .25, .5, .75, 1) for marks 1 to 5.
    """

    source: ScoreSource
    levels: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.levels) < 2 or list(self.levels) != sorted(set(self.levels)):  # noqa: PLR2004 - a rubric with one mark says nothing
            raise InvalidInputError("levels_not_ascending", levels=str(self.levels))

    @property
    def truth(self) -> FloatArray:
        """The source's."""
        return self.source.truth

    @property
    def kinds(self) -> tuple[PullKind, ...]:
        """The source's."""
        return self.source.kinds

    @property
    def limits(self) -> IntArray:
        """The source's."""
        return self.source.limits

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Move each mark to the nearest level, half-way ones upwards."""
        levels = np.array(self.levels)
        borders = (levels[1:] + levels[:-1]) / 2
        return np.asarray(
            levels[np.searchsorted(borders, self.source.marks(arm, kind, ordinal), "right")]
        )

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:
        """The source's."""
        who: IntArray = self.source.reviewers(arm, kind, ordinal)
        return who


@dataclass(frozen=True, eq=False, kw_only=True)
class Severe:
    """Another source's marks, given by reviewers each of whom adds a severity of their own.

    Who judges whom is drawn at random; nobody judges an applicant twice in one kind. Each kind
    has a panel of its own: interviewers are numbered after the reviewers.

    Attributes:
        source: Where the marks come from; who gave them there is forgotten.
        panel: How many people judge in each kind.
        spreads: Spread of severity in each kind (the interviewers' is not divided by the gain).
    """

    source: ScoreSource
    panel: tuple[int, ...]
    spreads: tuple[float, ...]
    stream: Stream
    run: int

    @property
    def truth(self) -> FloatArray:
        """The source's."""
        return self.source.truth

    @property
    def kinds(self) -> tuple[PullKind, ...]:
        """The source's."""
        return self.source.kinds

    @property
    def limits(self) -> IntArray:
        """The source's, and no more than there are people."""
        return np.asarray(np.minimum(self.source.limits, np.array(self.panel)))

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Add the severity of the reviewer who gives each mark."""
        who = self.reviewers(arm, kind, ordinal)
        severity = self.severity[who]
        return np.asarray(self.source.marks(arm, kind, ordinal) + severity)

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:
        """Walk through the kind's panel from a random place in random strides."""
        arm, kind, ordinal = np.broadcast_arrays(arm, kind, ordinal)
        start, step = self.stream.uniforms(self.run, arm, kind, PURPOSE_PANEL)
        who = np.empty(arm.shape, dtype=np.int64)
        first = 0
        for index, people in enumerate(self.panel):
            of_kind = kind == index
            # A stride without common divisor comes to everybody once before anybody twice.
            strides = np.array([s for s in range(1, people + 1) if math.gcd(s, people) == 1])
            stride = strides[(step[of_kind] * strides.size).astype(np.int64)]
            place = (start[of_kind] * people).astype(np.int64) + ordinal[of_kind] * stride
            who[of_kind] = first + place % people
            first += people
        return who

    @cached_property
    def severity(self) -> FloatArray:
        """Each person's severity (positive: generous), reviewers first, shape (people,)."""
        people = np.arange(sum(self.panel))
        drawn = self.stream.normals(self.run, people, 0, PURPOSE_SEVERITY)
        return np.asarray(drawn * np.repeat(self.spreads, self.panel))
