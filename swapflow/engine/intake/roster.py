"""Reviewers of a cycle join, change, are away, leave, and are erased."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from swapflow.bandit.ties import tie_key
from swapflow.domain.erased_person import ErasedAs
from swapflow.domain.event import EventType, Json
from swapflow.domain.ids import same_id
from swapflow.domain.people.reviewer import Absence, Reviewer
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, EndedWhy, seat_items
from swapflow.domain.rules import Rules
from swapflow.domain.seal import revision
from swapflow.engine.intake.applications import refuse_held
from swapflow.engine.intake.erased_people import remember_erased
from swapflow.engine.intake.own_reviews import bar_own_reviews
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.erased_people import ErasureKeys
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import refuse_finalized
from swapflow.engine.projection.people_events import UNNAMED
from swapflow.engine.reviewing.barred_pairs import bar_pairs, restrict_to_panels
from swapflow.engine.revisions import check_revision
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError


LONGEST_ABSENCE = 731


LARGEST_PACKET = 100


UNNAMED_MARK = "#unnamed"
"""Suffix of an automatic reviewer's specification that marks unnamed people."""


def tie_of(rules: Rules, external_id: str) -> int:
    """Return the keyed hash that breaks ties, as a non-negative signed 64-bit integer."""
    # Shifted by one bit: the database's integers are signed.
    return tie_key(rules.seed, external_id) >> 1


def purge_reviewer(
    cycle_id: str, external_id: str, *, by: str, ledger: CycleReads, keys: ErasureKeys
) -> bool:
    """Erase one reviewer's data for good; their scores stay under a number.

    They leave the roster first, if they are still on it. Their remarks belong to the applicants'
    files and stay, without a name. Keyed digests of id and address are kept for the round, so that
    a later list does not bring the person back unnoticed.

    Returns:
        Whether person and account are erased too: they stay while another cycle names the same
        address, or while the account has a role as staff.

    Raises:
        NotFoundError: If the roster has no such id, or it was erased before.
        ConflictError: If erasure is on hold in this cycle, or the reviewer has open requests.
        UnavailableError: If the key for the digests can be neither read nor made.
    """
    with ledger.write(cycle_id) as tx:
        found = next((r for r in tx.reviewers() if r.external_id == external_id), None)
        if found is None:
            raise NotFoundError("reviewer_not_in_program", cycle=cycle_id, reviewer=external_id)
        if found.was_erased:
            raise NotFoundError("reviewer_erased", reviewer=found.number, cycle=cycle_id)
        refuse_held(tx, cycle_id, reviewer=found.number)
        if waiting := len(tx.assignments_of_reviewer(found.number, OPEN_ASSIGNMENT)):
            raise ConflictError(
                "requests_wait_with_reviewer",
                count=waiting,
                cycle=cycle_id,
                reviewer=external_id,
            )
        if found.active:
            tx.change_reviewer(replace(found, active=False))
            tx.record(EventType.REVIEWER_LEFT, {"r": found.number})
        remember_erased(tx, ErasedAs.REVIEWER, found.external_id, found.email, keys=keys)
        tx.record(EventType.PURGED, {"r": found.number})
        erased = tx.erase_reviewer(found.number)
        tx.note(subject=f"reviewer {found.number}", by=by, text="erased")
        return erased


def add_conflicts(
    cycle_id: str,
    pairs: Iterable[tuple[str, str]],
    *,
    source: str,
    address: str = "",
    ledger: CycleReads,
) -> int:
    """Store conflicts of interest, as (application, reviewer) external ids.

    Returns:
        How many open requests were taken back; an answer that comes all the same is kept and does
        not count.
    """
    with ledger.write(cycle_id) as tx:
        numbers = {r.external_id: r.number for r in tx.reviewers()}
        return record_conflicts(
            tx, [(r, a) for a, r in pairs], numbers, source=source, address=address
        )


def waive_conflict(
    cycle_id: str,
    application: str,
    reviewer: str,
    *,
    by: str,
    reason: str,
    ledger: CycleReads,
) -> None:
    """Accept a reviewer's scores of an application although the two are barred.

    The pair stays barred: nothing new is asked. The reason is kept in an erasable row.

    Args:
        cycle_id: The cycle.
        application: External id.
        reviewer: External id.
        by: Who accepts it.
        reason: Why; must be given.
        ledger: The ledger.

    Raises:
        InvalidInputError: If there is no reason, or an id is not in the cycle.
        CycleFinalizedError: If the cohort is fixed.
    """
    if not reason.strip():
        raise InvalidInputError("reason_missing")
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        a = _known({a.external_id: a.number for a in tx.applications()}, application, "applicant")
        r = _known({r.external_id: r.number for r in tx.reviewers()}, reviewer, "reviewer")
        tx.record(EventType.CONFLICT_WAIVED, {"a": a, "r": r})
        tx.note(
            subject=f"application:{a}",
            by=by,
            text=f"the score of reviewer {r} counts in spite of a conflict: {reason.strip()}",
        )


