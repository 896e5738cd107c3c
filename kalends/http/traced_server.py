"""The service with a span for each request. It is made instead of the other one, so that a service without traces does nothing for them."""

import time
from typing import Any

from kalends.http.request import Request
from kalends.http.server import Application
from kalends.log import METHODS
from kalends.reply import Reply
from kalends.tracer import Tracer

# The name that OpenTelemetry gives to methods that clients invent.
OTHER = "_OTHER"


class TracedApplication(Application):
    def __init__(self, tracer: Tracer, *args: Any):
        super().__init__(*args)
        self._tracer = tracer

    def __call__(self, request: Request) -> Reply:
        """Run the request. If it is too slow for the event loop, its run on a thread is recorded alone."""
        began = time.time_ns()
        reply = super().__call__(request)
        method = request.method if request.method in METHODS else OTHER
        self._tracer.record_request(request.headers, method, request.template, reply.status, request.id, began)
        return reply
