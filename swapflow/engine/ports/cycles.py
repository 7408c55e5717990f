"""What a reader of rounds and cycles needs from the record."""

from collections.abc import Collection
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from swapflow.domain.cycle import Cycle, Round
from swapflow.domain.rules import Rules
from swapflow.engine.ports.records import (
    RulesVersion,
)
from swapflow.engine.ports.writes.transaction import Transaction


class CycleReads(Protocol):
    """Rounds, cycles and their rules."""

    def now(self) -> datetime:
        """The database's time plus the offset that tests set; aware UTC."""
        ...

    def one_moment(self) -> AbstractContextManager[None]:
        """Read everything in this thread as of one moment, until the block ends.

        It is cheaper besides. Nothing may be written meanwhile.
        """
        ...

    def create_round(self, new: Round) -> None:
        """Store a round; an existing id raises InvalidInputError."""
        ...

    def rounds(self) -> tuple[Round, ...]:
        """Read the rounds, oldest first."""
        ...

    def create_cycle(
        self,
        cycle_id: str,
        *,
        round_id: str,
        name: str,
        rules: Rules,
        by: str,
        practice_of: str = "",
        rights_of: str = "",
        unit: str = "",
    ) -> None:
        """Store a cycle in DRAFT with its first rules; an existing id raises.

        Args:
            cycle_id: The new cycle.
            round_id: Its round.
            name: Its name.
            rules: Its first rules.
            by: Who makes it.
            practice_of: The cycle that it is a practice program of; "" for a real one.
            rights_of: The cycle whose own rights people get here too; "" for none.
            unit: The unit of its round that it belongs to; "" for none. One that the round does
                not have raises.
        """
        ...

    def throw_away(self, cycle_id: str) -> None:
        """Delete a practice program with everything in it, in one transaction.

        Only what the audit log says of it stays: who made it, and who threw it away.

        Raises:
            NotFoundError: If there is no such cycle.
            ConflictError: If it is a real one; nothing is changed.
        """
        ...

    def cycle(self, cycle_id: str) -> Cycle:
        """Read a cycle's row."""
        ...

    def cycles(
        self, *, without: Collection[str] = (), only: Collection[str] | None = None
    ) -> tuple[Cycle, ...]:
        """Read the rows of all cycles, or of some, but those left out, oldest first.

        Raises:
            DamagedRecordError: If a row cannot be read; names the first cycle of which that is so.
        """
        ...

    def write(
        self, cycle_id: str, *, epoch: int | None = None
    ) -> AbstractContextManager[Transaction]:
        """Open a transaction that locks the cycle's row first.

        Args:
            cycle_id: The cycle.
            epoch: The lease's epoch, for writes that only the coordinator may make.

        Raises:
            LeaseLostError: If the cycle's epoch is another one.
        """
        ...

    def rules(self, cycle_id: str, version: int = 0) -> Rules:
        """Read a rules version, 0 for the current one."""
        ...

    def rules_history(self, cycle_id: str) -> tuple[RulesVersion, ...]:
        """Read every version of a cycle's rules, newest first."""
        ...

    def compact(self) -> None:
        """Make erased data unreadable on disk as well, as far as the database can."""
        ...
