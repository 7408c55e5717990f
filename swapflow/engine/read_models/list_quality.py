"""The quality of cycles' lists, computed on demand and in the background where it takes long."""

from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

import numpy as np

from swapflow.domain.cohort.quality_words import (
    MODEL_LIMITS,
    QualityFigures,
    points_a_place,
    shows_certified_loss,
)
from swapflow.domain.rules import Rules
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import DecisionStep
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.read_models.latest_cache import LatestCache
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.selection.list_quality import (
    JudgedList,
    QualityQuestion,
    quality_figures,
)
from swapflow.messages import Message


@dataclass(slots=True)
class ListQualities:
    """The latest known quality of each cycle's list; safe for threads.

    One calculation runs at a time in a process: draws of a long list take seconds, and pages must
    not wait for them.
    """

    _latest: LatestCache[JudgedList] = field(default_factory=LatestCache)
    _running: dict[str, Future[JudgedList]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _executor: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=1, thread_name_prefix="quality")
    )

    def latest(
        self, cycle_id: str, *, ledger: Ledger, snapshots: SnapshotCache, seconds: float | None
    ) -> JudgedList | None:
        """Return how good the list is, as of the last event where that is known in time.

        Args:
            cycle_id: The cycle.
            ledger: The ledger.
            snapshots: Cached snapshots.
            seconds: How long to wait for a calculation; None as long as it takes.

        Returns:
            The numbers; those of an earlier event while newer ones are being calculated; None
            while there are none, before the launch and before the first score.
        """
        with snapshots.at_head(cycle_id, ledger=ledger) as seen:
            known = seen.judged_if_known(ledger=ledger)
            question = None if known else seen.question(ledger=ledger)
            keep = seen.keep_judged
        if known is not None:
            return self._latest.put(cycle_id, known)
        if question is None:
            return None
        if seconds is None:
            found = question.answer()
            keep(found)
            return self._latest.put(cycle_id, found)
        running = self._calculation(cycle_id, question)
        wait_for([running], timeout=seconds)
        if not running.done():
            return self._latest.get(cycle_id)
        found = running.result()
        if found.position == question.position:
            keep(found)
        return self._latest.put(cycle_id, found)

    def _calculation(self, cycle_id: str, question: QualityQuestion) -> Future[JudgedList]:
        """Return the calculation that runs or has answered this question, or start one."""
        with self._lock:
            running = self._running.get(cycle_id)
            if running is not None and not running.done():
                return running
            if running is not None and running.exception() is None:
                # It ended while nobody waited: numbers of an event that may have passed.
                found = self._latest.put(cycle_id, running.result())
                if found.position == question.position:
                    return running
            running = self._executor.submit(question.answer)
            self._running[cycle_id] = running
            return running


# As Today tells it


def list_figures(dashboard: Dashboard, rules: Rules) -> QualityFigures | None:
    """Return how good the list is, in units that people read; None where it is not known."""
    if dashboard.quality is None:
        return None
    places = int(np.count_nonzero(dashboard.in_list))
    return quality_figures(dashboard.quality, rules, places=places)


def quality_sentences(dashboard: Dashboard, figures: QualityFigures | None) -> list[Message]:
    """Return in sentences how good the list is; empty while that is not known."""
    if figures is None:
        return []
    told = [figures.sentence()]
    certified = dashboard.certified_loss
    if certified is not None and shows_certified_loss(
        dashboard.rule.value, certified, figures.expected_loss
    ):
        points = points_a_place(certified, figures.places)
        if points <= 100:  # noqa: PLR2004 - a full score a place: nobody needs a promise of that
            told.append(Message("list_could_gain", points=points))
    return [*told, MODEL_LIMITS]


def could_change_before(
    steps: tuple[DecisionStep, ...], figures: QualityFigures | None
) -> tuple[float, datetime] | None:
    """Return how many places could change a day before the last decision, and when that was."""
    known = [step for step in steps if "could_change" in step.look]
    if figures is None or not known:
        return None
    earlier = [step for step in known if step.at <= known[-1].at - timedelta(days=1)]
    if not earlier:
        return None
    return earlier[-1].look["could_change"], earlier[-1].at
