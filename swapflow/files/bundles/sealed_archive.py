"""An archive with one possible spelling: the same files always make the same bytes.

It is an ordinary ZIP that any program opens. Nothing in it is compressed, no moment and no owner
is kept, and nothing lies between the members; so a reader who knows the files knows every byte of
the archive, and a byte that differs is found wherever it lies.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from swapflow.errors import InvalidInputError


MOST_BYTES = 2**32 - 2**20
"""What an archive of this plain kind can hold."""

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_VERSION = 20
_UNIX = 3 << 8 | _VERSION
_NEW_YEAR_1980 = 0x21
_PLAIN_FILE = 0o100644 << 16


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an archive."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some bytes of an archive, and what they are."""

    data: bytes
    what: str


def seal(members: Sequence[Member]) -> bytes:
    """Write files into an archive, in the order given.

    Raises:
        InvalidInputError: If they are too large together.
    """
    if sum(len(member.data) + 1024 for member in members) > MOST_BYTES:
        raise InvalidInputError("files_too_large_together")
    return b"".join(piece.data for piece in _pieces(members))


def readings(archive: bytes) -> Iterator[tuple[Member, ...]]:
    """Read an archive by its directory, then by the headers before each file.

    Damage to one of the two leaves the other whole, so that it is not taken for damage to a
    file.
    """
    yield tuple(_by_directory(archive))
    yield tuple(_by_headers(archive))


def difference(archive: bytes, members: Sequence[Member]) -> str | None:
    """Return where an archive differs from the one spelling of these files; None if nowhere."""
    if archive == seal(members):
        return None
    at = 0
    for piece in _pieces(members):
        there = archive[at : at + len(piece.data)]
        if there != piece.data:
            byte = next(
                (i for i, (a, b) in enumerate(zip(there, piece.data, strict=False)) if a != b),
                len(there),
            )
            return f"byte {at + byte} of the archive, in {piece.what}"
        at += len(piece.data)
    return f"byte {at} of the archive: there is more than there should be"


def _pieces(members: Sequence[Member]) -> Iterator[_Piece]:
    """Build an archive: header and bytes of each file, the directory, the end."""
    directory: list[_Piece] = []
    at = 0
    for member in members:
        name = member.name.encode("ascii", "backslashreplace")
        crc, size = zlib.crc32(member.data), len(member.data)
        header = _LOCAL.pack(
            b"PK\3\4", _VERSION, 0, 0, 0, _NEW_YEAR_1980, crc, size, size, len(name), 0
        )
        entry = _CENTRAL.pack(
            b"PK\1\2",
            *(_UNIX, _VERSION, 0, 0, 0, _NEW_YEAR_1980),
            *(crc, size, size),
            *(len(name), 0, 0, 0, 0),
            *(_PLAIN_FILE, at),
        )
        directory.append(_Piece(entry + name, f"the directory's entry of {member.name}"))
        yield _Piece(header + name, f"the header of {member.name}")
        yield _Piece(member.data, member.name)
        at += len(header) + len(name) + size
    yield from directory
    length = sum(len(piece.data) for piece in directory)
    count = len(members)
    end = _END.pack(b"PK\5\6", 0, 0, count, count, length, at, 0)
    yield _Piece(end, "the archive's end")


def _by_directory(archive: bytes) -> Iterator[Member]:
    try:
        entries = zipfile.ZipFile(io.BytesIO(archive)).infolist()
    # NotImplementedError: packed in a way that zipfile does not know, so no bundle of ours.
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error, OSError):
        return
    for entry in entries:
        start = entry.header_offset + _LOCAL.size + len(entry.orig_filename)
        yield Member(entry.filename, archive[start : start + entry.compress_size])


def _by_headers(archive: bytes) -> Iterator[Member]:
    at = 0
    while archive[at : at + 4] == b"PK\3\4" and at + _LOCAL.size <= len(archive):
        *_, size, _, named, extra = _LOCAL.unpack_from(archive, at)
        start = at + _LOCAL.size
        # A damaged name must not end the reading: it is compared and named as it is.
        name = archive[start : start + named].decode("ascii", "backslashreplace")
        start += named + extra
        yield Member(name, archive[start : start + size])
        at = start + size
