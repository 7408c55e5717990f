"""How many writes of a process wait for a lock that another holds, and for how long.

A web process has few threads. Without a bound, a writer elsewhere that holds the database (an
import, a stopped process, a backup) would take one thread after the other, until nothing is
answered at all: neither a page that only reads nor the question whether the process lives.
"""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from swapflow.errors import UnavailableError
from swapflow.ledger.core.fair_lock import FairLock


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBounds:
    """How long writes may wait.

    Attributes:
        most: Writes that may wait for long at the same time.
        patient: Seconds for which these may wait.
        others: Seconds for which all others may wait.
        stuck: Seconds without a write that begins, while one waits, which show that a lock is
            held: from then on a write that would be one too many is refused at once.
    """

    most: int = 2
    patient: float = 8.0
    others: float = 1.0
    stuck: float = 1.0


class WriteAdmission:
    """Admits the writes of one process; without bounds all may wait as long as it takes."""

    def __init__(self, bounds: WriteBounds | None = None) -> None:
        self.bounds = bounds
        self._mutex = threading.Lock()
        self._waiting: dict[object, float] = {}
        self._begun = time.monotonic()

    @contextmanager
    def admitted(self, *, apart: bool = False) -> Iterator["Wait"]:
        """Count one write that waits, inside the block and until it has begun.

        Args:
            apart: Whether it waits in a thread of its own, which answers no request: such a one
                is always patient and takes nobody's place.

        Raises:
            UnavailableError: If enough wait already for a lock that is not given back.
        """
        with self._mutex:
            wait = Wait(self, self._patience() if apart else self._limit())
            if wait.seconds is not None and not apart:
                self._waiting[wait] = time.monotonic()
        try:
            yield wait
        finally:
            with self._mutex:
                self._waiting.pop(wait, None)

    def begun(self, wait: "Wait") -> None:
        """Count a write no longer: it has what it waited for."""
        with self._mutex:
            self._waiting.pop(wait, None)
            self._begun = time.monotonic()

    def _patience(self) -> float | None:
        return self.bounds.patient if self.bounds else None

    def _limit(self) -> float | None:
        """Return for how long the next write may wait; the caller holds the mutex."""
        bounds = self.bounds
        if bounds is None:
            return None
        if len(self._waiting) < bounds.most:
            return bounds.patient
        since = max(min(self._waiting.values()), self._begun)
        if time.monotonic() - since > bounds.stuck:
            raise UnavailableError("writes_wait", outside="database_busy")
        return bounds.others


class Wait:
    """One write that waits.

    Attributes:
        seconds: For how long in all; None for as long as it takes.
    """

    def __init__(self, admission: WriteAdmission, seconds: float | None) -> None:
        self._admission = admission
        self.seconds = seconds
        self._until = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """Return the seconds that are left, None without a limit."""
        return None if self._until is None else max(0.0, self._until - time.monotonic())

    def begun(self) -> None:
        """Note that the write has what it waited for."""
        self._admission.begun(self)


@contextmanager
def write_turn(lock: FairLock | None, file: Path | None, wait: Wait) -> Iterator[None]:
    """Wait for the writers of this process, then for those of other processes on the same file.

    Args:
        lock: This process's writers queue for it; None where the database orders them.
        file: The SQLite file, None for any other.
        wait: How long.

    Raises:
        UnavailableError: If the turn does not come in time.
    """
    with ExitStack() as held:
        try:
            if lock is not None:
                held.enter_context(lock.held(seconds=wait.left()))
            if file is not None:
                held.enter_context(_locked_file(file.with_suffix(".lock"), seconds=wait.left()))
        except TimeoutError:
            raise UnavailableError("writes_wait", outside="database_busy") from None
        yield


@contextmanager
def _locked_file(path: Path, *, seconds: float | None) -> Iterator[None]:
    """Hold a lock file against other processes, in the order of their arrival.

    Args:
        path: The file; made where it is missing.
        seconds: Longest wait; None waits as long as it takes.

    Raises:
        TimeoutError: If another process holds it for longer.
    """
    # Opened every time: a forked child would share an open file's lock with its parent.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if seconds is None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        else:
            _take(descriptor, seconds)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, seconds: float) -> None:
    """Lock an open file within a time.

    Waited for in a thread: the kernel serves those who block in order, and polling would starve.
    """
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    # The thread's own: should the wait be given up, it closes this one when it has the lock.
    waited = os.dup(descriptor)
    outcome = threading.Lock()
    taken, given_up = threading.Event(), threading.Event()

    def wait() -> None:
        try:
            fcntl.flock(waited, fcntl.LOCK_EX)
        except OSError:
            os.close(waited)
            return
        with outcome:
            if not given_up.is_set():
                taken.set()
                os.close(waited)  # the lock stays with the other descriptor of the same file
                return
        fcntl.flock(waited, fcntl.LOCK_UN)
        os.close(waited)

    threading.Thread(target=wait, name="file-lock", daemon=True).start()
    taken.wait(seconds)
    with outcome:
        if taken.is_set():
            return
        given_up.set()
    raise TimeoutError
