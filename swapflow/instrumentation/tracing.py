"""Traces from a request over the ledger and a coordinator's turn to a worker, by OpenTelemetry.

Off unless `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector; then the extra `traces` is imported,
and not before. Spans carry ids of programs, assignments and events, and names of routes: never
a name of a person, an address, a mark, a remark or an address's secret part.

The ledger lies between the process that stores a score and the coordinator that counts it, perhaps
hours later, and holds no trace. So every event has a trace of its own whose ids are the first
bytes of its hash on the chain: both sides know it. The process that stores the event sends it,
with a link to the current request; the turn that counts the event links to it.
"""

import importlib.util
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from swapflow.domain.event import Event, EventType
from swapflow.engine.ports.coordination import EventReads
from swapflow.engine.ports.writes.transaction import Transaction, Write, WriteHook
from swapflow.errors import InvalidInputError, SwapflowError


if TYPE_CHECKING:
    from collections.abc import Awaitable, MutableMapping

    from opentelemetry.trace import Span

    from swapflow.domain.cycle import Position
    from swapflow.domain.rules import Rules
    from swapflow.instrumentation.spans import Traces

    Scope = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
    Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")

ANSWERS = frozenset(
    {
        EventType.SCORED,
        EventType.SCORE_CORRECTED,
        EventType.DECLINED,
        EventType.NO_SHOW,
        EventType.TAKEN_BACK,
    }
)
"""Events of people, to which the turn that counts them is linked."""

MOST_LINKS = 64
"""Most links of a turn: a coordinator that starts reads every event, and the last ones suffice."""

MOST_EVENTS = 500
"""Events of one write that get a span."""

SERVER_ERROR = 500
_QUIET = ("/health", "/static")

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Turn:
    """The events of a coordinator's turn so far; a turn without any is not sent."""

    busy: bool = False
    answers: list[Event] = field(default_factory=list)


_turn: ContextVar[_Turn | None] = ContextVar("swapflow_turn", default=None)
_traces: "Traces | None" = None


def start(process: str) -> bool:
    """Start tracing this process if the environment requires it; return whether it is traced.

    Args:
        process: "web", "coordinator" or "worker".

    Raises:
        InvalidInputError: If the environment names an unsupported protocol.
    """
    global _traces  # noqa: PLW0603 - one process, one exporter
    if _traces is not None:
        return True
    if not _is_wanted():
        return False
    if importlib.util.find_spec("opentelemetry.exporter") is None:
        log.warning(
            "%s is set, and nothing is traced: the extra is missing; "
            "pip install 'swapflow[traces]'",
            next(name for name in ENDPOINTS if os.environ.get(name)),
        )
        return False
    # Only a traced process loads OpenTelemetry; it is an extra, and takes time to import.
    from swapflow.instrumentation.spans import Traces  # noqa: PLC0415

    _traces = Traces(process)
    return True


def _is_wanted() -> bool:
    if not any(os.environ.get(name) for name in ENDPOINTS):
        return False
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    if os.environ.get("OTEL_TRACES_EXPORTER", "otlp") != "otlp":
        return False
    for name in PROTOCOLS:
        if os.environ.get(name, "http/protobuf") != "http/protobuf":
            raise InvalidInputError("traces_protocol", variable=name, value=os.environ[name])
    return True


def is_on() -> bool:
    """Whether this process is traced."""
    return _traces is not None


def stop() -> None:
    """Send the waiting spans and stop tracing."""
    global _traces  # noqa: PLW0603 - see `start`
    if _traces is not None:
        _traces.provider.shutdown()
        _traces = None


def span(
    name: str, *, parent: str = "", **ids: str | int | None
) -> AbstractContextManager[object]:
    """Open a span over a block; without effect while tracing is off.

    Args:
        name: Name of the span.
        parent: `traceparent` of the message that caused it.
        ids: Ids of programs, assignments and events; never anything of a person.
    """
    return nullcontext() if _traces is None else _traces.span(name, parent=parent, ids=ids)


def carried() -> dict[str, str]:
    """Return the headers by which a message carries the current span; none without one."""
    if _traces is None:
        return {}
    if (turn := _turn.get()) is not None:
        turn.busy = True
    return _traces.carried()


