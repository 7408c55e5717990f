"""Applicants and reviewers from a file: look first, then take all of it or nothing.

The file waits in the data folder between the two steps (`files.uploads`): for a day, for whoever
uploaded it, for one program and one purpose. The preview is made anew from it each time, so what
is applied is what the form says, not what an earlier page believed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.applicant import NewApplication
from swapflow.domain.reviewer import NewReviewer
from swapflow.domain.rules import Rules
from swapflow.errors import BadRow, BadRowsError, InvalidInputError
from swapflow.files.applications import examine_applications
from swapflow.files.reviewers import REVIEWER_ROLES, examine_reviewers
from swapflow.files.tabular import Table, read_table
from swapflow.files.uploads import Upload, Uploads
from swapflow.office.facade import Visitor
from swapflow.office.rights import Right
from swapflow.web.access import may
from swapflow.web.nested import TheForm, file_of, text, texts
from swapflow.web.pages import plural, render
from swapflow.web.parts import Parts, parts_of
from swapflow.web.setup import about


router = APIRouter(prefix="/setup/{cycle_id}")

SHOWN_ROWS = 20
SHOWN_BAD = 200

SEPARATORS = (("", "as found"), (",", "comma"), (";", "semicolon"), ("tab", "tab"), ("|", "bar"))
ENCODINGS = (
    ("", "as found"),
    *((name, name) for name in ("utf-8", "cp1252", "iso-8859-2", "utf-16", "utf-16-le", "cp1251")),
    ("shift_jis", "shift_jis"),
    ("gb18030", "gb18030"),
)
LEAVE_OUT = "leave out"

MayApplicants = Annotated[Visitor, Depends(may(Right.MANAGE_APPLICANTS))]
MayReviewers = Annotated[Visitor, Depends(may(Right.MANAGE_REVIEWERS))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a file holds, read as the form says.

    Attributes:
        columns: (header, role it is taken for, "" for left out).
        fresh: Rows that are new in the program; `known` are there already.
        alike: Rows that may be people who are there already, or twice in the file.
    """

    table: Table
    columns: tuple[tuple[str, str], ...]
    bad: tuple[BadRow, ...]
    warnings: tuple[str, ...]
    total: int
    fresh: int
    known: int
    alike: tuple[str, ...]
    applicants: tuple[NewApplication, ...] = ()
    reviewers: tuple[NewReviewer, ...] = ()


@router.get("/applicants")
def show_applicants(
    request: Request, cycle_id: str, visitor: MayApplicants, imported: int = -1, known: int = 0
) -> Response:
    """Show how many applicants there are, and a form to bring more."""
    return _start(request, cycle_id, visitor, "applicants", imported=imported, known=known)


@router.post("/applicants")
def upload_applicants(
    request: Request, cycle_id: str, visitor: MayApplicants, form: TheForm
) -> Response:
    """Keep a file of applicants and lead to its preview."""
    return _keep(request, cycle_id, visitor, "applicants", form)


@router.get("/applicants/{key}")
def preview_applicants(
    request: Request, cycle_id: str, key: str, visitor: MayApplicants
) -> Response:
    """Show what a kept file of applicants would bring."""
    return _preview(request, cycle_id, key, visitor, "applicants", {})


@router.post("/applicants/{key}")
def apply_applicants(
    request: Request, cycle_id: str, key: str, visitor: MayApplicants, form: TheForm
) -> Response:
    """Read a kept file in another way, or import it."""
    return _apply(request, cycle_id, key, visitor, "applicants", form)


@router.get("/reviewers")
def show_reviewers(
    request: Request, cycle_id: str, visitor: MayReviewers, imported: int = -1, known: int = 0
) -> Response:
    """Show how many reviewers there are, and a form to bring more."""
    return _start(request, cycle_id, visitor, "reviewers", imported=imported, known=known)


