"""Step 1, intake: applications change status and are erased."""

from collections.abc import Collection
from dataclasses import replace

from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.erased_person import ErasedAs
from swapflow.domain.event import EventType, Json
from swapflow.domain.people.application import Application, ApplicationStatus
from swapflow.domain.people.group_numbers import group_number
from swapflow.domain.rules import Rules
from swapflow.domain.seal import revision
from swapflow.engine.intake.erased_people import remember_erased
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.erased_people import ErasureKeys
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import find, refuse_finalized
from swapflow.engine.projection.pull_events import GIVEN_BACK
from swapflow.engine.revisions import check_revision
from swapflow.engine.selection.given_back import give_back
from swapflow.engine.selection.pulls import cancel_pulls, withdraw_reconsideration
from swapflow.errors import ConflictError, InvalidInputError


TOPIC = "topic"
"""Imported field with an application's topic, for the choice of experts."""

LEAVING = frozenset(
    {ApplicationStatus.INELIGIBLE, ApplicationStatus.WITHDRAWN, ApplicationStatus.MERGED}
)


def move_application(
    cycle_id: str,
    external_id: str,
    status: ApplicationStatus,
    *,
    by: str,
    reason: str = "",
    made_from: str = "",
    ledger: Ledger,
) -> None:
    """Hold, release, withdraw, reinstate … an application; when it leaves, its open pulls end.

    Reinstating gives the same requests back to the same reviewers, with their drafts.

    Raises:
        NotFoundError: If the cycle has no such application.
        InvalidInputError: If it has that status already, or was merged into another.
        ConflictError: If the list is final and an offer or a reconsideration is open.
        CycleFinalizedError: If the list is final, for any other move than withdrawing an applicant
            whom it names, and back.
    """
    listed = {
        o.application for o in ledger.outcomes(cycle_id, ledger.cycle(cycle_id).cohort_version)
    }
    with ledger.write(cycle_id) as tx:
        application = find(tx.applications(), external_id, cycle_id)
        if not _leaves_list(tx, application, status, listed):
            refuse_finalized(tx)
        if application.status is status:
            raise InvalidInputError("applicant_already", applicant=external_id, status=status)
        if application.status is ApplicationStatus.MERGED:
            raise InvalidInputError("applicant_merged", applicant=external_id)
        check_status(made_from, application)
        move_in(tx, application.number, status, by=by, reason=reason)
        if application.status.value in GIVEN_BACK and status is ApplicationStatus.READY:
            give_back(tx, application.number)


def move_in(
    tx: Transaction, number: int, status: ApplicationStatus, *, by: str, reason: str
) -> None:
    """Move an application within a transaction; when it leaves, its open pulls end."""
    tx.move_application(number, status, by=by, reason=reason)
    tx.record(EventType.APPLICATION_MOVED, {"a": number, "status": status.value})
    # A withdrawn applicant is asked about no more, and the committed cost returns to the budget.
    if status in LEAVING:
        cancel_pulls(tx, tx.open_pulls_of(number), why=status.value)


def _leaves_list(
    tx: Transaction, application: Application, status: ApplicationStatus, listed: Collection[int]
) -> bool:
    """Whether an applicant on a final list withdraws, or comes back; no offer meanwhile.

    Raises:
        ConflictError: If an offer to them, or their reconsideration, is open.
    """
    moves = {application.status, status}
    withdraws = moves in (
        {ApplicationStatus.READY, ApplicationStatus.WITHDRAWN},
        {ApplicationStatus.HELD, ApplicationStatus.WITHDRAWN},
    )
    if tx.cycle.status is not CycleStatus.FINALIZED or not withdraws:
        return False
    if application.number not in listed or status is ApplicationStatus.HELD:
        return False
    if any(
        offer.application == application.number
        and offer.answer in {OfferAnswer.WAITING, OfferAnswer.ACCEPTED}
        for offer in tx.offers()
    ):
        raise ConflictError("offer_open_answer_it", applicant=application.external_id)
    if any(one.is_open and one.application == application.number for one in tx.reconsiderations()):
        raise ConflictError("reconsideration_open_end_it", applicant=application.external_id)
    return True


def contact_revision(application: Application) -> str:
    """Return the revision that a form about another name or mail address is made from."""
    return revision(application.name, application.email)


def applicant_revision(application: Application) -> str:
    """Return the revision of an applicant: the state, a point, and the contact's revision.

    Each write compares its own part, so that a new address makes no move stale.
    """
    return f"{application.status.value}.{contact_revision(application)}"


