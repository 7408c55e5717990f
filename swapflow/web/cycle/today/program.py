"""A program under way: one sentence, one chart, the last decision told, time and reviewers."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.engine.pending.standing import ProgramStanding
from swapflow.engine.read_models.list_quality import quality_sentences
from swapflow.engine.read_models.proposal import STOP_SENTENCES, stop_sentence_now
from swapflow.errors import NotFoundError
from swapflow.i18n.formatting import cost_words
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.cycle import charts
from swapflow.web.cycle.approvals import owed
from swapflow.web.cycle.today import drawing
from swapflow.web.cycle.today.decisions import why_asked
from swapflow.web.cycle.today.program_parts import frame, phases_of, sentence_of
from swapflow.web.http.context import AppContext, Product, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.program_page import NOTHING_REFUSED, Again, Reason, Refused, act, said_why
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/today")

MayWatch = Annotated[Principal, Depends(may(Right.SEE_PROGRESS))]
MayRun = Annotated[Principal, Depends(may(Right.RUN))]

NAMED = 3
"""Applicants of the last decision who are named."""

REVIEWERS = 10
"""Reviewers on the page: those with most to do."""

BAR = 348
LOAD = 160
"""Widths of the bars of time and of a reviewer's load, in the drawing's units."""


@router.get("/{cycle_id}")
def show_program(request: Request, principal: MayWatch, cycle_id: str) -> Response:
    """Show how far a program is from a settled list."""
    return _page(request, principal, cycle_id)


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
    status = product.cycles.get(cycle_id).status
    return act(
        request,
        principal,
        f"/today/{cycle_id}",
        Message(words.get(what, "act_asking_ended")),
        deed,
        form="stop" if status is CycleStatus.PROPOSED else "course",
        typed={"reason": reason},
        again=_again(request, principal, cycle_id),
    )


def _again(request: Request, principal: Principal, cycle_id: str) -> Again:
    return lambda refused: _page(request, principal, cycle_id, refused)


def _page(
    request: Request, principal: Principal, cycle_id: str, refused: Refused = NOTHING_REFUSED
) -> Response:
    app = app_context(request)
    cycle = app.product.cycles.get(cycle_id)
    around = frame(request, app, principal, cycle)
    dashboard, _ = app.product.reports.dashboard(cycle_id)
    standing = app.product.pending.standing(cycle, dashboard)
    missing = owed(app.product, cycle, standing.rules, dashboard)
    is_owing = missing is not None and missing.short > 0
    return render(
        request,
        "cycle/today/program.html",
        {
            **around,
            "standing": standing,
            "board": dashboard,
            "figures": standing.figures,
            "before": standing.before,
            "phases": phases_of(standing),
            "said": sentence_of(standing, standing.rules.zone),
            "quality_words": quality_sentences(dashboard, standing.figures),
            "stop_sentence": stop_sentence_now(standing.rules, cycle, owes=is_owing),
            "drawn": drawing.around_the_cut(standing, _names(app, standing, around)),
            "trend": drawing.trend_line(standing.trend, width=100, height=44, pad=5),
            "time": _time(standing, around["unit"]),
            "decision": _last_decision(app, standing, around),
            "people": _people(app, principal, standing),
            "refused": refused,
        },
        status=refused.status,
    )


def _names(app: AppContext, standing: ProgramStanding, around: dict[str, Any]) -> dict[int, str]:
    """Return the names of those who are drawn, for who may see applicants."""
    if Right.SEE_APPLICANTS not in around["rights"]:
        return {}
    rows = drawing.ranks_around(standing.dashboard, most=drawing.WIDE_RANKS)
    wanted = set(standing.dashboard.application[rows.start : rows.stop].tolist())
    return _known(app, standing.cycle, wanted, around)


def _known(
    app: AppContext, cycle: Cycle, wanted: set[int], around: dict[str, Any]
) -> dict[int, str]:
    found = app.product.reports.named(cycle.id, wanted) if wanted else ()
    seat = around["seat"]
    listed = found if seat is None else seat.listed(found)
    return {one.number: one.name or one.external_id for one in listed}


def _time(standing: ProgramStanding, unit: str) -> dict[str, Any]:
    """Return how much of reviewers' time is spent, asked for and left, with the bar's parts."""
    cycle, budget = standing.cycle, standing.rules.budget
    left = budget - cycle.spent - cycle.committed
    parts = (cycle.spent, cycle.committed, max(left, 0))
    return {
        "words": [cost_words(part, unit) for part in (cycle.spent, cycle.committed, left)],
        "all": cost_words(budget, unit),
        "kept": cost_words(standing.dashboard.reserved, unit)
        if 0 < standing.dashboard.reserved <= left
        else "",
        "parts": drawing.shares(parts, budget, BAR),
    }


def _last_decision(
    app: AppContext, standing: ProgramStanding, around: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the latest decision, told; None before the first."""
    found = app.product.reports.decisions_before(standing.cycle.id, at_most=1)
    if not found:
        return None
    record, at = found[0]
    asked = list(dict.fromkeys(pick[0] for pick in record.picks))
    is_named = Right.SEE_APPLICANTS in around["rights"] and around["seat"] is None
    names = _known(app, standing.cycle, set(asked[:NAMED]), around) if is_named else {}
    kinds = standing.rules.kinds
    cost = sum(kinds[pick[1]].cost for pick in record.picks if pick[1] < len(kinds))
    return {
        "number": record.number,
        "at": at,
        "reviews": len(record.picks),
        "applicants": len(asked),
        "others": max(0, standing.dashboard.application.size - len(asked)),
        "why": why_asked(record, standing.rules),
        "cost": cost_words(cost, around["unit"]),
        "stop": STOP_SENTENCES.get(record.stop, ""),
        "names": [(number, names[number]) for number in asked[:NAMED] if number in names],
        "more": len(asked) - NAMED,
        "opens": is_named,
    }


def _people(
    app: AppContext, principal: Principal, standing: ProgramStanding
) -> list[dict[str, Any]]:
    """Return who reviews, with the bar of what each has done and has still to do."""
    rows = charts.load(app.product, principal, standing.cycle, standing.dashboard)
    most = max((row["done"] + row["open"] + (row["overdue"] or 0) for row in rows), default=0)
    return [
        {
            **row,
            "asked": row["done"] + row["open"] + (row["overdue"] or 0),
            "parts": drawing.shares((row["done"], row["overdue"] or 0, row["open"]), most, LOAD),
        }
        for row in rows[:REVIEWERS]
    ]
