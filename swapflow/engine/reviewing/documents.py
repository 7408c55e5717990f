"""Documents: the type of a file, from its bytes, and its owner, from its name."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from swapflow.domain.people.document import NewDocument
from swapflow.engine.ports.ledger import Ledger


MOST_BYTES = 20_000_000
"""Largest single document."""

PIECE_BYTES = 4_000_000
"""Bytes of documents that are stored in one write: others wait for no longer than it takes."""

LONGEST_NAME = 120

PDF, TEXT, PNG, JPEG = "application/pdf", "text/plain", "image/png", "image/jpeg"
ENDINGS = {PDF: "pdf", TEXT: "txt", PNG: "png", JPEG: "jpg"}
"""Media types that are shown, and the file name extension of each."""

_BREAK = re.compile(r"[\s_.()\[\]-]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentUpload:
    """A file as it came: a path inside the upload, and its bytes."""

    path: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """The result of an upload.

    Attributes:
        stored: (external id, name) of each file that was stored.
        left: (path, reason) of each that was not.
        missing: External ids of candidates that have no file now.
    """

    stored: tuple[tuple[str, str], ...]
    left: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


def media_of(body: bytes) -> str:
    """Detect a file's type from its first bytes; "" for one that is not shown."""
    if body.startswith(b"%PDF-"):
        return PDF
    if body.startswith(b"\x89PNG\r\n\x1a\n"):
        return PNG
    if body.startswith(b"\xff\xd8\xff"):
        return JPEG
    # A declared type can lie, so only the bytes decide what a browser is later told to open.
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return ""
    return TEXT if text.strip() and not _CONTROL.search(text) else ""


def owner_of(path: str, external_ids: Collection[str]) -> str | None:
    """Find the owner of a file by its path: a folder, or the beginning of the file's name.

    "A1/statement.pdf", "A1.pdf" and "A1_statement.pdf" are A1's; "A12.pdf" is not. The longer of
    two matching ids wins.
    """
    *folders, name = path.split("/")
    for folder in reversed(folders):
        if folder in external_ids:
            return folder
    stem = name.rsplit(".", 1)[0] if "." in name else name
    fitting = [
        known
        for known in external_ids
        if stem == known or (stem.startswith(known) and _BREAK.match(stem[len(known)]))
    ]
    return max(fitting, key=len, default=None)


def attach(
    cycle_id: str, uploads: Sequence[DocumentUpload], *, redacted: bool, ledger: Ledger
) -> Attached:
    """Store files with the applications that their names begin with.

    Each is stored whole, or left out and listed. They are stored in pieces, between which others
    write: should one fail, those before it are there, and the same files may be sent again. A file
    replaces an earlier one of the same name.
    """
    applications = {a.external_id: a for a in ledger.applications(cycle_id) if a.external_id}
    stored: dict[tuple[str, str], tuple[int, NewDocument]] = {}
    left: list[tuple[str, str]] = []
    for upload in uploads:
        owner = owner_of(upload.path, applications.keys())
        reason = obstacle(upload, owner)
        if reason or owner is None:
            left.append((upload.path, reason))
            continue
        # A long name is cut at its beginning, so that it keeps its ending.
        name = upload.path.split("/")[-1][-LONGEST_NAME:]
        if (owner, name) in stored:
            left.append((upload.path, "another file of this applicant has the same name"))
            continue
        document = NewDocument(
            name=name, redacted=redacted, media=media_of(upload.body), body=upload.body
        )
        stored[owner, name] = (applications[owner].number, document)
    for piece in pieces(stored.values()):
        ledger.add_files(cycle_id, piece)
    return Attached(
        stored=tuple(sorted(stored)), left=tuple(left), missing=_missing(cycle_id, ledger)
    )


def pieces(
    documents: Iterable[tuple[int, NewDocument]],
) -> Iterator[list[tuple[int, NewDocument]]]:
    """Divide documents into pieces that are stored in the time of a short write, as they come."""
    piece: list[tuple[int, NewDocument]] = []
    size = 0
    for one in documents:
        if piece and size + len(one[1].body) > PIECE_BYTES:
            yield piece
            piece, size = [], 0
        piece.append(one)
        size += len(one[1].body)
    if piece:
        yield piece


def neutral_name(number: int, media: str) -> str:
    """Name a document in a blind cycle, where its own name may reveal its author."""
    ending = ENDINGS.get(media)
    return f"file-{number}.{ending}" if ending else f"file-{number}"


def obstacle(upload: DocumentUpload, owner: str | None) -> str:
    """Return why a file cannot be stored; "" when nothing keeps it out."""
    if owner is None:
        return "no applicant's id stands at the beginning of its name"
    if not upload.body:
        return "it is empty"
    if len(upload.body) > MOST_BYTES:
        return f"it has more than {MOST_BYTES // 1_000_000} MB"
    if not media_of(upload.body):
        return "it is none of PDF, text, PNG and JPEG"
    return ""


def _missing(cycle_id: str, ledger: Ledger) -> tuple[str, ...]:
    there = ledger.with_files(cycle_id)
    return tuple(
        application.external_id
        for application in ledger.applications(cycle_id)
        if application.status.is_candidate and application.number not in there
    )
