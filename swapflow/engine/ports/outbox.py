"""Mails and webhook calls that wait to leave."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from swapflow.domain.personal_link import PersonalLink
from swapflow.domain.returned_mail import (
    Bounce,
    BounceKind,
    ReturnedMail,
    StrayBounces,
)
from swapflow.domain.webhook_call import WebhookCall
from swapflow.engine.ports.records import (
    Mail,
    MailRecord,
    OutboxWork,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLink:
    """A personal link that a token opens.

    Attributes:
        to: The address that its mail went to.
        made_at: When the token left.
    """

    link: PersonalLink
    to: str
    made_at: datetime


class PersonalLinks(Protocol):
    """The links in mails that are for one person alone."""

    def link_of_mail(self, mail_id: str) -> PersonalLink | None:
        """Read the personal link of a mail; None for a mail without one."""
        ...

    def add_link_token(self, mail_id: str, digest: str) -> None:
        """Store the digest of a token that is about to leave in a mail."""
        ...

    def add_sign_in_token(self, request: str, digest: str, code: str) -> bool:
        """Store the digests of a sign-in link's token and code, which are about to leave.

        A mail that left twice has two of each, and all are used up with the first that is used.

        Args:
            request: The digest of the request for the link.
            digest: That of the token.
            code: That of the code; not stored for an invitation, which has none.

        Returns:
            False when the request was answered, has run out or was taken back meanwhile.
        """
        ...

    def personal_link(self, digest: str) -> FoundLink | None:
        """Find a link by the digest of a token; None for one unknown, or of an erased person."""
        ...

    def use_personal_link(self, mail_id: str) -> bool:
        """Use the link of a mail to sign in; False when it was used before."""
        ...


class ReturnedMails(Protocol):
    """Mails that came back; what was told of them twice is there once."""

    def mail_of_code(self, code: str) -> str | None:
        """Find the id of the mail with a code; None for no mail."""
        ...

    def mark_came_back(self, mail_id: str, kind: BounceKind, *, said: str) -> bool:
        """Record that a mail came back; False when that was known, or has been settled.

        A mail that goes out again meanwhile, or was taken back, stays as it is.
        """
        ...

    def is_dead(self, address: str) -> bool:
        """Whether a mail came back since the address does not exist, and nobody has settled it."""
        ...

    def returned_mails(self, cycle_id: str | None) -> tuple[ReturnedMail, ...]:
        """Read the mails of a cycle that came back and wait for staff, newest first.

        Args:
            cycle_id: The cycle; None for those that belong to none.
        """
        ...

    def settle_returned(self, cycle_id: str | None, addresses: Collection[str]) -> int:
        """Mark the mails of a cycle settled that came back from these; return how many."""
        ...

    def add_stray(self, bounce: Bounce) -> bool:
        """Store that a report fits none of our mails; False when it was known."""
        ...

    def stray_bounces(self) -> StrayBounces:
        """Count the reports that fit none of our mails."""
        ...

    def drop_strays(self) -> int:
        """Forget the reports that fit none of our mails; return how many there were."""
        ...


class Outbox(PersonalLinks, ReturnedMails, Protocol):
    """Mails and webhook calls that wait, are being sent or are done."""

    def outbox_work(self, *, again_after: float) -> OutboxWork:
        """Read what waits to leave: most looks find nothing.

        Args:
            again_after: Seconds after which a message without effect is sent again.
        """
        ...

    def release_letters(self) -> int:
        """Queue the held letters to applicants that are due; return how many."""
        ...

    def known_mails(self, ids: Collection[str]) -> frozenset[str]:
        """Return which of these mails exist already, sent or not."""
        ...

    def put_mail_off(self, mail_id: str, why: str, *, at_most: int) -> bool:
        """Queue a mail for another try; after `at_most` tries mark it failed and return False."""
        ...

    def mails(self, *, at_most: int, again_after: float = 0.0) -> tuple[Mail, ...]:
        """Read mails that wait to be sent: those of the office first, then oldest first.

        Left out are those whose message was handed to the broker within `again_after` seconds.
        """
        ...

    def mark_relayed(self, ids: Collection[str]) -> None:
        """Record that the messages of these mails have been handed to the broker."""
        ...

    def claim_mail(self, mail_id: str) -> Mail | None:
        """Mark a mail as being sent and read it; None when it was sent already.

        Its code is made at the first claim and stays: sent twice after a crash, it is one mail.
        """
        ...

    def mark_mail(self, mail_id: str, state: str, *, detail: str = "") -> None:
        """Record that a mail was sent, refused ("failed") or kept ("not sent"), and why."""
        ...

    def queue_calls(self, *, without: Collection[str] = ()) -> int:
        """Create webhook calls for events new since the last time; return the event count.

        A call's id follows from webhook, cycle and event: two relays make each call once.

        Args:
            without: Cycles that are left out.

        Raises:
            DamagedRecordError: If an event of a cycle cannot be read; those of all others have
                been queued.
        """
        ...

    def due_calls(self, *, again_after: float, at_most: int) -> tuple[str, ...]:
        """List the calls that are due, soonest first.

        Left out are those whose message was handed to the broker since they became due, unless
        that is longer ago than `again_after` seconds.
        """
        ...

    def mark_calls_relayed(self, ids: Collection[str]) -> None:
        """Record that the messages of these calls have been handed to the broker."""
        ...

    def claim_call(self, call_id: str) -> WebhookCall | None:
        """Claim a due call to send it; None when it is done, not due yet or claimed by another."""
        ...

    def put_calls_off(self, call_id: str, *, seconds: float) -> None:
        """Put off this call and all that are due of the same webhook; no attempt is counted."""
        ...

    def close_call(self, call: WebhookCall, *, done: bool, detail: str) -> None:
        """Record how an attempt ended: done, to be made again later, or given up."""
        ...

    def cycle_mails(
        self,
        cycle_id: str,
        *,
        state: str = "",
        skip: int = 0,
        after: tuple[datetime, str] | None = None,
        at_most: int = 50,
        without_applicants: bool = False,
    ) -> tuple[MailRecord, ...]:
        """Read a cycle's mails, newest first; a sign-in mail belongs to no cycle.

        Args:
            cycle_id: The cycle.
            state: Only these; "" for all.
            skip: How many to leave out at the beginning.
            after: Moment and id of the last one seen; the list goes on behind it.
            at_most: Most mails.
            without_applicants: Whether those to applicants about their interviews are left out.
        """
        ...

    def cycle_mail(self, cycle_id: str, mail_id: str) -> MailRecord:
        """Read one mail of a cycle; NotFoundError if it has no such mail."""
        ...

    def count_mails(self, cycle_id: str) -> dict[str, int]:
        """Count a cycle's mails by state."""
        ...

    def queue_again(self, cycle_id: str, mail_id: str) -> bool:
        """Queue a mail again that failed or was not sent; False when it was neither."""
        ...

    def queue_all_again(self, cycle_id: str) -> int:
        """Queue every mail of a cycle again that failed or was not sent; return how many."""
        ...
