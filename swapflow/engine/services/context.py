"""The objects that every service needs."""

import secrets
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeVar

from typing_extensions import override

from swapflow.domain.webhook_call import WebhookCall
from swapflow.engine.notifications.office_contact import OfficeContact
from swapflow.engine.ports.automatic_reviewer import (
    AnswerTurns,
    AutomaticReviewer,
    AutomaticReviewers,
)
from swapflow.engine.ports.backup_store import BackupStore
from swapflow.engine.ports.coordination import EventReads
from swapflow.engine.ports.dispatcher import Dispatcher
from swapflow.engine.ports.erased_people import ErasureKeys
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import CycleState, Doorbell
from swapflow.engine.read_models.calibration import Calibration
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.read_models.estimate_way import WaysSoon
from swapflow.engine.read_models.latest_cache import LatestCache
from swapflow.engine.read_models.list_quality import ListQualities
from swapflow.engine.read_models.people.applicant_table import ApplicantTable
from swapflow.engine.read_models.people.known_decisions import KnownDecisions
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.reviewing.shared_submits import SharedSubmits
from swapflow.engine.reviewing.task_codes import TaskCodes
from swapflow.engine.services.way_out import SendMail, SendWebhook, WayOut
from swapflow.errors import NotFoundError, UnavailableError


T = TypeVar("T")

MAIL_TRIES = 8
"""How often a mail is tried when the server does not accept it: nearly a day of growing waits."""

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


class AnswerTurnsOfOneProcess(AnswerTurns):
    """Turns among the threads of one process: the default where one process does everything."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._taken: set[str] = set()
        self._waiting: defaultdict[str, set[str]] = defaultdict(set)

    @override
    @contextmanager
    def turn(self, reviewer: str, cycle_id: str) -> Iterator[bool]:
        with self._mutex:
            is_free = reviewer not in self._taken
            if is_free:
                self._taken.add(reviewer)
            else:
                self._waiting[reviewer].add(cycle_id)
        try:
            yield is_free
        finally:
            if is_free:
                with self._mutex:
                    self._taken.remove(reviewer)

    @override
    def take_waiting(self, reviewer: str) -> frozenset[str]:
        with self._mutex:
            return frozenset(self._waiting.pop(reviewer, ()))


class ErasureKeysInMemory(ErasureKeys):
    """Keys that end with the process: the default where nothing outlives it."""

    def __init__(self) -> None:
        self._keys: dict[str, bytes] = {}

    @override
    def find(self, round_id: str) -> bytes | None:
        return self._keys.get(round_id)

    @override
    def make(self, round_id: str) -> bytes:
        return self._keys.setdefault(round_id, secrets.token_bytes(32))

    @override
    def forget(self, round_id: str) -> None:
        self._keys.pop(round_id, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceContext:
    """The objects that every service needs.

    Attributes:
        mail_leaves: Whether `post` hands mails to a server; otherwise it only keeps them as files.
        address: Address of the pages; links in mails start with it.
        dashboards: Dashboards built from the ledger, of the cycles read last.
        tables: Tables of applicants, of the cycles read last.
        decisions: The decisions read last.
        ways: Ways from mean to estimate that are being computed.
        calibrations: Calibrations of the cycles read last.
        qualities: How good the lists of the cycles read last are.
        codes: The assignments that the codes in addresses name.
        submits: The submits that are under way; those that wait share a commit.
        snapshots: Cycles folded from their events.
        automatic_reviewers: The programs that rosters name.
        answer_turns: Bounds how many threads ask one of them at the same time.
        call_slot: Bounds how many webhook calls are made at the same time.
        erasure_keys: The keys of rounds, by which erased people are recognised in lists.
        events: What a coordinator reads events from; the ledger when None.
        office: How the office is named to reviewers and applicants.
        backups: Where backups lie; None where the record is in memory.
        provider: Whether an identity provider is connected: rules may require it only then.
        way_out: By which services send, call and ask; `post`, `send_webhook` and what finds
            automatic reviewers are its own and nobody else's.
    """

    ledger: Ledger
    state: CycleState
    dispatcher: Dispatcher
    doorbell: Doorbell
    post: SendMail
    send_webhook: SendWebhook = nowhere
    call_slot: CallSlot = free_slot
    automatic_reviewers: AutomaticReviewers = field(default_factory=NoAutomaticReviewers)
    answer_turns: AnswerTurns = field(default_factory=AnswerTurnsOfOneProcess)
    erasure_keys: ErasureKeys = field(default_factory=ErasureKeysInMemory)
    mail_leaves: bool = True
    address: str = ""
    office: OfficeContact = field(default_factory=OfficeContact)
    provider: bool = False
    backups: BackupStore | None = None
    events: EventReads | None = None
    lease_seconds: float = 15.0
    move_seconds: float = 60.0
    resend_seconds: float = 600.0
    undo: timedelta = timedelta()
    dashboards: LatestCache[Dashboard] = field(default_factory=LatestCache)
    tables: LatestCache[ApplicantTable] = field(default_factory=LatestCache)
    decisions: KnownDecisions = field(default_factory=KnownDecisions)
    ways: WaysSoon = field(default_factory=WaysSoon)
    calibrations: LatestCache[Calibration] = field(default_factory=LatestCache)
    qualities: ListQualities = field(default_factory=ListQualities)
    codes: TaskCodes = field(default_factory=TaskCodes)
    submits: SharedSubmits = field(default_factory=SharedSubmits)
    snapshots: SnapshotCache = field(default_factory=SnapshotCache)
    way_out: WayOut = field(init=False)

    def __post_init__(self) -> None:
        """Lay the way out over this context's own doors."""
        object.__setattr__(self, "way_out", WayOut(doors=self))

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
