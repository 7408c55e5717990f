"""Starts the process that reads one spreadsheet, waits for it, and says why it ended otherwise."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import structlog

from swapflow.advice.trial.limits import MEGABYTE, MOST_MEMORY, MOST_SECONDS
from swapflow.advice.trial.question import TrialQuestion
from swapflow.errors import InvalidInputError
from swapflow.messages import restored
from swapflow.untrusted.json_text import load_json


log = structlog.get_logger()

CANNOT_BE_USED = 2
"""How the process ends when it says what is wrong with the file."""

NEEDS_MORE = 3
"""How it ends when its memory does not suffice."""

PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "TZ", "LD_LIBRARY_PATH", "TMPDIR")
"""Variables that the process gets; no setting is among them, so no password is."""


class SheetRefusedError(InvalidInputError):
    """A spreadsheet cannot be used as it is; its columns are known where it is a table at all.

    Attributes:
        columns: (header, first cell, what it is taken for, "" for nothing) of each.
    """

    def __init__(self, problem: str, columns: tuple[tuple[str, str, str], ...]) -> None:
        super().__init__(problem)
        self.columns = columns


def read_spreadsheet(
    question: TrialQuestion, data: bytes, *, into: Path, seconds: float = MOST_SECONDS
) -> None:
    """Have a file read by a process of its own, which writes its answer into a folder.

    Args:
        question: What is asked of the file.
        data: The file.
        into: The folder; empty, and nobody else's.
        seconds: After how many the process is ended.

    Raises:
        SheetRefusedError: If the file cannot be used.
        InvalidInputError: If it needs more than the limits allow.
    """
    argv = [sys.executable, "-P", "-m", "swapflow.advice.trial.child", str(into)]
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        done = subprocess.run(  # noqa: S603 - our own module, with no word of the visitor's
            argv,
            input=question.line() + data,
            stdout=subprocess.PIPE,
            # A traceback could hold cells of the file, and these belong into no log.
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            # One thread: the memory that each further one maps counts too.
            env={**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise InvalidInputError("trial_too_long", seconds=seconds) from error
    if done.returncode == 0:
        return
    if done.returncode == CANNOT_BE_USED:
        said = load_json(done.stdout)
        raise SheetRefusedError(
            restored(said["problem"]), tuple((one[0], one[1], one[2]) for one in said["columns"])
        )
    log.warning(
        "a spreadsheet was not read to its end", event_id="trial_ended", code=done.returncode
    )
    if done.returncode == -signal.SIGXCPU:
        raise InvalidInputError("trial_too_long", seconds=MOST_SECONDS)
    if done.returncode < 0 or done.returncode == NEEDS_MORE:
        # Without memory the reading gives up, a library aborts, or the kernel ends the process.
        raise InvalidInputError("trial_too_much", size=MOST_MEMORY // MEGABYTE)
    raise InvalidInputError("trial_unreadable")
