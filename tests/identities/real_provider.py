"""A certified provider of OpenID Connect (oidc-provider for Node.js) on this machine, and a walk through its pages without a browser."""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import pytest

PROGRAM = Path(__file__).parent / "oidc_provider"
NODE = shutil.which("node")
TIMEOUT = 180
SECRET = "a-secret-of-the-tests"

needs_provider = pytest.mark.skipif(
    NODE is None or not (PROGRAM / "node_modules" / "oidc-provider").is_dir(),
    reason="`make clients` installs the provider, where npm is there",
)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def providing(port: int, redirects: list[str], groups: dict[str, list[str]]) -> Iterator[None]:
    """The provider on the port, for sites with these callbacks; groups: those of each person."""
    environment = os.environ | {"PORT": str(port), "REDIRECTS": json.dumps(redirects), "GROUPS": json.dumps(groups)}
    process = subprocess.Popen(
        [str(NODE), "serve.mjs"], cwd=PROGRAM, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield
    finally:
        process.terminate()
        process.wait(TIMEOUT)


def table(port: int, **more: Any) -> str:
    """The setting for the provider."""
    values = {"issuer": f"http://localhost:{port}", "client_id": "kalends", "client_secret": SECRET, "label": "Club account"}
    values |= {"scopes": "openid email profile groups", "sign_up": "yes"} | more
    return "[club]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


class Walker:
    """A browser without a window: it follows redirects, keeps cookies by host and port, and gives its name at the provider."""

    def __init__(self) -> None:
        self.cookies: dict[str, dict[str, str]] = {}
        self.url = ""

    def sign_in(self, start: str, name: str, at: dict[str, str] | None = None) -> tuple[int, str]:
        """Sign in with the provider under the name; the last status and page. at: hosts in place of others, as a balancer chooses them."""
        status, page = self.visit("GET", start, at=at)
        if "/interaction/" in self.url:
            status, page = self.visit("POST", self.url, urlencode({"name": name}), at=at)
        return status, page

    def visit(self, method: str, url: str, body: str = "", at: dict[str, str] | None = None) -> tuple[int, str]:
        for _ in range(10):
            self.url = url
            status, location, page = self._send(method, url, body, at or {})
            if status not in (302, 303):
                return status, page
            method, url, body = "GET", urljoin(url, location), ""
        raise AssertionError(f"too many redirects, the last one to {url}")

    def _send(self, method: str, url: str, body: str, at: dict[str, str]) -> tuple[int, str, str]:
        parts = urlsplit(url)
        jar = self.cookies.setdefault(parts.netloc, {})
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        host = next((other for prefix, other in at.items() if f"{parts.netloc}{parts.path}".startswith(prefix)), parts.netloc)
        connection = HTTPConnection(host.replace("localhost", "127.0.0.1"), timeout=TIMEOUT)
        headers = {"Host": parts.netloc, "Accept": "text/html", "Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}
        headers |= {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        try:
            connection.request(method, path, body or None, headers)
            reply = connection.getresponse()
            page = reply.read().decode()
        finally:
            connection.close()
        for cookie in reply.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            jar[name] = value
        return reply.status, reply.headers.get("Location", ""), page
