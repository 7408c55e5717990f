"""The ways out of the house, whose libraries are loaded when something first leaves by them."""

# ruff: noqa: PLC0415 - a command that reads a program sends nothing

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from swapflow.domain.webhook_call import WebhookCall
from swapflow.identity.reach import Reach


if TYPE_CHECKING:
    from collections import Counter

    from swapflow.domain.returned_mail import TakenIn
    from swapflow.engine.ports.health_facts import DoctorFinding
    from swapflow.engine.services.returned_mails import ReturnedMailService
    from swapflow.outbound.bounce_mailbox import MailboxSettings
    from swapflow.outbound.mail import MailSettings, SendMail
    from swapflow.outbound.mail_check import SenderSettings


P = ParamSpec("P")
T = TypeVar("T")


def sender_of(settings: "MailSettings") -> "SendMail":
    """Build what mails of a deployment leave by: its mail server, or files without one."""

    def load() -> "SendMail":
        from swapflow.outbound import mail

        return mail.sender_of(settings)

    return _at_first_use(load)


def webhook_sender(reach: Reach) -> Callable[[WebhookCall], str]:
    """Build the function that sends webhook calls over HTTP, to addresses within reach."""

    def load() -> Callable[[WebhookCall], str]:
        from swapflow.outbound import guarded_client, webhooks

        return webhooks.webhook_sender(guarded_client.GuardedClient(reach))

    return _at_first_use(load)


def scoring_services(reach: Reach) -> Callable[[str, bytes], bytes]:
    """Build the function that asks scoring services, at addresses within reach."""

    def load() -> Callable[[str, bytes], bytes]:
        from swapflow.outbound import guarded_client, scoring_services

        return scoring_services.scoring_services(guarded_client.GuardedClient(reach))

    return _at_first_use(load)


def check_sender(
    settings: "SenderSettings", *, within: float | None = None
) -> "Iterator[DoctorFinding]":
    """Check what receivers check of the sender's domain; see `mail_check.check_sender`."""
    from swapflow.outbound import mail_check

    return mail_check.check_sender(settings, within=within)


def read_returned_mails(
    service: "ReturnedMailService", settings: "MailboxSettings"
) -> "Counter[TakenIn]":
    """Read the mailbox for mails that come back; see `returned_mails.read_returned_mails`."""
    from swapflow.outbound import returned_mails

    return returned_mails.read_returned_mails(service, settings)


def take_returned_mail(service: "ReturnedMailService", raw: bytes) -> "TakenIn":
    """Record what a mail says that came to the address of bounces."""
    from swapflow.outbound import returned_mails

    return returned_mails.take_returned_mail(service, raw)


def mails_in(content: bytes) -> Iterator[bytes]:
    """Yield the mails of a file: all of an mbox, else the one that it is."""
    from swapflow.outbound import bounce_mail

    return bounce_mail.mails_in(content)


def _at_first_use(load: Callable[[], Callable[P, T]]) -> Callable[P, T]:
    loaded = cache(load)

    def way_out(*args: P.args, **kwargs: P.kwargs) -> T:
        return loaded()(*args, **kwargs)

    return way_out
