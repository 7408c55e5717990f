"""Everything between processes behind passwords and TLS, and what is said when it cannot be."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
import redis

from swapflow.bootstrap import build
from swapflow.processes.deployment import command, running
from swapflow.settings import Settings, load_settings
from swapflow.simulation.replay import replay
from tests.support.encrypted import (
    Authority,
    encrypted_postgres,
    encrypted_redis,
    new_authority,
)
from tests.support.ports import free_port
from tests.system.rounds import SmallRound


pytestmark = pytest.mark.system


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """Both servers, how they are reached, and what must never be shown."""

    authority: Authority
    redis_url: str
    database_url: str
    passwords: tuple[str, str]

    def settings(self, folder: Path, **others: str) -> Settings:
        """Settings of a deployment on them."""
        urls = {"redis_url": self.redis_url, "database_url": self.database_url} | others
        return load_settings(data_dir=folder, web_port=free_port(), **urls)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    authority = new_authority(tmp_path_factory.mktemp("tls") / "authority")
    with ExitStack() as stack:
        redis_url, one = stack.enter_context(encrypted_redis(authority))
        database_url, two = stack.enter_context(encrypted_postgres(authority))
        yield Servers(
            authority=authority,
            redis_url=redis_url,
            database_url=database_url,
            passwords=(one, two),
        )


def doctor(settings: Settings) -> str:
    """Everything that `swapflow doctor` says about such a deployment."""
    environment = {
        **os.environ,
        "SWAPFLOW_DATA_DIR": str(settings.data_dir),
        "SWAPFLOW_REDIS_URL": settings.redis_url or "",
        "SWAPFLOW_DATABASE_URL": settings.database_url or "",
    }
    done = subprocess.run(
        command("doctor"), env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def test_neither_server_takes_a_connection_without_tls_or_password(servers: Servers) -> None:
    plain = servers.redis_url.replace("rediss://", "redis://").partition("?")[0]
    nameless = servers.redis_url.replace(f":{servers.passwords[0]}@", "")

    with pytest.raises(redis.ConnectionError):
        redis.Redis.from_url(plain, socket_timeout=5).ping()
    with pytest.raises(redis.AuthenticationError):
        redis.Redis.from_url(nameless).ping()
    with pytest.raises(psycopg.OperationalError, match="no encryption"):
        psycopg.connect(servers.database_url.replace("verify-full", "disable"))


def test_a_round_behind_passwords_and_tls_ends_as_it_does_in_process(
    servers: Servers, quick: SmallRound, tmp_path: Path
) -> None:
    settings = servers.settings(tmp_path / "data")

    with running(settings, SWAPFLOW_WEB_PORT=str(settings.web_port)):
        product = build(settings)
        there = replay(quick.recording, quick.program, quick.options, product=product)
        with psycopg.connect(servers.database_url) as connection:
            encrypted = connection.execute(
                "SELECT count(*) FILTER (WHERE NOT ssl), count(*) FROM pg_stat_ssl "
                "JOIN pg_stat_activity USING (pid) WHERE usename = 'swapflow'"
            ).fetchone()
        shown = _command_lines(settings) + doctor(settings)
        product.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger

    said = (settings.data_dir / "processes.log").read_text(encoding="utf-8", errors="replace")
    here = replay(quick.recording, quick.program, quick.options)
    assert (there.decisions, there.cohort, there.stop) == (here.decisions, here.cohort, here.stop)
    assert encrypted is not None
    assert encrypted[0] == 0
    assert encrypted[1] >= 3  # at least coordinator, worker and web
    assert not any(password in shown + said for password in servers.passwords)


def test_a_server_that_nobody_trusted_vouches_for_is_refused_in_words(
    servers: Servers, tmp_path: Path
) -> None:
    stranger = new_authority(tmp_path / "stranger")
    old, new = str(servers.authority.root), str(stranger.root)
    settings = servers.settings(
        tmp_path / "data",
        redis_url=servers.redis_url.replace(old, new),
        database_url=servers.database_url.replace(old, new),
    )

    said = doctor(settings)

    assert said.lower().count("certificate verify failed") >= 2
    assert "Traceback" not in said
    assert not any(password in said for password in servers.passwords)


def _command_lines(settings: Settings) -> str:
    """What everybody on the machine can read of the processes of a deployment."""
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
            if str(settings.data_dir).encode() in environment:
                lines.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    assert len(lines) >= 3
    return "\n".join(lines)
