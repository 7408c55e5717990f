"""Search for a reviewer's task by the code in its address."""

from threading import Lock

from cachetools import LRUCache

from swapflow.domain.ids import cycle_of
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import TaskRecord
from swapflow.errors import NotFoundError


MOST_KEPT = 20_000
"""Codes kept in one process, some 200 bytes each."""


class TaskCodes:
    """A cache of the assignment that each code names: a page that saves asks every two seconds.

    A code is a keyed hash of its assignment's id, so it always names the same one; its reviewer
    and status are read every time. Safe for threads.
    """

    def __init__(self) -> None:
        self._known: LRUCache[str, str] = LRUCache(MOST_KEPT)
        self._lock = Lock()

    def find(self, task: str, *, reviewer: int, ledger: Ledger) -> TaskRecord:
        """Find a reviewer's own task by its code.

        Raises:
            NotFoundError: If the reviewer has no such task.
        """
        with ledger.one_moment():
            with self._lock:
                known = self._known.get(task)
            name = known or self._look_up(task, reviewer, ledger)
            found = ledger.task(name)
        if found.assignment.reviewer != reviewer:
            raise _not_yours()
        return found

    def _look_up(self, task: str, reviewer: int, ledger: Ledger) -> str:
        cycle = ledger.cycle(cycle_of(task))
        # The code is a hash, so it cannot be turned round: the reviewer's own ids are tried.
        for name in ledger.assignment_ids(cycle.id, reviewer=reviewer):
            if cycle.task_code(name) == task:
                with self._lock:
                    self._known[task] = name
                return name
        raise _not_yours()


def _not_yours() -> NotFoundError:
    return NotFoundError("task_not_yours")
