"""A migrated SQLite database, made once for each process of tests and copied from then on."""

import tempfile
from functools import cache
from pathlib import Path

from swapflow.ledger.maintenance.upgrade import upgrade


@cache
def migrated() -> bytes:
    """Run every migration on a new file; returns what the file holds."""
    with tempfile.TemporaryDirectory(prefix="sf-migrated-") as folder:
        path = Path(folder) / "swapflow.db"
        upgrade(f"sqlite:///{path}")
        return path.read_bytes()


def new_database(path: Path) -> str:
    """Write a migrated and empty database; returns its URL."""
    path.write_bytes(migrated())
    return f"sqlite:///{path}"
