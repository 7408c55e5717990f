"""Where a program is on its way from setting up to letters, in the few numbers of one card."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np

from swapflow.domain.cohort.quality_words import QualityFigures
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.rules import Rules
from swapflow.engine.interviews.slots import interviews_of
from swapflow.engine.pending.gather import budget_end
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import DecisionStep, ProcessHealth
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.read_models.list_quality import could_change_before, list_figures
from swapflow.engine.read_models.people.cut import cut_estimate


TREND = 40
"""Decisions that a trend shows at most; of more, the last ones."""

_SIGNED_SHARE, _DECIDING_SHARE = 0.7, 0.35


class Phase(StrEnum):
    """The five parts of a program's way, in their order."""

    SET_UP = "set up"
    REVIEWS = "reviews"
    INTERVIEWS = "interviews"
    COMMITTEE = "committee"
    LETTERS = "letters"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramStanding:
    """A program at one moment.

    Attributes:
        share: How much of the phase is done, in [0, 1].
        received: Reviews and interviews that are in.
        asked: Those that are in, and those asked for.
        overdue: Those asked for whose day has passed.
        clear: Applicants in the list who are not too close to call.
        close: Applicants too close to call.
        out: Applicants below the cut who are not too close to call.
        unseen: Applicants without a review.
        cut: The estimate where the places end, in [0, 1]; None before there is a list.
        figures: How good the list is by the model; None before that is known.
        trend: Places that could change, by decision, oldest first, the present last.
        before: How many could change a day before the last decision, and when that was.
        finish: When the budget is used up at the pace so far; None before there is a pace.
        late_days: Whole days between deadline and finish: below 0 before it; None without both.
    """

    cycle: Cycle
    rules: Rules
    dashboard: Dashboard
    pulse: ProcessHealth
    phase: Phase
    share: float
    received: int
    asked: int
    overdue: int
    clear: int
    close: int
    out: int
    unseen: int
    cut: float | None
    figures: QualityFigures | None
    trend: tuple[float, ...]
    before: tuple[float, datetime] | None
    finish: datetime | None
    late_days: int | None


def standing_of(cycle: Cycle, dashboard: Dashboard, *, ledger: Ledger) -> ProgramStanding:
    """Return where a program is; the dashboard has been read already."""
    rules, now = ledger.rules(cycle.id), ledger.now()
    received = dashboard.received(len(rules.kinds)).sum(axis=0)
    waiting, pulse = ledger.waiting(cycle.id), ledger.process_health(cycle.id)
    coming = np.zeros(len(rules.kinds), dtype=np.int64)
    for one in waiting:
        coming[one.kind] += one.count
    figures, steps = list_figures(dashboard, rules), ledger.steps(cycle.id, at_most=TREND)
    meeting = np.zeros(len(rules.kinds), dtype=np.bool_)
    meeting[list(interviews_of(cycle.id, ledger=ledger))] = True
    phase = _phase(cycle, meeting, received, coming)
    known = ~np.isnan(dashboard.estimate)
    settled = known & ~dashboard.too_close
    finish = budget_end(cycle, rules, pulse, now)
    prepared = cycle.is_launched and ledger.prepared(cycle.id) is not None
    return ProgramStanding(
        cycle=cycle,
        rules=rules,
        dashboard=dashboard,
        pulse=pulse,
        phase=phase,
        share=_share(cycle, rules, phase, meeting, received, coming, is_prepared=prepared),
        received=int(received.sum()),
        asked=int(received.sum() + coming.sum()),
        overdue=sum(one.overdue for one in waiting),
        clear=int((settled & dashboard.in_list).sum()),
        close=int((known & dashboard.too_close).sum()),
        out=int((settled & ~dashboard.in_list).sum()),
        unseen=int((~known).sum()),
        cut=cut_estimate(
            dashboard.estimate,
            dashboard.in_list,
            None if dashboard.quality is None else dashboard.quality.likely,
        ),
        figures=figures,
        trend=_trend(steps, figures),
        before=could_change_before(steps, figures),
        finish=finish,
        late_days=_late_days(finish, rules.deadline),
    )


def _phase(cycle: Cycle, meeting: np.ndarray, received: np.ndarray, coming: np.ndarray) -> Phase:
    match cycle.status:
        case CycleStatus.DRAFT:
            return Phase.SET_UP
        case CycleStatus.PROPOSED | CycleStatus.ENDED:
            return Phase.COMMITTEE
        case CycleStatus.FINALIZED:
            return Phase.LETTERS
        case CycleStatus.RUNNING | CycleStatus.PAUSED:
            met = (received + coming)[meeting].sum()
            # While a file is still being read, the program is at its reviews.
            return Phase.INTERVIEWS if met and not coming[~meeting].sum() else Phase.REVIEWS


def _share(
    cycle: Cycle,
    rules: Rules,
    phase: Phase,
    meeting: np.ndarray,
    received: np.ndarray,
    coming: np.ndarray,
    *,
    is_prepared: bool,
) -> float:
    if phase is Phase.REVIEWS:
        return min(1.0, cycle.spent / max(rules.budget, 1))
    if phase is Phase.INTERVIEWS:
        return float(received[meeting].sum() / max((received + coming)[meeting].sum(), 1))
    return _SIGNED_SHARE if is_prepared else _DECIDING_SHARE


def _late_days(finish: datetime | None, deadline: datetime | None) -> int | None:
    if finish is None or deadline is None:
        return None
    return (finish.date() - deadline.date()).days


def _trend(steps: tuple[DecisionStep, ...], figures: QualityFigures | None) -> tuple[float, ...]:
    told = [step.look["could_change"] for step in steps if "could_change" in step.look]
    return (*told, figures.could_change) if figures is not None else ()
