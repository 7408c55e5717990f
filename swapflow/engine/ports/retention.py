"""What is kept for how long: rules, holds and deletions of rounds."""

from typing import Protocol

from swapflow.domain.people.kept_data import (
    Deletion,
    KeptData,
    LegalHold,
    RetentionRule,
    Spared,
)


class RetentionReads(Protocol):
    """Rules, holds and deletions of rounds, outside a transaction."""

    def retention_rules(self, round_id: str) -> tuple[RetentionRule, ...]:
        """Read the rules in force, one a kind at most."""
        ...

    def set_retention(self, round_id: str, kind: KeptData, days: int | None, *, by: str) -> None:
        """Store a rule; the earlier ones of its kind stay on record."""
        ...

    def deletions(self, round_id: str) -> tuple[Deletion, ...]:
        """Read what was deleted, newest first."""
        ...

    def record_deletion(
        self, round_id: str, rule: RetentionRule, count: int, *, cycle_id: str = ""
    ) -> None:
        """Store that a rule deleted something outside of a program's transaction."""
        ...

    def legal_holds(self, round_id: str) -> tuple[LegalHold, ...]:
        """Read every hold, those that were lifted too, newest first."""
        ...

    def place_hold(
        self,
        round_id: str,
        *,
        cycle_id: str,
        application: int | None,
        reviewer: int | None,
        by: str,
        reason: str,
    ) -> int:
        """Store a hold and return its number."""
        ...

    def lift_hold(self, round_id: str, hold: int, *, by: str, reason: str) -> bool:
        """End a hold; return False if the round has none of this number that lasts."""
        ...

    def erasing_on_hold(self, cycle_id: str) -> bool:
        """Whether staff put erasure in a whole program on hold."""
        ...

    def kept_rows(self, cycle_id: str, kind: KeptData, *, spared: Spared) -> int:
        """Count the rows that a rule would delete, without those of spared people."""
        ...


class RetentionWrites(Protocol):
    """Deletion by a rule, within one transaction."""

    def legal_holds(self) -> tuple[LegalHold, ...]:
        """Read the holds of the cycle's round that last."""
        ...

    def holds_about(
        self, *, application: int | None = None, reviewer: int | None = None
    ) -> tuple[LegalHold, ...]:
        """Read the holds that last and keep what is stored about one person of the cycle.

        Those on the round or the program, on the person, on a reviewer who was asked about the
        applicant, and on an applicant about whom the reviewer was asked.
        """
        ...

    def delete_kept(self, rule: RetentionRule, *, spared: Spared) -> int:
        """Delete one kind of data and store that it was done; return how many rows.

        Scores, events and digests stay, so that the record replays and verifies.
        """
        ...
