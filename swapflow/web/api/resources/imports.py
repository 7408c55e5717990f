"""Lists as files: looked at in a dry run, then taken whole or not at all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, File, Query, Request, UploadFile

from swapflow.engine.services import Swapflow
from swapflow.errors import BadRow, BadRowsError, InvalidInputError
from swapflow.files.imports.import_settings import Reading
from swapflow.files.imports.pairs import read_pairs
from swapflow.files.tables.cells import refuse
from swapflow.files.tables.table import read_table
from swapflow.identity.principal import Principal
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayEnterReviews, MayManageApplicants, MayManageReviewers
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.files import (
    BadLine,
    ErasedPerson,
    FileChange,
    Imported,
    ImportedScores,
    SheetLine,
    ShownColumn,
)
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.revisions import MadeFrom
from swapflow.web.cycle.import_preview import (
    Done,
    Found,
    find_applicants,
    find_reviewers,
    take,
    told_in_log,
)
from swapflow.web.cycle.score_imports import find_scores, store_scores, told
from swapflow.web.http.context import Product


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["files"])

Table = Annotated[UploadFile, File(description="CSV, TSV or XLSX, with a header.")]
DryRun = Annotated[bool, Query(description="Say what would be stored, and store nothing.")]
Encoding = Annotated[
    str, Query(max_length=40, pattern=r"^[A-Za-z0-9_-]*$", description="Of a text file.")
]
ShowProposed = Annotated[
    bool, Query(description="Show blind reviewers applicants' own work, where nobody has chosen.")
]
Again = Annotated[
    list[str] | None,
    Query(max_length=2000, description="Ids of erased people of the file who are to come back."),
]
AgeBandStarts = Annotated[
    str,
    Query(max_length=80, description="Ages at which the bands of birth dates begin: 20,25,30,40."),
]
LONGEST_NAME = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class SentFile:
    """What every import is sent.

    Attributes:
        name: What messages call the file.
        data: Its bytes.
        dry_run: Whether nothing is to be stored.
        encoding: Of a text file; None lets the reader find out.
    """

    name: str
    data: bytes
    dry_run: bool
    encoding: str | None


def read_sent(
    file: Table,
    dry_run: DryRun = False,  # noqa: FBT002 - a query parameter
    encoding: Encoding = "",
) -> SentFile:
    """Read the file of an import and what is asked about it.

    Raises:
        InvalidInputError: If the file is empty.
    """
    # It goes into messages and the audit log, and its sender may have put anything into it.
    plain = "".join(c for c in file.filename or "" if c.isprintable())[:LONGEST_NAME]
    data = file.file.read()
    if not data:
        raise InvalidInputError("upload_empty", name=plain or "the file")
    return SentFile(
        name=plain or "the file", data=data, dry_run=dry_run, encoding=encoding or None
    )


Sent = Annotated[SentFile, Depends(read_sent)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChoice:
    """Which columns reviewers of a blind program are to see: those named, and those proposed."""

    columns: tuple[str, ...]
    proposed: bool


def read_shown(
    show: Annotated[
        list[str] | None,
        Query(max_length=2000, description="Columns that reviewers of a blind program see."),
    ] = None,
    show_proposed: ShowProposed = False,  # noqa: FBT002 - a query parameter
) -> ShownChoice:
    """Read what is asked about the columns of a list of applicants."""
    return ShownChoice(columns=tuple(show or ()), proposed=show_proposed)


Shown = Annotated[ShownChoice, Depends(read_shown)]


@router.post("/applicants/import")
def import_applicants(  # noqa: PLR0913, PLR0917 - FastAPI reads the query from the signature
    request: Request,
    cycle_id: CycleId,
    principal: MayManageApplicants,
    product: Product,
    sent: Sent,
    shown: Shown,
    key: Annotated[
        Literal["id", "email"] | None,
        Query(description="What names an applicant; an id, unless the last list said otherwise."),
    ] = None,
    again: Again = None,
    age_bands: AgeBandStarts = "",
) -> Imported:
    """Add the applicants of a file and change those it changes: all, or none.

    People who were erased are left out and named, unless `again` holds their ids.

    What staff decided or corrected by hand stays: statuses, pins, and values that they changed
    since the last file. The columns are taken for what was said of the last file.
    """
    table = read_table(sent.data, name=sent.name, encoding=sent.encoding)
    reading = Reading(key=key or "", age_bands=age_bands)
    found = find_applicants(product, cycle_id, table, reading, again=again or ())
    if found.looked is not None and (shown.columns or shown.proposed):
        choices = found.looked.choices(shown.columns, proposed=shown.proposed)
        found = replace(found, choices=choices)
    return _apply(
        request, cycle_id, principal, found, sent, "imported applicants", product=product
    )


@router.post("/reviewers/import")
def import_reviewers(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageReviewers,
    product: Product,
    sent: Sent,
    again: Again = None,
) -> Imported:
    """Add the reviewers of a file, or change those who are there: all, or none.

    People who were erased are left out and named, unless `again` holds their ids.
    """
    table = read_table(sent.data, name=sent.name, encoding=sent.encoding)
    found = find_reviewers(product, cycle_id, table, Reading(), again=again or ())
    return _apply(request, cycle_id, principal, found, sent, "imported reviewers", product=product)


@router.post("/conflicts/import")
def import_conflicts(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageReviewers,
    product: Product,
    sent: Sent,
) -> Imported:
    """Record the conflicts of interest of a file: applicant and reviewer in each row."""
    return _pairs(
        request,
        principal,
        cycle_id,
        sent,
        "recorded conflicts of interest",
        lambda pairs: product.reviewers.add_conflicts(cycle_id, pairs, source="staff"),
        product=product,
    )


@router.post("/panels/import")
def import_panels(
    request: Request,
    cycle_id: CycleId,
    principal: MayManageReviewers,
    product: Product,
    sent: Sent,
    precondition: MadeFrom,
) -> Imported:
    """Restrict a file's applicants to the reviewers it names: one pair in each row."""
    return _pairs(
        request,
        principal,
        cycle_id,
        sent,
        "set panels",
        lambda pairs: product.reviewers.set_panel(
            cycle_id, pairs, made_from=precondition.made_from
        ),
        product=product,
    )


