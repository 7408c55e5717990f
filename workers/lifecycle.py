"""What a worker does at the turns of its life, whatever its tasks are."""

from typing import Any

from celery.signals import worker_process_init, worker_ready

from swapflow.processes.health import start_heartbeat
from swapflow.processes.parents import die_with_parent
from workers.watchdog import start_watchdog


@worker_ready.connect
def say_ready(sender: Any, **_: object) -> None:  # noqa: ANN401 - celery's consumer, untyped
    """Beat from now on, which the supervisor and health checks wait for; and stay awake."""
    start_heartbeat()
    start_watchdog(sender.app)


@worker_process_init.connect
def stay_with_the_worker(**_: object) -> None:
    """Let a pool process end with its worker; it would wait for ever on a pipe otherwise."""
    die_with_parent()
