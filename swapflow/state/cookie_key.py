"""The key in the data folder that signs cookies, for deployments that are given none."""

import secrets
from pathlib import Path

from swapflow.state.key_files import BYTES, make_key, read_key


def read_cookie_key(path: Path) -> bytes:
    """Read the key, and make one if there is none; of several processes the first one's stays.

    Where it can be neither read nor made, each process has its own, and what it signed is worth
    nothing to the others.
    """
    try:
        if not path.exists():
            make_key(path)
        key = read_key(path)
    except OSError:
        key = None
    return key or secrets.token_bytes(BYTES)
