"""The processes of a deployment on one machine, as the supervisor takes them."""

import socket
from collections.abc import Sequence
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException

from swapflow.bootstrap import mailer_queues
from swapflow.processes.celery_worker import WORKER_ENVIRONMENT, worker_argv
from swapflow.processes.embedded_redis import (
    find_server,
    make_private_folder,
    server_answers,
    server_argv,
)
from swapflow.processes.supervisor import ProcessSpec
from swapflow.settings import Settings


MAILER_SLOTS = 2
"""Mails that the mailer sends at the same time."""


def redis_spec(settings: Settings) -> ProcessSpec:
    """Describe the embedded server; use it only where `settings.embedded_redis`.

    Raises:
        InvalidInputError: If SWAPFLOW_REDIS_BIN names no program.
        UnavailableError: If there is no server for this machine, or its folders cannot be made.
    """
    folder = settings.data_dir / "redis"
    socket_path = settings.redis_socket
    make_private_folder(folder)
    make_private_folder(socket_path.parent)
    return ProcessSpec(
        name="redis",
        argv=server_argv(find_server(settings.redis_bin), folder=folder, socket_path=socket_path),
        ready=lambda: server_answers(socket_path),
        stage=0,
        hint=f"The files in {folder} hold nothing that the database lacks: if they are damaged "
        "or come from another version, remove the folder.",
    )


def web_spec(settings: Settings, argv: Sequence[str], *, name: str = "web") -> ProcessSpec:
    """Describe a web process; it is ready when it says so over HTTP."""
    return ProcessSpec(
        name=name,
        argv=list(argv),
        env=web_environment(settings),
        ready=lambda: web_answers(settings),
        ready_seconds=60.0,
        hint=f"Another program may use port {settings.web_port}: set SWAPFLOW_WEB_PORT.",
    )


def web_environment(settings: Settings) -> dict[str, str]:
    """Tell every process where the web process is reached: links in mails lead there."""
    return {
        "SWAPFLOW_DATA_DIR": str(settings.data_dir),
        "SWAPFLOW_WEB_PORT": str(settings.web_port),
        "SWAPFLOW_PUBLIC_URL": settings.address,
    }


ANSWER_SECONDS = 10.0
"""Seconds that a web process on a busy machine may take for its first answer."""


def web_answers(settings: Settings) -> bool:
    """Whether the web process takes requests."""
    host = "127.0.0.1" if settings.web_host in {"0.0.0.0", "::"} else settings.web_host  # noqa: S104 - compared, not bound
    connection = HTTPConnection(host, settings.web_port, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def with_free_port(settings: Settings) -> Settings:
    """Choose a port when none was asked for: 8000, or any free one where that is taken."""
    if "web_port" in settings.model_fields_set and settings.web_port:
        return settings
    # 0 lets the system choose; between this look and the start another program may still take it.
    for port in (settings.web_port, 0):
        with socket.socket() as probe:
            try:
                probe.bind((settings.web_host, port))
            except OSError:
                continue
            return settings.model_copy(update={"web_port": probe.getsockname()[1]})
    return settings


def worker_spec(
    settings: Settings,
    *,
    name: str = "worker",
    queues: tuple[str, ...] = (),
    concurrency: int | None = None,
) -> ProcessSpec:
    """Describe a worker with a pool of threads; none named means every queue."""
    return ProcessSpec(
        name=name,
        argv=worker_argv(
            name=name,
            concurrency=concurrency or settings.worker_concurrency,
            queues=queues,
            log_level="WARNING" if settings.log_level == "INFO" else settings.log_level,
        ),
        env={**WORKER_ENVIRONMENT, **web_environment(settings)},
        ready_seconds=60.0,
    )


def mailer_spec(settings: Settings) -> ProcessSpec:
    """Describe the worker that sends mails and nothing else: a sign-in then never waits."""
    return worker_spec(settings, name="mailer", queues=mailer_queues(), concurrency=MAILER_SLOTS)
