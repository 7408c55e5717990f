"""A list of applicants looked at: how it is read, what it would do, and what stops it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from swapflow.domain.people.age_bands import AgeBands
from swapflow.engine.intake.column_choice import ReviewerColumns, check_named
from swapflow.engine.intake.erased_people import ErasedInList, ErasedRow
from swapflow.engine.intake.list_import import Listed
from swapflow.engine.intake.list_plan import ListPlan
from swapflow.engine.intake.value_spellings import ValueReport
from swapflow.engine.services import Swapflow
from swapflow.errors import BadRow
from swapflow.files.imports.applications import ApplicationsImport, examine_applications
from swapflow.files.imports.import_settings import Reading, reading_of
from swapflow.files.imports.possible_duplicates import (
    ListedPerson,
    PossibleDuplicate,
    possible_duplicates,
)
from swapflow.files.tables.cells import refuse
from swapflow.files.tables.known_layouts import KnownLayout
from swapflow.files.tables.table import Table
from swapflow.messages import Message


APPLICANTS = "applicants"
"""What the reading of a list of applicants is remembered under."""

HEADERS = "headers"
"""What each of its columns was taken for is remembered under this: results go back in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedLine:
    """A row about an erased person, with its line in the file; 0 where it is not known."""

    line: int
    row: ErasedRow

    @property
    def message(self) -> Message:
        """The sentence that names the row and says what becomes of it."""
        row = self.row
        code = "row_of_erased_confirmed" if row.confirmed else "row_of_erased_held"
        return Message(
            code,
            line=self.line,
            name=row.external_id,
            person=row.name or row.email or row.external_id,
            same=[Message(_SAME[what]) for what in row.same],
            program=row.program,
            day=row.day,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPreview:
    """What a list of applicants holds, and would do.

    Attributes:
        reading: How it is read, filled from the last list and from the shape.
        shape: The system that wrote it, where one was recognised.
        plan: What is new, what changed, what staff keep; of the rows that can be taken.
        bad: Every row that stops the import, those that contradict the cycle too.
        warnings: What staff should know.
        alike: People who may be listed under two ids.
        columns: What reviewers of a blind program see of its columns.
        values: The values of attributes, once the list is imported.
        erased: Rows of people who were erased: held, or confirmed.
        again: The ids of the rows that a person confirmed.
    """

    table: Table
    reading: Reading
    shape: KnownLayout | None
    found: ApplicationsImport
    plan: ListPlan
    bad: tuple[BadRow, ...]
    warnings: tuple[str, ...]
    alike: tuple[PossibleDuplicate, ...]
    columns: ReviewerColumns
    values: ValueReport
    erased: tuple[ErasedLine, ...] = ()
    again: tuple[str, ...] = ()

    def choices(self, shown: Collection[str], *, proposed: bool = False) -> dict[str, bool]:
        """Return which of its columns reviewers are to see.

        Args:
            shown: Columns to show, by their header or their name in the program.
            proposed: Whether to show what is known to be applicants' own work, where nobody
                chose yet.

        Raises:
            InvalidInputError: If there is no such column, or it is no field.
        """
        names = {one.name for one in self.columns.columns}
        by_header = {header: name for name, header in shown_names(self.found.columns).items()}
        check_named(shown, names | by_header.keys())
        said = {by_header.get(one, one): True for one in shown}
        return {**(self.columns.proposed() if proposed else {}), **self.columns.known(), **said}


def preview_applicant_list(
    table: Table,
    chosen: Reading,
    *,
    product: Swapflow,
    cycle_id: str,
    as_last_time: bool = True,
    keep_choices: bool = False,
    again: Collection[str] = (),
) -> ListPreview:
    """Preview a list of applicants; nothing is written.

    Args:
        table: The list.
        chosen: What staff say about its columns, key and dates.
        product: Supplies rules, the applicants there are, and how the last list was read.
        cycle_id: The cycle.
        as_last_time: Whether what staff leave open is filled from the last list.
        keep_choices: Whether what reviewers see is filled from it nevertheless.
        again: Ids of rows of erased people that are to come in all the same.

    Raises:
        InvalidInputError: If a column of dates is named that there is not, or ages are no bands.
        NotFoundError: If there is no such cycle.
    """
    remembered = product.applicants.list_reading(cycle_id, APPLICANTS) if as_last_time else {}
    reading, shape, notes = reading_of(table, chosen, remembered)
    found = examine_applications(
        table,
        mapping=reading.columns,
        rules=product.cycles.rules(cycle_id),
        key=reading.key or "id",
        dates=reading.dates,
        date_order=reading.date_order,
        ages=AgeBands.read(reading.age_bands, on=product.cycles.get(cycle_id).created_at.date()),
    )
    plan = product.applicants.plan_list(cycle_id, found.new, again=again)
    held = {row.external_id for row in plan.erased.held}
    values = product.applicants.values(
        cycle_id, [row for row in found.new if row.external_id not in held]
    )
    lines = _lines(table, found)
    contrary = tuple(
        BadRow(
            line=lines.get(one.external_id, 0),
            column="",
            value=one.external_id,
            reason=one.reason,
            cure=one.cure,
        )
        for one in plan.contrary
    )
    return ListPreview(
        table=table,
        reading=reading,
        shape=shape,
        found=found,
        plan=plan,
        bad=tuple(sorted((*found.bad, *contrary), key=lambda row: row.line)),
        # Who shares an address is named with all who are alike, those of the program included.
        warnings=(
            *notes,
            *(text for text in found.warnings if text not in found.shared),
            *own_reviews(plan.own(product.reviewers.list(cycle_id))),
            *(
                f"an earlier list said that {one!r} left, and this one that they take part; a "
                "list brings nobody back, so reinstate them by hand if that is right"
                for one in plan.returning
            ),
            *_taken_for(plan),
            *map(str, values.messages),
            *_owed(product, cycle_id, plan),
            *not_compared(plan.erased),
        ),
        alike=possible_duplicates(_people(plan, product, cycle_id)),
        values=values,
        columns=product.applicants.plan_columns(
            cycle_id,
            shown_names(found.columns),
            found.new,
            source=shape.system if shape else "",
            as_last_time=as_last_time or keep_choices,
        ),
        erased=erased_lines(plan.erased, lambda one: lines.get(one, 0)),
        again=tuple(again),
    )


def shown_names(taken_for: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that reviewers could see: header by name in the program."""
    return {
        "topic" if role == "topic" else role.removeprefix("field:"): header
        for header, role in taken_for.items()
        if role == "topic" or role.startswith("field:")
    }


def take_applicants(
    looked: ListPreview,
    *,
    product: Swapflow,
    cycle_id: str,
    by: str,
    wave: int = 0,
    choices: Mapping[str, bool] | None = None,
    made_from: str = "",
) -> Listed:
    """Import a list that was looked at, whole; and remember how it was read.

    Args:
        looked: The list.
        product: Stores it.
        cycle_id: The cycle.
        by: Who imports it.
        wave: Number of the wave; 0 takes the next one.
        choices: Whether reviewers see a column, by its name; None as it was chosen before.
        made_from: The revision of the program's choices that these were made from; "" for no
            check.

    Raises:
        BadRowsError: If anything stops it; it lists every place, and nothing was written.
        StaleRevisionError: If other choices were made since; nothing was written.
    """
    refuse(looked.table.source, looked.bad)
    columns = looked.columns
    # A program made before columns were chosen keeps what its reviewers see until staff choose.
    remembered = columns.known() if columns.is_blind and columns.by_choice else {}
    chosen = remembered if choices is None else choices
    # First, since others may have chosen meanwhile: then nothing of the list is taken.
    if chosen:
        product.applicants.choose_columns(
            cycle_id, chosen, by=by, source=columns.source, made_from=made_from
        )
    listed = product.applicants.import_list(
        cycle_id, looked.found.new, wave=wave, again=looked.again, by=by
    )
    remember(looked.reading, APPLICANTS, product=product, cycle_id=cycle_id, by=by)
    taken_for = {header: role for header, role in looked.found.columns.items() if role}
    if taken_for != product.applicants.list_reading(cycle_id, HEADERS):
        product.applicants.keep_list_reading(cycle_id, HEADERS, taken_for, by=by)
    return listed


def remember(reading: Reading, what: str, *, product: Swapflow, cycle_id: str, by: str) -> None:
    """Keep how a kind of list was read; what it says of other columns stays."""
    before = product.applicants.list_reading(cycle_id, what)
    settings = reading.over(Reading.of_settings(before)).settings()
    if settings != before:
        product.applicants.keep_list_reading(cycle_id, what, settings, by=by)


def _owed(product: Swapflow, cycle_id: str, plan: ListPlan) -> list[str]:
    """Tell what promised reviews need once the list is imported, where the budget is short."""
    complete = [known.row for known in plan.known if any(d.what == "ready" for d in known.changes)]
    if not plan.fresh and not complete:
        return []
    found = product.cycles.promises(cycle_id, coming=[*plan.fresh, *complete])
    return [str(found.message)] if found is not None and found.message else []


def _taken_for(plan: ListPlan) -> list[str]:
    """Tell which spellings are taken for another value, as staff said before."""
    rows = [*plan.fresh, *(known.row for known in plan.known)]
    taken = Counter(
        (name, text, row.selection[name]) for row in rows for name, text in row.spelled.items()
    )
    return [
        f"{name}: {text!r} is taken for {value!r} in {count} {'row' if count == 1 else 'rows'}, "
        "as said before"
        for (name, text, value), count in taken.items()
    ]


def own_reviews(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Tell of each applicant who is a reviewer by mail address."""
    return [
        f"reviewer {reviewer!r} has the mail address of applicant {applicant!r}: they are not "
        "asked about themself, and a conflict of interest is recorded"
        for applicant, reviewer in pairs
    ]


_SAME = {"id": "same_id_as_erased", "mail address": "same_address_as_erased"}


def erased_lines(erased: ErasedInList, line: Callable[[str], int]) -> tuple[ErasedLine, ...]:
    """Return the rows of erased people with their lines; `line` finds that of an id."""
    return tuple(ErasedLine(line=line(row.external_id), row=row) for row in erased.rows)


def not_compared(erased: ErasedInList) -> list[str]:
    """Tell how many erased people a list cannot be compared with."""
    if not erased.unknown:
        return []
    return [Message("erasures_not_compared", count=erased.unknown)]


def _people(plan: ListPlan, product: Swapflow, cycle_id: str) -> list[ListedPerson]:
    there = [
        ListedPerson(external_id=a.external_id, name=a.name, email=a.email, new=False)
        for a in product.applicants.list(cycle_id)
        # Who was erased has neither id nor name left, and would be like anybody.
        if a.external_id
    ]
    fresh = [
        ListedPerson(external_id=row.external_id, name=row.name, email=row.email, new=True)
        for row in plan.fresh
    ]
    return [*there, *fresh]


def _lines(table: Table, found: ApplicationsImport) -> Mapping[str, int]:
    """Return the line of each id."""
    roles = {role: header for header, role in found.columns.items()}
    header = roles.get("external_id") or roles.get("email") or ""
    # Backwards, so that an id that stands twice has its first line.
    return {row[header]: row.line for row in reversed(table.rows)} if header else {}
