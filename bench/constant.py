"""A constant reply behind the same edge and the same Granian: the cost of a request before the service does anything."""

from collections.abc import Callable, Iterable
from typing import Any

from kalends import settings
from kalends.http.serving import granian
from kalends.http.serving.edge import Edge

BODY = b'{"status":"alive"}'


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(BODY)))])
    return [BODY]


def rsgi() -> Edge:
    return Edge(application, settings.load())


if __name__ == "__main__":
    current = settings.load()
    granian.serve(rsgi, granian.bind(current), current)
