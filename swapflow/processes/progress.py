"""Whether a process that is not ready yet makes progress: slow is no reason to kill it."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path


FIRST_LOOK, SLOWEST_LOOK = 0.05, 1.0
"""Seconds between two looks whether a process serves: fewer the longer it takes."""

FIRST_WORD, SLOWEST_WORD = 10.0, 60.0
"""Seconds between two lines about a process that is still starting."""

LONG_START = 60.0
"""Seconds of a start after which the person who waits is told what to do."""


def processor_seconds(pid: int) -> float | None:
    """Return the processor time of a process and of those it started; None where that is unknown.

    Linux tells it under /proc; elsewhere a process counts as making progress while it lives.
    """
    if not Path("/proc/self/stat").exists():
        return None
    ticks, waiting = 0, [pid]
    while waiting:
        one = waiting.pop()
        with suppress(OSError, ValueError, IndexError):
            # Behind the name, which may hold anything: state is field 0 there, utime 11, stime 12.
            fields = Path(f"/proc/{one}/stat").read_text("utf-8").rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        with suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                with suppress(OSError):
                    waiting += map(int, (task / "children").read_text("ascii").split())
    return ticks / os.sysconf("SC_CLK_TCK")


class StartProgress:
    """Watches one process for signs of work: processor time, or anything it says.

    Args:
        pid: The process; None while it has none.
        now: A moment on a monotonic clock, in seconds.
    """

    def __init__(self, pid: int | None, *, now: float) -> None:
        self._pid = pid
        self._seen: tuple[float | None, object] = (0.0, None)
        self._at = now
        self.processor = 0.0

    def idle_for(self, *, said: object, now: float) -> float:
        """Return the seconds since the last sign of work.

        Args:
            said: Changes whenever the process says something.
            now: The moment, on the same clock.
        """
        used = None if self._pid is None else processor_seconds(self._pid)
        if used is None or (used, said) != self._seen:
            self._seen, self._at = (used, said), now
        self.processor = used or 0.0
        return now - self._at


async def wait_ready(
    name: str,
    ready: Callable[[], bool],
    *,
    pid: int | None,
    lines: Sequence[str],
    idle: float,
    say: Callable[[str], None],
) -> bool:
    """Wait until a process serves, however long it takes, and tell what it is doing.

    Args:
        name: The process.
        ready: Asks whether it serves.
        pid: Its number.
        lines: What it printed, the last line last.
        idle: Seconds without any sign of work after which it is given up.
        say: Takes a line for the person who waits.

    Returns:
        False when it is given up.
    """
    began = said_at = time.monotonic()
    progress = StartProgress(pid, now=began)
    wait, quiet = FIRST_LOOK, FIRST_WORD
    # In a thread: a slow answer must not hold up the other processes.
    while not await asyncio.to_thread(ready):
        now = time.monotonic()
        if progress.idle_for(said=tuple(lines), now=now) > idle:
            return False
        if now - said_at > quiet:
            say(_how_far(name, now - began, progress, lines))
            said_at, quiet = now, min(quiet * 2, SLOWEST_WORD)
        await asyncio.sleep(wait)
        wait = min(wait * 1.5, SLOWEST_LOOK)
    return True


def _how_far(name: str, seconds: float, progress: StartProgress, lines: Sequence[str]) -> str:
    """Return in words what a process is doing that is not ready yet, and what to do about it."""
    line = f"; it printed last: {lines[-1]}" if lines else ""
    cure = (
        "; the machine is busy, it goes on by itself (SWAPFLOW_WEB_PROCESSES=1 starts less)"
        if seconds > LONG_START
        else ""
    )
    used = f"{progress.processor:.1f} s of processor time"
    return f"{name} has been starting for {seconds:.0f} s ({used}){line}{cure}"
