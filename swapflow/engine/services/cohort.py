"""Approvals, prepared decisions, signatures, the final list, and what follows it."""

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
    """Approvals, prepared decisions, signatures, the final list, and what follows it."""

    def propose(self, cycle_id: str) -> Proposal:
        """Build the list that the rule proposes now."""
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
        """Make the list final."""
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
        """Pin an application in or out of every list, or free it again."""
        pin(cycle_id, external_id, where, by=by, reason=reason, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def choose_estimates(
        self, cycle_id: str, estimates: Estimates, *, by: str, reason: str
    ) -> Rules:
        """Make the list by other estimates, or by the rule's own again."""
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
        """Return the state of a final list's offers."""
        return offer_round(cycle_id, ledger=self.ledger, snapshots=self.snapshots)

    def next_offers(self, cycle_id: str, *, at_most: int = 0) -> OfferWave:
        """Compute the offers that would go out now."""
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
        """Offer the free places, and pass on those that were not accepted."""
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
        """Record an applicant's answer to an offer."""
        return offering.answer(
            cycle_id, external_id, said, by=by, reason=reason, ledger=self.ledger
        )

    def set_acceptance_rate(
        self, cycle_id: str, rate: tuple[float, float], *, risk: float, source: str, by: str
    ) -> YieldRate:
        """Store the share of offers that is accepted."""
        return offering.set_acceptance_rate(
            cycle_id, rate, risk=risk, source=source, by=by, ledger=self.ledger
        )

    def announcements(self, cycle_id: str) -> tuple[Announcement, ...]:
        """Read every announcement with its letters."""
        self.ledger.cycle(cycle_id)
        return self.ledger.announcements(cycle_id)

    def usual_letters(self, cycle_id: str) -> dict[Group, Wording]:
        """Return the usual texts of letters, in the program's language."""
        return usual_wording(self.ledger.rules(cycle_id).language)

    def draft_letters(
        self, cycle_id: str, wording: Mapping[Group, Wording], *, waitlist: int | None = None
    ) -> announcing.AnnouncementDraft:
        """Compute who would be told what."""
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
        """Write the letters, and hold them until their time."""
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
        """Withdraw the held letters, and the offers that they announce."""
        return announcing.take_back(cycle_id, by=by, ledger=self.ledger)

    def agenda(self, cycle_id: str, *, proposal: Proposal | None = None) -> meeting.Agenda:
        """Build the agenda of a meeting."""
        return meeting.agenda(
            cycle_id, proposal=proposal, ledger=self.ledger, snapshots=self.snapshots
        )

    def open_meeting(self, cycle_id: str, *, by: str) -> bool:
        """Open the meeting about the next list; False when it was open before."""
        return meeting.open_meeting(cycle_id, by=by, ledger=self.ledger)

    def close_meeting(self, cycle_id: str, *, by: str) -> bool:
        """Close the meeting; False when it was closed before."""
        return meeting.close_meeting(cycle_id, by=by, ledger=self.ledger)

    def reopen_meeting(self, cycle_id: str, *, reason: str, by: str) -> bool:
        """Reopen a closed meeting; False when it is open."""
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
        """Record the meeting's outcome for an application."""
        meeting.record(
            cycle_id, application, word, reason=reason, by=by, seat=seat, ledger=self.ledger
        )

    def endorse(
        self, cycle_id: str, application: int, text: str, *, by: str, seat: int | None
    ) -> None:
        """Store an endorsement of an application."""
        meeting.endorse(cycle_id, application, text, by=by, seat=seat, ledger=self.ledger)

    def reopen(self, cycle_id: str, *, names: Collection[str], reason: str) -> int:
        """Reopen a final list for another version."""
        return reopen(cycle_id, names=names, reason=reason, ledger=self.ledger)

    def prepare_decision(
        self, cycle_id: str, *, by: str, overrides: Sequence[Override] = (), waiver: str = ""
    ) -> str:
        """Store a decision for signature; return its digest."""
        return prepare(
            cycle_id,
            by=by,
            overrides=overrides,
            waiver=waiver,
            ledger=self.ledger,
            snapshots=self.snapshots,
        )

    def prepare_reopening(self, cycle_id: str, *, by: str, reason: str) -> str:
        """Propose to reopen a final list; return the digest to be signed."""
        return prepare_reopening(cycle_id, by=by, reason=reason, ledger=self.ledger)

    def pending(
        self, cycle_id: str, *, proposal: Proposal | None = None
    ) -> signing.PendingSignatures | None:
        """Read the decision that waits for signatures; None when there is none."""
        return signing.pending(
            cycle_id, proposal=proposal, ledger=self.ledger, snapshots=self.snapshots
        )

    def sign(self, cycle_id: str, digest: str, *, by: str) -> bool:
        """Sign the prepared decision; the last signature carries it out. Return whether it did."""
        return signing.sign(cycle_id, digest, by=by, ledger=self.ledger, snapshots=self.snapshots)

    def take_back(self, cycle_id: str) -> bool:
        """Withdraw the prepared decision; False when there was none."""
        return self.ledger.drop_prepared(cycle_id)

    def signatures(self, cycle_id: str, version: int) -> tuple[tuple[str, str], ...]:
        """Read who signed a version of the list, and in which role."""
        return self.ledger.signatures(cycle_id, version)

    def proposals(self, cycle_id: str) -> tuple[tuple[int, tuple[Place, ...], MethodSheet], ...]:
        """Read the stored proposals: version, places, method sheet."""
        return self.ledger.proposals(cycle_id)

    def outcomes(self, cycle_id: str, version: int) -> tuple[Outcome, ...]:
        """Read what people decided for one version of the list."""
        return self.ledger.outcomes(cycle_id, version)

    def proposed_requests(self, cycle_id: str) -> tuple[tuple[str, str, str, int], ...]:
        """List requests that wait for approval: id, external id, kind, decision."""
        return proposed_requests(cycle_id, ledger=self.ledger)

    def awaited(self, cycle_id: str) -> tuple[approvals.PendingApproval, ...]:
        """List requests that wait for approval, with the reasons for each."""
        return approvals.pending_approvals(cycle_id, ledger=self.ledger)

    def swap_choices(self, cycle_id: str, pull: str) -> approvals.Choices:
        """Return the possible swaps of a request that waits for approval."""
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
        """Approve proposed requests."""
        approved = switches.approve(cycle_id, pulls, by=by, ledger=self.ledger)
        return self._ring_after(cycle_id, approved)

    def strike(self, cycle_id: str, pulls: Collection[str], *, by: str, reason: str) -> int:
        """Refuse proposed requests."""
        struck = switches.strike(cycle_id, pulls, by=by, reason=reason, ledger=self.ledger)
        return self._ring_after(cycle_id, struck)
