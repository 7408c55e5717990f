"""One write to a cycle, by subject."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from swapflow.engine.ports.erased_people import ErasureMemory
from swapflow.engine.ports.retention import RetentionWrites
from swapflow.engine.ports.writes.cycle import CycleWrites
from swapflow.engine.ports.writes.decisions import DecisionWrites
from swapflow.engine.ports.writes.exchange import ExchangeWrites
from swapflow.engine.ports.writes.held_acts import HeldActWrites
from swapflow.engine.ports.writes.people import PeopleWrites
from swapflow.engine.ports.writes.practice import PracticeWrites
from swapflow.engine.ports.writes.prepared import PreparedWrites
from swapflow.engine.ports.writes.requests import RequestWrites


class Transaction(
    CycleWrites,
    PeopleWrites,
    ErasureMemory,
    RequestWrites,
    DecisionWrites,
    PreparedWrites,
    HeldActWrites,
    RetentionWrites,
    PracticeWrites,
    ExchangeWrites,
    Protocol,
):
    """One write to a cycle, under the lock of the cycle's row; all of it or nothing.

    Computation, Redis and broker calls do not belong inside: the lock is held meanwhile. Methods
    that move rows are conditional updates: they return how many rows they moved, and the caller
    checks.
    """


Write: TypeAlias = AbstractContextManager[Transaction]
"""A write that has not begun: entering it locks the cycle's row, leaving it commits."""

WriteHook: TypeAlias = Callable[[str, Write], Write]
"""Wraps a write to the cycle of that id, to act before and after its commit."""


def write_alone(cycle_id: str, write: Write) -> Write:  # noqa: ARG001 - a hook takes both
    """Return the write as it is: the hook of a ledger around which nothing happens."""
    return write


def join_write_hooks(hooks: Sequence[WriteHook]) -> WriteHook:
    """Build one hook of several; the last one is outermost."""

    def joined(cycle_id: str, write: Write) -> Write:
        for hook in hooks:
            write = hook(cycle_id, write)
        return write

    return joined
