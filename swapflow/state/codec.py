"""Integers as the live state stores and exchanges them.

Lua's numbers are doubles, exact to 2^53 only. So 64-bit integers travel to the scripts as decimal
strings, and come back as the packed big-endian strings that BITFIELD works on.
"""

from collections.abc import Iterable

import numpy as np

from swapflow.domain.cycle import Position
from swapflow.domain.fixed_point import Delta
from swapflow.engine.ports.live_state import Changes, Integers
from swapflow.errors import InvalidInputError


LARGEST = 2**63 - 1
"""Largest integer of the live state. Its negative is the least *change*: changes can be undone."""

MOST_ARMS = 1_000_000
"""Most applications of a cycle: 8 MB a string; a wild number must not ask for gigabytes."""

PACKED = np.dtype(">i8")
"""One arm's integer in a packed string."""


def check_changes(changes: Changes) -> None:
    """Raise for changes that no ledger of ours can hold, before anything is written.

    Raises:
        InvalidInputError: If an arm's number or an integer is out of range, or an arm occurs
            twice.
    """
    seen: set[int] = set()
    for delta in changes.deltas:
        if not 0 <= delta.application < MOST_ARMS:
            raise InvalidInputError(
                "live_application_out_of_range", application=delta.application, most=MOST_ARMS - 1
            )
        # The twin in memory adds to the old sums at once: a second change of an arm would be lost.
        if delta.application in seen:
            raise InvalidInputError("live_application_twice", application=delta.application)
        seen.add(delta.application)
        for integer in (delta.numerator, delta.information, delta.pending):
            _check_integer(integer)
    _check_integer(changes.spent)
    _check_integer(changes.committed)


def arms_needed(deltas: Iterable[Delta]) -> int:
    """Count the arms that must exist for these deltas."""
    return max((delta.application + 1 for delta in deltas), default=0)


def changes_arguments(changes: Changes, *, before: Position, after: Position) -> list[str]:
    """Build the arguments of `scripts/apply.lua` for changes."""
    # In the order in which the script reads them; it knows them by place alone.
    arguments = [
        str(before.seq),
        before.hash,
        str(after.seq),
        after.hash,
        str(changes.spent),
        str(changes.committed),
        str(arms_needed(changes.deltas)),
    ]
    for delta in changes.deltas:
        arguments += [
            str(delta.application),
            str(delta.numerator),
            str(delta.information),
            str(delta.pending),
        ]
    return arguments


def pack(integers: Integers) -> bytes:
    """Pack integers as BITFIELD i64 reads them."""
    return integers.astype(PACKED).tobytes()


def unpack(packed: bytes) -> Integers:
    """Read a packed string; the array belongs to the caller."""
    # A copy: numpy makes what it reads from bytes read-only.
    return np.frombuffer(packed, dtype=PACKED).astype(np.int64)


def _check_integer(integer: int) -> None:
    if not -LARGEST <= integer <= LARGEST:
        raise InvalidInputError("live_number_too_large", number=integer)
