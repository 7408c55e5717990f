"""Files out of an uploaded ZIP: never more than was announced, never outside it."""

import io
import zipfile
import zlib

from swapflow.engine.reviewing.documents import MOST_BYTES, DocumentUpload
from swapflow.errors import InvalidInputError
from swapflow.untrusted.limits import MOST_ZIP_BYTES, MOST_ZIP_FILES
from swapflow.untrusted.zip_directory import listed_files


_IGNORED = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


def read_archive(data: bytes) -> tuple[list[DocumentUpload], list[tuple[str, str]]]:
    """Unpack an archive in memory: the files, and (path, reason) of those left out.

    Sizes are counted while unpacking: what an archive says of itself may be untrue.

    Raises:
        InvalidInputError: If it is no ZIP, is damaged, or holds too much.
    """
    _check_files(listed_files(data))
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        return _unpacked(archive)
    # NotImplementedError: packed in a way that zipfile does not know; RuntimeError: by a password.
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InvalidInputError("archive_unreadable", problem=error) from error


def _unpacked(archive: zipfile.ZipFile) -> tuple[list[DocumentUpload], list[tuple[str, str]]]:
    found: list[DocumentUpload] = []
    left: list[tuple[str, str]] = []
    members = [info for info in archive.infolist() if not info.is_dir()]
    _check_files(len(members))
    total = 0
    for info in members:
        path = info.filename
        if is_litter(path):
            continue
        reason = trick_of(info)
        if reason:
            left.append((path, reason))
            continue
        with archive.open(info) as member:
            body = member.read(MOST_BYTES + 1)
        total += len(body)
        if total > MOST_ZIP_BYTES:
            raise InvalidInputError("archive_too_large", most=MOST_ZIP_BYTES // 1_000_000)
        if len(body) > MOST_BYTES:
            left.append((path, f"it has more than {MOST_BYTES // 1_000_000} MB"))
            continue
        found.append(DocumentUpload(path=path, body=body))
    return found, left


def _check_files(files: int) -> None:
    if files > MOST_ZIP_FILES:
        raise InvalidInputError("archive_too_many_files", files=files, most=MOST_ZIP_FILES)


def is_litter(path: str) -> bool:
    """Whether an archive's file is one that systems put there for themselves."""
    return path.startswith(_IGNORED) or path.rsplit("/", 1)[-1] in _IGNORED


def trick_of(info: zipfile.ZipInfo) -> str:
    """Return why a member is not taken at all; "" when it is an ordinary file."""
    path = info.filename
    parts = path.split("/")
    if path.startswith(("/", "\\")) or "\\" in path or ":" in path or ".." in parts:
        return "its path leads out of the archive"
    if not path.isprintable():
        return "its name holds control characters"
    if info.flag_bits & 1:
        return "it is encrypted"
    kind = info.external_attr >> 28
    if kind not in {0, 8}:  # 8 is an ordinary file; a link (10) could lead anywhere
        return "it is a link or a device, no file"
    return ""
