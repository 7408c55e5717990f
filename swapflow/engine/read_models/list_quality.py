"""The quality of cycles' lists, computed on demand and in the background where it takes long."""

from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from threading import Lock

from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.read_models.latest_cache import LatestCache
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.selection.list_quality import JudgedList, QualityQuestion


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