@router.post("/reviewers")
def upload_reviewers(
    request: Request, cycle_id: str, visitor: MayReviewers, form: TheForm
) -> Response:
    """Keep a file of reviewers and lead to its preview."""
    return _keep(request, cycle_id, visitor, "reviewers", form)


@router.get("/reviewers/{key}")
def preview_reviewers(
    request: Request, cycle_id: str, key: str, visitor: MayReviewers
) -> Response:
    """Show what a kept file of reviewers would bring."""
    return _preview(request, cycle_id, key, visitor, "reviewers", {})


@router.post("/reviewers/{key}")
def apply_reviewers(
    request: Request, cycle_id: str, key: str, visitor: MayReviewers, form: TheForm
) -> Response:
    """Read a kept file in another way, or import it."""
    return _apply(request, cycle_id, key, visitor, "reviewers", form)


What = Literal["applicants", "reviewers"]


def _right(what: What) -> Right:
    return Right.MANAGE_APPLICANTS if what == "applicants" else Right.MANAGE_REVIEWERS


def _uploads(parts: Parts) -> Uploads:
    return Uploads(parts.settings.data_dir / "uploads")


def _start(
    request: Request,
    cycle_id: str,
    visitor: Visitor,
    what: What,
    *,
    imported: int = -1,
    known: int = 0,
    problem: str = "",
) -> Response:
    parts = parts_of(request)
    product = parts.product
    there = product.applications(cycle_id) if what == "applicants" else product.reviewers(cycle_id)
    noun = "applicant" if what == "applicants" else "reviewer"
    said = "" if imported < 0 else f"{plural(imported, noun)} imported"
    return render(
        request,
        "import_start.html",
        {
            **about(parts, cycle_id, visitor, _right(what)),
            "what": what,
            "count": len(there),
            "most": parts.settings.upload_mb,
            "kinds": [kind.name for kind in product.rules(cycle_id).kinds],
            "said": f"{said}, {known} were there already." if said and known else said,
            "problem": problem,
        },
        status=422 if problem else 200,
    )


def _keep(
    request: Request, cycle_id: str, visitor: Visitor, what: What, form: TheForm
) -> Response:
    parts = parts_of(request)
    try:
        name, data = file_of(form, "file")
        read_table(data, name=name)  # what is no table at all is not worth keeping
    except BadRowsError as error:
        return _start(request, cycle_id, visitor, what, problem=str(error))
    except InvalidInputError as error:
        # Another encoding may help, and the next page offers one; nothing else does.
        if "holds bytes that" not in str(error) and "is no text in" not in str(error):
            return _start(request, cycle_id, visitor, what, problem=str(error))
    key = _uploads(parts).keep(
        data, owner=visitor.account.id, purpose=f"{cycle_id}:{what}", name=name
    )
    return RedirectResponse(f"/setup/{cycle_id}/{what}/{key}", 303)


def _preview(
    request: Request,
    cycle_id: str,
    key: str,
    visitor: Visitor,
    what: What,
    typed: Mapping[str, str],
    *,
    problem: str = "",
) -> Response:
    parts = parts_of(request)
    upload = _uploads(parts).find(key, owner=visitor.account.id, purpose=f"{cycle_id}:{what}")
    found: Found | None = None
    try:
        found = _found(parts, cycle_id, upload, what, typed)
    except InvalidInputError as error:
        problem = problem or str(error)
    rules = parts.product.rules(cycle_id)
    return render(
        request,
        "import_preview.html",
        {
            **about(parts, cycle_id, visitor, _right(what)),
            "what": what,
            "upload": upload,
            "found": found,
            "typed": dict(typed),
            "roles": _roles(what, rules, found),
            "words": words,
            "separators": SEPARATORS,
            "encodings": ENCODINGS,
            "shown_rows": SHOWN_ROWS,
            "shown_bad": SHOWN_BAD,
            "problem": problem,
        },
        status=422 if problem else 200,
    )


