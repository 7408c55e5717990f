"""What a worker does at the turns of its life, whatever its tasks are."""

from celery.signals import worker_process_init, worker_ready

from swapflow.processes.health import start_heartbeat
from swapflow.processes.parents import die_with_parent


@worker_ready.connect
def say_ready(**_: object) -> None:
    """Beat from now on: the supervisor and health checks wait for it."""
    start_heartbeat()


@worker_process_init.connect
def stay_with_the_worker(**_: object) -> None:
    """Let a pool process end with its worker; it would wait for ever on a pipe otherwise."""
    die_with_parent()
