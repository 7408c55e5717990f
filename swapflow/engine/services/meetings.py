"""The meeting that decides about the list."""

from collections.abc import Mapping
from dataclasses import dataclass

from swapflow.domain.cohort.meeting import Shown, Word, ZoneSide
from swapflow.domain.cohort.proposal import Proposal
from swapflow.engine.cohort import meeting, meeting_records
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
        said = meeting_records.SaidOutcome(word=word, reason=reason, by=by, seat=seat)
        self.record_together(cycle_id, {application: made_from}, said)

    def record_together(
        self,
        cycle_id: str,
        applications: Mapping[int, str],
        said: meeting_records.SaidOutcome,
    ) -> None:
        """Record the meeting's outcome for applications, by revision, as one decision."""
        meeting_records.record(
            cycle_id,
            applications,
            said,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )

    def look(
        self, cycle_id: str, application: int, what: Shown, *, by: str, seat: int | None
    ) -> bool:
        """Write down that the meeting looks at a file or an estimate."""
        return meeting_records.look(
            cycle_id, application, what, by=by, seat=seat, ledger=self.context.ledger
        )

    def confirm_zone(self, cycle_id: str, zone: ZoneSide, *, by: str, shown: str = "") -> int:
        """Record that a person takes on a clear zone; return how many are in it."""
        return meeting_records.confirm_zone(
            cycle_id,
            zone,
            shown=shown,
            by=by,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )

    def endorse(
        self, cycle_id: str, application: int, text: str, *, by: str, seat: int | None
    ) -> None:
        """Store an endorsement of an application."""
        meeting.endorse(cycle_id, application, text, by=by, seat=seat, ledger=self.context.ledger)
