"""Two Redis servers, the second a copy of the first, and three sentinels that watch over them."""

import shutil
import signal
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import redis
from redis.exceptions import RedisError

from tests.support.ports import free_port
from tests.support.redis_server import debian_server
from tests.support.waiting import wait_until


MASTER = "swapflow"
DOWN_AFTER = 1_000
"""Milliseconds of silence after which a sentinel holds a server for gone."""

PATIENT = 600_000
"""The same where nothing is to fail over, however busy the machine is."""


class WatchedRedis:
    """The servers and their sentinels, each a process on a port of this machine."""

    def __init__(self, *, password: str = "", down_after: int = DOWN_AFTER) -> None:
        self._down_after = down_after
        self._binary = str(debian_server())
        self._password = password
        self.folder = Path(tempfile.mkdtemp(prefix="sf-sentinels-"))
        self.ports = [free_port(), free_port()]
        self.sentinels = [free_port() for _ in range(3)]
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    @property
    def url(self) -> str:
        """Its address, as a deployment's settings name it."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.sentinels)
        login = f":{self._password}@" if self._password else ""
        return f"sentinel://{login}{hosts}/0?master={MASTER}"

    def __enter__(self) -> Self:
        with ExitStack() as undo:
            undo.callback(self.close)
            first, second = self.ports
            secret = f"requirepass {self._password}\nmasterauth {self._password}\n"
            kept = "appendonly yes\n" + (secret if self._password else "")
            self._start(first, kept)
            self._start(second, f"{kept}replicaof 127.0.0.1 {first}\n")
            for port in self.sentinels:
                self._start(port, self._watching(first), "--sentinel")
            wait_until(self._all_know_all, what="sentinels that know of each other")
            undo.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop everything and leave nothing behind."""
        for process in self._running.values():
            process.send_signal(signal.SIGKILL)
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def master(self) -> int:
        """Ask the sentinels for the port of the master; 0 while they know of none."""
        asked: Any = redis.Sentinel([("127.0.0.1", port) for port in self.sentinels])  # type: ignore[no-untyped-call]
        try:
            return int(asked.discover_master(MASTER)[1])
        except RedisError:
            return 0

    def client(self) -> redis.Redis:
        """Return a plain client of the server that is the master now."""
        return redis.Redis(port=self.master(), password=self._password or None)

    def copy_all(self) -> None:
        """Wait until the copy holds what the master has taken: it follows a little later."""
        with self.client() as client:
            while not client.wait(1, 1_000):
                pass

    def fail_over(self) -> None:
        """Kill the master and wait until the sentinels have made its copy the master."""
        gone = self.kill_master()
        wait_until(lambda: self.master() not in {0, gone}, what="another master")

    def kill_sentinel(self) -> None:
        """Kill the first of the sentinels; the others are enough to agree."""
        process = self._running[self.sentinels[0]]
        process.kill()
        process.wait()

    def kill_master(self) -> int:
        """Kill the master by kill -9; gives its port."""
        port = self.master()
        self._running[port].kill()
        self._running[port].wait()
        return port

    def _watching(self, port: int) -> str:
        secret = f"sentinel auth-pass {MASTER} {self._password}\n" if self._password else ""
        return (
            f"sentinel monitor {MASTER} 127.0.0.1 {port} 2\n"
            f"sentinel down-after-milliseconds {MASTER} {self._down_after}\n"
            f"sentinel failover-timeout {MASTER} 5000\n{secret}"
        )

    def _start(self, port: int, more: str, *words: str) -> None:
        place = self.folder / str(port)
        place.mkdir()
        settings = place / "server.conf"
        settings.write_text(f"port {port}\nbind 127.0.0.1\ndir {place}\n{more}", "ascii")
        with (place / "server.log").open("ab") as log:
            self._running[port] = subprocess.Popen(
                [self._binary, str(settings), *words], stdout=log, stderr=log
            )

    def _all_know_all(self) -> bool:
        try:
            return all(self._knows_all(port) for port in self.sentinels)
        except RedisError:
            return False

    @staticmethod
    def _knows_all(port: int) -> bool:
        state: Any = redis.Redis(port=port, socket_timeout=5).sentinel_master(MASTER)
        return (state["num-other-sentinels"], state["num-slaves"]) == (2, 1)
