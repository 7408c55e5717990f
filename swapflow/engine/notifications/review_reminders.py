"""Reminders before a review is due: three steps, each sent once, only for open reviews."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from swapflow.domain.cycle import ASKING
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, Assignment
from swapflow.engine.notifications.mail_text import reminder_mail
from swapflow.engine.notifications.reviewer_mail import formatted_due
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import Mail
from swapflow.i18n.languages import writing_in


EVERY = timedelta(hours=1)
"""How often a coordinator checks for reminders."""


@dataclass(frozen=True, slots=True)
class ReminderStep:
    """One reminder.

    Attributes:
        number: In its mails' ids.
        before: Time before the due time.
        share: Share of the reviewer's time: the reminder comes no earlier than this before its
            end.
    """

    number: int
    before: timedelta
    share: float


STEPS = (
    ReminderStep(1, timedelta(days=3), 1 / 3),
    ReminderStep(2, timedelta(days=1), 1 / 6),
    ReminderStep(3, timedelta(hours=4), 1 / 12),
)
"""From early to late. At the due time the request goes to another: no reminder follows."""


def step_of(assignment: Assignment, now: datetime) -> ReminderStep | None:
    """Return the latest step that an open assignment has reached; None before the first."""
    if assignment.due_at is None or now >= assignment.due_at:
        return None
    left, time = assignment.due_at - now, assignment.due_at - assignment.created_at
    reached = [step for step in STEPS if left <= min(step.before, step.share * time)]
    return reached[-1] if reached else None


def remind(cycle_id: str, *, ledger: Ledger, address: str) -> int:
    """Queue the reminders that are due now; return how many.

    One mail for all that a reviewer owes by the same day. Its id names step, reviewer and day, so
    that running twice, or in two coordinators, sends once; a due day that moves gets its own
    reminders.
    """
    if ledger.cycle(cycle_id).status not in ASKING:
        return 0
    now = ledger.now()
    due: dict[str, list[Assignment]] = {}
    for assignment in ledger.assignments(cycle_id, statuses=OPEN_ASSIGNMENT):
        step = step_of(assignment, now)
        if step is not None and assignment.due_at is not None:
            day = f"{assignment.due_at:%Y-%m-%d}"
            mail_id = f"{cycle_id}:remind-{step.number}:{assignment.reviewer}:{day}"
            due.setdefault(mail_id, []).append(assignment)
    if not due or not (new := due.keys() - ledger.known_mails(list(due))):
        return 0
    mails = _mails(cycle_id, {m: due[m] for m in sorted(new)}, ledger=ledger, address=address)
    with ledger.write(cycle_id) as tx:
        # The status is read again under the lock: the cycle may have been finalized since.
        if tx.cycle.status not in ASKING:
            return 0
        tx.queue_mail(mails)
    return len(mails)


def _mails(
    cycle_id: str, due: Mapping[str, list[Assignment]], *, ledger: Ledger, address: str
) -> list[Mail]:
    program, rules = ledger.cycle(cycle_id).name, ledger.rules(cycle_id)
    reachable = {r.number: r.email for r in ledger.reviewers(cycle_id) if r.email}
    last = f":remind-{STEPS[-1].number}:"
    with writing_in(rules.language):
        return [
            reminder_mail(
                program,
                count=len(owed),
                due=formatted_due(owed, rules.zone),
                link=f"{address}/inbox",
                last=last in mail_id,
            ).to(reachable[owed[0].reviewer], mail_id=mail_id)
            for mail_id, owed in due.items()
            if owed[0].reviewer in reachable
        ]
