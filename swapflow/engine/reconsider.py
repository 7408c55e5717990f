"""One application looked at again after the list was fixed, by people who never had it.

It can put one person on the list, back on it, or onto the waitlist. Nobody else is removed,
nobody is overtaken who stands on the list, and the list stays fixed meanwhile: offers and answers
go on. What is proposed follows from the scores; two people sign what becomes of it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from swapflow.bandit.ties import rounded
from swapflow.domain.announcement import Group, told
from swapflow.domain.applicant import Application, ApplicationStatus
from swapflow.domain.assignment import PullStatus, PullWhy
from swapflow.domain.cohort import MethodSheet, Outcome, Place, Standing, Verdict
from swapflow.domain.cycle import Cycle, CycleStatus, Position
from swapflow.domain.event import EventType
from swapflow.domain.offer import Offer, OfferAnswer
from swapflow.domain.reconsideration import (
    CHANGES,
    MOST_REVIEWS,
    USUAL_REVIEWS,
    Closing,
    NewReconsideration,
    Reconsideration,
    Result,
)
from swapflow.domain.rules import Rules
from swapflow.engine.assign import may_ask
from swapflow.engine.decide import PlannedPull
from swapflow.engine.dispatch import open_pulls
from swapflow.engine.finalize import Among, places_among
from swapflow.engine.folds import Folds
from swapflow.engine.intake import find
from swapflow.engine.places import restored
from swapflow.engine.ports import Ledger, Transaction
from swapflow.engine.unheard import closed, end_unheard
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError, NotReadyError
from swapflow.speech.languages import later


HOW = later(
    "The estimate before is the one that the list was made by. The estimate after is computed in "
    "the same way from every score that counts, the fresh ones and those before together. Nobody "
    "else's estimate was touched."
)

AFTERWARDS = (
    " Afterwards one application was reconsidered; everybody else stands where the list put them."
)

LEFT = frozenset({ApplicationStatus.WITHDRAWN, ApplicationStatus.INELIGIBLE})
REFUSED = frozenset({OfferAnswer.DECLINED, OfferAnswer.NO_ANSWER})
PAIR_OF_EYES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked for when a reconsideration is opened.

    Attributes:
        reason: Why; must be given.
        asked_by: Who asked for it, e.g. the applicant; must be given.
        asked_on: When they did; None for today.
        reviews: How many fresh reviews; 0 only for somebody who withdrew or declined, whose
            estimate is not in question.
        kind: Of which kind; "" for the first of the rules.
    """

    reason: str
    asked_by: str
    asked_on: date | None = None
    reviews: int = USUAL_REVIEWS
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """Where a reconsideration stands, and what it proposes.

    Attributes:
        waiting: Fresh reviews that are still out; received: those that have come.
        before: The estimate that the list was made by; None for who was no candidate then.
        after: The place that the rule would give now, with every score that counts.
        line: The lowest estimate among those on the list; None for an empty one.
        stands: On the waitlist now, from 1; 0 for nowhere.
        place: On the waitlist with the new estimate, from 1, of `queue`.
        taken: Places that are held; `places`: how many there are.
        exceptions: What adding the person would break, in words.
        read: The event up to which this looks.
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
        """Whether every fresh review has come, or nobody is left who could be asked."""
        return self.waiting == 0

    @property
    def beyond(self) -> bool:
        """Whether the places are full, so that adding one more exceeds them."""
        return self.taken >= self.places


def open_again(
    cycle_id: str,
    external_id: str,
    wanted: Wanted,
    *,
    by: str,
    ledger: Ledger,
    folds: Folds | None = None,
) -> int:
    """Open a reconsideration: fresh reviews are asked for at once. Gives its id.

    Args:
        cycle_id: The cycle; its list is fixed.
        external_id: Whom it is about.
        wanted: Why, for whom, and how many fresh reviews.
        by: Who opens it.
        ledger: The ledger.
        folds: What was folded before.

    Raises:
        NotReadyError: If the list is not fixed.
        NotFoundError: If the cycle has no such applicant.
        InvalidInputError: If a reason is missing, the person stands on the list, or fewer people
            than reviews never had this application.
        ConflictError: If one is open about this person already.
    """
    if not wanted.reason.strip() or not wanted.asked_by.strip():
        raise InvalidInputError("a reconsideration needs a reason, and who asked for it")
    rules, count = ledger.rules(cycle_id), wanted.reviews
    index = rules.kind_index(wanted.kind) if wanted.kind else 0
    if index < 0:
        names = ", ".join(one.name for one in rules.kinds)
        raise InvalidInputError(f"the rules have no kind {wanted.kind!r}; they have {names}")
    cycle = ledger.cycle(cycle_id)
    known = find(ledger.applications(cycle_id), external_id, cycle_id)
    _check_open(cycle, known, count, ledger=ledger)
    _check_reach(cycle_id, known, index, count, ledger=ledger, folds=folds)
    with ledger.write(cycle_id) as tx:
        if tx.cycle.position != cycle.position:
            raise ConflictError("something was recorded at the same moment; try again")
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
        # Whom to ask is the coordinator's to find: the reserve first, and others as they decline.
        if pulls:
            open_pulls(tx, pulls, tx.rules(), why=PullWhy.APPEAL, decision=0)
        return which


def take_back(
    cycle_id: str, external_id: str, *, by: str, reason: str, ledger: Ledger
) -> Reconsideration:
    """End a reconsideration before it is decided; what is still out is cancelled.

    Raises:
        NotFoundError: If none is open about this person.
        InvalidInputError: If there is no reason.
    """
    if not reason.strip():
        raise InvalidInputError("write why it is taken back; it stands in the record")
    with ledger.write(cycle_id) as tx:
        application = find(tx.applications(), external_id, cycle_id)
        which = _open_of(tx.reconsiderations(), application)
        end_unheard(tx, which, by=by, reason=reason.strip(), why="taken back")
        return which


def weigh(
    cycle_id: str, external_id: str, *, ledger: Ledger, folds: Folds | None = None
) -> Weighed:
    """Say where the person would have stood with every score that counts; changes nothing.

    Raises:
        NotFoundError: If no reconsideration is open about this person.
    """
    application = find(ledger.applications(cycle_id), external_id, cycle_id)
    which = _open_of(ledger.reconsiderations(cycle_id), application)
    number, version = application.number, ledger.cycle(cycle_id).cohort_version
    places, _ = _listed(cycle_id, version, ledger=ledger)
    among = places_among(
        cycle_id, {p.application for p in places} | {number}, ledger=ledger, folds=folds
    )
    after = next(place for place in among.places if place.application == number)
    before = next((place for place in places if place.application == number), None)
    holding = _holding(cycle_id, version, ledger=ledger)
    queue = _queue(cycle_id, version, places, ledger=ledger)
    others = [place for place in queue if place.application != number]
    standing = rounded(np.array([place.estimate for place in others]))
    ahead = int((standing >= rounded(np.array([after.estimate]))).sum())
    stands = next((n for n, p in enumerate(queue, start=1) if p.application == number), 0)
    inside = [p.estimate for p in places if p.application in holding]
    out, received = _reviews(cycle_id, which, ledger=ledger)
    weighed = Weighed(
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
    return replace(weighed, proposes=_proposal(weighed, left=_left(application, cycle_id, ledger)))


def closing_of(weighed: Weighed, result: Result | None, *, reason: str, beyond: bool) -> Closing:
    """Spell what people decide; writes nothing.

    Args:
        weighed: Where it stands.
        result: What they decide; None for what is proposed.
        reason: Why; needed where it is not what is proposed, or breaks something.
        beyond: They know that the places are full, and add the person nevertheless.

    Raises:
        NotReadyError: If fresh reviews are still out.
        InvalidInputError: If a reason or the word about the places is missing, or the person
            would stand no better than now.
    """
    if not weighed.ready:
        raise NotReadyError(
            f"{weighed.waiting} of {weighed.which.new.reviews} fresh reviews are still out; they "
            "come in first, or the reconsideration is taken back"
        )
    what = weighed.proposes if result is None else result
    if what not in {Result.ADDED, Result.WAITLISTED, Result.STAYS}:
        raise InvalidInputError('people decide "added", "waitlisted" or "stays"')
    adds = what is Result.ADDED
    exceptions = weighed.exceptions if adds else ()
    if adds and weighed.beyond and not beyond:
        raise InvalidInputError(
            f"{weighed.taken} of {weighed.places} places are held, so {weighed.external_id!r} "
            f"would be number {weighed.taken + 1}; say that this is meant (--beyond)"
        )
    if what is not weighed.proposes and not reason.strip():
        raise InvalidInputError(
            f"proposed is {weighed.proposes.value!r}; deciding otherwise needs a reason"
        )
    if exceptions and not reason.strip():
        raise InvalidInputError(f"an exception needs a reason: {'; '.join(exceptions)}")
    if what is Result.WAITLISTED and 0 < weighed.stands <= weighed.place:
        raise InvalidInputError(
            f"{weighed.external_id!r} is number {weighed.stands} on the waitlist, and nobody is "
            "moved down by a reconsideration"
        )
    return Closing(
        result=what,
        place=weighed.place if what is Result.WAITLISTED else 0,
        before=weighed.before,
        after=weighed.after.estimate,
        received=weighed.received,
        beyond=adds and weighed.beyond,
        exceptions=exceptions,
        reason=reason.strip(),
    )


def needed_names(rules: Rules) -> int:
    """Give how many people sign: as many as the rules ask for, and two at least."""
    return max(PAIR_OF_EYES, rules.signatures)


def conclude(
    cycle_id: str, weighed: Weighed, closing: Closing, *, names: Collection[str], ledger: Ledger
) -> Closing:
    """Carry out what people decided: at most a new version of the list with one person moved.

    Args:
        cycle_id: The cycle.
        weighed: What they saw.
        closing: What they decided.
        names: Who signed, in order.
        ledger: The ledger.

    Returns:
        The closing as stored, with the version that it made.

    Raises:
        NotReadyError: If too few people signed.
        ConflictError: If something was recorded since, or it was concluded already.
    """
    signers = tuple(dict.fromkeys(names))
    needed = needed_names(ledger.rules(cycle_id))
    if len(signers) < needed:
        raise NotReadyError(
            f"a reconsideration is signed by {needed} people, {len(signers)} given: --by A --by B"
        )
    version = ledger.cycle(cycle_id).cohort_version
    places, sheet = _listed(cycle_id, version, ledger=ledger)
    outcomes = ledger.outcomes(cycle_id, version)
    behind = _queue(cycle_id, version, places, ledger=ledger)
    with ledger.write(cycle_id) as tx:
        if tx.cycle.position != weighed.read:
            raise ConflictError("something was recorded since this was shown; look at it again")
        which = next((r for r in tx.reconsiderations() if r.id == weighed.which.id), None)
        if which is None or not which.is_open:
            raise ConflictError("this reconsideration was concluded a moment ago")
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
            _store(
                tx,
                moved(places, weighed.after, stored, behind),
                replace(
                    sheet,
                    position=weighed.read.seq,
                    head_hash=weighed.read.hash,
                    stop_sentence=_once(sheet.stop_sentence, AFTERWARDS),
                ),
                [*(o for o in outcomes if o.application != which.application), own],
                signers=signers,
                about={"reconsidered": which.application},
            )
        return stored


def undo(
    cycle_id: str, external_id: str, *, names: Collection[str], reason: str, ledger: Ledger
) -> int:
    """Undo what a reconsideration made of the list, until the person was told. Gives the version.

    Raises:
        InvalidInputError: Without a reason and two names.
        NotFoundError: If there is nothing to undo about this person.
        ConflictError: If another list was fixed since, or the person was offered a place.
    """
    signers = tuple(dict.fromkeys(names))
    if len(signers) < needed_names(ledger.rules(cycle_id)) or not reason.strip():
        raise InvalidInputError(
            f"undoing needs {needed_names(ledger.rules(cycle_id))} different names and a reason: "
            "--by A --by B --reason …"
        )
    cycle = ledger.cycle(cycle_id)
    last = check_undoing(cycle_id, external_id, ledger=ledger)
    assert last.closing is not None, "it was checked"
    before, sheet = _listed(cycle_id, cycle.cohort_version - 1, ledger=ledger)
    outcomes = ledger.outcomes(cycle_id, cycle.cohort_version - 1)
    with ledger.write(cycle_id) as tx:
        position, application = tx.cycle.position, tx.application(last.application)
        if position != cycle.position:
            raise ConflictError("something was recorded at the same moment; try again")
        if application.status.value != last.new.stood:
            status = ApplicationStatus(last.new.stood)
            tx.move_application(
                application.number, status, by=" and ".join(signers), reason=reason
            )
            tx.record(
                EventType.APPLICATION_MOVED, {"a": application.number, "status": status.value}
            )
        tx.close_reconsideration(
            last.id, replace(last.closing, result=Result.UNDONE), by=last.closed_by
        )
        tx.note(
            subject=f"application:{application.number}",
            by=" and ".join(signers),
            text=reason.strip(),
        )
        return _store(
            tx,
            before,
            replace(sheet, position=position.seq, head_hash=position.hash),
            outcomes,
            signers=signers,
            about={"undone": cycle.cohort_version},
        )


def check_undoing(cycle_id: str, external_id: str, *, ledger: Ledger) -> Reconsideration:
    """Give what can be undone about a person; writes nothing.

    Raises:
        NotFoundError, ConflictError: As `undo` does.
    """
    cycle = ledger.cycle(cycle_id)
    application = find(ledger.applications(cycle_id), external_id, cycle_id)
    known = ledger.reconsiderations(cycle_id)
    last = next((r for r in reversed(known) if r.application == application.number), None)
    if last is None or last.closing is None or last.closing.result not in CHANGES:
        raise NotFoundError(f"no reconsideration of {external_id!r} has changed the list")
    version = cycle.cohort_version
    if cycle.status is not CycleStatus.FINALIZED or last.closing.version != version:
        raise ConflictError(
            f"the list has changed since; reopen it (`swapflow cycle reopen {cycle_id}`)"
        )
    letter = told(ledger.announcements(cycle_id)).get(application.number)
    if letter is not None and letter[0].version >= version:
        raise ConflictError(
            f"a letter to {external_id!r} was written since; take it back, if it has not left"
        )
    if any(
        offer.application == application.number
        and offer.version >= version
        and offer.answer is not OfferAnswer.TAKEN_BACK
        for offer in ledger.offers(cycle_id)
    ):
        raise ConflictError(
            f"{external_id!r} was offered a place since, and nobody is told otherwise"
        )
    return last


def moved(
    places: Sequence[Place], after: Place, closing: Closing, queue: Sequence[Place]
) -> tuple[Place, ...]:
    """Give the list with one person's place changed, and everybody else's order as it was.

    Who is added comes last on the list; who is waitlisted comes before whoever stood at their
    place on the waitlist.
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


