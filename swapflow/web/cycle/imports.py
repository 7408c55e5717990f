"""Applicants and reviewers from a file: look first, then take all of it or nothing.

The file waits in the data folder between the two steps (`files.imports.uploads`): for a day, for
the person who uploaded it, for one program and one purpose. The preview is made anew from it each
time, so what is applied is what the form says, not what an earlier page believed.
"""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.rules import Rules
from swapflow.errors import BadRowsError, InvalidInputError, StaleRevisionError
from swapflow.files.exports.rejected_rows import refused_file
from swapflow.files.imports.reviewers import REVIEWER_ROLES
from swapflow.files.imports.uploads import Uploads
from swapflow.files.tables.table import read_table
from swapflow.i18n.formatting import counted
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.cycle.import_preview import (
    ENCODINGS,
    SEPARATORS,
    Found,
    What,
    columns_chosen,
    first_seen,
    look,
    take,
    told_in_log,
)
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import TheForm, file_of, made_from, text, texts
from swapflow.web.http.program_page import about
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/setup/{cycle_id}")

SHOWN_ROWS = 20
SHOWN_BAD = 200

MayApplicants = Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))]
MayReviewers = Annotated[Principal, Depends(may(Right.MANAGE_REVIEWERS))]


@router.get("/applicants")
def show_applicants(
    request: Request,
    cycle_id: str,
    principal: MayApplicants,
    imported: int = -1,
    changed: int = 0,
    known: int = 0,
    held: int = 0,
) -> Response:
    """Show how many applicants there are, and a form to bring more."""
    done = _done("applicant", imported, changed, known, held)
    return _start(request, cycle_id, principal, "applicants", said=done)


@router.post("/applicants")
def upload_applicants(
    request: Request, cycle_id: str, principal: MayApplicants, form: TheForm
) -> Response:
    """Keep a file of applicants and lead to its preview."""
    return _keep(request, cycle_id, principal, "applicants", form)


@router.get("/applicants/{key}")
def preview_applicants(
    request: Request, cycle_id: str, key: str, principal: MayApplicants
) -> Response:
    """Show what a kept file of applicants would bring."""
    return _preview(request, cycle_id, key, principal, "applicants", {})


@router.post("/applicants/{key}")
def apply_applicants(
    request: Request, cycle_id: str, key: str, principal: MayApplicants, form: TheForm
) -> Response:
    """Read a kept file in another way, or import it."""
    return _apply(request, cycle_id, key, principal, "applicants", form)


@router.get("/reviewers")
def show_reviewers(
    request: Request,
    cycle_id: str,
    principal: MayReviewers,
    imported: int = -1,
    known: int = 0,
    held: int = 0,
) -> Response:
    """Show how many reviewers there are, and a form to bring more."""
    done = _done("reviewer", imported, 0, known, held)
    return _start(request, cycle_id, principal, "reviewers", said=done)


@router.post("/reviewers")
def upload_reviewers(
    request: Request, cycle_id: str, principal: MayReviewers, form: TheForm
) -> Response:
    """Keep a file of reviewers and lead to its preview."""
    return _keep(request, cycle_id, principal, "reviewers", form)


@router.get("/reviewers/{key}")
def preview_reviewers(
    request: Request, cycle_id: str, key: str, principal: MayReviewers
) -> Response:
    """Show what a kept file of reviewers would bring."""
    return _preview(request, cycle_id, key, principal, "reviewers", {})


@router.post("/reviewers/{key}")
def apply_reviewers(
    request: Request, cycle_id: str, key: str, principal: MayReviewers, form: TheForm
) -> Response:
    """Read a kept file in another way, or import it."""
    return _apply(request, cycle_id, key, principal, "reviewers", form)


def _right(what: What) -> Right:
    return Right.MANAGE_APPLICANTS if what == "applicants" else Right.MANAGE_REVIEWERS


def _uploads(app: AppContext) -> Uploads:
    return Uploads(app.settings.data_dir / "uploads")


