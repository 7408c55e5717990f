"""Queues the mails about what waits for people, beside a coordinator's turns."""

import time
from collections.abc import Callable, Iterator
from functools import partial

from swapflow.engine.services import Swapflow
from swapflow.identity.services import Office
from swapflow.processes.beside.now_and_then import Clock, NowAndThen


SIGNERS_EVERY = 30.0
"""Seconds between two looks at what waits for signatures."""

DIGESTS_EVERY = 600.0
"""Seconds between two looks at whose mail of the day is due."""


def to_do_mails(
    product: Swapflow, office: Office, *, hour: int, clock: Clock = time.monotonic
) -> Iterator[NowAndThen]:
    """Return the looks for people to write to; ids tell mails apart, so each leaves once.

    Args:
        product: The deployment.
        office: Its office.
        hour: From when on the mail of the day is written; -1 for never.
        clock: What seconds are counted on.
    """
    pending, site = product.pending, product.address

    def mail_signers() -> int:
        return office.to_do.mail_signers(pending, site=site)

    def mail_digests() -> int:
        return office.to_do.mail_digests(pending, site=site, hour=hour)

    queues = [
        (mail_signers, SIGNERS_EVERY),
        *([(mail_digests, DIGESTS_EVERY)] if hour >= 0 else []),
    ]
    for queue, every in queues:
        yield NowAndThen(
            look=partial(_send_queued, product, queue),
            every=every,
            event="to_do_mail",
            failed="no mail about what waits",
            clock=clock,
        )


def _send_queued(product: Swapflow, queue: Callable[[], int]) -> None:
    if queue():
        product.outbox.send_soon()
