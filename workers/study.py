"""Computes parts of studies."""

from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.experiments.sweep_workers import compute_chunk
from swapflow.queues.names import TaskName
from workers.app import app


CHUNK_SECONDS = 240
"""Longest life of this task; below the visibility timeout, or it would run twice at once."""


@app.task(
    name=TaskName.STUDY_CHUNK,
    throws=(InvalidInputError, NotFoundError),
    time_limit=CHUNK_SECONDS,
    soft_time_limit=CHUNK_SECONDS - 10,
)
def study_chunk(path: str) -> str:
    """Compute one chunk; its file is the answer, and a chunk that has one is skipped."""
    return "computed" if compute_chunk(path) else "there already"
