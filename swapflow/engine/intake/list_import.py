"""Lists of applicants that are imported: new rows, and changes of those that are there.

What a list would do is planned in `list_plan`, shown to staff, and planned again under the lock.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.erased_person import ErasedAs, RememberedErasure
from swapflow.domain.event import EventType
from swapflow.domain.ids import same_id
from swapflow.domain.people.application import (
    SPELLED,
    Application,
    ApplicationStatus,
    NewApplication,
    listed_values,
)
from swapflow.domain.people.mail_address import can_be_mailed
from swapflow.domain.rules import Rules
from swapflow.engine.intake.applications import arrival, check_contact, move_in, write_changed
from swapflow.engine.intake.erased_people import ErasedPeople, ErasedRow, let_in_again
from swapflow.engine.intake.list_plan import Known, ListPlan, plan_rows, with_values
from swapflow.engine.intake.own_reviews import bar_own_reviews
from swapflow.engine.intake.roster import tie_of
from swapflow.engine.intake.value_spellings import VALUES, as_chosen, choices_of, read_choices
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.erased_people import ErasureKeys
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import find, refuse_finalized
from swapflow.errors import InvalidInputError, NotReadyError


LIST = "list"
"""Who moves an applicant of whom a list says that they are complete or left."""

CONTACT = frozenset({"name", "email"})
"""What may be corrected at any time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The result of a list import.

    Attributes:
        own: (applicant, reviewer) ids of one person each; a conflict was recorded.
        held: Rows that stayed out, since their people were erased.
    """

    added: tuple[Application, ...]
    changed: int
    unchanged: int
    kept: int
    own: tuple[tuple[str, str], ...] = ()
    held: tuple[ErasedRow, ...] = ()


def plan_list(
    cycle_id: str,
    rows: Sequence[NewApplication],
    *,
    again: Collection[str] = (),
    ledger: Ledger,
    keys: ErasureKeys,
) -> ListPlan:
    """Compute what a list would do; nothing is written. Args as of `import_list`."""
    present = ledger.applications(cycle_id)
    cycle = ledger.cycle(cycle_id)
    erased = _erased(ledger.erasures(cycle.round_id), cycle, present, keys=keys)
    choices = read_choices(cycle_id, ledger=ledger)
    return plan_rows(
        as_chosen(rows, choices),
        present,
        ledger.imported_values(cycle_id),
        erased,
        again,
        choices=choices,
    )


def import_list(
    cycle_id: str,
    rows: Sequence[NewApplication],
    *,
    wave: int = 0,
    again: Collection[str] = (),
    by: str = "",
    ledger: Ledger,
    keys: ErasureKeys,
) -> Listed:
    """Import a list: add new applications and change known ones; all rows or none.

    The same list a second time changes nothing. Rows of erased people stay out unless a person
    confirms them.

    Args:
        cycle_id: The cycle.
        rows: Checked rows, each person once.
        wave: Wave number of new applications; 0 takes the next one.
        again: Ids of rows of erased people that are to come in all the same.
        by: Who brings the list, for the note about them.
        ledger: The ledger.
        keys: Supplies the round's key, by which erased people are recognised.

    Raises:
        InvalidInputError: If a row contradicts the known person, or an id is confirmed that the
            list does not have.
        NotReadyError: If the cycle takes no more applications.
        CycleFinalizedError: If the cohort is fixed.
    """
    others = ledger.list_readings([VALUES])
    with ledger.write(cycle_id) as tx:
        rules = tx.rules()
        present = tx.applications()
        # Planned again under the lock: what was shown before may be out of date by now.
        erased = _erased(tx.erasures(), tx.cycle, present, keys=keys)
        choices = choices_of(tx.list_reading(VALUES), others)
        plan = plan_rows(
            as_chosen(rows, choices),
            present,
            before := tx.imported_values(),
            erased,
            again,
            choices=choices,
        )
        if plan.contrary:
            first = plan.contrary[0]
            raise InvalidInputError(
                "import_contradicts_record",
                applicant=first.external_id,
                reason=first.reason,
                cure=first.cure,
            )
        contact = all(d.what in CONTACT for known in plan.changed for d in known.changes)
        if plan.fresh or not contact:
            _refuse_closed(tx, rules, fresh=bool(plan.fresh))
        added = _add(tx, plan.fresh, present, rules, wave)
        for known in plan.changed:
            _change(tx, known, rules)
        _remember(tx, plan, before)
        listed = [*added, *(known.changed for known in plan.known)]
        numbers = {same_id(a.external_id): a.number for a in listed}
        let_in_again(tx, plan.erased, lambda one: f"application:{numbers[same_id(one)]}", by=by)
        return Listed(
            own=bar_own_reviews(tx, listed, tx.reviewers()),
            added=added,
            changed=len(plan.changed),
            unchanged=plan.unchanged,
            kept=len(plan.kept),
            held=plan.erased.held,
        )


def correct(
    cycle_id: str,
    external_id: str,
    values: Mapping[str, str],
    *,
    by: str,
    reason: str = "",
    made_from: str = "",
    ledger: CycleReads,
) -> Application:
    """Correct an applicant's values by hand; later lists keep the correction.

    Args:
        cycle_id: The cycle.
        external_id: The applicant.
        values: By name: name, email, and select: or field: and a name; "" removes a field.
        by: Who corrects.
        reason: Why; kept in an erasable row.
        made_from: The `contact_revision` that the form was made from; "" for no check.
        ledger: The ledger.

    Raises:
        InvalidInputError: If no value has such a name, or nothing would change.
        NotFoundError: If the cycle has no such applicant.
        StaleRevisionError: If name or address were changed since the form was made.
        CycleFinalizedError: If the cohort is fixed, for anything but name and address: those are
            no part of it, and letters that wait follow the address.
    """
    for what in values:
        if what not in CONTACT and not what.startswith(("select:", "field:")):
            raise InvalidInputError("field_not_correctable", field=what)
    if (address := values.get("email", "")) and not can_be_mailed(address):
        raise InvalidInputError("address_not_mailable", address=address)
    with ledger.write(cycle_id) as tx:
        if not values.keys() <= CONTACT:
            refuse_finalized(tx)
        there = find(tx.applications(), external_id, cycle_id)
        changed = with_values(there, values)
        if changed == there:
            raise InvalidInputError("applicant_known_so", applicant=external_id)
        check_contact(made_from, there)
        write_changed(tx, there, changed, tx.rules())
        if changed.email != there.email:
            bar_own_reviews(tx, [changed], tx.reviewers())
        tx.note(
            subject=f"application:{there.number}",
            by=by,
            text=f"corrected {', '.join(values)}" + (f": {reason}" if reason else ""),
        )
        return changed


def _erased(
    erasures: Collection[RememberedErasure],
    cycle: Cycle,
    present: Sequence[Application],
    *,
    keys: ErasureKeys,
) -> ErasedPeople:
    # Who was erased has no id any more.
    erased_here = sum(not a.external_id for a in present)
    return ErasedPeople.of(erasures, ErasedAs.APPLICANT, cycle, erased_here=erased_here, keys=keys)


def _refuse_closed(tx: Transaction, rules: Rules, *, fresh: bool) -> None:
    refuse_finalized(tx)
    if tx.cycle.status is CycleStatus.ENDED:
        raise NotReadyError("program_takes_no_applicants", cycle=tx.cycle.id)
    closes = rules.applications_close
    if fresh and closes is not None and tx.now > closes:
        raise NotReadyError("applications_closed", cycle=tx.cycle.id, closed_at=closes)


def _add(
    tx: Transaction,
    fresh: Sequence[NewApplication],
    present: Sequence[Application],
    rules: Rules,
    wave: int,
) -> tuple[Application, ...]:
    if not fresh:
        return ()
    wave = wave or 1 + max((a.wave for a in present), default=0)
    ties = [tie_of(rules, a.external_id) for a in fresh]
    added = tx.add_applications(fresh, ties, wave=wave)
    for application in added:
        tx.record(EventType.APPLICATION_ADDED, arrival(tx, application, rules))
    # They are in the program as all others, so that they can be reinstated.
    for application, row in zip(added, fresh, strict=True):
        if row.left is not None:
            move_in(tx, application.number, row.left, by=LIST, reason="")
    return added


def _change(tx: Transaction, known: Known, rules: Rules) -> None:
    there, row = known.application, known.row
    taken = {d.what: d.after for d in known.changes}
    write_changed(tx, there, with_values(there, taken), rules)
    for name, link, redacted in row.documents:
        if f"document:{name}" in taken:
            tx.put_link(there.number, name, link, redacted=redacted)
    if "ready" in taken:
        move_in(tx, there.number, ApplicationStatus.READY, by=LIST, reason="")
    if "status" in taken:
        move_in(tx, there.number, ApplicationStatus(taken["status"]), by=LIST, reason="")


def _remember(tx: Transaction, plan: ListPlan, before: Mapping[int, Mapping[str, str]]) -> None:
    """Store the list's values, and write the monitoring attributes, which are never compared."""
    words: dict[int, dict[str, str]] = {}
    for known in plan.known:
        number = known.application.number
        earlier = dict(before.get(number, {}))
        listed = listed_values(known.row)
        for name in known.row.selection:
            # How an earlier list spelled a value counts no more once this one has it.
            earlier.pop(f"{SPELLED}{name}", None)
        # Merged: a value that is missing in this list was not withdrawn by it.
        now = {**earlier, **listed}
        if now != earlier:
            words[number] = now
        if known.row.monitor:
            tx.write_monitoring(number, known.row.monitor)
    tx.store_imported_values(words)
