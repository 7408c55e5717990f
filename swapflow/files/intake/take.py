"""One file of another system, taken by the rules of the import: all of it, or nothing of a list.

What it is follows from its first bytes, never from its name: a ZIP with documents, a combined PDF,
or a list of applicants in any form that the import reads.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from swapflow.domain.ids import same_id
from swapflow.domain.lists.exchanged_file import Exchanged, ExchangeOutcome, NewExchange
from swapflow.engine.reviewing.incoming_documents import IncomingDocument
from swapflow.engine.services import Swapflow
from swapflow.errors import BadRow, BadRowsError, InvalidInputError
from swapflow.files.imports.applicant_list import preview_applicant_list, take_applicants
from swapflow.files.imports.import_settings import Reading
from swapflow.files.intake.answer import IntakeAnswer
from swapflow.files.intake.archive import holds_workbook, read_documents
from swapflow.files.intake.combined_pdf import read_parts
from swapflow.files.tables.table import read_table


PIECE = 1 << 20
LONGEST_NAME = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A file as it was sent.

    Attributes:
        path: Where it lies.
        name: What its sender calls it; for messages, never a path.
        via: The way it came.
        by: Who brought it.
        index: The list beside it that says whose its documents are.
        redacted: Whether the sender says that its documents do not name applicants.
        most_bytes: Bytes that it may have, and hold unpacked.
    """

    path: Path
    name: str
    via: str
    by: str
    index: Path | None = None
    redacted: bool = False
    most_bytes: int = 2_000_000_000


def take_file(sent: Sent, *, product: Swapflow, cycle_id: str) -> IntakeAnswer:
    """Take one file and put on record what became of it.

    The same file twice changes nothing: a list that is the last one that was taken, and documents
    that were all taken before.

    Raises:
        NotFoundError: If there is no such program.
        UnavailableError: If the database does not answer; the file may come again.
    """
    product.cycles.get(cycle_id)
    sent = replace(sent, name=plain_name(sent.name))
    size = sent.path.stat().st_size
    what = _what(sent.path)
    if size > sent.most_bytes:
        problem = InvalidInputError(
            "file_too_large", name=sent.name, most=sent.most_bytes // 1_000_000
        )
        return _record(sent, _refused(sent, what, problem), product, cycle_id)
    digest = digest_of(sent.path, sent.index)
    known = IntakeAnswer(
        name=sent.name, what=what, outcome=ExchangeOutcome.TAKEN, digest=digest, size=size
    )
    if _came_before(known, product, cycle_id):
        return replace(known, again=True)
    try:
        taken = (
            _take_list(sent, product, cycle_id)
            if what is Exchanged.APPLICANTS
            else _take_documents(sent, product, cycle_id)
        )
    except InvalidInputError as error:
        taken = _refused(sent, what, error)
    return _record(sent, replace(taken, digest=digest, size=size), product, cycle_id)


def plain_name(name: str) -> str:
    """Return a file's name without folders and control characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(c for c in last if c.isprintable()).strip()[:LONGEST_NAME] or "the file"


def digest_of(path: Path, index: Path | None = None) -> str:
    """Return the SHA-256 of a file and of its index, a piece in memory at a time."""
    found = hashlib.sha256()
    for one in (path, index):
        if one is None:
            continue
        with one.open("rb") as file:
            while piece := file.read(PIECE):
                found.update(piece)
    return found.hexdigest()


def _what(path: Path) -> Exchanged:
    with path.open("rb") as file:
        head = file.read(8)
    if head.startswith(b"%PDF-"):
        return Exchanged.DOCUMENTS
    if head.startswith(b"PK"):
        # A workbook is a ZIP as well.
        return Exchanged.APPLICANTS if holds_workbook(path) else Exchanged.DOCUMENTS
    return Exchanged.APPLICANTS


def _came_before(known: IntakeAnswer, product: Swapflow, cycle_id: str) -> bool:
    earlier = [
        one
        for one in product.exchange.files(cycle_id)
        if one.what is known.what and one.outcome is ExchangeOutcome.TAKEN
    ]
    if known.what is Exchanged.APPLICANTS:
        # Only the last one: a system may go back to what it said before.
        earlier = earlier[:1]
    return any(one.digest == known.digest and not one.counts.get("left") for one in earlier)


def _take_list(sent: Sent, product: Swapflow, cycle_id: str) -> IntakeAnswer:
    table = read_table(sent.path, name=sent.name)
    looked = preview_applicant_list(table, Reading(), product=product, cycle_id=cycle_id)
    shape = looked.shape.system if looked.shape else ""
    if looked.bad:
        refused = _refused(sent, Exchanged.APPLICANTS, BadRowsError(sent.name, looked.bad))
        return replace(refused, shape=shape)
    listed = take_applicants(looked, product=product, cycle_id=cycle_id, by=sent.by)
    return IntakeAnswer(
        name=sent.name,
        what=Exchanged.APPLICANTS,
        outcome=ExchangeOutcome.TAKEN,
        shape=shape,
        counts={
            "new": len(listed.added),
            "changed": listed.changed,
            "known": listed.unchanged,
            "held": len(listed.held),
        },
        notes=(*map(str, looked.warnings), *map(str, looked.alike)),
        held=tuple(str(one.message) for one in looked.erased if not one.row.confirmed),
    )


def _take_documents(sent: Sent, product: Swapflow, cycle_id: str) -> IntakeAnswer:
    ids = {same_id(a.external_id): a.external_id for a in product.applicants.list(cycle_id)}
    brought = product.exchange.bring_documents(
        cycle_id, _documents(sent, ids), redacted=sent.redacted
    )
    return IntakeAnswer(
        name=sent.name,
        what=Exchanged.DOCUMENTS,
        outcome=ExchangeOutcome.TAKEN,
        counts={"stored": brought.stored, "same": brought.same, "left": len(brought.left)},
        left=brought.left,
    )


def _documents(sent: Sent, ids: Mapping[str, str]) -> Iterator[IncomingDocument]:
    with sent.path.open("rb") as file:
        is_pdf = file.read(5) == b"%PDF-"
    if is_pdf:
        return read_parts(sent.path, ids, index=sent.index, stem=Path(sent.name).stem)
    return read_documents(sent.path, ids, index=sent.index, most_bytes=sent.most_bytes)


def _refused(sent: Sent, what: Exchanged, error: InvalidInputError) -> IntakeAnswer:
    rows = (
        error.rows
        if isinstance(error, BadRowsError)
        else (BadRow(line=0, column="", value="", reason=str(error), cure="Send it anew"),)
    )
    return IntakeAnswer(
        name=sent.name,
        what=what,
        outcome=ExchangeOutcome.REFUSED,
        counts={"bad": len(rows)},
        bad=tuple(rows),
    )


MOST_LINES = 500
"""Places of bad rows that stay on record."""


def _record(sent: Sent, answer: IntakeAnswer, product: Swapflow, cycle_id: str) -> IntakeAnswer:
    product.exchange.put_on_record(
        cycle_id,
        NewExchange(
            what=answer.what,
            outcome=answer.outcome,
            name=answer.name,
            digest=answer.digest,
            size=answer.size,
            via=sent.via,
            counts=answer.counts,
            lines=tuple((row.line, row.column[:60]) for row in answer.bad[:MOST_LINES]),
            by=sent.by,
        ),
    )
    return answer
