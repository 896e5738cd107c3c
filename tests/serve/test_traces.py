"""Traces of OpenTelemetry, sent to a collector that decodes them."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse

from kalends.core import settings
from kalends.core.settings import Settings, WrongSetting
from kalends.core.tracer import Tracer
from tests.serve.conftest import Start
from tests.serve.running import eventually

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
ERROR, SERVER = 2, 2


class Collector(ThreadingHTTPServer):
    """Takes traces by OTLP over HTTP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Export)
        self.bodies: list[bytes] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def spans(self) -> list[Any]:
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [
            span for request in requests for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans
        ]

    def close(self) -> None:
        self.shutdown()
        self.server_close()


class _Export(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Collector)
        assert (self.path, self.headers["Content-Type"]) == ("/v1/traces", "application/x-protobuf")
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(ExportTraceServiceResponse().SerializeToString())

    def log_message(self, *args: Any) -> None: ...


@pytest.fixture
def collector() -> Iterator[Collector]:
    with closing(Collector()) as collector:
        yield collector


def attributes(span: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


@pytest.mark.on_one_database
def test_each_request_has_a_span_that_continues_the_trace_of_its_client(start: Start, database: str, collector: Collector) -> None:
    service = start(database=database, traces=collector.url)
    sampled = service.get(
        "/api/events/4711?text=hidden-in-query", headers={"traceparent": f"00-{TRACE}-{PARENT}-01", "x-request-id": "request-4711"}
    )
    assert sampled.status == 404
    assert service.get("/api/calendars", headers={"traceparent": f"00-{TRACE}-{PARENT}-00"}).status == 401
    assert service.get("/healthz").status == 200
    service.stop()
    spans = {span.name: span for span in collector.spans}
    show = spans["GET /api/events/{event_id:id}"]
    assert (show.trace_id.hex(), show.parent_span_id.hex(), show.kind) == (TRACE, PARENT, SERVER)
    assert attributes(show) == {
        "http.request.method": "GET",
        "http.route": "/api/events/{event_id:id}",
        "http.response.status_code": 404,
        "kalends.request_id": "request-4711",
    }
    assert show.start_time_unix_nano < show.end_time_unix_nano
    assert spans["GET /healthz"].parent_span_id == b""
    # The client says that its trace is not sampled.
    assert "GET /api/calendars" not in spans


@pytest.mark.on_one_database
def test_spans_have_no_addresses_paths_and_queries(start: Start, database: str, collector: Collector) -> None:
    service = start(database=database, traces=collector.url)
    service.sign_up("hidden")
    for path in ("/u/hidden-link", "/api/events?text=hidden-words", "/hidden-path", "/static/hidden.css"):
        service.get(path)
    service.stop()
    sent = b"".join(collector.bodies)
    assert b"POST /api/users" in sent
    assert b"hidden" not in sent


@pytest.mark.on_one_database
def test_each_task_of_the_worker_has_a_span(start: Start, database: str, collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
    start(database=database, work=True, traces=collector.url)
    eventually(lambda: {"record_run", "clean_up", "merge_text_indexes"} <= {span.name for span in collector.spans})


def test_of_an_error_a_span_has_the_type_alone(collector: Collector) -> None:
    with closing(Tracer(Settings(traces=collector.url))) as tracer:
        with suppress(ValueError), tracer.job("send_email"):
            raise ValueError("bob@example.org does not exist")
        tracer.record_request({}, "GET", None, 503, "request-4711", 1)
    job, request = collector.spans
    assert (job.name, job.status.code, job.status.message, attributes(job)) == ("send_email", ERROR, "", {"error.type": "ValueError"})
    assert (request.name, request.status.code, list(job.events)) == ("GET", ERROR, [])


@pytest.mark.on_one_database
def test_a_service_runs_and_stops_while_its_collector_is_down(start: Start, database: str) -> None:
    service = start(database=database, work=True, traces="http://127.0.0.1:9")
    assert service.get("/healthz").status == 200
    assert service.stop() == 0


def test_without_the_setting_nothing_of_opentelemetry_is_imported() -> None:
    check = "import sys, kalends.app, kalends.app.worker; sys.exit(any('opentelemetry' in name for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_the_setting_needs_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "find_spec", lambda name: None)
    with pytest.raises(WrongSetting, match=r"^KALENDS_TRACES needs OpenTelemetry: pip install 'kalends\[opentelemetry\]'\.$"):
        settings.load({"traces": "http://127.0.0.1:4318"})


def test_the_setting_must_be_an_address() -> None:
    with pytest.raises(WrongSetting, match="KALENDS_TRACES must be an address"):
        settings.load({"traces": "127.0.0.1:4318"})