@router.post("/scores/import")
def import_scores(
    request: Request,
    cycle_id: CycleId,
    principal: MayEnterReviews,
    product: Product,
    sent: Sent,
    kind: Annotated[str, Query(max_length=24, description="Where no column names it.")] = "",
    scale: Annotated[str, Query(max_length=40, description="Worst and best: 0..5.")] = "",
    reviewer: Annotated[
        int | None, Query(ge=0, le=2**31 - 1, description="Whose sheet it must be.")
    ] = None,
) -> ImportedScores:
    """Enter a sheet that came back, under both names; or keep scores that nobody asked for."""
    found = find_scores(
        product,
        cycle_id,
        sent.data,
        name=sent.name,
        by=principal.name,
        kind=kind,
        scale=scale,
        reviewer=reviewer,
        encoding=sent.encoding,
    )
    if not sent.dry_run:
        store_scores(product, cycle_id, found, by=principal.name)
        note(
            request, principal, "entered reviews from a file", about=sent.name, detail=told(found)
        )
    return ImportedScores(
        dry_run=sent.dry_run,
        sheet=found.plan is not None,
        new=found.count("new"),
        corrected=found.count("corrected"),
        unchanged=found.count("unchanged"),
        blank=found.count("blank"),
        unasked=len(found.unasked),
        rows=[
            SheetLine(
                line=row.line,
                task=row.task,
                applicant=row.applicant,
                reviewer=row.reviewer,
                result=row.fate.value,
                note=row.note,
            )
            for row in found.rows
        ],
        bad=[BadLine.of(row) for row in found.bad],
        warnings=list(found.warnings),
    )


def _apply(
    request: Request,
    cycle_id: str,
    principal: Principal,
    found: Found,
    sent: SentFile,
    what: str,
    *,
    product: Swapflow,
) -> Imported:
    done = Done(new=found.fresh, changed=found.changed, known=found.known)
    if not sent.dry_run:
        refuse(sent.name, found.bad)
        done = take(product, cycle_id, found, by=principal.name)
        note(request, principal, what, about=sent.name, detail=told_in_log(done, found))
    return Imported(
        dry_run=sent.dry_run,
        new=done.new,
        changed=done.changed,
        known=done.known,
        changes=[FileChange.of(d, known) for known in found.changes for d in known.differences],
        bad=[BadLine.of(row) for row in found.bad],
        warnings=[*found.warnings, *map(str, found.alike)],
        reviewers_see=[
            ShownColumn.of(one)
            for columns in ([found.looked.columns] if found.looked else [])
            if columns.is_blind
            for one in columns.after(found.choices or {}).columns
        ],
        erased=[ErasedPerson.of(one.row, one.line) for one in found.erased],
    )


def _pairs(
    request: Request,
    principal: Principal,
    cycle_id: str,
    sent: SentFile,
    what: str,
    act: Callable[[Sequence[tuple[str, str]]], object],
    *,
    product: Swapflow,
) -> Imported:
    bad: tuple[BadRow, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    try:
        pairs = read_pairs(
            sent.data,
            encoding=sent.encoding,
            name=sent.name,
            applications=[a.external_id for a in product.applicants.list(cycle_id)],
            reviewers=[r.external_id for r in product.reviewers.list(cycle_id)],
        )
    except BadRowsError as error:
        bad = error.rows
        if not sent.dry_run:
            raise
    if not sent.dry_run:
        act(pairs)
        note(request, principal, what, about=sent.name, detail=f"{len(pairs)} pairs")
    return Imported(
        dry_run=sent.dry_run,
        # All or none: beside a bad row nothing would be stored.
        new=0 if bad else len(pairs),
        changed=0,
        known=0,
        changes=[],
        bad=[BadLine.of(row) for row in bad],
        warnings=[],
    )
