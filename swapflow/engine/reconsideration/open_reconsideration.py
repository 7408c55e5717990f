"""Opening a reconsideration: why, for whom, and by how many fresh reviews."""

from dataclasses import dataclass
from datetime import date

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cohort.reconsideration import MOST_REVIEWS, USUAL_REVIEWS, NewReconsideration
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.application import Application
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.seal import Seal, seal
from swapflow.engine.confirmation import confirm
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import find
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.reconsideration.evidence import LEFT, refused
from swapflow.engine.selection.assign import may_ask
from swapflow.engine.selection.pulls import open_pulls
from swapflow.engine.selection.staffing import PlannedPull
from swapflow.errors import ConflictError, InvalidInputError, NotReadyError


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opening:
    """A reconsideration that can be opened."""

    application: Application
    version: int

    @property
    def seal(self) -> Seal:
        return seal(version=self.version, list=self.application.number)


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
    snapshots = snapshots or SnapshotCache()

    def work() -> _Opening:
        cycle = ledger.cycle(cycle_id)
        known = find(ledger.applications(cycle_id), external_id, cycle_id)
        _check_open(cycle, known, count, ledger=ledger)
        _check_reach(cycle_id, known, index, count, ledger=ledger, snapshots=snapshots)
        return _Opening(application=known, version=cycle.cohort_version)

    def write(tx: Transaction, opening: _Opening) -> int:
        application = opening.application
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

    return confirm(cycle_id, work, write, ledger=ledger)


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
