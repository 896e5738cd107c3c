"""A way for the cast's requests to a started service: an application that passes everything on."""

from http.client import HTTPConnection
from urllib.parse import quote, urlsplit

from kalends.http.reply import Reply
from kalends.http.request import Request

TIMEOUT = 180
HOP_BY_HOP = {"connection", "transfer-encoding", "keep-alive"}


class Through:
    """The service at the URL, as an application."""

    def __init__(self, url: str):
        self._host = urlsplit(url).netloc

    def route(self, request: Request) -> None:
        """The service does."""

    def identify(self, request: Request) -> int | None:
        return None

    def __call__(self, request: Request) -> Reply:
        target = quote(request.path) + (f"?{request.query}" if request.query else "")
        headers = {name: value for name, value in request.headers.items() if name not in ("host", "content-length")}
        connection = HTTPConnection(self._host, timeout=TIMEOUT)
        try:
            connection.request(request.method, target, request.body or None, headers)
            reply = connection.getresponse()
            content = reply.read()
        finally:
            connection.close()
        fields = [(name, value) for name, value in reply.getheaders() if name.lower() not in HOP_BY_HOP]
        cookies = [value for name, value in fields if name.lower() == "set-cookie"]
        return Reply(reply.status, "", content, {name: value for name, value in fields if name.lower() != "set-cookie"}, cookies)
