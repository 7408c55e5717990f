"""Processes that must not outlive the one that started them."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, linux/prctl.h

# Resolved when the module is loaded: after a fork nothing may be imported or looked up.
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def die_with_parent(parent: int | None = None) -> None:
    """Ask the kernel to kill this process when its parent dies, however the parent dies.

    On Linux only; elsewhere the next start of the supervisor sweeps up what is left.

    Args:
        parent: Process id of the parent when it is known better than by asking now: a parent
            that died before this call gives the kernel nothing to wait for.
    """
    if _prctl is None:
        return
    expected = os.getppid() if parent is None else parent
    _prctl(_SET_DEATH_SIGNAL, int(signal.SIGKILL))
    if os.getppid() != expected:
        os._exit(1)


def dies_with_this_process() -> Callable[[], None]:
    """Return the function that a child runs between fork and exec."""
    parent = os.getpid()
    return lambda: die_with_parent(parent)


def start_of(pid: int) -> str:
    """Name the moment a process started, to tell it from a later one with the same number.

    Returns:
        "" for a process that is not there, or only waits to be collected.
    """
    if sys.platform != "linux":
        ps = ["/bin/ps", "-o", "lstart=", "-p", str(pid)]
        answer = subprocess.run(ps, capture_output=True, text=True, check=False)  # noqa: S603  # fixed
        return answer.stdout.strip()
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in {"Z", "X"} else fields[19]
