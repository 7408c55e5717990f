"""Mails that came back: taken in, shown to staff, settled."""

from collections.abc import Collection
from dataclasses import dataclass

from swapflow.domain.returned_mail import (
    Bounce,
    BounceReading,
    ReturnedMail,
    StrayBounces,
    TakenIn,
)
from swapflow.engine.pending.returned_mails import Returned, returned_in
from swapflow.engine.services.context import ServiceContext
from swapflow.errors import NotReadyError


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedMailService:
    """Mails that came back."""

    context: ServiceContext

    def take(self, bounce: Bounce) -> TakenIn:
        """Record what a mail to the address of bounces says; taken twice it is one line.

        A report without the code of a mail of ours is counted for the administrator: it changes
        nothing, for anybody can write one.
        """
        if bounce.reading not in {BounceReading.BOUNCE, BounceReading.OTHER}:
            return TakenIn.PASSED_OVER
        found = self.context.ledger.mail_of_code(bounce.code) if bounce.code else None
        if found is None or bounce.reading is BounceReading.OTHER:
            return TakenIn.STRAY if self.context.ledger.add_stray(bounce) else TakenIn.KNOWN
        is_new = self.context.ledger.mark_came_back(found, bounce.kind, said=bounce.said)
        return TakenIn.NEW if is_new else TakenIn.KNOWN

    def of_program(self, cycle_id: str) -> Returned:
        """Return a program's mails that came back, by whose they are."""
        return returned_in(cycle_id, ledger=self.context.ledger)

    def waiting(self, cycle_id: str | None) -> tuple[ReturnedMail, ...]:
        """List the mails that came back and wait for staff, newest first.

        Args:
            cycle_id: The program; None for mails of the office, such as invitations.

        Raises:
            NotFoundError: If there is no such program.
        """
        if cycle_id is not None:
            self.context.ledger.cycle(cycle_id)
        return self.context.ledger.returned_mails(cycle_id)

    def settle(self, cycle_id: str | None, addresses: Collection[str]) -> int:
        """Settle what came back from these addresses; mails go there again. Returns how many.

        Raises:
            NotReadyError: If nothing that came back from them waits.
        """
        count = self.context.ledger.settle_returned(cycle_id, addresses)
        if not count:
            raise NotReadyError("no_mail_came_back")
        return count

    def settle_office(self) -> int:
        """Settle all mails of the office that came back; as `settle`."""
        return self.settle(None, [one.to for one in self.waiting(None)])

    def strays(self) -> StrayBounces:
        """Count the reports that fit none of our mails."""
        return self.context.ledger.stray_bounces()

    def drop_strays(self) -> int:
        """Forget the reports that fit none of our mails; return how many there were."""
        return self.context.ledger.drop_strays()
