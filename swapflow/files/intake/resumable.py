"""Large files that come over a link in pieces, and go on where it was cut.

The sender says first what comes: name, size and SHA-256. It is given a key and told how many bytes
are there; each piece says at which byte it begins, and is taken only if that is where the file
stands. Whatever arrived of a piece before the link was cut stays. The same announcement gets the
same key, so a sender that forgot it loses nothing, and one that sends a piece twice is told where
the file stands.
"""

import fcntl
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from swapflow.errors import ConflictError, InvalidInputError, NotFoundError
from swapflow.files.intake.take import digest_of, plain_name
from swapflow.untrusted.json_text import load_json


LIFE = 7 * 86_400.0
"""Seconds after its last piece until a file that nobody finished is removed."""

MOST_UNDER_WAY = 20
"""Files that one account may have under way."""

_KEY = re.compile(r"[0-9a-f]{40}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_CONTENT, _ABOUT = "content", "about.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncedFile:
    """A file that is coming.

    Attributes:
        key: What it is found by.
        owner: Account that sends it, and alone adds to it.
        purpose: The program it is for.
        size: Its bytes; `digest` is their SHA-256, hexadecimal.
        offset: Bytes that are there.
        path: Where they are.
    """

    key: str
    owner: str
    purpose: str
    name: str
    size: int
    digest: str
    offset: int
    path: Path

    @property
    def is_whole(self) -> bool:
        """Whether all of it is there; not yet, whether it is what was announced."""
        return self.offset == self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumableUploads:
    """A folder of such files; several web processes share it.

    Attributes:
        most_bytes: Bytes of the largest.
        clock: Seconds since 1970.
    """

    folder: Path
    most_bytes: int
    clock: Callable[[], float] = time.time

    def announce(
        self, name: str, *, size: int, digest: str, owner: str, purpose: str
    ) -> AnnouncedFile:
        """Make room for a file, or find the one that was announced alike; old ones are removed.

        Raises:
            InvalidInputError: If it is too large, its digest is none, or too many are under way.
        """
        if not 0 < size <= self.most_bytes:
            raise InvalidInputError(
                "file_too_large", name=plain_name(name), most=self.most_bytes // 1_000_000
            )
        if not _DIGEST.fullmatch(digest):
            raise InvalidInputError("upload_digest_malformed")
        self._sweep()
        about = {
            "owner": owner,
            "purpose": purpose,
            "name": plain_name(name),
            "size": size,
            "digest": digest,
        }
        spelled = json.dumps(about, sort_keys=True).encode()
        key = hashlib.sha256(spelled).hexdigest()[:40]
        place = self.folder / key
        if not (place / _ABOUT).exists():
            if self._under_way(owner) >= MOST_UNDER_WAY:
                raise InvalidInputError("uploads_under_way", most=MOST_UNDER_WAY)
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            (place / _CONTENT).touch(mode=0o600)
            half = place / f"{_ABOUT}.{os.getpid()}"
            half.write_bytes(spelled)
            half.replace(place / _ABOUT)
        return self.find(key, owner=owner, purpose=purpose)

    def find(self, key: str, *, owner: str, purpose: str) -> AnnouncedFile:
        """Return a file to its owner.

        Raises:
            NotFoundError: If there is none, or it is another's; it does not tell which.
        """
        gone = NotFoundError("upload_gone")
        if not _KEY.fullmatch(key):
            raise gone
        try:
            about = load_json((self.folder / key / _ABOUT).read_text("utf-8"))
            offset = (self.folder / key / _CONTENT).stat().st_size
        except (OSError, ValueError) as error:
            raise gone from error
        assert isinstance(about, dict)
        if (about["owner"], about["purpose"]) != (owner, purpose):
            raise gone
        return AnnouncedFile(
            key=key,
            owner=owner,
            purpose=purpose,
            name=str(about["name"]),
            size=int(about["size"]),
            digest=str(about["digest"]),
            offset=offset,
            path=self.folder / key / _CONTENT,
        )

    def add(self, one: AnnouncedFile, data: bytes, *, offset: int) -> int:
        """Add bytes where the file stands; return where it stands then.

        Raises:
            ConflictError: If the file does not stand at `offset`; nothing was added.
            InvalidInputError: If that is more than was announced; nothing was added.
            NotFoundError: If it is gone.
        """
        if offset + len(data) > one.size:
            raise InvalidInputError("upload_longer_than_said", size=one.size)
        with _locked(one.path) as file:
            stands = os.fstat(file).st_size
            if stands != offset:
                raise ConflictError("upload_stands_elsewhere", offset=stands)
            os.lseek(file, 0, os.SEEK_END)
            view = memoryview(data)
            while view:
                view = view[os.write(file, view) :]
        return offset + len(data)

    def check(self, one: AnnouncedFile) -> None:
        """Check that a file is what was announced.

        Raises:
            ConflictError: If it is not whole yet.
            InvalidInputError: If its digest is another one; it was removed, to be sent anew.
        """
        if not one.is_whole:
            raise ConflictError("upload_not_whole", offset=one.offset, size=one.size)
        if digest_of(one.path) != one.digest:
            self.drop(one)
            raise InvalidInputError("upload_digest_differs", name=one.name)

    def drop(self, one: AnnouncedFile) -> None:
        """Remove a file; one that is gone already is gone."""
        rmtree(one.path.parent, ignore_errors=True)

    def _under_way(self, owner: str) -> int:
        count = 0
        for about in self.folder.glob(f"*/{_ABOUT}"):
            with suppress(OSError, ValueError):
                said = load_json(about.read_text("utf-8"))
                count += isinstance(said, dict) and said.get("owner") == owner
        return count

    def _sweep(self) -> None:
        if not self.folder.is_dir():
            return
        for place in self.folder.iterdir():
            with suppress(OSError):
                if self.clock() - (place / _CONTENT).stat().st_mtime > LIFE:
                    rmtree(place, ignore_errors=True)


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open a file for adding, alone for the moment."""
    try:
        file = os.open(path, os.O_RDWR)
    except OSError as error:
        raise NotFoundError("upload_gone") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file
    finally:
        os.close(file)
