"""Redraws of the twin under rules as a cycle follows them: many requests out, taper, floors.

Time is counted in mean answering times. Reviewers always have room: what limits the requests that
are out is the rules.
"""

import heapq
from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.batch import MONEY
from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.estimation.list_quality import too_close
from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.situation import (
    UNSCORED_MEAN,
    BoolArray,
    FloatArray,
    IntArray,
    Look,
    Scores,
    Situation,
)
from swapflow.bandit.ties import rounded
from swapflow.domain.rules import (
    DispatchMode,
    Floor,
    FloorFor,
    KindRules,
    Rules,
    SeatLine,
)
from swapflow.engine.selection.before_stop import clearly_out
from swapflow.engine.selection.close_floor import close_lack, payable
from swapflow.engine.selection.taper import most_out
from swapflow.experiments.known_rounds import (
    INTERVIEW,
    REVIEW,
    TWIN_APPLICANTS,
    TWIN_PLACES,
    TWIN_REVIEWERS,
    TWIN_REVIEWS,
    KnownMarks,
)
from swapflow.simulation.response_delays import DelayModel


LOOK_EVERY = 5
"""Answers between two looks in rolling dispatch."""

WINDOW = 3.0
"""Longest time of an answer, in mean ones: then the request would go to another reviewer."""


def twin_rules(budget: float, *, floors: tuple[Floor, ...] = (), **settings: object) -> Rules:
    """Return rules for redraws of the twin with `budget` reviews each."""
    kinds = (
        KindRules(name="review", cost=1, gain=REVIEW.gain, maximum=TWIN_REVIEWS),
        KindRules(name="interview", cost=int(INTERVIEW.cost), gain=INTERVIEW.gain, maximum=1),
    )
    rules = Rules(
        version=1,
        lines=(SeatLine(name="all", places=TWIN_PLACES),),
        kinds=kinds,
        floors=(Floor(kind="review", count=1, who=FloorFor.ALL), *floors),
        budget=round(budget * TWIN_APPLICANTS),
        reserve=0.0,
    )
    return replace(rules, **settings)  # type: ignore[arg-type]  # names of settings


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinEnding:
    """How a round ended.

    Attributes:
        look: The last assessment, with the list.
        asked: Marks of each kind, shape (n, kinds).
        days: Time of the last answer, in mean answering times.
    """

    look: Look
    asked: IntArray
    days: float


