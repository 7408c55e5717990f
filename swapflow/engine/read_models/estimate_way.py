"""The way from an applicant's mean mark to the estimate that ranks them."""

from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.estimate_steps import estimate_steps
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.read_models.snapshot import Snapshot, SnapshotCache
from swapflow.messages import Message


OWN_SHARE = 0.9
"""Share of an applicant's own marks in the estimate from which few marks need no word."""

WORTH_A_WORD = 0.005
"""Steps below half a point of 100 are not worded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateWay:
    """The steps from mean to estimate, in score units; they add up.

    Attributes:
        marks: Marks that count.
        mean: Their mean, weighted by their information.
        few_marks: How much nearer to the program's average it is, because there are few.
        severity: How much is added for severe reviewers, or taken away for generous ones; None
            where the rules keep figures about reviewers apart: then `few_marks` holds it too, for
            beside what reviewers wrote it would tell how severe each of them is.
        kind: How much is taken away for kinds that are marked more generously.
        estimate: The sum of these.
        margin: Margin of the estimate.
        weight: Share of the applicant's own marks in it.
        level: The program's average, towards which few marks leave an estimate; None with the
            severity, which could be computed from it.
    """

    marks: int
    mean: float
    few_marks: float
    severity: float | None
    kind: float
    estimate: float
    margin: float
    weight: float
    level: float | None

    def sentences(self) -> tuple[Message, ...]:
        """Return the way in words."""
        told = [Message("way_mean", count=self.marks, mean=100 * self.mean)]
        first = ("model", self.few_marks) if self.severity is None else ("severity", self.severity)
        for code, step in (first, ("kind", self.kind)):
            if abs(step) >= WORTH_A_WORD:
                direction = "up" if step > 0 else "down"
                told.append(Message(f"way_{code}_{direction}", points=100 * abs(step)))
        few = self.weight < OWN_SHARE
        told.append(
            Message(
                "way_few" if few else "way_estimate",
                count=self.marks,
                estimate=100 * self.estimate,
                margin=min(100 * self.margin, 100.0),
            )
        )
        return tuple(told)


def estimate_way(
    cycle_id: str, number: int, *, ledger: Ledger, snapshots: SnapshotCache | None = None
) -> EstimateWay | None:
    """Explain one application's estimate; `snapshots` as for `propose`.

    Returns:
        None where nothing is to be explained: before the first mark, for an application that is
        no candidate, and under a rule whose list is made by plain means.
    """
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        return way_of(seen, number, ledger=ledger)


def way_of(seen: Snapshot, number: int, *, ledger: Ledger) -> EstimateWay | None:
    """Explain one application's estimate at a snapshot."""
    if seen.question(ledger=ledger) is None or not seen.projection.statuses[number].is_candidate:
        return None
    assessment = seen.assessment(ledger=ledger)
    look, situation = assessment.look, assessment.situation.situation
    if "prior_variance" not in look.parameters:
        return None
    arm = int((assessment.situation.application == number).argmax())
    marks = int(np.count_nonzero(situation.scores.arm == arm))
    if not marks:
        return None
    steps = estimate_steps(
        situation.judged,
        n=situation.n,
        kinds=situation.kinds,
        fitted=Fitted.from_dict(look.parameters),
    )
    apart = seen.projection.rules.keeps_figures_apart
    few_marks, severity = float(steps.few_marks[arm]), float(steps.severity[arm])
    return EstimateWay(
        marks=marks,
        mean=float(steps.mean[arm]),
        few_marks=few_marks + severity if apart else few_marks,
        severity=None if apart else severity,
        kind=float(steps.kind[arm]),
        estimate=float(steps.estimate[arm]),
        margin=float(look.radius[arm]),
        weight=float(steps.weight[arm]),
        level=None if apart else steps.level,
    )


@dataclass(slots=True)
class WaysSoon:
    """Ways that are computed beside the pages that ask for them; safe for threads.

    The first one that a process is asked for in a program folds all its events, which takes
    seconds in a long one, and a page must not wait for that.
    """

    _running: dict[tuple[str, int], Future[EstimateWay | None]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _executor: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=1, thread_name_prefix="way")
    )

    def soon(
        self,
        cycle_id: str,
        number: int,
        *,
        ledger: Ledger,
        snapshots: SnapshotCache,
        seconds: float,
    ) -> tuple[EstimateWay | None, bool]:
        """Return an application's way, and whether it was known in time; errors as there."""
        key = (cycle_id, number)
        with self._lock:
            running = self._running.get(key)
            if running is None:
                running = self._running[key] = self._executor.submit(
                    estimate_way, cycle_id, number, ledger=ledger, snapshots=snapshots
                )
        wait_for([running], timeout=seconds)
        if not running.done():
            return None, False
        # What is asked for next may be of a later event.
        with self._lock:
            self._running.pop(key, None)
        return running.result(), True
