"""Acts of staff that can be undone until the mails they cause leave."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from swapflow.engine.lifecycle import held_acts
from swapflow.engine.ports.held_acts import HeldAct, HeldKind, HeldState
from swapflow.engine.services.approvals import ApprovalService
from swapflow.engine.services.context import ServiceContext
from swapflow.engine.services.reviewers import ReviewerService


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldActService:
    """Acts of staff that can be undone until the mails they cause leave."""

    context: ServiceContext
    approvals: ApprovalService
    reviewers: ReviewerService

    @property
    def hold(self) -> timedelta:
        """How long acts can be undone; nothing is held where it is zero."""
        return self.context.undo

    def approve(self, cycle_id: str, pulls: Collection[str], *, by: str) -> int:
        """Approve proposed requests once the minutes to undo have passed."""
        if not self.hold:
            return self.approvals.approve(cycle_id, pulls, by=by)
        return self._verdict(cycle_id, HeldKind.APPROVE, pulls, by=by)

    def decline(self, cycle_id: str, pulls: Collection[str], *, by: str, reason: str) -> int:
        """Decline proposed requests once the minutes to undo have passed."""
        if not self.hold:
            return self.approvals.strike(cycle_id, pulls, by=by, reason=reason)
        return self._verdict(cycle_id, HeldKind.DECLINE, pulls, by=by, reason=reason)

    def remind(self, cycle_id: str, *, by: str) -> int:
        """Remind all who are late once the minutes to undo have passed; return how many."""
        if not self.hold:
            return self.reviewers.nudge_late(cycle_id, by=by)
        return held_acts.hold_reminder(cycle_id, by=by, hold=self.hold, ledger=self.context.ledger)

    def list(self, cycle_id: str, *, at_most: int = 50) -> tuple[HeldAct, ...]:
        """List a cycle's held acts, newest first, those that have ended too."""
        return self.context.ledger.held_acts(cycle_id, at_most=at_most)

    def waiting(self, cycle_id: str) -> tuple[HeldAct, ...]:
        """List those of a cycle's acts that can still be undone, newest first."""
        return self.context.ledger.held_acts(cycle_id, state=HeldState.HELD)

    def undo(self, cycle_id: str, number: int, *, by: str) -> HeldAct:
        """Undo an act: nothing of it happens, and none of its mails leaves."""
        return held_acts.undo(
            cycle_id, number, by=by, address=self.context.address, ledger=self.context.ledger
        )

    def carry_out_due(self) -> int:
        """Carry out every act whose minutes have passed; return how many."""
        done = 0
        for cycle_id, number in self.context.ledger.due_acts():
            if held_acts.carry_out(
                cycle_id, number, ledger=self.context.ledger, address=self.context.address
            ):
                self.context.doorbell.ring(cycle_id)
                done += 1
        return done

    def _verdict(
        self,
        cycle_id: str,
        kind: HeldKind,
        pulls: Collection[str],
        *,
        by: str,
        reason: str = "",
    ) -> int:
        return held_acts.hold_verdict(
            cycle_id,
            kind,
            pulls,
            by=by,
            reason=reason,
            hold=self.hold,
            ledger=self.context.ledger,
        )
