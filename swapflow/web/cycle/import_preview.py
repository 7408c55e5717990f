"""Files of applicants and reviewers read as the form of their preview says."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from swapflow.domain.people.age_bands import USUAL_STARTS
from swapflow.engine.intake.column_choice import ReviewerColumn, ReviewerColumns
from swapflow.engine.intake.list_plan import Known
from swapflow.engine.intake.roster_list import KnownReviewer
from swapflow.engine.services import Swapflow
from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.imports.applicant_list import (
    ErasedLine,
    ListPreview,
    preview_applicant_list,
    shown_names,
    take_applicants,
)
from swapflow.files.imports.import_settings import LEFT_OUT, Reading
from swapflow.files.imports.possible_duplicates import PossibleDuplicate
from swapflow.files.imports.reviewer_list import Roster, preview_reviewer_list, take_reviewers
from swapflow.files.imports.uploads import PendingUpload
from swapflow.files.tables.table import Table, read_table


What = Literal["applicants", "reviewers"]

SEPARATORS = (("", "as found"), (",", "comma"), (";", "semicolon"), ("tab", "tab"), ("|", "bar"))
ENCODINGS = (
    ("", "as found"),
    *((name, name) for name in ("utf-8", "cp1252", "iso-8859-2", "utf-16", "utf-16-le", "cp1251")),
    ("cp1250", "cp1250"),
    ("mac_roman", "mac_roman"),
    ("shift_jis", "shift_jis"),
    ("gb18030", "gb18030"),
)
_SETTINGS = ("key", "date_order", "age_bands")

SAID = "said"
"""Field of a form that says all there is to say about its columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a file holds, read as the form says.

    Attributes:
        typed: Fields of the form when nothing has been typed.
        columns: (header, role it is taken for, "" for left out).
        total: Rows that can be taken.
        fresh: Those that are new in the program; `known` are there already.
        changes: Those known whom the file changes, or of whom staff keep something against it.
        alike: People who may be listed under two ids.
        looked: The list of applicants that `take` imports.
        roster: The list of reviewers that it imports.
        seen: What reviewers see of each column that they could, by header; empty where the
            program is not blind.
        choices: Whether they are to see a column, by its name; None as it was chosen before.
        erased: Rows of people who were erased: held, or confirmed.
    """

    typed: Mapping[str, str]
    table: Table
    columns: tuple[tuple[str, str], ...]
    bad: tuple[BadRow, ...]
    warnings: tuple[str, ...]
    total: int
    fresh: int
    known: int
    changed: int = 0
    changes: tuple[Known, ...] | tuple[KnownReviewer, ...] = ()
    alike: tuple[PossibleDuplicate, ...]
    looked: ListPreview | None = None
    roster: Roster | None = None
    seen: Mapping[str, ReviewerColumn] = field(default_factory=dict)
    choices: Mapping[str, bool] | None = None
    erased: tuple[ErasedLine, ...] = ()

    @property
    def held(self) -> tuple[ErasedLine, ...]:
        """The rows that stay out."""
        return tuple(one for one in self.erased if not one.row.confirmed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What an import did; `held` are rows of erased people that stayed out."""

    new: int
    changed: int
    known: int
    held: int = 0


def look(
    product: Swapflow, cycle_id: str, upload: PendingUpload, what: What, typed: Mapping[str, str]
) -> Found:
    """Read a kept file as the form says; nothing is written.

    Raises:
        InvalidInputError: If the file cannot be read so.
    """
    separator = typed.get("separator", "")
    table = read_table(
        upload.data,
        encoding=_known(typed.get("encoding", ""), ENCODINGS) or None,
        separator="\t" if separator == "tab" else _known(separator, SEPARATORS),
        name=upload.name,
        sheet=typed.get("sheet", ""),
    )
    chosen = _chosen(table, typed)
    if what == "applicants":
        first = SAID not in typed
        found = find_applicants(
            product,
            cycle_id,
            table,
            chosen,
            as_last_time=first,
            propose=first,
            keep_choices=True,
            again=_again(typed),
        )
        return found if first else _with_choices(found, typed)
    return find_reviewers(
        product,
        cycle_id,
        table,
        chosen,
        as_last_time=SAID not in typed,
        again=_again(typed),
    )


