"""Heartbeat files: how a process says that it lives, without asking Redis or the database.

A process whose liveness hung on its broker would be restarted for ever during an outage.

Run as a module it asks for the heartbeat of the process beside it, as the health checks of
containers do: `python -m swapflow.processes.heartbeat`.
"""

import os
import sys
import threading
import time
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from urllib.request import urlopen


HEARTBEAT_VARIABLE = "SWAPFLOW_HEARTBEAT"
"""Environment variable that tells a process where its heartbeat file lies."""

EVERY_SECONDS = 2.0
"""Time between two beats."""

ALIVE_WITHIN = 15.0
"""Age in seconds at which a heartbeat is taken for dead."""


def beat(path: Path) -> None:
    """Record once that this process lives; a full disk must not kill it, so errors are ignored."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{os.getpid()}\n", encoding="ascii")
    except OSError:
        return


def start_heartbeat(path: Path | None = None, *, every: float = EVERY_SECONDS) -> None:
    """Beat from a thread of its own until the process ends; call it when it is ready to work.

    Args:
        path: The file; None takes it from the environment, and without one nothing is done.
        every: Seconds between two beats.
    """
    if path is None:
        named = os.environ.get(HEARTBEAT_VARIABLE)
        if not named:
            return
        path = Path(named)
    beat(path)
    beating = threading.Thread(target=_beat_for_ever, args=(path, every), name="heartbeat")
    beating.daemon = True
    beating.start()


def is_alive(path: Path, *, within: float = ALIVE_WITHIN) -> bool:
    """Whether a process has beaten lately."""
    try:
        return abs(time.time() - path.stat().st_mtime) <= within
    except OSError:
        return False


def answers(address: str) -> bool:
    """Whether a web process answers at an address, within three seconds."""
    try:
        with urlopen(address, timeout=3) as response:  # noqa: S310 - the caller names the address
            return bool(response.status == HTTPStatus.OK)
    except (OSError, ValueError):
        return False


def _beat_for_ever(path: Path, every: float) -> None:
    while True:
        time.sleep(every)
        beat(path)


def main(arguments: Sequence[str] = ()) -> int:
    """Return the exit code of a health check: 0 when the process lives.

    It does when its heartbeat is fresh, or, for a web process, when the address on the command
    line answers.
    """
    if arguments:
        return 0 if answers(arguments[0]) else 1
    named = os.environ.get(HEARTBEAT_VARIABLE)
    return 0 if named and is_alive(Path(named)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
