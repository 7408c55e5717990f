"""The processes of a deployment on one machine, as the supervisor takes them."""

from swapflow.processes.embedded import (
    find_server,
    make_private_folder,
    server_answers,
    server_argv,
)
from swapflow.processes.supervisor import ProcessSpec
from swapflow.processes.worker import WORKER_ENVIRONMENT, worker_argv
from swapflow.settings import Settings


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


def worker_spec(
    settings: Settings, *, name: str = "worker", queues: tuple[str, ...] = ()
) -> ProcessSpec:
    """Describe a worker with a pool of threads; none named means every queue."""
    return ProcessSpec(
        name=name,
        argv=worker_argv(
            name=name,
            concurrency=settings.worker_concurrency,
            queues=queues,
            log_level="WARNING" if settings.log_level == "INFO" else settings.log_level,
        ),
        env={**WORKER_ENVIRONMENT, "SWAPFLOW_DATA_DIR": str(settings.data_dir)},
        ready_seconds=60.0,
    )
