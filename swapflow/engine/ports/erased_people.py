"""What remembers erased people: digests on record, and the key that lies apart from it."""

from collections.abc import Collection
from typing import Protocol

from swapflow.domain.erased_person import ErasedAs, ErasureDigests, RememberedErasure


class ErasureKeys(Protocol):
    """The keys of rounds, in the data folder: backups of the record do not hold them."""

    def find(self, round_id: str) -> bytes | None:
        """Return a round's key; None if there is none here, or it cannot be read."""
        ...

    def make(self, round_id: str) -> bytes:
        """Return a round's key, made when it is first needed.

        Raises:
            UnavailableError: If it can be neither read nor made.
        """
        ...

    def forget(self, round_id: str) -> None:
        """Delete a round's key for good, if there is one.

        Raises:
            UnavailableError: If the file cannot be deleted.
        """
        ...


class ErasureReads(Protocol):
    """The erasures of a round, outside a transaction."""

    def erasures(self, round_id: str) -> tuple[RememberedErasure, ...]:
        """Read the erasures of a round that are remembered, oldest first."""
        ...

    def forget_erasures(self, round_id: str) -> int:
        """Delete the digests of a round; return how many erasures they were of."""
        ...


class ErasureMemory(Protocol):
    """The erasures of the cycle's round, within one transaction."""

    def erasures(self) -> tuple[RememberedErasure, ...]:
        """Read the erasures of the round that are remembered, oldest first."""
        ...

    def remember_erasure(
        self, erased_as: ErasedAs, digests: ErasureDigests, *, key_id: str
    ) -> None:
        """Store the digests of a person who is erased now."""
        ...

    def end_holding(self, erasures: Collection[str]) -> None:
        """Note that staff let these people into this program again, by the ids of erasures.

        Erasures from other programs stay as they are.
        """
        ...
