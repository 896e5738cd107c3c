"""The files of `deploy/` in real proxies: people sign in, send forms and upload files through them, and the log names their address."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.cast import PASSWORD
from tests.serve.prepared import Prepared
from tests.serve.proxies import NAME, PACKAGES, Proxy
from tests.serve.running import Running, eventually

Behind = tuple[Running, Proxy]


@pytest.fixture(scope="module", params=PACKAGES)
def behind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    """A service behind each proxy."""
    folder = tmp_path_factory.mktemp(request.param)
    with ExitStack() as started:
        service = Prepared(folder, "--no-work", base_url=f"https://{NAME}", trusted_proxies="127.0.0.1")
        started.callback(service.stop)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        proxy = Proxy(request.param, folder, port, service.ready().port)
        started.callback(proxy.stop)
        yield service, proxy


def send(proxy: Proxy, method: str, path: str, body: bytes = b"", **headers: str) -> HTTPResponse:
    connection = proxy.connection()
    connection.request(method, path, body, {"Host": NAME} | {name.replace("_", "-"): value for name, value in headers.items()})
    reply = connection.getresponse()
    reply.content = reply.read()  # type: ignore[attr-defined]
    connection.close()
    return reply


def send_form(proxy: Proxy, path: str, **fields: str) -> HTTPResponse:
    """As a browser sends it that sends the Origin header alone."""
    kind = "application/x-www-form-urlencoded"
    cookie = fields.pop("cookie", "")
    return send(proxy, "POST", path, urlencode(fields).encode(), Content_Type=kind, Origin=f"https://{NAME}", Cookie=cookie)


def test_people_sign_in_and_send_forms_through_a_proxy(behind: Behind) -> None:
    service, proxy = behind
    service.sign_up("alice")
    signed_in = send_form(proxy, "/sign-in", user_name="alice", password=PASSWORD)
    assert signed_in.status == 303
    cookie = "; ".join(each.partition(";")[0] for each in signed_in.headers.get_all("Set-Cookie", []))
    reply = send_form(proxy, "/calendars", cookie=cookie, name="Jazz", time_zone="UTC")
    assert reply.status == 303, reply.content  # type: ignore[attr-defined]
    forged = send(proxy, "POST", "/calendars", b"name=x", Cookie=cookie, Origin="https://evil.example")
    assert forged.status == 403


def test_an_upload_of_ten_mebibytes_reaches_the_service(behind: Behind) -> None:
    service, proxy = behind
    token = service.sign_up("bob")
    file = b"x" * (10 * 1024 * 1024 - 1)
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.ics"\r\nContent-Type: text/calendar\r\n\r\n'
    kind = "multipart/form-data; boundary=b"
    reply = send(proxy, "POST", "/api/events", head + file + b"\r\n--b--\r\n", Content_Type=kind, Authorization=f"Bearer {token}")
    assert reply.status == 422, reply.content  # type: ignore[attr-defined]
    assert reply.headers["Content-Type"] == "application/problem+json"


def test_haproxy_tells_clients_to_try_again_while_no_server_is_ready(tmp_path: Path) -> None:
    with ExitStack() as started:
        ports = [started.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1] for _ in range(2)]
    proxy = Proxy("haproxy", tmp_path, *ports)
    try:
        reply = send(proxy, "GET", "/healthz")
    finally:
        proxy.stop()
    assert (reply.status, reply.headers["Retry-After"], reply.headers["Content-Type"]) == (503, "2", "application/problem+json")


def test_the_log_names_the_client_and_not_whom_it_claims_to_be(behind: Behind) -> None:
    service, proxy = behind
    assert send(proxy, "GET", "/healthz", X_Forwarded_For="203.0.113.5").status == 200
    networks = eventually(lambda: [line["network"] for line in service.log if line.get("endpoint") == "GET /healthz"])
    assert networks == ["127.0.0.1"]
