"""The processes of a deployment on one machine, and how to run one for a while."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from swapflow.bootstrap import worker_queues
from swapflow.errors import UnavailableError
from swapflow.processes.parent_watch import dies_with_this_process
from swapflow.processes.process_specs import (
    mailer_spec,
    redis_spec,
    web_environment,
    web_spec,
    worker_spec,
)
from swapflow.processes.supervisor import ProcessSpec
from swapflow.settings import Settings


STOP_SECONDS = 30.0


def command(*words: str) -> list[str]:
    """Format a swapflow command for a child process, whatever the PATH says."""
    return [sys.executable, "-m", "swapflow.cli.main", *words]


def deployment_specs(
    settings: Settings, *, coordinators: int = 1, workers: int = 1
) -> list[ProcessSpec]:
    """List what `swapflow up` keeps running: Redis if it is embedded, then the rest beside it."""
    servers = [redis_spec(settings)] if settings.embedded_redis else []
    return [
        *servers,
        *(coordinator_spec(settings, name) for name in _names("coordinator", coordinators)),
        *(
            worker_spec(settings, name=name, queues=worker_queues())
            for name in _names("worker", workers)
        ),
        mailer_spec(settings),
        web_spec(settings, command("web")),
    ]


def coordinator_spec(settings: Settings, name: str) -> ProcessSpec:
    """Describe a coordinator."""
    return ProcessSpec(
        name=name,
        argv=command("coordinator"),
        env=web_environment(settings),
        ready_seconds=60.0,
    )


@contextmanager
def running(settings: Settings, **environment: str) -> Iterator[None]:
    """Run `swapflow up` on a data folder until the block ends.

    What its processes say goes to `processes.log` in the data folder. A Ctrl-C reaches this
    process alone, which then stops the others in order; should it be killed, they end with it.

    Args:
        settings: Names the data folder, and the database and Redis where they are not embedded.
        environment: Further variables for its processes.

    Raises:
        UnavailableError: If they do not get ready; the message ends with what they said.
    """
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    log = settings.data_dir / "processes.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(  # noqa: S603 - our own command
            command("up", "--json"),
            env=_environment(settings) | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            preexec_fn=dies_with_this_process(),  # noqa: PLW1509 - imports nothing, takes no lock
        )
    try:
        _wait_ready(process, log)
        yield
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _wait_ready(process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait for the line that says that every process is ready."""
    assert process.stdout is not None
    if process.stdout.readline():  # ends when it is ready, or when it is gone
        return
    process.wait()
    said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-15:]
    raise UnavailableError("processes_do_not_start", lines=said)


def _environment(settings: Settings) -> dict[str, str]:
    """Return the environment without what would lead the processes elsewhere."""
    ours = {"SWAPFLOW_DATABASE_URL", "SWAPFLOW_REDIS_URL", "SWAPFLOW_HEARTBEAT"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    environment["SWAPFLOW_DATA_DIR"] = str(settings.data_dir)
    if settings.database_url:
        environment["SWAPFLOW_DATABASE_URL"] = settings.database_url
    if settings.redis_url:
        environment["SWAPFLOW_REDIS_URL"] = settings.redis_url
    return environment


def _names(role: str, count: int) -> list[str]:
    return [role] if count == 1 else [f"{role}{number}" for number in range(1, count + 1)]
