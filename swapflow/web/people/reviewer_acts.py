"""What staff do about one reviewer: remind, send away, pass on, bar, end the role."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response

from swapflow.domain.people.mail_address import can_be_mailed
from swapflow.domain.people.reviewer import Absence, NewReviewer
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.seal import NOTHING
from swapflow.engine.revisions import check_revision
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import MadeFrom
from swapflow.web.http.program_page import FieldError, Reason, act, said_why
from swapflow.web.people.reviewers import address_revision, card_again, reviewer_numbered


router = APIRouter(prefix="/reviewers")

MayManage = Annotated[Principal, Depends(may(Right.MANAGE_REVIEWERS))]
MaySetUp = Annotated[Principal, Depends(may(Right.SET_UP))]
Text = Annotated[str, Form()]

_WORDS = {
    "nudge": "act_reviewer_reminded",
    "leave": "act_reviewer_left",
    "release": "act_requests_taken_back",
    "reassign": "act_request_passed_on",
    "away": "act_reviewer_paused",
    "back": "act_pause_ended",
    "conflict": "act_conflict_recorded",
    "return": "act_reviewer_returned",
    "address": "act_address_corrected",
}


@router.post("/{cycle_id}/{number}/erase")
def erase(
    request: Request,
    principal: MaySetUp,
    product: Product,
    cycle_id: str,
    number: int,
    confirm: Text = "",
) -> Response:
    """Erase everything personal about a reviewer, once their id is typed."""

    def deed() -> None:
        name = reviewer_numbered(product, cycle_id, number).external_id
        if confirm.strip() != name:
            raise FieldError("confirm", "erasing_reviewer_name_differs", name=name)
        product.reviewers.erase(cycle_id, name, by=principal.name)

    return act(
        request,
        principal,
        f"/reviewers/{cycle_id}/{number}",
        # By number: the audit log outlives the id that was erased.
        Message("act_reviewer_erased", number=number),
        deed,
        form="erase",
        typed={"confirm": confirm},
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/{what}")
def change(  # noqa: PLR0913, PLR0917 - FastAPI reads the form from the signature
    request: Request,
    principal: MayManage,
    product: Product,
    cycle_id: str,
    number: int,
    what: str,
    reason: Reason = "",
    task: Text = "",
    first: Text = "",
    last: Text = "",
    applicant: Text = "",
    give: Text = "",
    email: Text = "",
    revision: MadeFrom = NOTHING,
) -> Response:
    """Ask again, pause, take back or pass on requests, record a conflict, or end the role."""
    forms = {
        "release": "change",
        "leave": "change",
        "return": "change",
        "reassign": f"reassign {task}",
    }

    def deed() -> int:
        name = reviewer_numbered(product, cycle_id, number).external_id
        if what == "away":
            return product.reviewers.send_away(
                cycle_id, number, _days(first, last), give=bool(give), by=principal.name
            )
        if what == "address":
            _correct_address(product, principal, cycle_id, number, email.strip(), revision)
        elif what == "back":
            product.tasks.remove_absence(cycle_id, number, _days(first, last))
        elif what in {"release", "reassign"}:
            _pass_on(product, principal, cycle_id, number, task, what, said_why(reason))
        else:
            _change_role(product, principal, cycle_id, name, what, reason, applicant.strip())
        return 0

    def done(given: int) -> Message:
        if what == "away" and give:
            return Message("act_reviewer_away_given", count=given)
        return Message(_WORDS.get(what, what))

    return act(
        request,
        principal,
        f"/reviewers/{cycle_id}/{number}",
        done,
        deed,
        form=forms.get(what, what),
        typed={
            "reason": reason,
            "first": first,
            "last": last,
            "applicant": applicant,
            "give": give,
            "email": email,
            "revision": revision,
        },
        again=card_again(request, principal, product, cycle_id, number),
    )


def _correct_address(
    product: Product,
    principal: Principal,
    cycle_id: str,
    number: int,
    email: str,
    made_from: str,
) -> None:
    """Change the mail address of a reviewer, as a list that names nothing else would."""
    if not can_be_mailed(email):
        raise FieldError("email", "address_not_mailable", address=email)
    reviewer = reviewer_numbered(product, cycle_id, number)
    check_revision(made_from, address_revision(reviewer), {"email": reviewer.email})
    listed = NewReviewer(
        external_id=reviewer.external_id,
        capacity={},
        email=email,
        said=frozenset({"external_id", "email"}),
    )
    product.reviewers.import_list(cycle_id, [listed], by=principal.name)


def _change_role(
    product: Product,
    principal: Principal,
    cycle_id: str,
    name: str,
    what: str,
    reason: str,
    applicant: str,
) -> None:
    match what:
        case "nudge":
            product.reviewers.nudge(cycle_id, name, by=principal.name)
        case "conflict":
            if not applicant:
                raise FieldError("applicant", "applicant_not_named")
            product.reviewers.add_conflicts(
                cycle_id, [(applicant, name)], source=f"staff: {principal.name}"
            )
        case "return":
            why = said_why(reason)
            product.reviewers.come_back(cycle_id, name, by=principal.name, reason=why)
        case "leave":
            why = said_why(reason)
            product.reviewers.leave(cycle_id, name, by=principal.name, reason=why)
        case _:
            raise NotFoundError("reviewer_action_unknown")


def _pass_on(
    product: Product,
    principal: Principal,
    cycle_id: str,
    number: int,
    task: str,
    what: str,
    why: str,
) -> None:
    waiting = product.reports.waiting_for(cycle_id, number)
    if what == "release":
        # What is opened is being read, so it stays.
        chosen = [t.id for t in waiting if t.status is not AssignmentStatus.OPENED]
    else:
        chosen = [t.id for t in waiting if t.id == task]
    if not chosen:
        raise InvalidInputError("nothing_to_take_back")
    for one in chosen:
        product.tasks.take_back(one, by=principal.name, reason=why)


def _days(first: str, last: str) -> Absence:
    days = []
    for name, text in (("first", first), ("last", last or first)):
        try:
            days.append(date.fromisoformat(text))
        except ValueError as error:
            raise FieldError(name, "absence_day_unreadable") from error
    if days[1] < days[0]:
        raise FieldError("last", "absence_days_reversed")
    return Absence(first=days[0], last=days[1])
