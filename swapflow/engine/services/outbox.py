"""Mails and webhook calls."""

import secrets
import time
from dataclasses import dataclass, replace
from datetime import datetime

from swapflow.domain.personal_link import (
    CODE_MASK,
    MASK,
    SIGN_IN_MAIL,
    digest_of_code,
    digest_of_token,
    fill_sign_in,
    lacks_sign_in,
)
from swapflow.domain.returned_mail import KEPT_BACK, LONGEST_ANSWER, kind_of, status_in
from swapflow.engine.offers.announcements import contradicts_record
from swapflow.engine.ports.records import NOT_SENT, Mail, MailRecord
from swapflow.engine.services.context import MAIL_TRIES, ServiceContext
from swapflow.engine.services.way_out import StaysInsideError
from swapflow.errors import MailRefusedError, RecipientRefusedError, UnavailableError
from swapflow.messages import Message


TOKEN_BYTES = 32
"""Random bytes of a personal link's token."""

CODE_DIGITS = 6
"""Digits of a code that is typed instead of following a link."""

SLOW_SECONDS = 3.0
"""Seconds after which a call that fails counts as slow."""

SLOW_WAIT = 30.0
"""Seconds for which the other calls of a webhook wait that failed slowly."""

SLOT_SECONDS = 5.0
"""Seconds after which a call is tried again that found every slot taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxService:
    """Mails and webhook calls."""

    context: ServiceContext

    @property
    def leaves(self) -> bool:
        """Whether mails leave: without a mail server they are only kept, as "not sent"."""
        return self.context.mail_leaves

    def mails(
        self,
        cycle_id: str,
        *,
        state: str = "",
        skip: int = 0,
        after: tuple[datetime, str] | None = None,
        at_most: int = 50,
        without_applicants: bool = False,
    ) -> tuple[MailRecord, ...]:
        """List a cycle's mails, newest first; `after` is moment and id of the last one seen."""
        return self.context.ledger.cycle_mails(
            cycle_id,
            state=state,
            skip=skip,
            after=after,
            at_most=at_most,
            without_applicants=without_applicants,
        )

    def mail(self, cycle_id: str, mail_id: str) -> MailRecord:
        """Read one mail of a cycle."""
        return self.context.ledger.cycle_mail(cycle_id, mail_id)

    def count(self, cycle_id: str) -> dict[str, int]:
        """Count a cycle's mails by state."""
        return self.context.ledger.count_mails(cycle_id)

    def queue_again(self, cycle_id: str, mail_id: str) -> bool:
        """Queue a mail again that failed or was not sent; False when it was neither."""
        queued = self.context.ledger.queue_again(cycle_id, mail_id)
        return self.context.ring_after(cycle_id, queued)

    def queue_all_again(self, cycle_id: str) -> int:
        """Queue every mail again that failed or was not sent; return how many."""
        self.context.ledger.cycle(cycle_id)
        return self.context.ring_after(cycle_id, self.context.ledger.queue_all_again(cycle_id))

    def send_mail(self, mail_id: str) -> bool:
        """Send one mail, at least once; False when it was sent before, or is not sent now.

        A mail that the server does not accept is tried again later, with growing waits; one that
        it refuses for good has failed, and staff see it; one whose recipient it refuses came back
        at once, and none goes to an address that does not exist, until that is settled. Without a
        mail server it is "not sent".
        A letter to an applicant that is no longer true is void.
        """
        mail = self.context.ledger.claim_mail(mail_id)
        if mail is None:
            return False
        if stays := self._stays(mail):
            state, why = stays
            self.context.ledger.mark_mail(mail_id, state, detail=why)
            return False
        filled = self._with_sign_in(mail) if lacks_sign_in(mail.text) else self._with_token(mail)
        if filled is None:
            over = str(Message("link_used"))
            self.context.ledger.mark_mail(mail_id, "void", detail=over)
            return False
        mail, secret = filled
        try:
            self.context.way_out.post(mail)
        except RecipientRefusedError as error:
            said = _hidden(error.said, *secret)
            kind = kind_of(status_in(said), said)
            self.context.ledger.mark_came_back(mail_id, kind, said=said[:LONGEST_ANSWER])
        except MailRefusedError as error:
            self.context.ledger.mark_mail(mail_id, "failed", detail=_hidden(str(error), *secret))
        except UnavailableError as error:
            why = _hidden(str(error), *secret)
            self.context.ledger.put_mail_off(mail_id, why, at_most=MAIL_TRIES)
        else:
            if self.context.mail_leaves:
                self.context.ledger.mark_mail(mail_id, "sent")
                return True
            # A file that nobody outside gets: shown as sent, people would wait for answers.
            self.context.ledger.mark_mail(
                mail_id, NOT_SENT, detail=str(Message("mail_without_server"))
            )
        return False

    def _stays(self, mail: Mail) -> tuple[str, str] | None:
        """Return the state of a mail that must not leave, and why; None for one that may."""
        if self.context.way_out.is_shut(mail.cycle_id):
            # Before a personal link is made: no token of a practice program exists anywhere.
            return NOT_SENT, str(Message("mail_of_practice"))
        # Checked after the claim, at the last moment before SMTP: the list may have changed while
        # it waited.
        if why := contradicts_record(mail.id, ledger=self.context.ledger):
            return "void", str(why)
        # A sign-in mail goes all the same: a person asks for it at this moment, and would stand
        # before a closed door.
        if mail.cycle_id is not None and self.context.ledger.is_dead(mail.to):
            return KEPT_BACK, str(Message("mail_kept_back"))
        return None

    def _with_token(self, mail: Mail) -> tuple[Mail, tuple[str, ...]]:
        """Put a new token into a mail with a personal link; return what opens something, too.

        The stored mail keeps the mask. Each try to send has a token of its own, for only digests
        are known of earlier ones; all of them open the same, so the copies of a mail that left
        twice both work. Without a mail server nobody outside reads the mail, and none is made.
        """
        link = self.context.ledger.link_of_mail(mail.id) if self.context.mail_leaves else None
        if link is None:
            return mail, ()
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self.context.ledger.add_link_token(mail.id, digest_of_token(token))
        text, html = link.fill(mail.text, token), link.fill(mail.html, token)
        return replace(mail, text=text, html=html), (token,)

    def _with_sign_in(self, mail: Mail) -> tuple[Mail, tuple[str, ...]] | None:
        """Put a new link and code into a sign-in mail; None when they would open nothing.

        The stored mail keeps the masks. Without a mail server they are made as well: the file
        that is written instead is the only way in then, and is kept for its administrator alone.
        """
        token = secrets.token_urlsafe(TOKEN_BYTES)
        code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}d}"
        digest = digest_of_token(token)
        typed = digest_of_code(digest, code) if CODE_MASK in mail.text else ""
        request = mail.id.removeprefix(SIGN_IN_MAIL)
        if not self.context.ledger.add_sign_in_token(request, digest, typed):
            return None
        text, html = (fill_sign_in(part, token, code) for part in (mail.text, mail.html))
        return replace(mail, text=text, html=html), (token, code)

    def call_webhook(self, call_id: str) -> bool:
        """Make one webhook call that is due, at least once; False when there was nothing to do.

        A call that is not accepted is made again later, with growing waits, and finally given up.
        While every slot for calls is taken, this webhook's calls wait in the ledger and not in a
        thread that others need.
        """
        with self.context.call_slot() as is_free:
            if is_free:
                return self._call(call_id)
            self.context.ledger.put_calls_off(call_id, seconds=SLOT_SECONDS)
            return False

    def _call(self, call_id: str) -> bool:
        """Make one webhook call inside a slot."""
        call = self.context.ledger.claim_call(call_id)
        if call is None:
            return False
        begun = time.monotonic()
        try:
            answer, done = self.context.way_out.call(call), True
        except StaysInsideError as error:
            # Queued by an earlier release, or by hand: done, since it is never made.
            answer, done = str(error), True
        except UnavailableError as error:
            answer, done = str(error), False
        self.context.ledger.close_call(call, done=done, detail=answer)
        if not done and time.monotonic() - begun > SLOW_SECONDS:
            # Else each event that waits would hold a slot for as long, and other addresses none.
            self.context.ledger.put_calls_off(call.id, seconds=SLOW_WAIT)
        return True

    def send_soon(self) -> None:
        """Wake the coordinator, which sends what waits outside of any cycle."""
        self.context.doorbell.ring("")


def _hidden(text: str, *secret: str) -> str:
    """Mask tokens and codes in what a mail server answers: some quote the mail they refuse."""
    for one in secret:
        text = text.replace(one, MASK)
    return text
