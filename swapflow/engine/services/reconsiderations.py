"""Reconsiderations of one application after the list was made final."""

from collections.abc import Collection
from dataclasses import dataclass

from swapflow.domain.cohort.reconsideration import Closing, Reconsideration, Result
from swapflow.engine.cohort.prepared_decisions import prepare_reconsideration, prepare_undoing
from swapflow.engine.reconsideration import reconsider as again
from swapflow.engine.reconsideration.evidence import (
    ReconsiderationEvidence,
    closing_of,
    gather_evidence,
)
from swapflow.engine.reconsideration.undo import undo
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconsiderationService:
    """Reconsiderations of one application after the list was made final."""

    context: ServiceContext

    def list(self, cycle_id: str) -> tuple[Reconsideration, ...]:
        """Read every reconsideration of a cycle, oldest first."""
        return self.context.ledger.reconsiderations(cycle_id)

    def open(
        self, cycle_id: str, external_id: str, wanted: again.ReconsiderationRequest, *, by: str
    ) -> int:
        """Open a reconsideration of one application; return its id."""
        opened = again.open_reconsideration(
            cycle_id,
            external_id,
            wanted,
            by=by,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )
        return self.context.ring_after(cycle_id, opened)

    def evidence(self, cycle_id: str, external_id: str) -> ReconsiderationEvidence:
        """Compute the state of a reconsideration, and what it proposes."""
        return gather_evidence(
            cycle_id, external_id, ledger=self.context.ledger, snapshots=self.context.snapshots
        )

    def conclude(
        self,
        cycle_id: str,
        external_id: str,
        *,
        names: Collection[str],
        result: Result | None = None,
        reason: str = "",
        beyond: bool = False,
    ) -> Closing:
        """Conclude a reconsideration under the names of the people who sign it."""
        evidence = self.evidence(cycle_id, external_id)
        closing = closing_of(evidence, result, reason=reason, beyond=beyond)
        return again.conclude(cycle_id, evidence, closing, names=names, ledger=self.context.ledger)

    def prepare(
        self,
        cycle_id: str,
        external_id: str,
        *,
        by: str,
        result: Result | None = None,
        reason: str = "",
        beyond: bool = False,
    ) -> str:
        """Store a reconsideration's result for signature; return the digest."""
        return prepare_reconsideration(
            cycle_id,
            external_id,
            by=by,
            result=result,
            reason=reason,
            beyond=beyond,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )

    def take_back(
        self, cycle_id: str, external_id: str, *, by: str, reason: str
    ) -> Reconsideration:
        """Withdraw a reconsideration before it is decided."""
        ended = again.take_back(
            cycle_id, external_id, by=by, reason=reason, ledger=self.context.ledger
        )
        return self.context.ring_after(cycle_id, ended)

    def undo(self, cycle_id: str, external_id: str, *, names: Collection[str], reason: str) -> int:
        """Undo a reconsideration's effect on the list, until the person was told."""
        return undo(cycle_id, external_id, names=names, reason=reason, ledger=self.context.ledger)

    def prepare_undoing(self, cycle_id: str, external_id: str, *, by: str, reason: str) -> str:
        """Propose to undo a reconsideration, and sign it; return the digest."""
        return prepare_undoing(
            cycle_id, external_id, by=by, reason=reason, ledger=self.context.ledger
        )
