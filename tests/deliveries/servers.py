"""Mail servers on the loopback: a real one, and a scripted one."""

import asyncio
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

HANG, DROP, DRIP = "hang", "drop", "drip"
USER, PASSWORD = "kalends", "canary p@ss"


class Mailbox:
    """The envelopes that a real server received; it can refuse at a step of the protocol."""

    def __init__(self, **refusals: str):
        self.refusals = refusals
        self.envelopes: list[Any] = []
        self.logins: list[bool] = []
        self.names: list[str | None] = []

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802
        self.names.append(session.host_name)
        envelope.mail_from, envelope.mail_options = address, options
        return self.refusals.get("MAIL", "250 OK")

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802
        envelope.rcpt_tos.append(address)
        return self.refusals.get("RCPT", "250 OK")

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        # Mail that every new user gets, which is not what the tests of deliveries check.
        if "DATA" not in self.refusals and b"Subject: Confirm your email address" not in envelope.content:
            envelope.is_safe = session.ssl is not None
            self.envelopes.append(envelope)
        return self.refusals.get("DATA", "250 OK")

    def authenticate(self, server: Any, session: Any, envelope: Any, mechanism: str, auth_data: Any) -> AuthResult:
        known = isinstance(auth_data, LoginPassword) and (auth_data.login, auth_data.password) == (USER.encode(), PASSWORD.encode())
        self.logins.append(known)
        return AuthResult(success=known, handled=False)


@contextmanager
def real_server(mailbox: Any, tls: ssl.SSLContext | None = None, kind: type[SMTP] = SMTP, **parameters: Any) -> Iterator[int]:
    """An aiosmtpd server, with TLS from the start if there is a context; its port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    starting = loop.create_server(lambda: kind(mailbox, loop=loop, hostname="mail.test", **parameters), "127.0.0.1", 0, ssl=tls)
    # Not run in this thread: once a test has used Playwright, the loop of that runs here for good.
    server = asyncio.run_coroutine_threadsafe(starting, loop).result(5)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(_stop(server), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _stop(server: asyncio.Server) -> None:
    server.close()
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class Scripted(socketserver.ThreadingTCPServer):
    """Replies to each command by its script, else with success; or hangs, drops the connection, or drips an endless reply."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, **script: str):
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.script = {"EHLO": "250-mail.test\r\n250 SIZE 1000000", "DATA": "354 go on"} | script
        self.heard: list[str] = []
        self.over = threading.Event()

    @property
    def port(self) -> int:
        return int(self.server_address[1])


@contextmanager
def scripted(**script: str) -> Iterator[Scripted]:
    with Scripted(**script) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


class _Conversation(socketserver.StreamRequestHandler):
    server: Scripted

    def handle(self) -> None:
        try:
            if not self._reply("greeting", "220 mail.test"):
                return
            while line := self.rfile.readline():
                verb = line.decode().split()[0].upper()
                self.server.heard.append(verb)
                if not self._reply(verb) or (verb == "DATA" and not self._content()):
                    return
        except OSError:
            return

    def _content(self) -> bool:
        if not self.server.script["DATA"].startswith("354"):
            return True
        while self.rfile.readline() not in (b".\r\n", b""):
            pass
        return self._reply("content")

    def _reply(self, step: str, well: str = "250 OK") -> bool:
        """Whether the conversation goes on."""
        response = self.server.script.get(step, well)
        if response == HANG:
            self.server.over.wait()
        while response == DRIP and not self.server.over.wait(0.02):
            self.wfile.write(b"2")
        if response in (HANG, DROP, DRIP):
            return False
        self.wfile.write(f"{response}\r\n".encode())
        return True


def certificate(folder: Path) -> Path:
    """A certificate for 127.0.0.1 and its key, in one file."""
    path = folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    named = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, *named, "-keyout", "key.pem", "-out", path.name], cwd=folder, check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + (folder / "key.pem").read_bytes())
    return path


def server_context(path: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context