def panels_revision(panels: Collection[tuple[int, int]]) -> str:
    """Return the revision that other panels of a program are made from.

    Args:
        panels: All pairs of application and reviewer, by their numbers.
    """
    return revision(sorted(panels))


def set_panel(
    cycle_id: str,
    pairs: Iterable[tuple[str, str]],
    *,
    made_from: str = "",
    address: str = "",
    ledger: Ledger,
) -> int:
    """Restrict applications to the reviewers named, as (application, reviewer) external ids.

    Panels that are set already are no event.

    Args:
        cycle_id: The cycle.
        pairs: The panels; they replace those of the applications that they name.
        made_from: The `panels_revision` that this was made from; "" for no check.
        address: Address of the pages, for mails about dates that lapse.
        ledger: The ledger.

    Returns:
        How many open requests of others were taken back.

    Raises:
        StaleRevisionError: If other panels were set since; it holds those of these applications.
    """
    with ledger.write(cycle_id) as tx:
        applications = {a.external_id: a.number for a in tx.applications()}
        reviewers = {r.external_id: r.number for r in tx.reviewers()}
        numbered = [
            (_known(applications, a, "applicant"), _known(reviewers, r, "reviewer"))
            for a, r in pairs
        ]
        there = ledger.panels(cycle_id)
        named = {application for application, _ in numbered}
        stored = [pair for pair in there if pair[0] in named]
        if set(stored) == set(numbered):
            return 0
        people = {number: name for name, number in applications.items()}
        members = {number: name for name, number in reviewers.items()}
        told: dict[str, list[str]] = {}
        for application, reviewer in stored:
            told.setdefault(people[application], []).append(members[reviewer])
        check_revision(
            made_from,
            panels_revision(there),
            {name: ", ".join(panel) for name, panel in told.items()},
        )
        return len(restrict_to_panels(tx, numbered, address=address))


def leave(
    cycle_id: str, external_id: str, *, by: str, reason: str = "", ledger: CycleReads
) -> int:
    """Take a reviewer off the roster; their open assignments go to others. Return how many."""
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        reviewer = next((r for r in tx.reviewers() if r.external_id == external_id), None)
        if reviewer is None:
            raise NotFoundError("reviewer_not_in_program", cycle=cycle_id, reviewer=external_id)
        if not reviewer.active:
            raise InvalidInputError("reviewer_left", reviewer=external_id)
        tx.change_reviewer(replace(reviewer, active=False))
        tx.record(EventType.REVIEWER_LEFT, {"r": reviewer.number})
        ended = tx.end_assignments_of(reviewer.number)
        if ended:
            # Recorded as expired: for a pull it is the same whether its reviewer was late or has
            # left.
            tx.record(EventType.EXPIRED, {"items": seat_items(ended), "why": EndedWhy.LEFT.value})
        if reason:
            tx.note(subject=f"reviewer {external_id}", by=by, text=reason)
        return len(ended)


def come_back(
    cycle_id: str, external_id: str, *, by: str, reason: str, ledger: CycleReads
) -> None:
    """Put a reviewer who left on the roster again, as they were; the reason is kept.

    Raises:
        NotFoundError: If the roster has no such id, or they were erased.
        InvalidInputError: If there is no reason, they have not left, or another reviewer has their
            address by now.
        CycleFinalizedError: If the cohort is fixed, except for the reserve.
    """
    if not reason.strip():
        raise InvalidInputError("reason_missing")
    with ledger.write(cycle_id) as tx:
        roster = tx.reviewers()
        reviewer = next((r for r in roster if r.external_id == external_id), None)
        if reviewer is None or reviewer.was_erased:
            raise NotFoundError("reviewer_not_in_program", cycle=cycle_id, reviewer=external_id)
        if not reviewer.reserve:
            refuse_finalized(tx)
        if reviewer.active:
            raise InvalidInputError("reviewer_there", reviewer=external_id)
        address = same_id(reviewer.email)
        for other in roster:
            if address and other.active and same_id(other.email) == address:
                raise InvalidInputError(
                    "reviewer_address_taken",
                    reviewer=external_id,
                    email=reviewer.email,
                    other=other.external_id,
                )
        back = replace(reviewer, active=True)
        tx.change_reviewer(back)
        tx.record(EventType.REVIEWER_RETURNED, {"r": reviewer.number})
        bar_own_reviews(tx, tx.applications(), [back])
        tx.note(subject=f"reviewer {external_id}", by=by, text=reason.strip())