def _apply(
    request: Request, cycle_id: str, key: str, visitor: Visitor, what: What, form: TheForm
) -> Response:
    parts = parts_of(request)
    typed = dict(texts(form))
    uploads = _uploads(parts)
    if text(form, "do") == "drop":
        uploads.find(key, owner=visitor.account.id, purpose=f"{cycle_id}:{what}")
        uploads.drop(key)
        return RedirectResponse(f"/setup/{cycle_id}/{what}", 303)
    if text(form, "do") != "apply":
        return _preview(request, cycle_id, key, visitor, what, typed)
    upload = uploads.find(key, owner=visitor.account.id, purpose=f"{cycle_id}:{what}")
    try:
        found = _found(parts, cycle_id, upload, what, typed)
        added = _import(parts, cycle_id, found, what)
    except InvalidInputError as error:
        return _preview(request, cycle_id, key, visitor, what, typed, problem=str(error))
    uploads.drop(key)
    known = found.total - added
    parts.office.record(
        visitor.name,
        f"imported {what}",
        cycle_id=cycle_id,
        about=upload.name,
        detail=f"{added} new, {known} there already",
    )
    return RedirectResponse(f"/setup/{cycle_id}/{what}?imported={added}&known={known}", 303)


def _import(parts: Parts, cycle_id: str, found: Found, what: What) -> int:
    if found.bad:
        raise InvalidInputError("Nothing was imported: the rows below must be cured first.")
    if what == "applicants":
        return len(parts.product.import_applications(cycle_id, found.applicants))
    return len(parts.product.import_reviewers(cycle_id, found.reviewers))


# Reading a file as the form says


def _found(
    parts: Parts, cycle_id: str, upload: Upload, what: What, typed: Mapping[str, str]
) -> Found:
    separator = typed.get("separator", "")
    table = read_table(
        upload.data,
        encoding=_known(typed.get("encoding", ""), ENCODINGS) or None,
        separator="\t" if separator == "tab" else _known(separator, SEPARATORS),
        name=upload.name,
    )
    # Columns are numbered: a header may hold anything.
    mapping = {
        header: "" if role == LEAVE_OUT else role
        for number, header in enumerate(table.headers)
        if (role := typed.get(f"column.{number}", "").strip()) and role != "as found"
    }
    rules = parts.product.rules(cycle_id)
    if what == "applicants":
        dates = [h for n, h in enumerate(table.headers) if typed.get(f"date.{n}")]
        return found_applicants(parts, cycle_id, table, mapping, rules, dates, typed)
    return found_reviewers(parts, cycle_id, table, mapping, rules)


def _known(value: str, choices: Sequence[tuple[str, str]]) -> str:
    return value if value in {name for name, _ in choices} else ""


def found_applicants(
    parts: Parts,
    cycle_id: str,
    table: Table,
    mapping: Mapping[str, str],
    rules: Rules,
    dates: list[str],
    typed: Mapping[str, str],
) -> Found:
    """Say what a table of applicants would bring; `typed` is the form of the preview."""
    read = examine_applications(
        table,
        mapping=mapping,
        rules=rules,
        key="email" if typed.get("key") == "email" else "id",
        dates=dates,
        date_order=_known(typed.get("date_order", ""), (("dmy", ""), ("mdy", ""))),
    )
    there = {a.external_id: a for a in parts.product.applications(cycle_id)}
    lines = _lines(table, read.columns)
    contrary = [
        BadRow(
            line=lines.get(row.external_id, 0),
            column="",
            value=row.external_id,
            reason="this id is in the program with another name or mail address",
            cure="Correct the row, or give the person an id of their own",
        )
        for row in read.new
        if row.external_id in there
        and (row.name, row.email) != (there[row.external_id].name, there[row.external_id].email)
    ]
    known = sum(row.external_id in there for row in read.new)
    return Found(
        table=table,
        columns=tuple(read.columns.items()) or tuple((h, "") for h in table.headers),
        bad=(*read.bad, *contrary),
        warnings=read.warnings,
        total=len(read.new),
        fresh=len(read.new) - known,
        known=known,
        alike=_alike(
            [(r.external_id, r.name, r.email) for r in read.new],
            [(a.external_id, a.name, a.email) for a in there.values()],
        ),
        applicants=read.new,
    )


