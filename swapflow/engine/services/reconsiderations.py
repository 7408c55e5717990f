"""Reconsiderations of one application after the list was made final."""

from collections.abc import Collection
from dataclasses import dataclass

from swapflow.domain.cohort.reconsideration import Closing, Reconsideration, Result
from swapflow.engine.cohort.prepared_decisions import prepare_reconsideration, prepare_undoing
from swapflow.engine.confirmation import Beside, check_shown, confirm
from swapflow.engine.reconsideration import reconsider as again
from swapflow.engine.reconsideration.evidence import (
    ReconsiderationEvidence,
    WantedClosing,
    closing_of,
    gather_evidence,
)
from swapflow.engine.reconsideration.open_reconsideration import (
    ReconsiderationRequest,
    open_reconsideration,
)
from swapflow.engine.reconsideration.undo import plan_undoing, undo_in
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconsiderationService:
    """Reconsiderations of one application after the list was made final."""

    context: ServiceContext

    def list(self, cycle_id: str) -> tuple[Reconsideration, ...]:
        """Read every reconsideration of a cycle, oldest first."""
        return self.context.ledger.reconsiderations(cycle_id)

    def open(
        self, cycle_id: str, external_id: str, wanted: ReconsiderationRequest, *, by: str
    ) -> int:
        """Open a reconsideration of one application; return its id."""
        opened = open_reconsideration(
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
        shown: str = "",
    ) -> Closing:
        """Conclude a reconsideration under the names of the people who sign it.

        With a digest, only upon the evidence that was shown with it.
        """

        def work() -> again.Conclusion:
            evidence = self.evidence(cycle_id, external_id)
            check_shown(evidence.seal, shown)
            closing = closing_of(evidence, result, reason=reason, beyond=beyond)
            return again.plan_conclusion(
                cycle_id, evidence, closing, names=names, ledger=self.context.ledger
            )

        return confirm(
            cycle_id,
            work,
            again.conclude_in,
            shown=shown,
            beside={Beside.TOLD},
            ledger=self.context.ledger,
        )

    def prepare(
        self,
        cycle_id: str,
        external_id: str,
        *,
        by: str,
        result: Result | None = None,
        reason: str = "",
        beyond: bool = False,
        shown: str = "",
        made_from: str = "",
    ) -> str:
        """Store a reconsideration's result for signature; return the digest."""
        return prepare_reconsideration(
            cycle_id,
            external_id,
            WantedClosing(result=result, reason=reason, beyond=beyond),
            by=by,
            shown=shown,
            made_from=made_from,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )

    def take_back(
        self,
        cycle_id: str,
        external_id: str,
        *,
        by: str,
        reason: str,
        which: int | None = None,
    ) -> Reconsideration:
        """Withdraw a reconsideration before it is decided."""
        ended = again.take_back(
            cycle_id, external_id, by=by, reason=reason, which=which, ledger=self.context.ledger
        )
        return self.context.ring_after(cycle_id, ended)

    def undo(
        self,
        cycle_id: str,
        external_id: str,
        *,
        names: Collection[str],
        reason: str,
        shown: str = "",
    ) -> int:
        """Undo a reconsideration's effect on the list, until the person was told.

        With a digest, only in the final list that was shown with it.
        """
        return confirm(
            cycle_id,
            lambda: plan_undoing(
                cycle_id, external_id, names=names, reason=reason, ledger=self.context.ledger
            ),
            undo_in,
            shown=shown,
            beside={Beside.TOLD},
            ledger=self.context.ledger,
        )

    def prepare_undoing(
        self, cycle_id: str, external_id: str, *, by: str, reason: str, shown: str = ""
    ) -> str:
        """Propose to undo a reconsideration, and sign it; return the digest."""
        return prepare_undoing(
            cycle_id, external_id, by=by, reason=reason, shown=shown, ledger=self.context.ledger
        )
