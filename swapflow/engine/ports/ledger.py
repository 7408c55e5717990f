"""The durable record outside of a transaction, by subject."""

from typing import Protocol

from swapflow.engine.ports.backups import BackupRecord
from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.erased_people import ErasureReads
from swapflow.engine.ports.held_acts import HeldActReads
from swapflow.engine.ports.outbox import Outbox
from swapflow.engine.ports.overview import OverviewReads
from swapflow.engine.ports.requests import RequestReads
from swapflow.engine.ports.retention import RetentionReads
from swapflow.engine.ports.reviewer_tasks import ReviewerTasks
from swapflow.engine.ports.writes.exchange import ExchangeReads
from swapflow.engine.ports.writes.practice import PracticeReads


class Ledger(
    CycleReads,
    Coordination,
    RequestReads,
    ReviewerTasks,
    OverviewReads,
    DecisionReads,
    Outbox,
    ErasureReads,
    HeldActReads,
    RetentionReads,
    BackupRecord,
    PracticeReads,
    ExchangeReads,
    Protocol,
):
    """The durable record.

    Raises:
        NotFoundError: From any method, if the cycle does not exist.
        UnavailableError: From any method, if the database does not answer.
    """
