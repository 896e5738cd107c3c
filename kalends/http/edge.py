"""Granian's side: read the body on the event loop, bounded in size and time, then run the WSGI application on a bounded
pool of threads. So a client that sends slowly holds no thread, and beyond the queue's length the answer is a quick 503."""

import asyncio
import io
import secrets
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from granian._granian import RSGIHTTPProtocol as HTTPProtocol
from granian.rsgi import Scope

from kalends import errors
from kalends.errors import Problem
from kalends.http.params import UPLOAD_LIMIT
from kalends.http.problem import CONTENT_TYPE, encode
from kalends.settings import Settings

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Answer = tuple[int, list[tuple[str, str]], bytes]

# Multipart boundaries and the other fields come on top of an upload.
BODY_LIMIT = UPLOAD_LIMIT + 64 * 1024


class Edge:
    """The RSGI application around a WSGI one."""

    def __init__(self, wsgi: Wsgi, settings: Settings):
        self._wsgi = wsgi
        self._patience = settings.body_timeout
        self._pool = ThreadPoolExecutor(settings.threads, thread_name_prefix="request")
        self._room = settings.threads + settings.queue

    async def __rsgi__(self, scope: Scope, proto: HTTPProtocol) -> None:
        try:
            body = await self._body(scope, proto)
            if self._room <= 0:
                raise errors.Unavailable("Too many requests are waiting. Try again shortly.", retry_after=1)
        except Problem as problem:
            _refuse(proto, problem)
            return
        self._room -= 1
        try:
            answer = await asyncio.get_running_loop().run_in_executor(self._pool, self._run, scope, body)
        finally:
            self._room += 1
        proto.response_bytes(*answer)

    async def _body(self, scope: Scope, proto: HTTPProtocol) -> bytes:
        length = scope.headers.get("content-length")
        if length is None and "transfer-encoding" not in scope.headers:
            return b""
        if length is not None and (not length.isdigit() or int(length) > BODY_LIMIT):
            raise errors.TooLarge(f"A body may have at most {UPLOAD_LIMIT // 1024 // 1024} MiB.")
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._patience):
                async for chunk in proto:
                    size += len(chunk)
                    if size > BODY_LIMIT:
                        raise errors.TooLarge(f"A body may have at most {UPLOAD_LIMIT // 1024 // 1024} MiB.")
                    chunks.append(bytes(chunk))
        except TimeoutError:
            raise errors.TooSlow(f"Send the body within {self._patience} seconds.") from None
        return b"".join(chunks)

    def _run(self, scope: Scope, body: bytes) -> Answer:
        status = 500
        headers: list[tuple[str, str]] = []

        def start_response(line: str, fields: list[tuple[str, str]], exc_info: object = None) -> None:
            nonlocal status, headers
            status, headers = int(line[:3]), [(name.lower(), value) for name, value in fields]

        content = b"".join(self._wsgi(environ(scope, body), start_response))
        return status, headers, content


def environ(scope: Scope, body: bytes) -> dict[str, Any]:
    """The WSGI environment of an RSGI request."""
    host, _, port = scope.server.rpartition(":")
    env: dict[str, Any] = {
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
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope.headers.items():
        # A name with an underscore would pass for the one with hyphens, which a proxy may have checked.
        if "_" not in name:
            key = "HTTP_" + name.upper().replace("-", "_")
            env[key] = f"{env[key]}{'; ' if name == 'cookie' else ','}{value}" if key in env else value
    if scope.authority and "HTTP_HOST" not in env:
        env["HTTP_HOST"] = scope.authority
    env["CONTENT_LENGTH"] = str(len(body)) if body else ""
    if "HTTP_CONTENT_TYPE" in env:
        env["CONTENT_TYPE"] = env.pop("HTTP_CONTENT_TYPE")
    env.pop("HTTP_CONTENT_LENGTH", None)
    return env


def _refuse(proto: HTTPProtocol, problem: Problem) -> None:
    request_id = secrets.token_hex(8)
    headers = [("content-type", CONTENT_TYPE), ("x-request-id", request_id), *((n.lower(), v) for n, v in problem.headers.items())]
    proto.response_bytes(problem.status, headers, encode(problem, request_id))
