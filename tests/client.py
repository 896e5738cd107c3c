"""A client of the application: it sends a request and returns the HTTP reply."""

import json as jsonlib
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlencode

from msgspec import Struct

from kalends.http.reply import Reply as SentReply
from kalends.http.request import read_scope
from kalends.http.serving.edge import Application
from kalends.web.notices import COOKIE
from tests import contract, recorded_statements

HOST = "testserver"
CONTROL = re.compile(r"[\x00-\x1f]")


class Headers(Mapping[str, str]):
    """Header fields, by names in any case."""

    def __init__(self, fields: list[tuple[str, str]]):
        self._fields = {name.lower(): value for name, value in fields}

    def __getitem__(self, name: str) -> str:
        return self._fields[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


class ScopeHeaders:
    """The header fields of a request, as Granian passes them."""

    def __init__(self, fields: list[tuple[str, str]]):
        self._fields = fields

    def items(self) -> list[tuple[str, str]]:
        return self._fields

    def __contains__(self, name: str) -> bool:
        return any(name == key for key, _ in self._fields)


class Scope(Struct):
    """A request without its body, as Granian passes it."""

    method: str
    path: str
    query_string: str
    headers: ScopeHeaders
    client: str
    http_version: str = "1.1"
    authority: str | None = None


class Reply:
    """An HTTP reply."""

    def __init__(self, status: int, headers: Any, content: bytes, cookies: dict[str, str] | None = None):
        self.status = status
        self.headers = headers
        self.content = content
        self.cookies = cookies or {}

    @property
    def json(self) -> Any:
        return jsonlib.loads(self.content)

    @property
    def text(self) -> str:
        return self.content.decode()

    @property
    def redirect(self) -> tuple[str, str]:
        """Where a redirect leads, and the notice that the page there will show, without the change that it offers to undo."""
        assert self.status == 303, self
        return self.headers["Location"], ".".join(self.cookies.get(COOKIE, "").split(".")[:2]).rstrip(".")

    @property
    def broken(self) -> list[str]:
        """The names of the broken fields of a problem."""
        return [error["field"] for error in self.json["errors"]]

    def __repr__(self) -> str:
        return f"<{self.status} {self.content[:500]!r}>"


class Client:
    """A client that sends requests: with a token, or without one as a guest."""

    def __init__(self, app: Application, token: str | None = None):
        self.app = app
        self.token = token

    def signed_in(self, token: str) -> "Client":
        return Client(self.app, token)

    def request(
        self,
        method: str,
        path: str,
        *,
        headers: dict[str, str] | None = None,
        query: dict[str, Any] | None = None,
        query_string: str = "",
        json: Any = None,
        data: Any = None,
        body: str | bytes = b"",
        host: str = HOST,
        remote_addr: str = "127.0.0.1",
    ) -> Reply:
        """Send a request; its parameters are in json=, data= (a form), query= or body=."""
        all_headers = {"Host": host} | ({"Authorization": f"Bearer {self.token}"} if self.token else {}) | (headers or {})
        path, _, query_of_path = path.partition("?")
        query_string = query_string or query_of_path
        if query:
            query_string = urlencode({name: _in_query(value) for name, value in query.items()}, doseq=True)
        if json is not None:
            body = jsonlib.dumps(json, ensure_ascii=False)
            all_headers["Content-Type"] = "application/json"
        if data is not None:
            body = urlencode(data, doseq=True)
            all_headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        content = body.encode() if isinstance(body, str) else body
        if content:
            all_headers["Content-Length"] = str(len(content))
        with recorded_statements.during(f"{method} {path}?{query_string}" if query_string else f"{method} {path}"):
            return self._send(method, path, query_string, all_headers, content, remote_addr)

    def _send(self, method: str, path: str, query: str, headers: dict[str, str], body: bytes, address: str) -> Reply:
        """Do what the edge does, on this thread."""
        fields = ScopeHeaders([(name.lower(), value) for name, value in headers.items()])
        scope: Any = Scope(method, unquote(path), query, fields, f"{address}:4711")
        request = read_scope(scope)
        self.app.route(request)
        request.body = body
        reply = self.app(request)
        contract.check(request, reply)
        return _received(reply)

    def get(self, path: str, **kwargs: Any) -> Reply:
        return self.request("GET", path, **kwargs)

    def post(self, path: str, **kwargs: Any) -> Reply:
        return self.request("POST", path, **kwargs)

    def put(self, path: str, **kwargs: Any) -> Reply:
        return self.request("PUT", path, **kwargs)

    def delete(self, path: str, **kwargs: Any) -> Reply:
        return self.request("DELETE", path, **kwargs)


def form_time(page: Reply, action: str) -> str:
    """The signed time in the form of a page that is sent to this path."""
    form = re.search(rf'action="{re.escape(action)}".*?</form>', page.text, re.DOTALL)
    assert form, page
    [value] = re.findall(r'name="form_time" value="([^"]+)"', form[0])
    return str(value)


def _in_query(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _received(reply: SentReply) -> Reply:
    """What a client receives."""
    fields = [*reply.headers.items(), *(("Set-Cookie", cookie) for cookie in reply.cookies)]
    assert len({name.lower() for name in reply.headers}) == len(reply.headers), fields
    assert not any(CONTROL.search(value) for _, value in fields), fields
    pairs = [cookie.partition(";")[0].partition("=") for cookie in reply.cookies]
    return Reply(reply.status, Headers(fields), reply.body, {name: value for name, _, value in pairs})
