"""Tiered interviewing: every tier has a kind of pull and a cut, and only some pass to the next.

    Caco            cuts each tier once its cut is certified (fixed confidence)
    Brutas          decides applicant after applicant, for good, within a budget per tier
    UniformTiers    the same number for everybody in the tier, then the best pass
    RandomTiers     an applicant drawn at random, then the best pass

Tier i has cost j_i, gain s_i and a cut K_i; K_1 > … > K_m = K. The cost and the gain are those of
the sampler's i-th kind, so a strategy here names the cuts alone. What these are compared with, the
product's own rules, know no cuts: there a tier is a kind with a prerequisite (`InOrder`).

Source:
    Schumann, Lang, Foster, Dickerson 2019, "Making the Cut: A Bandit-based Approach to Tiered
    Interviewing", NeurIPS (CACO: Algorithm 1, BRUTaS: Algorithm 2), and the authors' code,
    github.com/principledhiring/TieredHiring. We had the code and the abstract, not the algorithm
    boxes; where a class follows the code and where it is our reading, it says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.oracles.oracle import Oracle, TopK, largest
from swapflow.bandit.radius import paper_radius
from swapflow.bandit.situation import FloatArray, IntArray, PullKind
from swapflow.errors import InvalidInputError
from swapflow.experiments.budgeted_sampler import BudgetedSampler
from swapflow.experiments.strategies import Strategy
from swapflow.simulation.score_sources import ScoreSource


AHEAD = 16
"""Marks of each applicant and kind that `Ahead` draws at first."""


def checked_cuts(cuts: Sequence[int], *, applicants: int, kinds: int, places: int) -> None:
    """Check that the cuts fall, one for each kind, to the number of places.

    Raises:
        InvalidInputError: If they do not.
    """
    falls = all(cut < above for above, cut in zip((applicants, *cuts), cuts, strict=False))
    if len(cuts) != kinds or not falls or cuts[-1] != places:
        raise InvalidInputError(
            "tier_cuts_unsuitable", cuts=cuts, applicants=applicants, kinds=kinds, places=places
        )


def _cuts_of(
    cuts: tuple[int, ...], sampler: BudgetedSampler, objective: Oracle
) -> tuple[int, ...]:
    """Check the cuts against the sampler; all of this is for plain top-k.

    Raises:
        InvalidInputError: If the cuts do not suit, or the objective is another one.
    """
    if not isinstance(objective, TopK):
        raise InvalidInputError("tiers_need_top_k")
    checked_cuts(cuts, applicants=sampler.n, kinds=len(sampler.kinds), places=objective.size)
    return cuts


@dataclass(frozen=True, slots=True, kw_only=True)
class Caco:
    """CACO, Cutting Arms using a Combinatorial Oracle: CLUCB tier by tier.

    In each tier everybody who is left gets one mark of its kind. Then, until the best K_i are
    within ε of their strongest rival, the one of the two sets' symmetric difference with the
    largest radius gets another. The K_i go on; marks of earlier tiers keep counting, by their
    gains. The radius is σ √(2 ln(4 |A| Cost³ / δ) / T) with A who is left in the tier, Cost all
    that has been spent, and T the information.

    As in the authors' code: all of that, δ being spent anew in each tier. Our reading: the gap
    is taken under the rival's worst case ũ, as in CLUCB, whose proof needs it, and a tier ends at
    a gap of exactly ε too. The code takes the gap under the plain means û (`by_means`): two sets
    with nearly equal means then pass however little is known of them.

    Attributes:
        cuts: K_1 > … > K_m = K.
        sigma: Sub-Gaussian constant of one mark of gain 1, in score units.
        delta: δ of each tier.
        tolerance: ε of each tier, in utility of a cohort.
        by_means: Whether the gap is taken as in the authors' code.
    """

    cuts: tuple[int, ...]
    sigma: float
    delta: float
    tolerance: float = 0.0
    by_means: bool = False
    name: str = "CACO"

    def spend(
        self,
        sampler: BudgetedSampler,
        objective: Oracle,
        rng: np.random.Generator,  # noqa: ARG002 - leaves nothing to chance
    ) -> IntArray:
        """Cut tier by tier; where the budget runs out, the best so far of those left."""
        left = np.arange(sampler.n)
        for kind, cut in enumerate(_cuts_of(self.cuts, sampler, objective)):
            sampler.ask(left[: sampler.affordable(kind)], kind)
            inside, contested = self._compared(sampler, left, cut)
            while contested.size and sampler.affordable(kind):
                sampler.ask(contested[:1], kind)
                inside, contested = self._compared(sampler, left, cut)
            left = left[inside]
        return left

    def _compared(
        self, sampler: BudgetedSampler, left: IntArray, cut: int
    ) -> tuple[IntArray, IntArray]:
        """Return the places in `left` of the best, and who is contested, widest radius first."""
        mean = sampler.mean[left]
        radius = paper_radius(
            sampler.information[left], cost=sampler.spent, sigma=self.sigma, delta=self.delta
        )
        best = largest(mean, cut)
        worst = np.where(best, mean - radius, mean + radius)
        rival = largest(worst, cut)
        valued = mean if self.by_means else worst
        gap = abs(float(valued[rival].sum() - valued[best].sum()))
        if gap <= self.tolerance:
            return np.flatnonzero(best), left[:0]
        between = np.flatnonzero(best != rival)
        return np.flatnonzero(best), left[between[np.argsort(-radius[between], kind="stable")]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Brutas:
    """BRUTaS, Budgeted Rounds Updated Targets Successively: CSAR tier by tier.

    Tier i decides K̃_i applicants, one a phase, and leaves K_i undecided; the last tier decides
    all. In a phase every undecided applicant is brought to the phase's number of marks of the
    tier's kind; then the one whose flip would cost most is accepted (if among the best) or
    rejected, for good. Accepted ones get no further mark, in later tiers neither. It ends early
    once K are accepted.

    As in the authors' code: all of that, the decision by plain means, and the shape
    1 / (K̃_i - t + 1) of the number of marks up to phase t. Our reading: their constant,
    (T_i - K̃_i) / (log̃(K̃_i) j_i), keeps the budget only where a tier decides all who are in it,
    for it forgets the K_i who stay and get marks in every phase; here the constant is the largest
    that keeps the tier's budget, which is theirs but for rounding in the last tier. What a tier
    does not spend goes to the next. If a budget is not one mark for everybody, they are drawn.

    Attributes:
        cuts: K_1 > … > K_m = K.
        shares: Each tier's share of the budget; they add up to 1.
    """

    cuts: tuple[int, ...]
    shares: tuple[float, ...]
    name: str = "BRUTaS"

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Decide one after the other."""
        cuts = _cuts_of(self.cuts, sampler, objective)
        undecided, accepted = np.arange(sampler.n), [np.zeros(0, dtype=np.int64)]
        places = objective.size
        for kind, cut, most in _tiers(sampler, cuts, self.shares):
            last = kind == len(cuts) - 1
            decisions = undecided.size - (0 if last else cut)
            schedule = phases(
                undecided=undecided.size,
                decisions=decisions,
                marks=most,
                each=int(sampler.allowed[undecided, kind].max(initial=0)),
            )
            given = 0
            for up_to in schedule:
                for _ in range(up_to - given):
                    able = rng.permutation(undecided[sampler.allowed[undecided, kind] > 0])
                    sampler.ask(able[: most - int(sampler.asked[:, kind].sum())], kind)
                given = up_to
                if places in {0, undecided.size}:
                    break
                where, accept = _clearest(sampler.mean[undecided], places)
                if accept:
                    accepted.append(undecided[where : where + 1])
                    places -= 1
                undecided = np.delete(undecided, where)
        rest = undecided if places else undecided[:0]
        return np.sort(np.concatenate([*accepted, rest]))


