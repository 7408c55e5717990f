"""One simulated round as it runs: its calendar, its reviewers, its luck, its requests."""

import heapq
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from swapflow.bandit.run import UNLIMITED
from swapflow.bandit.situation import (
    UNSCORED_MEAN,
    FloatArray,
    IntArray,
    PullKind,
    Scores,
    Situation,
)
from swapflow.planning.setting import PlanSetting
from swapflow.simulation.random_numbers import Stream


LAST_DAY = 730
"""A round that is not done after two years has reviewers who cannot do it."""


STEP = 1.0
"""Days between two looks of the rule."""


REFIT_GROWTH = 0.3
"""A live round fits its model anew when scores have grown by a tenth; this is nearly as good, and
fitting is what a simulated round spends its time on."""


PURPOSE_TRUTH, PURPOSE_DELAY, PURPOSE_MARK, PURPOSE_SEVERITY, PURPOSE_COIN = 1, 2, 3, 4, 5


Request = tuple[int, int]
"""An applicant and a kind."""


class SpendingPolicy(StrEnum):
    """How the budget is spent."""

    RULES = "rules"
    EVEN = "even"
    TWO_TIER = "two-tier"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a simulated round ended."""

    cohort: IntArray
    settled: bool


class RoundState:
    """What has been asked, answered and spent, and who has how much on the table."""

    def __init__(self, setting: PlanSetting, stream: Stream, *, truth: int, luck: int) -> None:
        rules, n = setting.rules, setting.applicants
        self.setting, self.rules = setting, rules
        self.kinds = tuple(
            PullKind(cost=kind.cost / setting.review_cost, gain=kind.gain) for kind in rules.kinds
        )
        arms = np.arange(n)
        marks = setting.marks
        self.truth: FloatArray = np.clip(
            marks.level + marks.between * stream.normals(truth, arms, 0, PURPOSE_TRUTH), 0, 1
        )
        people = np.arange(len(setting.people))
        self.severity: FloatArray = marks.severity * stream.normals(
            luck, people, 0, PURPOSE_SEVERITY
        )
        # What an interview really tells may differ from what the rules believe;
        # a plan shows the price.
        gains = marks.gains or tuple(kind.gain for kind in rules.kinds)
        spread = marks.sigma / np.sqrt(np.array(gains))
        self._luck = tuple(
            _Luck.of(setting, stream, kind=kind, luck=luck, spread=float(spread[kind]))
            for kind in range(len(self.kinds))
        )
        self.now, self.spent = 0.0, 0.0
        self.asked: IntArray = np.zeros((n, len(self.kinds)), dtype=np.int64)
        self.answered: IntArray = self.asked.copy()
        self.work = np.zeros(len(setting.people))
        self._free = np.array([person.packet for person in setting.people], dtype=np.int64)
        self._left = np.array(
            [
                [UNLIMITED if most is None else most for most in person.most]
                for person in setting.people
            ],
            dtype=np.int64,
        ).reshape(len(setting.people), len(self.kinds))
        self._judges: dict[int, set[int]] = {}
        self._out: list[tuple[float, int, int, int, float, tuple[int, ...]]] = []
        self._number = 0
        self._information, self._total = np.zeros(n), np.zeros(n)
        self.pending: FloatArray = np.zeros(n)
        self._log: list[tuple[int, int, int, float]] = []

    @property
    def anything_out(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._out)

    @property
    def out(self) -> int:
        """How many requests are out."""
        return len(self._out)

    @property
    def out_cost(self) -> int:
        """Cost of the requests that are out, in the unit of the rules."""
        return sum(self.rules.kinds[kind].cost for _, _, _, kind, _, _ in self._out)

    def room(self, kind: int) -> int:
        """How many requests of a kind could go out now."""
        seats = self.rules.kinds[kind].seats
        each = np.minimum(self._free, self._left[:, kind])
        able = np.count_nonzero(each > 0)
        # A panel's seats go to different people, however much room one of them has.
        return int(each.sum()) // seats if able >= seats else 0

    def affordable(self, kind: int, *, beside: float = 0.0) -> int:
        """How many of a kind the budget pays for, the staff's reserve set aside."""
        return max(0, int((self.left - beside) // self.rules.kinds[kind].cost))

    @property
    def left(self) -> float:
        """What may still be spent, the staff's reserve set aside."""
        return self.rules.budget - int(self.rules.reserve * self.rules.budget) - self.spent

    def allowed(self) -> IntArray:
        """How many more of each kind each applicant may get, shape (n, kinds)."""
        most = np.array([kind.maximum for kind in self.rules.kinds])
        allowed = np.maximum(most - self.asked, 0)
        for index, kind in enumerate(self.rules.kinds):
            if kind.requires:
                done = self.answered[:, self.rules.kind_index(kind.requires)]
                allowed[:, index] = np.where(done >= kind.requires_count, allowed[:, index], 0)
        return allowed

    def may(self, arm: int, kind: int) -> bool:
        """Whether the applicant may get one now: the maximum, and what must come first."""
        limits = self.rules.kinds[kind]
        if self.asked[arm, kind] >= limits.maximum:
            return False
        first = self.rules.kind_index(limits.requires)
        return first < 0 or bool(self.answered[arm, first] >= limits.requires_count)

    def kind_left(self) -> IntArray:
        """How many more of each kind the round may give, shape (kinds,)."""
        given = self.asked.sum(axis=0)
        return np.array(
            [
                UNLIMITED if kind.total is None else max(0, kind.total - int(given[index]))
                for index, kind in enumerate(self.rules.kinds)
            ],
            dtype=np.int64,
        )

    def send(self, arm: int, kind: int) -> bool:
        """Assign a request to the people with most room; False where nobody can take it."""
        rules = self.rules.kinds[kind]
        judges = self._judges.setdefault(arm, set())
        seats = self._choose(kind, judges, rules.seats)
        if not seats:
            return False
        place = arm, int(self.asked[arm, kind])
        luck = self._luck[kind]
        self._free[list(seats)] -= 1
        self._left[list(seats), kind] -= 1
        self.work[list(seats)] += rules.cost / rules.seats
        judges.update(seats)
        mark = float(self.truth[arm] + self.severity[list(seats)].mean() + luck.noise[place])
        # Where the first try fails, another reviewer takes the request over: a second wait.
        due = self.now + float(luck.wait[place])
        self._number += 1
        heapq.heappush(self._out, (due, self._number, arm, kind, mark, seats))
        self.asked[arm, kind] += 1
        self.pending[arm] += rules.gain
        self.spent += rules.cost
        return True

    def receive(self, until: float) -> None:
        """Record what comes in by then."""
        while self._out and self._out[0][0] <= until:
            due, _, arm, kind, mark, seats = heapq.heappop(self._out)
            self.now = max(self.now, due)
            self._free[list(seats)] += 1
            gain = self.rules.kinds[kind].gain
            self.pending[arm] -= gain
            self.answered[arm, kind] += 1
            self._information[arm] += gain
            self._total[arm] += gain * mark
            self._log.append((arm, seats[0] if len(seats) == 1 else -1, kind, mark))

    def wait(self) -> None:
        """Move on by a day, or by as many as it takes until something comes."""
        until = self.now + STEP
        if self._out:
            until = max(until, self._out[0][0])
        self.receive(until)
        self.now = until if self._out else max(self.now, 0.0)

    def situation(self, *, beside: float) -> Situation:
        """Return what a rule sees, in units of one review.

        `beside` is cost that is kept for floors.
        """
        scored = self._information > 0
        mean = np.where(
            scored, self._total / np.where(scored, self._information, 1), UNSCORED_MEAN
        )
        return Situation(
            mean=mean,
            information=self._information.copy(),
            pending=np.maximum(self.pending, 0.0),
            settled_mean=mean,
            settled_information=self._information.copy(),
            kinds=self.kinds,
            allowed=self.allowed(),
            kind_left=np.minimum(
                self.kind_left(), np.array([self.room(k) for k in range(len(self.kinds))])
            ),
            budget_left=max(0.0, (self.left - beside) / self.setting.review_cost),
            cost=self.spent / self.setting.review_cost,
            scores=self._scores(),
            lowest=0.0,
            highest=1.0,
        )

    def _scores(self) -> Scores:
        log = np.array(self._log, dtype=np.float64).reshape(-1, 4)
        order = np.lexsort((log[:, 2], log[:, 0]))
        whole = log[order][:, :3].astype(np.int64)
        return Scores(
            arm=whole[:, 0], reviewer=whole[:, 1], kind=whole[:, 2], mark=log[order][:, 3]
        )

    def _choose(self, kind: int, judges: set[int], seats: int) -> tuple[int, ...]:
        """Those with most room who have not judged this applicant."""
        able = np.where(self._left[:, kind] > 0, self._free, 0)
        if judges:
            able[list(judges)] = 0
        if seats == 1:
            who = int(np.argmax(able))
            return (who,) if able[who] > 0 else ()
        order = np.argsort(-able, kind="stable")[:seats]
        return tuple(int(who) for who in order) if able[order].min() > 0 else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Luck:
    """What fate holds for every request of one kind, by applicant and turn, shape (n, maximum).

    Attributes:
        noise: Of the mark, severity left out.
        wait: Days until the answer, a failed first try included.
    """

    noise: FloatArray
    wait: FloatArray

    @classmethod
    def of(
        cls, setting: PlanSetting, stream: Stream, *, kind: int, luck: int, spread: float
    ) -> "_Luck":
        """Draw it all at once; each number is a function of its address."""
        rules, days = setting.rules.kinds[kind], setting.days
        arm = np.arange(setting.applicants)[:, None]
        turn = np.arange(rules.maximum)[None, :]
        seat = np.arange(rules.seats)
        own = 16 * (kind + 1)
        noise = spread * stream.normals(luck, arm, turn, PURPOSE_MARK + own)
        tries = []
        for attempt in range(2):
            places = turn[:, :, None] * rules.seats + seat + attempt * 10_000
            normal = stream.normals(luck, arm[:, :, None], places, PURPOSE_DELAY + own)
            wait = days.median[kind] * np.exp(days.variation * normal)
            if rules.window_days > 0:
                wait = np.minimum(wait, rules.window_days)
            tries.append(np.sort(wait, axis=2)[:, :, rules.quorum - 1])
        chance = stream.uniforms(luck, arm, turn, PURPOSE_DELAY + own)[1]
        return cls(noise=noise, wait=tries[0] + np.where(chance < days.silence, tries[1], 0.0))
