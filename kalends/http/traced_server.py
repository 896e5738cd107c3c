"""The service with a span for each request. It is made instead of the other one, so that a service without traces does nothing for them."""

import time
from typing import Any

from kalends.core.log import METHODS
from kalends.core.tracer import Tracer
from kalends.http.reply import Reply
from kalends.http.request import Request
from kalends.http.server import Application

# The name that OpenTelemetry gives to methods that clients invent.
OTHER = "_OTHER"


class TracedApplication(Application):
    def __init__(self, tracer: Tracer, *args: Any):
        super().__init__(*args)
        self._tracer = tracer

    def __call__(self, request: Request) -> Reply:
        """Run the request, and record it."""
        began = time.time_ns()
        reply = super().__call__(request)
        method = request.method if request.method in METHODS else OTHER
        self._tracer.record_request(request.headers, method, request.template, reply.status, request.id, began)
        return reply
