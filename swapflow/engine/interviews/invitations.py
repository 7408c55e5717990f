"""Mails and calendar invitations about the date of an interview."""

from collections.abc import Sequence
from datetime import datetime

from swapflow.domain.cycle import Cycle
from swapflow.domain.people.calendar_invitation import Guest, invitation, uid_of
from swapflow.domain.people.interview import Interview
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import (
    Assignment,
)
from swapflow.engine.notifications.mail_text import Link, MailPart, MailText
from swapflow.engine.ports.records import Mail
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.i18n.formatting import counted, moment
from swapflow.i18n.languages import gettext, writing_in


def invitation_of(
    interview: Interview,
    assignment: Assignment,
    *,
    guest: Reviewer,
    cycle: Cycle,
    kind: str,
    stamp: datetime,
    address: str = "",
) -> str:
    """Build the calendar entry of one reviewer; it names no applicant, since mails travel."""
    code = cycle.task_code(assignment.id)
    return invitation(
        interview,
        uid=uid_of(assignment.pull_id, assignment.reviewer),
        title=f"{kind.capitalize()} · {cycle.name}",
        guest=Guest(name=guest.name, email=guest.email),
        organiser="",
        stamp=stamp,
        address=f"{address}/tasks/{code}" if address else "",
    )


def send_invitations(
    tx: Transaction,
    interview: Interview,
    seated: Sequence[Assignment],
    *,
    kind: str,
    address: str,
    moved: bool = False,
    held: bool = False,
) -> list[str]:
    """Queue an invitation, or its cancellation, for every seated reviewer; return the mails' ids.

    Args:
        tx: The write.
        interview: The slot.
        seated: The open assignments of its request.
        kind: The kind's name.
        address: Where the pages are.
        moved: Whether its people were told of an earlier date.
        held: Whether the mails wait until a person's minutes to undo have passed.
    """
    people = {r.number: r for r in tx.reviewers()}
    with writing_in(tx.rules().language):  # not the language of the staff member
        mails = [
            _mail(tx, interview, assignment, people[assignment.reviewer], kind, address, moved)
            for assignment in seated
            if people[assignment.reviewer].email
        ]
    tx.queue_mail(mails, held=held)
    return [mail.id for mail in mails]


def _mail(
    tx: Transaction,
    interview: Interview,
    assignment: Assignment,
    guest: Reviewer,
    kind: str,
    address: str,
    moved: bool,  # noqa: FBT001 - private
) -> Mail:
    about = {
        "kind": kind,
        "Kind": kind.capitalize(),
        "when": moment(interview.starts_at, interview.zone),
        "program": tx.cycle.name,
    }
    if interview.cancelled:
        subject = gettext("%(Kind)s on %(when)s does not take place") % about
        first = (
            gettext('The %(kind)s in "%(program)s" on %(when)s does not take place then.') % about
        )
    else:
        subject = (
            gettext("%(Kind)s moved: %(when)s") if moved else gettext("%(Kind)s set: %(when)s")
        ) % about
        first = counted(
            interview.minutes,
            'The %(kind)s in "%(program)s" is on %(when)s, for %(count)s minute.',
            'The %(kind)s in "%(program)s" is on %(when)s, for %(count)s minutes.',
            **about,
        )
    code = tx.cycle.task_code(assignment.id)
    parts: list[MailPart] = [first]
    if interview.place and interview.stands:
        parts.append(gettext("Place: %(place)s") % {"place": interview.place})
    if address:
        parts.append(Link(f"{address}/tasks/{code}", gettext("Open the form")))
    letter = MailText(
        subject=subject,
        parts=tuple(parts),
        calendar=invitation_of(
            interview,
            assignment,
            guest=guest,
            cycle=tx.cycle,
            kind=kind,
            stamp=tx.now,
            address=address,
        ),
    )
    # One mail per task and sequence: setting the same slot twice sends nothing new.
    return letter.to(guest.email, mail_id=f"{code}:slot:{interview.sequence}")
