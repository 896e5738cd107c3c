"""Providers that are unavailable, slow, wrong or hostile: each import ends with a clear error, and the credential is sent nowhere else."""

import gzip
import socket
import ssl
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kalends.core.errors import Problem, Unavailable
from kalends.core.net import http_client
from kalends.core.net.http_client import ProviderSession, UnexpectedReply
from kalends.core.settings import Settings
from kalends.features.contacts.model import ImportInput
from kalends.features.contacts.steps.providers import carddav
from kalends.features.contacts.steps.providers.fetch import MAX_CONCURRENT, fetch_entries
from tests.contacts.providers.conftest import CANARY, Fails
from tests.contacts.providers.stand import DAV_TYPE, Request, Stand, dav_response, multistatus
from tests.serve.running import TIMEOUT, eventually

CERTIFICATE = Path(__file__).parent / "localhost.pem"
SERVICES = ["google", "yahoo", "outlook"]
HEAD = b"HTTP/1.1 207 Multi-Status\r\nContent-Type: application/xml\r\n"
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))

Deadline = Callable[[float], None]


@pytest.fixture
def deadline(monkeypatch: pytest.MonkeyPatch) -> Deadline:
    return lambda seconds: monkeypatch.setattr(http_client, "SECONDS", seconds)


def is_unavailable(problem: Problem, reason: str) -> bool:
    assert (problem.status, int(problem.headers["Retry-After"]) > 0) == (503, True)
    assert "Nothing was changed" in problem.detail
    return reason in problem.detail


def is_unexpected_reply(problem: Problem, reason: str) -> bool:
    assert (problem.status, problem.kind) == (422, "provider-invalid-reply"), problem.detail
    assert [error.field for error in problem.errors] == ["service"]
    assert ".vcf" in problem.detail
    return reason in problem.detail


@pytest.mark.parametrize("service", SERVICES)
def test_an_unreachable_provider_is_unavailable(fails: Fails, service: str) -> None:
    with Stand() as stand:
        settings = stand.settings
    problem = fails(settings, service)
    assert is_unavailable(problem, "cannot be reached")
    assert {"google": "Google", "yahoo": "Yahoo", "outlook": "Microsoft"}[service] in problem.detail


def test_a_provider_with_an_unknown_host_name_is_unavailable(fails: Fails) -> None:
    assert is_unavailable(fails(Settings(google_carddav_url="https://nobody.invalid/")), "cannot be reached")


def test_a_name_lookup_that_hangs_times_out(fails: Fails, deadline: Deadline, monkeypatch: pytest.MonkeyPatch) -> None:
    resolved = threading.Event()

    def slow(*name: object, **more: object) -> list[object]:
        resolved.wait(TIMEOUT)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    deadline(0.3)
    assert is_unavailable(fails(Settings(google_carddav_url="http://slow.invalid/")), "within 0.3 seconds")
    resolved.set()


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("begin", [b"", b"HTTP/1.1 ", HEAD, HEAD + b"\r\n", HEAD + b"Content-Length: 9\r\n\r\n<"])
def test_a_provider_that_hangs_is_cut_off(stand: Stand, fails: Fails, deadline: Deadline, service: str, begin: bytes) -> None:
    def behaviour(request: Request) -> None:
        request.connection.sendall(begin)
        stand.hang(request)

    stand.behaviour = behaviour
    deadline(0.3)
    _import_until_connected(stand, lambda: fails(stand.settings, service))
    assert stand.client_disconnected.wait(TIMEOUT)


def _import_until_connected(stand: Stand, imported: Callable[[], Problem]) -> None:
    """Import until the provider got a request: on a busy machine the deadline may end before that."""
    for _ in range(20):
        assert is_unavailable(imported(), "within 0.3 seconds")
        if stand.requests or stand.client_disconnected.is_set():
            return


def test_a_connection_whose_reply_cannot_be_used_is_closed_at_once(stand: Stand) -> None:
    def behaviour(request: Request) -> None:
        request.connection.sendall(HEAD + b"Content-Encoding: gzip\r\n\r\n")
        stand.hang(request)

    stand.behaviour = behaviour
    with pytest.raises(UnexpectedReply) as error, ProviderSession() as session:
        session.open(stand.url).request("GET", f"{stand.url}/")
    assert stand.client_disconnected.wait(TIMEOUT)
    assert error.value