def found_reviewers(
    parts: Parts, cycle_id: str, table: Table, mapping: Mapping[str, str], rules: Rules
) -> Found:
    """Say what a table of reviewers would bring."""
    read = examine_reviewers(table, mapping=mapping, rules=rules)
    there = {r.external_id: r for r in parts.product.reviewers(cycle_id)}
    known = sum(row.external_id in there for row in read.new)
    applicants = {a.external_id for a in parts.product.applications(cycle_id)}
    lines = _lines(table, read.columns)
    strangers = [
        BadRow(
            line=lines.get(row.external_id, 0),
            column="conflicts",
            value=stranger,
            reason="the program has no applicant of this id",
            cure="Import the applicants first, or correct the id",
        )
        for row in read.new
        for stranger in row.conflicts
        if stranger not in applicants
    ]
    return Found(
        table=table,
        columns=tuple(read.columns.items()),
        bad=(*read.bad, *strangers),
        warnings=table.warnings,
        total=len(read.new),
        fresh=len(read.new) - known,
        known=known,
        alike=_alike(
            [(r.external_id, r.name, r.email) for r in read.new],
            [(r.external_id, r.name, r.email) for r in there.values()],
        ),
        reviewers=read.new,
    )


def _lines(table: Table, columns: Mapping[str, str]) -> dict[str, int]:
    """Give the line on which each id stands."""
    header = next((h for h, role in columns.items() if role == "external_id"), "")
    return {row[header]: row.line for row in reversed(table.rows)} if header else {}


def _alike(
    new: Sequence[tuple[str, str, str]], there: Sequence[tuple[str, str, str]]
) -> tuple[str, ...]:
    """Name people who stand under two ids, by their mail address or their name."""
    keys: tuple[tuple[str, Callable[[tuple[str, str, str]], str]], ...] = (
        ("mail address", lambda who: who[2].casefold()),
        ("name", lambda who: " ".join(who[1].casefold().split())),
    )
    found = []
    for noun, key in keys:
        owners: dict[str, list[str]] = {}
        for who in (*there, *new):
            if key(who) and who[0] not in owners.setdefault(key(who), []):
                owners[key(who)].append(who[0])
        fresh = {who[0] for who in new}
        found += [
            f"the {noun} {shown!r} stands under {', '.join(ids)}"
            for shown, ids in owners.items()
            if len(ids) > 1 and fresh & set(ids)
        ]
    return tuple(found)


def _roles(what: What, rules: Rules, found: Found | None) -> list[tuple[str, list[str]]]:
    """Give per column the roles to choose from, the one it has among them."""
    if found is None:
        return []
    attribute = rules.objective.attribute
    choices = []
    for header, role in found.columns:
        if what == "reviewers":
            own = [*REVIEWER_ROLES, *(f"capacity:{kind.name}" for kind in rules.kinds)]
        else:
            own = [
                "external_id", "name", "first_name", "last_name", "email", "ready", "topic",
                "redacted", f"field:{header}", f"document:{header}", f"monitor:{header}",
                f"select:{header}",
            ]  # fmt: skip
            if attribute and attribute != header:
                own.append(f"select:{attribute}")
        choices.append((header, [*own, *([role] if role and role not in own else [])]))
    return choices


def words(role: str) -> str:
    """Say what a column is taken for, in words of the screen."""
    kind, _, name = role.partition(":")
    if kind == "capacity" and name:
        return f"most {name} requests"
    if kind == "select":
        return f"may enter the objective, as {name}"
    return _WORDS.get(kind, kind.replace("_", " "))


_WORDS: Mapping[str, str] = {
    "external_id": "id",
    "field": "shown to reviewers, unless they must not see it",
    "document": "document (address or file name)",
    "monitor": "for monitoring reports only",
    "redacted": "whether documents are redacted",
}
