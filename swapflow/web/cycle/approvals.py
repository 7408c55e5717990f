"""Requests that need a person: which of them Today names, and the exchange of one."""

import math
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import Cycle
from swapflow.domain.rules import Rules
from swapflow.engine.lifecycle.approvals import PendingApproval
from swapflow.engine.lifecycle.promises import Promises
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.reviewing.seat_view import SeatView
from swapflow.engine.scoring.conflicting_scores import ConflictingScore
from swapflow.engine.selection.assign import NoReviewer
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import Product, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.program_page import (
    NOTHING_REFUSED,
    FieldError,
    Reason,
    Refused,
    act,
    held,
    said_why,
    visible,
)
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/today")

MaySetUp = Annotated[Principal, Depends(may(Right.SET_UP))]
MayApprove = Annotated[Principal, Depends(may(Right.APPROVE))]
Text = Annotated[str, Form()]

_CURES = {
    NoReviewer.NO_REVIEWER: (
        "/setup/{cycle}/reviewers",
        gettext_noop("Import a reviewer who takes it"),
    ),
    NoReviewer.CONFLICTS: ("/setup/{cycle}/reviewers", gettext_noop("Add a reviewer")),
    NoReviewer.CAPACITY: (
        "/setup/{cycle}/reviewers",
        gettext_noop("Raise capacities or add a reviewer"),
    ),
    NoReviewer.AWAY: ("/reviewers/{cycle}", gettext_noop("Look at who is away")),
    NoReviewer.BUSY: ("/reviewers/{cycle}", gettext_noop("Look at who is busy")),
}
"""Where each obstacle is cured, and what the button says."""

KEEP = "keep"
"""Value of a choice that exchanges nothing."""


def owed(product: Product, cycle: Cycle, rules: Rules, dashboard: Dashboard) -> Promises | None:
    """Return what applicants are promised, where the budget is short of it."""
    left = rules.budget - cycle.spent - cycle.committed
    # Who lacks what is read from the whole round, so only where something is missing.
    if not dashboard.floors_missing or left >= dashboard.reserved:
        return None
    return product.cycles.promises(cycle.id)


