"""Proposals, prepared decisions, signatures and final lists."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place, Proposal, Waiver
from swapflow.domain.rules import Estimates, Rules
from swapflow.domain.seal import NOTHING
from swapflow.engine.cohort import signing
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.cohort.prepared_decisions import drop, prepare, prepare_reopening
from swapflow.engine.cohort.recorded_decision import finalize_as_recorded
from swapflow.engine.cohort.reopen import reopen
from swapflow.engine.lifecycle.estimate_choice import choose_estimates
from swapflow.engine.lifecycle.pins import PinSide, pin
from swapflow.engine.read_models.final_list import FinalList, final_list
from swapflow.engine.read_models.proposal import propose
from swapflow.engine.revisions import check_revision
from swapflow.engine.services.context import ServiceContext
from swapflow.errors import InvalidInputError


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortService:
    """Proposals, prepared decisions, signatures and final lists."""

    context: ServiceContext

    def propose_pin(
        self,
        cycle_id: str,
        application: int,
        verdict: str,
        *,
        by: str,
        reason: str,
        made_from: str = "",
    ) -> None:
        """Pin an application "in" or "out" at the decision; "" removes the pin.

        Raises:
            InvalidInputError: If there is no reason, or the verdict is another word.
        """
        if verdict not in {"in", "out", ""}:
            raise InvalidInputError("pin_without_direction")
        if not reason.strip():
            raise InvalidInputError("decision_reason_missing")
        self.context.ledger.application(cycle_id, application)
        pins = self.context.ledger.pins(cycle_id)
        there = next((pin for pin in pins if pin.application == application), None)
        check_revision(
            made_from,
            there.revision if there else NOTHING,
            {"pin": there.verdict, "reason": there.reason, "by": there.by} if there else {},
        )
        self.context.ledger.set_pin(cycle_id, application, verdict=verdict, by=by, reason=reason)

    def propose(self, cycle_id: str) -> Proposal:
        """Build the list that the rule proposes now."""
        return propose(cycle_id, ledger=self.context.ledger, snapshots=self.context.snapshots)

    def finalize(
        self,
        cycle_id: str,
        *,
        by: str,
        signed_by: Sequence[str] = (),
        overrides: Sequence[Override] = (),
        waiver: Waiver | None = None,
        shown: str = "",
    ) -> Proposal:
        """Make the list final; with a digest, only the list that was shown with it."""
        return finalize_as_recorded(
            cycle_id,
            by=by,
            signed_by=signed_by,
            overrides=overrides,
            waiver=waiver,
            shown=shown,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )

    def pin(
        self, cycle_id: str, external_id: str, where: PinSide, *, by: str, reason: str
    ) -> None:
        """Pin an application in or out of every list, or free it again."""
        pin(cycle_id, external_id, where, by=by, reason=reason, ledger=self.context.ledger)
        self.context.doorbell.ring(cycle_id)

    def choose_estimates(
        self,
        cycle_id: str,
        estimates: Estimates,
        *,
        by: str,
        reason: str,
        made_from: str = "",
    ) -> Rules:
        """Make the list by other estimates, or by the rule's own again."""
        changed = choose_estimates(
            cycle_id,
            estimates,
            by=by,
            reason=reason,
            made_from=made_from,
            ledger=self.context.ledger,
            provider=self.context.provider,
        )
        return self.context.ring_after(cycle_id, changed)

    def final_list(self, cycle_id: str) -> FinalList:
        """Read the final list, with the digest by which it is reopened or undone."""
        return final_list(cycle_id, ledger=self.context.ledger)

    def reopen(
        self, cycle_id: str, *, names: Collection[str], reason: str, shown: str = ""
    ) -> int:
        """Reopen a final list for another version."""
        return reopen(
            cycle_id, names=names, reason=reason, shown=shown, ledger=self.context.ledger
        )

    def prepare(
        self,
        cycle_id: str,
        *,
        by: str,
        overrides: Sequence[Override] = (),
        waiver: str = "",
        shown: str = "",
        made_from: str = "",
    ) -> str:
        """Store a decision for signature; return its digest."""
        return prepare(
            cycle_id,
            by=by,
            overrides=overrides,
            waiver=waiver,
            shown=shown,
            made_from=made_from,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )

    def prepare_reopening(self, cycle_id: str, *, by: str, reason: str, shown: str = "") -> str:
        """Propose to reopen a final list; return the digest to be signed."""
        return prepare_reopening(
            cycle_id, by=by, reason=reason, shown=shown, ledger=self.context.ledger
        )

    def pending(
        self, cycle_id: str, *, proposal: Proposal | None = None
    ) -> signing.PendingSignatures | None:
        """Read the decision that waits for signatures; None when there is none."""
        return signing.pending(
            cycle_id,
            proposal=proposal,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )

    def sign(self, cycle_id: str, digest: str, *, by: str) -> bool:
        """Sign the prepared decision; the last signature carries it out. Return whether it did."""
        return signing.sign(
            cycle_id, digest, by=by, ledger=self.context.ledger, snapshots=self.context.snapshots
        )

    def take_back(self, cycle_id: str, *, shown: str = "") -> bool:
        """Withdraw the prepared decision; False when there was none."""
        return drop(cycle_id, shown=shown, ledger=self.context.ledger)

    def signatures(self, cycle_id: str, version: int) -> tuple[tuple[str, str], ...]:
        """Read who signed a version of the list, and in which role."""
        return self.context.ledger.signatures(cycle_id, version)

    def proposals(self, cycle_id: str) -> tuple[tuple[int, tuple[Place, ...], MethodSheet], ...]:
        """Read the stored proposals: version, places, method sheet."""
        return self.context.ledger.proposals(cycle_id)

    def outcomes(self, cycle_id: str, version: int) -> tuple[Outcome, ...]:
        """Read what people decided for one version of the list."""
        return self.context.ledger.outcomes(cycle_id, version)
