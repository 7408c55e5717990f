"""A worker with the product's configuration and a task whose effects are files."""

import os
import time
from pathlib import Path
from typing import Any

from celery.signals import worker_ready

from swapflow.queues.celery import broker_url, celery_app
from swapflow.queues.names import TaskName


EFFECTS = Path(os.environ["SF_TEST_EFFECTS"])
"""Folder with one file per effect, and `begun`: a line per execution."""

app = celery_app(
    broker_url(os.environ["SF_TEST_REDIS"]),
    visibility_timeout=float(os.environ.get("SF_TEST_VISIBILITY", "300")),
    socket_timeout=float(os.environ.get("SF_TEST_SOCKET", "10")),
    restore_interval=1.0,
    include=["workers.lifecycle"],
)


@worker_ready.connect
def go_deaf(sender: Any, **_: object) -> None:  # noqa: ANN401 - celery's consumer, untyped
    """Take no message more, if the test wants that of this life; the next one listens."""
    staff_request = EFFECTS / "deaf"
    if staff_request.exists():
        staff_request.unlink()
        sender.task_consumer.cancel()


@app.task(name=TaskName.DELIVER)
def deliver(assignment_id: str) -> None:
    """Have one effect, as the ledger would: doing it again does nothing.

    An id that starts with `slow` takes long the first time.
    """
    with (EFFECTS / "begun").open("a", encoding="ascii") as begun:
        begun.write(f"{assignment_id} {os.getpid()}\n")
    first = (EFFECTS / "begun").read_text("ascii").split().count(assignment_id) == 1
    time.sleep(60 if assignment_id.startswith("slow") and first else 0.005)
    (EFFECTS / f"done-{assignment_id}").touch()
