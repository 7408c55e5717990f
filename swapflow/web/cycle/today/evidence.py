"""The evidence behind a program's sentence, for specialists: charts, tables, what it runs on."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.cycle import charts
from swapflow.web.cycle.today.program_parts import frame
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/today")

MayWatch = Annotated[Principal, Depends(may(Right.SEE_PROGRESS))]

TABLE = 60
"""Rows of a chart's table on the page; the download has all of them."""


@router.get("/{cycle_id}/evidence")
def show_evidence(request: Request, principal: MayWatch, cycle_id: str) -> Response:
    """Show the numbers behind a program, drawn and as tables."""
    app = app_context(request)
    product, cycle = app.product, app.product.cycles.get(cycle_id)
    dashboard, _ = product.reports.dashboard(cycle_id)
    standing, steps = product.pending.standing(cycle, dashboard), product.reports.steps(cycle_id)
    rules, now = standing.rules, product.cycles.now()
    waiting = product.reports.waiting(cycle_id)
    received = dashboard.received(len(rules.kinds))
    return render(
        request,
        "cycle/today/evidence.html",
        {
            **frame(request, app, principal, cycle),
            "standing": standing,
            "board": dashboard,
            "figures": standing.figures,
            "before": standing.before,
            "finish": standing.finish,
            "left": rules.budget - cycle.spent - cycle.committed,
            "kinds": [
                {
                    "name": kind.name,
                    "done": int(received[:, index].sum()),
                    "open": sum(w.count for w in waiting if w.kind == index),
                    "overdue": sum(w.overdue for w in waiting if w.kind == index),
                }
                for index, kind in enumerate(rules.kinds)
            ],
            "intervals": charts.intervals(dashboard)[:TABLE],
            "steps": charts.decisions(steps)[-TABLE:],
            "spending": charts.budget(steps, cycle, rules, now)[-TABLE:],
            "loads": charts.load(product, principal, cycle, dashboard),
            "chart_words": charts.chart_words(),
        },
    )
