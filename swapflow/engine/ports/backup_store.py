"""Where backups lie: how one is made, opened again and deleted."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from swapflow.engine.ports.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCopy:
    """A file that holds the whole database as of a moment.

    Attributes:
        name: Its name, without a folder.
        is_backup: False for a file that a restore or an upgrade set aside.
    """

    name: str
    made_at: datetime
    size: int
    is_backup: bool


class BackupStore(Protocol):
    """The folder of backups.

    Raises:
        UnavailableError: From any method, if disk or database does not do it.
    """

    def copies(self) -> tuple[StoredCopy, ...]:
        """List every copy of the database, newest first."""
        ...

    def delete(self, copy: StoredCopy) -> None:
        """Delete a copy; one that is gone already is no error."""
        ...

    def expected_size(self) -> int:
        """Return about how many bytes the next backup takes."""
        ...

    def written(self, name: str) -> int:
        """Return how many bytes of a backup that is being made are on disk."""
        ...

    def make(self, name: str) -> StoredCopy:
        """Copy the database as of one moment, while others go on writing.

        The copy has its name only once it is whole and on disk.
        """
        ...

    def opened(self, name: str) -> AbstractContextManager[Ledger]:
        """Restore a copy beside everything else, and open it; it is deleted afterwards.

        Raises:
            NotFoundError: If there is no such copy.
            InvalidInputError: If it is damaged, or from a newer version.
        """
        ...
