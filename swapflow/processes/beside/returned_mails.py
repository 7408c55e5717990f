"""Reads the mailbox for mails that come back beside a coordinator's turns, in a thread."""

import time

from swapflow.bootstrap import read_returned_mails
from swapflow.engine.services import Swapflow
from swapflow.processes.beside.now_and_then import Clock, NowAndThen
from swapflow.settings import Settings


def returned_mails(
    product: Swapflow, settings: Settings, *, clock: Clock = time.monotonic
) -> NowAndThen:
    """Return the look into the mailbox; a mail that is read twice is one line."""

    def read() -> None:
        read_returned_mails(product.returned_mails, settings)

    return NowAndThen(
        look=read,
        every=settings.bounce_imap_seconds,
        event="bounce_mailbox",
        failed="the mailbox of mails that come back was not read",
        in_thread=True,
        clock=clock,
    )
