"""Reads and writes of the files that were exchanged with other systems."""

from typing import Protocol

from swapflow.domain.lists.exchanged_file import ExchangedFile, NewExchange


class ExchangeReads(Protocol):
    """Files exchanged with other systems, outside of a transaction."""

    def exchanged(self, cycle_id: str, *, at_most: int = 200) -> tuple[ExchangedFile, ...]:
        """Read a cycle's files, newest first."""
        ...

    def file_digests(self, cycle_id: str) -> dict[tuple[int, str], str]:
        """Return the SHA-256 of each uploaded document, by application and name."""
        ...


class ExchangeWrites(Protocol):
    """Files exchanged with other systems, within one transaction."""

    def insert_exchange(self, new: NewExchange) -> int:
        """Store a file's fate under the next number; return the number."""
        ...

    def finish_exchange(self, number: int, *, by: str) -> int:
        """Store who did what a file left to people; return how many rows that moved."""
        ...

    def announce_files(self, number: int, names: list[str], version: int) -> None:
        """Queue a call of each webhook that is told when files were put out."""
        ...
