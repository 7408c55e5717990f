"""Today: what needs a person in a program, its progress, and what was decided so far."""

from datetime import datetime, timedelta
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.rules import Rules
from swapflow.engine.ports.records import ProcessHealth
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.read_models.list_quality import (
    could_change_before,
    list_figures,
    quality_sentences,
)
from swapflow.engine.read_models.proposal import STOP_SENTENCES, stop_sentence_now
from swapflow.engine.selection.assign import NoReviewer
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.i18n.formatting import until
from swapflow.i18n.languages import gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.cycle import charts
from swapflow.web.cycle.approvals import owed, reasons
from swapflow.web.http.context import AppContext, Product, app_context
from swapflow.web.http.dependencies import may, may_anywhere
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

ALTERED_SHOWN = timedelta(days=7)
"""How long it is shown that the live state was altered."""

_CURES = {
    NoReviewer.NO_REVIEWER: (
        "/setup/{cycle}/reviewers",
        gettext_noop("Import a reviewer of this kind"),
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

_WORDS = {
    "floor": gettext_noop("everybody gets these reviews"),
    "rule": gettext_noop("these reviews are expected to change the list most"),
    "staff": gettext_noop("staff asked"),
    "chance": gettext_noop("kinds are compared by a draw"),
    "appeal": gettext_noop("an appeal"),
    "late": gettext_noop("a late answer was taken"),
}


@router.get("")
def show_programs(request: Request, principal: MaySomewhere) -> Response:
    """List the programs that the principal may see."""
    cycles = visible(app_context(request), principal, Right.SEE_PROGRESS)
    if len(cycles) == 1:
        return RedirectResponse(f"/today/{cycles[0].id}", status_code=303)
    product = app_context(request).product
    live, now = product.reports.state_answers(), product.cycles.now()
    health = {
        cycle.id: _health(product.reports.process_health(cycle.id), now, live=live)
        for cycle in cycles
        if cycle.status is CycleStatus.RUNNING
    }
    return render(
        request,
        "cycle/programs.html",
        {"cycles": cycles, "health": health, "set_aside": product.reports.quarantined()},
    )


@router.get("/{cycle_id}")
def show_today(request: Request, principal: MayWatch, cycle_id: str) -> Response:
    """Show what needs a person, and the program's progress."""
    return _page(request, principal, cycle_id)


def _page(
    request: Request, principal: Principal, cycle_id: str, refused: Refused = NOTHING_REFUSED
) -> Response:
    app = app_context(request)
    standing = _standing(app, principal, app.product.cycles.get(cycle_id))
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
            "why": _WORDS.get(record.why, record.why),
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
        mine = {name for name, *_ in product.approvals.proposed(cycle_id)}
        if not chosen or not set(chosen) <= mine:
            raise InvalidInputError("requests_not_chosen")
        if what == "approve":
            product.approvals.approve(cycle_id, chosen, by=principal.name)
        elif what == "strike":
            product.approvals.strike(cycle_id, chosen, by=principal.name, reason=said_why(reason))
        else:
            raise InvalidInputError("approval_not_chosen")

    done = f"{'approved' if what == 'approve' else 'struck'} {len(chosen)} requests"
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
        "reminded everybody who is late",
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

    words = {"pause": "paused the program", "resume": "resumed the program"}
    done = words.get(what, "ended the asking")
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


def _standing(app: AppContext, principal: Principal, cycle: Cycle) -> dict[str, Any]:
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
    missing = owed(product, cycle, rules, dashboard)
    is_owing = missing is not None and missing.short > 0
    finish, pending = _finish(cycle, rules, pulse, now), product.approvals.pending(cycle.id)
    settled = ~dashboard.too_close & ~np.isnan(dashboard.estimate)
    late: dict[int, int] = {}
    for one in waiting:
        late[one.reviewer] = late.get(one.reviewer, 0) + one.overdue
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
        "proposed": reasons(pending, dashboard) if sees_names else [],
        "blocked": _blocked(product, cycle, dashboard, rules, named=sees_names),
        "owed": missing,
        "held": product.cycles.held_by_approvals(cycle.id) if pending else None,
        "late": [
            (people[number], count)
            for number, count in sorted(late.items(), key=lambda pair: -pair[1])
            if count and number in people
        ],
        "apart": [[names[n] for n in group if n in names] for group in dashboard.apart],
        "conflicting": product.reviewers.conflicting_scores(cycle.id),
        "failed_mails": sum(n for state, n in mails.items() if state.startswith("failed")),
        "at_risk": bool(finish and rules.deadline and finish > rules.deadline),
        "stop_sentence": stop_sentence_now(cycle.stop_reason or "", owes=is_owing),
        "health": _health(pulse, now, live=live or product.reports.state_answers()),
        "set_aside": product.reports.quarantined().get(cycle.id),
        "now": now,
        "intervals": charts.intervals(dashboard)[:TABLE],
        "steps": charts.decisions(steps)[-TABLE:],
        "spending": charts.budget(steps, cycle, rules, now)[-TABLE:],
        "loads": charts.load(product, principal, cycle, dashboard),
        "running": cycle.status is CycleStatus.RUNNING,
        "chart_words": charts.chart_words(),
        "by_list": rules.blind and not product.applicants.reviewer_view(cycle.id).shown.by_choice,
    }


def _health(pulse: ProcessHealth, now: datetime, *, live: bool) -> dict[str, Any]:
    """Check whether what a program runs on is at work; `live`: whether Redis answers."""
    return {
        "live": live,
        # A lease ends by real time, while `now` has the offset that tests set.
        "led": pulse.led_until is not None and pulse.led_until > datetime.now(now.tzinfo),
        "stuck": pulse.stuck,
        "event_at": pulse.event_at,
        "age": until(pulse.event_at, now),
        "altered_at": pulse.altered_at
        if pulse.altered_at is not None and now - pulse.altered_at < ALTERED_SHOWN
        else None,
    }


def _blocked(
    product: Product, cycle: Cycle, dashboard: Dashboard, rules: Rules, *, named: bool
) -> list[dict[str, Any]]:
    """List what cannot go out, by kind and reason; what waits for an answer is left out."""
    found: dict[tuple[int, NoReviewer], list[int]] = {}
    for one in dashboard.blocked:
        if one.obstacle is not NoReviewer.BUSY and one.kind < len(rules.kinds):
            found.setdefault((one.kind, one.obstacle), []).append(one.application)
    wanted = {number for numbers in found.values() for number in numbers}
    people = {n.number: n for n in product.reports.named(cycle.id, wanted)}
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


def _finish(cycle: Cycle, rules: Rules, pulse: ProcessHealth, now: datetime) -> datetime | None:
    """Return when the budget will be used up at the pace so far; None before there is a pace."""
    if pulse.begun_at is None or cycle.spent <= 0 or cycle.status is not CycleStatus.RUNNING:
        return None
    took = now - pulse.begun_at
    left = max(0, rules.budget - cycle.spent)
    if took < timedelta(hours=1) or left / cycle.spent > 10_000:  # noqa: PLR2004 - no pace yet
        return None
    return now + took * (left / cycle.spent)
