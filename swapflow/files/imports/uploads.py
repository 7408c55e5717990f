"""Uploaded files between two steps of an import: kept for a day, for the person who uploaded them.

A file lies in a folder under a random name until it is imported, thrown away, or a day old.
Nothing of it is in the ledger before the import, which takes it whole or not at all. Several web
processes share the folder; on several machines it must be a shared one, or a person's requests
must go to one machine.
"""

import json
import os
import re
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from swapflow.errors import InvalidInputError, NotFoundError


LIFE = 86_400.0
"""Seconds after which a file that nobody imported is removed."""

LONGEST_NAME = 120

_KEY = re.compile(r"[A-Za-z0-9_-]{20,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingUpload:
    """A file that waits to be imported.

    Attributes:
        key: The random name it is found by.
        owner: Account that uploaded it, and alone gets it back.
        purpose: What it is to be imported as, and into what.
        name: What its owner calls it; used in messages, never as a path.
    """

    key: str
    owner: str
    purpose: str
    name: str
    data: bytes


class Uploads:
    """A folder of such files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, data: bytes, *, owner: str, purpose: str, name: str) -> str:
        """Store a file; returns its key. Files that are too old are removed at the same time.

        Raises:
            InvalidInputError: If the folder cannot be written.
        """
        key = secrets.token_urlsafe(24)
        about = {"owner": owner, "purpose": purpose, "name": _plain(name)}
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._sweep()
            path = self._folder / key
            with os.fdopen(
                os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
            ) as file:
                file.write(json.dumps(about).encode() + b"\n" + data)
        except OSError as error:
            raise InvalidInputError("upload_not_kept", problem=error.strerror) from error
        return key

    def find(self, key: str, *, owner: str, purpose: str) -> PendingUpload:
        """Return a file to its owner, for the purpose it was uploaded for.

        Raises:
            NotFoundError: If there is none, or it is another person's; it does not tell which.
        """
        gone = NotFoundError("upload_gone")
        if not _KEY.fullmatch(key):
            raise gone
        path = self._folder / key
        try:
            if time.time() - path.stat().st_mtime > LIFE:
                raise gone
            head, _, data = path.read_bytes().partition(b"\n")
        except OSError as error:
            raise gone from error
        about = json.loads(head)
        if (about["owner"], about["purpose"]) != (owner, purpose):
            raise gone
        return PendingUpload(key=key, owner=owner, purpose=purpose, name=about["name"], data=data)

    def drop(self, key: str) -> None:
        """Remove a file."""
        if _KEY.fullmatch(key):
            (self._folder / key).unlink(missing_ok=True)

    def _sweep(self) -> None:
        oldest = time.time() - LIFE
        for path in self._folder.iterdir():
            with suppress(OSError):  # another process sweeps too
                if path.stat().st_mtime < oldest:
                    path.unlink()


def _plain(name: str) -> str:
    """Return a file's name without folders and control characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    shown = "".join(c for c in last if c.isprintable()).strip()
    return shown[:LONGEST_NAME] or "the file"
