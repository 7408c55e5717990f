"""What swapflow runs on: Redis, coordinator, workers and mail, program by program."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.domain.cycle import CycleStatus
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.cycle.today.program_parts import health_of
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may_anywhere
from swapflow.web.http.program_page import visible
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/setup")

MayRunSomewhere = Annotated[Principal, Depends(may_anywhere(Right.RUN))]

_AT_WORK = frozenset({CycleStatus.RUNNING, CycleStatus.PAUSED})


@router.get("/system")
def show_health(request: Request, principal: MayRunSomewhere) -> Response:
    """Show whether what the programs run on is at work, and how to connect mail."""
    app = app_context(request)
    product, now = app.product, app.product.cycles.now()
    live, set_aside = product.reports.state_answers(), product.reports.quarantined()
    led, own = product.cycles.leaders(), visible(app, principal, Right.RUN)
    names = {cycle.id: cycle.name for cycle in own}
    return render(
        request,
        "cycle/today/system.html",
        {
            "live": live,
            "coordinators": [
                {
                    "name": name,
                    "leads": len(cycles),
                    # Programs of other offices are counted, not named.
                    "programs": [(one, names[one]) for one in cycles if one in names],
                }
                for name, cycles in led.items()
            ],
            "now": now,
            "undo_minutes": round(product.held_acts.hold.total_seconds() / 60),
            "programs": [
                {
                    "cycle": cycle,
                    "zone": product.cycles.rules(cycle.id).zone,
                    "running": cycle.status is CycleStatus.RUNNING,
                    "health": health_of(product.reports.process_health(cycle.id), now, live=live),
                    "set_aside": set_aside.get(cycle.id),
                    "mails": product.outbox.count(cycle.id),
                }
                for cycle in own
                if cycle.status in _AT_WORK or cycle.id in set_aside
            ],
        },
    )
