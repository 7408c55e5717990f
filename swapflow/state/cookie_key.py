"""The key in the data folder that signs cookies, for deployments that are given none."""

import os
import secrets
import tempfile
from pathlib import Path


BYTES = 32


def read_cookie_key(path: Path) -> bytes:
    """Read the key, and make one if there is none; of several processes the first one's stays.

    Where it can be neither read nor made, each process has its own, and what it signed is worth
    nothing to the others.
    """
    try:
        if not path.exists():
            _make(path)
        key = path.read_bytes()
    except OSError:
        key = b""
    return key if len(key) == BYTES else secrets.token_bytes(BYTES)


def _make(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".key-")  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(BYTES))
        try:
            os.link(beside, path)
        except FileExistsError:
            return
    finally:
        Path(beside).unlink()
