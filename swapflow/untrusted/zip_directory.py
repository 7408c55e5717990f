"""How many files a ZIP lists, asked before a reader makes an object of each."""

import struct


_END = struct.Struct("<4s4H2IH")
_END_MARK, _ENTRY_MARK = b"PK\5\6", b"PK\1\2"
_LONGEST_COMMENT = 65_535


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
