"""Real workers on a real broker: what becomes of messages when either dies.

The effects are files that a second execution does not change, as rows of the ledger would be.
"""

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.processes.celery_worker import WORKER_ENVIRONMENT, worker_argv
from swapflow.processes.heartbeat import HEARTBEAT_VARIABLE
from swapflow.queues.celery import CeleryDispatcher, broker_url, celery_app
from tests.support.process import Process, children, exists
from tests.support.proxy import Mode, Proxy
from tests.support.redis_server import RedisServer
from workers.watchdog import DEAF


pytestmark = pytest.mark.system


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with RedisServer() as running:
        yield running


class Desk:
    """A dispatcher, the effects of what it sends, and workers to do it."""

    def __init__(self, url: str, folder: Path) -> None:
        self.folder = folder
        self._url = url
        self._app = celery_app(broker_url(url), visibility_timeout=2)
        self.dispatcher = CeleryDispatcher(self._app)

    def worker(self, *, pool: str = "threads", url: str = "", socket: float = 10) -> Process:
        env = {
            **WORKER_ENVIRONMENT,
            "SF_TEST_EFFECTS": str(self.folder),
            "SF_TEST_REDIS": url or self._url,
            "SF_TEST_VISIBILITY": "2",
            "SF_TEST_SOCKET": str(socket),
            HEARTBEAT_VARIABLE: str(self.folder / "beat"),
        }
        argv = worker_argv(app="tests.support.worker_app", pool=pool, concurrency=2)
        return Process(argv, env=env)

    def send(self, *ids: str) -> None:
        self.dispatcher.send([QueueMessage(topic=Topic.DELIVER, id=one) for one in ids])

    def done(self) -> set[str]:
        return {path.name.removeprefix("done-") for path in self.folder.glob("done-*")}

    def begun(self) -> Counter[str]:
        file = self.folder / "begun"
        lines = file.read_text("ascii").splitlines() if file.exists() else []
        return Counter(line.split()[0] for line in lines)

    def work_off(self, worker: Process, ids: Sequence[str], *, effects: int) -> float:
        """Wait for that number of effects, sending again what has none, as the sweep does.

        kombu loses a message that was taken from the queue and not yet noted, when the worker
        or its connection dies at that moment: sending again is not optional.
        """
        sent_again = time.monotonic()

        def enough() -> bool:
            nonlocal sent_again
            if time.monotonic() - sent_again > 4:
                sent_again = time.monotonic()
                self.send(*sorted(set(ids) - self.done()))
            return len(self.done()) >= effects

        return worker.wait_for(enough, what=f"{effects} effects")

    def is_ready(self) -> bool:
        return (self.folder / "beat").exists()


@pytest.fixture
def desk(server: RedisServer, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(server.url, tmp_path)
    yield made
    made.dispatcher.close()


def test_a_worker_says_when_it_is_ready_works_and_stops_cleanly(desk: Desk) -> None:
    with desk.worker() as worker:
        worker.wait_for(desk.is_ready, what="the heartbeat")
        desk.send("a", "b", "c")
        worker.wait_for(lambda: desk.done() == {"a", "b", "c"}, what="three effects")

        assert worker.terminate() == 0
        assert desk.begun() == {"a": 1, "b": 1, "c": 1}


def test_a_message_that_a_killed_worker_held_is_handed_to_another(desk: Desk) -> None:
    with desk.worker() as worker:
        desk.send("slow")
        worker.wait_for(lambda: desk.begun()["slow"] == 1, what="the first attempt")
        worker.kill9()

        worker.start()

        worker.wait_for(lambda: desk.done() == {"slow"}, what="the second attempt")


def test_a_killed_pool_process_has_its_message_done_again_and_none_outlives_the_worker(
    desk: Desk,
) -> None:
    with desk.worker(pool="prefork") as worker:
        desk.send("slow")
        worker.wait_for(lambda: desk.begun()["slow"] == 1, what="the first attempt")
        doing = int((desk.folder / "begun").read_text("ascii").split()[1])
        assert doing in children(worker.pid)

        os.kill(doing, signal.SIGKILL)
        worker.wait_for(lambda: desk.done() == {"slow"}, what="the second attempt")
        pool = children(worker.pid)
        assert pool
        worker.kill9(group=False)

        worker.wait_for(lambda: not any(map(exists, pool)), what="no pool process left")


def test_a_worker_that_takes_no_messages_any_more_ends_and_the_next_one_does_its_work(
    desk: Desk,
) -> None:
    (desk.folder / "deaf").touch()
    with desk.worker() as worker:
        worker.wait_for(desk.is_ready, what="the heartbeat")
        desk.send("unheard")
        worker.wait_for(lambda: worker.code is not None, what="its end")
        assert worker.code == DEAF
        assert desk.done() == set()

        worker.start()

        worker.wait_for(lambda: desk.done() == {"unheard"}, what="the effect")


@pytest.mark.slow
def test_killing_workers_over_and_over_loses_nothing_that_is_sent_again(desk: Desk) -> None:
    ids = [f"m{number}" for number in range(300)]
    desk.send(*ids)
    with desk.worker() as worker:
        for goal in (50, 150):
            desk.work_off(worker, ids, effects=goal)
            worker.kill9()
            worker.start()

        desk.work_off(worker, ids, effects=len(ids))

        assert desk.done() == set(ids)


def test_workers_go_on_when_the_broker_is_killed_and_when_it_comes_back_empty(
    desk: Desk, server: RedisServer
) -> None:
    with desk.worker() as worker:
        worker.wait_for(desk.is_ready, what="the heartbeat")

        for number, keep_file in enumerate((True, False)):
            server.restart(keep_file=keep_file)
            desk.send(f"after-{number}")
            ids = {f"after-{one}" for one in range(number + 1)}
            took = worker.wait_for(lambda: desk.done() == ids, what="the effect")  # noqa: B023  # called here

            assert took < 20


@pytest.mark.slow
def test_what_waits_in_a_queue_survives_the_death_of_the_broker(
    desk: Desk, server: RedisServer
) -> None:
    ids = {f"m{number}" for number in range(50)}
    desk.send(*ids)

    server.restart()

    with desk.worker() as worker:
        worker.wait_for(lambda: desk.done() == ids, what="every effect")


@pytest.mark.parametrize(
    "fault", [pytest.param(Mode.RESET, marks=pytest.mark.slow), Mode.BLACK_HOLE]
)
def test_a_worker_recovers_from_a_connection_that_broke(
    desk: Desk, server: RedisServer, fault: Mode
) -> None:
    with Proxy(server.socket) as proxy, desk.worker(url=proxy.url, socket=1) as worker:
        worker.wait_for(desk.is_ready, what="the heartbeat")
        desk.send("before")
        worker.wait_for(lambda: "before" in desk.done(), what="the first effect")

        proxy.set(fault)
        desk.send("during")
        proxy.set(Mode.PASS)

        assert desk.work_off(worker, ["before", "during"], effects=2) < 30