def check_status(made_from: str, application: Application) -> None:
    """Check that an applicant's state is the one that a form or a request was made from.

    Args:
        made_from: The state, or an `applicant_revision`; "" for no check.
        application: The applicant as stored now.

    Raises:
        StaleRevisionError: If they moved since.
    """
    stored = application.status.value
    check_revision(made_from.partition(".")[0], stored, {"status": stored})


def check_contact(made_from: str, application: Application) -> None:
    """Check that name and mail address are those that a form or a request was made from.

    Args:
        made_from: The `contact_revision`, or an `applicant_revision`; "" for no check.
        application: The applicant as stored now.

    Raises:
        StaleRevisionError: If one was changed since.
    """
    stored = {"name": application.name, "email": application.email}
    check_revision(made_from.rpartition(".")[2], contact_revision(application), stored)


def purge(
    cycle_id: str, external_id: str, *, by: str, ledger: CycleReads, keys: ErasureKeys
) -> None:
    """Erase one person's data for good; the chain, replays and totals stay valid.

    The application is withdrawn first, if it is still a candidate. Keyed digests of id and address
    are kept for the round, so that a later list does not bring the person back unnoticed.

    Raises:
        ConflictError: If erasure is on hold in this cycle.
        UnavailableError: If the key for the digests can be neither read nor made.
    """
    with ledger.write(cycle_id) as tx:
        application = find(tx.applications(), external_id, cycle_id)
        refuse_held(tx, cycle_id, application=application.number)
        if application.status.is_candidate and tx.cycle.status is not CycleStatus.FINALIZED:
            status = ApplicationStatus.WITHDRAWN
            tx.move_application(application.number, status, by=by, reason="")
            tx.record(
                EventType.APPLICATION_MOVED, {"a": application.number, "status": status.value}
            )
            cancel_pulls(tx, tx.open_pulls_of(application.number), why="purged")
        # The event comes before the rows go: a reader of the chain must know why a name is
        # missing.
        _end_reconsideration(tx, application.number, by=by)
        remember_erased(
            tx, ErasedAs.APPLICANT, application.external_id, application.email, keys=keys
        )
        tx.record(EventType.PURGED, {"a": application.number})
        tx.erase_application(application.number)


def _end_reconsideration(tx: Transaction, application: int, *, by: str) -> None:
    """Withdraw the open reconsideration of a person before their data is erased."""
    for one in tx.reconsiderations():
        if one.application == application and one.is_open:
            withdraw_reconsideration(tx, one, by=by, reason="", why="purged")


def refuse_held(
    tx: Transaction,
    cycle_id: str,
    *,
    application: int | None = None,
    reviewer: int | None = None,
) -> None:
    """Raise if erasure is on hold in this cycle, in its round, or for this person.

    Raises:
        ConflictError: If it is: it names who placed the hold, and why.
    """
    if held := tx.hold():
        raise ConflictError("erasing_on_hold", cycle=cycle_id, since=held[0], reason=held[1])
    for hold in tx.holds_about(application=application, reviewer=reviewer):
        raise ConflictError(
            "erasing_on_legal_hold",
            by=hold.by,
            reason=hold.reason,
            hold=hold.id,
            round=hold.round_id,
        )


def arrival(tx: Transaction, application: Application, rules: Rules) -> dict[str, Json]:
    """Build the payload of the event by which an application arrives."""
    return {
        "a": application.number,
        "status": application.status.value,
        "tie": application.tie,
        "wave": application.wave,
        **facts_of(tx, application, rules),
    }


def facts_of(tx: Transaction, application: Application, rules: Rules) -> dict[str, Json]:
    """Return the numbers that decisions know of an application beside its scores."""
    attribute = rules.objective.attribute
    value = application.attributes.get(attribute, "")
    topic = application.fields.get(TOPIC, "")
    return {
        "group": tx.group_number(attribute, value) if attribute and value else -1,
        "in": sorted(group_number(name, text) for name, text in application.attributes.items()),
        "topics": [tx.topic_number(topic)] if topic else [],
    }


def write_changed(tx: Transaction, there: Application, changed: Application, rules: Rules) -> None:
    """Write the changed application, and record what decisions know of it."""
    if changed != there:
        tx.change_application(changed)
    before, after = facts_of(tx, there, rules), facts_of(tx, changed, rules)
    # Decisions know neither name nor address, so a change of those alone writes no event.
    if before != after:
        facts: dict[str, Json] = {"a": there.number, **after}
        tx.record(EventType.APPLICATION_CHANGED, facts)


def change_attribute(
    tx: Transaction, there: Application, attribute: str, value: str, rules: Rules
) -> None:
    """Write another value of an attribute of an application."""
    changed = replace(there, attributes={**there.attributes, attribute: value})
    write_changed(tx, there, changed, rules)
