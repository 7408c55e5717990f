"""Keys of random bytes in files of the data folder, readable by swapflow's user alone."""

import os
import secrets
import tempfile
from pathlib import Path


BYTES = 32


def read_key(path: Path) -> bytes | None:
    """Read a key; None if there is none, or the file holds something else.

    Raises:
        OSError: If the file cannot be read.
    """
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        return None
    return key if len(key) == BYTES else None


def make_key(path: Path) -> None:
    """Write a new key, unless there is one: of several processes the first one's stays.

    Raises:
        OSError: If the file cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".key-")  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(BYTES))
        try:
            # A link appears whole or not at all, and never in the place of another file.
            os.link(beside, path)
        except FileExistsError:
            return
    finally:
        Path(beside).unlink()
