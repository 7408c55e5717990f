"""Submits that wait for a cycle share its next transaction: one commit, a receipt for each.

A commit waits for the disk, and a cycle has one transaction at a time. Alone, each submit would
need a commit and a dozen statements; together they need them once. The first that comes leads: it
waits for the record and takes along what came meanwhile. Decision 17 has the reasons.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from swapflow.domain.ids import application_of
from swapflow.domain.reviewing.score import Answer, Receipt
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.reviewing.submit import cycle_of_answers, submit, take
from swapflow.errors import UnavailableError


MOST = 50
"""Answers in one shared transaction: each submit in it waits until the last one is stored."""


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """One submit that waits.

    Attributes:
        outcome: Its receipts, or why there are none.
        woken: Set when the outcome is there; without one, when it is this submit's turn to lead.
    """

    answers: Sequence[Answer]
    outcome: Future[tuple[Receipt, ...]] = field(default_factory=Future)
    woken: threading.Event = field(default_factory=threading.Event)

    def tell(self, outcome: tuple[Receipt, ...] | Exception) -> None:
        """Set the outcome and wake the thread that waits for it."""
        if isinstance(outcome, Exception):
            self.outcome.set_exception(outcome)
        else:
            self.outcome.set_result(outcome)
        self.woken.set()


class SharedSubmits:
    """The submits of one process that are under way; safe for threads and forks."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Begin without any; called in a fork, which has none of its parent's threads."""
        self._mutex = threading.Lock()
        # A cycle has a queue as long as a thread leads it; the one that leads is its first.
        self._queues: dict[str, deque[_Waiting]] = {}

    def submit(
        self, answers: Sequence[Answer], *, ledger: CycleReads, committed: Callable[[str], None]
    ) -> tuple[Receipt, ...]:
        """Store answers of one cycle, all or none, and return receipts; raises as `submit`.

        They are committed when this returns. What is wrong with another submit of the same
        transaction changes nothing for this one.

        Args:
            answers: Answers to assignments of one cycle.
            ledger: The ledger.
            committed: Called with the cycle after a commit, once for all that share it.
        """
        if not answers:
            return ()
        cycle_id = cycle_of_answers(answers)
        mine = _Waiting(answers)
        with self._mutex:
            leads = cycle_id not in self._queues
            self._queues.setdefault(cycle_id, deque()).append(mine)
        if not leads:
            mine.woken.wait()
        if not mine.outcome.done() and self._lead(cycle_id, mine, ledger):
            committed(cycle_id)
        return mine.outcome.result()

    def _lead(self, cycle_id: str, mine: _Waiting, ledger: CycleReads) -> bool:
        """Write what waits, tell each its outcome, pass the lead on; return whether any is stored.

        `mine` is the first in the queue, and among those that are told.
        """
        batch: list[_Waiting] = []
        try:
            with ledger.write(cycle_id) as tx:
                # Taken under the lock: what came while this waited for it comes along.
                batch = self._take(cycle_id)
                receipts = iter(take(tx, [answer for one in batch for answer in one.answers]))
            for one in batch:
                one.tell(tuple(next(receipts) for _ in one.answers))
        except UnavailableError as error:
            # All of them have waited for the same lock; none waits for it once more.
            for one in batch or self._take_all(cycle_id):
                one.tell(error)
        except Exception as error:  # noqa: BLE001 - handed to the submit that it belongs to
            if len(batch) > 1:
                _write_each_alone(batch, ledger)
            else:
                mine.tell(error)
        finally:
            self._pass_on(cycle_id, mine, batch)
        return any(one.outcome.exception() is None for one in batch)

    def _take(self, cycle_id: str) -> list[_Waiting]:
        """Take submits from the front of the queue, as long as they are about different people.

        Two answers about one application may depend on each other, as the second to a request
        that the first one closes: the later one is left to the next transaction, where it finds
        what the first has changed.
        """
        batch: list[_Waiting] = []
        applications: set[str] = set()
        count = 0
        with self._mutex:
            queue = self._queues[cycle_id]
            while queue:
                theirs = {application_of(answer.assignment_id) for answer in queue[0].answers}
                count += len(queue[0].answers)
                if batch and (count > MOST or applications & theirs):
                    break
                applications |= theirs
                batch.append(queue.popleft())
        return batch

    def _take_all(self, cycle_id: str) -> list[_Waiting]:
        with self._mutex:
            queue = self._queues[cycle_id]
            batch = list(queue)
            queue.clear()
        return batch

    def _pass_on(self, cycle_id: str, mine: _Waiting, batch: Sequence[_Waiting]) -> None:
        """Wake the next in the queue to lead; without one the cycle has no queue any more."""
        # Only a thread that is stopped, as by a crash point, leaves some of its batch untold.
        untold = [one for one in batch if one is not mine and not one.outcome.done()]
        with self._mutex:
            queue = self._queues[cycle_id]
            queue.extendleft(reversed(untold))
            if queue and queue[0] is mine:
                queue.popleft()
            if queue:
                queue[0].woken.set()
            else:
                del self._queues[cycle_id]


def _write_each_alone(batch: Sequence[_Waiting], ledger: CycleReads) -> None:
    """Write submits one by one: one of them is refused, and the others must not be."""
    for one in batch:
        try:
            one.tell(submit(one.answers, ledger=ledger))
        except Exception as error:  # noqa: BLE001 - handed to the submit that it belongs to
            one.tell(error)
