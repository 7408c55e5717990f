"""The final list as the page shows it on which it is reopened, or a part of it undone."""

from collections.abc import Mapping
from dataclasses import dataclass

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.seal import Seal, seal
from swapflow.engine.ports.ledger import Ledger
from swapflow.errors import NotReadyError


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalList:
    """A final list as the page shows it on which it is reopened, or a part undone.

    Attributes:
        verdicts: Outcome by application.
        held: Ids of the announcements whose letters wait, and are withdrawn with the list.
    """

    version: int
    verdicts: Mapping[int, Verdict]
    held: tuple[int, ...]

    @property
    def seal(self) -> Seal:
        """The digest of what is reopened or undone."""
        return seal(
            version=self.version,
            outcomes=[[a, verdict.value] for a, verdict in sorted(self.verdicts.items())],
            held=self.held,
        )


def final_list(cycle_id: str, *, ledger: Ledger) -> FinalList:
    """Read the list that is final.

    Raises:
        NotReadyError: If none is.
    """
    cycle = ledger.cycle(cycle_id)
    if cycle.status is not CycleStatus.FINALIZED:
        raise NotReadyError("cycle_not_finalized", cycle=cycle_id, status=cycle.status)
    outcomes = ledger.outcomes(cycle_id, cycle.cohort_version)
    return FinalList(
        version=cycle.cohort_version,
        verdicts={outcome.application: outcome.verdict for outcome in outcomes},
        held=tuple(a.id for a in ledger.announcements(cycle_id) if a.held),
    )
