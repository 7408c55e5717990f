"""Mails to reviewers: that requests wait for them, never about whom."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from swapflow.domain.ids import cycle_of
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.personal_link import LeadsTo, PersonalLink
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, Assignment
from swapflow.domain.rules import Rules
from swapflow.engine.notifications.mail_text import nudge_mail, waiting_mail
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import Mail
from swapflow.engine.ports.requests import RequestReads
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError, NotReadyError
from swapflow.i18n.formatting import day, hours, moment
from swapflow.i18n.languages import writing_in


MINUTES = "minutes"
"""The unit of a round whose costs are time."""

WITHOUT_DUE_DATE = timedelta(days=30)
"""How long a link signs in where nothing is due."""


def notify(
    assignment_ids: Sequence[str], *, ledger: Ledger, address: str, office: str = ""
) -> int:
    """Queue a mail for each reviewer of these assignments who has an address.

    At most one a day, cycle and reviewer, however many assignments there are: the mail's id holds
    the day, and a second row with the same id is left out. No applicant is named, so a mail
    discloses nothing. Its link signs the reviewer in, once; `personal_link` says how.

    Args:
        assignment_ids: What was asked for.
        ledger: The ledger.
        address: Where the pages are.
        office: Who asks, as reviewers know it; "" for no name.

    Returns:
        Mails that were queued.
    """
    queued = 0
    for cycle_id in sorted({cycle_of(name) for name in assignment_ids}):
        numbers = {
            ledger.assignment(a).reviewer for a in assignment_ids if cycle_of(a) == cycle_id
        }
        new = _waiting_mails(cycle_id, numbers, ledger=ledger, address=address, office=office)
        if new:
            with ledger.write(cycle_id) as tx:
                tx.queue_mail([mail for mail, _ in new])
                tx.add_personal_links([link for _, link in new])
        queued += len(new)
    return queued


def nudge(cycle_id: str, external_id: str, *, by: str, ledger: Ledger, address: str) -> None:
    """Ask a reviewer for waiting reviews, on behalf of a person, at most once a day.

    Raises:
        NotFoundError: If the cycle has no such reviewer.
        InvalidInputError: If the reviewer has no mail address.
        NotReadyError: If nothing waits for them.
        ConflictError: If they were asked today already.
    """
    reviewer = next((r for r in ledger.reviewers(cycle_id) if r.external_id == external_id), None)
    if reviewer is None:
        raise NotFoundError("reviewer_not_in_program", cycle=cycle_id, reviewer=external_id)
    if not reviewer.email:
        raise InvalidInputError("reviewer_without_mail", reviewer=external_id)
    waiting = waiting_for(cycle_id, reviewer.number, ledger=ledger)
    if not waiting:
        raise NotReadyError("nothing_waits_for_reviewer", reviewer=external_id)
    rules = ledger.rules(cycle_id)
    with writing_in(rules.language):  # not the language of the person who presses the button
        letter = nudge_mail(
            ledger.cycle(cycle_id).name,
            count=len(waiting),
            due=formatted_due(waiting, rules.zone),
            link=f"{address}/inbox",
            by=by,
        )
    mail_id = _nudge_id(cycle_id, reviewer, ledger.now())
    if ledger.known_mails([mail_id]):
        raise ConflictError("reviewer_reminded_today", reviewer=external_id)
    with ledger.write(cycle_id) as tx:
        tx.queue_mail([letter.to(reviewer.email, mail_id=mail_id)])


def nudge_late(cycle_id: str, *, by: str, ledger: Ledger, address: str) -> int:
    """Ask every late reviewer, as `nudge` does; return how many were mailed now.

    Raises:
        ConflictError: If nobody who is late can be asked by mail today.
    """
    asked = 0
    for reviewer in remindable(cycle_id, ledger=ledger):
        try:
            nudge(cycle_id, reviewer.external_id, by=by, ledger=ledger, address=address)
        except (ConflictError, NotReadyError):
            continue
        asked += 1
    if not asked:
        raise ConflictError("everybody_reminded_today")
    return asked


def remindable(cycle_id: str, *, ledger: Ledger) -> tuple[Reviewer, ...]:
    """Return the late reviewers who have a mail address and were not asked today."""
    late = {one.reviewer for one in ledger.waiting(cycle_id) if one.overdue}
    found = {
        _nudge_id(cycle_id, reviewer, ledger.now()): reviewer
        for reviewer in (ledger.reviewers(cycle_id) if late else ())
        if reviewer.number in late and reviewer.email
    }
    known = ledger.known_mails(list(found)) if found else frozenset()
    return tuple(reviewer for mail_id, reviewer in found.items() if mail_id not in known)


def _nudge_id(cycle_id: str, reviewer: Reviewer, now: datetime) -> str:
    """Name the one reminder that a person may send to a reviewer on a day."""
    return f"{cycle_id}:nudge:{reviewer.number}:{now:%Y-%m-%d}"


def waiting_for(cycle_id: str, reviewer: int, *, ledger: RequestReads) -> tuple[Assignment, ...]:
    """Read the open assignments of a reviewer."""
    return ledger.assignments(cycle_id, reviewer=reviewer, statuses=OPEN_ASSIGNMENT)


def next_due(waiting: Collection[Assignment]) -> datetime | None:
    """Return the first due time, None where nothing has one."""
    return min((a.due_at for a in waiting if a.due_at is not None), default=None)


def formatted_due(waiting: Collection[Assignment], zone: str) -> str:
    """Format the first due time, "" where nothing has one."""
    due = next_due(waiting)
    return "" if due is None else moment(due, zone)


def effort_of(waiting: Collection[Assignment], rules: Rules, unit: str) -> str:
    """Format the time that reviews take together, "" where the round's unit is no time."""
    minutes = sum(rules.kinds[one.kind].cost for one in waiting)
    return hours(minutes) if unit == MINUTES and minutes else ""