@pytest.mark.parametrize(
    ("begin", "drop"),
    [
        (b"", b"H"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (HEAD, b"X-More: and more\r\n"),
        (HEAD + b"X-Long: ", b"x"),
        (HEAD + b"\r\n", b" "),
        (HEAD + b"Content-Length: 1000000\r\n\r\n", b" "),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-Trailer: 1\r\n"),
    ],
)
def test_a_provider_that_drips_is_cut_off(stand: Stand, fails: Fails, deadline: Deadline, begin: bytes, drop: bytes) -> None:
    def behaviour(request: Request) -> None:
        request.connection.sendall(begin)
        stand.drip(request, drop)

    stand.behaviour = behaviour
    deadline(0.3)
    _import_until_connected(stand, lambda: fails(stand.settings))
    assert stand.client_disconnected.wait(TIMEOUT)


def test_a_handshake_that_hangs_is_cut_off(stand: Stand, fails: Fails, deadline: Deadline) -> None:
    """The stand speaks no TLS, and takes the greeting for a request that never ends."""
    deadline(0.3)
    assert is_unavailable(fails(Settings(google_carddav_url=stand.url.replace("http:", "https:"))), "within 0.3 seconds")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_an_untrusted_certificate_is_refused(fails: Fails, name: str) -> None:
    with Stand(tls=_tls()) as stand:
        url = stand.url.replace("127.0.0.1", name)
        assert is_unavailable(fails(Settings(google_carddav_url=url)), "no safe connection")
        assert stand.requests == []


def test_a_certificate_for_the_name_opens_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with Stand(_one_card, tls=_tls()) as stand:
        entries = fetch_entries(stand.settings, ImportInput(service="google", user_name="ana", password="secret"))
    assert [entry.first_name for entry in entries] == ["Ana"]


@pytest.mark.parametrize("framing", ["Content-Length: 1073741824", "Transfer-Encoding: chunked", "Connection: close"])
@pytest.mark.parametrize("service", ["google", "outlook"])
def test_a_reply_of_a_gigabyte_is_refused(stand: Stand, fails: Fails, service: str, framing: str) -> None:
    bytes_sent = 0

    def behaviour(request: Request) -> None:
        nonlocal bytes_sent
        request.connection.sendall(HEAD.replace(b"207", b"200") + framing.encode() + b"\r\n\r\n")
        block = b" " * 2**20
        for _ in range(1024):
            request.connection.sendall(b"100000\r\n" + block + b"\r\n" if "chunked" in framing else block)
            bytes_sent += len(block)

    stand.behaviour = behaviour
    assert is_unexpected_reply(fails(stand.settings, service), "more than 20 MiB")
    assert bytes_sent < 64 * 2**20


def test_the_total_size_of_many_replies_is_bounded(stand: Stand, fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "BYTES", 3 * 2**20)
    stand.behaviour = lambda request: request.reply(404, b" " * 2**21)
    assert is_unexpected_reply(fails(stand.settings), "more than 3 MiB")


def test_compressed_content_is_not_unpacked(stand: Stand, fails: Fails) -> None:
    bomb = gzip.compress(b" " * 2**26)
    stand.behaviour = lambda request: request.reply(207, bomb, Content_Encoding="gzip", Content_Type=DAV_TYPE)
    assert is_unexpected_reply(fails(stand.settings), "compressed")


@pytest.mark.parametrize(
    "body",
    [
        "<!doctype html><title>Sign in</title><p>Sign in first<br>",
        "<html/>",
        "",
        "\x00",
        "<?xml version='1.0' encoding='hex'?><a/>",
        f"<!DOCTYPE a [<!ENTITY l0 'ha'>{LAUGHS}]><a>&l9;</a>",
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>",
        multistatus().replace("?>", "?><!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'>"),
        multistatus("<D:response>" * 100_000),
    ],
    ids=["page", "other XML", "nothing", "zero", "encoding", "laughs", "external entity", "DTD", "depth"],
)
def test_a_reply_that_is_no_address_book_is_reported(stand: Stand, fails: Fails, body: str) -> None:
    stand.behaviour = lambda request: request.reply(207, body, Content_Type=DAV_TYPE)
    assert is_unexpected_reply(fails(stand.settings), "did not respond like an address book")


@pytest.mark.parametrize("status", [200, 204, 303, 400, 404, 418])
def test_a_server_without_address_books_is_reported(stand: Stand, fails: Fails, status: int) -> None:
    stand.behaviour = lambda request: request.reply(status, "<p>Hello", Location="/elsewhere")
    assert is_unexpected_reply(fails(stand.settings), "names no address book")


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_provider_with_an_error_status_is_unavailable(stand: Stand, fails: Fails, service: str, status: int) -> None:
    stand.behaviour = lambda request: request.reply(status, CANARY, X_Echo=request.head.partition("Authorization: ")[2].split("\r")[0])
    assert is_unavailable(fails(stand.settings, service), f"it responded with status {status}")


def test_a_head_that_echoes_the_credential_reaches_no_log(stand: Stand, fails: Fails) -> None:
    def behaviour(request: Request) -> None:
        credential = request.head.partition("Authorization: ")[2].split("\r")[0]
        request.connection.sendall(f"HTTP/1.1 404 {credential}\r\nnot a header {credential}\r\n{credential}: 1\r\n\r\n".encode())

    stand.behaviour = behaviour
    assert is_unexpected_reply(fails(stand.settings), "names no address book")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("service", SERVICES)
def test_a_redirect_to_another_host_is_not_followed(stand: Stand, fails: Fails, service: str, status: int) -> None:
    with Stand() as other:
        stand.behaviour = lambda request: request.reply(status, Location=f"{other.url}/dav")
        assert is_unexpected_reply(fails(stand.settings, service), "another host")
        assert (len(stand.requests), other.requests) == (1, [])


@pytest.mark.parametrize(
    "location",
    [
        "//{host}/dav",
        "http://{mine}@{host}/dav",
        "http://{host}\\@{mine}/dav",
        "https://{mine}/dav",
        "http://localhost/dav",
        "ftp://{mine}/dav",
        "http://[/dav",
        "http://{mine}0/dav",
    ],
)
def test_a_redirect_in_disguise_is_not_followed(stand: Stand, fails: Fails, location: str) -> None:
    with Stand() as other:
        stand.behaviour = lambda request: request.reply(301, Location=location.format(host=other.host, mine=stand.host))
        assert is_unexpected_reply(fails(stand.settings), " leads ")
        assert (len(stand.requests), other.requests) == (1, [])


def test_endless_redirects_are_refused(stand: Stand, fails: Fails) -> None:
    stand.behaviour = lambda request: request.reply(301, Location="/dav")
    assert is_unexpected_reply(fails(stand.settings), "more than 5 times")
    assert len(stand.requests) == http_client.REDIRECTS + 1


@pytest.mark.parametrize(
    "linked", ["<D:current-user-principal>{}</D:current-user-principal>", "<C:addressbook-home-set>{}</C:addressbook-home-set>"]
)
def test_a_link_to_another_host_is_not_followed(stand: Stand, fails: Fails, linked: str) -> None:
    with Stand() as other:
        stand.behaviour = lambda request: request.reply(
            207, multistatus(dav_response("/dav", linked.format(f"<D:href>{other.url}/ana/</D:href>"))), Content_Type=DAV_TYPE
        )
        assert is_unexpected_reply(fails(stand.settings), "another host")
        assert other.requests == []


def test_a_card_on_another_host_is_not_fetched(stand: Stand, fails: Fails) -> None:
    with Stand() as other:
        stand.behaviour = lambda request: _dav(request, [f"{other.url}/ana/1.vcf"])
        assert is_unexpected_reply(fails(stand.settings), "another host")
        assert other.requests == []


def test_from_http_to_https_is_the_same_host() -> None:
    with http_client.ProviderSession() as session:
        host = session.open("http://dav.example.org/dav")
        assert host._follow_redirect("http://dav.example.org/dav", "https://DAV.example.org/dav/") == "https://DAV.example.org/dav/"
        assert host.resolve("https://dav.example.org/dav/", "/ana") == "https://dav.example.org/ana"
        for elsewhere in ("http://dav.example.org/", "https://dav.example.org:8443/", "https://example.org/"):
            with pytest.raises(http_client.UnexpectedReply):
                host._follow_redirect("https://dav.example.org/dav/", elsewhere)


def test_proxy_settings_are_ignored(stand: Stand, fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    with Stand() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert is_unexpected_reply(fails(stand.settings), "names no address book")
        assert (proxy.requests, bool(stand.requests)) == ([], True)


def test_a_reply_with_too_many_elements_is_refused(stand: Stand, fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carddav, "MAX_TAGS", 1_000)
    stand.behaviour = lambda request: request.reply(207, multistatus("<a/>" * 1_000), Content_Type=DAV_TYPE)
    assert is_unexpected_reply(fails(stand.settings), "did not respond like an address book")


def test_too_many_cards_are_reported(stand: Stand, fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carddav, "MAX_ENTRIES", 50)
    stand.behaviour = lambda request: _dav(request, [f"/ana/{number}.vcf" for number in range(51)])
    assert is_unexpected_reply(fails(stand.settings), "more than 20,000 contacts")


def test_cards_one_by_one_are_bounded(stand: Stand, fails: Fails) -> None:
    stand.behaviour = lambda request: _dav(request, [f"/ana/{number}.vcf" for number in range(carddav.MAX_SINGLE_REQUESTS + 1)])
    assert is_unexpected_reply(fails(stand.settings), "only one by one")


def test_a_truncated_reply_is_requested_in_parts(stand: Stand) -> None:
    stand.behaviour = _one_card_and_cut
    entries = fetch_entries(stand.settings, ImportInput(service="yahoo", user_name="ana", password="secret"))
    assert [entry.first_name for entry in entries] == ["Ana"]
    assert [request.method for request in stand.requests][-3:] == ["REPORT", "PROPFIND", "REPORT"]


def test_imports_that_hang_leave_the_other_threads_alone(stand: Stand, fails: Fails) -> None:

    def behaviour(request: Request) -> None:
        stand.closing.wait(TIMEOUT)

    stand.behaviour = behaviour
    hanging = [threading.Thread(target=fails, args=[stand.settings]) for _ in range(MAX_CONCURRENT)]
    for thread in hanging:
        thread.start()
    eventually(lambda: len(stand.requests) == MAX_CONCURRENT)
    with pytest.raises(Unavailable, match="Other imports are running") as refused:
        fetch_entries(stand.settings, ImportInput(service="yahoo", user_name="ana", password="secret"))
    assert refused.value.headers == {"Retry-After": "60"}
    stand.closing.set()
    for thread in hanging:
        thread.join(TIMEOUT)
    stand.behaviour = _one_card
    assert fetch_entries(stand.settings, ImportInput(service="yahoo", user_name="ana", password="secret"))


@pytest.mark.parametrize(
    ("credentials", "field"),
    [
        ({"password": None}, "password"),
        ({"password": ""}, "password"),
        ({"user_name": None}, "user_name"),
        ({"user_name": ""}, "user_name"),
        ({"user_name": "ana:example"}, "user_name"),
        ({"access_token": "canary.token-_~+/==\r\nX-More: 1"}, "access_token"),
        ({"access_token": "Žluť"}, "access_token"),
    ],
)
def test_an_invalid_credential_is_sent_to_no_provider(stand: Stand, fails: Fails, credentials: dict[str, str | None], field: str) -> None:
    problem = fails(stand.settings, **credentials)
    assert (problem.status, [error.field for error in problem.errors]) == (422, [field])
    assert stand.requests == []


def _tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


def _one_card(request: Request) -> None:
    _dav(request, ["/ana/1.vcf"], "<C:address-data>BEGIN:VCARD&#13;\nFN:Ana\nEND:VCARD</C:address-data>")


def _one_card_and_cut(request: Request) -> None:
    if b"addressbook-query" in request.body:
        cut = "<D:response><D:href>/dav</D:href><D:status>HTTP/1.1 507 Insufficient Storage</D:status></D:response>"
        request.reply(207, multistatus(cut), Content_Type=DAV_TYPE)
    else:
        _one_card(request)


def _dav(request: Request, members: list[str], data: str = "") -> None:
    """An address book that is everything in one: its user, their home, and the book."""
    itself = f"<C:addressbook-home-set><D:href>{request.target}</D:href></C:addressbook-home-set>"
    kind = "<D:resourcetype><D:collection/><C:addressbook/></D:resourcetype>"
    listed = [dav_response(member, data) for member in members]
    if request.method == "PROPFIND":
        depth = "Depth: 1" in request.head
        request.reply(207, multistatus(dav_response(request.target, itself, kind), *(listed if depth else [])), Content_Type=DAV_TYPE)
    else:
        request.reply(207 if data else 400, multistatus(*listed), Content_Type=DAV_TYPE)
