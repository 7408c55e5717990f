"""Uploaded documents: stored in pieces, so that others write between them."""

from collections.abc import Sequence
from typing import Any, cast

from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.reviewing.documents import PIECE_BYTES, DocumentUpload, attach
from tests.engine.cycle_by_hand import CYCLE, World


class Pieces:
    """A ledger that notes how much each write stores."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.sizes: list[int] = []

    def add_files(self, cycle_id: str, new: Sequence[tuple[int, Any]]) -> None:
        self.sizes.append(sum(len(document.body) for _, document in new))
        self._ledger.add_files(cycle_id, new)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the ledger has
        return getattr(self._ledger, name)


def test_no_write_of_an_archive_is_longer_than_one_piece_and_every_document_is_there() -> None:
    world = World(launch=False)
    text = b"a line of text\n" * 100_000
    uploads = [
        DocumentUpload(path=f"A{number:03d}/paper-{part}.txt", body=text)
        for number in range(1, 9)
        for part in range(2)
    ]
    pieces = Pieces(world.ledger)

    attached = attach(CYCLE, uploads, redacted=False, ledger=cast("Ledger", pieces))

    assert len(attached.stored) == len(uploads)
    assert sum(pieces.sizes) == len(uploads) * len(text)
    assert max(pieces.sizes) <= PIECE_BYTES
    assert attached.missing == ()
