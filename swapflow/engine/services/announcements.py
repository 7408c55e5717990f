"""Letters to applicants."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from swapflow.domain.cohort.announcement import Announcement, Group, Wording
from swapflow.engine.offers import announcements as announcing
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.engine.offers.kept_wording import LETTERS, with_kept
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncementService:
    """Letters to applicants."""

    context: ServiceContext

    def list(self, cycle_id: str) -> tuple[Announcement, ...]:
        """Read every announcement with its letters."""
        self.context.ledger.cycle(cycle_id)
        return self.context.ledger.announcements(cycle_id)

    def usual_wording(self, cycle_id: str) -> dict[Group, Wording]:
        """Return the texts that letters begin with: those last sent, or else the usual ones.

        The usual ones are in the program's language.
        """
        usual = usual_wording(self.context.ledger.rules(cycle_id).language)
        return with_kept(usual, self.context.ledger.list_reading(cycle_id, LETTERS))

    def draft(
        self, cycle_id: str, wording: Mapping[Group, Wording], *, waitlist: int | None = None
    ) -> announcing.AnnouncementDraft:
        """Compute who would be told what."""
        return announcing.draft(
            cycle_id,
            wording,
            waitlist=waitlist,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )

    def send(
        self,
        cycle_id: str,
        wording: Mapping[Group, Wording],
        *,
        by: str,
        waitlist: int | None = None,
        hold: timedelta = announcing.USUAL_HOLD,
        seen: str = "",
    ) -> announcing.AnnouncementDraft:
        """Write the letters, and hold them until their time."""
        made = announcing.announce(
            cycle_id,
            wording,
            by=by,
            waitlist=waitlist,
            hold=hold,
            seen=seen,
            address=self.context.address,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )
        return self.context.ring_after(cycle_id, made)

    def take_back(self, cycle_id: str, *, by: str, which: int | None = None) -> Announcement:
        """Withdraw the held letters, and the offers that they announce."""
        return announcing.take_back(cycle_id, by=by, which=which, ledger=self.context.ledger)
