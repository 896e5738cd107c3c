"""A way for the cast's requests to a started service: an application that passes everything on."""

from collections.abc import Callable, Iterable
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

TIMEOUT = 60
HOP_BY_HOP = {"connection", "transfer-encoding", "keep-alive"}


def through(url: str) -> Callable[..., Iterable[bytes]]:
    """The service at the address, as a WSGI application."""
    host = urlsplit(url).netloc

    def application(env: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        target = env["PATH_INFO"] + (f"?{env['QUERY_STRING']}" if env.get("QUERY_STRING") else "")
        body = env["wsgi.input"].read(int(env.get("CONTENT_LENGTH") or 0))
        connection = HTTPConnection(host, timeout=TIMEOUT)
        try:
            connection.request(env["REQUEST_METHOD"], target, body or None, _headers(env))
            reply = connection.getresponse()
            content = reply.read()
        finally:
            connection.close()
        headers = [(name, value) for name, value in reply.getheaders() if name.lower() not in HOP_BY_HOP]
        start_response(f"{reply.status} {reply.reason or '-'}", headers)
        return [content]

    return application


def _headers(env: dict[str, Any]) -> dict[str, str]:
    headers = {name[5:].replace("_", "-"): value for name, value in env.items() if name.startswith("HTTP_") and name != "HTTP_HOST"}
    return headers | ({"Content-Type": env["CONTENT_TYPE"]} if env.get("CONTENT_TYPE") else {})
