"""Whether this process lives, and whether it can do its work: for supervisors and proxies."""

from typing import Annotated

from anyio import CapacityLimiter, move_on_after
from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse

from swapflow.bootstrap import why_unwritable
from swapflow.engine.services import Swapflow
from swapflow.errors import UnavailableError
from swapflow.settings import Settings
from swapflow.web.http.context import TheSettings, app_context
from swapflow.web.http.dependencies import anybody


router = APIRouter(prefix="/health", dependencies=[Depends(anybody)])

READY_SECONDS = 2.0
"""Seconds within which a process that is ready knows it."""

_SILENT = "the database does not answer"

LOOKS = 2
"""Looks at the database at the same time: one that hangs must not take another thread each."""


async def looks(request: Request) -> CapacityLimiter:
    """Return what bounds the looks; a thread for pages may be long in coming."""
    state = request.app.state
    if not hasattr(state, "looks"):
        state.looks = CapacityLimiter(LOOKS)
    limiter: CapacityLimiter = state.looks
    return limiter


# Both are coroutines: neither waits for the threads that work on pages.


@router.get("/live")
async def live() -> PlainTextResponse:
    """Answer that the process is alive."""
    return PlainTextResponse("live")


@router.get("/ready")
async def ready(
    request: Request, settings: TheSettings, limiter: Annotated[CapacityLimiter, Depends(looks)]
) -> PlainTextResponse:
    """Check whether the database answers and takes more; reviews are taken while Redis is away."""
    product = app_context(request).product
    problem = _SILENT
    with move_on_after(READY_SECONDS):
        problem = await run_sync(
            _why_not_ready, product, settings, limiter=limiter, abandon_on_cancel=True
        )
    return PlainTextResponse(problem or "ready", status_code=503 if problem else 200)


def _why_not_ready(product: Swapflow, settings: Settings) -> str:
    """Return what keeps this process from its work; "" if nothing does."""
    try:
        product.cycles.now()
    except UnavailableError:
        return _SILENT
    if problem := why_unwritable(settings):
        return f"nothing can be stored ({problem}): make room on the disk of the data folder"
    return ""
