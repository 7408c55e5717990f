"""Today: what needs a person in a program, its progress, and what was decided so far."""

from collections import Counter
from datetime import datetime
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.engine.pending.gather import ALTERED_SHOWN, budget_end, is_led
from swapflow.engine.pending.things import PendingCode
from swapflow.engine.ports.records import ProcessHealth
from swapflow.engine.read_models.explanation import origins_of
from swapflow.engine.read_models.list_quality import (
    could_change_before,
    list_figures,
    quality_sentences,
)
from swapflow.engine.read_models.proposal import STOP_SENTENCES, stop_sentence_now
from swapflow.engine.reviewing.seat_view import SeatView
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.i18n.formatting import until
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.cycle import charts
from swapflow.web.cycle.approvals import blocked, conflicting, owed, proposed
from swapflow.web.http.context import AppContext, Product, app_context
from swapflow.web.http.dependencies import may, may_anywhere, seat_view_of
from swapflow.web.http.program_page import (
    NOTHING_REFUSED,
    Again,
    Reason,
    Refused,
    act,
    held,
    said_why,
    visible,
)
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/today")

MayWatch = Annotated[Principal, Depends(may(Right.SEE_PROGRESS))]
MayRead = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayApprove = Annotated[Principal, Depends(may(Right.APPROVE))]
MayRun = Annotated[Principal, Depends(may(Right.RUN))]
MaySomewhere = Annotated[Principal, Depends(may_anywhere(Right.SEE_PROGRESS))]

MayManageReviewers = Annotated[Principal, Depends(may(Right.MANAGE_REVIEWERS))]

PAGE = 25
"""Decisions on a page of the log."""

ASKED, CLOSE = 100, 20
"""Names shown of those asked about, and of those too close to call; a batch may have thousands."""

TABLE = 60
"""Rows of a chart's table on the page; the download has all of them."""

_WITH_CARDS = frozenset({
    PendingCode.APPROVE, PendingCode.BLOCKED, PendingCode.CHOOSE_COLUMNS,
    PendingCode.CONFLICTING_SCORES, PendingCode.DEADLINE_AT_RISK, PendingCode.DECIDE,
    PendingCode.HELD_UP, PendingCode.MAIL_FAILED, PendingCode.OVERDUE,
    PendingCode.REVIEWERS_APART, PendingCode.SET_ASIDE, PendingCode.STATE_ALTERED,
})  # fmt: skip
"""What waits and has a card of its own on the page, with names; the rest is one line each."""

_WORDS = {
    "floor": gettext_noop("the rules promise these reviews"),
    "floor all": gettext_noop("everyone gets these reviews"),
    "floor chosen": gettext_noop("everyone on the proposed list gets these reviews"),
    "floor close": gettext_noop("everyone too close to call gets these reviews"),
    "rule": gettext_noop("these reviews are expected to change the list most"),
    "staff": gettext_noop("staff asked"),
    "chance": gettext_noop("kinds are compared by a draw"),
    "appeal": gettext_noop("an appeal"),
    "late": gettext_noop("a late answer was taken"),
}


@router.get("")
def show_programs(request: Request, principal: MaySomewhere) -> Response:
    """List the programs that the principal may see."""
    app = app_context(request)
    cycles = visible(app, principal, Right.SEE_PROGRESS)
    if len(cycles) == 1:
        return RedirectResponse(f"/today/{cycles[0].id}", status_code=303)
    product = app.product
    live, now = product.reports.state_answers(), product.cycles.now()
    health = {
        cycle.id: _health(product.reports.process_health(cycle.id), now, live=live)
        for cycle in cycles
        if cycle.status is CycleStatus.RUNNING
    }
    return render(
        request,
        "cycle/programs.html",
        {
            "cycles": cycles,
            "health": health,
            "set_aside": product.reports.quarantined(),
            "things": app.office.to_do.of(principal, product.pending),
        },
    )


@router.get("/{cycle_id}")
def show_today(request: Request, principal: MayWatch, cycle_id: str) -> Response:
    """Show what needs a person, and the program's progress."""
    return _page(request, principal, cycle_id)


def _page(
    request: Request, principal: Principal, cycle_id: str, refused: Refused = NOTHING_REFUSED
) -> Response:
    app = app_context(request)
    seat = seat_view_of(request, principal, cycle_id)
    standing = _standing(app, principal, app.product.cycles.get(cycle_id), seat)
    return render(
        request, "cycle/today.html", {**standing, "refused": refused}, status=refused.status
    )


