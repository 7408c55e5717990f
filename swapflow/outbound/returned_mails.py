"""Mails that came back, from wherever they come, handed to the service that keeps them."""

from collections import Counter

from swapflow.domain.returned_mail import TakenIn
from swapflow.engine.services.returned_mails import ReturnedMailService
from swapflow.outbound.bounce_mail import read_bounce
from swapflow.outbound.bounce_mailbox import MailboxSettings, read_mailbox


def take_returned_mail(service: ReturnedMailService, raw: bytes) -> TakenIn:
    """Record what a mail says that came to the address of bounces."""
    return service.take(read_bounce(raw))


def read_returned_mails(
    service: ReturnedMailService, settings: MailboxSettings
) -> Counter[TakenIn]:
    """Read the mailbox for mails that come back; count what became of each.

    Raises:
        InvalidInputError: If none is set, or it refuses user, password or folder.
        UnavailableError: If it does not answer.
    """
    counts: Counter[TakenIn] = Counter()

    def take(raw: bytes) -> bool:
        taken = take_returned_mail(service, raw)
        counts[taken] += 1
        return taken is not TakenIn.STRAY

    read_mailbox(settings, take)
    return counts
