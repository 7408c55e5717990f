"""The coordinator process: turn after turn, and a short wait when there is nothing to do."""

import signal
import threading
import traceback
from collections.abc import Callable

import structlog

from swapflow.engine.ports.live_state import QuarantineNote
from swapflow.engine.services import Swapflow
from swapflow.errors import UnavailableError
from swapflow.instrumentation.tracing import traced_turn


WAIT_SECONDS = 2.0
LONGEST_BACKOFF = 10.0

log = structlog.get_logger()


def run_coordinator(
    product: Swapflow,
    *,
    holder: str = "",
    alive: Callable[[], None] = lambda: None,
    beside: Callable[[], None] = lambda: None,
) -> None:
    """Take turns until SIGTERM or SIGINT; then finish the turn and release the leases.

    A database or Redis that does not answer is waited for, a little longer each time: what was
    committed is kept, and the next turn reads where it left off.

    Args:
        product: The deployment.
        holder: Name in the lease; made up when empty.
        alive: Called once a turn, for the heartbeat.
        beside: Called once a turn, for what is no cycle's: mails about what waits for people.
    """
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    coordinator = product.cycles.coordinator(holder, on_fault=_report)
    log.info("coordinator started", event_name="coordinator_started", holder=coordinator.holder)
    turn, backoff = traced_turn(coordinator.turn), 0.5
    while not stopping.is_set():
        alive()
        try:
            done = turn()
            beside()
        except UnavailableError as error:
            log.warning("waiting for a part to answer", event_name="unavailable", error=str(error))
            # Not `sleep`: a signal to stop ends the wait at once.
            stopping.wait(backoff)
            backoff = min(LONGEST_BACKOFF, backoff * 2)
            continue
        backoff = 0.5
        # A turn that did something is followed by another at once,
        # for it may have made more to do.
        if not done:
            coordinator.wait(WAIT_SECONDS)
    coordinator.stop()
    log.info("coordinator stopped", event_name="coordinator_stopped", holder=coordinator.holder)


def _report(cycle_id: str, note: QuarantineNote, error: Exception) -> None:
    """Log a program that stands still: where it failed, and no value of a row."""
    frames = traceback.extract_tb(error.__traceback__)
    log.error(
        "a program is set aside, the others go on",
        event_name="program_set_aside",
        cycle_id=cycle_id,
        seq=note.event,
        why=str(note.why),
        where=[f"{frame.filename}:{frame.lineno}" for frame in frames[-3:]],
    )
