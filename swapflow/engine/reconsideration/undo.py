"""Undo a reconsideration: the list before it is restored whole, until the person was told."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from swapflow.domain.cohort.announcement import told
from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place
from swapflow.domain.cohort.reconsideration import CHANGES, Reconsideration, Result
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.seal import Seal
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import find
from swapflow.engine.read_models.final_list import final_list
from swapflow.engine.reconsideration.evidence import listed
from swapflow.engine.reconsideration.reconsider import needed_names, store_version
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class Undoing:
    """What undoing a reconsideration brings back, worked out.

    Attributes:
        last: The reconsideration.
        signers: Who signed, in order.
        version: The version of the list in force.
        places: The list as it was before; `sheet` and `outcomes` are its.
        seal: The digest of the list in force, which people were shown.
    """

    last: Reconsideration
    signers: tuple[str, ...]
    reason: str
    version: int
    places: tuple[Place, ...]
    sheet: MethodSheet
    outcomes: tuple[Outcome, ...]
    seal: Seal


def plan_undoing(
    cycle_id: str, external_id: str, *, names: Collection[str], reason: str, ledger: Ledger
) -> Undoing:
    """Work out what undoing a reconsideration brings back; writes nothing.

    Raises:
        InvalidInputError: Without a reason and two names.
        NotFoundError: If the person has nothing to undo.
        ConflictError: If another list was made final since, or the person was offered a place.
    """
    signers = tuple(dict.fromkeys(names))
    if len(signers) < needed_names(ledger.rules(cycle_id)) or not reason.strip():
        raise InvalidInputError(
            "undoing_names_missing", needed=needed_names(ledger.rules(cycle_id))
        )
    version = ledger.cycle(cycle_id).cohort_version
    last = check_undoing(cycle_id, external_id, ledger=ledger)
    # Only this reconsideration separates the two versions (`check_undoing`),
    # so the earlier one is restored whole.
    before, sheet = listed(cycle_id, version - 1, ledger=ledger)
    return Undoing(
        last=last,
        signers=signers,
        reason=reason,
        version=version,
        places=before,
        sheet=sheet,
        outcomes=ledger.outcomes(cycle_id, version - 1),
        seal=final_list(cycle_id, ledger=ledger).seal,
    )


def undo_in(tx: Transaction, undoing: Undoing) -> int:
    """Undo a reconsideration's effect on the list; return the version.

    To be called by `confirm`, which sees to it that nothing has changed since it was worked out.
    """
    last, signers, reason = undoing.last, undoing.signers, undoing.reason
    assert last.closing is not None, "it was checked"
    position, application = tx.cycle.position, tx.application(last.application)
    if application.status.value != last.new.stood:
        status = ApplicationStatus(last.new.stood)
        tx.move_application(application.number, status, by=" and ".join(signers), reason=reason)
        tx.record(EventType.APPLICATION_MOVED, {"a": application.number, "status": status.value})
    tx.close_reconsideration(
        last.id, replace(last.closing, result=Result.UNDONE), by=last.closed_by
    )
    tx.note(
        subject=f"application:{application.number}",
        by=" and ".join(signers),
        text=reason.strip(),
    )
    return store_version(
        tx,
        undoing.places,
        replace(undoing.sheet, position=position.seq, head_hash=position.hash),
        undoing.outcomes,
        signers=signers,
        about={"undone": undoing.version},
    )


def check_undoing(cycle_id: str, external_id: str, *, ledger: Ledger) -> Reconsideration:
    """Return the reconsideration of a person that can be undone; writes nothing.

    Raises:
        NotFoundError, ConflictError: As `undo` does.
    """
    cycle = ledger.cycle(cycle_id)
    application = find(ledger.applications(cycle_id), external_id, cycle_id)
    known = ledger.reconsiderations(cycle_id)
    last = next((r for r in reversed(known) if r.application == application.number), None)
    if last is None or last.closing is None or last.closing.result not in CHANGES:
        raise NotFoundError("no_reconsideration_changed_list", applicant=external_id)
    version = cycle.cohort_version
    if cycle.status is not CycleStatus.FINALIZED or last.closing.version != version:
        raise ConflictError("list_changed_since", cycle=cycle_id)
    letter = told(ledger.announcements(cycle_id)).get(application.number)
    if letter is not None and letter[0].version >= version:
        raise ConflictError("letter_written_since", applicant=external_id)
    if any(
        offer.application == application.number
        and offer.version >= version
        and offer.answer is not OfferAnswer.TAKEN_BACK
        for offer in ledger.offers(cycle_id)
    ):
        raise ConflictError("offered_since", applicant=external_id)
    return last
