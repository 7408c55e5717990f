"""A real Redis or Valkey server that a test starts, kills, freezes and empties."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

import redis

from swapflow.processes.embedded_redis import find_server, server_answers, server_argv
from tests.support.tiers import lacks, only_in_full
from tests.support.waiting import wait_until


def debian_server() -> Path:
    """Return the `redis-server` on the PATH; a tier below the full one does without."""
    only_in_full("Debian's redis-server")
    found = shutil.which("redis-server")
    if found is None:
        lacks("no redis-server on the PATH: install Debian's package `redis-server`")
    return Path(found)


class RedisServer:
    """One server on a Unix socket in a temporary folder, with an append-only file."""

    def __init__(self, *, binary: Path | None = None, options: tuple[str, ...] = ()) -> None:
        # Not pytest's folder: its path may be longer than a socket's may be.
        self.folder = Path(tempfile.mkdtemp(prefix="sf-redis-"))
        self.socket = self.folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        self._argv = server_argv(
            binary or find_server(), folder=self.folder, socket_path=self.socket
        )
        self._argv += options
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._process is not None:
            self.cont()
            self.kill9()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        log = self.folder / "server.log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(self._argv, stdout=output, stderr=output)
        while not server_answers(self.socket):
            assert self._process.poll() is None, log.read_text()
            time.sleep(0.01)

    def kill9(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Freeze it: connections stay open and nothing is answered."""
        os.kill(self.pid, signal.SIGSTOP)

    def cont(self) -> None:
        os.kill(
            self.pid, signal.SIGCONT
        ) if self._process and self._process.poll() is None else None

    def restart(self, *, keep_file: bool = True) -> None:
        """Kill it and start it again, with or without what it had been told."""
        if keep_file:
            self._wait_until_written()
        self.kill9()
        if not keep_file:
            for path in self.folder.glob("appendonly*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.start()

    def flush(self) -> None:
        """Empty it, as an operator at a shell might."""
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def _wait_until_written(self) -> None:
        """Wait until the append-only file holds everything.

        While a slow disk is still busy with the last flush, the server answers first and writes
        up to two seconds later (seen with `appendfsync everysec` at a load of 5): what it took
        in that time would die with it.
        """
        with redis.Redis.from_url(self.url) as client:

            def written() -> bool:
                info = client.info("persistence")
                return not info["aof_buffer_length"] and not info["aof_pending_bio_fsync"]

            wait_until(written, what="the append-only file is written")
