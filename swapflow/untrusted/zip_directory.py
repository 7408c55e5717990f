"""How many files a ZIP lists, asked before a reader makes an object of each."""

import struct
from pathlib import Path
from typing import BinaryIO


_END = struct.Struct("<4s4H2IH")
_END_MARK, _ENTRY_MARK = b"PK\5\6", b"PK\1\2"
_LONGEST_COMMENT = 65_535
_END64 = struct.Struct("<40xQQ")
"""The end of a large archive: the bytes of its directory, and where that begins."""
_END64_MARK, _LOCATOR, _IN_64 = b"PK\6\6", 20, 0xFFFFFFFF
_PIECE = 1 << 20


def listed_files(data: bytes) -> int:
    """Return how many entries the directory of an archive seems to have.

    Counted are the marks that entries begin with, in the part that the archive's end calls its
    directory: what it says of their number may be untrue. An archive inside it is not counted,
    unless the directory's place is not to be found.
    """
    at = data.rfind(_END_MARK, max(0, len(data) - _END.size - _LONGEST_COMMENT))
    if at < 0 or at + _END.size > len(data):
        return 0
    *_, size, _, _ = _END.unpack_from(data, at)
    start = at - size
    return data.count(_ENTRY_MARK, max(start, 0), at)


def listed_files_on_disk(path: Path) -> int:
    """Return the same of an archive on disk, of which only the end is read.

    A directory that cannot be found counts as none: its reader refuses the file then.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END.size - _LONGEST_COMMENT - _END64.size - _LOCATOR))
        tail = file.read()
        at = tail.rfind(_END_MARK)
        if at < 0 or at + _END.size > len(tail):
            return 0
        *_, length, _, _ = _END.unpack_from(tail, at)
        if length == _IN_64:
            more = tail.rfind(_END64_MARK, 0, at)
            length = _END64.unpack_from(tail, more)[0] if more >= 0 else 0
            at = max(more, 0)
        end = size - len(tail) + at
        file.seek(max(0, end - length))
        return _count(file, end - file.tell())


def _count(file: BinaryIO, left: int) -> int:
    """Count the marks of entries in the next bytes, a piece in memory at a time."""
    found, kept = 0, b""
    while left > 0 and (piece := file.read(min(left, _PIECE))):
        left -= len(piece)
        found += (kept + piece).count(_ENTRY_MARK)
        # A mark may be cut in two by the border of a piece; a whole one is not counted twice.
        kept = piece[-3:]
    return found
