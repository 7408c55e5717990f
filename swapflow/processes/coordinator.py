"""The coordinator process: turn after turn, and a short wait when there is nothing to do.

Beside the turns a thread keeps its leases, so that a long turn costs none of them, and another
sends messages, so that no turn waits for the broker.
"""

import signal
import socket
import threading
import traceback
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager

import structlog

from swapflow.engine.coordination.coordinator import Coordinator
from swapflow.engine.ports.live_state import QuarantineNote
from swapflow.engine.services import Swapflow
from swapflow.errors import UnavailableError
from swapflow.instrumentation.tracing import traced_turn
from swapflow.processes.beside.fit_process import FitProcess


WAIT_SECONDS = 2.0
LONGEST_BACKOFF = 10.0

LOOKS_A_LEASE = 6.0
"""How often in a lease's length the thread beside the turns looks whether to renew one."""

WAITS_A_LEASE = 4.0
"""How often a lease's length is longer than a wait, at least: what others left is seen in time."""

LONGEST_END = 5.0
"""Seconds that a thread has to end; one that waits for a broker then ends with its process."""

log = structlog.get_logger()


def run_coordinator(
    product: Swapflow,
    *,
    holder: str = "",
    alive: Callable[[], None] = lambda: None,
    beside: Iterable[Callable[[], None]] = (),
) -> None:
    """Take turns until SIGTERM or SIGINT; then finish the turn and release the leases.

    A database or Redis that does not answer is waited for, a little longer each time: what was
    committed is kept, and the next turn reads where it left off.

    Args:
        product: The deployment.
        holder: Begin of its name in leases; the host's name when empty. Each life adds a word of
            its own: two of one name would take each other's leases for theirs.
        alive: Called once a turn, for the heartbeat.
        beside: Called after each turn, for what is no cycle's: see `beside/looks.py`.
    """
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    name = f"{holder or socket.gethostname()}-{uuid.uuid4().hex[:8]}"
    fits = FitProcess()
    coordinator = product.cycles.coordinator(name, on_fault=_report, fit_beside=fits)
    log.info("coordinator started", event_name="coordinator_started", holder=coordinator.holder)
    looks = tuple(beside)
    turn, backoff = traced_turn(coordinator.turn), 0.5
    lease = coordinator.lease_seconds
    with (
        closing(fits),
        _beside(_keeping(coordinator, every=lease / LOOKS_A_LEASE), name="leases"),
        _beside(_relaying(coordinator), name="relay", wake=coordinator.outgoing.wake),
    ):
        while not stopping.is_set():
            alive()
            try:
                done = turn()
                for look in looks:
                    look()
            except UnavailableError as error:
                log.warning(
                    "waiting for a part to answer", event_name="unavailable", error=str(error)
                )
                # Not `sleep`: a signal to stop ends the wait at once.
                stopping.wait(backoff)
                backoff = min(LONGEST_BACKOFF, backoff * 2)
                continue
            backoff = 0.5
            # A turn that did something is followed by another at once,
            # for it may have made more to do.
            if not done:
                coordinator.wait(min(WAIT_SECONDS, lease / WAITS_A_LEASE))
    coordinator.stop()
    log.info("coordinator stopped", event_name="coordinator_stopped", holder=coordinator.holder)


@contextmanager
def _beside(
    work: Callable[[threading.Event], None], *, name: str, wake: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Do something in a thread until the block ends; it is told by an event."""
    ended = threading.Event()
    thread = threading.Thread(target=work, args=(ended,), name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        wake()
        thread.join(LONGEST_END)


def _keeping(coordinator: Coordinator, *, every: float) -> Callable[[threading.Event], None]:
    """Return what keeps a coordinator's leases."""

    def keep(ended: threading.Event) -> None:
        while not ended.wait(every):
            try:
                coordinator.keep()
            except UnavailableError as error:
                log.warning("leases not renewed", event_name="unavailable", error=str(error))

    return keep


def _relaying(coordinator: Coordinator) -> Callable[[threading.Event], None]:
    """Return what sends a coordinator's messages."""

    def away(error: UnavailableError) -> None:
        log.warning("messages wait", event_name="unavailable", error=str(error))

    return lambda ended: coordinator.outgoing.run(ended, on_away=away)


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
