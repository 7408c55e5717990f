"""Copies of everything held about one person, as a ZIP; who takes one is written down first.

So taking one is a POST, and no page shows what is in it.
"""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response

from swapflow.errors import NotFoundError
from swapflow.files.exports.personal_data import personal_data_archive, personal_data_json
from swapflow.identity.permissions import Right
from swapflow.identity.personal_data import PersonalDataReport
from swapflow.identity.principal import Principal
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may, may_in_office
from swapflow.web.people.reviewers import reviewer_numbered


router = APIRouter()


class CopyForm(StrEnum):
    """The form of a copy: the data alone, or with page and uploaded files."""

    JSON = "json"
    ZIP = "zip"


MaySetUp = Annotated[Principal, Depends(may(Right.SET_UP))]
MayManageUsers = Annotated[Principal, Depends(may_in_office(Right.MANAGE_USERS))]


@router.post("/applicants/{cycle_id}/{number}/personal-data")
def take_applicants_copy(
    request: Request,
    cycle_id: str,
    number: int,
    principal: MaySetUp,
    confidential: Annotated[bool, Form()] = False,  # noqa: FBT002 - a form's field
) -> Response:
    """Return an applicant's own copy, or with what is confidential for the office alone."""
    app = app_context(request)
    return applicants_copy(
        app, cycle_id, number, CopyForm.ZIP, by=principal.name, with_confidential=confidential
    )


@router.post("/reviewers/{cycle_id}/{number}/personal-data")
def take_reviewers_copy(
    request: Request, cycle_id: str, number: int, principal: MayManageUsers
) -> Response:
    """Return everything held about a reviewer, with what the whole office holds of the account."""
    return reviewers_copy(app_context(request), cycle_id, number, CopyForm.ZIP, by=principal.name)


def applicants_copy(
    app: AppContext,
    cycle_id: str,
    number: int,
    form: CopyForm,
    *,
    by: str,
    with_confidential: bool,
) -> Response:
    """Build an applicant's copy, without what was declared for monitoring alone.

    People who may take one at a screen decide in the program as well, and may see no groups.

    Raises:
        NotFoundError: If there is no such applicant, or they were erased.
    """
    applicant = app.product.applicants.get(cycle_id, number)
    if not applicant.external_id:
        raise NotFoundError("applicant_unknown")
    copy = app.office.personal_data.applicant(
        cycle_id, applicant.external_id, by=by, with_confidential=with_confidential
    )
    # By its name the office's copy cannot be taken for the applicant's own.
    whose = "everything" if with_confidential else "own-copy"
    return _attached(copy, form, f"{cycle_id}-{number}-{whose}")


def reviewers_copy(
    app: AppContext, cycle_id: str, number: int, form: CopyForm, *, by: str
) -> Response:
    """Build a reviewer's copy.

    Raises:
        NotFoundError: If there is no such reviewer.
    """
    reviewer = reviewer_numbered(app.product, cycle_id, number)
    copy = app.office.personal_data.reviewer(cycle_id, reviewer.external_id, by=by)
    return _attached(copy, form, f"{cycle_id}-reviewer-{number}-copy")


def _attached(copy: PersonalDataReport, form: CopyForm, name: str) -> Response:
    zipped = form is CopyForm.ZIP
    return Response(
        personal_data_archive(copy) if zipped else personal_data_json(copy),
        media_type="application/zip" if zipped else "application/json",
        headers={
            "Content-Disposition": f'attachment; filename="{name}.{form.value}"',
            "Cache-Control": "private, no-store",
        },
    )