def phases(*, undecided: int, decisions: int, marks: int, each: int) -> IntArray:
    """Return how many marks every undecided applicant has had by each phase of a BRUTaS tier.

    ⌈C / (decisions - t + 1)⌉ in phase t, at most `each`, with the largest C under which all
    phases together give at most `marks`. If that is not one mark each, the first phase gives
    what there is.

    Args:
        undecided: How many are undecided at first; every phase decides one of them.
        decisions: Number of phases.
        marks: How many marks the tier may give.
        each: How many marks one applicant can be given.

    Returns:
        Numbers that never fall, shape (decisions,).
    """
    turn = np.arange(decisions)
    present = undecided - turn

    def up_to(constant: float) -> IntArray:
        return np.minimum(np.ceil(constant / (decisions - turn)), each).astype(np.int64)

    def total(constant: float) -> int:
        return int((np.diff(up_to(constant), prepend=0) * present).sum())

    if undecided > marks:
        return np.full(decisions, min(1, each, marks), dtype=np.int64)
    low, high = 1e-9, float(decisions * min(each, marks) + 1)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if total(middle) <= marks else (low, middle)
    return up_to(low)


def _clearest(mean: FloatArray, places: int) -> tuple[int, bool]:
    """Find whose flip would lose most, the first of equal ones, and whether it is among the best.

    With 0 < places < number of applicants.
    """
    where = int(np.argmax(TopK(places).single_exchange_losses(mean)))
    return where, bool(largest(mean, places)[where])


