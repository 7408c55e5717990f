"""The evidence behind a program's sentence, for specialists: charts, tables, what it runs on."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.i18n.formatting import cost_words
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.cycle import charts
from swapflow.web.cycle.today.drawing import shares
from swapflow.web.cycle.today.over_time import draw_by_decision, draw_over_time
from swapflow.web.cycle.today.program_parts import frame
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/today")

MayWatch = Annotated[Principal, Depends(may(Right.SEE_PROGRESS))]

TABLE = 60
"""Rows of a chart's table on the page; the download has all of them."""

LOOKS = {"left": "left", "asked_for": "asked", "spent": "spent"}
DESK, PHONE, SMALL = (900, 300), (332, 230), (420, 210)
"""Width and height of the drawings; the sheet shows one of the first two."""


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
    told, spending = charts.decisions(steps), charts.budget(steps, cycle, rules, now)
    loads = charts.load(product, principal, cycle, dashboard)
    burn = [
        draw_over_time(spending, LOOKS, zone=rules.zone, width=width, height=height)
        for width, height in (DESK, PHONE)
    ]
    points = [
        row | {"lacks": None if row["lacks"] is None else 100 * row["lacks"]} for row in told
    ]
    change, lacks = (
        draw_by_decision(points, column, look, width=SMALL[0], height=SMALL[1])
        for column, look in (("could_change", "left"), ("lacks", "asked"))
    )
    around = frame(request, app, principal, cycle)
    unit = around["unit"]
    return render(
        request,
        "cycle/today/evidence.html",
        {
            **around,
            "standing": standing,
            "board": dashboard,
            "figures": standing.figures,
            "before": standing.before,
            "finish": standing.finish,
            "cost": {
                name: cost_words(value, unit)
                for name, value in (
                    ("budget", rules.budget),
                    ("spent", cycle.spent),
                    ("committed", cycle.committed),
                    ("left", rules.budget - cycle.spent - cycle.committed),
                )
            },
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
            "steps": told[-TABLE:],
            "could_change": change,
            "lacks": lacks,
            "spending": spending[-TABLE:],
            "burn": burn if all(burn) else None,
            "loads": loads,
            "load_parts": _parts(loads),
            "chart_words": charts.chart_words(),
        },
    )


def _parts(loads: list[charts.Row]) -> list[tuple[tuple[float, float], ...]]:
    """Return place and width of done, overdue and open in each reviewer's bar."""
    parts = [(one["done"], one["overdue"] or 0, one["open"]) for one in loads]
    most = max((sum(one) for one in parts), default=0)
    return [shares(one, most, 160) for one in parts]
