"""Who computes the chunks of a sweep: processes of this machine, or Celery workers anywhere."""

import json
import multiprocessing
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from pathlib import Path

from swapflow.errors import InvalidInputError, NotFoundError, UnavailableError
from swapflow.experiments.sweep import HOME, Chunk, write


SPECIFICATION = "chunks.json"
"""File by which workers learn what a chunk's name means."""

LOOK_SECONDS = 0.2
"""Time between two looks for files that workers have written."""

PARENT_SECONDS = 0.5
"""Time between two looks whether the sweep that a process computes for is still alive."""


@dataclass(frozen=True, slots=True)
class Processes:
    """Local processes, each with an interpreter of its own.

    Attributes:
        count: How many; 0 takes one per processor.
        attempts: How often processes that die are replaced without a chunk done in between.
    """

    count: int = 0
    attempts: int = 3

    def compute(self, folder: Path, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
        """Distribute chunks; a process that is killed costs the chunks it was at."""
        left, deaths = list(chunks), 0
        while left:
            before = len(left)
            try:
                for chunk in self._round(folder, left):
                    left.remove(chunk)
                    yield chunk
            except BrokenProcessPool:
                # Files are the truth: a chunk may have been written just before its process died.
                finished = [chunk for chunk in left if (folder / chunk.name).exists()]
                left = [chunk for chunk in left if chunk not in finished]
                deaths = deaths + 1 if len(left) == before else 1
                if deaths >= self.attempts:
                    raise UnavailableError("sweep_processes_died", deaths=deaths) from None
                yield from finished

    def _round(self, folder: Path, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
        count = self.count or os.cpu_count() or 1
        # Spawned, for a fork would inherit locks and connections in whatever state they are.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(
            min(count, len(chunks)),
            mp_context=context,
            initializer=_end_with_parent,
            initargs=(os.getpid(),),
        ) as pool:
            futures: dict[Future[None], Chunk] = {
                pool.submit(write, folder, chunk): chunk for chunk in list(chunks)
            }
            try:
                while futures:
                    for future in wait(futures, return_when=FIRST_COMPLETED).done:
                        chunk = futures.pop(future)
                        future.result()
                        yield chunk
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Workers:
    """Celery workers that reach the same folder (this machine's, or a shared file system).

    A message names a chunk; its file is the answer. Whatever is lost, a message, a worker or
    Redis, costs time only: what has no file after `patience` without any news is sent again, and
    a chunk computed twice is the same chunk.

    Attributes:
        send: Sends paths of chunks' files to the workers.
        patience: Seconds without a new file after which all that is missing is sent again.
        attempts: How often that is done without a new file in between.
    """

    send: Callable[[Sequence[str]], None]
    patience: float = 60.0
    attempts: int = 5

    def compute(self, folder: Path, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
        """Send all names, then wait for files."""
        waiting = {chunk.name: chunk for chunk in chunks}
        if not waiting:
            return
        _specify(folder, chunks)
        # Sent at once the first time, because nothing has been waited for yet.
        tries, since = 0, -self.patience
        while waiting:
            if time.monotonic() - since >= self.patience:
                if tries >= self.attempts:
                    raise UnavailableError(
                        "sweep_without_worker", seconds=tries * self.patience, folder=folder
                    )
                self.send([str(folder.absolute() / name) for name in waiting])
                tries, since = tries + 1, time.monotonic()
            there = [name for name in waiting if (folder / name).exists()]
            if there:
                tries, since = 0, time.monotonic()
            for name in there:
                yield waiting.pop(name)
            if not there:
                time.sleep(LOOK_SECONDS)


def compute_chunk(path: str) -> bool:
    """Compute one chunk that a sweep has specified in its folder; for workers.

    Args:
        path: The chunk's file, which need not be there yet.

    Returns:
        Whether there was anything left to do.

    Raises:
        NotFoundError: If the folder cannot be reached from here, or knows no such chunk.
        InvalidInputError: If its work lies outside this package: a folder is no way to have a
            worker run a stranger's code.
    """
    file = Path(path)
    if file.exists():
        return False
    try:
        chunk = Chunk(**json.loads((file.parent / SPECIFICATION).read_text("utf-8"))[file.name])
    except (OSError, KeyError, ValueError) as error:
        raise NotFoundError("sweep_chunk_missing", path=path) from error
    # The file names a function to import; in a shared folder anybody may have written it.
    if not chunk.work.startswith(HOME):
        raise InvalidInputError("sweep_work_elsewhere", work=chunk.work, home=HOME.rstrip("."))
    write(file.parent, chunk)
    return True


def _end_with_parent(parent: int) -> None:
    """End this process once its parent has died; it would wait for work for ever otherwise."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _specify(folder: Path, chunks: Sequence[Chunk]) -> None:
    """Write down what the names mean, all at once."""
    content = {chunk.name: {**asdict(chunk), "cell": dict(chunk.cell)} for chunk in chunks}
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(content, file)
    Path(temporary).replace(folder / SPECIFICATION)
