"""What people approve, prepare, sign and fix."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from swapflow.domain.cohort.announcement import Announcement, Group, Wording
from swapflow.domain.cohort.meeting import Word
from swapflow.domain.cohort.offer import Offer, OfferAnswer, YieldRate
from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place, Proposal, Waiver
from swapflow.domain.rules import Estimates, Rules
from swapflow.engine.cohort import meeting, signing
from swapflow.engine.cohort.finalize import Override, reopen
from swapflow.engine.cohort.prepared_decisions import prepare, prepare_reopening
from swapflow.engine.lifecycle import approvals, switches
from swapflow.engine.lifecycle.estimate_choice import choose_estimates
from swapflow.engine.lifecycle.pins import PinSide, pin
from swapflow.engine.offers import announcements as announcing
from swapflow.engine.offers import offers as offering
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.engine.offers.offer_plan import OfferRound, OfferWave, offer_round, plan
from swapflow.engine.read_models.progress import proposed_requests
from swapflow.engine.read_models.proposal import propose
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding(ServiceContext):
    """What people approve, prepare, sign and fix."""

    def propose(self, cycle_id: str) -> Proposal:
        """Make the list that the rule proposes now."""
        return propose(cycle_id, ledger=self.ledger, snapshots=self.snapshots)

    def finalize(
        self,
        cycle_id: str,
        *,
        by: str,
        signed_by: Sequence[str] = (),
        overrides: Sequence[Override] = (),
        waiver: Waiver | None = None,
    ) -> Proposal:
        """Fix the cohort."""
        return meeting.finalize_as_recorded(
            cycle_id,
            by=by,
            signed_by=signed_by,
            overrides=overrides,
            waiver=waiver,
            ledger=self.ledger,
        )

    def put(
        self, cycle_id: str, external_id: str, where: PinSide, *, by: str, reason: str
    ) -> None:
        """Put an application in or out of every list, or leave it to the rule again."""
        pin(cycle_id, external_id, where, by=by, reason=reason, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def choose_estimates(
        self, cycle_id: str, estimates: Estimates, *, by: str, reason: str
    ) -> Rules:
        """Have the list made by other estimates, or by the rule's own again."""
        changed = choose_estimates(
            cycle_id,
            estimates,
            by=by,
            reason=reason,
            ledger=self.ledger,
            provider=self.provider,
        )
        return self._ring_after(cycle_id, changed)

    def offers(self, cycle_id: str) -> OfferRound:
        """Say how the offers of a fixed list stand."""
        return offer_round(cycle_id, ledger=self.ledger, snapshots=self.snapshots)

    def next_offers(self, cycle_id: str, *, at_most: int = 0) -> OfferWave:
        """Work out the offers that would go out now."""
        return plan(cycle_id, ledger=self.ledger, snapshots=self.snapshots, at_most=at_most)

    def offer(
        self,
        cycle_id: str,
        *,
        by: str,
        until: datetime | None = None,
        at_most: int = 0,
        seen: Sequence[int] | None = None,
    ) -> OfferWave:
        """Offer the places that are free, and pass on those that nobody took."""
        return offering.offer(
            cycle_id,
            by=by,
            until=until,
            at_most=at_most,
            seen=seen,
            ledger=self.ledger,
            snapshots=self.snapshots,
        )

    def answer_offer(
        self, cycle_id: str, external_id: str, said: OfferAnswer, *, by: str, reason: str = ""
    ) -> Offer:
        """Note what an applicant answered to an offer."""
        return offering.answer(
            cycle_id, external_id, said, by=by, reason=reason, ledger=self.ledger
        )

    def set_acceptance_rate(
        self, cycle_id: str, rate: tuple[float, float], *, risk: float, source: str, by: str
    ) -> YieldRate:
        """State how many of those offered a place accept it."""
        return offering.set_acceptance_rate(
            cycle_id, rate, risk=risk, source=source, by=by, ledger=self.ledger
        )

    def announcements(self, cycle_id: str) -> tuple[Announcement, ...]:
        """Give every announcement with its letters."""
        self.ledger.cycle(cycle_id)
        return self.ledger.announcements(cycle_id)

    def usual_letters(self, cycle_id: str) -> dict[Group, Wording]:
        """Give words for letters to start from, in the program's language."""
        return usual_wording(self.ledger.rules(cycle_id).language)

    def draft_letters(
        self, cycle_id: str, wording: Mapping[Group, Wording], *, waitlist: int | None = None
    ) -> announcing.AnnouncementDraft:
        """Work out who would be told what."""
        return announcing.draft(
            cycle_id, wording, waitlist=waitlist, ledger=self.ledger, snapshots=self.snapshots
        )

    def announce(
        self,
        cycle_id: str,
        wording: Mapping[Group, Wording],
        *,
        by: str,
        waitlist: int | None = None,
        hold: timedelta = announcing.USUAL_HOLD,
        seen: str = "",
    ) -> announcing.AnnouncementDraft:
        """Write the letters, and hold them until their moment."""
        made = announcing.announce(
            cycle_id,
            wording,
            by=by,
            waitlist=waitlist,
            hold=hold,
            seen=seen,
            ledger=self.ledger,
            snapshots=self.snapshots,
        )
        return self._ring_after(cycle_id, made)

    def take_letters_back(self, cycle_id: str, *, by: str) -> Announcement:
        """Take back the letters that are held, and the offers that they tell of."""
        return announcing.take_back(cycle_id, by=by, ledger=self.ledger)

    def agenda(self, cycle_id: str, *, proposal: Proposal | None = None) -> meeting.Agenda:
        """Put together what a meeting looks at."""
        return meeting.agenda(
            cycle_id, proposal=proposal, ledger=self.ledger, snapshots=self.snapshots
        )

    def open_meeting(self, cycle_id: str, *, by: str) -> bool:
        """Open the meeting about the list that is to be decided; False when it was open before."""
        return meeting.open_meeting(cycle_id, by=by, ledger=self.ledger)

    def close_meeting(self, cycle_id: str, *, by: str) -> bool:
        """Close the meeting; False when it was closed before."""
        return meeting.close_meeting(cycle_id, by=by, ledger=self.ledger)

    def reopen_meeting(self, cycle_id: str, *, reason: str, by: str) -> bool:
        """Let outcomes be recorded again; False when the meeting is open."""
        return meeting.reopen_meeting(cycle_id, reason=reason, by=by, ledger=self.ledger)

    def record_outcome(
        self,
        cycle_id: str,
        application: int,
        word: Word,
        *,
        reason: str,
        by: str,
        seat: int | None,
    ) -> None:
        """Record what the meeting says about an application."""
        meeting.record(
            cycle_id, application, word, reason=reason, by=by, seat=seat, ledger=self.ledger
        )

    def endorse(
        self, cycle_id: str, application: int, text: str, *, by: str, seat: int | None
    ) -> None:
        """Keep words in favour of an application."""
        meeting.endorse(cycle_id, application, text, by=by, seat=seat, ledger=self.ledger)

    def reopen(self, cycle_id: str, *, names: Collection[str], reason: str) -> int:
        """Start another version of a fixed cohort."""
        return reopen(cycle_id, names=names, reason=reason, ledger=self.ledger)

    def prepare_decision(
        self, cycle_id: str, *, by: str, overrides: Sequence[Override] = (), waiver: str = ""
    ) -> str:
        """Put a decision up for signature; gives its digest."""
        return prepare(
            cycle_id,
            by=by,
            overrides=overrides,
            waiver=waiver,
            ledger=self.ledger,
            snapshots=self.snapshots,
        )

    def prepare_reopening(self, cycle_id: str, *, by: str, reason: str) -> str:
        """Ask that a fixed cohort be reopened; gives what is to be signed."""
        return prepare_reopening(cycle_id, by=by, reason=reason, ledger=self.ledger)

    def pending(
        self, cycle_id: str, *, proposal: Proposal | None = None
    ) -> signing.PendingSignatures | None:
        """Read what waits for signatures; None when nothing does."""
        return signing.pending(
            cycle_id, proposal=proposal, ledger=self.ledger, snapshots=self.snapshots
        )

    def sign(self, cycle_id: str, digest: str, *, by: str) -> bool:
        """Sign what is prepared; says whether that was the last signature, and it is done."""
        return signing.sign(cycle_id, digest, by=by, ledger=self.ledger, snapshots=self.snapshots)

    def take_back(self, cycle_id: str) -> bool:
        """Take back what was put up for signature; False when nothing was."""
        return self.ledger.drop_prepared(cycle_id)

    def signatures(self, cycle_id: str, version: int) -> tuple[tuple[str, str], ...]:
        """Read who signed a version of the cohort, and in which role."""
        return self.ledger.signatures(cycle_id, version)

    def proposals(self, cycle_id: str) -> tuple[tuple[int, tuple[Place, ...], MethodSheet], ...]:
        """Read the stored proposals: version, places, method sheet."""
        return self.ledger.proposals(cycle_id)

    def outcomes(self, cycle_id: str, version: int) -> tuple[Outcome, ...]:
        """Read what people decided for one version of the cohort."""
        return self.ledger.outcomes(cycle_id, version)

    def proposed_requests(self, cycle_id: str) -> tuple[tuple[str, str, str, int], ...]:
        """List requests that wait for approval: id, external id, kind, decision."""
        return proposed_requests(cycle_id, ledger=self.ledger)

    def awaited(self, cycle_id: str) -> tuple[approvals.PendingApproval, ...]:
        """List requests that wait for approval, with the reasons for each."""
        return approvals.pending_approvals(cycle_id, ledger=self.ledger)

    def swap_choices(self, cycle_id: str, pull: str) -> approvals.Choices:
        """Say who may stand in the place of whom in a request that waits for approval."""
        return approvals.choices(cycle_id, pull, ledger=self.ledger, snapshots=self.snapshots)

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
            ledger=self.ledger,
            snapshots=self.snapshots,
        )
        self.doorbell.ring(cycle_id)

    def approve(self, cycle_id: str, pulls: Collection[str], *, by: str) -> int:
        """Let proposed requests go out."""
        approved = switches.approve(cycle_id, pulls, by=by, ledger=self.ledger)
        return self._ring_after(cycle_id, approved)

    def strike(self, cycle_id: str, pulls: Collection[str], *, by: str, reason: str) -> int:
        """Refuse proposed requests."""
        struck = switches.strike(cycle_id, pulls, by=by, reason=reason, ledger=self.ledger)
        return self._ring_after(cycle_id, struck)
