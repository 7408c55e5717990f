"""`swapflow up`, `coordinator` and `worker`: the processes of a deployment."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from swapflow.cli.output import report, warn


MOST_WARNINGS = 10
"""Files named when others can read them."""


def register(app: typer.Typer) -> None:
    """Add the commands to the top level."""
    app.command()(up)
    app.command()(web)
    app.command()(coordinator)
    app.command(context_settings={"ignore_unknown_options": True})(worker)


def up(
    as_json: Annotated[
        bool, typer.Option("--json", help="Say so in JSON when every process is ready.")
    ] = False,
) -> None:
    """Start everything on this machine and keep it running until Ctrl-C."""
    from swapflow.bootstrap import assemble, check_redis, upgrade_database
    from swapflow.processes.deployment import deployment_specs
    from swapflow.processes.exposure import close_to_others, keep_private
    from swapflow.processes.process_specs import with_free_port
    from swapflow.processes.supervisor import run_supervisor
    from swapflow.settings import load_settings, refuse_unsafe

    keep_private()
    settings = with_free_port(load_settings())
    refuse_unsafe(settings)
    for path in close_to_others(settings)[:MOST_WARNINGS]:
        warn(
            f"{path} belongs to another user, and others can read it: chown it to the user that "
            "runs swapflow, or chmod go= it"
        )
    # Before any process starts: none may meet old tables.
    upgrade_database(settings)
    specs = deployment_specs(settings)
    if not settings.embedded_redis:
        check_redis(settings)
    _, office = assemble(settings)
    next_step = (
        "swapflow round new ROUND"
        if office.users.has_administrator()
        else "swapflow user add YOUR@ADDRESS --role administrator (no one can sign in yet)"
    )

    def ready() -> None:
        report(
            {
                "ready": [spec.name for spec in specs],
                "data_dir": str(settings.data_dir),
                "address": settings.address,
            },
            f"swapflow is up at {settings.address}; its data lies in {settings.data_dir}. "
            "Ctrl-C stops it.",
            f"in another terminal: {next_step}",
            as_json=as_json,
        )

    run_supervisor(specs, settings.data_dir, on_ready=ready, sink=_say_on_stderr)


def web(
    as_json: Annotated[
        bool, typer.Option("--json", help="Write what it logs as JSON, one line each.")
    ] = False,
) -> None:
    """Serve the pages and the JSON API until it is asked to stop; several may run."""
    # Matrices of a few hundred rows: threads that wait for each other cost more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from swapflow.bootstrap import swapflow
    from swapflow.cli.operations.web_server import serve
    from swapflow.instrumentation.tracing import start
    from swapflow.processes.exposure import keep_private
    from swapflow.processes.log_format import set_up_logs
    from swapflow.processes.metrics import serve_figures
    from swapflow.settings import load_settings, refuse_unsafe

    if as_json:
        os.environ["SWAPFLOW_LOG_FORMAT"] = "json"
    keep_private()
    settings = load_settings()
    set_up_logs(settings)
    refuse_unsafe(settings)
    start("web")
    # Here, so that what is wrong is said once and in words, whichever process serves in the end.
    product = swapflow()
    serve_figures(product, settings)
    serve(settings)


def coordinator(
    holder: Annotated[
        str, typer.Option(metavar="NAME", help="Its name; made up when not given.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Write what it logs as JSON, one line each.")
    ] = False,
) -> None:
    """Run a coordinator until it is asked to stop; several may run."""
    # Before numpy is loaded. A second thread of its BLAS doubled the processor's time for 700
    # reviewers and saved no wait; other coordinators and workers use the core better.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from swapflow.bootstrap import office, swapflow
    from swapflow.instrumentation.tracing import start
    from swapflow.processes.beside.looks import looks_of
    from swapflow.processes.coordinator import run_coordinator
    from swapflow.processes.exposure import keep_private
    from swapflow.processes.heartbeat import HEARTBEAT_VARIABLE, beat
    from swapflow.processes.log_format import set_up_logs
    from swapflow.settings import load_settings

    if as_json:
        os.environ["SWAPFLOW_LOG_FORMAT"] = "json"
    keep_private()
    set_up_logs(load_settings())
    start("coordinator")
    product = swapflow()
    # A Redis that is away now will come back; a wrong address would only show in the log.
    product.cycles.list()
    named = os.environ.get(HEARTBEAT_VARIABLE)
    file = Path(named) if named else None
    run_coordinator(
        product,
        holder=holder,
        alive=lambda: beat(file) if file else None,
        beside=looks_of(product, office(), load_settings()),
    )


def worker(
    name: Annotated[str, typer.Option(help="Its name on this machine.")] = "worker",
    queues: Annotated[
        str, typer.Option(metavar="A,B", help="Queues to serve; all when not given.")
    ] = "",
    pool: Annotated[
        str, typer.Option(help="threads (one process) or prefork (one for each task).")
    ] = "threads",
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=64, help="Tasks at the same time.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write what it logs as JSON, one line each.")
    ] = False,
) -> None:
    """Run a worker until it is asked to stop; many may run."""
    from swapflow.bootstrap import queues_for
    from swapflow.errors import InvalidInputError
    from swapflow.processes.celery_worker import WORKER_ENVIRONMENT, worker_argv
    from swapflow.processes.exposure import keep_private
    from swapflow.settings import load_settings

    if pool not in {"threads", "prefork"}:
        raise InvalidInputError("worker_pool_unknown", pool=pool)
    settings = load_settings()
    argv = worker_argv(
        name=name,
        pool=pool,
        concurrency=concurrency or settings.worker_concurrency,
        queues=queues_for([queue.strip() for queue in queues.split(",") if queue.strip()]),
        log_level=settings.log_level,
    )
    keep_private()
    os.environ.update(WORKER_ENVIRONMENT)
    if concurrency:
        os.environ["SWAPFLOW_WORKER_CONCURRENCY"] = str(concurrency)
    if as_json:
        os.environ["SWAPFLOW_LOG_FORMAT"] = "json"
    # In this process's place: signals reach the worker itself.
    os.execv(argv[0], argv)  # noqa: S606 - an argument list made here, no shell


def _say_on_stderr(name: str, line: str) -> None:
    """Pass on a line of a process's output, beside the result on standard output."""
    with suppress(OSError):  # nobody reads any more: no reason to stop working
        print(f"{name:>12} | {line}", file=sys.stderr, flush=True)