def _waiting_mails(
    cycle_id: str, numbers: Collection[int], *, ledger: Ledger, address: str, office: str
) -> list[tuple[Mail, PersonalLink]]:
    """Write today's mails with their links, except for those that exist already."""
    day_of_mail = f"{ledger.now():%Y-%m-%d}"
    reachable = {
        f"{cycle_id}:waiting:{r.number}:{day_of_mail}": r
        for r in ledger.reviewers(cycle_id)
        if r.number in numbers and r.email
    }
    new = reachable.keys() - ledger.known_mails(list(reachable)) if reachable else set()
    if not new:
        return []
    cycle, rules = ledger.cycle(cycle_id), ledger.rules(cycle_id)
    unit = next((r.unit for r in ledger.rounds() if r.id == cycle.round_id), "")
    letters = _WaitingMails(
        program=cycle.name, rules=rules, unit=unit, address=address, office=office, ledger=ledger
    )
    return [letters.to(r, mail_id) for mail_id, r in reachable.items() if mail_id in new]


@dataclass(frozen=True, slots=True, kw_only=True)
class _WaitingMails:
    """What the mails of one program have in common."""

    program: str
    rules: Rules
    unit: str
    address: str
    office: str
    ledger: Ledger

    def to(self, reviewer: Reviewer, mail_id: str) -> tuple[Mail, PersonalLink]:
        """Write the mail to one reviewer."""
        rules = self.rules
        waiting = waiting_for(reviewer.cycle_id, reviewer.number, ledger=self.ledger)
        # Until the last of them is due: a link that ended with the first would not open the rest.
        last = max((a.due_at for a in waiting if a.due_at is not None), default=None)
        link = PersonalLink(
            message_id=mail_id,
            cycle_id=reviewer.cycle_id,
            leads_to=LeadsTo.REVIEWS,
            reviewer=reviewer.number,
            good_until=last or self.ledger.now() + WITHOUT_DUE_DATE,
        )
        with writing_in(rules.language):  # staff may have caused it, in another language
            letter = waiting_mail(
                self.program,
                count=max(1, len(waiting)),
                due=formatted_due(waiting, rules.zone),
                link=link.address(self.address),
                office=self.office,
                effort=effort_of(waiting, rules, self.unit),
                good_until=day(link.good_until, rules.zone),
            )
        return letter.to(reviewer.email, mail_id=mail_id), link
