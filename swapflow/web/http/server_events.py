"""Tells open dashboards that something has changed, by server-sent events.

However many dashboards are open, one process asks for a cycle's position at most once a second.

Written by hand: most of it is pacing, and checking rights anew; a library would replace ten lines
of framing.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from swapflow.engine.services import Swapflow
from swapflow.errors import SwapflowError
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import may


router = APIRouter(prefix="/today")

EVERY = 1.0
"""Seconds between two looks."""

AT_MOST_EVERY = 5.0
"""Seconds between two changes that are sent.

A change after a quiet while is sent at once. When scores come in every second, though, each open
dashboard that is told reads page and charts anew: two of them took a third of what 200 people
needed who were typing.
"""

LONGEST = 600.0
"""Seconds after which a stream ends; browsers open it again, and rights are checked anew."""

_QUIET = 15.0


class Positions:
    """The positions of cycles, each read at most once a second."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[float, int]] = {}

    def position(self, cycle_id: str, product: Swapflow) -> int:
        """Return the number of the last event, at most a second old."""
        # Held while the ledger is read:
        # else every open dashboard would read it at the same moment.
        with self._lock:
            at, seq = self._known.get(cycle_id, (-EVERY, 0))
            if time.monotonic() - at >= EVERY:
                seq = product.cycles.get(cycle_id).position.seq
                self._known[cycle_id] = (time.monotonic(), seq)
            return seq


_POSITIONS = Positions()


@router.get("/{cycle_id}/events")
def stream_changes(
    request: Request,
    principal: Annotated[Principal, Depends(may(Right.SEE_PROGRESS))],
    product: Product,
    cycle_id: str,
) -> StreamingResponse:
    """Send an event whenever the program has moved on, at most one in five seconds."""
    del principal
    return StreamingResponse(
        _changes(request, cycle_id, product),
        media_type="text/event-stream",
        # A proxy such as nginx would else hold events back until its buffer is full.
        headers={"X-Accel-Buffering": "no"},
    )


async def _changes(request: Request, cycle_id: str, product: Swapflow) -> AsyncIterator[str]:
    begun = spoken = time.monotonic()
    last = -1
    while time.monotonic() - begun < LONGEST and not await request.is_disconnected():
        try:
            seq = await run_in_threadpool(_POSITIONS.position, cycle_id, product)
        except SwapflowError:
            return  # the browser tries again, and polls meanwhile
        if seq != last:
            last, spoken = seq, time.monotonic()
            yield f"event: changed\ndata: {seq}\n\n"
            await asyncio.sleep(AT_MOST_EVERY - EVERY)
        elif time.monotonic() - spoken > _QUIET:
            spoken = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(EVERY)
