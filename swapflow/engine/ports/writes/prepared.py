"""Writes of decisions that wait for signatures."""

from collections.abc import Collection
from typing import Protocol

from swapflow.engine.ports.records import PreparedDecision


class PreparedWrites(Protocol):
    """The decision that waits for signatures, within one transaction."""

    def prepared(self) -> PreparedDecision | None:
        """Read the decision that waits for signatures; None without one."""
        ...

    def put_prepared(self, new: PreparedDecision, *, signed: Collection[str] = ()) -> None:
        """Store a decision in place of the one before, with its first signatures."""
        ...

    def sign_prepared(self, digest: str, *, by: str) -> bool:
        """Add a signature to the decision with this digest; False when another is prepared."""
        ...

    def drop_prepared(self) -> bool:
        """Withdraw the prepared decision and its signatures; False when there was none."""
        ...
