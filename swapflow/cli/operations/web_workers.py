"""Several serving processes on one address: started in turn, never killed for being slow.

The server's own watch kills a process that has not answered within a fixed time, and starts
another, which on a busy machine is as slow: no page was ever served.

Where it can be, they are forked from the process that watches over them, which has built the
application: most of what a process holds at rest is code, and so lies in memory once.
"""

import gc
import multiprocessing
import signal
import sys
import threading
import time
from dataclasses import dataclass
from socket import socket

from uvicorn import Config
from uvicorn._subprocess import subprocess_started
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import SIGNALS, Multiprocess, Process

from swapflow.processes.progress import StartProgress


HUNG_SECONDS = 60.0
"""Seconds without an answer and without any work after which a process counts as hung."""


def keep_shared() -> None:
    """Keep what was loaded and built so far where it is, for all that will be forked."""
    # What the collector never looks at is never written to, and so lies in memory once.
    gc.collect()
    gc.freeze()


def may_fork() -> bool:
    """Whether a child can be forked: a lock that another thread holds would never be released.

    Figures for Prometheus and traces have threads of their own; on macOS the system's libraries
    do not stand it.
    """
    return sys.platform == "linux" and threading.active_count() == 1


class ServingProcess(Process):
    """One process that serves, forked where it can be, else started from nothing."""

    def __init__(self, config: Config, sockets: list[socket]) -> None:
        super().__init__(config, sockets)
        if may_fork():
            forked = multiprocessing.get_context("fork").Process(
                target=_serve_forked, args=(self, sockets)
            )
            self.process = forked  # type: ignore[assignment]  # told apart by how they start alone


def _serve_forked(process: ServingProcess, sockets: list[socket]) -> None:
    """Serve in a child that has all that its parent had."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    subprocess_started(process.config, process.target, sockets, None)


@dataclass(slots=True)
class _Watched:
    """What is known of one serving process."""

    progress: StartProgress
    asked: bool = False
    is_ready: bool = False

    def look(self, process: Process, *, now: float) -> float:
        """Ask whether it serves, once at a time; return the seconds for which it gave no sign."""
        try:
            if not self.asked:
                process.parent_conn.send(b"ping")
                self.asked = True
            if process.parent_conn.poll(0):
                self.is_ready = bool(process.parent_conn.recv())
                self.asked = False
                return 0.0
        except (OSError, EOFError):
            pass
        return self.progress.idle_for(said=self.is_ready, now=now)


class WebWorkers(Multiprocess):
    """The serving processes: the next is started when the one before it serves.

    Args:
        config: The server's settings.
        sockets: What they listen on.
        hung: Seconds after which one that gives no sign of life is replaced.
    """

    def __init__(
        self, config: Config, sockets: list[socket], *, hung: float = HUNG_SECONDS
    ) -> None:
        super().__init__(config, sockets)
        self._hung = hung
        self._known: dict[int, _Watched] = {}

    def init_processes(self) -> None:
        """Start the first process alone; the others follow."""
        self.processes.append(self._started())

    def keep_subprocess_alive(self) -> None:
        """Replace processes that ended or hang, and start the next when all others serve."""
        now = time.monotonic()
        for index, process in enumerate(self.processes):
            watched = self._known[process.process.pid or 0]
            if process.process.is_alive() and watched.look(process, now=now) <= self._hung:
                continue
            process.kill()
            process.join()
            if process.exitcode == STARTUP_FAILURE:
                # It would fail in the same way at every start.
                self.should_exit.set()
                return
            self.processes[index] = self._started()
        if len(self.processes) < self.processes_num and all(
            self._known[process.process.pid or 0].is_ready for process in self.processes
        ):
            self.processes.append(self._started())

    def _started(self) -> Process:
        process = ServingProcess(self.config, self.sockets)
        process.start()
        pid = process.process.pid
        self._known[pid or 0] = _Watched(StartProgress(pid, now=time.monotonic()))
        return process
