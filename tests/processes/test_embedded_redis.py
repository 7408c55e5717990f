import os
from pathlib import Path

import pytest
import redis

from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.processes.embedded_redis import (
    find_server,
    make_private_folder,
    server_answers,
    server_argv,
)
from tests.support.redis_server import RedisServer


def test_the_server_of_the_package_is_found() -> None:
    assert find_server().name == "valkey-server"


def test_a_chosen_server_stands_above_it(tmp_path: Path) -> None:
    chosen = tmp_path / "my-redis"
    chosen.touch(mode=0o755)

    assert find_server(chosen) == chosen


def test_a_chosen_server_that_cannot_run_is_refused(tmp_path: Path) -> None:
    for bad in (tmp_path / "missing", tmp_path):
        with pytest.raises(InvalidInputError, match="SWAPFLOW_REDIS_BIN"):
            find_server(bad)


def test_the_embedded_server_keeps_what_it_took_evicts_nothing_and_opens_no_port() -> None:
    with RedisServer() as server:
        client = redis.Redis.from_url(server.url, decode_responses=True)
        configured = {
            name: client.config_get(name)[name]
            for name in ("appendonly", "appendfsync", "maxmemory-policy", "save", "port")
        }

        assert configured == {
            "appendonly": "yes",
            "appendfsync": "everysec",
            "maxmemory-policy": "noeviction",
            "save": "",
            "port": "0",
        }
        assert server.socket.stat().st_mode & 0o077 == 0


def test_a_server_that_is_gone_or_frozen_does_not_answer() -> None:
    with RedisServer() as server:
        assert server_answers(server.socket)
        server.stop()
        assert not server_answers(server.socket, within=0.2)
        server.cont()
        server.kill9()
        assert not server_answers(server.socket)


def test_a_private_folder_is_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    make_private_folder(folder)
    folder.chmod(0o755)

    make_private_folder(folder)

    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_that_somebody_else_made_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    os.chown(folder, 65_534, 65_534)

    with pytest.raises(UnavailableError, match="another user"):
        make_private_folder(folder)


def test_the_command_names_folder_and_socket(tmp_path: Path) -> None:
    argv = server_argv(Path("/x/valkey-server"), folder=tmp_path, socket_path=tmp_path / "s")

    assert argv[0] == "/x/valkey-server"
    assert argv[argv.index("--dir") + 1] == str(tmp_path)
    assert argv[argv.index("--unixsocket") + 1] == str(tmp_path / "s")