def _start(
    request: Request,
    cycle_id: str,
    principal: Principal,
    what: What,
    *,
    said: str = "",
    problem: str = "",
) -> Response:
    app = app_context(request)
    product = app.product
    there = (
        product.applicants.list(cycle_id)
        if what == "applicants"
        else product.reviewers.list(cycle_id)
    )
    return render(
        request,
        "cycle/import_start.html",
        {
            **about(app, cycle_id, principal, _right(what)),
            "what": what,
            "count": len(there),
            "most": app.settings.upload_mb,
            "kinds": [kind.name for kind in product.cycles.rules(cycle_id).kinds],
            "said": said,
            "problem": problem,
            "values": product.applicants.values(cycle_id) if what == "applicants" else None,
        },
        status=422 if problem else 200,
    )


def _done(noun: str, imported: int, changed: int, known: int, held: int) -> str:
    """Return what an import did; "" if there was none."""
    if imported < 0:
        return ""
    said = [
        counted(imported, "%(count)s applicant imported", "%(count)s applicants imported")
        if noun == "applicant"
        else counted(imported, "%(count)s reviewer imported", "%(count)s reviewers imported")
    ]
    if changed:
        said.append(gettext("%(count)s changed") % {"count": changed})
    if known:
        said.append(gettext("%(count)s were there already.") % {"count": known})
    if held:
        said.append(
            counted(
                held,
                "%(count)s person who was erased is left out.",
                "%(count)s people who were erased are left out.",
            )
        )
    return ", ".join(said)


def _keep(
    request: Request, cycle_id: str, principal: Principal, what: What, form: TheForm
) -> Response:
    app = app_context(request)
    try:
        name, data = file_of(form, "file")
        read_table(data, name=name)  # what is no table at all is not worth keeping
    except BadRowsError as error:
        return _start(request, cycle_id, principal, what, problem=error.message)
    except InvalidInputError as error:
        # Another encoding may help, and the next page offers one; nothing else does.
        if error.code not in {"bytes_not_in_encoding", "not_text_in_encoding"}:
            return _start(request, cycle_id, principal, what, problem=error.message)
    key = _uploads(app).keep(
        data, owner=principal.account.id, purpose=f"{cycle_id}:{what}", name=name
    )
    return RedirectResponse(f"/setup/{cycle_id}/{what}/{key}", 303)


def _preview(
    request: Request,
    cycle_id: str,
    key: str,
    principal: Principal,
    what: What,
    typed: Mapping[str, str],
    *,
    problem: str = "",
    status: int = 422,
) -> Response:
    app = app_context(request)
    upload = _uploads(app).find(key, owner=principal.account.id, purpose=f"{cycle_id}:{what}")
    found: Found | None = None
    try:
        found = look(app.product, cycle_id, upload, what, typed)
    except InvalidInputError as error:
        problem = problem or error.message
    # What a person chose goes over what was guessed from the file.
    typed = {**(found.typed if found else {}), **typed}
    rules = app.product.cycles.rules(cycle_id)
    return render(
        request,
        "cycle/import_preview.html",
        {
            **about(app, cycle_id, principal, _right(what)),
            "what": what,
            "upload": upload,
            "found": found,
            "typed": dict(typed),
            "roles": _roles(what, rules, found),
            "words": words,
            "named": named,
            "separators": SEPARATORS,
            "encodings": ENCODINGS,
            "shown_rows": SHOWN_ROWS,
            "shown_bad": SHOWN_BAD,
            "problem": problem,
            "values": found.looked.values if found and found.looked else None,
            "chosen": columns_chosen(found, typed) if found else None,
            "first_seen": first_seen(app.product, cycle_id, found, typed) if found else {},
        },
        status=status if problem else 200,
    )


