"""A reviewer is away: nothing new is asked of them, and others may take what is open."""

from dataclasses import replace

from swapflow.domain.event import EventType
from swapflow.domain.people.reviewer import Absence
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, AssignmentStatus, seat_items
from swapflow.engine.intake.roster import available, check_days, in_order, roster_facts
from swapflow.engine.interviews.slots import excuse
from swapflow.engine.ports.cycles import CycleReads


def send_away(
    cycle_id: str,
    number: int,
    days: Absence,
    *,
    give: bool,
    by: str,
    reason: str = "",
    address: str = "",
    ledger: CycleReads,
) -> tuple[str, ...]:
    """Note days on which a reviewer is away; with `give`, their open reviews go to others.

    Both are one transaction: no reviewer is away with reviews that were to be given to others.
    Mails about an agreed date are as in `decline`. Noting the same days again changes nothing.

    Returns:
        The ids of the assignments that go to others.

    Raises:
        InvalidInputError: If the days end before they begin, or are too many.
        NotFoundError: If the roster has no such number.
        CycleFinalizedError: If the cohort is fixed.
    """
    check_days(days)
    with ledger.write(cycle_id) as tx:
        there = available(tx, number)
        if days not in there.absences:
            changed = replace(there, absences=in_order({*there.absences, days}))
            tx.change_reviewer(changed)
            tx.record(EventType.REVIEWER_CHANGED, roster_facts(tx, changed, tx.rules()))
        if not give:
            return ()
        found = sorted(tx.assignments_of_reviewer(number, OPEN_ASSIGNMENT), key=lambda a: a.id)
        given = tuple(one.id for one in found)
        if given:
            if days.first <= tx.now.date() <= days.last:
                # On record before their reviews are: the next turn must not ask them again.
                tx.record(EventType.REVIEWER_AWAY, {"r": number, "away": 1})
            tx.move_assignments(list(given), AssignmentStatus.TAKEN_BACK, allowed=OPEN_ASSIGNMENT)
            tx.record(EventType.TAKEN_BACK, {"items": seat_items(found)})
            for one in found:
                excuse(tx, one, address=address)
        if reason:
            tx.note(subject=f"reviewer {there.external_id}", by=by, text=reason)
        return given
