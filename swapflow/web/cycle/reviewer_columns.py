"""What reviewers see of applicants in a blind program: its columns, and one applicant as seen."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.engine.reviewing.documents import neutral_name
from swapflow.errors import StaleRevisionError
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import Product, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import TheForm, made_from, texts
from swapflow.web.http.program_page import about
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/applicants/{cycle_id}/columns")

MayManage = Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))]


@router.get("")
def show_columns(
    request: Request,
    cycle_id: str,
    product: Product,
    principal: MayManage,
    applicant: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    stored: int = -1,
) -> Response:
    """Show which columns reviewers see, and an applicant as they see it."""
    return _page(request, cycle_id, product, principal, applicant=applicant, stored=stored)


def _page(
    request: Request,
    cycle_id: str,
    product: Product,
    principal: Principal,
    *,
    applicant: int = 0,
    stored: int = -1,
    typed: Mapping[str, str] | None = None,
    problem: Message | None = None,
) -> Response:
    """Show the page; with a problem, what was typed of each column, and that it is not stored."""
    people = product.applicants.list(cycle_id)
    number = min(applicant, max(0, len(people) - 1))
    view = product.applicants.reviewer_view(cycle_id)
    one = people[number] if people else None
    files = product.applicants.files(cycle_id, number) if one else ()
    shown = [document for document in files if document.redacted or not view.blind]
    return render(
        request,
        "cycle/reviewer_columns.html",
        {
            **about(app_context(request), cycle_id, principal, Right.MANAGE_APPLICANTS),
            "found": product.applicants.columns(cycle_id),
            "numbered": view.shown.numbered,
            "stored": stored,
            "typed": typed or {},
            "problem": problem,
            "applicant": one,
            "number": number,
            "last": len(people) - 1,
            "name": view.name_of(one) if one else "",
            "fields": view.fields_of(one) if one else {},
            "documents": [
                neutral_name(place, document.media) if view.blind else document.name
                for place, document in enumerate(shown, start=1)
            ],
        },
        status=409 if problem else 200,
    )


@router.post("")
def choose_columns(
    request: Request, cycle_id: str, product: Product, principal: MayManage, form: TheForm
) -> Response:
    """Store which columns reviewers see."""
    sent = dict(texts(form))
    # By name, not by place: a list that comes meanwhile may bring columns.
    names = {one.name for one in product.applicants.columns(cycle_id).columns}
    typed = {
        name: word
        for key, word in sent.items()
        if key.startswith("see.")
        if (name := sent.get(f"name.{key.removeprefix('see.')}", "")) in names
    }
    choices = {name: word == "yes" for name, word in typed.items() if word in {"yes", "no"}}
    if choices:
        try:
            product.applicants.choose_columns(
                cycle_id, choices, by=principal.name, made_from=made_from(form)
            )
        except StaleRevisionError as error:
            return _page(request, cycle_id, product, principal, typed=typed, problem=error.message)
        app_context(request).office.audit_log.record(
            principal.name,
            "chose the columns that reviewers see",
            cycle_id=cycle_id,
            detail=f"{sum(choices.values())} shown, {len(choices) - sum(choices.values())} hidden",
        )
    return RedirectResponse(f"/applicants/{cycle_id}/columns?stored={len(choices)}", 303)