class TwinRound:
    """One round in progress. Mutable."""

    def __init__(self, rules: Rules, sheet: KnownMarks, delays: DelayModel) -> None:
        self.rules, self.sheet, self.delays = rules, sheet, delays
        self.rule = BudgetRule(
            oracle=TopK(TWIN_PLACES), severity=True, kind_offsets=True, tolerance=0.0
        )
        n, kinds = sheet.truth.size, len(sheet.kinds)
        self.asked: IntArray = np.zeros((n, kinds), dtype=np.int64)
        self.information, self.pending = np.zeros(n), np.zeros(n)
        self.now, self.left, self.out_cost = 0.0, float(rules.budget), 0.0
        # Kept from the start for those who will be drawn, as a live program keeps it.
        check = rules.drawn_check
        self.kept = 0.0 if check is None else float(check.count(n - rules.cohort_size))
        self.drawn: tuple[int, ...] = ()
        self._total = np.zeros(n)
        self._out: list[tuple[float, int, int, int, int]] = []
        self._sent = 0
        self._log: list[tuple[int, int, int, float]] = []

    def run(self, rng: np.random.Generator) -> TwinEnding:
        """Spend the budget, and what is owed to those too close to call before the end."""
        rolling = self.rules.dispatch is DispatchMode.ROLLING
        limit = self.rules.out or TWIN_REVIEWERS * self.rules.packet
        while True:
            if rolling or not self._out:
                most = limit - len(self._out) if rolling else self.sheet.truth.size
                self._send(most, rng)
            if not self._out:
                look = self._look()
                owed = self._lack(look)
                if not self._give(owed, self.sheet.truth.size) and not self._draw(look):
                    return TwinEnding(look=look, asked=self.asked, days=self.now)
            self._receive(LOOK_EVERY if rolling else len(self._out))

    def _send(self, most: int, rng: np.random.Generator) -> None:
        """Send floors, or what the rule chooses, as far as may be out."""
        everyone = np.array(self.rules.floor_counts(FloorFor.ALL), dtype=np.int64)
        missing = np.maximum(everyone[None, :] - self.asked, 0)
        if missing.any():
            self._give(missing, most)
            return
        room = most_out(self.rules, unspent=self.left + self.out_cost) - self.out_cost
        most = min(most, self.rules.batch)
        if most <= 0 or room <= 0:
            return
        look = self._look()
        situation = self._situation()
        picks = self.rule.choose(situation, look, at_most=most, rng=rng).picks
        keys = [(pick.arm, pick.kind, 0) for pick in picks]
        for place in payable(keys, self._lack(look), left=self._free, rules=self.rules):
            arm, kind, _ = keys[place]
            room -= self.rules.kinds[kind].cost
            if room < 0:
                return
            self._ask(arm, kind)

    def _give(self, wanted: IntArray, most: int) -> bool:
        """Send these, everybody's first before a second; return whether any was sent."""
        sent = 0
        for kind in range(wanted.shape[1]):
            for step in range(int(wanted[:, kind].max(initial=0))):
                for arm in np.flatnonzero(wanted[:, kind] > step).tolist():
                    if sent == most or self._free + MONEY < self.rules.kinds[kind].cost:
                        return sent > 0
                    self._ask(arm, kind)
                    sent += 1
        return sent > 0

    def _draw(self, look: Look) -> bool:
        """Ask about those who are drawn of the clearly out; return whether any was asked about."""
        if self.rules.drawn_check is None or self.drawn:
            return False
        out = np.flatnonzero(clearly_out(look, close_ones(look, self.rules)))
        ties = [(int(arm), int(arm)) for arm in out]
        self.drawn = self.rules.drawn_check.draw(self.rules.seed, ties).drawn
        readable = [arm for arm in self.drawn if self.asked[arm, 0] < self.sheet.limits[arm, 0]]
        self.kept = 0.0
        for arm in readable:
            self._ask(arm, 0)
        return bool(readable)

    @property
    def _free(self) -> float:
        return self.left - self.kept

    def _ask(self, arm: int, kind: int) -> None:
        ordinal = int(self.asked[arm, kind])
        place = _address(arm, kind, ordinal)
        wait = float(self.delays.delays(*place, self.sheet.marks(*place))[0])
        self.asked[arm, kind] += 1
        self._sent += 1
        due = self.now + min(wait, WINDOW)
        heapq.heappush(self._out, (due, self._sent, arm, kind, ordinal))
        self.pending[arm] += self.rules.kinds[kind].gain
        self.left -= self.rules.kinds[kind].cost
        self.out_cost += self.rules.kinds[kind].cost

    def _receive(self, most: int) -> None:
        """Take the next answers."""
        for _ in range(min(most, len(self._out))):
            self.now, _, arm, kind, ordinal = heapq.heappop(self._out)
            place = _address(arm, kind, ordinal)
            mark, who = float(self.sheet.marks(*place)[0]), int(self.sheet.reviewers(*place)[0])
            self._log.append((arm, kind, who, mark))
            gain = self.rules.kinds[kind].gain
            self.pending[arm] -= gain
            self.information[arm] += gain
            self._total[arm] += gain * mark
            self.out_cost -= self.rules.kinds[kind].cost

    def _look(self) -> Look:
        situation = self._situation()
        if self.rule.needs_refit(situation.scores.mark.size):
            self.rule = self.rule.refitted(situation)
        return self.rule.look(situation)

    def _lack(self, look: Look) -> IntArray:
        """Count what the floor for those too close to call owes, shape (n, kinds)."""
        if not self.rules.promises_close:
            return np.zeros_like(self.asked)
        close = close_ones(look, self.rules)
        return close_lack(self.rules, self._situation(), look, given=self.asked, close=close)

    def _situation(self) -> Situation:
        scored = self.information > 0
        mean: FloatArray = np.where(
            scored, self._total / np.where(scored, self.information, 1.0), UNSCORED_MEAN
        )
        allowed = self.sheet.limits - self.asked
        return Situation(
            mean=mean,
            information=self.information.copy(),
            pending=np.maximum(self.pending, 0.0),
            settled_mean=mean,
            settled_information=self.information.copy(),
            kinds=self.sheet.kinds,
            allowed=allowed,
            kind_left=allowed.sum(axis=0),
            budget_left=self._free,
            cost=self.rules.budget - self.left,
            scores=self._scores(),
        )

    def _scores(self) -> Scores:
        log = np.array(self._log, dtype=np.float64).reshape(-1, 4)
        log = log[np.lexsort((log[:, 1], log[:, 0]))]
        arm, kind, reviewer = log[:, :3].T.astype(np.int64)
        return Scores(arm=arm, reviewer=reviewer, kind=kind, mark=log[:, 3])


def _address(arm: int, kind: int, ordinal: int) -> tuple[IntArray, IntArray, IntArray]:
    return np.array([arm]), np.array([kind]), np.array([ordinal])


def close_ones(look: Look, rules: Rules) -> BoolArray:
    """Return who is too close to call by this look, shape (n,)."""
    assert look.quality is not None, "a plain sum has a closed form"
    estimate = rounded(look.estimate)
    equal = estimate == estimate[look.cohort].min()
    tied = equal if np.any(np.delete(equal, look.cohort)) else np.zeros_like(equal)
    return too_close(look.quality, tied, least=rules.too_close)
