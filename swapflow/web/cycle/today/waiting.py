"""What waits in one program, with names and reasons: approvals, promises, conflicts, the late."""

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response

from swapflow.engine.lifecycle.held_acts import held_pulls
from swapflow.engine.pending.gather import budget_end
from swapflow.engine.pending.things import PendingCode
from swapflow.engine.read_models.proposal import stop_sentence_now
from swapflow.engine.selection.reviewer_overlap import Groups
from swapflow.errors import InvalidInputError
from swapflow.i18n.formatting import cost_words
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.cycle import charts
from swapflow.web.cycle.approvals import blocked, conflicting, owed, proposed
from swapflow.web.cycle.today.program_parts import frame
from swapflow.web.http.context import AppContext, Product, app_context
from swapflow.web.http.dependencies import may, seat_view_of
from swapflow.web.http.program_page import (
    NOTHING_REFUSED,
    Again,
    Reason,
    Refused,
    act,
    said_why,
)
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/today")

MayWatch = Annotated[Principal, Depends(may(Right.SEE_PROGRESS))]
MayApprove = Annotated[Principal, Depends(may(Right.APPROVE))]
MayManageReviewers = Annotated[Principal, Depends(may(Right.MANAGE_REVIEWERS))]

_WITH_CARDS = frozenset({
    PendingCode.APPROVE, PendingCode.BLOCKED, PendingCode.CHOOSE_COLUMNS,
    PendingCode.CONFLICTING_SCORES, PendingCode.DEADLINE_AT_RISK, PendingCode.DECIDE,
    PendingCode.HELD_UP, PendingCode.MAIL_FAILED, PendingCode.OVERDUE,
    PendingCode.REVIEWERS_APART, PendingCode.SET_ASIDE, PendingCode.STATE_ALTERED,
})  # fmt: skip
"""What waits and has a card of its own on the page, with names; the rest is one line each."""

HOME = "/today"


@router.get("/{cycle_id}/waiting")
def show_waiting(request: Request, principal: MayWatch, cycle_id: str) -> Response:
    """Show what waits in a program, with names and reasons above each button."""
    return _page(request, principal, cycle_id)


@router.post("/{cycle_id}/requests")
def answer_requests(
    request: Request,
    principal: MayApprove,
    product: Product,
    cycle_id: str,
    what: Annotated[str, Form()] = "",
    pulls: Annotated[list[str] | None, Form()] = None,
    listed: Annotated[list[str] | None, Form()] = None,
    reason: Reason = "",
) -> Response:
    """Approve requests that wait, all that were listed or some, or decline them with a reason."""
    chosen = (listed if what == "all" else pulls) or []

    def deed() -> int:
        # Ids come from the form: only requests of this program that wait may be named.
        # A reviewer with another role may name what the page has shown them.
        seat = seat_view_of(request, principal, cycle_id)
        mine = {
            one.pull.id
            for one in product.approvals.pending(cycle_id)
            if seat is None or seat.sees(one.pull.application)
        }
        if not chosen or not set(chosen) <= mine:
            raise InvalidInputError("requests_not_chosen")
        if what in {"approve", "all"}:
            return product.held_acts.approve(cycle_id, chosen, by=principal.name)
        if what == "strike":
            return product.held_acts.decline(
                cycle_id, chosen, by=principal.name, reason=said_why(reason)
            )
        raise InvalidInputError("approval_not_chosen")

    is_held = bool(product.held_acts.hold)
    if what == "strike":
        code = "act_held_decline" if is_held else "act_requests_struck"
    else:
        code = "act_held_approve" if is_held else "act_requests_approved"
    return act(
        request,
        principal,
        f"/today/{cycle_id}/waiting",
        Message(code, count=len(chosen)),
        deed,
        form="requests",
        typed={"reason": reason, **dict.fromkeys(pulls or (), "on")},
        again=_again(request, principal, cycle_id),
    )


