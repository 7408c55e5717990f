"""Whether what has to be stored can be: asked of the disk itself, not of what it says is free.

A quota, blocks kept for root and a limit on the size of files stop a write while `df` shows room,
and a database that answers reads says nothing of them.
"""

import errno
import os
import tempfile
import time
from functools import lru_cache
from pathlib import Path

from sqlalchemy import make_url


PROBE = 256 * 1024
"""Bytes that there must be room for: some transactions with long remarks."""

SECONDS = 1
"""How long an answer is kept: anybody may ask, and each question allocates on the disk."""

_CANNOT = frozenset({errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS})
"""How a file system says that it reserves nothing beforehand."""


def why_unwritable(folder: Path, database_url: str) -> str:
    """Return what keeps swapflow from storing anything; "" when nothing does.

    Args:
        folder: The data folder; where it is missing, the folder that it would be made in.
        database_url: The database; of SQLite its file and the folder of that are asked too.
    """
    return _asked(folder, database_url, int(time.monotonic() / SECONDS))


@lru_cache(maxsize=4)
def _asked(folder: Path, database_url: str, moment: int) -> str:
    del moment  # part of the key: a later one asks again
    file = _file_of(database_url)
    folders = dict.fromkeys([folder, *([file.parent] if file else [])])
    problem = next(filter(None, map(_refusal, folders)), "")
    if not problem and file and file.exists() and not os.access(file, os.W_OK):
        return "the database's file is not ours to write"
    return problem


def _file_of(database_url: str) -> Path | None:
    url = make_url(database_url)
    on_disk = url.get_backend_name() == "sqlite" and url.database not in {None, "", ":memory:"}
    return Path(str(url.database)) if on_disk else None


def _refusal(folder: Path) -> str:
    """Allocate a nameless file; it is gone when it is closed, and when the process dies."""
    while not folder.exists():
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            if not _allocated(file.fileno()):
                file.write(bytes(PROBE))
                file.flush()
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


def _allocated(descriptor: int) -> bool:
    """Reserve the bytes without writing them, where the system can; whether it could."""
    if not hasattr(os, "posix_fallocate"):
        return False
    try:
        os.posix_fallocate(descriptor, 0, PROBE)
    except OSError as error:
        if error.errno in _CANNOT:
            return False
        raise
    return True
