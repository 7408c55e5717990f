"""One supervisor per data folder, and nothing left over from the one before."""

import fcntl
import json
import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from swapflow.errors import ConflictError, UnavailableError
from swapflow.processes.parent_watch import start_of


SWEEP_SECONDS = 5.0
"""Time that killed leftovers get to disappear."""


def run_folder(data_dir: Path) -> Path:
    """Return the folder for locks, process numbers and heartbeats."""
    return data_dir / "run"


@contextmanager
def locked_folder(data_dir: Path) -> Iterator[None]:
    """Lock a data folder for this process; the kernel releases it when the process ends.

    Raises:
        ConflictError: If another process holds it.
        UnavailableError: If the folder cannot be written.
    """
    folder = run_folder(data_dir)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Opened without truncating: until the lock is held, the number in it is the other's.
        lock = (folder / "supervisor.lock").open("a+", encoding="ascii")
    except OSError as error:
        raise UnavailableError(
            "data_folder_unwritable", folder=data_dir, problem=error.strerror
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            raise ConflictError("data_folder_in_use", folder=data_dir, process=holder) from error
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


def note_processes(data_dir: Path, pids: Mapping[str, int]) -> None:
    """Write down which processes run, for a later sweep; process number and start of each."""
    file = run_folder(data_dir) / "processes.json"
    text = json.dumps({name: [pid, start_of(pid)] for name, pid in pids.items()})
    fresh = file.with_suffix(".new")
    fresh.write_text(text, encoding="ascii")
    # In one step, so that a supervisor that dies here leaves the old note or the new one.
    fresh.replace(file)


def sweep(data_dir: Path) -> list[str]:
    """Kill what a supervisor that died left behind, process groups and all.

    Returns:
        The names of the processes that were still there.
    """
    # The start tells the process that was noted from another that has its number since.
    left = {name: pid for name, pid, start in _noted(data_dir) if start and start_of(pid) == start}
    for pid in left.values():
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    until = time.monotonic() + SWEEP_SECONDS
    while any(start_of(pid) for pid in left.values()) and time.monotonic() < until:
        time.sleep(0.02)
    return sorted(left)


def _noted(data_dir: Path) -> list[tuple[str, int, str]]:
    """Read what `note_processes` wrote; a damaged note is no note."""
    try:
        noted = json.loads((run_folder(data_dir) / "processes.json").read_text(encoding="ascii"))
        return [(str(name), int(pid), str(start)) for name, (pid, start) in noted.items()]
    except (OSError, ValueError, TypeError, AttributeError):
        return []
