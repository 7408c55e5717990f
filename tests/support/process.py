"""A real process of its own group that a test starts, freezes, stops and kills."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests.support.waiting import CAP, wait_until


class Process:
    """One process; its output goes to a file, and nothing of its group outlives the test."""

    def __init__(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None) -> None:
        self._argv = list(argv)
        self._env = {**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})}
        handle, name = tempfile.mkstemp(prefix="sf-process-", suffix=".log")
        os.close(handle)
        self.log = Path(name)
        self._running: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._running is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._running.pid, signal.SIGKILL)
            self._running.wait()
        self.log.unlink(missing_ok=True)

    @property
    def pid(self) -> int:
        assert self._running is not None
        return self._running.pid

    @property
    def code(self) -> int | None:
        assert self._running is not None
        return self._running.poll()

    def start(self) -> None:
        with self.log.open("ab") as output:
            self._running = subprocess.Popen(
                self._argv,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def kill9(self, *, group: bool = True) -> None:
        """Kill it, with everything it started or alone."""
        (os.killpg if group else os.kill)(self.pid, signal.SIGKILL)
        assert self._running is not None
        self._running.wait()

    def stop(self) -> None:
        os.killpg(self.pid, signal.SIGSTOP)

    def cont(self) -> None:
        os.killpg(self.pid, signal.SIGCONT)

    def terminate(self, *, cap: float = CAP) -> int:
        """Ask it to stop and wait; returns its exit status.

        Args:
            cap: Seconds after which a supervisor would kill it.
        """
        os.kill(self.pid, signal.SIGTERM)
        self.wait_for(lambda: self.code is not None, what="a clean stop", cap=cap)
        assert self.code is not None
        return self.code

    def wait_for(self, claim: Callable[[], bool], *, what: str, cap: float = CAP) -> float:
        """Wait until a claim holds, as long as it runs; a failure shows what it printed."""
        try:
            return wait_until(claim, what=what, watched=[self], cap=cap)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.tail()}") from error

    def output(self) -> str:
        return self.log.read_text("utf-8", "replace")

    def tail(self, lines: int = 40) -> str:
        return "\n".join(self.output().splitlines()[-lines:])


def children(pid: int) -> list[int]:
    """Process numbers of everything that a process started, and of what those started."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                for child in (task / "children").read_text().split():
                    found += [int(child), *children(int(child))]
    return found


def exists(pid: int) -> bool:
    """Whether a process still runs (one that only waits to be collected does not)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}