def take(product: Swapflow, cycle_id: str, found: Found, *, by: str, made_from: str = "") -> Done:
    """Import what was found, and remember how it was read.

    Args:
        product: Stores it.
        cycle_id: The cycle.
        found: What is imported.
        by: Who imports it.
        made_from: The revision of the choices of columns that the form was made from; "" for no
            check.

    Raises:
        InvalidInputError: If anything in it must be cured first; nothing was written.
        StaleRevisionError: If other columns were chosen since; nothing was written.
    """
    if found.bad:
        raise InvalidInputError("import_rows_to_cure")
    if found.looked is not None:
        listed = take_applicants(
            found.looked,
            product=product,
            cycle_id=cycle_id,
            by=by,
            choices=found.choices,
            made_from=made_from,
        )
        return Done(
            new=len(listed.added),
            changed=listed.changed,
            known=listed.unchanged,
            held=len(listed.held),
        )
    assert found.roster is not None
    taken = take_reviewers(found.roster, product=product, cycle_id=cycle_id, by=by)
    return Done(
        new=len(taken.added),
        changed=len(taken.changed),
        known=taken.unchanged,
        held=len(taken.held),
    )


def told_in_log(done: Done, found: Found) -> str:
    """Return what an import did, for the audit log: counts alone."""
    back = len(found.erased) - len(found.held)
    return ", ".join(
        f"{count} {what}"
        for count, what in (
            (done.new, "new"),
            (done.changed, "changed"),
            (done.known, "there already"),
            *(((done.held, "left out, since they were erased"),) if done.held else ()),
            *(((back, "back although they were erased, as confirmed"),) if back else ()),
        )
    )


def find_applicants(
    product: Swapflow,
    cycle_id: str,
    table: Table,
    chosen: Reading,
    *,
    as_last_time: bool = True,
    propose: bool = False,
    keep_choices: bool = False,
    again: Collection[str] = (),
) -> Found:
    """Return what a table of applicants would bring.

    Args:
        product: Supplies the cycle's rules and people.
        cycle_id: The cycle.
        table: The list.
        chosen: What staff say about it.
        as_last_time: Whether what they leave open is filled from the last list.
        propose: Whether to take the mail address for the key where the list's shape has no other,
            as a proposal that staff see before they import.
        keep_choices: Whether what reviewers see is filled from the last list in any case.
        again: Ids of rows of erased people that are to come in all the same.
    """
    looked = preview_applicant_list(
        table,
        chosen,
        product=product,
        cycle_id=cycle_id,
        as_last_time=as_last_time,
        keep_choices=keep_choices,
        again=again,
    )
    if propose and looked.shape is not None and looked.shape.key == "email":
        looked = preview_applicant_list(
            table,
            looked.reading.over(Reading(key="email")),
            product=product,
            cycle_id=cycle_id,
            again=again,
        )
    plan = looked.plan
    columns = looked.found.columns
    by_name = {one.name: one for one in looked.columns.columns}
    asked = looked.columns.is_blind and looked.columns.by_choice
    seen = {h: by_name[n] for n, h in shown_names(columns).items()} if asked else {}
    return Found(
        typed={
            **_typed(table, looked.reading),
            **_proposed(table, seen),
            "revision": looked.columns.revision,
        },
        table=table,
        columns=tuple(columns.items()) or tuple((h, "") for h in table.headers),
        bad=looked.bad,
        warnings=looked.warnings,
        total=len(looked.found.new) - len(plan.erased.held),
        fresh=len(plan.fresh),
        known=plan.unchanged,
        changed=len(plan.changed),
        changes=tuple(known for known in plan.known if known.differences),
        alike=looked.alike,
        looked=looked,
        seen=seen,
        erased=looked.erased,
    )