def _apply(
    request: Request, cycle_id: str, key: str, principal: Principal, what: What, form: TheForm
) -> Response:
    app = app_context(request)
    typed = dict(texts(form))
    uploads = _uploads(app)
    if text(form, "do") == "drop":
        # Found first, so that only its owner can throw it away.
        uploads.find(key, owner=principal.account.id, purpose=f"{cycle_id}:{what}")
        uploads.drop(key)
        return RedirectResponse(f"/setup/{cycle_id}/{what}", 303)
    if text(form, "do") not in {"apply", "errors"}:
        return _preview(request, cycle_id, key, principal, what, typed)
    upload = uploads.find(key, owner=principal.account.id, purpose=f"{cycle_id}:{what}")
    try:
        found = look(app.product, cycle_id, upload, what, typed)
        if text(form, "do") == "errors":
            return _to_cure(cycle_id, found)
        done = take(app.product, cycle_id, found, by=principal.name, made_from=made_from(form))
    except StaleRevisionError as error:
        # Sent again, the form overwrites what the message names.
        typed.pop("revision", None)
        return _preview(
            request, cycle_id, key, principal, what, typed, problem=error.message, status=409
        )
    except InvalidInputError as error:
        return _preview(request, cycle_id, key, principal, what, typed, problem=error.message)
    uploads.drop(key)
    app.office.audit_log.record(
        principal.name,
        f"imported {what}",
        cycle_id=cycle_id,
        about=upload.name,
        detail=told_in_log(done, found),
    )
    query = f"imported={done.new}&known={done.known}"
    query += f"&changed={done.changed}" if done.changed else ""
    query += f"&held={done.held}" if done.held else ""
    return RedirectResponse(f"/setup/{cycle_id}/{what}?{query}", 303)


def _to_cure(cycle_id: str, found: Found) -> Response:
    """Return the rows to be cured as a file."""
    name = f'attachment; filename="{cycle_id}-to-cure.csv"'
    return Response(
        refused_file(found.table, found.bad),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": name},
    )


# What the form offers


def _roles(what: What, rules: Rules, found: Found | None) -> list[tuple[str, list[str]]]:
    """Return per column the roles to choose from, the one it has among them."""
    if found is None:
        return []
    attribute = rules.objective.attribute
    choices = []
    for header, role in found.columns:
        if what == "reviewers":
            own = [*REVIEWER_ROLES, *(f"capacity:{kind.name}" for kind in rules.kinds)]
        else:
            own = [
                "external_id", "name", "first_name", "last_name", "email", "ready", "status",
                "withdrawn", "topic", "redacted", f"field:{header}", f"document:{header}",
                f"monitor:{header}", f"select:{header}",
            ]  # fmt: skip
            if attribute and attribute != header:
                own.append(f"select:{attribute}")
        choices.append((header, [*own, *([role] if role and role not in own else [])]))
    return choices


def words(role: str) -> str:
    """Return what a column is taken for, in words of the screen."""
    kind, _, name = role.partition(":")
    if kind == "capacity" and name:
        return gettext("most reviews (%(kind)s)") % {"kind": name}
    if kind == "select":
        return gettext("may enter the objective, as %(attribute)s") % {"attribute": name}
    return gettext(_WORDS.get(kind, kind))


def named(what: str) -> str:
    """Name a value of an applicant, in words of the screen."""
    kind, _, name = what.partition(":")
    if name:
        return gettext(_KINDS[kind]) % {"name": name}
    return gettext(_SAID.get(what) or _WORDS.get(what, what))


_KINDS: Mapping[str, str] = {
    "select": gettext_noop("attribute %(name)s"),
    "field": gettext_noop("field %(name)s"),
    "document": gettext_noop("document %(name)s"),
    "capacity": gettext_noop("most reviews: %(name)s"),
}
_SAID: Mapping[str, str] = {"ready": gettext_noop("complete")}

_WORDS: Mapping[str, str] = {
    "external_id": gettext_noop("id"),
    "name": gettext_noop("name"),
    "first_name": gettext_noop("first name"),
    "last_name": gettext_noop("last name"),
    "email": gettext_noop("mail address"),
    "ready": gettext_noop("ready"),
    "status": gettext_noop("status"),
    "withdrawn": gettext_noop("whether the applicant withdrew"),
    "topic": gettext_noop("topic"),
    "field": gettext_noop("shown to reviewers, unless they must not see it"),
    "document": gettext_noop("document (address or file name)"),
    "monitor": gettext_noop("for monitoring reports only"),
    "redacted": gettext_noop("whether documents are redacted"),
    "packet": gettext_noop("packet"),
    "topics": gettext_noop("topics"),
    "conflicts": gettext_noop("conflicts"),
    "away": gettext_noop("away"),
    "reserve": gettext_noop("reserve"),
    "group": gettext_noop("group"),
    "kinds": gettext_noop("reviews and interviews"),
    "capacity": gettext_noop("capacity"),
    "automatic": gettext_noop("automatic"),
}