@router.post("/{cycle_id}/remind")
def remind_late(
    request: Request,
    principal: MayManageReviewers,
    product: Product,
    cycle_id: str,
    back: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Ask everyone who is late, by mail."""
    code = "act_held_remind" if product.held_acts.hold else "act_late_reminded"
    return act(
        request,
        principal,
        HOME if back == "home" else f"/today/{cycle_id}/waiting",
        lambda reminded: Message(code, count=reminded),
        lambda: product.held_acts.remind(cycle_id, by=principal.name),
        form="remind",
        again=_again(request, principal, cycle_id),
    )


def _again(request: Request, principal: Principal, cycle_id: str) -> Again:
    return lambda refused: _page(request, principal, cycle_id, refused)


def _page(
    request: Request, principal: Principal, cycle_id: str, refused: Refused = NOTHING_REFUSED
) -> Response:
    app = app_context(request)
    context = _context(request, app, principal, cycle_id)
    return render(
        request,
        "cycle/today/waiting.html",
        {**context, "refused": refused},
        status=refused.status,
    )


def _context(
    request: Request, app: AppContext, principal: Principal, cycle_id: str
) -> dict[str, Any]:
    product, cycle = app.product, app.product.cycles.get(cycle_id)
    around = frame(request, app, principal, cycle)
    rules, seat, rights = around["rules"], around["seat"], around["rights"]
    dashboard, _ = product.reports.dashboard(cycle_id)
    sees_names = Right.SEE_APPLICANTS in rights
    taken = held_pulls(product.held_acts.waiting(cycle_id))
    requests = [
        item
        for item in (proposed(product, cycle, dashboard, seat) if sees_names else [])
        if item["one"].pull.id not in taken
    ]
    missing = owed(product, cycle, rules, dashboard)
    finish = budget_end(
        cycle, rules, product.reports.process_health(cycle_id), product.cycles.now()
    )
    return {
        **around,
        "things": [thing for thing in around["things"] if thing.code not in _WITH_CARDS],
        "board": dashboard,
        "proposed": requests,
        "costs": cost_words(
            sum(rules.kinds[item["one"].pull.kind].cost for item in requests), around["unit"]
        ),
        "left": cost_words(rules.budget - cycle.spent - cycle.committed, around["unit"]),
        "blocked": blocked(product, cycle, dashboard, rules, named=sees_names, seat=seat),
        "overdue": charts.late_requests(product, cycle, rules, named=sees_names),
        "owed": missing,
        "held": product.cycles.held_by_approvals(cycle_id) if requests else None,
        "conflicting": conflicting(product, cycle, seat),
        "failed_mails": sum(
            n for state, n in product.outbox.count(cycle_id).items() if state.startswith("failed")
        ),
        "finish": finish,
        "at_risk": bool(finish and rules.deadline and finish > rules.deadline),
        "stop_sentence": stop_sentence_now(
            rules, cycle, owes=missing is not None and missing.short > 0
        ),
        "by_list": rules.blind and not product.applicants.reviewer_view(cycle_id).shown.by_choice,
        **_reviewers(app, cycle_id, around, dashboard.apart),
    }


def _reviewers(
    app: AppContext, cycle_id: str, around: dict[str, Any], groups: Groups
) -> dict[str, Any]:
    """Return who is late, and groups of reviewers that share no applicant, as far as named."""
    product, late = app.product, Counter[int]()
    # Where figures are kept apart, requests that are late are named, and no reviewer who is.
    for one in () if around["rules"].keeps_figures_apart else product.reports.waiting(cycle_id):
        late[one.reviewer] += one.overdue
    named = any(late.values()) or groups
    people = {r.number: r for r in product.reviewers.list(cycle_id)} if named else {}
    sees = Right.SEE_REVIEWERS in around["rights"]
    names = {n: r.name or r.external_id for n, r in people.items() if sees}
    return {
        "late": [
            (people[number], count)
            for number, count in sorted(late.items(), key=lambda pair: -pair[1])
            if count and number in people
        ],
        "apart": [[names[n] for n in group if n in names] for group in groups],
    }
