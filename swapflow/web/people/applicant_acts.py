"""What staff do about one applicant: correct, ask, record conflicts, pin, open, erase."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response

from swapflow.domain.people.mail_address import can_be_mailed
from swapflow.domain.seal import NOTHING
from swapflow.errors import InvalidInputError
from swapflow.identity.committee_members import refuse_other_role
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import Product, TheOffice
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import MadeFrom, TheForm, made_from, text
from swapflow.web.http.program_page import FieldError, Reason, act, plain_line, said_why
from swapflow.web.people.panel import card_again, name_of, roster_options


router = APIRouter(prefix="/applicants")

MayManage = Annotated[Principal, Depends(may(Right.MANAGE_APPLICANTS))]
MayRead = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MaySetUp = Annotated[Principal, Depends(may(Right.SET_UP))]
MayDecide = Annotated[Principal, Depends(may(Right.DECIDE))]
MayEnter = Annotated[Principal, Depends(may(Right.ENTER_REVIEWS))]
MayManageReviewers = Annotated[Principal, Depends(may(Right.MANAGE_REVIEWERS))]


@router.post("/{cycle_id}/{number}/contact")
def correct_contact(
    request: Request,
    principal: MayManage,
    product: Product,
    cycle_id: str,
    number: int,
    form: TheForm,
) -> Response:
    """Correct an applicant's name or mail address, at any time."""
    typed = {field: text(form, field) for field in ("name", "email", "reason")}
    typed["revision"] = made_from(form)

    def deed() -> None:
        external_id = name_of(product, cycle_id, number)
        values = {
            "name": plain_line(typed["name"], named="name", most=200),
            "email": plain_line(typed["email"], named="email", most=200),
        }
        if values["email"] and not can_be_mailed(values["email"]):
            raise FieldError("email", "address_not_mailable", address=values["email"])
        product.applicants.correct(
            cycle_id,
            external_id,
            values,
            by=principal.name,
            reason=said_why(typed["reason"]),
            made_from=typed["revision"],
        )

    return act(
        request,
        principal,
        f"/applicants/{cycle_id}/{number}",
        Message("act_contact_corrected"),
        deed,
        form="contact",
        typed=typed,
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/conflict")
def record_conflict(
    request: Request,
    principal: MayManageReviewers,
    product: Product,
    cycle_id: str,
    number: int,
    reviewer: Annotated[str, Form()] = "",
) -> Response:
    """Record that a reviewer may not judge an applicant, and take back what is out."""

    def deed() -> None:
        known = roster_options(product.reviewers.list(cycle_id))
        if reviewer not in {name for name, _ in known}:
            raise FieldError("reviewer", "reviewer_not_chosen")
        pair = (name_of(product, cycle_id, number), reviewer)
        product.reviewers.add_conflicts(cycle_id, [pair], source=f"staff: {principal.name}")

    return act(
        request,
        principal,
        f"/applicants/{cycle_id}/{number}",
        Message("act_conflict_recorded"),
        deed,
        form="conflict",
        typed={"reviewer": reviewer},
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/conflict/remove")
def remove_conflict(
    request: Request,
    principal: MayManageReviewers,
    product: Product,
    office: TheOffice,
    cycle_id: str,
    number: int,
    reviewer: Annotated[str, Form()] = "",
    reason: Reason = "",
) -> Response:
    """Take a conflict back that was none, with a reason."""

    def deed() -> None:
        why, name = said_why(reason), name_of(product, cycle_id, number)
        for one in product.reviewers.list(cycle_id):
            if one.external_id == reviewer:
                cycle = product.cycles.get(cycle_id)
                refuse_other_role(one, users=office.users.list, cycle=cycle)
        product.reviewers.remove_conflict(cycle_id, name, reviewer, by=principal.name, reason=why)

    return act(
        request,
        principal,
        f"/applicants/{cycle_id}/{number}",
        Message("act_conflict_removed"),
        deed,
        form=f"remove {reviewer}",
        typed={"reason": reason},
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/open")
def open_all_the_same(
    request: Request,
    principal: MayRead,
    product: Product,
    cycle_id: str,
    number: int,
    reason: Reason = "",
) -> Response:
    """Open an applicant to a reviewer of the program, of whom they are never asked then."""

    def deed() -> None:
        why, seat = said_why(reason), principal.reviews_in(cycle_id)
        if seat is None:
            raise InvalidInputError("not_a_reviewer_here")
        product.reviewers.open_applicant(cycle_id, number, seat, by=principal.name, reason=why)

    return act(
        request,
        principal,
        f"/applicants/{cycle_id}/{number}",
        Message("act_applicant_opened"),
        deed,
        form="open",
        typed={"reason": reason},
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/conflict/waive")
def waive_conflict(
    request: Request,
    principal: MayEnter,
    product: Product,
    cycle_id: str,
    number: int,
    reviewer: Annotated[str, Form()] = "",
    reason: Reason = "",
) -> Response:
    """Accept a score in spite of a conflict, with a reason."""

    def deed() -> None:
        why, name = said_why(reason), name_of(product, cycle_id, number)
        product.reviewers.waive_conflict(cycle_id, name, reviewer, by=principal.name, reason=why)

    return act(
        request,
        principal,
        f"/applicants/{cycle_id}/{number}",
        Message("act_conflict_waived"),
        deed,
        form="waive",
        typed={"reason": reason},
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/pin")
def pin(
    request: Request,
    principal: MayDecide,
    product: Product,
    cycle_id: str,
    number: int,
    verdict: Annotated[str, Form()] = "",
    reason: Reason = "",
    revision: MadeFrom = NOTHING,
) -> Response:
    """Pin an applicant in or out at the decision, or take that back."""

    def deed() -> None:
        name_of(product, cycle_id, number)
        why = said_why(reason)
        product.cohort.propose_pin(
            cycle_id, number, verdict, by=principal.name, reason=why, made_from=revision
        )

    back = f"/applicants/{cycle_id}/{number}"
    done = {"in": "act_pinned_in", "out": "act_pinned_out"}
    return act(
        request,
        principal,
        back,
        Message(done.get(verdict, "act_pin_taken_back")),
        deed,
        form="pin",
        typed={"reason": reason, "revision": revision},
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/ask")
def ask(
    request: Request,
    principal: MayManage,
    product: Product,
    cycle_id: str,
    number: int,
    kind: Annotated[str, Form()] = "",
    reason: Reason = "",
) -> Response:
    """Ask for an extra review."""

    def deed() -> None:
        if kind not in {known.name for known in product.cycles.rules(cycle_id).kinds}:
            raise FieldError("kind", "kind_not_chosen")
        why = said_why(reason)
        name = name_of(product, cycle_id, number)
        product.applicants.ask(cycle_id, name, kind, by=principal.name, reason=why)

    back = f"/applicants/{cycle_id}/{number}"
    return act(
        request,
        principal,
        back,
        Message("act_review_asked", kind=kind),
        deed,
        form="ask",
        typed={"kind": kind, "reason": reason},
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/ask/undo")
def take_back_ask(
    request: Request,
    principal: MayManage,
    product: Product,
    cycle_id: str,
    number: int,
    task: Annotated[str, Form()] = "",
    wish: Annotated[int, Form()] = 0,
) -> Response:
    """Take back a review that staff asked for, before its reviewer has begun."""

    def deed() -> None:
        if wish:
            product.applicants.take_back_wish(cycle_id, wish, by=principal.name)
            return
        asked = {one.id: one.pull_id for one in product.reports.asked_for(cycle_id, number)}
        if task not in asked:
            raise InvalidInputError("nothing_to_take_back")
        product.applicants.take_back_request(cycle_id, asked[task], by=principal.name)

    return act(
        request,
        principal,
        f"/applicants/{cycle_id}/{number}",
        Message("act_request_undone"),
        deed,
        form="undo ask",
        again=card_again(request, principal, product, cycle_id, number),
    )


@router.post("/{cycle_id}/{number}/erase")
def erase(
    request: Request,
    principal: MaySetUp,
    product: Product,
    cycle_id: str,
    number: int,
    confirm: Annotated[str, Form()] = "",
) -> Response:
    """Erase everything personal about an applicant, once their id is typed."""

    def deed() -> None:
        name = name_of(product, cycle_id, number)
        if confirm.strip() != name:
            raise FieldError("confirm", "erasing_applicant_name_differs", name=name)
        product.applicants.erase(cycle_id, name, by=principal.name)

    return act(
        request,
        principal,
        f"/applicants/{cycle_id}",
        Message("act_applicant_erased", number=number),
        deed,
        form="erase",
        typed={"confirm": confirm},
        again=card_again(request, principal, product, cycle_id, number),
    )
