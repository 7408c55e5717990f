"""The meeting that decides about the list."""

from dataclasses import dataclass

from swapflow.domain.cohort.meeting import Word
from swapflow.domain.cohort.proposal import Proposal
from swapflow.engine.cohort import meeting
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetingService:
    """The meeting that decides about the list."""

    context: ServiceContext

    def agenda(self, cycle_id: str, *, proposal: Proposal | None = None) -> meeting.Agenda:
        """Build the agenda of a meeting."""
        return meeting.agenda(
            cycle_id,
            proposal=proposal,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )

    def open(self, cycle_id: str, *, by: str) -> bool:
        """Open the meeting about the next list; False when it was open before."""
        return meeting.open_meeting(cycle_id, by=by, ledger=self.context.ledger)

    def close(self, cycle_id: str, *, by: str, made_from: str = "") -> bool:
        """Close the meeting; False when it was closed before."""
        return meeting.close_meeting(
            cycle_id, by=by, made_from=made_from, ledger=self.context.ledger
        )

    def reopen(self, cycle_id: str, *, reason: str, by: str) -> bool:
        """Reopen a closed meeting; False when it is open."""
        return meeting.reopen_meeting(cycle_id, reason=reason, by=by, ledger=self.context.ledger)

    def record(
        self,
        cycle_id: str,
        application: int,
        word: Word,
        *,
        reason: str,
        by: str,
        seat: int | None,
        made_from: str = "",
    ) -> None:
        """Record the meeting's outcome for an application."""
        meeting.record(
            cycle_id,
            application,
            word,
            reason=reason,
            by=by,
            seat=seat,
            made_from=made_from,
            ledger=self.context.ledger,
        )

    def endorse(
        self, cycle_id: str, application: int, text: str, *, by: str, seat: int | None
    ) -> None:
        """Store an endorsement of an application."""
        meeting.endorse(cycle_id, application, text, by=by, seat=seat, ledger=self.context.ledger)