def change_availability(
    cycle_id: str,
    number: int,
    *,
    add: Absence | None = None,
    remove: Absence | None = None,
    packet: int | None = None,
    made_from: str = "",
    ledger: CycleReads,
) -> None:
    """Change a reviewer's absences, or how many requests they have at the same time.

    Raises:
        InvalidInputError: If the days end before they begin, or the number cannot be used.
        NotFoundError: If the roster has no such number.
    """
    if add is not None:
        check_days(add)
    if packet is not None and not 1 <= packet <= LARGEST_PACKET:
        raise InvalidInputError("packet_out_of_range", most=LARGEST_PACKET)
    with ledger.write(cycle_id) as tx:
        there = available(tx, number)
        days = {*there.absences, *([add] if add else [])} - ({remove} if remove else set())
        changed = replace(
            there, absences=in_order(days), packet=there.packet if packet is None else packet
        )
        if changed != there:
            if packet is not None:
                # Without one of their own, the one of the rules is shown and counts.
                now = there.packet or tx.rules().packet
                check_revision(made_from, str(now), {"packet": now})
            tx.change_reviewer(changed)
            tx.record(EventType.REVIEWER_CHANGED, roster_facts(tx, changed, tx.rules()))


def available(tx: Transaction, number: int) -> Reviewer:
    """Return the roster entry whose availability is to change.

    Raises:
        CycleFinalizedError: If the cohort is fixed.
        NotFoundError: If the roster has no such number.
    """
    refuse_finalized(tx)
    there = next((r for r in tx.reviewers() if r.number == number), None)
    if there is None:
        raise NotFoundError("reviewer_number_not_in_program", cycle=tx.cycle.id, number=number)
    return there


def check_days(days: Absence) -> None:
    """Check that days away can be noted.

    Raises:
        InvalidInputError: If they end before they begin, or are too many.
    """
    if days.last < days.first or (days.last - days.first).days > LONGEST_ABSENCE:
        raise InvalidInputError("absence_out_of_range")


def in_order(days: Iterable[Absence]) -> tuple[Absence, ...]:
    """Return absences in the order in which they are stored."""
    return tuple(sorted(days, key=lambda one: (one.first, one.last)))


def roster_facts(tx: Transaction, reviewer: Reviewer, rules: Rules) -> dict[str, Json]:
    """Return what an event says of a roster entry; never a name."""
    roster: dict[str, Json] = {
        "r": reviewer.number,
        "tie": tie_of(rules, reviewer.external_id),
        "capacity": [
            [rules.kind_index(kind), most] for kind, most in sorted(reviewer.capacity.items())
        ],
        "packet": reviewer.packet,
        "automatic": _automatic(reviewer.automatic),
        "topics": [tx.topic_number(topic) for topic in reviewer.topics],
    }
    return roster | ({"reserve": 1} if reviewer.reserve else {})


def _automatic(specification: str) -> int:
    """Return 0 for a person, 1 for a program, 2 for a program that answers for unnamed people."""
    if not specification:
        return 0
    return UNNAMED if specification.endswith(UNNAMED_MARK) else 1


def record_conflicts(
    tx: Transaction,
    pairs: Iterable[tuple[str, str]],
    reviewers: Mapping[str, int],
    *,
    source: str,
    address: str = "",
) -> int:
    """Store conflicts, as (reviewer, application) external ids, with their event.

    Returns:
        How many open requests were taken back.
    """
    applications = {a.external_id: a.number for a in tx.applications()}
    numbered = [
        (_known(applications, a, "applicant"), _known(reviewers, r, "reviewer")) for r, a in pairs
    ]
    return len(bar_pairs(tx, numbered, source=source, address=address))


def _known(numbers: Mapping[str, int], external_id: str, noun: str) -> int:
    if external_id not in numbers:
        raise InvalidInputError("imported_id_unknown", noun=noun, name=external_id)
    return numbers[external_id]
