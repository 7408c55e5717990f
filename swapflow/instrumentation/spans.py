"""Spans made by OpenTelemetry's library and sent to a collector.

`tracing` imports this module once a process is to be traced, and not before: without the extra
`traces` the library is missing, and without a collector nothing of it is to be loaded.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import (
    Link,
    Span,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    Tracer,
    get_current_span,
    use_span,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from swapflow.domain.event import Event
from swapflow.domain.ids import assignment_id, pull_id


TIMEOUTS = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")

PATIENCE = 3.0
"""Seconds that a collector may take by default: a stop waits as long."""

_named: ContextVar[str] = ContextVar("swapflow_named", default="")


class Traces:
    """Creates spans and sends them, once the process is traced."""

    def __init__(self, process: str) -> None:

        class Ids(RandomIdGenerator):
            """Random ids, except for the span of an event."""

            def generate_trace_id(self) -> int:
                named = _named.get()
                return int(named[:32], 16) if named else super().generate_trace_id()

            def generate_span_id(self) -> int:
                named = _named.get()
                return int(named[32:48], 16) if named else super().generate_span_id()

        said = os.environ.get("OTEL_SERVICE_NAME") or "service.name=" in os.environ.get(
            "OTEL_RESOURCE_ATTRIBUTES", ""
        )
        name = {} if said else {"service.name": f"swapflow-{process}"}
        self.provider: TracerProvider = TracerProvider(
            resource=Resource.create({"swapflow.process": process, **name}), id_generator=Ids()
        )
        timeout = None if any(map(os.environ.get, TIMEOUTS)) else PATIENCE
        self.provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=timeout)))
        self.tracer: Tracer = self.provider.get_tracer("swapflow")

    @contextmanager
    def span(
        self,
        name: str,
        *,
        parent: str = "",
        server: bool = False,
        keep: Callable[[], bool] = lambda: True,
        ids: Mapping[str, str | int | None] | None = None,
    ) -> Iterator[Span]:
        """Open a span; it is dropped unsent if it is not to be kept in the end."""
        known = {
            f"swapflow.{key}": value for key, value in (ids or {}).items() if value is not None
        }
        opened = self.tracer.start_span(
            name,
            context=self._context(parent) if parent else None,
            kind=SpanKind.SERVER if server else SpanKind.INTERNAL,
            attributes=known,
        )
        failed = False
        try:
            # An error's message may name a person; its type never does.
            with use_span(opened, record_exception=False, set_status_on_exception=False):
                yield opened
        except BaseException as error:
            failed = True
            opened.set_attribute("error.type", type(error).__name__)
            opened.set_status(StatusCode.ERROR)
            raise
        finally:
            if failed or keep():
                opened.end()

    def carried(self) -> dict[str, str]:
        """Return the current span as a message's headers (W3C Trace Context)."""
        headers: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(headers)
        return headers

    @staticmethod
    def _context(parent: str) -> Context:

        return TraceContextTextMapPropagator().extract({"traceparent": parent})

    def tell(self, events: tuple[Event, ...], spelled: Mapping[int, str]) -> None:
        """Send the span of each event, with a link to the current one."""
        here = Link(get_current_span().get_span_context())
        for event in events:
            token = _named.set(event.position.hash)
            try:
                span = self.tracer.start_span(
                    f"event {event.type.value}",
                    context=Context(),
                    links=[here],
                    attributes=_ids_of(event, spelled),
                )
            finally:
                _named.reset(token)
            span.end()

    @staticmethod
    def link(span: Span, events: list[Event]) -> None:
        """Link a span to the traces of events."""
        for event in events:
            named = event.position.hash
            there: SpanContext = SpanContext(
                trace_id=int(named[:32], 16),
                span_id=int(named[32:48], 16),
                is_remote=True,
                trace_flags=TraceFlags(TraceFlags.SAMPLED),
            )
            span.add_link(
                there, {"swapflow.cycle": event.cycle_id, "swapflow.event": event.position.seq}
            )


def _ids_of(event: Event, kinds: Mapping[int, str]) -> dict[str, str | int]:
    """Return what may be known of an event outside: its position and its assignment."""
    ids: dict[str, str | int] = {
        "swapflow.cycle": event.cycle_id,
        "swapflow.event": event.position.seq,
    }
    said: Mapping[str, Any] = event.payload
    if {"a", "k", "o", "seat", "attempt"} <= set(said) and said["k"] in kinds:
        pull = pull_id(event.cycle_id, said["a"], kinds[said["k"]], said["o"])
        ids["swapflow.assignment"] = assignment_id(pull, said["seat"], said["attempt"])
    return ids