@router.get("/{cycle_id}/swap")
def show_swap(
    request: Request,
    principal: MayApprove,
    product: Product,
    cycle_id: str,
    pull: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Show who may take the place of whom."""
    return _page(request, principal, product, cycle_id, pull)


@router.post("/{cycle_id}/reserve")
def take_from_reserve(
    request: Request,
    principal: MaySetUp,
    product: Product,
    cycle_id: str,
    shown: Annotated[int, Form(ge=0, le=2**31)] = 0,
) -> Response:
    """Pay promised reviews from what is kept for requests of staff."""
    taken = product.cycles.take_from_reserve(
        cycle_id, by=principal.name, reason="promised reviews", shown=shown
    )
    done = Message("act_reserve_taken", amount=taken)
    tell(request, done)
    app_context(request).office.audit_log.record(principal.name, str(done), cycle_id=cycle_id)
    return RedirectResponse(f"/today/{cycle_id}/waiting", 303)


@router.post("/{cycle_id}/swap")
def swap(
    request: Request,
    principal: MayApprove,
    product: Product,
    cycle_id: str,
    pull: Text = "",
    applicant: Text = KEEP,
    reviewer: Text = KEEP,
    reason: Reason = "",
) -> Response:
    """Approve a request with another applicant, or with a chosen reviewer."""

    def deed() -> None:
        another, chosen = _number(applicant, "applicant"), _number(reviewer, "reviewer")
        if another is None and chosen is None:
            raise FieldError("applicant", "swap_target_not_chosen")
        product.approvals.swap(
            cycle_id,
            pull,
            application=another,
            reviewer=chosen,
            by=principal.name,
            reason=said_why(reason),
        )

    return act(
        request,
        principal,
        f"/today/{cycle_id}/waiting",
        Message("act_request_exchanged"),
        deed,
        form="swap",
        typed={"applicant": applicant, "reviewer": reviewer, "reason": reason},
        again=lambda refused: _page(request, principal, product, cycle_id, pull, refused),
    )


def reasons(waiting: tuple[PendingApproval, ...], dashboard: Dashboard) -> list[dict[str, Any]]:
    """Return requests that wait for approval with what speaks for each, in sentences."""
    where = {number: i for i, number in enumerate(dashboard.application.tolist())}
    return [
        {"one": one, "why": why(one, dashboard, where.get(one.pull.application))}
        for one in waiting
    ]


_OTHER_ORIGINS = {
    "floor": gettext_noop("The rules promise this."),
    "floor all": gettext_noop("The rules promise this to every applicant."),
    "floor chosen": gettext_noop("The rules promise this to everyone on the proposed list."),
    "floor close": gettext_noop("The rules promise this to everyone too close to call."),
    "chance": gettext_noop("It was drawn near the cut, to compare reviews and interviews."),
    "drawn": gettext_noop("It was drawn from those clearly out, to be read once more."),
    "appeal": gettext_noop("A reconsideration asks for it."),
    "late": gettext_noop("A late answer was taken."),
}
"""Why a request was made that neither the rule chose nor staff asked for."""


def proposed(
    product: Product, cycle: Cycle, dashboard: Dashboard, seat: SeatView | None
) -> list[dict[str, Any]]:
    """Return requests that wait for approval, of applicants whom the person may see."""
    waiting = product.approvals.pending(cycle.id)
    if seat is not None:
        people = product.reports.named(cycle.id, {one.pull.application for one in waiting})
        names = {one.number: one for one in seat.listed(people)}
        waiting = tuple(
            replace(one, name=known.name, external_id=known.external_id)
            for one in waiting
            if (known := names.get(one.pull.application)) is not None
        )
    return reasons(waiting, dashboard)


def conflicting(
    product: Product, cycle: Cycle, seat: SeatView | None
) -> tuple[ConflictingScore, ...]:
    """Return scores in conflict, of applicants whom the person may see."""
    found = product.reviewers.conflicting_scores(cycle.id)
    if seat is None or not found:
        return found
    people = product.reports.named(cycle.id, {one.score.application for one in found})
    names = {one.number: one.external_id for one in seat.listed(people)}
    return tuple(
        replace(one, external_id=names[one.score.application])
        for one in found
        if one.score.application in names
    )


def blocked(
    product: Product,
    cycle: Cycle,
    dashboard: Dashboard,
    rules: Rules,
    *,
    named: bool,
    seat: SeatView | None,
) -> list[dict[str, Any]]:
    """List what cannot go out, by kind and reason; what waits for an answer is left out."""
    found: dict[tuple[int, NoReviewer], list[int]] = {}
    for one in dashboard.blocked:
        if one.obstacle is not NoReviewer.BUSY and one.kind < len(rules.kinds):
            found.setdefault((one.kind, one.obstacle), []).append(one.application)
    wanted = {number for numbers in found.values() for number in numbers}
    known = product.reports.named(cycle.id, wanted)
    people = {n.number: n for n in (known if seat is None else seat.listed(known))}
    return [
        {
            "kind": rules.kinds[kind].name,
            "why": obstacle.value,
            "count": len(numbers),
            "more": dashboard.blocked_count > len(dashboard.blocked),
            "who": [people[n] for n in dict.fromkeys(numbers) if n in people] if named else [],
            "path": _CURES[obstacle][0].format(cycle=cycle.id),
            "button": _CURES[obstacle][1],
        }
        for (kind, obstacle), numbers in found.items()
    ]


def why(one: PendingApproval, dashboard: Dashboard, row: int | None) -> list[str]:
    """Return in sentences what speaks for a request."""
    told = []
    if one.decision and one.why == "rule":
        told.append(
            gettext(
                "Decision %(decision)s expected this to do most to settle the list, as number "
                "%(turn)s of %(of)s."
            )
            % {"decision": one.decision, "turn": one.turn, "of": one.of}
            if one.turn and one.of > 1
            else gettext("Decision %(decision)s expected this to do most to settle the list.")
            % {"decision": one.decision}
        )
    elif one.origin in _OTHER_ORIGINS:
        told.append(gettext(_OTHER_ORIGINS[one.origin]))
    else:
        told.append(gettext("Staff asked for it."))
    if one.contested_then:
        told.append(gettext("The applicant was too close to call then."))
    if row is not None and not math.isnan(dashboard.estimate[row]):
        stands = (
            gettext("too close to call")
            if dashboard.too_close[row]
            else gettext("in the list")
            if dashboard.in_list[row]
            else gettext("not in the list")
        )
        told.append(
            gettext(
                "Now at rank %(rank)s for %(places)s places, %(stands)s: estimate "
                "%(score)s, margin %(margin)s."
            )
            % {
                "rank": row + 1,
                "places": dashboard.places,
                "stands": stands,
                "score": f"{100 * dashboard.estimate[row]:.0f}",
                "margin": f"{100 * min(dashboard.margin[row], 1.0):.0f}",
            }
        )
    return told


def _page(
    request: Request,
    principal: Principal,
    product: Product,
    cycle_id: str,
    pull: str,
    refused: Refused = NOTHING_REFUSED,
) -> Response:
    cycle = product.cycles.get(cycle_id)
    found = product.approvals.choices(cycle_id, pull)
    dashboard, _ = product.reports.dashboard(cycle_id)
    return render(
        request,
        "cycle/swap.html",
        {
            "cycle": cycle,
            "cycles": visible(app_context(request), principal, Right.SEE_PROGRESS),
            "rights": held(app_context(request), principal, cycle),
            "one": found.awaited,
            "why": reasons((found.awaited,), dashboard)[0]["why"],
            "applicants": [
                (KEEP, gettext("Keep the proposed applicant")),
                *((str(a.number), _shown(a.name, a.external_id)) for a in found.applicants),
            ],
            "reviewers": [
                (KEEP, gettext("Leave the choice to the rule")),
                *((str(r.number), _shown(r.name, r.external_id)) for r in found.reviewers),
            ],
            "refused": refused,
        },
        status=refused.status,
    )


def _shown(name: str, external_id: str) -> str:
    return f"{name} ({external_id})" if name else external_id


def _number(text: str, named: str) -> int | None:
    if text in {KEEP, ""}:
        return None
    if not (text.isascii() and text.isdecimal()) or len(text) > 9:  # noqa: PLR2004 - numbers of a program are smaller
        raise FieldError(named, "not_in_choices")
    return int(text)