def _again(request: Request, principal: Principal, cycle_id: str) -> Again:
    return lambda refused: _page(request, principal, cycle_id, refused)


@router.get("/{cycle_id}/decisions")
def show_decisions(
    request: Request,
    principal: MayRead,
    product: Product,
    cycle_id: str,
    before: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Response:
    """Show batch by batch what was believed and asked for."""
    rules = product.cycles.rules(cycle_id)
    found = product.reports.decisions_before(cycle_id, before, at_most=PAGE + 1)
    wanted = {
        application
        for record, _ in found[:PAGE]
        for application in (
            *(pick[0] for pick in record.picks[:ASKED]),
            *record.contested[:CLOSE],
        )
    }
    names = {n.number: n for n in product.reports.named(cycle_id, wanted)}
    shown = [
        {
            "record": record,
            "at": at,
            "why": "; ".join(gettext(_WORDS.get(one, one)) for one in origins_of(record, rules)),
            "asked": [
                (names[a], rules.kinds[k].name) for a, k, *_ in record.picks[:ASKED] if a in names
            ],
            "close": [names[a] for a in record.contested[:CLOSE] if a in names],
            "stop": STOP_SENTENCES.get(record.stop, ""),
        }
        for record, at in found[:PAGE]
    ]
    return render(
        request,
        "cycle/decisions.html",
        {
            "cycle": product.cycles.get(cycle_id),
            "cycles": visible(app_context(request), principal, Right.SEE_APPLICANTS),
            "rights": held(app_context(request), principal, product.cycles.get(cycle_id)),
            "decisions": shown,
            "zone": rules.zone,
            "older": found[PAGE - 1][0].number if len(found) > PAGE else 0,
            "newest": before == 0,
        },
    )


@router.post("/{cycle_id}/requests")
def answer_requests(
    request: Request,
    principal: MayApprove,
    product: Product,
    cycle_id: str,
    what: Annotated[str, Form()] = "",
    pulls: Annotated[list[str] | None, Form()] = None,
    reason: Reason = "",
) -> Response:
    """Approve requests that wait, or strike them with a reason."""
    chosen = pulls or []

    def deed() -> None:
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
        if what == "approve":
            product.approvals.approve(cycle_id, chosen, by=principal.name)
        elif what == "strike":
            product.approvals.strike(cycle_id, chosen, by=principal.name, reason=said_why(reason))
        else:
            raise InvalidInputError("approval_not_chosen")

    code = "act_requests_approved" if what == "approve" else "act_requests_struck"
    done = Message(code, count=len(chosen))
    return act(
        request,
        principal,
        f"/today/{cycle_id}",
        done,
        deed,
        form="requests",
        typed={"reason": reason, **dict.fromkeys(chosen, "on")},
        again=_again(request, principal, cycle_id),
    )


@router.post("/{cycle_id}/remind")
def remind_late(
    request: Request, principal: MayManageReviewers, product: Product, cycle_id: str
) -> Response:
    """Ask everybody who is late, by mail."""
    return act(
        request,
        principal,
        f"/today/{cycle_id}",
        lambda reminded: Message("act_late_reminded", count=reminded),
        lambda: product.reviewers.nudge_late(cycle_id, by=principal.name),
        form="remind",
        again=_again(request, principal, cycle_id),
    )


@router.post("/{cycle_id}/{what}")
def change_course(
    request: Request,
    principal: MayRun,
    product: Product,
    cycle_id: str,
    what: str,
    reason: Reason = "",
) -> Response:
    """Pause, resume or end the asking, with a reason."""
    deeds = {
        "pause": product.cycles.pause,
        "resume": product.cycles.resume,
        "stop": product.cycles.stop,
    }

    def deed() -> None:
        if what not in deeds:
            raise NotFoundError("reviewer_action_unknown")
        deeds[what](cycle_id, by=principal.name, reason=said_why(reason))

    words = {"pause": "act_program_paused", "resume": "act_program_resumed"}
    done = Message(words.get(what, "act_asking_ended"))
    status = product.cycles.get(cycle_id).status
    return act(
        request,
        principal,
        f"/today/{cycle_id}",
        done,
        deed,
        form="stop" if status is CycleStatus.PROPOSED else "course",
        typed={"reason": reason},
        again=_again(request, principal, cycle_id),
    )


def _standing(
    app: AppContext, principal: Principal, cycle: Cycle, seat: SeatView | None
) -> dict[str, Any]:
    product, rights = app.product, held(app, principal, cycle)
    rules = product.cycles.rules(cycle.id)
    dashboard, live = product.reports.dashboard(cycle.id)
    received = dashboard.received(len(rules.kinds))
    figures = list_figures(dashboard, rules)
    waiting, pulse, now = (
        product.reports.waiting(cycle.id),
        product.reports.process_health(cycle.id),
        product.cycles.now(),
    )
    mails = product.outbox.count(cycle.id)
    steps = product.reports.steps(cycle.id)
    sees_names = Right.SEE_APPLICANTS in rights
    requests = proposed(product, cycle, dashboard, seat) if sees_names else []
    missing = owed(product, cycle, rules, dashboard)
    is_owing = missing is not None and missing.short > 0
    finish = budget_end(cycle, rules, pulse, now)
    settled = ~dashboard.too_close & ~np.isnan(dashboard.estimate)
    late: Counter[int] = Counter()
    # Where figures are kept apart, requests that are late are named, and no reviewer who is.
    for one in () if rules.keeps_figures_apart else waiting:
        late[one.reviewer] += one.overdue
    named = any(late.values()) or dashboard.apart
    people = {r.number: r for r in product.reviewers.list(cycle.id)} if named else {}
    sees_reviewers = Right.SEE_REVIEWERS in rights
    names = {n: r.name or r.external_id for n, r in people.items() if sees_reviewers}
    return {
        "cycle": cycle,
        "cycles": visible(app, principal, Right.SEE_PROGRESS),
        "rights": rights,
        "rules": rules,
        "zone": rules.zone,
        "unit": next((r.unit for r in product.cycles.rounds() if r.id == cycle.round_id), ""),
        "board": dashboard,
        "settled_in": int((settled & dashboard.in_list).sum()),
        "settled_out": int((settled & ~dashboard.in_list).sum()),
        "figures": figures,
        "quality_words": quality_sentences(dashboard, figures),
        "before": could_change_before(steps, figures),
        "too_close": int((dashboard.too_close & ~np.isnan(dashboard.estimate)).sum()),
        "unseen": int(np.isnan(dashboard.estimate).sum()),
        "kinds": [
            {
                "name": kind.name,
                "done": int(received[:, index].sum()),
                "open": sum(w.count for w in waiting if w.kind == index),
                "overdue": sum(w.overdue for w in waiting if w.kind == index),
            }
            for index, kind in enumerate(rules.kinds)
        ],
        "left": rules.budget - cycle.spent - cycle.committed,
        "finish": finish,
        "proposed": requests,
        "blocked": blocked(product, cycle, dashboard, rules, named=sees_names, seat=seat),
        "overdue": charts.late_requests(product, cycle, rules, named=sees_names),
        "owed": missing,
        "held": product.cycles.held_by_approvals(cycle.id) if requests else None,
        "late": [
            (people[number], count)
            for number, count in sorted(late.items(), key=lambda pair: -pair[1])
            if count and number in people
        ],
        "apart": [[names[n] for n in group if n in names] for group in dashboard.apart],
        "conflicting": conflicting(product, cycle, seat),
        "failed_mails": sum(n for state, n in mails.items() if state.startswith("failed")),
        "at_risk": bool(finish and rules.deadline and finish > rules.deadline),
        "stop_sentence": stop_sentence_now(rules, cycle, owes=is_owing),
        "health": _health(pulse, now, live=live or product.reports.state_answers()),
        "seated": seat is not None,
        "set_aside": product.reports.quarantined().get(cycle.id),
        "now": now,
        "intervals": charts.intervals(dashboard)[:TABLE],
        "steps": charts.decisions(steps)[-TABLE:],
        "spending": charts.budget(steps, cycle, rules, now)[-TABLE:],
        "loads": charts.load(product, principal, cycle, dashboard),
        "running": cycle.status is CycleStatus.RUNNING,
        "things": [
            thing
            for thing in app.office.to_do.in_program(principal, cycle.id, product.pending)
            if thing.code not in _WITH_CARDS
        ],
        "chart_words": charts.chart_words(),
        "by_list": rules.blind and not product.applicants.reviewer_view(cycle.id).shown.by_choice,
    }


def _health(pulse: ProcessHealth, now: datetime, *, live: bool) -> dict[str, Any]:
    """Check whether what a program runs on is at work; `live`: whether Redis answers."""
    return {
        "live": live,
        "led": is_led(pulse),
        "stuck": pulse.stuck,
        "event_at": pulse.event_at,
        "age": until(pulse.event_at, now),
        "altered_at": pulse.altered_at
        if pulse.altered_at is not None and now - pulse.altered_at < ALTERED_SHOWN
        else None,
    }
