"""A forecast of a round in well under a second, for a form whose numbers are still being typed.

`plan.py` simulates people, days and the rule itself, and takes minutes. Here many rounds are
drawn at once as arrays of rounds × applicants, spread and noise are known, and the budget is
spent in a few large steps on the requests that a knowledge gradient values most for their cost.
Limits on groups and objectives other than the plain sum are left out. `test_quick_forecast`
holds its shares against those of the simulated rule.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from swapflow.bandit.situation import FloatArray, IntArray
from swapflow.domain.rules import FloorFor, KindRules
from swapflow.planning.setting import PlanSetting
from swapflow.simulation.random_numbers import Stream


STEPS = 10
"""Steps in which the rest of the budget is spent; with twice as many the shares hardly move."""
COMPARED = 1000
"""Most applicants of a drawn round: a larger one is drawn in small, for the same shares."""
LARGEST_DRAW = 60_000
"""Most applicants of all drawn rounds together: what a page can wait for."""
MOST_ROUNDS, FEWEST_ROUNDS = 400, 40
RANGE = (0.05, 0.95)
"""The middle 90 percent of the rounds."""
_PURPOSE = 71
_ROOT_TWO_PI = np.sqrt(2 * np.pi)

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetShare:
    """The share of the highest possible score that a list reaches, over the drawn rounds.

    Attributes:
        budget: In the unit of costs.
        mean: Mean share, 0 to 1.
        low: Lower end of the middle 90 percent of the rounds.
        high: Upper end.
        evenly: Mean share where the budget is spent on as many reviews for everyone.
    """

    budget: int
    mean: float
    low: float
    high: float
    evenly: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the budget of a forecast goes into: mean cost of each part, in the unit of costs.

    Attributes:
        everyone: The floors for everyone.
        close: What those too close to call lack of their floor.
        drawn: One review more of those drawn from the clearly out.
        chosen: What those on the list lack of theirs.
        further: Further requests of the first kind, near the cut.
        other: Further requests of other kinds.
        kept: The reserve for staff, and what was not worth spending.
        requests: Mean number of requests of each kind, in the order of the rules.
    """

    everyone: float
    close: float
    drawn: float
    chosen: float
    further: float
    other: float
    kept: float
    requests: tuple[float, ...]

    def times(self, scale: float) -> "Spent":
        """Return it for a round that is this many times as large."""
        return Spent(
            everyone=scale * self.everyone,
            close=scale * self.close,
            drawn=scale * self.drawn,
            chosen=scale * self.chosen,
            further=scale * self.further,
            other=scale * self.other,
            kept=scale * self.kept,
            requests=tuple(scale * count for count in self.requests),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickForecast:
    """The forecast of a round under its budget, and under others.

    Attributes:
        rounds: Drawn rounds.
        own: The share under the budget of the rules.
        levels: Shares under other budgets, by rising budget.
        spent: Where the budget of the rules goes.
    """

    rounds: int
    own: BudgetShare
    levels: tuple[BudgetShare, ...]
    spent: Spent


def quick_forecast(
    setting: PlanSetting, stream: Stream, *, budgets: tuple[int, ...] = ()
) -> QuickForecast:
    """Forecast how good the list of a round will be.

    Args:
        setting: The round; its people limit nothing here.
        stream: Random numbers; equal ones give an equal forecast.
        budgets: Other budgets to show beside that of the rules.
    """
    small = setting.at_most(COMPARED)
    scale = setting.applicants / small.applicants
    rounds = int(np.clip(LARGEST_DRAW // small.applicants, FEWEST_ROUNDS, MOST_ROUNDS))
    own, spent = _share(small, stream, rounds)
    fewer = max(FEWEST_ROUNDS // 2, rounds // 3)
    levels = [
        replace(
            _share(small.with_rules(budget=round(budget / scale)), stream, fewer)[0], budget=budget
        )
        for budget in sorted(budgets)
    ]
    return QuickForecast(
        rounds=rounds,
        own=replace(own, budget=setting.rules.budget),
        levels=tuple(levels),
        spent=spent.times(scale),
    )


def _share(setting: PlanSetting, stream: Stream, rounds: int) -> tuple[BudgetShare, Spent]:
    drawn = _Rounds(setting, stream, rounds)
    spent = drawn.spend()
    shares = drawn.shares()
    even = _Rounds(setting, stream, rounds)
    even.spend_evenly()
    low, high = np.quantile(shares, RANGE)
    share = BudgetShare(
        budget=setting.rules.budget,
        mean=float(shares.mean()),
        low=float(low),
        high=float(high),
        evenly=float(even.shares().mean()),
    )
    return share, spent


class _Rounds:
    """Drawn rounds: true scores, and what is known of them after the marks so far."""

    def __init__(self, setting: PlanSetting, stream: Stream, rounds: int) -> None:
        self.rules = setting.rules
        self.size = (rounds, setting.applicants)
        self.places = min(setting.places, setting.applicants)
        # Each round of one size has the same applicants at every budget, so that levels differ
        # by the budget alone.
        self.rng = stream.generator(0, _PURPOSE)
        marks = setting.marks
        truth = self.rng.normal(marks.level, marks.between, self.size)
        self.truth = np.clip(truth, 0.0, 1.0)
        self.noise = _noise(setting)
        self.mean: FloatArray = np.full(self.size, marks.level)
        self.variance: FloatArray = np.full(self.size, marks.between**2)
        self.asked: IntArray = np.zeros((*self.size, len(self.rules.kinds)), dtype=np.int64)
        self.usable = self.rules.budget * (1 - self.rules.reserve)
        self.spent: FloatArray = np.zeros(rounds)

    def spend(self) -> Spent:
        """Spend the budget as the rules say; return the mean cost of each part."""
        kinds = self.rules.kinds
        everyone = self.rules.floor_counts(FloorFor.ALL)
        for kind, count in enumerate(everyone):
            self._ask(kind, np.full(self.size, count))
        floors = self.spent.copy()
        for_draw = self._to_draw() * kinds[0].cost
        kept = self._promised_to_chosen() + for_draw
        before = self.asked.copy()
        for step in range(STEPS):
            left = np.maximum(self.usable - kept - self.spent, 0.0)
            self._further(left / (STEPS - step))
        further = (self.asked - before).mean(axis=0).sum(axis=0)
        rest = self.spent.copy()
        self._floor_of(FloorFor.CLOSE, beside=kept)
        close = self.spent - rest
        rest = self.spent.copy()
        self._read_drawn()
        drawn = self.spent - rest
        rest = self.spent.copy()
        for _ in range(2):  # who comes onto the list by these answers gets them too
            self._floor_of(FloorFor.CHOSEN, beside=0.0)
        costs = [float(count) * kind.cost for count, kind in zip(further, kinds, strict=True)]
        return Spent(
            everyone=float(floors.mean()),
            close=float(close.mean()),
            drawn=float(drawn.mean()),
            chosen=float((self.spent - rest).mean()),
            further=costs[0],
            other=sum(costs[1:]),
            kept=float(self.rules.budget - self.spent.mean()),
            requests=tuple(self.asked.mean(axis=0).sum(axis=0).tolist()),
        )

    def spend_evenly(self) -> None:
        """Spend the budget on reviews of the first kind, the same number for everyone."""
        first = self.rules.kinds[0]
        affordable = int(self.usable // first.cost)
        each, over = divmod(affordable, self.size[1])
        count = np.full(self.size, min(each, first.maximum))
        if each < first.maximum:
            count[:, :over] += 1
        self._ask(0, count)

    def shares(self) -> FloatArray:
        """Return the share of the highest possible score in each round."""
        chosen = np.take_along_axis(self.truth, _best(self.mean, self.places), axis=1)
        best = np.take_along_axis(self.truth, _best(self.truth, self.places), axis=1)
        return np.asarray(chosen.sum(axis=1) / np.maximum(best.sum(axis=1), 1e-9))

    def _ask(self, kind: int, count: IntArray) -> None:
        """Draw the marks of requests, `count` for each applicant of each round."""
        asked = np.nonzero(count)
        number = count[asked]
        if not number.size:
            return
        noise = self.noise[kind] / number
        seen = self.rng.normal(self.truth[asked], np.sqrt(noise))
        gain = self.variance[asked] / (self.variance[asked] + noise)
        self.mean[asked] += gain * (seen - self.mean[asked])
        self.variance[asked] *= 1 - gain
        self.asked[(*asked, np.full(number.size, kind))] += number
        self.spent += count.sum(axis=1) * self.rules.kinds[kind].cost

    def _promised_to_chosen(self) -> float:
        """Return what is held back for the floors of those on the list."""
        counts = self.rules.floor_counts(FloorFor.CHOSEN)
        given = self.rules.floor_counts(FloorFor.ALL)
        lacking = [max(0, count - had) for count, had in zip(counts, given, strict=True)]
        costs = [kind.cost for kind in self.rules.kinds]
        return float(self.places * np.dot(lacking, costs))

    def _to_draw(self) -> int:
        """Return how many are drawn if all without a place are clearly out."""
        check = self.rules.drawn_check
        return 0 if check is None else check.count(self.size[1] - self.places)

    def _read_drawn(self) -> None:
        """Ask once more about those who are drawn of the clearly out."""
        if not self._to_draw():
            return
        likely = scipy.special.ndtr(
            (self.mean - _cut(self.mean, self.places)) / np.sqrt(self.variance)
        )
        out = (likely <= self.rules.too_close) & self._open(0, self.rules.kinds[0])
        # No number says anything about an applicant here: the first of them are a random draw.
        self._ask(0, (out & (np.cumsum(out, axis=1) <= self._to_draw())).astype(np.int64))

    def _further(self, money: FloatArray) -> None:
        """Spend this much in each round on what is worth most for its cost."""
        distance = np.abs(self.mean - _cut(self.mean, self.places))
        worth = np.zeros((*self.size, len(self.rules.kinds)))
        for number, kind in enumerate(self.rules.kinds):
            value = _knowledge_gradient(distance, self.variance, self.noise[number]) / kind.cost
            worth[..., number] = np.where(self._open(number, kind), value, 0.0)
        best = worth.argmax(axis=2)
        value = worth.max(axis=2)
        costs = np.array([kind.cost for kind in self.rules.kinds], dtype=np.float64)
        order = np.argsort(-value, axis=1, kind="stable")
        paid = np.cumsum(np.take_along_axis(costs[best], order, axis=1), axis=1)
        chosen = np.zeros(self.size, dtype=np.bool_)
        np.put_along_axis(chosen, order, paid <= money[:, None], axis=1)
        chosen &= value > 0
        for number, kind in enumerate(self.rules.kinds):
            asked = chosen & (best == number)
            self._ask(number, self._within_total(number, kind, asked).astype(np.int64))

    def _open(self, number: int, kind: KindRules) -> Flags:
        """Whether each applicant can be asked about once more by a kind."""
        given = self.asked[..., number]
        free: Flags = given < kind.maximum
        if kind.requires:
            before = self.asked[..., self.rules.kind_index(kind.requires)]
            free = free & (before >= kind.requires_count)
        if kind.total is not None:
            free &= (given.sum(axis=1) < kind.total)[:, None]
        return free

    def _within_total(self, number: int, kind: KindRules, asked: Flags) -> Flags:
        if kind.total is None:
            return asked
        left = kind.total - self.asked[..., number].sum(axis=1)
        return np.asarray(asked & (np.cumsum(asked, axis=1) <= left[:, None]), dtype=np.bool_)

    def _floor_of(self, who: FloorFor, *, beside: float) -> None:
        """Ask for what a floor still lacks, as far as the budget goes."""
        counts = self.rules.floor_counts(who)
        if not any(counts):
            return
        if who is FloorFor.CLOSE:
            likely = scipy.special.ndtr(
                (self.mean - _cut(self.mean, self.places)) / np.sqrt(self.variance)
            )
            least = self.rules.too_close
            held = (likely > least) & (likely < 1 - least)
        else:
            held = np.zeros(self.size, dtype=np.bool_)
            np.put_along_axis(held, _best(self.mean, self.places), values=True, axis=1)
        for number, (kind, count) in enumerate(zip(self.rules.kinds, counts, strict=True)):
            lack = np.where(held, np.maximum(count - self.asked[..., number], 0), 0)
            left = (self.usable - beside - self.spent) / kind.cost
            paid = np.cumsum(lack, axis=1) <= left[:, None]
            self._ask(number, np.where(paid, lack, 0))


def _noise(setting: PlanSetting) -> FloatArray:
    """Return the variance of one mark of each kind, the severity that stays unknown included.

    A reviewer of m marks is known up to v / (1 + m v / (σ² + τ²)), with v the variance of
    severities, σ² that of marks and τ² that between applicants.
    """
    marks = setting.marks
    per_reviewer = setting.rules.budget / setting.review_cost / max(1, len(setting.people))
    severity = marks.severity**2
    severity /= 1 + per_reviewer * severity / (marks.sigma**2 + marks.between**2)
    gains = marks.gains or tuple(kind.gain for kind in setting.rules.kinds)
    return np.array([marks.sigma**2 / gain + severity for gain in gains])


def _best(values: FloatArray, places: int) -> IntArray:
    """Return the indices of the best of each round, shape (rounds, places)."""
    return np.argpartition(-values, places - 1, axis=1)[:, :places].astype(np.int64)


def _cut(mean: FloatArray, places: int) -> FloatArray:
    """Return the middle between the last in and the first out of each round, shape (rounds, 1)."""
    size = mean.shape[1]
    if places >= size:
        return np.asarray(mean.min(axis=1, keepdims=True) - 1.0)
    ends = np.partition(mean, (size - places - 1, size - places), axis=1)
    cut: FloatArray = ends[:, [size - places - 1, size - places]].mean(axis=1, keepdims=True)
    return cut


def _knowledge_gradient(distance: FloatArray, variance: FloatArray, noise: float) -> FloatArray:
    """Return by how much one more mark raises the list on average, for a fixed cut."""
    moves = variance / np.sqrt(variance + noise)
    away = distance / moves
    value: FloatArray = moves * (
        np.exp(-(away**2) / 2) / _ROOT_TWO_PI - away * scipy.special.ndtr(-away)
    )
    return value
