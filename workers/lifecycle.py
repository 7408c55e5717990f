"""A worker's actions at start and stop, and around each task."""

from contextlib import AbstractContextManager
from typing import Any

from celery.signals import task_postrun, task_prerun, worker_process_init, worker_ready

from swapflow.instrumentation.tracing import is_on, span
from swapflow.processes.heartbeat import start_heartbeat
from swapflow.processes.parent_watch import die_with_parent
from swapflow.queues.names import TaskName
from workers.watchdog import start_watchdog


@worker_ready.connect
def say_ready(sender: Any, **_: object) -> None:  # noqa: ANN401 - celery's consumer, untyped
    """Start the heartbeat, which supervisor and health checks need, and the watchdog."""
    start_heartbeat()
    start_watchdog(sender.app)


@worker_process_init.connect
def stay_with_the_worker(**_: object) -> None:
    """End a pool process together with its worker; it would wait on a pipe for ever otherwise."""
    die_with_parent()


_open: dict[str, AbstractContextManager[object]] = {}
"""Spans of running tasks, by the task's id."""


def open_span(task_id: str, task: Any, args: Any, **_: object) -> None:  # noqa: ANN401 - untyped
    """Continue the trace that the message carries."""
    assignment = args[0] if task.name == TaskName.DELIVER and args else None
    parent = getattr(task.request, "traceparent", None) or ""
    _open[task_id] = span(f"task {task.name}", parent=parent, assignment=assignment)
    _open[task_id].__enter__()


def close_span(task_id: str, **_: object) -> None:
    """End a task's span."""
    if (opened := _open.pop(task_id, None)) is not None:
        opened.__exit__(None, None, None)


if is_on():
    task_prerun.connect(open_span)
    task_postrun.connect(close_span)
