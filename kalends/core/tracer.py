"""Spans, sent to a collector by OTLP over HTTP. They have no paths, queries or messages of errors, which may hold secrets and addresses."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from kalends.core.settings import Settings
from kalends.core.version import __version__

# How long a stop waits for the collector: less than a server process waits for its last clients.
CLOSE_SECONDS = 2

_ERROR = Status(StatusCode.ERROR)


class Tracer:
    """Sends spans from a thread of its own. The variables of OpenTelemetry, such as OTEL_TRACES_SAMPLER, set everything else."""

    def __init__(self, settings: Settings):
        resource = Resource.create({SERVICE_NAME: "kalends", SERVICE_VERSION: __version__})
        self._provider = TracerProvider(resource=resource.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{settings.traces.rstrip('/')}/v1/traces")))
        self._tracer = self._provider.get_tracer("kalends", __version__)
        self._propagator = TraceContextTextMapPropagator()

    def close(self) -> None:
        """Send what is left, unless the collector takes too long."""
        sending = threading.Thread(target=self._provider.shutdown, daemon=True)
        sending.start()
        sending.join(CLOSE_SECONDS)

    def record_request(self, headers: Mapping[str, str], method: str, route: str | None, status: int, request_id: str, began: int) -> None:
        """Record a request that began at this time (in nanoseconds) and ends now, as a child of its `traceparent`."""
        attributes: dict[str, str | int] = {
            "http.request.method": method,
            "http.response.status_code": status,
            "kalends.request_id": request_id,
        }
        if route:
            attributes["http.route"] = route
        span = self._tracer.start_span(
            f"{method} {route}" if route else method,
            context=self._propagator.extract(headers),
            kind=SpanKind.SERVER,
            attributes=attributes,
            start_time=began,
        )
        if status >= 500:
            span.set_status(_ERROR)
        span.end()

    @contextmanager
    def job(self, name: str) -> Iterator[None]:
        """A span of what runs in the block. Of an error it has the type alone."""
        with self._tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
            try:
                yield
            except Exception as error:
                span.set_attribute("error.type", type(error).__qualname__)
                span.set_status(_ERROR)
                raise
