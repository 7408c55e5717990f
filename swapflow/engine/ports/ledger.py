"""The durable record outside of a transaction, by subject."""

from typing import Protocol

from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.ports.cycles import Rounds
from swapflow.engine.ports.decisions import Cohorts
from swapflow.engine.ports.outbox import Post
from swapflow.engine.ports.overview import Overview
from swapflow.engine.ports.requests import Requests
from swapflow.engine.ports.reviewer_tasks import Desk


class Ledger(Rounds, Coordination, Requests, Desk, Overview, Cohorts, Post, Protocol):
    """The durable record.

    Raises:
        NotFoundError: From any method, if the cycle does not exist.
        UnavailableError: From any method, if the database does not answer.
    """
