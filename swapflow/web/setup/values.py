"""Spellings of attributes' values: taken for one value with one press, or kept apart."""

import re
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.errors import InvalidInputError
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import TheForm, text


router = APIRouter(prefix="/setup/{cycle_id}")

MayApplicants = Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))]

MOST_SPELLINGS = 200
_BACK = re.compile(r"launch|applicants(?:/[A-Za-z0-9_-]{1,80})?")
"""Pages that have the form, below the program's set-up."""


@router.post("/values")
def choose_values(
    request: Request, cycle_id: str, principal: MayApplicants, form: TheForm
) -> Response:
    """Take the spellings that the form names for one value, or keep them apart."""
    app = app_context(request)
    attribute, into, apart = text(form, "attribute"), text(form, "into"), text(form, "do")
    spellings = [str(one) for one in form.getlist("spelling")][:MOST_SPELLINGS]
    back = text(form, "back")
    if not _BACK.fullmatch(back) or apart not in {"join", "apart"}:
        raise InvalidInputError("values_blank")
    if apart == "apart":
        changed = app.product.applicants.keep_values_apart(
            cycle_id, attribute, spellings, by=principal.name
        )
    else:
        changed = app.product.applicants.join_values(
            cycle_id, attribute, spellings, into, by=principal.name
        )
    done = Message(
        "act_values_kept_apart" if apart == "apart" else "act_values_joined", count=changed
    )
    tell(request, done)
    app.office.audit_log.record(principal.name, str(done), cycle_id=cycle_id, about=attribute)
    return RedirectResponse(f"/setup/{cycle_id}/{back}", 303)
