"""One write to a cycle, by subject."""

from typing import Protocol

from swapflow.engine.ports.writes.cycle import CycleWrites
from swapflow.engine.ports.writes.decisions import DecisionWrites
from swapflow.engine.ports.writes.people import PeopleWrites
from swapflow.engine.ports.writes.requests import RequestWrites


class Transaction(CycleWrites, PeopleWrites, RequestWrites, DecisionWrites, Protocol):
    """One write to a cycle, under the lock of the cycle's row; all of it or nothing.

    Computation, Redis and broker calls do not belong inside: the lock is held meanwhile. Methods
    that move rows are conditional updates: they return how many rows they moved, and the caller
    checks.
    """
