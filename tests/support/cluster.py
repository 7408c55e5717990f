"""A PostgreSQL cluster of Debian's programs: it keeps its log, is backed up, lost and recovered.

The server that comes with the tests is enough for everything else; it carries neither
`pg_basebackup` nor TLS, and a test cannot take its disk away.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import psycopg
from typing_extensions import override

from tests.support.ports import free_port
from tests.support.tiers import lacks, only_in_full
from tests.support.waiting import CAP, wait_until


def postgres_programs(*wanted: str) -> Path:
    """Find the folder of Debian's programs; a tier below the full one does without."""
    only_in_full("Debian's PostgreSQL")
    names = wanted or ("initdb", "postgres")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = [folder for folder in folders if all((folder / name).exists() for name in names)]
    if not found:
        lacks(f"no {', '.join(names)}: install Debian's package `postgresql`")
    return found[0]


def not_root(folder: Path) -> dict[str, Any]:
    """Return what makes a process run as another user than root, whom PostgreSQL refuses."""
    if os.getuid() != 0:
        return {}
    folder.chmod(0o755)
    return {"user": "postgres", "group": "postgres", "cwd": folder}


def hand_over(folder: Path, person: Mapping[str, Any]) -> None:
    """Make that user the owner of a folder and what lies in it."""
    if person:
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, person["user"], person["group"])


class Cluster:
    """A cluster in a folder of its own, on a port of this machine; every commit is on the disk.

    Attributes:
        folder: Holds everything below; the server's user owns it.
        data: The data directory.
        programs: Where the programs lie.
    """

    def __init__(self, *, options: Mapping[str, str] | None = None) -> None:
        self.programs = postgres_programs("initdb", "postgres", "pg_basebackup")
        self.folder = Path(tempfile.mkdtemp(prefix="sf-cluster-"))
        self.data = self.folder / "data"
        self.port = free_port()
        self._options = dict(options or {})
        self._person = not_root(self.folder)
        self._server: subprocess.Popen[bytes] | None = None
        hand_over(self.folder, self._person)
        self.fill()

    def fill(self) -> None:
        """Make the data directory."""
        self.run(
            *("initdb", "--pgdata", str(self.data), "--username", "swapflow"),
            *("--auth", "trust", "--encoding", "UTF8", "--no-sync"),
        )

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The database of swapflow."""
        return f"postgresql://swapflow@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it and wait until it takes writes: a recovery is over by then."""
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            **self._options,
        }
        with (self.folder / "server.log").open("ab") as log:
            self._server = subprocess.Popen(
                [
                    str(self.programs / "postgres"),
                    *("-D", str(self.data)),
                    *(f"--{name}={value}" for name, value in options.items()),
                ],
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._person,
            )
        wait_until(self._is_up, what="PostgreSQL")

    def stop(self) -> None:
        """Stop it in order, without waiting for connections to end."""
        if self._server is not None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait(CAP)
            self._server = None

    def kill9(self) -> None:
        """Kill it and every process of it at once, as when its machine loses power."""
        assert self._server is not None
        os.killpg(self._server.pid, signal.SIGKILL)
        self._server.wait(CAP)
        self._server = None

    def lose(self) -> None:
        """Kill it at once and take its disk away; what was archived elsewhere stays."""
        assert self._server is not None
        # The server alone would leave its processes behind for a moment: they hold its memory.
        self._server.send_signal(signal.SIGQUIT)
        self._server.wait(CAP)
        self._server = None
        shutil.rmtree(self.data)

    def close(self) -> None:
        """Stop it and leave nothing behind."""
        if self._server is not None and self._server.poll() is None:
            with suppress(ProcessLookupError):
                self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, program: str, *words: str) -> None:
        """Run one of PostgreSQL's programs as the server's user."""
        self.run_as_server([str(self.programs / program), *words])

    def run_as_server(self, argv: Sequence[str], **variables: str) -> str:
        """Run any program as the server's user; return what it printed."""
        environment = {
            **os.environ,
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.port),
            "PGUSER": "swapflow",
            "PGDATABASE": "postgres",
            "PGDATA": str(self.data),
            **variables,
        }
        person = {name: value for name, value in self._person.items() if name != "cwd"}
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=environment,
            **person,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return str(done.stdout).strip()

    def ask(self, statement: str) -> Any:  # noqa: ANN401 - whatever the statement selects
        """Run one statement; gives the first column of its first row."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            row = connection.execute(statement.encode()).fetchone()
            return None if row is None else row[0]

    def log(self) -> str:
        """What the server said."""
        return (self.folder / "server.log").read_text("utf-8", "replace")

    def _is_up(self) -> bool:
        """Whether it takes writes."""
        return self._asked("SELECT NOT pg_is_in_recovery()")

    def _asked(self, claim: str) -> bool:
        """Whether it runs and says that a claim holds."""
        assert self._server is not None
        assert self._server.poll() is None, self.log()
        try:
            return bool(self.ask(claim))
        except psycopg.OperationalError:
            return False


class Replica(Cluster):
    """A copy that `pg_basebackup` made of another cluster, and that follows it.

    Args:
        primary: What it follows; it runs.
    """

    def __init__(self, primary: Cluster) -> None:
        self._primary = primary
        super().__init__()

    @override
    def fill(self) -> None:
        self.run(
            *("pg_basebackup", "--pgdata", str(self.data), "--write-recovery-conf"),
            *("--checkpoint", "fast", "--no-sync", "--host", "127.0.0.1"),
            *("--port", str(self._primary.port), "--username", "swapflow"),
        )

    def wait_for_it(self) -> None:
        """Have every commit of the primary wait until this one has it on its disk, too."""
        # After the copy was made: promoted, it must not wait for a replica of its own.
        with psycopg.connect(self._primary.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
        wait_until(
            lambda: self._primary.ask("SELECT sync_state FROM pg_stat_replication") == "sync",
            what="the replica is waited for",
        )

    def promote(self) -> None:
        """Make it the primary; returns once it takes writes."""
        self.run("pg_ctl", "promote", "--pgdata", str(self.data))
        wait_until(super()._is_up, what="the replica takes writes")

    @override
    def _is_up(self) -> bool:
        return self._asked("SELECT status = 'streaming' FROM pg_stat_wal_receiver")


def address_of_both(one: Cluster, other: Cluster) -> str:
    """Return the address under which the one that takes writes is found."""
    hosts = ",".join(f"127.0.0.1:{server.port}" for server in (one, other))
    return f"postgresql://swapflow@{hosts}/postgres"
