"""A list of reviewers looked at: how it is read, what it would do, and what stops it."""

from collections.abc import Collection
from dataclasses import dataclass

from swapflow.domain.ids import same_id
from swapflow.domain.rules import Rules
from swapflow.engine.intake.roster_list import ListedReviewers, RosterPlan
from swapflow.engine.services import Swapflow
from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.imports.applicant_list import (
    ErasedLine,
    erased_lines,
    not_compared,
    own_reviews,
    remember,
)
from swapflow.files.imports.import_settings import Reading
from swapflow.files.imports.pairs import spelled, stranger
from swapflow.files.imports.possible_duplicates import (
    ListedPerson,
    PossibleDuplicate,
    possible_duplicates,
)
from swapflow.files.imports.reviewers import ReviewersImport, examine_reviewers
from swapflow.files.tables.cells import refuse, shorten
from swapflow.files.tables.table import Table


REVIEWERS = "reviewers"
"""What the reading of a list of reviewers is remembered under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """What a list of reviewers holds, and would do.

    Attributes:
        reading: How its columns are read, filled from the last list.
        bad: Every row that stops the import, conflicts with nobody known too.
        plan: Who is new, and what the list changes of those who are there.
        erased: Rows of people who were erased: held, or confirmed.
        again: The ids of the rows that a person confirmed.
    """

    table: Table
    reading: Reading
    found: ReviewersImport
    bad: tuple[BadRow, ...]
    warnings: tuple[str, ...]
    plan: RosterPlan
    alike: tuple[PossibleDuplicate, ...]
    erased: tuple[ErasedLine, ...] = ()
    again: tuple[str, ...] = ()


def preview_reviewer_list(
    table: Table,
    chosen: Reading,
    *,
    product: Swapflow,
    cycle_id: str,
    as_last_time: bool = True,
    at_command_line: bool = False,
    again: Collection[str] = (),
) -> Roster:
    """Preview a list of reviewers; nothing is written.

    Args:
        table: The list.
        chosen: What its columns are taken for.
        product: Supplies the cycle's rules and people, and says which programs may be named.
        cycle_id: The cycle.
        as_last_time: Whether what is left open is filled from the last list.
        at_command_line: Whether a person at this machine's command line brings the list.
        again: Ids of rows of erased people that are to come in all the same.

    Raises:
        InvalidInputError: If the columns are said to be what they cannot be.
        NotFoundError: If there is no such cycle.
    """
    rules = product.cycles.rules(cycle_id)
    kept = product.applicants.list_reading(cycle_id, REVIEWERS) if as_last_time else {}
    last = _of_these_kinds(Reading.of_settings(kept).within(table.headers), rules)
    reading = chosen.over(last)
    found = examine_reviewers(table, mapping=reading.columns, rules=rules)
    there = product.reviewers.list(cycle_id)
    plan = product.reviewers.plan_list(cycle_id, found.new, again=again)
    lines = _lines(table, found)
    taken = [h for h in last.columns if h not in chosen.columns]
    note = f"as in the last list, columns are taken for what was said then: {', '.join(taken)}"
    return Roster(
        table=table,
        reading=reading,
        found=found,
        bad=(
            *found.bad,
            *_strangers(product, cycle_id, table, found),
            *_shared_addresses(plan, table, found),
            *([] if at_command_line else _refused_programs(product, table, found)),
        ),
        warnings=(
            *([note] if taken else []),
            *table.warnings,
            *_left(plan),
            *own_reviews(plan.own(product.applicants.list(cycle_id))),
            *not_compared(plan.erased),
        ),
        plan=plan,
        alike=possible_duplicates(
            ListedPerson(external_id=r.external_id, name=r.name, email=r.email, new=new)
            for people, new in ((there, False), (plan.fresh, True))
            for r in people
        ),
        erased=erased_lines(plan.erased, lambda one: lines.get(one, 0)),
        again=tuple(again),
    )


def take_reviewers(
    roster: Roster, *, product: Swapflow, cycle_id: str, by: str, at_command_line: bool = False
) -> ListedReviewers:
    """Import a list that was looked at, whole; remember how it was read.

    Raises:
        BadRowsError: If anything stops it; it lists every place, and nothing was written.
    """
    refuse(roster.table.source, roster.bad)
    listed = product.reviewers.import_list(
        cycle_id,
        roster.found.new,
        at_command_line=at_command_line,
        again=roster.again,
        by=by,
    )
    remember(roster.reading, REVIEWERS, product=product, cycle_id=cycle_id, by=by)
    return listed


def _of_these_kinds(last: Reading, rules: Rules) -> Reading:
    """Forget columns for kinds that the rules no longer have."""
    kinds = {f"capacity:{kind.name}" for kind in rules.kinds}
    kept = {
        header: role
        for header, role in last.columns.items()
        if role in kinds or not role.startswith("capacity:")
    }
    return Reading(columns=kept)


def _refused_programs(product: Swapflow, table: Table, found: ReviewersImport) -> list[BadRow]:
    """Name programs that a list which comes over the network may not name."""
    lines = _lines(table, found)
    column = next((h for h, role in found.columns.items() if role == "automatic"), "")
    bad = []
    for row in found.new:
        try:
            if row.automatic:
                product.reviewers.check_program(row.automatic)
        except InvalidInputError as error:
            bad.append(
                BadRow(
                    line=lines.get(row.external_id, 0),
                    column=column,
                    value=shorten(row.automatic),
                    reason=str(error),
                    cure="Or leave it blank for a person",
                )
            )
    return bad


def _lines(table: Table, found: ReviewersImport) -> dict[str, int]:
    """Return the line in which each reviewer of a list stands first."""
    header = next((h for h, role in found.columns.items() if role == "external_id"), "")
    return {row[header]: row.line for row in reversed(table.rows)} if header else {}


def _strangers(
    product: Swapflow, cycle_id: str, table: Table, found: ReviewersImport
) -> list[BadRow]:
    """Name conflicts with applicants whom the program does not have."""
    applicants = {a.external_id for a in product.applicants.list(cycle_id)}
    there = spelled(applicants) or {}
    lines = _lines(table, found)
    bad = []
    for row in found.new:
        for one in row.conflicts:
            if one not in applicants:
                _, cure = stranger("applicant", one, there)
                if same_id(one) in there:
                    cure = f"Write it as {there[same_id(one)]!r}"
                bad.append(
                    BadRow(
                        line=lines.get(row.external_id, 0),
                        column="conflicts",
                        value=one,
                        reason="the program has no applicant of this id",
                        cure=cure,
                    )
                )
    return bad


def _shared_addresses(plan: RosterPlan, table: Table, found: ReviewersImport) -> list[BadRow]:
    lines = _lines(table, found)
    return [
        BadRow(
            line=lines.get(one.external_id, 0),
            column="email",
            value=one.email,
            reason=f"reviewer {one.other!r} has this address, and one person is one reviewer",
            cure=f"Correct the address, or name the row {one.other}",
        )
        for one in plan.shared
    ]


def _left(plan: RosterPlan) -> list[str]:
    return [
        f"{', '.join(map(repr, plan.stay_left))} left the program; a list brings nobody back"
    ] * bool(plan.stay_left)
