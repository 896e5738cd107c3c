"""A request: Granian's scope, validated, and what is known about the request while it is processed."""

import re
from collections.abc import Callable, Sequence
from itertools import chain
from random import getrandbits
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from kalends.core import errors
from kalends.core.errors import Problem
from kalends.http.context import Actor
from kalends.http.endpoint import READ_METHODS, Endpoint
from kalends.http.reply import Reply

if TYPE_CHECKING:
    from granian.rsgi import Scope

HEAD_LIMIT = 64 * 1024

# RFC 9112, section 3.2: a name, or an address in brackets, and an optional port.
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+;=%-]*)(:[0-9]*)?")


class Request(Struct, eq=False):
    """A request. Names of header fields are in lower case; `address` is the other end of the connection, which may be a proxy."""

    method: str
    path: str
    query: str = ""
    headers: dict[str, str] = {}
    address: str = ""
    body: bytes = b""
    # Set by the router: what runs the request and the values in its path; or the error to send instead.
    run: "Callable[[Request], Reply] | None" = None
    endpoint: Endpoint | None = None
    variables: dict[str, Any] = {}
    template: str | None = None
    refusal: Problem | None = None
    # The format that the suffix of the path asks for.
    format: str = ""
    # The body was not read, since it may have a file and the client has no credential.
    is_unread: bool = False
    # Set while it runs.
    id: str = ""
    actor: Actor | None = None
    params: dict[str, Any] | None = None
    # Header fields of the reply that are known before it; an error is sent with them too.
    reply_headers: dict[str, str] = {}

    @property
    def has_body(self) -> bool:
        return "content-length" in self.headers or "transfer-encoding" in self.headers

    @property
    def is_multipart(self) -> bool:
        return self.headers.get("content-type", "").lower().startswith("multipart/form-data")


def new_id() -> str:
    """The id of a request, for the log. It is no secret, so it takes no system call."""
    return f"{getrandbits(64):016x}"


def read_scope(scope: "Scope") -> Request:
    """The request without its body; raises a Problem if its head is too large, or if Host is missing, repeated or malformed."""
    fields = scope.headers.items()
    path, query = scope.path, scope.query_string
    if len(path) + len(query) + sum(map(len, chain.from_iterable(fields))) > HEAD_LIMIT:
        raise errors.HeadTooLarge(f"The path, the query and the headers may have at most {HEAD_LIMIT // 1024} KiB together.")
    headers = dict(fields)
    if len(headers) < len(fields):
        headers = _joined(fields)
    # A name with an underscore would be mistaken for the one with hyphens by a program behind this one, or a proxy before it.
    if "_" in "".join(headers):
        headers = {name: value for name, value in headers.items() if "_" not in name}
    # Granian drops a value that is not ASCII. It is not a valid credential, and must not be treated as if none was sent.
    if "authorization" not in headers and "authorization" in scope.headers:
        headers["authorization"] = "unreadable"
    if scope.method not in READ_METHODS and "idempotency-key" not in headers and "idempotency-key" in scope.headers:
        headers["idempotency-key"] = ""
    if "host" not in headers or not _is_host(headers["host"]):
        _check_host(scope, headers)
    return Request(scope.method, path, query, headers, scope.client.rpartition(":")[0].strip("[]"))


def _joined(fields: Sequence[tuple[str, str]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in fields:
        if name not in headers:
            headers[name] = value
        elif name == "host":
            raise errors.BadRequest("Send one Host header.")
        else:
            headers[name] += f"{'; ' if name == 'cookie' else ','}{value}"
    return headers


def _is_host(host: str) -> bool:
    return _HOST.fullmatch(host) is not None


def _check_host(scope: "Scope", headers: dict[str, str]) -> None:
    if "host" in headers:
        raise errors.BadRequest("The Host header must be a host name or address, and a port where needed.")
    if scope.http_version == "1.1":
        raise errors.BadRequest("Send a Host header.")
    if scope.authority:
        headers["host"] = scope.authority
