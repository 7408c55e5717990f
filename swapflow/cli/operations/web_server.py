"""The server behind `swapflow web`: one process, or several on one address."""

import os
import signal
from typing import TYPE_CHECKING

import uvicorn

from swapflow.bootstrap import (
    bound_writes,
    office,
    swapflow,
    untrusted_proxies,
)
from swapflow.cli.operations.web_workers import WebWorkers, keep_shared, may_fork
from swapflow.i18n.languages import languages_to_choose
from swapflow.instrumentation.tracing import start
from swapflow.processes.log_format import set_up_logs
from swapflow.processes.parent_watch import die_with_parent
from swapflow.settings import Settings, load_settings


if TYPE_CHECKING:
    from fastapi import FastAPI


_PARENT = "SWAPFLOW_WEB_PARENT"
"""Environment variable by which a serving process knows whom it must not outlive."""


def serve(settings: Settings) -> None:
    """Serve until asked to stop.

    One process has one interpreter's lock, so beyond some seventy requests a second it is the
    second process that helps, not a second thread.
    """
    several = settings.web_processes > 1
    if several:
        os.environ[_PARENT] = str(os.getpid())
    else:
        # uvicorn raises the signal again once it has stopped in order; that is success.
        signal.signal(signal.SIGTERM, lambda *_: None)
    config = uvicorn.Config(
        "swapflow.cli.operations.web_server:application",
        factory=True,
        workers=settings.web_processes,
        host=settings.web_host,
        port=settings.web_port,
        log_level="warning",
        access_log=False,
        server_header=False,
        # The application reads them itself, and notes a proxy that is not trusted.
        proxy_headers=False,
        # A dashboard's open stream would otherwise keep the process alive for ever.
        timeout_graceful_shutdown=2,
    )
    if several:
        if may_fork():
            _share(settings)
        WebWorkers(config, [config.bind_socket()]).run()
    else:
        uvicorn.Server(config).run()


_shared: "list[FastAPI]" = []
"""The application that those that serve have from the process that they were forked from."""


def _share(settings: Settings) -> None:
    """Build the application once, for all that will be forked."""
    _shared.append(_build(settings))
    # Each page names the languages, and a catalogue takes a second to read: once for all.
    languages_to_choose()
    keep_shared()


def application() -> "FastAPI":
    """Return the application of one serving process."""
    parent = os.environ.get(_PARENT)
    settings = load_settings()
    if parent is not None:
        die_with_parent(int(parent))
        set_up_logs(settings)
        start("web")
    return _shared[0] if _shared else _build(settings)


def _build(settings: Settings) -> "FastAPI":
    # Not at the top: a process that only watches over the others may serve nothing.
    from swapflow.web.app import create_app

    product = swapflow()
    bound_writes(product)
    return create_app(product, office(), settings, note_proxy=untrusted_proxies(settings).note)
