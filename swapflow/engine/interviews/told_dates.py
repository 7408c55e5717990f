"""What the people of an interview know of its date, and telling them of another."""

from collections.abc import Sequence

from swapflow.domain.people.interview import UNTOLD, Interview
from swapflow.domain.reviewing.assignment import Pull
from swapflow.engine.interviews.invitations import send_invitations
from swapflow.engine.notifications.applicant_mail import InterviewOf, invite_applicant
from swapflow.engine.ports.held_acts import HeldAct
from swapflow.engine.ports.writes.transaction import Transaction


def date_of(tx: Transaction, pull: Pull, slot: Interview) -> InterviewOf:
    """Return a request's date with its applicant."""
    return InterviewOf(
        interview=slot,
        applicant=tx.application(pull.application),
        kind=tx.rules().kinds[pull.kind].name,
    )


def tell_of_date(
    tx: Transaction,
    pull: Pull,
    slot: Interview,
    *,
    moved: bool,
    address: str,
    held: bool = False,
) -> list[str]:
    """Queue the invitations to a date for its reviewers and its applicant; return the mails' ids.

    Args:
        tx: The write.
        pull: The request.
        slot: Its date.
        moved: Whether its people were told of an earlier date.
        address: Where the pages are.
        held: Whether the mails wait until a person's minutes to undo have passed.
    """
    date = date_of(tx, pull, slot)
    seated = [a for a in tx.assignments_of([pull.id]) if a.status.is_open]
    mails = send_invitations(
        tx, slot, seated, kind=date.kind, address=address, moved=moved, held=held
    )
    return mails + invite_applicant(tx, date, address=address, moved=moved, held=held)


def known_of(
    tx: Transaction, slot: Interview | None, waiting: Sequence[HeldAct]
) -> tuple[int, bool]:
    """Return what a date's people know before it changes, and take its held mails back.

    Args:
        tx: The write.
        slot: The date that is about to change; None for none yet.
        waiting: The acts that wait.

    Returns:
        The sequence of what they were told last, and whether they were told nothing of this date.
    """
    if slot is None:
        return UNTOLD, False
    for act in waiting:
        for one in act.before:
            if (one["pull_id"], one["sequence"]) == (slot.pull_id, slot.sequence):
                mails = one["mails"]
                # Its minutes may have ended since the act was read: then the mails have left.
                if mails and tx.release_held_mails(mails, leave=False) == len(mails):
                    return one["told"], True
    return slot.told_as, False
