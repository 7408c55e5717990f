"""The evidence of a reconsideration: the estimate before and after, and what it supports."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.ties import rounded
from swapflow.domain.cohort.offer import Offer, OfferAnswer
from swapflow.domain.cohort.proposal import MethodSheet, Place, Standing, Verdict
from swapflow.domain.cohort.reconsideration import Closing, Reconsideration, Result
from swapflow.domain.cycle import Position
from swapflow.domain.people.application import Application, ApplicationStatus
from swapflow.domain.reviewing.assignment import PullReason, PullStatus
from swapflow.domain.seal import Seal, seal
from swapflow.engine.offers.open_places import out_of_waiting, restored
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.preconditions import find
from swapflow.engine.read_models.proposal import Among, places_among
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.errors import InvalidInputError, NotFoundError, NotReadyError
from swapflow.i18n.languages import gettext_noop


HOW = gettext_noop(
    "The estimate before is the one that the list was made by. The estimate after is "
    "computed in the same way from every score that counts, the new ones and those before "
    "together. The estimates of all others are unchanged."
)

LEFT = frozenset({ApplicationStatus.WITHDRAWN, ApplicationStatus.INELIGIBLE})
REFUSED = frozenset({OfferAnswer.DECLINED, OfferAnswer.NO_ANSWER})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconsiderationEvidence:
    """The state of a reconsideration, and what it proposes.

    Attributes:
        waiting: Open fresh reviews; received: answered ones.
        before: The estimate that the list was made by; None for those who were no candidates then.
        after: The place that the rule would give now, with every score that counts.
        line: The lowest estimate among those on the list; None for an empty one.
        stands: Present rank on the waitlist, from 1; 0 for none.
        place: Rank on the waitlist with the new estimate, from 1, of `queue`.
        taken: Held places; `places`: their total number.
        exceptions: Limits that adding the person would break, in words.
        read: The event up to which this was computed.
    """

    which: Reconsideration
    external_id: str
    waiting: int
    received: int
    before: float | None
    after: Place
    line: float | None
    stands: int
    place: int
    queue: int
    taken: int
    places: int
    proposes: Result
    exceptions: tuple[str, ...]
    read: Position

    @property
    def ready(self) -> bool:
        """Whether no fresh review is open any more."""
        return self.waiting == 0

    @property
    def beyond(self) -> bool:
        """Whether the places are full, so that adding one more exceeds them."""
        return self.taken >= self.places

    @property
    def seal(self) -> Seal:
        """The digest of the statement that people are shown."""
        return seal(
            reconsideration=[self.which.id, self.external_id],
            reviews=[self.waiting, self.received],
            evidence=[self.before, self.after.estimate],
            waitlist=[self.stands, self.place, self.queue],
            places=[self.taken, self.places, self.line],
            result=[self.proposes.value, [str(one) for one in self.exceptions]],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedClosing:
    """How people want a reconsideration to end.

    Attributes:
        result: Their decision; None for the proposed one.
        reason: Why; needed where it differs from the proposal, or breaks a limit.
        beyond: Whether they add the person although the places are full.
    """

    result: Result | None = None
    reason: str = ""
    beyond: bool = False


def gather_evidence(
    cycle_id: str, external_id: str, *, ledger: Ledger, snapshots: SnapshotCache | None = None
) -> ReconsiderationEvidence:
    """Compute the person's place with every score that counts; changes nothing.

    Raises:
        NotFoundError: If no reconsideration is open about this person.
    """
    application = find(ledger.applications(cycle_id), external_id, cycle_id)
    which = open_of(ledger.reconsiderations(cycle_id), application)
    number, version = application.number, ledger.cycle(cycle_id).cohort_version
    places, _ = listed(cycle_id, version, ledger=ledger)
    among = places_among(
        cycle_id, {p.application for p in places} | {number}, ledger=ledger, snapshots=snapshots
    )
    after = next(place for place in among.places if place.application == number)
    before = next((place for place in places if place.application == number), None)
    holding = _holding(cycle_id, version, ledger=ledger)
    queue = queue_of(cycle_id, version, places, ledger=ledger)
    others = [place for place in queue if place.application != number]
    standing = rounded(np.array([place.estimate for place in others]))
    # Equals stay ahead: only a higher estimate overtakes.
    ahead = int((standing >= rounded(np.array([after.estimate]))).sum())
    stands = next((n for n, p in enumerate(queue, start=1) if p.application == number), 0)
    inside = [p.estimate for p in places if p.application in holding]
    out, received = _reviews(cycle_id, which, ledger=ledger)
    evidence = ReconsiderationEvidence(
        which=which,
        external_id=external_id,
        waiting=out,
        received=received,
        before=None if before is None else before.estimate,
        after=after,
        line=min(inside, default=None),
        stands=stands,
        place=ahead + 1,
        queue=len(others) + 1,
        taken=len(holding),
        places=ledger.rules(cycle_id).cohort_size,
        proposes=Result.STAYS,
        exceptions=_exceptions(among, after, holding),
        read=among.position,
    )
    return replace(
        evidence, proposes=_proposal(evidence, left=_left(application, cycle_id, ledger))
    )


def closing_of(
    evidence: ReconsiderationEvidence, result: Result | None, *, reason: str, beyond: bool
) -> Closing:
    """Build the closing that people decide; writes nothing.

    Args:
        evidence: The state of the reconsideration.
        result: Their decision; None for the proposed one.
        reason: Why; needed where it differs from the proposal, or breaks a limit.
        beyond: Whether they add the person although the places are full.

    Raises:
        NotReadyError: If fresh reviews are still open.
        InvalidInputError: If a reason is missing, the full places are not confirmed, or the person
            would not rank better than now.
    """
    if not evidence.ready:
        raise NotReadyError(
            "fresh_reviews_waiting", waiting=evidence.waiting, reviews=evidence.which.new.reviews
        )
    what = evidence.proposes if result is None else result
    if what not in {Result.ADDED, Result.WAITLISTED, Result.STAYS}:
        raise InvalidInputError("reconsideration_result_unknown")
    adds = what is Result.ADDED
    exceptions = evidence.exceptions if adds else ()
    if adds and evidence.beyond and not beyond:
        raise InvalidInputError(
            "places_are_taken",
            taken=evidence.taken,
            places=evidence.places,
            applicant=evidence.external_id,
            number=evidence.taken + 1,
        )
    if what is not evidence.proposes and not reason.strip():
        raise InvalidInputError(
            "deciding_otherwise_reason_missing", proposed=evidence.proposes.value
        )
    if exceptions and not reason.strip():
        raise InvalidInputError("exception_reason_missing", exceptions=exceptions)
    if what is Result.WAITLISTED and 0 < evidence.stands <= evidence.place:
        raise InvalidInputError(
            "waitlisted_already", applicant=evidence.external_id, rank=evidence.stands
        )
    return Closing(
        result=what,
        place=evidence.place if what is Result.WAITLISTED else 0,
        before=evidence.before,
        after=evidence.after.estimate,
        received=evidence.received,
        beyond=adds and evidence.beyond,
        exceptions=exceptions,
        reason=reason.strip(),
    )


def moved(
    places: Sequence[Place], after: Place, closing: Closing, queue: Sequence[Place]
) -> tuple[Place, ...]:
    """Return the list with one person's place changed, and everybody else's order unchanged.

    An added person comes last on the list; a waitlisted one comes before the present holder of
    their rank on the waitlist.
    """
    others = [place for place in places if place.application != after.application]
    waiting = [p.application for p in queue if p.application != after.application]
    adds = closing.result is Result.ADDED
    if adds:
        index = sum(place.standing is Standing.COHORT for place in others)
    elif closing.place <= len(waiting):
        index = next(
            n for n, p in enumerate(others) if p.application == waiting[closing.place - 1]
        )
    else:
        index = len(others)
    standing = Standing.COHORT if adds else Standing.WAITLIST
    others.insert(index, replace(after, standing=standing))
    return tuple(replace(place, rank=rank) for rank, place in enumerate(others, start=1))


def open_of(
    reconsiderations: Collection[Reconsideration], application: Application
) -> Reconsideration:
    """Return the open reconsideration of a person.

    Raises:
        NotFoundError: If none is open.
    """
    for one in reconsiderations:
        if one.application == application.number and one.is_open:
            return one
    raise NotFoundError("no_reconsideration_open", applicant=application.external_id)


def listed(
    cycle_id: str, version: int, *, ledger: DecisionReads
) -> tuple[tuple[Place, ...], MethodSheet]:
    """Read a version of the list as it was stored."""
    return next((places, sheet) for v, places, sheet in ledger.proposals(cycle_id) if v == version)


def _reviews(cycle_id: str, which: Reconsideration, *, ledger: Ledger) -> tuple[int, int]:
    """Count the open and the answered fresh reviews."""
    asked = [
        pull
        for pull in ledger.pulls(cycle_id)
        if (pull.application, pull.kind) == (which.application, which.new.kind)
        and pull.why is PullReason.RECONSIDERATION
    ]
    # In the order of the requests: those of earlier reconsiderations come first.
    earlier = sum(
        one.new.reviews
        for one in ledger.reconsiderations(cycle_id)
        if (one.application, one.new.kind) == (which.application, which.new.kind)
        and one.id < which.id
    )
    own = sorted(asked, key=lambda pull: pull.ordinal)[earlier : earlier + which.new.reviews]
    out = sum(pull.status is PullStatus.OPEN for pull in own)
    return out, sum(pull.status is PullStatus.CLOSED for pull in own)


def _last(offers: Sequence[Offer], application: int) -> Offer | None:
    return next((o for o in reversed(offers) if o.application == application), None)


def refused(offers: Sequence[Offer], application: int) -> bool:
    """Whether a person gave up the last place that they were offered."""
    last = _last(offers, application)
    return last is not None and last.answer in REFUSED


def _left(application: Application, cycle_id: str, ledger: DecisionReads) -> bool:
    return application.status in LEFT or refused(ledger.offers(cycle_id), application.number)


def _holding(cycle_id: str, version: int, *, ledger: Ledger) -> frozenset[int]:
    """Return who holds a place now: the chosen who did not refuse, and valid offers."""
    offers = ledger.offers(cycle_id)
    since = restored(ledger.reconsiderations(cycle_id))
    there = {n.number for n in ledger.named(cycle_id) if n.status.is_candidate}
    held = {offer.application for offer in offers if offer.answer.stands}
    for outcome in ledger.outcomes(cycle_id, version):
        number = outcome.application
        last = _last(offers, number)
        refused = (
            last is not None and last.answer in REFUSED and last.version >= since.get(number, 0)
        )
        if outcome.verdict is Verdict.SELECTED and number in there and not refused:
            held.add(number)
    return frozenset(held)


def queue_of(
    cycle_id: str, version: int, places: Sequence[Place], *, ledger: Ledger
) -> tuple[Place, ...]:
    """Return the present waitlist: applications without an offer that still wait for a place."""
    there = {n.number for n in ledger.named(cycle_id) if n.status.is_candidate}
    asked = out_of_waiting(
        ledger.offers(cycle_id),
        ledger.announcements(cycle_id),
        since=restored(ledger.reconsiderations(cycle_id)),
    )
    waits = {
        outcome.application
        for outcome in ledger.outcomes(cycle_id, version)
        if outcome.verdict is Verdict.WAITLISTED
    }
    return tuple(p for p in places if p.application in (waits & there) - asked)


def _exceptions(among: Among, after: Place, holding: frozenset[int]) -> tuple[str, ...]:
    """List the limits that only adding the person would break, and their missing floors."""
    chosen = holding | {after.application}
    broken = [
        limit.said_of(chosen)
        for limit in among.limits
        if limit.broken_by(chosen) and not limit.broken_by(holding)
    ]
    below = [
        f"below a floor: lacks {count} of kind {kind!r}"
        for kind, count in after.floor_missing.items()
    ]
    return (*broken, *below)


def _proposal(evidence: ReconsiderationEvidence, *, left: bool) -> Result:
    """Return what the scores support; a reconsideration never makes anything worse."""
    fresh = evidence.received > 0 or evidence.which.new.reviews == 0
    if fresh and evidence.after.standing is Standing.COHORT:
        return Result.ADDED
    # An applicant who left holds no rank to compare with, so returning to the waitlist is a gain.
    if left and fresh:
        return Result.WAITLISTED
    better = evidence.before is not None and evidence.after.estimate > evidence.before
    if evidence.stands:
        return Result.WAITLISTED if evidence.place < evidence.stands else Result.STAYS
    return Result.WAITLISTED if better and fresh else Result.STAYS