@dataclass(frozen=True, slots=True, kw_only=True)
class UniformTiers:
    """Everybody in a tier gets the same number of marks of its kind, then the best K_i pass.

    The authors' comparison. Their code drops what is left over after the last whole turn; here it
    goes by lot, so that all spend alike, and what a tier cannot spend goes to the next.
    """

    cuts: tuple[int, ...]
    shares: tuple[float, ...]
    name: str = "uniform tiers"

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Turn by turn, then cut."""
        left = np.arange(sampler.n)
        cuts = _cuts_of(self.cuts, sampler, objective)
        for kind, cut, most in _tiers(sampler, cuts, self.shares):
            order = rng.permutation(left)
            given = 0
            while given < most:
                able = order[sampler.allowed[order, kind] > 0][: most - given]
                if not able.size:
                    break
                sampler.ask(able, kind)
                given += able.size
            left = left[largest(sampler.mean[left], cut)]
        return left


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomTiers:
    """Marks for applicants drawn at random, then the best K_i pass: the authors' other one."""

    cuts: tuple[int, ...]
    shares: tuple[float, ...]
    name: str = "random tiers"

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Draw with replacement among those who can still be given one, then cut."""
        left = np.arange(sampler.n)
        cuts = _cuts_of(self.cuts, sampler, objective)
        for kind, cut, most in _tiers(sampler, cuts, self.shares):
            given = 0
            while given < most:
                able = left[sampler.allowed[left, kind] > 0]
                if not able.size:
                    break
                # Distinct draws a few at a time: nobody's limit can be passed.
                drawn = np.unique(rng.choice(able, size=min(most - given, 16)))
                sampler.ask(drawn, kind)
                given += drawn.size
            left = left[largest(sampler.mean[left], cut)]
        return left


def _tiers(
    sampler: BudgetedSampler, cuts: Sequence[int], shares: Sequence[float]
) -> Iterator[tuple[int, int, int]]:
    """Return each tier's kind, cut and number of marks its share pays for, when its turn comes."""
    through = np.cumsum(shares) / np.sum(shares)
    for kind, cut in enumerate(cuts):
        last = kind == len(cuts) - 1
        own = (sampler.budget if last else sampler.budget * float(through[kind])) - sampler.spent
        yield (
            kind,
            cut,
            min(sampler.affordable(kind), max(0, int(own / sampler.kinds[kind].cost + 1e-9))),
        )


class InOrderSampler(BudgetedSampler):
    """A sampler that answers for a kind only where there is a mark of the kind before.

    This is what a prerequisite does in a cycle's rules (`requires`).
    """

    @property
    def allowed(self) -> IntArray:
        """How many more of each kind each applicant can be given, prerequisites in it."""
        allowed = super().allowed.copy()
        allowed[:, 1:][self.asked[:, :-1] == 0] = 0
        return allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class InOrder:
    """Any strategy, with a sampler that keeps the order of the kinds."""

    strategy: Strategy
    name: str = "in order"

    def spend(
        self, sampler: BudgetedSampler, objective: Oracle, rng: np.random.Generator
    ) -> IntArray:
        """Spend by it with the other sampler; the account is the given one's."""
        ordered = InOrderSampler(sampler.source, budget=sampler.budget - sampler.spent)
        cohort = self.strategy.spend(ordered, objective, rng)
        sampler.spent += ordered.spent
        sampler.asked += ordered.asked
        return cohort


class Ahead:
    """Marks of another source, many drawn at once: for strategies that ask one by one.

    Implements `ScoreSource`; gives exactly the other's marks.
    """

    def __init__(self, source: ScoreSource) -> None:
        self._source = source
        self.truth: FloatArray = source.truth
        self.kinds: tuple[PullKind, ...] = source.kinds
        self.limits: IntArray = source.limits
        self._held: FloatArray = np.zeros((len(source.kinds), source.truth.size, 0))

    def marks(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> FloatArray:
        """Look marks up, and draw twice as many as were drawn before where they run out."""
        if np.max(ordinal, initial=-1) >= self._held.shape[2]:
            self._draw(max(AHEAD, 2 * int(np.max(ordinal) + 1)))
        return np.asarray(self._held[kind, arm, ordinal])

    def reviewers(self, arm: IntArray, kind: IntArray, ordinal: IntArray) -> IntArray:
        """Ask the other."""
        return self._source.reviewers(arm, kind, ordinal)

    def _draw(self, width: int) -> None:
        kind, arm, ordinal = np.indices((len(self.kinds), self.truth.size, width))
        within = ordinal < self.limits.T[:, :, None]
        held = np.full(within.shape, np.nan)
        held[within] = self._source.marks(arm[within], kind[within], ordinal[within])
        self._held = held
