"""A whole system: two of each process, the servers, and a link between each pair."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from swapflow.bootstrap import assemble, upgrade_database
from swapflow.settings import load_settings
from tests.chaos.clocks import NAMED, find_library
from tests.chaos.life import clock_environment
from tests.chaos.probe import SITE
from tests.chaos.proxy import Link, Links
from tests.chaos.servers import Postgres, RedisServer, short_folder
from tests.support.deployed import Deployed
from tests.support.ports import free_port
from tests.support.process import Process, exists


ROOT = Path(__file__).parents[2]
NAMES = ("coordinator1", "coordinator2", "worker1", "worker2", "web1", "web2")
FEW = ("coordinator1", "coordinator2", "worker1", "web1")
"""What a short campaign makes do with."""


def with_coordinators(names: Sequence[str], many: int) -> tuple[str, ...]:
    """Return the same processes with another number of coordinators."""
    others = [name for name in names if not name.startswith("coordinator")]
    return (*(f"coordinator{number}" for number in range(1, many + 1)), *others)


DISK_MB = 48
"""Size of the file system that SQLite's file lies on, where one can be mounted."""


class Deployment(Deployed):
    """The system, started by `with` and gone after it.

    Args:
        database: "sqlite" or "postgresql".
        names: Its processes.
        guard: The guard that is broken on purpose; "" for none.
        lease: Seconds that a coordinator's lease lasts.
        resend: Seconds until a message without effect is sent again.
        visibility: Seconds until a message that a dead worker held goes to another.
    """

    def __init__(
        self,
        database: str = "sqlite",
        *,
        names: Sequence[str] = NAMES,
        guard: str = "",
        lease: float = 1.5,
        resend: float = 1.5,
        visibility: float = 3.0,
    ) -> None:
        super().__init__(short_folder("sf-chaos-"))
        self.lease = lease
        self.names = tuple(names)
        self.on_sqlite = database == "sqlite"
        library = find_library()
        self.has_clocks = library is not None
        self.mounted = self.on_sqlite and self._mount()
        self.redis = RedisServer(self.folder / "redis")
        self.postgres: Postgres | None = None
        if not self.on_sqlite:
            self.postgres = Postgres(
                self.folder / "postgres", clock_environment(self.folder, "postgres", library)
            )
        self.links = Links()
        self._shared = {
            "SWAPFLOW_DATA_DIR": str(self.folder),
            "SWAPFLOW_LEASE_SECONDS": str(lease),
            "SWAPFLOW_MOVE_SECONDS": str(2 * lease),
            "SWAPFLOW_RESEND_SECONDS": str(resend),
            "SWAPFLOW_VISIBILITY_TIMEOUT": str(visibility),
            "SWAPFLOW_WORKER_CONCURRENCY": "2",
            "SWAPFLOW_WEB_PROCESSES": "1",
            "PYTHONPATH": str(ROOT),
            NAMED: str(library or ""),
        }
        site = self.folder / "site"
        site.mkdir()
        (site / "sitecustomize.py").write_text(SITE.format(guard=guard), encoding="utf-8")

    # Life of the whole

    def __enter__(self) -> Self:
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise
        return super().__enter__()

    def _prepare(self) -> None:
        self.redis.start()
        if self.postgres is not None:
            self.postgres.start()
        settings = load_settings(
            data_dir=self.folder,
            database_url=self._database_url(None),
            redis_url=self._redis_url(None),
        )
        upgrade_database(settings)
        self.product, self.office = assemble(settings)
        plan = {name: self._environment(name) for name in self.names}
        self.addresses = [
            f"http://127.0.0.1:{one['SWAPFLOW_WEB_PORT']}"
            for name, one in plan.items()
            if name.startswith("web")
        ]
        (self.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        self.process = Process(
            [sys.executable, "-m", "tests.chaos.supervised", str(self.folder)], env=self._shared
        )

    def _environment(self, name: str) -> dict[str, str]:
        """Return the environment of one process, with links of its own."""
        redis = self.links.add(f"{name}-redis", self.redis.port)
        environment = {"SWAPFLOW_REDIS_URL": self._redis_url(redis)}
        database = None
        if self.postgres is not None:
            database = self.links.add(f"{name}-database", self.postgres.port)
        environment["SWAPFLOW_DATABASE_URL"] = self._database_url(database)
        if name.startswith("web"):
            environment["SWAPFLOW_WEB_PORT"] = str(free_port())
        return environment

    def _redis_url(self, link: Link | None) -> str:
        return f"redis://127.0.0.1:{link.port if link else self.redis.port}/0"

    @property
    def environment(self) -> dict[str, str]:
        """Settings of a shell beside the processes, on no link."""
        return {
            **self._shared,
            "SWAPFLOW_REDIS_URL": self._redis_url(None),
            "SWAPFLOW_DATABASE_URL": self._database_url(None),
        }

    @property
    def database_url(self) -> str:
        """The database, on no link; as SQLAlchemy wants it."""
        return self._database_url(None).replace("postgresql://", "postgresql+psycopg://")

    def _database_url(self, link: Link | None) -> str:
        if self.postgres is not None:
            return self.postgres.url(link.port if link else None)
        return f"sqlite:///{self.disk / 'swapflow.db'}"

    def close(self) -> None:
        """Stop everything, whatever state it is in, and leave nothing behind."""
        super().close()
        self.links.close()
        for server in (self.redis, self.postgres):
            if server is not None:
                server.end()
        if self.mounted:
            subprocess.run(["umount", "--lazy", str(self.disk)], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.check_nothing_is_left()

    # Its processes

    def send(self, name: str, number: signal.Signals) -> int | None:
        """Send a signal to a process as it runs now; gives its number, None if it is between
        two lives."""
        pid = self.pids().get(name)
        if pid is None or not exists(pid):
            return None
        with suppress(ProcessLookupError):
            os.kill(pid, number)
            return pid
        return None

    def replace(self, name: str, number: signal.Signals) -> None:
        """End a process by a signal and wait until its next life serves."""
        lives = self.lives(name)
        self.send(name, number)
        self.wait_for(lambda: self.lives(name) > lives, what=f"the next {name}")

    @contextmanager
    def frozen(self, name: str) -> Iterator[None]:
        """Freeze a process for the length of a block, with whatever it holds."""
        pid = self.send(name, signal.SIGSTOP)
        try:
            yield
        finally:
            if pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    # The database

    @property
    def disk(self) -> Path:
        """Where SQLite's file lies."""
        return self.folder / "disk"

    def _mount(self) -> bool:
        """Mount a small file system for SQLite's file; False where that is not allowed."""
        self.disk.mkdir()
        argv = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(self.disk)]
        try:
            return subprocess.run(argv, check=False, capture_output=True).returncode == 0
        except OSError:
            return False

    # Clocks

    def jump(self, name: str, hours: float) -> None:
        """Set a process's clock off by some hours; 0 sets it right."""
        file = self.folder / "clock" / name
        new = file.with_suffix(".new")
        new.write_text(f"{hours * 3600:+.0f}\n", encoding="ascii")
        new.chmod(0o644)
        new.replace(file)
