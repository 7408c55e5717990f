"""Places offered, answered and passed on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from swapflow.domain.cohort.offer import Offer, OfferAnswer, YieldRate
from swapflow.engine.offers import offers as offering
from swapflow.engine.offers.offer_plan import OfferRound, OfferWave, offer_round, plan
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferService:
    """Places offered, answered and passed on."""

    context: ServiceContext

    def standing(self, cycle_id: str) -> OfferRound:
        """Return the state of a final list's offers."""
        return offer_round(cycle_id, ledger=self.context.ledger, snapshots=self.context.snapshots)

    def next_wave(self, cycle_id: str, *, at_most: int = 0) -> OfferWave:
        """Compute the offers that would go out now."""
        return plan(
            cycle_id, ledger=self.context.ledger, snapshots=self.context.snapshots, at_most=at_most
        )

    def make(
        self,
        cycle_id: str,
        *,
        by: str,
        until: datetime | None = None,
        at_most: int = 0,
        seen: Sequence[int] | None = None,
        shown: str = "",
    ) -> OfferWave:
        """Offer the free places, and pass on those that were not accepted."""
        return offering.offer(
            cycle_id,
            by=by,
            until=until,
            at_most=at_most,
            seen=seen,
            shown=shown,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )

    def answer(
        self,
        cycle_id: str,
        external_id: str,
        said: OfferAnswer,
        *,
        by: str,
        reason: str = "",
        made_from: str = "",
    ) -> Offer:
        """Record an applicant's answer to an offer."""
        return offering.answer(
            cycle_id,
            external_id,
            said,
            by=by,
            reason=reason,
            made_from=made_from,
            ledger=self.context.ledger,
        )

    def set_acceptance_rate(
        self,
        cycle_id: str,
        rate: tuple[float, float],
        *,
        risk: float,
        source: str,
        by: str,
        made_from: str = "",
    ) -> YieldRate:
        """Store the share of offers that is accepted."""
        return offering.set_acceptance_rate(
            cycle_id,
            rate,
            risk=risk,
            source=source,
            by=by,
            made_from=made_from,
            ledger=self.context.ledger,
        )

    def acceptance_rate(self, cycle_id: str) -> YieldRate | None:
        """Read the acceptance rate in force; None when none was given."""
        return self.context.ledger.yield_rate(cycle_id)
