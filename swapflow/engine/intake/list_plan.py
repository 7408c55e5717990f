"""What a list of applicants would do to a cycle: who is new, what changes, what staff keep.

A list identifies a person by the office's id alone. Its last values are stored beside the current
ones, so that three states are compared: a value that only the list changed is taken over; one that
staff changed since stays, and is shown. Pins and holds are no part of a list and never touched; an
incomplete application becomes complete when the list says so, and an applicant leaves when a list
says that they withdrew or are ineligible. No list brings back who left.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from swapflow.domain.ids import same_id
from swapflow.domain.lists.value_choices import ValueChoices
from swapflow.domain.people.application import (
    SPELLED,
    Application,
    ApplicationStatus,
    NewApplication,
    known_values,
    listed_values,
)
from swapflow.domain.people.reviewer import Reviewer
from swapflow.engine.intake.applications import LEAVING
from swapflow.engine.intake.erased_people import NOBODY_HELD, ErasedInList, ErasedPeople
from swapflow.engine.intake.own_reviews import same_people


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value in which the list differs from the cycle.

    Attributes:
        what: Its name: name, email, ready, status, or select:, field: or document: and a name.
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
    """A row of the list about a person who is in the cycle already.

    Attributes:
        returns: Whether an earlier list said that they left, and this one that they take part.
    """

    application: Application
    row: NewApplication
    differences: tuple[Difference, ...]
    returns: bool = False

    @property
    def external_id(self) -> str:
        """The office's id."""
        return self.application.external_id

    @property
    def changes(self) -> tuple[Difference, ...]:
        """The differences that the list changes."""
        return tuple(d for d in self.differences if not d.kept)

    @property
    def changed(self) -> Application:
        """The application as the list makes it."""
        return with_values(self.application, {d.what: d.after for d in self.changes})


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
        erased: Rows of people who were erased: held, or confirmed and among the others.
    """

    fresh: tuple[NewApplication, ...]
    known: tuple[Known, ...]
    contrary: tuple[Contrary, ...]
    erased: ErasedInList = NOBODY_HELD

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
        known = [(k.external_id, k.changed.email) for k in self.known]
        return same_people([*fresh, *known], ((r.external_id, r.email) for r in reviewers))

    @property
    def returning(self) -> tuple[str, ...]:
        """The ids of those who left by an earlier list, and take part by this one."""
        return tuple(known.external_id for known in self.known if known.returns)

    @property
    def kept(self) -> tuple[Known, ...]:
        """The people for whom a value of staff is kept against the list."""
        return tuple(k for k in self.known if any(d.kept for d in k.differences))


def plan_rows(
    rows: Sequence[NewApplication],
    present: Iterable[Application],
    before: Mapping[int, Mapping[str, str]],
    erased: ErasedPeople,
    again: Collection[str] = (),
    *,
    choices: ValueChoices,
) -> ListPlan:
    """Compute what the rows of a list would do.

    Args:
        rows: Checked rows, each person once.
        present: The applicants of the cycle.
        before: What earlier lists said of each, by number and by name of the value.
        erased: Who was erased.
        again: Ids of rows of erased people that are to come in all the same.
        choices: What staff said about spellings of attributes.

    Raises:
        InvalidInputError: If an id is confirmed that the list does not have.
    """
    there = {same_id(a.external_id): a for a in present if a.external_id}
    shortened = {_without_zeros(i): a.external_id for i, a in there.items()}
    rows, of_erased = erased.split(rows, lambda one: there.get(same_id(one)), again)
    fresh: list[NewApplication] = []
    known: list[Known] = []
    contrary: list[Contrary] = []
    for row in rows:
        application = there.get(same_id(row.external_id))
        if application is not None:
            if problem := _another_person(row, application):
                contrary.append(problem)
                continue
            earlier = _in_values(before.get(application.number), choices)
            known.append(
                Known(
                    application=application,
                    row=row,
                    differences=tuple(_differences(row, application, earlier)),
                    returns=_returns(row, application, earlier),
                )
            )
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
    return ListPlan(
        fresh=tuple(fresh), known=tuple(known), contrary=tuple(contrary), erased=of_erased
    )


def _in_values(said: Mapping[str, str] | None, choices: ValueChoices) -> Mapping[str, str] | None:
    """Return what an earlier list said, with the values that its spellings are taken for now."""
    if said is None or not choices.chosen:
        return said
    return {
        what: choices.value(what.removeprefix("select:"), text)
        if what.startswith("select:")
        else text
        for what, text in said.items()
    }


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
        if what.startswith(SPELLED):
            continue
        if what == "ready":
            if value == "yes" and there.status is ApplicationStatus.INCOMPLETE:
                yield Difference(what=what, before="no", after="yes", kept=False)
            continue
        if what == "status":
            if there.status not in LEAVING:
                # Staff reinstated whom an earlier list had said to have left.
                kept = earlier.get(what, "") == value
                yield Difference(what=what, before=there.status.value, after=value, kept=kept)
            continue
        current = earlier.get(what, "") if what.startswith("document:") else known.get(what, "")
        if value == current:
            continue
        # Staff changed the value if it differs from the last list, which may have had none.
        kept = current != earlier.get(what, "" if before else current)
        yield Difference(what=what, before=current, after=value, kept=kept)


def _returns(row: NewApplication, there: Application, before: Mapping[str, str] | None) -> bool:
    left = (before or {}).get("status", "")
    return bool(left) and there.status.value == left and row.ready is True and row.left is None


def with_values(there: Application, values: Mapping[str, str]) -> Application:
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


def _named(taken: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {w.removeprefix(prefix): v for w, v in taken.items() if w.startswith(prefix)}
