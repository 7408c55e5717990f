"""Whether this process lives, and whether it can do its work: for supervisors and proxies."""

from typing import Annotated

from anyio import CapacityLimiter, move_on_after
from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse

from swapflow.engine.services import Swapflow
from swapflow.errors import UnavailableError
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import anybody


router = APIRouter(prefix="/health", dependencies=[Depends(anybody)])

READY_SECONDS = 2.0
"""Seconds within which a process that is ready knows it."""

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
    request: Request, limiter: Annotated[CapacityLimiter, Depends(looks)]
) -> PlainTextResponse:
    """Check whether the database answers; reviews are taken while Redis is away."""
    product = app_context(request).product
    with move_on_after(READY_SECONDS):
        if await run_sync(_answers, product, limiter=limiter, abandon_on_cancel=True):
            return PlainTextResponse("ready")
    return PlainTextResponse("the database does not answer", status_code=503)


def _answers(product: Swapflow) -> bool:
    try:
        product.cycles.now()
    except UnavailableError:
        return False
    return True
