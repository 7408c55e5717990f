"""Documents of many applicants as they come out of one large file: a piece in memory at a time."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from swapflow.domain.people.document import NewDocument
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.reviewing.documents import (
    LONGEST_NAME,
    DocumentUpload,
    media_of,
    obstacle,
    pieces,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingDocument:
    """One document out of a large file.

    Attributes:
        path: Its place in the file: a path, or pages.
        owner: External id of its applicant; None where nobody is named.
        name: What it is called here.
        problem: Why it cannot be taken; "" if nothing is known against it.
    """

    path: str
    owner: str | None
    name: str
    body: bytes = b""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What a large file brought.

    Attributes:
        stored: Documents that are new or replaced another.
        same: Documents that were there already, byte for byte.
        left: (place in the file, reason) of each that was left out.
    """

    stored: int
    same: int
    left: tuple[tuple[str, str], ...]


def bring_documents(
    cycle_id: str, coming: Iterable[IncomingDocument], *, redacted: bool, ledger: Ledger
) -> Brought:
    """Store documents as they come, a few MB in a write, and those that are there already never.

    Whatever cuts it short, the documents before are stored, and the same file may come again: it
    goes on with what is missing.
    """
    # Read once: an archive has thousands of files, and the ids hardly change meanwhile.
    numbers = {a.external_id: a.number for a in ledger.applications(cycle_id) if a.external_id}
    there = ledger.file_digests(cycle_id)
    seen: set[tuple[int, str]] = set()
    left: list[tuple[str, str]] = []
    counts = {"stored": 0, "same": 0}

    def fresh() -> Iterator[tuple[int, NewDocument]]:
        for one in coming:
            number = numbers.get(one.owner or "")
            reason = one.problem or _why_not(one, known=number is not None)
            name = one.name[-LONGEST_NAME:]
            if not reason and number is not None and (number, name) in seen:
                reason = "another document of this applicant has the same name"
            if reason or number is None:
                left.append((one.path, reason))
                continue
            # Noted before it is compared: of two files of one name the first one counts, be it
            # there already or not.
            seen.add((number, name))
            if there.get((number, name)) == hashlib.sha256(one.body).hexdigest():
                counts["same"] += 1
                continue
            media = media_of(one.body)
            yield (
                number,
                NewDocument(name=name, redacted=redacted, media=media, body=one.body),
            )

    # What comes is read as it is stored, so that one piece alone is in memory.
    for piece in pieces(fresh()):
        # Who was erased since the run began must get nothing any more.
        about = ledger.applications_numbered(cycle_id, sorted({number for number, _ in piece}))
        known = {one.number for one in about if one.external_id}
        kept = [one for one in piece if one[0] in known]
        ledger.add_files(cycle_id, kept)
        counts["stored"] += len(kept)
    return Brought(stored=counts["stored"], same=counts["same"], left=tuple(left))


def _why_not(one: IncomingDocument, *, known: bool) -> str:
    if one.owner is not None and not known:
        return f"there is no applicant {one.owner!r}"
    return obstacle(DocumentUpload(path=one.path, body=one.body), one.owner)
