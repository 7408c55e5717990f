"""Lists of applicants that are imported again: new rows, changes, and values that staff keep.

A list identifies a person by the office's id alone. Its last values are stored beside the current
ones, so that three states are compared: a value that only the list changed is taken over; one that
staff changed since stays, and is shown. Statuses, pins and holds are no part of a list and never
touched; an incomplete application becomes complete when the list says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType, Json
from swapflow.domain.ids import same_id
from swapflow.domain.people.application import (
    Application,
    ApplicationStatus,
    NewApplication,
    known_values,
    listed_values,
)
from swapflow.domain.people.mail_address import can_be_mailed
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.rules import Rules
from swapflow.engine.intake.applications import arrival, check_contact, facts_of
from swapflow.engine.intake.own_reviews import bar_own_reviews, same_people
from swapflow.engine.intake.roster import tie_of
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import find, refuse_finalized
from swapflow.errors import InvalidInputError, NotReadyError


CONTACT = frozenset({"name", "email"})
"""What may be corrected at any time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value in which the list differs from the cycle.

    Attributes:
        what: Its name: name, email, ready, or select:, field: or document: and a name.
        before: The current value; "" for none.
        after: The value in the list.
        kept: Whether the current value stays, because staff changed it since the last list.
    """

    what: str
    before: str
    after: str
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A row of the list about a person who is in the cycle already."""

    application: Application
    row: NewApplication
    differences: tuple[Difference, ...]

    @property
    def external_id(self) -> str:
        """The office's id."""
        return self.application.external_id

    @property
    def changes(self) -> tuple[Difference, ...]:
        """The differences that the list changes."""
        return tuple(d for d in self.differences if not d.kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrary:
    """A row that cannot be used, since it contradicts what the cycle knows of the person."""

    external_id: str
    reason: str
    cure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPlan:
    """The effect of a list.

    Attributes:
        fresh: Rows of people who are not in the cycle, in the order of the list.
        known: Rows of people who are, in the same order.
        contrary: Rows that stop the import.
    """

    fresh: tuple[NewApplication, ...]
    known: tuple[Known, ...]
    contrary: tuple[Contrary, ...]

    @property
    def changed(self) -> tuple[Known, ...]:
        """The people whom the list changes."""
        return tuple(known for known in self.known if known.changes)

    @property
    def unchanged(self) -> int:
        """The number of people whom the list leaves unchanged."""
        return len(self.known) - len(self.changed)

    def own(self, reviewers: Iterable[Reviewer]) -> tuple[tuple[str, str], ...]:
        """Return the (applicant, reviewer) ids who would be one person by mail address."""
        fresh = [(row.external_id, row.email) for row in self.fresh]
        known = [
            (k.external_id, _changed(k.application, {d.what: d.after for d in k.changes}).email)
            for k in self.known
        ]
        return same_people([*fresh, *known], ((r.external_id, r.email) for r in reviewers))

    @property
    def kept(self) -> tuple[Known, ...]:
        """The people for whom a value of staff is kept against the list."""
        return tuple(k for k in self.known if any(d.kept for d in k.differences))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The result of a list import.

    Attributes:
        own: (applicant, reviewer) ids of one person each; a conflict was recorded.
    """

    added: tuple[Application, ...]
    changed: int
    unchanged: int
    kept: int
    own: tuple[tuple[str, str], ...] = ()


def plan_list(cycle_id: str, rows: Sequence[NewApplication], *, ledger: Ledger) -> ListPlan:
    """Compute what a list would do; nothing is written."""
    return _plan(rows, ledger.applications(cycle_id), ledger.imported_values(cycle_id))


def import_list(
    cycle_id: str, rows: Sequence[NewApplication], *, wave: int = 0, ledger: CycleReads
) -> Listed:
    """Import a list: add new applications and change known ones; all rows or none.

    The same list a second time changes nothing.

    Args:
        cycle_id: The cycle.
        rows: Checked rows, each person once.
        wave: Wave number of new applications; 0 takes the next one.
        ledger: The ledger.

    Raises:
        InvalidInputError: If a row contradicts the known person.
        NotReadyError: If the cycle takes no more applications.
        CycleFinalizedError: If the cohort is fixed.
    """
    with ledger.write(cycle_id) as tx:
        rules = tx.rules()
        present = tx.applications()
        # Planned again under the lock: what was shown before may be out of date by now.
        plan = _plan(rows, present, before := tx.imported_values())
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
        listed = [
            *added,
            *(_changed(k.application, {d.what: d.after for d in k.changes}) for k in plan.known),
        ]
        return Listed(
            own=bar_own_reviews(tx, listed, tx.reviewers()),
            added=added,
            changed=len(plan.changed),
            unchanged=plan.unchanged,
            kept=len(plan.kept),
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
        changed = _changed(there, values)
        if changed == there:
            raise InvalidInputError("applicant_known_so", applicant=external_id)
        check_contact(made_from, there)
        _write(tx, there, changed, tx.rules())
        if changed.email != there.email:
            bar_own_reviews(tx, [changed], tx.reviewers())
        tx.note(
            subject=f"application:{there.number}",
            by=by,
            text=f"corrected {', '.join(values)}" + (f": {reason}" if reason else ""),
        )
        return changed


# What a list would do


def _plan(
    rows: Sequence[NewApplication],
    present: Iterable[Application],
    before: Mapping[int, Mapping[str, str]],
) -> ListPlan:
    there = {same_id(a.external_id): a for a in present if a.external_id}
    shortened = {_without_zeros(i): a.external_id for i, a in there.items()}
    fresh: list[NewApplication] = []
    known: list[Known] = []
    contrary: list[Contrary] = []
    for row in rows:
        application = there.get(same_id(row.external_id))
        if application is not None:
            if problem := _another_person(row, application):
                contrary.append(problem)
                continue
            differences = tuple(_differences(row, application, before.get(application.number)))
            known.append(Known(application=application, row=row, differences=differences))
        elif twin := shortened.get(_without_zeros(same_id(row.external_id))):
            contrary.append(
                Contrary(
                    external_id=row.external_id,
                    reason=f"this looks like {twin!r} with other zeros before it, as spreadsheet "
                    "programs leave when they take an id for a number",
                    cure="Write the id as it is in the program, in a column formatted as text",
                )
            )
        else:
            fresh.append(row)
    return ListPlan(fresh=tuple(fresh), known=tuple(known), contrary=tuple(contrary))


def _without_zeros(same: str) -> str:
    return same.lstrip("0") if same.isdigit() else same


def _another_person(row: NewApplication, there: Application) -> Contrary | None:
    """Refuse a row with a known id whose name and address both belong to another person."""
    # One of the two may change, as by marriage; both at once mean that the id was given to
    # another.
    told = [(row.name, there.name), (row.email, there.email)]
    if not all(new and old and same_id(new) != same_id(old) for new, old in told):
        return None
    return Contrary(
        external_id=row.external_id,
        reason=f"this id is in the program with another name and another mail address "
        f"({there.name}, {there.email})",
        cure="Correct the row, or give the person an id of their own",
    )


def _differences(
    row: NewApplication, there: Application, before: Mapping[str, str] | None
) -> Iterable[Difference]:
    known, earlier = known_values(there), before or {}
    for what, value in listed_values(row).items():
        if what == "ready":
            if value == "yes" and there.status is ApplicationStatus.INCOMPLETE:
                yield Difference(what=what, before="no", after="yes", kept=False)
            continue
        current = earlier.get(what, "") if what.startswith("document:") else known.get(what, "")
        if value == current:
            continue
        # Staff changed the value if it differs from the last list, which may have had none.
        kept = current != earlier.get(what, "" if before else current)
        yield Difference(what=what, before=current, after=value, kept=kept)


# Doing it


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
    return added


def _change(tx: Transaction, known: Known, rules: Rules) -> None:
    there, row = known.application, known.row
    taken = {d.what: d.after for d in known.changes}
    _write(tx, there, _changed(there, taken), rules)
    for name, link, redacted in row.documents:
        if f"document:{name}" in taken:
            tx.put_link(there.number, name, link, redacted=redacted)
    if "ready" in taken:
        ready = ApplicationStatus.READY
        tx.move_application(there.number, ready, by="list", reason="")
        tx.record(EventType.APPLICATION_MOVED, {"a": there.number, "status": ready.value})


def _changed(there: Application, values: Mapping[str, str]) -> Application:
    """Return the application with other values; a field or attribute of "" is removed."""
    attributes = {**there.attributes, **_named(values, "select:")}
    fields = {**there.fields, **_named(values, "field:")}
    return replace(
        there,
        name=values.get("name", there.name),
        email=values.get("email", there.email),
        attributes={name: value for name, value in attributes.items() if value},
        fields={name: value for name, value in fields.items() if value},
    )


def _write(tx: Transaction, there: Application, changed: Application, rules: Rules) -> None:
    """Write the changed application, and record what decisions know of it."""
    if changed != there:
        tx.change_application(changed)
    before, after = facts_of(tx, there, rules), facts_of(tx, changed, rules)
    # Decisions know neither name nor address, so a change of those alone writes no event.
    if before != after:
        facts: dict[str, Json] = {"a": there.number, **after}
        tx.record(EventType.APPLICATION_CHANGED, facts)


def _named(taken: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {w.removeprefix(prefix): v for w, v in taken.items() if w.startswith(prefix)}


def _remember(tx: Transaction, plan: ListPlan, before: Mapping[int, Mapping[str, str]]) -> None:
    """Store the list's values, and write the monitoring attributes, which are never compared."""
    words: dict[int, dict[str, str]] = {}
    for known in plan.known:
        number = known.application.number
        earlier = dict(before.get(number, {}))
        # Merged: a value that is missing in this list was not withdrawn by it.
        now = {**earlier, **listed_values(known.row)}
        if now != earlier:
            words[number] = now
        if known.row.monitor:
            tx.write_monitoring(number, known.row.monitor)
    tx.store_imported_values(words)
