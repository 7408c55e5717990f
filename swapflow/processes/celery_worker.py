"""How a Celery worker is started."""

import sys
from collections.abc import Sequence


WORKER_ENVIRONMENT = {"REMAP_SIGTERM": "SIGQUIT"}
"""SIGTERM then finishes running tasks for ten seconds and puts the others back."""


def worker_argv(
    *,
    name: str = "worker",
    pool: str = "threads",
    concurrency: int = 4,
    queues: Sequence[str] = (),
    app: str = "workers.app",
    log_level: str = "WARNING",
) -> list[str]:
    """Format the command that starts a worker; run it in `WORKER_ENVIRONMENT`.

    Args:
        name: Name of the worker on this host.
        pool: `threads` (one small process, for one machine) or `prefork` (a process for each
            task, time limits enforced); never `solo`, which hangs on a half-open connection.
        concurrency: Tasks at the same time.
        queues: Queues to serve; none means all.
        app: Module that holds the app.
        log_level: Least level that is logged.
    """
    argv = [sys.executable, "-m", "celery", "-A", app, "--quiet", "worker"]
    argv += ["--hostname", f"{name}@%h", "--pool", pool, "--concurrency", str(concurrency)]
    # Workers need not know of each other: gossip and mingle only leave keys behind.
    argv += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    argv += ["--loglevel", log_level]
    if queues:
        argv += ["--queues", ",".join(queues)]
    return argv
