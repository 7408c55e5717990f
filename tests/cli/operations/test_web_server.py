"""`swapflow web` serves from several processes as from one: none outlives it, none is missed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.support.migrated import new_database
from tests.support.ports import free_port
from tests.support.waiting import CAP, wait_until


class Web:
    """One `swapflow web`, and the processes that serve for it."""

    def __init__(self, folder: Path, *, processes: int) -> None:
        self._port = free_port()
        self.log = folder / "web.log"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "swapflow.cli.main", "web"],
                env=os.environ
                | {
                    "SWAPFLOW_DATA_DIR": str(folder),
                    "SWAPFLOW_WEB_PORT": str(self._port),
                    "SWAPFLOW_WEB_PROCESSES": str(processes),
                },
                stdout=output,
                stderr=output,
            )

    def answers(self) -> bool:
        with suppress(URLError, OSError), urlopen(self.address, timeout=CAP) as answer:
            return bool(answer.status == 200)
        return False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}/health/live"

    def serving(self) -> list[int]:
        """Number the children, oldest first: all of them serve."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(child) for child in children if not gone(int(child))]


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    new_database(tmp_path / "swapflow.db")
    started = Web(tmp_path, processes=2)
    try:
        wait_until(started.answers, what="the web process answers")
        wait_until(lambda: len(started.serving()) == 2, what="the second follows the first")
        yield started
    finally:
        started.process.kill()
        started.process.wait()


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in {"Z", "X"}


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_web_process_that_is_killed_takes_those_that_serve_for_it_along(web: Web) -> None:
    children = web.serving()
    assert len(children) == 2
    web.process.kill()
    wait_until(lambda: all(map(gone, children)), what="its children are gone")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_serving_process_that_dies_is_replaced_and_nobody_waits_for_it(web: Web) -> None:
    other, victim = web.serving()
    os.kill(victim, signal.SIGKILL)
    assert all(web.answers() for _ in range(5))
    wait_until(lambda: len(set(web.serving()) - {victim}) == 2, what="another took its place")
    assert other in web.serving()


def private_share(pid: int) -> float:
    """Which share of its memory a process has for itself alone."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()[1:]
    sizes = {line.split()[0]: int(line.split()[1]) for line in lines}
    return (sizes["Private_Clean:"] + sizes["Private_Dirty:"]) / sizes["Rss:"]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_web_processes_share_what_they_loaded_and_leave_in_order_when_asked(web: Web) -> None:
    children = web.serving()
    assert max(map(private_share, children)) < 0.5
    web.process.terminate()
    assert web.process.wait(timeout=CAP) == 0
    assert all(map(gone, children))
    assert "Traceback" not in web.log.read_text()


def test_what_is_wrong_is_said_once_and_in_words(tmp_path: Path) -> None:
    started = Web(tmp_path, processes=2)
    assert started.process.wait(timeout=CAP) == 5
    said = started.log.read_text()
    assert said.count("swapflow db upgrade") == 1
    assert "Traceback" not in said
