"""The forecast beside the five questions: computed from a program's people and typed answers."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import TypeAlias

from cachetools import LRUCache

from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.rules import FloorFor, Rules
from swapflow.planning.quick_forecast import BudgetShare, QuickForecast, quick_forecast
from swapflow.planning.round_state import SpendingPolicy
from swapflow.planning.setting import (
    Days,
    Marks,
    PlannedReviewer,
    PlanSetting,
    planned_reviewers,
    usual_days,
)
from swapflow.planning.simulated_round import simulate
from swapflow.simulation.random_numbers import stream_of


FACTORS = (0.4, 0.6, 0.8, 1.25, 1.5, 2.0)
"""Other budgets that the curve shows, as multiples of the typed one."""
A_MOMENT = 1.0
"""Seconds that a page waits for a forecast before it says "calculating"."""
SMALL = 60
"""Applicants of the simulated round that tells how long it takes; days hardly depend on it."""
MOST_KEPT = 64
_STREAM = "launch forecast"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchForecast:
    """What a launch under these rules is expected to give.

    Attributes:
        shares: Shares of the highest possible score, under this budget and others.
        one_more: The share with one more hour of each reviewer.
        days: Until the last answer.
        reviewers: Reviewers on the roster.
        first_each: Requests of the first kind for each reviewer, on average.
        others_each: Requests of other kinds for each reviewer, with their seats.
    """

    shares: QuickForecast
    one_more: BudgetShare
    days: float
    reviewers: int
    first_each: float
    others_each: float

    def finish(self, start: datetime) -> datetime:
        """When the last answer is expected, for a launch at this moment."""
        return start + timedelta(days=self.days)


_Key: TypeAlias = tuple[Rules, int, tuple[PlannedReviewer, ...]]


@dataclass(slots=True)
class LaunchForecasts:
    """Forecasts that this process has computed, one calculation at a time; safe for threads."""

    _known: "LRUCache[_Key, Future[LaunchForecast]]" = field(
        default_factory=lambda: LRUCache(MOST_KEPT)
    )
    _lock: Lock = field(default_factory=Lock)
    _executor: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=1, thread_name_prefix="forecast")
    )

    def of(
        self,
        rules: Rules,
        *,
        applicants: int,
        roster: Sequence[Reviewer],
        hour: int,
        seconds: float = A_MOMENT,
    ) -> LaunchForecast | None:
        """Return the forecast of a launch; None while it is being calculated.

        Args:
            rules: The rules, with the typed answers.
            applicants: Applicants who are ready.
            roster: Active reviewers.
            hour: One hour of each reviewer, in the unit of costs.
            seconds: How long to wait for it.
        """
        setting = setting_of(rules, applicants=applicants, roster=roster)
        key = (replace(rules, version=0), applicants, setting.people)
        with self._lock:
            running = self._known.get(key)
            if running is None:
                running = self._executor.submit(_forecast, setting, hour)
                self._known[key] = running
        wait_for([running], timeout=seconds)
        return running.result() if running.done() else None


def setting_of(rules: Rules, *, applicants: int, roster: Sequence[Reviewer]) -> PlanSetting:
    """Build the round to simulate from a program's rules and people.

    Spreads of marks are those of conference reviews (`planning/setting.py`), unless the rules
    state one; limits on groups are left out.
    """
    marks = Marks() if rules.sigma is None else Marks(sigma=rules.sigma)
    return PlanSetting(
        rules=replace(rules, quotas=(), targets=(), max_applicants=None),
        applicants=applicants,
        people=planned_reviewers(rules, roster),
        marks=marks,
        days=Days(median=usual_days(rules)),
    )


def promised_to_everyone(rules: Rules, applicants: int) -> int:
    """Return what the floors for everyone cost, in the unit of costs."""
    counts = rules.floor_counts(FloorFor.ALL)
    each = sum(kind.cost * count for kind, count in zip(rules.kinds, counts, strict=True))
    return each * applicants


def _forecast(setting: PlanSetting, hour: int) -> LaunchForecast:
    rules, stream = setting.rules, stream_of(_STREAM)
    people = len(setting.people)
    least = promised_to_everyone(rules, setting.applicants)
    more = rules.budget + hour * people
    budgets = {round(rules.budget * factor) for factor in FACTORS}
    # A budget below the floors for everyone is no round that can be launched.
    payable = {budget for budget in budgets if budget * (1 - rules.reserve) >= least}
    shares = quick_forecast(setting, stream, budgets=tuple(payable | {more}))
    first, *others = shares.spent.requests
    seats = [kind.seats for kind in rules.kinds[1:]]
    days = simulate(setting.at_most(SMALL), stream, truth=0, luck=0, way=SpendingPolicy.RULES).days
    return LaunchForecast(
        shares=shares,
        one_more=next(level for level in shares.levels if level.budget == more),
        days=days,
        reviewers=people,
        first_each=first / people,
        others_each=sum(n * s for n, s in zip(others, seats, strict=True)) / people,
    )
