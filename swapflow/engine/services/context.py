"""The objects that every service needs."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TypeVar

from typing_extensions import override

from swapflow.domain.webhook_call import WebhookCall
from swapflow.engine.ports.automatic_reviewer import AutomaticReviewer, AutomaticReviewers
from swapflow.engine.ports.coordination import EventReads
from swapflow.engine.ports.dispatcher import Dispatcher
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import CycleState, Doorbell
from swapflow.engine.ports.records import Mail
from swapflow.engine.read_models.calibration import Calibration
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.read_models.latest_cache import LatestCache
from swapflow.engine.read_models.list_quality import ListQualities
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.reviewing.task_codes import TaskCodes
from swapflow.errors import NotFoundError, UnavailableError


T = TypeVar("T")

SendMail = Callable[[Mail], None]
"""Sends one mail by SMTP or to the outbox folder; raises UnavailableError or MailRefusedError."""

MAIL_TRIES = 8
"""How often a mail is tried when the server does not accept it: nearly a day of growing waits."""

SendWebhook = Callable[[WebhookCall], str]
"""Makes one webhook call and returns the answer; raises UnavailableError."""


CallSlot = Callable[[], AbstractContextManager[bool]]
"""Takes one of the slots for webhook calls inside the block; False when none is free."""


def free_slot() -> AbstractContextManager[bool]:
    """Return a slot that is always free: the default where one process does everything."""
    return nullcontext(enter_result=True)


def nowhere(call: WebhookCall) -> str:
    """Raise UnavailableError: the default where no webhook can be called."""
    raise UnavailableError("call_not_sent_here", call=call.id)


class NoAutomaticReviewers(AutomaticReviewers):
    """What a product without automatic reviewers has: rosters may name them, none answers."""

    @override
    def check(self, specification: str) -> None:
        pass

    @override
    def name_here(self, specification: str) -> str:
        return specification

    @override
    def find(self, specification: str) -> AutomaticReviewer:
        raise UnavailableError("no_automatic_reviewer_here", reviewer=specification)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceContext:
    """The objects that every service needs.

    Attributes:
        address: Address of the pages; links in mails start with it.
        dashboards: Dashboards built from the ledger, of the cycles read last.
        calibrations: Calibrations of the cycles read last.
        qualities: How good the lists of the cycles read last are.
        codes: The assignments that the codes in addresses name.
        snapshots: Cycles folded from their events.
        automatic_reviewers: The programs that rosters name.
        call_slot: Bounds how many webhook calls are made at the same time.
        events: What a coordinator reads events from; the ledger when None.
        provider: Whether an identity provider is connected: rules may require it only then.
    """

    ledger: Ledger
    state: CycleState
    dispatcher: Dispatcher
    doorbell: Doorbell
    post: SendMail
    send_webhook: SendWebhook = nowhere
    call_slot: CallSlot = free_slot
    automatic_reviewers: AutomaticReviewers = field(default_factory=NoAutomaticReviewers)
    address: str = ""
    provider: bool = False
    events: EventReads | None = None
    lease_seconds: float = 15.0
    resend_seconds: float = 600.0
    dashboards: LatestCache[Dashboard] = field(default_factory=LatestCache)
    calibrations: LatestCache[Calibration] = field(default_factory=LatestCache)
    qualities: ListQualities = field(default_factory=ListQualities)
    codes: TaskCodes = field(default_factory=TaskCodes)
    snapshots: SnapshotCache = field(default_factory=SnapshotCache)

    def reviewer_number(self, cycle_id: str, external_id: str) -> int:
        """Return the number of a roster entry.

        Raises:
            NotFoundError: If the cycle has no such reviewer.
        """
        for reviewer in self.ledger.reviewers(cycle_id):
            if reviewer.external_id == external_id:
                return reviewer.number
        raise NotFoundError("reviewer_not_in_cycle", cycle=cycle_id, reviewer=external_id)

    def ring_after(self, cycle_id: str, result: T) -> T:
        """Ring for the coordinator after a write, and return the write's result."""
        self.doorbell.ring(cycle_id)
        return result
