"""Mails to reviewers: that something waits for them, never about whom."""

from collections.abc import Sequence

from swapflow.domain.cycle import Cycle
from swapflow.domain.ids import cycle_of
from swapflow.domain.reviewer import Reviewer
from swapflow.engine.ports import Ledger, Mail


TEXT = """Reviews wait for you in "{name}".

You can see them, with their due dates, by:

    swapflow inbox list {cycle} --reviewer {reviewer}

If you cannot take one of them, please decline it soon, so that somebody else can.
"""


def notify(assignment_ids: Sequence[str], *, ledger: Ledger) -> int:
    """Queue a mail for each reviewer of these assignments who has an address.

    At most one a day, cycle and reviewer: the mail's id hangs on the day, and a second row of the
    same id is left out. No applicant is named, so nothing can be told from a mail.

    Returns:
        Mails that were asked for; those of today's earlier deliveries are among them.
    """
    asked = 0
    for cycle_id in sorted({cycle_of(name) for name in assignment_ids}):
        numbers = {
            ledger.assignment(a).reviewer for a in assignment_ids if cycle_of(a) == cycle_id
        }
        reachable = [r for r in ledger.reviewers(cycle_id) if r.number in numbers and r.email]
        if not reachable:
            continue
        cycle = ledger.cycle(cycle_id)
        with ledger.write(cycle_id) as tx:
            day = tx.now.strftime("%Y-%m-%d")
            tx.queue_mail([_mail(cycle, reviewer, day) for reviewer in reachable])
        asked += len(reachable)
    return asked


def _mail(cycle: Cycle, reviewer: Reviewer, day: str) -> Mail:
    return Mail(
        id=f"{cycle.id}:waiting:{reviewer.number}:{day}",
        to=reviewer.email,
        subject=f"Reviews wait for you: {cycle.name}",
        text=TEXT.format(name=cycle.name, cycle=cycle.id, reviewer=reviewer.external_id),
        html="",
        calendar="",
        state="queued",
    )
