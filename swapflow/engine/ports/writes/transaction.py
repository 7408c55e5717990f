"""One write to a cycle, by subject."""

from typing import Protocol

from swapflow.engine.ports.writes.cycle import CycleWriting
from swapflow.engine.ports.writes.decisions import DecisionWriting
from swapflow.engine.ports.writes.people import PeopleWriting
from swapflow.engine.ports.writes.requests import RequestWriting


class Transaction(CycleWriting, PeopleWriting, RequestWriting, DecisionWriting, Protocol):
    """One write to a cycle, under the lock of the cycle's row; all of it or nothing.

    No computing, Redis or broker call belongs inside. Methods that move rows are conditional
    updates: they say how many rows they moved, and the caller checks.
    """