def _check_reach(
    cycle_id: str,
    application: Application,
    kind: int,
    count: int,
    *,
    ledger: Ledger,
    folds: Folds | None,
) -> None:
    """Refuse to ask for more fresh reviews than there are people."""
    number, external_id = application.number, application.external_id
    if not 0 <= count <= MOST_REVIEWS:
        raise InvalidInputError(f"ask for 1 to {MOST_REVIEWS} fresh reviews")
    with (folds or Folds()).at_head(cycle_id, ledger=ledger) as seen:
        book = seen.book
        seats = book.rules.kinds[kind].seats
        fresh = sum(
            may_ask(book, number, kind, reviewer, appeal=True)
            for reviewer in range(len(book.reviewers))
        )
        name = book.rules.kinds[kind].name
        if fresh < count * seats:
            raise InvalidInputError(
                f"{count} fresh reviews of kind {name!r} need {count * seats} people who never "
                f"had {external_id!r}, and there are {fresh}; ask for fewer"
            )


def _check_open(cycle: Cycle, application: Application, count: int, *, ledger: Ledger) -> None:
    """Refuse what cannot be opened; that nothing is recorded in between is seen on writing."""
    name, offers = application.external_id, ledger.offers(cycle.id)
    if cycle.status is not CycleStatus.FINALIZED:
        raise NotReadyError(
            f"cycle {cycle.id!r} is {cycle.status.value}; while no list is fixed, ask for more "
            "reviews instead"
        )
    if not application.status.is_candidate and application.status not in LEFT:
        raise InvalidInputError(f"applicant {name!r} is {application.status.value}")
    again = ledger.reconsiderations(cycle.id)
    if any(one.is_open and one.application == application.number for one in again):
        raise ConflictError(f"a reconsideration of {name!r} is open already")
    outcomes = ledger.outcomes(cycle.id, cycle.cohort_version)
    left = application.status in LEFT or _refused(offers, application.number)
    selected = any(
        o.application == application.number and o.verdict is Verdict.SELECTED for o in outcomes
    )
    stands = any(o.application == application.number and o.answer.stands for o in offers)
    if (selected and not left) or stands:
        raise InvalidInputError(f"{name!r} stands on the list; there is nothing to reconsider")
    if count == 0 and not left:
        raise InvalidInputError(f"ask for 1 to {MOST_REVIEWS} fresh reviews")