def first_seen(
    product: Swapflow, cycle_id: str, found: Found, typed: Mapping[str, str]
) -> dict[str, str]:
    """Return the fields of a list's first applicant as reviewers would see them."""
    if found.looked is None or not found.seen or not found.looked.found.new:
        return {}
    view = product.applicants.reviewer_view(cycle_id)
    shown = view.shown.choosing(_with_choices(found, typed).choices or {})
    return replace(view, shown=shown).fields_of(found.looked.found.new[0])


def columns_chosen(found: Found, typed: Mapping[str, str]) -> ReviewerColumns | None:
    """Return what reviewers would see by the form as it is; None where nothing is chosen."""
    if found.looked is None or not found.seen:
        return None
    return found.looked.columns.after(_with_choices(found, typed).choices or {})


def find_reviewers(
    product: Swapflow,
    cycle_id: str,
    table: Table,
    chosen: Reading,
    *,
    as_last_time: bool = True,
    again: Collection[str] = (),
) -> Found:
    """Return what a table of reviewers would bring."""
    roster = preview_reviewer_list(
        table,
        chosen,
        product=product,
        cycle_id=cycle_id,
        as_last_time=as_last_time,
        again=again,
    )
    return Found(
        typed=_typed(table, roster.reading),
        table=table,
        columns=tuple(roster.found.columns.items()),
        bad=roster.bad,
        warnings=roster.warnings,
        total=len(roster.plan.taken),
        fresh=len(roster.plan.fresh),
        known=len(roster.plan.known) - len(roster.plan.changed),
        changed=len(roster.plan.changed),
        changes=roster.plan.changed,
        alike=roster.alike,
        roster=roster,
        erased=roster.erased,
    )


# The form


def _again(typed: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ids of the rows that are ticked to come in although they were erased."""
    # The line is in the name so that each box has its own; only ids are compared.
    return tuple(value for name, value in typed.items() if name.startswith("again.") and value)


def _chosen(table: Table, typed: Mapping[str, str]) -> Reading:
    # Columns are numbered: a header may hold anything.
    columns = {
        header: "" if role == LEFT_OUT else role
        for number, header in enumerate(table.headers)
        if (role := typed.get(f"column.{number}", "").strip()) and role != "as found"
    }
    settings = {name: typed[name] for name in _SETTINGS if typed.get(name)}
    said = Reading.of_settings(settings)
    return Reading(
        columns=columns,
        key=said.key,
        dates=tuple(h for n, h in enumerate(table.headers) if typed.get(f"date.{n}")),
        date_order=said.date_order,
        age_bands=said.age_bands,
    )


def _typed(table: Table, reading: Reading) -> dict[str, str]:
    """Format a reading as the fields of the form."""
    numbers = {header: number for number, header in enumerate(table.headers)}
    columns = {f"column.{numbers[h]}": role or LEFT_OUT for h, role in reading.columns.items()}
    dates = {f"date.{numbers[h]}": "yes" for h in reading.dates}
    return {
        **columns,
        **dates,
        "key": reading.key,
        "date_order": reading.date_order,
        "age_bands": reading.age_bands or ", ".join(map(str, USUAL_STARTS)),
    }


def _proposed(table: Table, seen: Mapping[str, ReviewerColumn]) -> dict[str, str]:
    """Fill the form with what was chosen before, else with what is proposed."""
    numbers = {header: number for number, header in enumerate(table.headers)}
    typed = {}
    for header, one in seen.items():
        is_shown = one.kind.is_proposed if one.choice is None else one.choice
        if is_shown or not one.is_open:
            typed[f"see.{numbers[header]}"] = "yes" if is_shown else "no"
    return typed


def _with_choices(found: Found, typed: Mapping[str, str]) -> Found:
    """Take from the form which columns reviewers are to see."""
    numbers = {header: number for number, header in enumerate(found.table.headers)}
    said = {one.name: typed.get(f"see.{numbers[h]}", "") for h, one in found.seen.items()}
    choices = {name: word == "yes" for name, word in said.items() if word in {"yes", "no"}}
    return replace(found, choices=choices)


def _known(value: str, choices: Sequence[tuple[str, str]]) -> str:
    return value if value in {name for name, _ in choices} else ""
