"""Mails and webhook calls."""

from dataclasses import dataclass
from datetime import datetime

from swapflow.engine.offers.announcements import contradicts_record
from swapflow.engine.ports.records import MailRecord
from swapflow.engine.services.context import MAIL_TRIES, ServiceContext
from swapflow.errors import MailRefusedError, UnavailableError


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting(ServiceContext):
    """Mails and webhook calls."""

    def cycle_mails(
        self,
        cycle_id: str,
        *,
        state: str = "",
        skip: int = 0,
        after: tuple[datetime, str] | None = None,
        at_most: int = 50,
    ) -> tuple[MailRecord, ...]:
        """List a cycle's mails, newest first; `after` is moment and id of the last one seen."""
        return self.ledger.cycle_mails(
            cycle_id, state=state, skip=skip, after=after, at_most=at_most
        )

    def cycle_mail(self, cycle_id: str, mail_id: str) -> MailRecord:
        """Read one mail of a cycle."""
        return self.ledger.cycle_mail(cycle_id, mail_id)

    def count_mails(self, cycle_id: str) -> dict[str, int]:
        """Count a cycle's mails by state."""
        return self.ledger.count_mails(cycle_id)

    def queue_again(self, cycle_id: str, mail_id: str) -> bool:
        """Queue a failed mail again; False when it had not failed."""
        queued = self.ledger.queue_again(cycle_id, mail_id)
        return self._ring_after(cycle_id, queued)

    def queue_all_again(self, cycle_id: str) -> int:
        """Queue every failed mail again, as after a day without a mail server; return how many."""
        self.ledger.cycle(cycle_id)
        return self._ring_after(cycle_id, self.ledger.queue_all_again(cycle_id))

    def send_mail(self, mail_id: str) -> bool:
        """Send one mail, at least once; False when it was sent before, or is not sent now.

        A mail that the server does not accept is tried again later, with growing waits; one that
        it refuses for good has failed, and staff see it. A letter to an applicant that is no
        longer true is void.
        """
        mail = self.ledger.claim_mail(mail_id)
        if mail is None:
            return False
        # Checked after the claim, at the last moment before SMTP: the list may have changed while
        # it waited.
        if why := contradicts_record(mail_id, ledger=self.ledger):
            self.ledger.mark_mail(mail_id, f"void: {why}")
            return False
        try:
            self.post(mail)
        except MailRefusedError as error:
            self.ledger.mark_mail(mail_id, f"failed: {error}")
        except UnavailableError as error:
            self.ledger.put_mail_off(mail_id, str(error), at_most=MAIL_TRIES)
        else:
            self.ledger.mark_mail(mail_id, "sent")
            return True
        return False

    def call_webhook(self, call_id: str) -> bool:
        """Make one webhook call that is due, at least once; False when there was nothing to do.

        A call that is not accepted is made again later, with growing waits, and finally given up.
        """
        call = self.ledger.claim_call(call_id)
        if call is None:
            return False
        try:
            answer, done = self.send_webhook(call), True
        except UnavailableError as error:
            answer, done = str(error), False
        self.ledger.close_call(call, done=done, detail=answer)
        return True
