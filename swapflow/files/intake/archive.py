"""Documents out of a ZIP on disk, one at a time: never the whole of it in memory."""

import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from swapflow.engine.reviewing.documents import MOST_BYTES, owner_of
from swapflow.engine.reviewing.incoming_documents import IncomingDocument
from swapflow.errors import InvalidInputError
from swapflow.files.intake.index import INDEX_NAMES, files_in_index
from swapflow.files.tables.zip_archive import is_litter, trick_of
from swapflow.untrusted.limits import MOST_BULK_FILES, MOST_TABLE_BYTES, MOST_ZIP_FILES
from swapflow.untrusted.zip_directory import listed_files_on_disk


BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,  # packed in a way that zipfile does not know
    RuntimeError,  # by a password
    OSError,
    ValueError,
    struct.error,
)


def read_documents(
    path: Path,
    ids: Mapping[str, str],
    *,
    index: Path | None = None,
    most_bytes: int,
) -> Iterator[IncomingDocument]:
    """Read the documents of an archive with their owners, in the order of its directory.

    An index beside the archive, or in it as `index.csv`, says whose each file is; without one the
    beginning of its name or its folder does.

    Args:
        path: The archive.
        ids: External ids of the program by their reduced form.
        index: The index, where it is a file of its own.
        most_bytes: Bytes that all files may have together, counted while they are unpacked.

    Raises:
        InvalidInputError: If it is no ZIP, is damaged, or holds too much.
        BadRowsError: If the index is wrong; before any document is read.
    """
    files = listed_files_on_disk(path)
    if files > MOST_BULK_FILES:
        raise InvalidInputError("archive_too_many_files", files=files, most=MOST_BULK_FILES)
    try:
        with zipfile.ZipFile(path) as archive:
            yield from _documents(archive, ids, index, most_bytes)
    except BROKEN as error:
        raise InvalidInputError("archive_unreadable", problem=error) from error


def holds_workbook(path: Path) -> bool:
    """Whether a ZIP on disk is a spreadsheet; its directory alone is read."""
    if listed_files_on_disk(path) > MOST_ZIP_FILES:
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.startswith("xl/workbook") for name in archive.namelist())
    except BROKEN:
        return False


def _documents(
    archive: zipfile.ZipFile, ids: Mapping[str, str], index: Path | None, most_bytes: int
) -> Iterator[IncomingDocument]:
    members = [
        one for one in archive.infolist() if not one.is_dir() and not is_litter(one.filename)
    ]
    inside = next((one for one in members if _is_index(one)), None)
    owners: dict[str, str] | None = None
    if index is not None:
        owners = files_in_index(index, index.name, ids)
    elif inside is not None:
        owners = files_in_index(_index_bytes(archive, inside), inside.filename, ids)
    known, total = set(ids.values()), 0
    for one in members:
        if one is inside and index is None:
            continue
        name = PurePosixPath(one.filename).name
        if problem := trick_of(one):
            yield IncomingDocument(path=one.filename, owner=None, name=name, problem=problem)
            continue
        with archive.open(one) as member:
            body = member.read(MOST_BYTES + 1)
        total += len(body)
        if total > most_bytes:
            raise InvalidInputError("archive_too_large", most=most_bytes // 1_000_000)
        owner, problem = _owner(one.filename, owners, known)
        yield IncomingDocument(
            path=one.filename, owner=owner, name=name, body=body, problem=problem
        )


def _owner(path: str, owners: Mapping[str, str] | None, known: set[str]) -> tuple[str | None, str]:
    """Return whose a file is, or why nobody's."""
    if owners is None:
        return owner_of(path, known), ""
    by_index = owners.get(path.casefold()) or owners.get(PurePosixPath(path).name.casefold())
    return by_index, "" if by_index else "the index does not name it"


def _is_index(one: zipfile.ZipInfo) -> bool:
    return one.filename.casefold() in INDEX_NAMES


def _index_bytes(archive: zipfile.ZipFile, one: zipfile.ZipInfo) -> bytes:
    with archive.open(one) as member:
        data = member.read(MOST_TABLE_BYTES + 1)
    if len(data) > MOST_TABLE_BYTES:
        raise InvalidInputError(
            "table_too_large", name=one.filename, most=MOST_TABLE_BYTES // 2**20
        )
    return data
