"""Requests that wait for approval."""

from collections.abc import Collection
from dataclasses import dataclass

from swapflow.engine.lifecycle import approvals, switches
from swapflow.engine.read_models.progress import proposed_requests
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalService:
    """Requests that wait for approval."""

    context: ServiceContext

    def proposed(self, cycle_id: str) -> tuple[tuple[str, str, str, int], ...]:
        """List requests that wait for approval: id, external id, kind, decision."""
        return proposed_requests(cycle_id, ledger=self.context.ledger)

    def pending(self, cycle_id: str) -> tuple[approvals.PendingApproval, ...]:
        """List requests that wait for approval, with the reasons for each."""
        return approvals.pending_approvals(cycle_id, ledger=self.context.ledger)

    def choices(self, cycle_id: str, pull: str) -> approvals.Choices:
        """Return the possible swaps of a request that waits for approval."""
        return approvals.choices(
            cycle_id, pull, ledger=self.context.ledger, snapshots=self.context.snapshots
        )

    def swap(
        self,
        cycle_id: str,
        pull: str,
        *,
        application: int | None,
        reviewer: int | None,
        by: str,
        reason: str,
    ) -> None:
        """Approve a request with another applicant, a chosen reviewer, or both."""
        approvals.swap(
            cycle_id,
            pull,
            application=application,
            reviewer=reviewer,
            by=by,
            reason=reason,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )
        self.context.doorbell.ring(cycle_id)

    def approve(self, cycle_id: str, pulls: Collection[str], *, by: str) -> int:
        """Approve proposed requests."""
        approved = switches.approve(cycle_id, pulls, by=by, ledger=self.context.ledger)
        return self.context.ring_after(cycle_id, approved)

    def strike(self, cycle_id: str, pulls: Collection[str], *, by: str, reason: str) -> int:
        """Refuse proposed requests."""
        struck = switches.strike(cycle_id, pulls, by=by, reason=reason, ledger=self.context.ledger)
        return self.context.ring_after(cycle_id, struck)
