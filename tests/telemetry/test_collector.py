"""The spans of goals arrive at a collector, over its own protocol; one that is away stops nobody."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from agents.record import telemetry
from mindx_web.operations import tracing


class Collector(ThreadingHTTPServer):
    """Takes what is sent to it, as a collector does: `received` are whole requests with their paths and headers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Takes)
        self.received: list[tuple[str, dict[str, str], ExportTraceServiceRequest]] = []
        self.status = 200

    @property
    def spans(self) -> list[Any]:
        return [
            span
            for _, _, request in self.received
            for of_resource in request.resource_spans
            for of_scope in of_resource.scope_spans
            for span in of_scope.spans
        ]


class _Takes(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.received.append((self.path, dict(self.headers), ExportTraceServiceRequest.FromString(body)))
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Nobody reads it."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever, name="collector")
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def sends_to(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """`sends_to(port)` begins to send, as a process with that setting does when it starts."""

    def begin(port: int) -> None:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
        settings.TRACE_ENDPOINT_IS_SET = True
        tracing.start()

    yield begin
    tracing.stop()


def test_spans_arrive_with_their_ids_names_and_attributes(
    collector: Collector, sends_to: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer of-the-collector")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=cellar")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    sends_to(collector.server_port)
    with telemetry.span("claim", 41):
        pass
    tracing.stop()
    path, headers, request = collector.received[0]
    assert path == "/v1/traces"
    assert headers["authorization"] == "Bearer of-the-collector"
    resource = {it.key: it.value.string_value for it in request.resource_spans[0].resource.attributes}
    assert resource["service.name"].startswith("mindx")
    assert resource["deployment.environment.name"] == "cellar"
    (span,) = collector.spans
    root = telemetry.root_of(41)
    assert span.name == "claim"
    assert int.from_bytes(span.trace_id, "big") == root.trace_id
    assert int.from_bytes(span.parent_span_id, "big") == root.span_id
    assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano


def test_a_collector_that_refuses_or_is_away_stops_nobody(
    collector: Collector, sends_to: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    collector.status = 400
    sends_to(collector.server_port)
    with telemetry.span("refused", 42):
        pass
    tracing.stop()
    assert [span.name for span in collector.spans] == ["refused"]
    unheard = ThreadingHTTPServer(("127.0.0.1", 0), _Takes)
    unheard.server_close()  # nobody listens at its port any more
    sends_to(unheard.server_port)
    with telemetry.span("nobody hears", 43) as span:
        assert span.is_recording()
    tracing.stop()
    assert [span.name for span in collector.spans] == ["refused"]
