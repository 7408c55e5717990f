"""Turns of automatic reviewers: at most one thread of a machine's workers asks each of them.

A turn is a locked file: pool processes and threads share it, and a process that is killed gives
its turn back.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from typing_extensions import override

from swapflow.engine.ports.automatic_reviewer import AnswerTurns


_WAITS = ".waits"


class AnswerTurnsInFiles(AnswerTurns):
    """Turns that all processes share which share a folder.

    Args:
        folder: Where the files lie.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @override
    @contextmanager
    def turn(self, reviewer: str, cycle_id: str) -> Iterator[bool]:
        place = self._place(reviewer)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Noted before the try: whoever has the turn then looks for the note after giving it back.
        note = place / f"{quote(cycle_id, safe='')}{_WAITS}"
        note.touch(mode=0o600)
        # Opened every time: threads and forked processes that share an open file share its lock.
        descriptor = os.open(place / "turn", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            note.unlink(missing_ok=True)
            yield True
        finally:
            os.close(descriptor)

    @override
    def take_waiting(self, reviewer: str) -> frozenset[str]:
        notes = list(self._place(reviewer).glob(f"*{_WAITS}"))
        for note in notes:
            note.unlink(missing_ok=True)
        return frozenset(unquote(note.name.removesuffix(_WAITS)) for note in notes)

    def _place(self, reviewer: str) -> Path:
        return self._folder / hashlib.sha256(reviewer.encode()).hexdigest()[:32]
