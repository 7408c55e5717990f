"""Files of reviews that staff bring in: sheets that came back, and scores that nobody asked for.

The pages and the API read them alike: looked at first, then all of it is stored, or nothing.
"""

from dataclasses import dataclass, field

from swapflow.engine.scoring.sheet_plan import PlannedRow, RowOutcome, SheetPlan
from swapflow.engine.scoring.volunteered import Volunteered
from swapflow.engine.services import Swapflow
from swapflow.errors import BadRow, BadRowsError
from swapflow.files.imports.offline_sheet import is_sheet, returned
from swapflow.files.imports.scores import read_scores, volunteered
from swapflow.files.tables.table import read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresFound:
    """What a file of reviews would bring.

    Attributes:
        plan: What a sheet that came back says; None for any other table.
        unasked: Scores that nobody asked for; none in a sheet.
        missing: Rows that say there is no score.
    """

    source: str
    plan: SheetPlan | None = None
    unasked: tuple[Volunteered, ...] = ()
    missing: int = 0
    bad: tuple[BadRow, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    @property
    def rows(self) -> tuple[PlannedRow, ...]:
        """What becomes of each row of a sheet that holds something."""
        rows = self.plan.rows if self.plan else ()
        return tuple(row for row in rows if row.fate is not RowOutcome.BLANK)

    def count(self, fate: str) -> int:
        """Count the rows of a sheet that end so."""
        return self.plan.count(RowOutcome(fate)) if self.plan else 0

    @property
    def stores(self) -> int:
        """How many reviews would be stored or corrected."""
        return self.count("new") + self.count("corrected") + len(self.unasked)


def find_scores(  # noqa: PLR0913 - keyword-only, most with a default
    product: Swapflow,
    cycle_id: str,
    data: bytes,
    *,
    name: str,
    by: str,
    kind: str = "",
    scale: str = "",
    reviewer: int | None = None,
    encoding: str | None = None,
) -> ScoresFound:
    """Read a file of reviews and say what it would bring; changes nothing.

    Args:
        product: The product.
        cycle_id: The program.
        data: The file's bytes.
        name: What messages call it.
        by: Who brings it in.
        kind: Of all scores that nobody asked for, where no column names it.
        scale: Worst and best of a single score, "0..5".
        reviewer: Whose sheet it must be, by number; None for anybody's.
        encoding: Of a text file, when staff know it.

    Raises:
        InvalidInputError: If the file or the scale cannot be read at all.
    """
    table = read_table(data, name=name, encoding=encoding)
    if is_sheet(table):
        back = returned(table)
        plan = product.scores.examine_offline_sheet(
            cycle_id, back.rows, by=by, source=back.source, reviewer=reviewer, bad=back.bad
        )
        return ScoresFound(source=name, plan=plan, bad=plan.bad, warnings=back.warnings)
    rules = product.cycles.rules(cycle_id)
    applications = {a.external_id: a.number for a in product.applicants.list(cycle_id)}
    reviewers = {r.external_id: r.number for r in product.reviewers.list(cycle_id)}
    try:
        read = read_scores(
            table,
            rules=rules,
            kind=kind,
            scale=scale,
            applications=list(applications),
            reviewers=list(reviewers),
        )
        unasked = volunteered(read.scores, rules, applications, reviewers, by=by, source=name)
    except BadRowsError as error:
        return ScoresFound(source=name, bad=error.rows, warnings=table.warnings)
    return ScoresFound(
        source=name,
        unasked=tuple(unasked),
        missing=len(read.missing),
        warnings=read.warnings,
    )


def store_scores(product: Swapflow, cycle_id: str, found: ScoresFound, *, by: str) -> None:
    """Store what was found: all of it, or nothing.

    Raises:
        BadRowsError: If something in the file cannot be used.
    """
    if found.bad:
        raise BadRowsError(found.source, found.bad)
    if found.plan is not None:
        product.scores.enter_offline_sheet(found.plan, by=by)
    elif found.unasked:
        product.scores.volunteer(cycle_id, found.unasked, imported=True)


def told(found: ScoresFound) -> str:
    """Format what was stored, for the audit log."""
    if found.plan is None:
        return f"{len(found.unasked)} that nobody asked for"
    counts = (f"{found.count(fate.value)} {fate.value}" for fate in RowOutcome)
    people = sorted({row.reviewer for row in found.rows})
    return f"{', '.join(counts)}; of {', '.join(people)}" if people else ", ".join(counts)
