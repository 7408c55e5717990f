"""What rounds keep for how long, what goes when, and holds that keep it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from swapflow.domain.people.kept_data import Deletion, KeptData, LegalHold, RetentionRule
from swapflow.engine.lifecycle import retention
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionService:
    """What rounds keep for how long, what goes when, and holds that keep it."""

    context: ServiceContext

    def preview(self, round_id: str) -> tuple[retention.Foreseen, ...]:
        """Tell of each kind of data of a round when it goes, and how much that is now."""
        return retention.preview(
            round_id, ledger=self.context.ledger, backups=self.context.backups
        )

    def set_rule(
        self, round_id: str, kind: KeptData, days: int | None, *, by: str, made_from: str = ""
    ) -> None:
        """Keep a kind of data for some days after the round ended; None keeps it."""
        retention.set_rule(
            round_id, kind, days, by=by, ledger=self.context.ledger, made_from=made_from
        )

    def round_ended(self, round_id: str) -> datetime | None:
        """Return when the last list of a round became final; None while one is not."""
        return retention.round_ended(round_id, ledger=self.context.ledger)

    def rules(self, round_id: str) -> tuple[RetentionRule, ...]:
        """Read the rules of a round that are in force."""
        return self.context.ledger.retention_rules(round_id)

    def deletions(self, round_id: str) -> tuple[Deletion, ...]:
        """Read what was deleted in a round, newest first."""
        return self.context.ledger.deletions(round_id)

    def holds(self, round_id: str) -> tuple[LegalHold, ...]:
        """Read the legal holds of a round, those that were lifted too, newest first."""
        return self.context.ledger.legal_holds(round_id)

    def place_hold(
        self, round_id: str, target: retention.HoldTarget, *, by: str, reason: str
    ) -> int:
        """Keep a round, a program or a person from being deleted; return the hold's number."""
        return retention.place_hold(
            round_id, target, by=by, reason=reason, ledger=self.context.ledger
        )

    def lift_hold(self, round_id: str, hold: int, *, by: str, reason: str) -> None:
        """End a legal hold."""
        retention.lift_hold(round_id, hold, by=by, reason=reason, ledger=self.context.ledger)

    def person_held(self, hold: LegalHold) -> str:
        """Return the id, in its program, of the one person whom a hold is about; "" for none."""
        if hold.application is not None:
            people = self.context.ledger.applications(hold.cycle_id)
            return next((p.external_id for p in people if p.number == hold.application), "")
        if hold.reviewer is not None:
            roster = self.context.ledger.reviewers(hold.cycle_id)
            return next((p.external_id for p in roster if p.number == hold.reviewer), "")
        return ""

    def delete_due(self, round_id: str = "") -> Sequence[Deletion]:
        """Delete what the rules of a round, or of all, keep no longer; return what went now."""
        deleted = retention.delete_due(
            round_id, ledger=self.context.ledger, backups=self.context.backups
        )
        if deleted:
            # Outside a transaction: a database cannot give up pages while one is open.
            self.context.ledger.compact()
        return deleted
