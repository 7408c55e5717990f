"""A process that fits the model beside a coordinator's turns, one fit at a time.

A fit is Python and numpy for tenths of a second to seconds: in a thread it would share the
interpreter with the turns. The process starts with the first long fit and ends when none has come
for a minute, so that nothing is held for programs that rest; it dies with its parent.
"""

import json
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import BinaryIO

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.fit_question import FitQuestion
from swapflow.processes.parent_watch import dies_with_this_process


IDLE_SECONDS = 60.0
"""Seconds without a question after which the process ends."""

LENGTH_BYTES = 8


class FitProcess:
    """Fits in a process of its own, in the order asked; safe for threads."""

    def __init__(self) -> None:
        self._asking = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fits")
        self._mutex = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._closed = False

    def __call__(self, question: FitQuestion) -> Future[Fitted]:
        """Begin a fit.

        Returns:
            The parameters to come; ConnectionResetError if the process was killed twice meanwhile.
        """
        return self._asking.submit(self._answer, question)

    @property
    def pid(self) -> int | None:
        """The process, where one runs."""
        running = self._running
        return None if running is None or running.poll() is not None else running.pid

    def close(self) -> None:
        """End the process; fits that were begun fail."""
        self._asking.shutdown(wait=False, cancel_futures=True)
        with self._mutex:
            self._closed = True
            if self._running is not None:
                self._running.kill()
                _collect(self._running)

    def _answer(self, question: FitQuestion) -> Fitted:
        packed = pickle.dumps(question)
        # Once more: it may have ended for want of questions just as this one came.
        line = self._asked(packed) or self._asked(packed)
        if not line:
            raise ConnectionResetError  # the caller fits by itself
        return Fitted.from_dict(json.loads(line))

    def _asked(self, packed: bytes) -> bytes:
        """Ask, and return the answer; b"" where the process ended."""
        process = self._process()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(len(packed).to_bytes(LENGTH_BYTES) + packed)
            process.stdin.flush()
            return process.stdout.readline()
        except BrokenPipeError:
            return b""

    def _process(self) -> subprocess.Popen[bytes]:
        """Return the process that runs, or start one."""
        with self._mutex:
            if self._closed:
                raise ConnectionResetError
            if self._running is None or self._running.poll() is not None:
                if self._running is not None:
                    _collect(self._running)
                self._running = subprocess.Popen(
                    [sys.executable, "-m", "swapflow.processes.beside.fit_process"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    # One core: the turns go on on the others.
                    env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
                    preexec_fn=dies_with_this_process(),  # noqa: PLW1509 - resolved beforehand
                )
            return self._running


def _collect(ended: subprocess.Popen[bytes]) -> None:
    """Close the pipes of a process that has ended."""
    for pipe in (ended.stdin, ended.stdout):
        if pipe is not None:
            # What was written and never read is flushed once more, into nothing.
            with suppress(BrokenPipeError):
                pipe.close()
    ended.wait()


def answer_questions(source: BinaryIO, answers: BinaryIO) -> None:
    """Answer one question after the other until the parent closes the pipe, or is silent.

    Args:
        source: Questions, each after its length; they come from the parent alone.
        answers: Takes one line of JSON each.
    """
    while select.select([source], [], [], IDLE_SECONDS)[0]:
        length = source.read(LENGTH_BYTES)
        if len(length) < LENGTH_BYTES:
            return
        packed = source.read(int.from_bytes(length))
        question: FitQuestion = pickle.loads(packed)  # noqa: S301 - its parent wrote it
        # As text a number keeps all its digits.
        answers.write(json.dumps(question.answer().to_dict()).encode("ascii") + b"\n")
        answers.flush()


if __name__ == "__main__":
    # Ctrl-C at a terminal is the coordinator's, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answer_questions(sys.stdin.buffer, sys.stdout.buffer)
