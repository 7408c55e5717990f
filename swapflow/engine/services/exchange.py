"""Files that other systems send, and those put out for them: what became of each."""

from collections.abc import Iterable
from dataclasses import dataclass

from swapflow.domain.lists.exchanged_file import Exchanged, ExchangedFile, NewExchange
from swapflow.engine.reviewing.incoming_documents import (
    Brought,
    IncomingDocument,
    bring_documents,
)
from swapflow.engine.services.context import ServiceContext
from swapflow.errors import NotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeService:
    """Files that other systems send, and those put out for them: what became of each."""

    context: ServiceContext

    def files(self, cycle_id: str, *, at_most: int = 200) -> tuple[ExchangedFile, ...]:
        """Read what was exchanged, newest first."""
        self.context.ledger.cycle(cycle_id)
        return self.context.ledger.exchanged(cycle_id, at_most=at_most)

    def last(self, cycle_id: str, what: Exchanged) -> ExchangedFile | None:
        """Return the latest file of a kind; None before the first."""
        # Few files come in a day; those before the last two hundred are of no use here.
        found = self.context.ledger.exchanged(cycle_id)
        return next((one for one in found if one.what is what), None)

    def put_on_record(self, cycle_id: str, new: NewExchange) -> int:
        """Store what became of a file; return its number."""
        with self.context.ledger.write(cycle_id) as tx:
            return tx.insert_exchange(new)

    def announce(self, cycle_id: str, new: NewExchange, names: list[str], version: int) -> int:
        """Store that files were put out, and tell webhooks of them; return the number."""
        # In one transaction: a call that is told of files which are not on record, or files on
        # record of which nobody is told, would both be wrong.
        with self.context.ledger.write(cycle_id) as tx:
            number = tx.insert_exchange(new)
            tx.announce_files(number, names, version)
        return self.context.ring_after(cycle_id, number)

    def finish(self, cycle_id: str, number: int, *, by: str) -> None:
        """Store that a person did what a file left to people; said twice, it is said once.

        Raises:
            NotFoundError: If there is no such file.
        """
        if all(one.number != number for one in self.context.ledger.exchanged(cycle_id)):
            raise NotFoundError("exchanged_file_unknown", cycle=cycle_id, number=number)
        with self.context.ledger.write(cycle_id) as tx:
            tx.finish_exchange(number, by=by)

    def bring_documents(
        self, cycle_id: str, coming: Iterable[IncomingDocument], *, redacted: bool
    ) -> Brought:
        """Store the documents of a large file as they come."""
        return bring_documents(cycle_id, coming, redacted=redacted, ledger=self.context.ledger)