def _open_of(
    reconsiderations: Collection[Reconsideration], application: Application
) -> Reconsideration:
    for one in reconsiderations:
        if one.application == application.number and one.is_open:
            return one
    raise NotFoundError(f"no reconsideration of {application.external_id!r} is open")


def _listed(
    cycle_id: str, version: int, *, ledger: Ledger
) -> tuple[tuple[Place, ...], MethodSheet]:
    return next((places, sheet) for v, places, sheet in ledger.proposals(cycle_id) if v == version)


def _reviews(cycle_id: str, which: Reconsideration, *, ledger: Ledger) -> tuple[int, int]:
    """Count the fresh reviews that are out, and those that have come."""
    asked = [
        pull
        for pull in ledger.pulls(cycle_id)
        if (pull.application, pull.kind) == (which.application, which.new.kind)
        and pull.why is PullWhy.APPEAL
    ]
    # In the order in which they were asked for: those of earlier reconsiderations come first.
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


def _refused(offers: Sequence[Offer], application: int) -> bool:
    last = _last(offers, application)
    return last is not None and last.answer in REFUSED


def _left(application: Application, cycle_id: str, ledger: Ledger) -> bool:
    return application.status in LEFT or _refused(ledger.offers(cycle_id), application.number)


def _holding(cycle_id: str, version: int, *, ledger: Ledger) -> frozenset[int]:
    """Give who holds a place now: the chosen who have not refused, and whose offer stands."""
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


