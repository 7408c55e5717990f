"""The processes of a deployment on one machine, and how to run one for a while."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from swapflow.errors import UnavailableError
from swapflow.processes.parents import dies_with_this_process
from swapflow.processes.specs import redis_spec, worker_spec
from swapflow.processes.supervisor import ProcessSpec
from swapflow.settings import Settings


READY = "every process is ready"
START_SECONDS = 60.0


def command(*words: str) -> list[str]:
    """Spell a swapflow command for a child process, whatever the PATH says."""
    return [sys.executable, "-m", "swapflow.cli.main", *words]


def deployment_specs(
    settings: Settings, *, coordinators: int = 1, workers: int = 1
) -> list[ProcessSpec]:
    """List what `swapflow up` keeps running: Redis if it is embedded, then the rest beside it."""
    servers = [redis_spec(settings)] if settings.embedded_redis else []
    return [
        *servers,
        *(coordinator_spec(settings, name) for name in _names("coordinator", coordinators)),
        *(worker_spec(settings, name=name) for name in _names("worker", workers)),
    ]


def coordinator_spec(settings: Settings, name: str) -> ProcessSpec:
    """Describe a coordinator."""
    return ProcessSpec(
        name=name,
        argv=command("coordinator"),
        env={"SWAPFLOW_DATA_DIR": str(settings.data_dir)},
        ready_seconds=60.0,
    )


@contextmanager
def running(settings: Settings, **environment: str) -> Iterator[None]:
    """Run `swapflow up` on a data folder until the block ends.

    Args:
        settings: Names the data folder, and the database and Redis where they are not embedded.
        environment: Further variables for its processes.

    Raises:
        UnavailableError: If it does not get ready within a minute; its last lines are shown.
    """
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    log = settings.data_dir / "up.log"
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own command
            command("up"),
            env={**os.environ, **_environment(settings), **environment},
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            preexec_fn=dies_with_this_process(),  # noqa: PLW1509 - nothing but one prctl
        )
        try:
            _wait_ready(process, log)
            yield
        finally:
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_ready(process: "subprocess.Popen[bytes]", log: Path) -> None:
    give_up = time.monotonic() + START_SECONDS
    while READY not in log.read_text(errors="replace"):
        if process.poll() is not None or time.monotonic() > give_up:
            tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
            raise UnavailableError(f"`swapflow up` did not get ready:\n{tail}")
        time.sleep(0.05)


def _environment(settings: Settings) -> dict[str, str]:
    environment = {"SWAPFLOW_DATA_DIR": str(settings.data_dir)}
    if settings.database_url:
        environment["SWAPFLOW_DATABASE_URL"] = settings.database_url
    if settings.redis_url:
        environment["SWAPFLOW_REDIS_URL"] = settings.redis_url
    return environment


def _names(role: str, count: int) -> list[str]:
    return [role] if count == 1 else [f"{role}{number}" for number in range(1, count + 1)]
