"""Queues the mails about what waits for people, beside a coordinator's turns."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from swapflow.engine.services import Swapflow
from swapflow.errors import SwapflowError
from swapflow.identity.services import Office


SIGNERS_EVERY = 30.0
"""Seconds between two looks at what waits for signatures."""

DIGESTS_EVERY = 600.0
"""Seconds between two looks at whose mail of the day is due."""

log = structlog.get_logger()


@dataclass(slots=True, kw_only=True)
class ToDoMails:
    """Looks now and then for people to write to; several coordinators may: ids tell mails apart.

    Attributes:
        hour: From when on the mail of the day is written; -1 for never.
        clock: Seconds of a clock that never goes back.
    """

    product: Swapflow
    office: Office
    hour: int
    clock: Callable[[], float] = time.monotonic
    _due: dict[str, float] = field(default_factory=dict)

    def look(self) -> None:
        """Queue what is due; what keeps one mail from being written must stop no coordinator."""
        pending, site = self.product.pending, self.product.address
        if self._is_due("signers", SIGNERS_EVERY):
            self._do(lambda: self.office.to_do.mail_signers(pending, site=site))
        if self.hour >= 0 and self._is_due("digests", DIGESTS_EVERY):
            self._do(lambda: self.office.to_do.mail_digests(pending, site=site, hour=self.hour))

    def _is_due(self, what: str, every: float) -> bool:
        now = self.clock()
        if now < self._due.get(what, now):
            return False
        self._due[what] = now + every
        return True

    def _do(self, queue: Callable[[], int]) -> None:
        try:
            if queue():
                self.product.outbox.send_soon()
        except SwapflowError as error:
            log.warning("no mail about what waits", event_name="to_do_mail", why=str(error))
