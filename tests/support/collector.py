"""A collector of traces: a real OTLP/HTTP endpoint that keeps what it is sent."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A span as it arrived; ids are hexadecimal, links name (trace, span)."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    links: tuple[tuple[str, str], ...]
    attributes: dict[str, Any]


@dataclass
class Collector:
    """What came so far.

    Attributes:
        bodies: Every request's body, byte for byte.
    """

    url: str
    bodies: list[bytes] = field(default_factory=list)

    def spans(self) -> list[Seen]:
        """Return every span so far, in the order in which they came."""
        found = []
        for body in tuple(self.bodies):
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                said = _plain(resource.resource.attributes)
                for scope in resource.scope_spans:
                    found += [_seen(str(said["service.name"]), span) for span in scope.spans]
        return found


@contextmanager
def collecting() -> Iterator[Collector]:
    """Run a collector on a free port for the length of a block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.path == "/v1/traces", self.path
            collector.bodies.append(body)
            said = ExportTraceServiceResponse().SerializeToString()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        collector = Collector(url=f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield collector
        finally:
            server.shutdown()
            thread.join()


def _plain(attributes: Any) -> dict[str, Any]:  # noqa: ANN401 - protobuf's
    found = {}
    for one in attributes:
        kind = one.value.WhichOneof("value")
        value: Any = getattr(one.value, kind) if kind else None
        if kind == "array_value":
            value = [part.string_value for part in value.values]
        found[one.key] = value
    return found


def _seen(service: str, span: Any) -> Seen:  # noqa: ANN401 - protobuf's
    return Seen(
        service=service,
        name=span.name,
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        links=tuple((link.trace_id.hex(), link.span_id.hex()) for link in span.links),
        attributes=_plain(span.attributes),
    )
