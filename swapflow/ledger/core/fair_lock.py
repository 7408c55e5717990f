"""A lock that is passed on in order of arrival."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class FairLock:
    """A lock served in order of arrival; Python's own lets a busy thread take it again at once."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._waiting: deque[tuple[threading.Lock, int]] = deque()
        self._owner: int | None = None

    @property
    def is_mine(self) -> bool:
        """Whether the calling thread holds the lock."""
        return self._owner == threading.get_ident()

    @contextmanager
    def held(self, *, seconds: float | None = None) -> Iterator[None]:
        """Hold the lock inside the block.

        Args:
            seconds: Longest wait for it; None waits as long as it takes.

        Raises:
            TimeoutError: If it is not passed on in time.
        """
        self._acquire(seconds)
        try:
            yield
        finally:
            self._release()

    def _acquire(self, seconds: float | None) -> None:
        me = threading.get_ident()
        with self._mutex:
            if self._owner is None:
                self._owner = me
                return
            turn = threading.Lock()
            turn.acquire()
            ticket = (turn, me)
            self._waiting.append(ticket)
        passed_on = False
        try:
            # The thread that releases before us passes the lock on.
            passed_on = turn.acquire(timeout=-1 if seconds is None else seconds)
        finally:
            if not passed_on:
                self._give_up(ticket)
        if not passed_on:
            raise TimeoutError

    def _give_up(self, ticket: tuple[threading.Lock, int]) -> None:
        with self._mutex:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                return
        # The lock was handed over at the same moment as the interruption, so it is passed on.
        self._release()

    def _release(self) -> None:
        with self._mutex:
            if self._waiting:
                turn, self._owner = self._waiting.popleft()
                turn.release()
            else:
                self._owner = None
