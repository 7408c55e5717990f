"""Sweeps: many cells of a study, many runs each, spread over processes and safe to interrupt.

A sweep is cut into chunks of runs. A chunk is a function of its study, cell and run numbers alone,
and its file appears whole or not at all; so a sweep killed at any moment goes on where it was, and
its result does not depend on who computed which chunk, when, or how often.
"""

import contextlib
import fcntl
import hashlib
import importlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from swapflow.errors import ConflictError, InvalidInputError


Array = NDArray[np.generic]
Cell = Mapping[str, float | int | str | bool]
"""What makes one cell different from the others, by name; plain values that JSON can hold."""

Work = Callable[[str, Cell, range], dict[str, Array]]
"""Computes a chunk: (study, cell, run numbers) to arrays of one row per run, by name.

It must be a function of a module, and of its arguments alone: take every random number from
`random_numbers.stream_of(study, …)` and the number of the run.
"""

Report = Callable[[int, int], None]
"""Called with how many of how many chunks are done."""

CHUNK = 250
"""Runs per chunk, unless a study says otherwise."""

HOME = "swapflow.experiments."
"""Workers compute what lies in this package and nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Some runs of one cell, and the file that holds what came of them."""

    study: str
    cell: Cell
    work: str
    start: int
    stop: int

    @property
    def name(self) -> str:
        """Name of the file: the same chunk has the same name in every sweep of the folder."""
        content = json.dumps([self.study, self.work, dict(self.cell)], sort_keys=True)
        digest = hashlib.blake2b(content.encode(), digest_size=8).hexdigest()
        return f"{digest}-{self.start:07d}-{self.stop:07d}.npz"

    def compute(self) -> dict[str, Array]:
        """Compute the chunks.

        Raises:
            InvalidInputError: If the work cannot be found, or gives something else than one row
                per run.
        """
        arrays = _work_of(self.work)(self.study, self.cell, range(self.start, self.stop))
        for name, array in arrays.items():
            if len(array) != self.stop - self.start:
                raise InvalidInputError(
                    "sweep_rows_miscounted",
                    work=self.work,
                    rows=len(array),
                    name=name,
                    runs=self.stop - self.start,
                )
        return arrays


class ChunkRunner(Protocol):
    """A way to have chunks computed: here, in local processes, by Celery workers."""

    def compute(self, folder: Path, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
        """Compute chunks, write their files, and yield each once its file is there.

        Raises:
            UnavailableError: If those who should compute them do not, for long.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What a sweep computes.

    Attributes:
        study: Name of the study; random numbers depend on it.
        cells: The cells.
        work: Computes a chunk.
        runs: Runs per cell. More runs later use what is there already.
        chunk: Runs per chunk.
    """

    study: str
    cells: Sequence[Cell]
    work: Work
    runs: int
    chunk: int = CHUNK

    def chunks(self) -> list[Chunk]:
        """List all chunks, the first of every cell first, so that all cells grow together."""
        name = f"{self.work.__module__}:{self.work.__qualname__}"
        return [
            Chunk(
                study=self.study,
                cell=cell,
                work=name,
                start=start,
                stop=min(start + self.chunk, self.runs),
            )
            # Chunk by chunk over all cells,
            # so that a sweep that is cut short has something of each.
            for start in range(0, self.runs, self.chunk)
            for cell in self.cells
        ]


def sweep(
    plan: Sweep,
    out: Path,
    *,
    spread: ChunkRunner | None = None,
    report: Report = lambda _done, _total: None,
    fresh: bool = False,
) -> list[dict[str, Array]]:
    """Compute what is missing and return all results.

    Args:
        plan: What to compute.
        out: Folder of this study's chunks; made if need be. Keep it to go on later.
        spread: Who computes; None computes here, one chunk after the other.
        report: Called with progress.
        fresh: Forget this plan's chunks first: after a change of the code.

    Returns:
        For each cell, in order, its arrays by name, runs along the first axis.

    Raises:
        ConflictError: If another sweep is at work in the folder.
        UnavailableError: If those who should compute do not.
    """
    chunks = plan.chunks()
    out.mkdir(parents=True, exist_ok=True)
    with _alone(out):
        if fresh:
            for chunk in chunks:
                (out / chunk.name).unlink(missing_ok=True)
        # Under the lock: another sweep could remove or add files between this look and the work.
        missing = [chunk for chunk in chunks if not (out / chunk.name).exists()]
        done = len(chunks) - len(missing)
        report(done, len(chunks))
        for _ in (spread or Here()).compute(out, missing):
            done += 1
            report(done, len(chunks))
    return merged(plan, out)


def merged(plan: Sweep, out: Path) -> list[dict[str, Array]]:
    """Read all chunks and join them in the order of the runs, whatever process computed them."""
    by_cell: dict[str, list[Chunk]] = {}
    # By run number, so that the bytes do not depend on who computed what when.
    for chunk in sorted(plan.chunks(), key=lambda chunk: chunk.start):
        by_cell.setdefault(_cell_key(chunk.cell), []).append(chunk)
    return [_joined([read(out, part) for part in by_cell[_cell_key(cell)]]) for cell in plan.cells]


def digest(results: Sequence[Mapping[str, Array]]) -> str:
    """Digest results: equal digests mean equal bytes."""
    total = hashlib.sha256()
    for arrays in results:
        for name in sorted(arrays):
            array = np.ascontiguousarray(arrays[name])
            total.update(f"{name} {array.dtype.str} {array.shape}".encode())
            total.update(array.tobytes())
    return total.hexdigest()


@dataclass(frozen=True, slots=True)
class Here:
    """Computes in this process, one chunk after the other."""

    def compute(self, folder: Path, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
        """Compute each chunk in turn."""
        for chunk in chunks:
            write(folder, chunk)
            yield chunk


def write(folder: Path, chunk: Chunk) -> None:
    """Compute a chunk and write its file, which appears whole or not at all."""
    if (folder / chunk.name).exists():
        return
    arrays = chunk.compute()
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
            file.flush()
            # Before the rename:
            # after a power cut a file with its final name must hold all its bytes.
            os.fsync(file.fileno())
        Path(temporary).replace(folder / chunk.name)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read(folder: Path, chunk: Chunk) -> dict[str, Array]:
    """Read a chunk's file."""
    # Without pickles: a chunk may come from another machine, and reading it must run no code.
    with np.load(folder / chunk.name, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _cell_key(cell: Cell) -> str:
    return json.dumps(dict(cell), sort_keys=True)


def _joined(parts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _work_of(name: str) -> Work:
    """Find the function that a chunk names."""
    module, _, function = name.partition(":")
    work: Work | None = getattr(importlib.import_module(module), function, None)
    if work is None:
        raise InvalidInputError("sweep_function_missing", module=module, function=function)
    return work


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock the folder; the kernel drops the lock when its process dies, however it dies."""
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConflictError("sweep_folder_in_use", folder=folder) from None
        # Left by processes that were killed; nobody else writes while the folder is locked.
        for rest in folder.glob(".*.part"):
            rest.unlink(missing_ok=True)
        yield
