"""Sending SMS by Twilio's API or to a file, and the outcomes of failures."""

import json
import ssl
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from kalends.core.net.deadline import Deadline
from kalends.core.settings import Settings
from kalends.features.deliveries.rules.outcome import Outcome, TryAgain, Undeliverable, Unknown
from kalends.mail import sms
from tests.deliveries.servers import DRIP, DROP, HANG, server_context

SID, TOKEN = "AC0123", "canary/t@ken"


class Interface(ThreadingHTTPServer):
    """A fake of Twilio's API: sends a status and a body, or hangs, drops the connection, or drips an endless reply."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, status: int, body: bytes, trouble: str):
        super().__init__(("127.0.0.1", 0), _Request)
        self.status, self.body, self.trouble = status, body, trouble
        self.on_request: Callable[[], None] = lambda: None
        self.requests: list[tuple[str, str, dict[str, list[str]]]] = []
        self.over = threading.Event()


class _Request(BaseHTTPRequestHandler):
    server: Interface

    def do_POST(self) -> None:
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.requests.append((self.path, self.headers["Authorization"], parse_qs(form)))
        self.server.on_request()
        if self.server.trouble == HANG:
            self.server.over.wait()
        while self.server.trouble == DRIP and not self.server.over.wait(0.02):
            self.wfile.write(b"H")
        if self.server.trouble:
            return
        self.send_response(self.server.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def interface(status: int = 201, body: bytes = b"{}", trouble: str = "", tls: ssl.SSLContext | None = None) -> Iterator[Interface]:
    with Interface(status, body, trouble) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


def using(folder: Path, server: Interface, scheme: str = "http") -> Settings:
    address = f"twilio://{SID}:canary%2Ft%40ken@127.0.0.1:{server.server_port}?from=+15005550006&scheme={scheme}"
    return Settings(data=str(folder), base_url="https://calendar.example.org", sms=address)


def send(settings: Settings) -> None:
    sms.send(settings, "+33612345678", "Jazz à 5 & more", 42, seconds=60)


def failure(settings: Settings) -> Outcome:
    with pytest.raises(Outcome) as failed:
        send(settings)
    assert "\n" not in str(failed.value)
    assert "canary" not in str(failed.value)
    return failed.value


def test_an_sms_is_sent_once(tmp_path: Path) -> None:
    with interface() as server:
        send(using(tmp_path, server))
    credential = b64encode(f"{SID}:{TOKEN}".encode()).decode()
    form = {"To": ["+33612345678"], "From": ["+15005550006"], "Body": ["Jazz à 5 & more"]}
    assert server.requests == [(f"/2010-04-01/Accounts/{SID}/Messages.json", f"Basic {credential}", form)]


def test_proxy_settings_are_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with interface() as server:
        send(using(tmp_path, server))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, Undeliverable), (422, Undeliverable)]
    + [(status, TryAgain) for status in (301, 307, 401, 403, 404, 408, 429, 503)]
    + [(status, Unknown) for status in (500, 502, 504)],
)
def test_the_http_status_decides_the_outcome(tmp_path: Path, status: int, kind: type[Outcome]) -> None:
    with interface(status, b"<html>no</html>") as server:
        failed = failure(using(tmp_path, server))
    assert type(failed) is kind
    assert str(status) in str(failed)
    assert len(server.requests) == 1


def test_the_providers_message_is_shown_in_one_short_line_without_the_token(tmp_path: Path) -> None:
    words = f"The number\n is not valid, says {TOKEN}. " + "x" * 400
    with interface(400, json.dumps({"code": 21211, "message": words}).encode()) as server:
        message = str(failure(using(tmp_path, server)))
    assert "The number  is not valid, says …. x" in message.replace("\n", " ")
    assert len(message) < 300


@pytest.mark.parametrize("body", [b"[1]", b'{"message": null}', b"\xff", b'{"message": "' + b"x" * 100_000 + b'"}'])
def test_an_error_status_without_a_message_is_still_an_error(tmp_path: Path, body: bytes) -> None:
    with interface(400, body) as server:
        assert type(failure(using(tmp_path, server))) is Undeliverable


@pytest.mark.parametrize("trouble", [HANG, DROP, DRIP])
def test_a_request_that_may_have_been_sent_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str) -> None:
    """The time is over when the request has arrived: on a busy machine, to connect may take longer than any time that a test waits."""
    deadline = Deadline(60, 60)
    monkeypatch.setattr(sms, "Deadline", lambda *seconds: deadline)
    with interface(trouble=trouble) as server:
        if trouble != DROP:
            server.on_request = deadline._shut_down
        assert type(failure(using(tmp_path, server))) is Unknown
    assert len(server.requests) == 1


def test_a_request_that_was_not_sent_is_retried(tmp_path: Path, certified: Path) -> None:
    with interface(tls=server_context(certified)) as server:
        failed = failure(using(tmp_path, server, "https"))
    assert type(failed) is TryAgain
    assert "safe" in str(failed)
    assert server.requests == []
    assert type(failure(using(tmp_path, server))) is TryAgain
    assert type(failure(Settings(data=str(tmp_path), sms="twilio://a:b@no.such.host.invalid?from=+1"))) is TryAgain


def test_a_trusted_certificate_is_enough(tmp_path: Path, trusted: Path) -> None:
    with interface(tls=server_context(trusted)) as server:
        send(using(tmp_path, server, "https"))
    assert len(server.requests) == 1


def test_an_sms_file_has_recipient_and_text(tmp_path: Path) -> None:
    for _ in range(2):
        send(Settings(data=str(tmp_path)))
    (file,) = (tmp_path / "outbox").iterdir()
    assert (file.name, file.read_text()) == ("42.sms.txt", "To: +33612345678\n\nJazz à 5 & more\n")
