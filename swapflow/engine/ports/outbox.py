"""Mails and webhook calls that wait to leave."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from swapflow.domain.webhook_call import WebhookCall
from swapflow.engine.ports.records import (
    Mail,
    MailRecord,
)


class Outbox(Protocol):
    """Mails and calls of webhooks that wait, are under way or are done."""

    def release_letters(self) -> int:
        """Let the letters to applicants go whose moment has come; counts them."""
        ...

    def known_mails(self, ids: Collection[str]) -> frozenset[str]:
        """Say which of these mails are there already, sent or not."""
        ...

    def put_mail_off(self, mail_id: str, why: str, *, at_most: int) -> bool:
        """Let a mail wait for another try; after `at_most` tries it has failed, and False."""
        ...

    def mails(self, *, at_most: int, again_after: float = 0.0) -> tuple[Mail, ...]:
        """Read mails that wait to be sent, oldest first.

        Left out are those whose message was handed to the broker within `again_after` seconds.
        """
        ...

    def mark_relayed(self, ids: Collection[str]) -> None:
        """Note that the messages of these mails have been handed to the broker."""
        ...

    def claim_mail(self, mail_id: str) -> Mail | None:
        """Mark a mail as being sent and read it; None when it was sent already."""
        ...

    def mark_mail(self, mail_id: str, state: str) -> None:
        """Note that a mail was sent ("sent") or refused ("failed: …")."""
        ...

    def queue_calls(self) -> int:
        """Turn events that are new since the last time into calls of webhooks; counts the events.

        A call's id hangs on webhook, cycle and event: two relays make each call once.
        """
        ...

    def due_calls(self, *, again_after: float, at_most: int) -> tuple[str, ...]:
        """Name the calls that are due, soonest first.

        Left out are those whose message was handed to the broker since they became due, unless
        that is longer ago than `again_after` seconds.
        """
        ...

    def mark_calls_relayed(self, ids: Collection[str]) -> None:
        """Note that the messages of these calls have been handed to the broker."""
        ...

    def claim_call(self, call_id: str) -> WebhookCall | None:
        """Take a due call to send it; None when it is done, not due yet or somebody else's."""
        ...

    def close_call(self, call: WebhookCall, *, done: bool, detail: str) -> None:
        """Note what an attempt came to: done, to be made again later, or given up."""
        ...

    def cycle_mails(
        self,
        cycle_id: str,
        *,
        state: str = "",
        skip: int = 0,
        after: tuple[datetime, str] | None = None,
        at_most: int = 50,
    ) -> tuple[MailRecord, ...]:
        """Read a cycle's mails, newest first; a sign-in mail belongs to no cycle.

        Args:
            cycle_id: The cycle.
            state: Only these; "" for all.
            skip: So many are left out at the beginning.
            after: Moment and id of the last one seen; the list goes on behind it.
            at_most: Most mails.
        """
        ...

    def cycle_mail(self, cycle_id: str, mail_id: str) -> MailRecord:
        """Read one mail of a cycle; NotFoundError if it has no such mail."""
        ...

    def count_mails(self, cycle_id: str) -> dict[str, int]:
        """Count a cycle's mails by state."""
        ...

    def queue_again(self, cycle_id: str, mail_id: str) -> bool:
        """Let a mail that failed wait to be sent again; False when it did not fail."""
        ...

    def queue_all_again(self, cycle_id: str) -> int:
        """Let every mail of a cycle that failed wait to be sent again; counts them."""
        ...
