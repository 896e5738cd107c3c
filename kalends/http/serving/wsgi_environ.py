"""Build the WSGI environment of an RSGI request, and validate its headers."""

import io
import re
import sys
from typing import Any

from granian.rsgi import Scope

from kalends import errors

Environ = dict[str, Any]

HEAD_LIMIT = 64 * 1024

# RFC 9112, section 3.2: a name, or an address in brackets, and an optional port.
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+;=%-]*)(:[0-9]*)?")


def environ(scope: Scope) -> Environ:
    """The environment without the body; raises a Problem if the headers are too large, or if Host is missing, repeated or malformed."""
    host, _, port = scope.server.rpartition(":")
    env: Environ = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": host,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    size = len(scope.path) + len(scope.query_string)
    for name, value in scope.headers.items():
        size += len(name) + len(value)
        # A name with an underscore would be mistaken for the one with hyphens, which a proxy may have set or removed.
        if "_" not in name:
            key = "HTTP_" + name.upper().replace("-", "_")
            env[key] = _joined(name, env[key], value) if key in env else value
    if size > HEAD_LIMIT:
        raise errors.HeadTooLarge(f"The path, the query and the headers may have at most {HEAD_LIMIT // 1024} KiB together.")
    if "authorization" in scope.headers:
        # Granian drops a value that is not ASCII. It is not a valid credential, and must not be treated as if none was sent.
        env.setdefault("HTTP_AUTHORIZATION", "unreadable")
    if "idempotency-key" in scope.headers:
        env.setdefault("HTTP_IDEMPOTENCY_KEY", "")
    _check_host(scope, env)
    if "HTTP_CONTENT_TYPE" in env:
        env["CONTENT_TYPE"] = env.pop("HTTP_CONTENT_TYPE")
    return env


def has_body(env: Environ) -> bool:
    return "HTTP_CONTENT_LENGTH" in env or "HTTP_TRANSFER_ENCODING" in env


def is_multipart(env: Environ) -> bool:
    return str(env.get("CONTENT_TYPE", "")).lower().startswith("multipart/form-data")


def set_body(env: Environ, body: bytes) -> None:
    env["wsgi.input"] = io.BytesIO(body)
    env["CONTENT_LENGTH"] = str(len(body)) if body else ""
    env.pop("HTTP_CONTENT_LENGTH", None)


def _joined(name: str, first: str, second: str) -> str:
    if name == "host":
        raise errors.BadRequest("Send one Host header.")
    return f"{first}{'; ' if name == 'cookie' else ','}{second}"


def _check_host(scope: Scope, env: Environ) -> None:
    host = env.get("HTTP_HOST")
    if host is None:
        if scope.http_version == "1.1":
            raise errors.BadRequest("Send a Host header.")
        if scope.authority:
            env["HTTP_HOST"] = scope.authority
    elif not _HOST.fullmatch(host):
        raise errors.BadRequest("The Host header must be a host name or address, and a port where needed.")