def _queue(
    cycle_id: str, version: int, places: Sequence[Place], *, ledger: Ledger
) -> tuple[Place, ...]:
    """Give the waitlist as it stands: who waits for a place and was not offered one yet."""
    there = {n.number for n in ledger.named(cycle_id) if n.status.is_candidate}
    since = restored(ledger.reconsiderations(cycle_id))
    asked = {
        offer.application
        for offer in ledger.offers(cycle_id)
        if offer.answer is not OfferAnswer.TAKEN_BACK
        and offer.version >= since.get(offer.application, 0)
    }
    asked |= {
        number
        for number, (announcement, letter) in told(ledger.announcements(cycle_id)).items()
        if letter.group is Group.NOT_SELECTED and announcement.version >= since.get(number, 0)
    }
    waits = {
        outcome.application
        for outcome in ledger.outcomes(cycle_id, version)
        if outcome.verdict is Verdict.WAITLISTED
    }
    return tuple(p for p in places if p.application in (waits & there) - asked)


def _exceptions(among: Among, after: Place, holding: frozenset[int]) -> tuple[str, ...]:
    """Say what adding the person would break that holds, or is broken, without them."""
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


def _proposal(weighed: Weighed, *, left: bool) -> Result:
    """Say what the scores speak for; a reconsideration never makes anything worse."""
    fresh = weighed.received > 0 or weighed.which.new.reviews == 0
    if fresh and weighed.after.standing is Standing.COHORT:
        return Result.ADDED
    if left and fresh:
        return Result.WAITLISTED
    better = weighed.before is not None and weighed.after.estimate > weighed.before
    if weighed.stands:
        return Result.WAITLISTED if weighed.place < weighed.stands else Result.STAYS
    return Result.WAITLISTED if better and fresh else Result.STAYS


def _restore(tx: Transaction, number: int, *, by: str, reason: str) -> None:
    """Make somebody who left a candidate again."""
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


def _store(
    tx: Transaction,
    places: Sequence[Place],
    sheet: MethodSheet,
    outcomes: Sequence[Outcome],
    *,
    signers: Sequence[str],
    about: dict[str, int],
) -> int:
    """Store a version of the list; what is not about the one person is copied as it was."""
    version = tx.cycle.cohort_version + 1
    tx.insert_proposal(places, sheet)
    tx.insert_outcomes(version, sorted(outcomes, key=lambda outcome: outcome.application))
    for signer in signers:
        tx.insert_signature(version, by=signer, role="chair")
    tx.record(EventType.FINALIZED, {"version": version, **about})
    tx.set_cohort_version(version)
    return version


def _once(text: str, more: str) -> str:
    return text if text.endswith(more) else text + more
