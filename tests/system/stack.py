"""A whole deployment as real processes, which a test kills, freezes, empties and restores."""

import fcntl
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import redis

from swapflow.bootstrap import build
from swapflow.engine.services import Swapflow
from swapflow.processes.embedded_redis import server_answers
from swapflow.queues.names import KEY_PREFIX, PULL_QUEUES
from swapflow.settings import Settings, load_settings
from tests.support.deployed import Deployed
from tests.support.migrated import new_database
from tests.support.process import Process, exists
from tests.system.supervised import crash_file


ROOT = Path(__file__).parents[2]


class Stack(Deployed):
    """Redis, coordinators and workers under one supervisor, on one data folder and database.

    Args:
        database_url: A migrated database; None makes a SQLite file in the data folder.
        coordinators: How many.
        workers: How many.
        lease: Seconds that a coordinator's lease lasts.
        move: Seconds for which one keeps a program before it gives it to another.
        resend: Seconds until a message without effect is sent again.
        visibility: Seconds until a message that a dead worker held goes to another.
        crash_points: Where the first lives of each process are to end.
    """

    def __init__(
        self,
        *,
        database_url: str | None = None,
        coordinators: int = 1,
        workers: int = 1,
        lease: float = 1.5,
        move: float = 60.0,
        resend: float = 1.5,
        visibility: float = 3.0,
        crash_points: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(Path(tempfile.mkdtemp(prefix="sf-stack-")))
        environment = {
            "SWAPFLOW_DATA_DIR": str(self.folder),
            "SWAPFLOW_LEASE_SECONDS": str(lease),
            "SWAPFLOW_MOVE_SECONDS": str(move),
            "SWAPFLOW_RESEND_SECONDS": str(resend),
            "SWAPFLOW_VISIBILITY_TIMEOUT": str(visibility),
            "SWAPFLOW_WORKER_CONCURRENCY": "2",
            "PYTHONPATH": str(ROOT),
        }
        if database_url is not None:
            environment["SWAPFLOW_DATABASE_URL"] = database_url
        self.environment = environment
        self.settings = load_settings(
            data_dir=self.folder,
            database_url=database_url,
            lease_seconds=lease,
            move_seconds=move,
            resend_seconds=resend,
            visibility_timeout=visibility,
        )
        self.coordinators = [_name("coordinator", n, coordinators) for n in _up_to(coordinators)]
        self.workers = [_name("worker", n, workers) for n in _up_to(workers)]
        if database_url is None:
            new_database(self.folder / "swapflow.db")
        self.product = build(self.settings)
        self.process = Process(
            [sys.executable, "-m", "tests.system.supervised", str(coordinators), str(workers)],
            env=environment,
        )
        for name, points in (crash_points or {}).items():
            self.crash_next_lives(name, *points)

    # Life of the whole

    def stop(self) -> None:
        """Ask the supervisor to stop everything."""
        assert self.process.terminate() == 0, self.process.tail()

    def close(self) -> None:
        """Stop everything and leave nothing behind."""
        super().close()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.check_nothing_is_left()

    # Its processes

    def kill(self, name: str) -> None:
        """Kill one process by kill -9; the supervisor starts it again."""
        pid = self.pids().get(name)
        if pid is not None:
            self._seen.add(pid)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def restart(self, name: str) -> None:
        """Kill one process and wait until its next life serves."""
        lives = self.lives(name)
        self.kill(name)
        self.wait_for(lambda: self.lives(name) > lives, what=f"another life of {name}")

    def crashes(self) -> int:
        """How often processes ended at a crash point so far."""
        return self.process.output().count("exited with status 137")

    def crash_next_lives(self, name: str, *points: str) -> None:
        """Set a point at which each of the next lives of a process ends."""
        file = crash_file(self.folder, name)
        file.parent.mkdir(exist_ok=True)
        file.write_text("\n".join(points), encoding="ascii")

    def crashes_left(self, name: str) -> int:
        """How many crash points no life has taken yet."""
        return len(crash_file(self.folder, name).read_text("ascii").split())

    @contextmanager
    def frozen(self, name: str) -> Iterator[None]:
        """Freeze a process for the length of a block: connections stay open, nothing happens.

        Not while it holds the lock of the SQLite file: then everybody would have to wait for it.
        """
        pid = self._freeze(name)
        while is_locked(self.folder / "swapflow.lock"):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
            time.sleep(0.01)
            pid = self._freeze(name)
        try:
            yield
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def _freeze(self, name: str) -> int:
        """Freeze a process, its next life if it has just died; gives its process number."""
        frozen: list[int] = []

        def freeze() -> bool:
            pid = self.pids().get(name)
            if pid is not None and exists(pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
                    frozen.append(pid)
            return bool(frozen)

        self.wait_for(freeze, what=f"a process {name} to freeze")
        return frozen[0]

    # Redis

    def redis(self) -> "redis.Redis":
        """Connect to its Redis as an operator at a shell might."""
        return redis.Redis.from_url(self.settings.redis, socket_timeout=10)

    def redis_answers(self) -> bool:
        return server_answers(self.settings.redis_socket)

    def queued(self) -> int:
        """How many messages wait to be taken by a worker."""
        with self.redis() as client:
            return sum(int(client.llen(KEY_PREFIX + queue)) for queue in PULL_QUEUES)

    def lose_messages(self) -> int:
        """Delete every message that waits; gives how many there were."""
        with self.redis() as client:
            lost = 0
            for queue in PULL_QUEUES:
                lost += int(client.llen(KEY_PREFIX + queue))
                client.delete(KEY_PREFIX + queue)
            return lost

    def double_and_shuffle_messages(self, seed: int) -> int:
        """Put every message that waits into its queue twice, in another order."""
        with self.redis() as client:
            doubled = 0
            for queue in PULL_QUEUES:
                messages = list(client.lrange(KEY_PREFIX + queue, 0, -1)) * 2
                random.Random(seed).shuffle(messages)
                if messages:
                    client.pipeline().delete(KEY_PREFIX + queue).rpush(
                        KEY_PREFIX + queue, *messages
                    ).execute()
                doubled += len(messages)
            return doubled

    # The database

    def restore(self, copy: Path) -> None:
        """Put an older copy of a SQLite database in the place of the present one.

        Nothing may have the file open; Redis keeps what it knew of the time after the copy.
        """
        self.ledger.dispose()
        target = self.folder / "swapflow.db"
        for suffix in ("-wal", "-shm"):
            target.with_name(target.name + suffix).unlink(missing_ok=True)
        with closing(sqlite3.connect(copy)) as source, closing(sqlite3.connect(target)) as to:
            source.backup(to)

    def away_from_redis(self) -> Swapflow:
        """The same deployment as seen by a process whose Redis is down."""
        settings = Settings(
            data_dir=self.folder,
            database_url=self.settings.database_url,
            redis_url=f"unix://{self.folder / 'nobody-listens.sock'}",
        )
        return build(settings)


def is_locked(file: Path) -> bool:
    """Whether a process holds the lock of a file, for longer than a commit takes."""
    if not file.exists():
        return False
    with file.open() as opened:
        until = time.monotonic() + 0.5
        while True:
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    return True
                time.sleep(0.01)
            else:
                return False


def _name(role: str, number: int, of: int) -> str:
    return role if of == 1 else f"{role}{number}"


def _up_to(number: int) -> range:
    return range(1, number + 1)


def describe(counts: Mapping[str, int]) -> str:
    """Format a tally in one line."""
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
