"""A web application that takes some seconds of work to load, as on a busy machine."""

import os
import time

from starlette.applications import Starlette


def application() -> Starlette:
    until = time.monotonic() + float(os.environ["SF_TEST_SLOW"])
    while time.monotonic() < until:
        pass
    return Starlette()


def serve() -> None:
    import uvicorn  # noqa: PLC0415 - this module is loaded by the serving processes as well

    from swapflow.cli.operations.web_workers import WebWorkers  # noqa: PLC0415

    config = uvicorn.Config(
        "tests.support.slow_app:application",
        factory=True,
        workers=2,
        port=int(os.environ["SF_TEST_PORT"]),
        log_level="info",
    )
    WebWorkers(config, [config.bind_socket()], hung=1.0).run()


if __name__ == "__main__":
    serve()
