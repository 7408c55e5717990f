"""Reconsiderations: reviewers new to an application look at it again after the final list.

A reconsideration can put one person on the list, back on it, or onto the waitlist. Nobody else is
removed or overtaken on the list, and the list stays final meanwhile: offers and answers go on. The
proposal follows from the scores; two people sign the result.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place, Verdict
from swapflow.domain.cohort.reconsideration import (
    CHANGES,
    MOST_REVIEWS,
    USUAL_REVIEWS,
    Closing,
    NewReconsideration,
    Reconsideration,
    Result,
)
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.application import Application, ApplicationStatus
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import Rules
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import find
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.reconsideration.evidence import (
    LEFT,
    ReconsiderationEvidence,
    listed,
    moved,
    open_of,
    queue_of,
    refused,
)
from swapflow.engine.selection.assign import may_ask
from swapflow.engine.selection.pulls import closed, open_pulls, withdraw_reconsideration
from swapflow.engine.selection.staffing import PlannedPull
from swapflow.errors import ConflictError, InvalidInputError, NotReadyError


AFTERWARDS = (
    " Afterwards one application was reconsidered; everybody else stands where the list put them."
)

PAIR_OF_EYES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconsiderationRequest:
    """The request by which a reconsideration is opened.

    Attributes:
        reason: Why; must be given.
        asked_by: Who asked for it, e.g. the applicant; must be given.
        asked_on: When they asked; None for today.
        reviews: How many fresh reviews; 0 only for an applicant who withdrew or declined, whose
            estimate is not in question.
        kind: Name of the kind; "" for the first of the rules.
    """

    reason: str
    asked_by: str
    asked_on: date | None = None
    reviews: int = USUAL_REVIEWS
    kind: str = ""


def open_reconsideration(
    cycle_id: str,
    external_id: str,
    wanted: ReconsiderationRequest,
    *,
    by: str,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> int:
    """Open a reconsideration and request its fresh reviews at once; return its id.

    Args:
        cycle_id: The cycle; its list is final.
        external_id: The application.
        wanted: Why, for whom, and how many fresh reviews.
        by: Who opens it.
        ledger: The ledger.
        snapshots: Cached snapshots.

    Raises:
        NotReadyError: If the list is not final.
        NotFoundError: If the cycle has no such applicant.
        InvalidInputError: If a reason is missing, the person is on the list, or too few reviewers
            are new to this application.
        ConflictError: If the person has an open reconsideration already.
    """
    if not wanted.reason.strip() or not wanted.asked_by.strip():
        raise InvalidInputError("reconsideration_reason_missing")
    rules, count = ledger.rules(cycle_id), wanted.reviews
    index = rules.kind_index(wanted.kind) if wanted.kind else 0
    if index < 0:
        names = ", ".join(one.name for one in rules.kinds)
        raise InvalidInputError("kind_unknown", kind=wanted.kind, kinds=names)
    # Read before the checks, so that the write refuses after any event that they did not see.
    cycle = ledger.cycle(cycle_id)
    known = find(ledger.applications(cycle_id), external_id, cycle_id)
    _check_open(cycle, known, count, ledger=ledger)
    _check_reach(cycle_id, known, index, count, ledger=ledger, snapshots=snapshots)
    with ledger.write(cycle_id) as tx:
        if tx.cycle.position != cycle.position:
            raise ConflictError("recorded_meanwhile")
        application = find(tx.applications(), external_id, cycle_id)
        new = NewReconsideration(
            application=application.number,
            version=tx.cycle.cohort_version,
            kind=index,
            reviews=count,
            asked_by=wanted.asked_by.strip(),
            asked_on=wanted.asked_on or tx.now.date(),
            reason=wanted.reason.strip(),
            stood=application.status.value,
        )
        which = tx.insert_reconsideration(new, by=by)
        tx.record(
            EventType.RECONSIDERATION_OPENED,
            {"a": application.number, "k": index, "reviews": count},
        )
        first = tx.next_ordinal(application.number, index)
        pulls = [
            PlannedPull(key=(application.number, index, first + n), priority=0, reviewers=())
            for n in range(count)
        ]
        # The coordinator finds the reviewers: the reserve first, and others as they decline.
        if pulls:
            open_pulls(tx, pulls, tx.rules(), why=PullReason.RECONSIDERATION, decision=0)
        return which


def take_back(
    cycle_id: str, external_id: str, *, by: str, reason: str, ledger: CycleReads
) -> Reconsideration:
    """Withdraw a reconsideration before it is decided; its open requests are cancelled.

    Raises:
        NotFoundError: If the person has no open reconsideration.
        InvalidInputError: If there is no reason.
    """
    if not reason.strip():
        raise InvalidInputError("withdrawal_reason_missing")
    with ledger.write(cycle_id) as tx:
        application = find(tx.applications(), external_id, cycle_id)
        which = open_of(tx.reconsiderations(), application)
        withdraw_reconsideration(tx, which, by=by, reason=reason.strip(), why="taken back")
        return which


def needed_names(rules: Rules) -> int:
    """Return how many people sign: as many as the rules require, and at least two."""
    return max(PAIR_OF_EYES, rules.signatures)


def conclude(
    cycle_id: str,
    evidence: ReconsiderationEvidence,
    closing: Closing,
    *,
    names: Collection[str],
    ledger: Ledger,
) -> Closing:
    """Carry out the decision: at most a new version of the list with one person moved.

    Args:
        cycle_id: The cycle.
        evidence: The evidence that they saw.
        closing: Their decision.
        names: Who signed, in order.
        ledger: The ledger.

    Returns:
        The stored closing, with its version of the list.

    Raises:
        NotReadyError: If too few people signed.
        ConflictError: If something was recorded since, or it was concluded already.
    """
    # A name that is given twice counts once.
    signers = tuple(dict.fromkeys(names))
    needed = needed_names(ledger.rules(cycle_id))
    if len(signers) < needed:
        raise NotReadyError(
            "reconsideration_signatures_missing", needed=needed, count=len(signers)
        )
    version = ledger.cycle(cycle_id).cohort_version
    places, sheet = listed(cycle_id, version, ledger=ledger)
    outcomes = ledger.outcomes(cycle_id, version)
    behind = queue_of(cycle_id, version, places, ledger=ledger)
    with ledger.write(cycle_id) as tx:
        # The evidence is valid for one position: whatever came since could have changed the
        # result.
        if tx.cycle.position != evidence.read:
            raise ConflictError("recorded_since_shown")
        which = next((r for r in tx.reconsiderations() if r.id == evidence.which.id), None)
        if which is None or not which.is_open:
            raise ConflictError("reconsideration_just_concluded")
        changes = closing.result in CHANGES
        stored = replace(closing, version=version + 1 if changes else 0)
        if changes:
            _restore(tx, which.application, by=" and ".join(signers), reason=closing.reason)
        tx.record(EventType.RECONSIDERATION_CLOSED, closed(which, stored))
        tx.close_reconsideration(which.id, stored, by=signers)
        tx.note(
            subject=f"application:{which.application}",
            by=" and ".join(signers),
            text=closing.reason or f"reconsidered: {closing.result.value}",
        )
        if changes:
            own = _outcome(stored, which.application, by=signers[0], tx=tx)
            store_version(
                tx,
                moved(places, evidence.after, stored, behind),
                replace(
                    sheet,
                    position=evidence.read.seq,
                    head_hash=evidence.read.hash,
                    # Once: a second reconsideration copies a sheet that has the sentence already.
                    stop_sentence=_once(sheet.stop_sentence, AFTERWARDS),
                ),
                [*(o for o in outcomes if o.application != which.application), own],
                signers=signers,
                about={"reconsidered": which.application},
            )
        return stored


def _check_reach(
    cycle_id: str,
    application: Application,
    kind: int,
    count: int,
    *,
    ledger: Ledger,
    snapshots: SnapshotCache | None,
) -> None:
    """Raise if fewer people than requested fresh reviews are new to the application."""
    number, external_id = application.number, application.external_id
    if not 0 <= count <= MOST_REVIEWS:
        raise InvalidInputError("fresh_reviews_out_of_range", most=MOST_REVIEWS)
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        projection = seen.projection
        seats = projection.rules.kinds[kind].seats
        fresh = sum(
            may_ask(projection, number, kind, reviewer, reconsideration=True)
            for reviewer in range(len(projection.reviewers))
        )
        name = projection.rules.kinds[kind].name
        if fresh < count * seats:
            raise InvalidInputError(
                "fresh_reviewers_missing",
                kind=name,
                reviews=count,
                reviewers=count * seats,
                applicant=external_id,
                available=fresh,
            )


def _check_open(
    cycle: Cycle, application: Application, count: int, *, ledger: DecisionReads
) -> None:
    """Raise if a reconsideration cannot be opened; the write checks for later events."""
    name, offers = application.external_id, ledger.offers(cycle.id)
    if cycle.status is not CycleStatus.FINALIZED:
        raise NotReadyError("reconsideration_before_list", cycle=cycle.id, status=cycle.status)
    if not application.status.is_candidate and application.status not in LEFT:
        raise InvalidInputError("applicant_is", applicant=name, status=application.status)
    again = ledger.reconsiderations(cycle.id)
    if any(one.is_open and one.application == application.number for one in again):
        raise ConflictError("reconsideration_open_already", applicant=name)
    outcomes = ledger.outcomes(cycle.id, cycle.cohort_version)
    left = application.status in LEFT or refused(offers, application.number)
    selected = any(
        o.application == application.number and o.verdict is Verdict.SELECTED for o in outcomes
    )
    stands = any(o.application == application.number and o.answer.stands for o in offers)
    if (selected and not left) or stands:
        raise InvalidInputError("applicant_on_list", applicant=name)
    if count == 0 and not left:
        raise InvalidInputError("fresh_reviews_out_of_range", most=MOST_REVIEWS)


def _restore(tx: Transaction, number: int, *, by: str, reason: str) -> None:
    """Make an application that left a candidate again."""
    application = tx.application(number)
    if application.status.is_candidate:
        return
    ready = ApplicationStatus.READY
    tx.move_application(number, ready, by=by, reason=reason)
    tx.record(EventType.APPLICATION_MOVED, {"a": number, "status": ready.value})


def _outcome(closing: Closing, number: int, *, by: str, tx: Transaction) -> Outcome:
    adds = closing.result is Result.ADDED
    return Outcome(
        application=number,
        verdict=Verdict.SELECTED if adds else Verdict.WAITLISTED,
        by=by,
        reason=closing.reason or "reconsidered",
        at=tx.now,
    )


def store_version(
    tx: Transaction,
    places: Sequence[Place],
    sheet: MethodSheet,
    outcomes: Sequence[Outcome],
    *,
    signers: Sequence[str],
    about: dict[str, int],
) -> int:
    """Store a version of the list; everything but the one application is copied unchanged."""
    version = tx.cycle.cohort_version + 1
    # The list was final before, so a drawn seed may be known.
    tx.insert_proposal(places, replace(sheet, seed=tx.rules().seed))
    tx.insert_outcomes(version, sorted(outcomes, key=lambda outcome: outcome.application))
    for signer in signers:
        tx.insert_signature(version, by=signer, role="chair")
    tx.record(EventType.FINALIZED, {"version": version, **about})
    tx.set_cohort_version(version)
    return version


def _once(text: str, more: str) -> str:
    return text if text.endswith(more) else text + more