def traced_turn(turn: Callable[[], int]) -> Callable[[], int]:
    """Return a coordinator's turn with a span, which is sent if something happened in it."""
    if _traces is None:
        return turn
    traces = _traces

    def traced() -> int:
        met = _Turn()
        token = _turn.set(met)
        try:
            with traces.span("turn", keep=lambda: met.busy) as opened:
                try:
                    return turn()
                finally:
                    last = met.answers[-MOST_LINKS:]
                    traces.link(opened, last)
                    opened.set_attribute("swapflow.answers", len(met.answers))
                    opened.set_attribute(
                        "swapflow.cycles", sorted({event.cycle_id for event in last})
                    )
        finally:
            _turn.reset(token)

    return traced


def trace_writes(record: EventReads) -> WriteHook:
    """Return a hook that makes each write a span and sends the events that it stored."""

    @contextmanager
    def traced(cycle_id: str, write: Write) -> Iterator[Transaction]:
        traces, begun, ended = _traces, 0, 0
        if traces is None:
            with write as tx:
                yield tx
            return
        with traces.span(
            "ledger.write", keep=lambda: ended > begun, ids={"cycle": cycle_id}
        ) as opened:
            with write as tx:
                before = tx.cycle.position
                begun = ended = before.seq
                yield tx
                ended = tx.cycle.position.seq
            if ended > begun:
                opened.set_attribute("swapflow.events", ended - begun)
                if (met := _turn.get()) is not None:
                    met.busy = True
                with suppress(SwapflowError):  # a trace must not cause a failure
                    events = record.events(
                        cycle_id, after=before, at_most=min(MOST_EVENTS, ended - begun)
                    )
                    names = [kind.name for kind in record.rules(cycle_id).kinds]
                    traces.tell(events or (), dict(enumerate(names)))

    return traced


class TracedEvents:
    """The events that a coordinator reads, noted for the span of its turn."""

    def __init__(self, inner: EventReads) -> None:
        self._inner = inner

    def events(
        self, cycle_id: str, *, after: "Position", at_most: int
    ) -> tuple[Event, ...] | None:
        """Read events, and note the answers of people among them."""
        found = self._inner.events(cycle_id, after=after, at_most=at_most)
        met = _turn.get()
        if met is not None and found:
            met.answers += [event for event in found if event.type in ANSWERS]
            met.busy = met.busy or bool(met.answers)
        return found

    def rules(self, cycle_id: str, version: int = 0) -> "Rules":
        """Read a rules version, 0 for the current one."""
        return self._inner.rules(cycle_id, version)


class TracedRequests:
    """A span for each request, under its route's pattern, since addresses may hold secrets."""

    def __init__(self, app: "Callable[[Scope, Receive, Send], Awaitable[None]]") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Serve one connection."""
        traces = _traces
        if traces is None or scope["type"] != "http" or scope["path"].startswith(_QUIET):
            await self._app(scope, receive, send)
            return
        status = 0

        async def send_noted(message: "MutableMapping[str, Any]") -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        method = scope["method"]
        with traces.span(method, parent=_parent_of(scope), server=True) as opened:
            opened.set_attribute("http.request.method", method)
            try:
                await self._app(scope, receive, send_noted)
            finally:
                _finish(opened, scope, status)


def _finish(span: "Span", scope: "Scope", status: int) -> None:
    """Record the result of a request, in patterns and ids only."""
    from opentelemetry.trace import StatusCode  # noqa: PLC0415

    pattern = getattr(scope.get("route"), "path", "")
    if pattern:
        span.update_name(f"{scope['method']} {pattern}")
        span.set_attribute("http.route", pattern)
    cycle_id = scope.get("path_params", {}).get("cycle_id")
    if cycle_id and status < 400:  # noqa: PLR2004 - what was refused may be anything
        span.set_attribute("swapflow.cycle", str(cycle_id))
    if status:
        span.set_attribute("http.response.status_code", status)
    if status >= SERVER_ERROR or not status:
        span.set_status(StatusCode.ERROR)


def _parent_of(scope: "Scope") -> str:
    """Return the span that a proxy in front of us has opened."""
    for name, value in scope["headers"]:
        if name == b"traceparent":
            return str(value.decode("latin-1"))
    return ""
