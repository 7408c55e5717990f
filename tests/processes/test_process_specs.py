"""The product's own processes under its own supervisor."""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from swapflow.ledger.maintenance.upgrade import upgrade
from swapflow.processes.embedded_redis import server_answers
from swapflow.settings import load_settings
from tests.support.process import Process, children, exists


pytestmark = pytest.mark.system

UP = """
from swapflow.processes.process_specs import redis_spec, worker_spec
from swapflow.processes.supervisor import run_supervisor
from swapflow.settings import load_settings
settings = load_settings()
run_supervisor([redis_spec(settings), worker_spec(settings)], settings.data_dir)
"""


@pytest.fixture
def deep() -> Iterator[Path]:
    """A data folder whose path is too long for a Unix socket."""
    top = Path(tempfile.mkdtemp(prefix="sf-deep-"))
    yield top / ("d" * 120)
    shutil.rmtree(top)


def test_server_and_worker_start_survive_a_kill_and_stop_cleanly_in_a_deep_folder(
    deep: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SWAPFLOW_REDIS_URL", "SWAPFLOW_DATABASE_URL", "SWAPFLOW_REDIS_BIN"):
        monkeypatch.delenv(name, raising=False)
    settings = load_settings(data_dir=deep)
    deep.mkdir(parents=True)
    upgrade(settings.database)
    with Process([sys.executable, "-c", UP], env={"SWAPFLOW_DATA_DIR": str(deep)}) as up:
        up.wait_for(lambda: "every process is ready" in up.output(), what="ready")
        started = children(up.pid)
        worker = int((deep / "run" / "worker.beat").read_text("ascii"))
        assert server_answers(settings.redis_socket)
        assert worker in started

        os.kill(worker, signal.SIGKILL)

        up.wait_for(lambda: up.output().count("worker is ready") == 2, what="a new worker")
        assert up.terminate() == 0
        assert not any(map(exists, started))
        assert "killing" not in up.output()
    shutil.rmtree(settings.redis_socket.parent)
