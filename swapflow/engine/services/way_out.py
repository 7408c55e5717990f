"""The one way by which anything leaves a program: mails, webhook calls, questions to services.

Services hand over what is to leave and never ask first: for a practice program the way is shut
here, whatever led to it, and so it is for what will be sent one day by code not yet written.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from swapflow.domain.webhook_call import WebhookCall
from swapflow.engine.copies.practice_program import INVENTED
from swapflow.engine.ports.automatic_reviewer import AutomaticReviewer, AutomaticReviewers
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.records import Mail
from swapflow.errors import ConflictError, InvalidInputError


SendMail = Callable[[Mail], None]
"""Sends one mail by SMTP or to the outbox folder; raises UnavailableError or MailRefusedError."""

SendWebhook = Callable[[WebhookCall], str]
"""Makes one webhook call and returns the answer; raises UnavailableError."""


class StaysInsideError(ConflictError):
    """What was to leave belongs to a practice program."""

    def __init__(self, cycle_id: str) -> None:
        super().__init__("practice_stays_inside", cycle=cycle_id)


class _Doors(Protocol):
    """What leads outside, as a deployment was put together."""

    @property
    def ledger(self) -> CycleReads:
        """The durable record."""
        ...

    @property
    def post(self) -> SendMail:
        """Sends a mail."""
        ...

    @property
    def send_webhook(self) -> SendWebhook:
        """Makes a webhook call."""
        ...

    @property
    def automatic_reviewers(self) -> AutomaticReviewers:
        """The programs that rosters name, services on other hosts among them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WayOut:
    """The way out of every program; shut for practice programs.

    Attributes:
        doors: What leads outside.
    """

    doors: _Doors
    _real: set[str] = field(default_factory=set)

    def is_shut(self, cycle_id: str | None) -> bool:
        """Whether nothing of a cycle leaves; None, what belongs to no cycle, always may.

        Raises:
            NotFoundError: If there is no such cycle.
        """
        if cycle_id is None or cycle_id in self._real:
            return False
        if self.doors.ledger.cycle(cycle_id).is_practice:
            return True
        # Kept for real ones alone: such a program is never deleted, so the id stays its own.
        self._real.add(cycle_id)
        return False

    def post(self, mail: Mail) -> None:
        """Send a mail.

        Raises:
            StaysInsideError: If it is of a practice program.
            UnavailableError: If it cannot be sent now.
            MailRefusedError: If the mail server refuses it for good.
        """
        self._require_open(mail.cycle_id)
        self.doors.post(mail)

    def call(self, call: WebhookCall) -> str:
        """Make a webhook call and return the answer.

        Raises:
            StaysInsideError: If it tells of a practice program.
            UnavailableError: If it is not accepted now.
        """
        self._require_open(call.cycle_id or None)
        return self.doors.send_webhook(call)

    def reviewer(self, cycle_id: str, specification: str) -> AutomaticReviewer:
        """Return the program that answers for a roster entry of a cycle.

        Raises:
            StaysInsideError: If the cycle is for practice and the program is another than the
                one that invents marks.
            InvalidInputError: If it may not be asked.
            NotFoundError: If its file is missing.
        """
        is_invented = specification.startswith(INVENTED)
        if not is_invented:
            self._require_open(cycle_id)
        elif not self.is_shut(cycle_id):
            raise InvalidInputError("automatic_reviewer_unknown", specification=specification)
        return self.doors.automatic_reviewers.find(specification)

    def _require_open(self, cycle_id: str | None) -> None:
        if cycle_id is not None and self.is_shut(cycle_id):
            raise StaysInsideError(cycle_id)
