"""POST /api/webhooks: a new webhook and its secret, and the URLs that are refused."""

import re
import socket
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.net import post
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_webhook
from tests.client import Client
from tests.conftest import Clock
from tests.webhooks.conftest import Receiver, Service

pytestmark = pytest.mark.on_one_database

PUBLIC = "https://[2606:4700::1111]/hook"
HOSTILE = [
    "http://[2606:4700::1111]/hook",
    "ftp://[2606:4700::1111]/hook",
    "https://user:password@[2606:4700::1111]/hook",
    "https://[2606:4700::1111]/hook#part",
    "https://[2606:4700::1111]:0/hook",
    "https://[2606:4700::1111]\\@127.0.0.1/",
    "https://",
    "hook",
    *(
        f"https://{host}/hook"
        for host in (
            *("127.0.0.1", "127.1.2.3", "0.1.2.3", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
            *("192.0.0.8", "192.0.0.170", "192.88.99.1", "198.51.100.1", "203.0.113.1"),
            *("224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "240.0.0.1"),
            *("2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "127.0.0.1."),
            *("[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[fd12::1]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]"),
            *("[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]"),
            *("[2001:0:1::1]", "[2001:20::1]", "[3fff::1]", "[100::1]", "[5f00::1]", "[64:ff9b:1::1]", "[2606:4700::5efe:a00:1]"),
            "localhost",
        )
    ),
    *(f"https://[2606:4700::1111]:{port}/hook" for port in (22, 25, 80, 444, 3306, 8000, 65535)),
]


def test_the_secret_is_in_the_reply_alone_and_not_stored(cast: Cast, db: Database) -> None:
    reply = cast.alice.post("/api/webhooks", json={"url": PUBLIC, "kinds": ["event"]})
    assert reply.status == 201
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", reply.json["secret"])
    webhook = {name: value for name, value in reply.json.items() if name != "secret"}
    assert reply.headers["Location"] == f"/api/webhooks/{webhook['id']}"
    assert (webhook["url"], webhook["kinds"], webhook["enabled"]) == (PUBLIC, ["event"], True)
    assert cast.alice.get(f"/api/webhooks/{webhook['id']}").json == webhook
    assert cast.alice.get("/api/webhooks").json["webhooks"] == [webhook]
    with db.read() as tx:
        [row] = tx.rows("SELECT * FROM webhooks WHERE id = :id", id=webhook["id"])
        notices = tx.rows("SELECT notice FROM deliveries WHERE owner_id = :id AND notice IS NOT NULL", id=cast.alice.id)
    assert reply.json["secret"].removeprefix("whsec_") not in str(row)
    assert [tuple(notice) for notice in notices] == [("webhook_created",)]


def test_a_rotated_secret_comes_with_the_webhook(cast: Cast) -> None:
    webhook = cast.alice.post("/api/webhooks", json={"url": PUBLIC}).json
    reply = cast.alice.post(f"/api/webhooks/{webhook['id']}/rotate_secret")
    assert (reply.status, reply.json | {"secret": ""}) == (200, webhook | {"secret": "", "updated_at": reply.json["updated_at"]})
    assert reply.json["secret"] != webhook["secret"]


def test_an_account_has_at_most_ten(cast: Cast) -> None:
    for _ in range(10):
        a_webhook(cast.alice)
    assert cast.alice.post("/api/webhooks", json={"url": PUBLIC}).status == 409
    assert cast.bob.post("/api/webhooks", json={"url": PUBLIC}).status == 201


@pytest.mark.on_one_database
def test_an_address_that_is_not_on_the_internet_is_refused(cast: Cast) -> None:
    webhook = a_webhook(cast.alice)
    for url in HOSTILE:
        created = cast.alice.post("/api/webhooks", json={"url": url})
        assert (created.status, created.broken) == (422, ["url"]), url
        assert cast.alice.put(f"/api/webhooks/{webhook['id']}", json={"url": url}).status == 422, url
    assert len(cast.alice.get("/api/webhooks").json["webhooks"]) == 1


def test_another_scheme_is_named_before_the_host_is_looked_up(cast: Cast) -> None:
    for url in ("http://hooks.example/kalends", "http://127.0.0.1:8000/hook"):
        [error] = cast.alice.post("/api/webhooks", json={"url": url}).json["errors"]
        assert error["message"] == "must begin with https://"


def test_the_port_of_https_and_its_alternative_are_accepted(cast: Cast) -> None:
    for port in ("", ":443", ":8443"):
        assert cast.alice.post("/api/webhooks", json={"url": f"https://[2606:4700::1111]{port}/hook"}).status == 201


def test_a_closed_port_and_one_that_speaks_no_tls_fail_alike(service: Service, receiver: Receiver) -> None:
    """Nobody can scan ports by webhooks."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    webhook = service.hook(receiver)
    failures = set()
    for url in (f"https://127.0.0.1:{port}/hook", receiver.url.replace("http:", "https:")):
        assert service.cast.alice.put(f"/api/webhooks/{webhook['id']}", json={"url": url}).status == 200
        assert service.cast.alice.post(f"/api/webhooks/{webhook['id']}/ping").status == 202
        assert service.send() == 1
        ping = service.deliveries(webhook)[0]
        failures.add((ping["state"], ping["status"], ping["duration_ms"], ping["error"]))
    assert len(failures) == 1


def test_hostile_addresses_are_refused_at_ping_and_delivery(service: Service, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """However they came into the database: the check is made again for each request."""
    webhook = service.hook(receiver)
    service.settings = structs.replace(service.settings, webhooks="public")
    dialled: list[Any] = []
    monkeypatch.setattr(socket, "create_connection", lambda *arguments, **_: dialled.append(arguments))
    for url in (*HOSTILE, receiver.url):
        with service.db.write() as tx:
            tx.run("UPDATE webhooks SET url = :url WHERE id = :id", url=url, id=webhook["id"])
        assert service.cast.alice.post(f"/api/webhooks/{webhook['id']}/ping").status == 202
        assert service.send() == 1, url
        ping = service.deliveries(webhook)[0]
        assert (ping["kind"], ping["state"], ping["status"]) == ("ping", "failed", None)
        assert ping["error"].startswith("The address "), (url, ping["error"])
    assert dialled == []
    assert receiver.requests == []


@pytest.mark.on_one_database
def test_a_name_that_resolves_to_another_address_later_is_refused(
    cast: Cast, db: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: the first look-up is public, the second is not; and the address that was checked is the one that is dialled."""
    lookups: list[str] = []
    dialled: list[Any] = []
    real = socket.getaddrinfo

    def resolve(host: str, port: int, *arguments: Any, **options: Any) -> Any:
        if host != "rebind.example.org":
            return real(host, port, *arguments, **options)
        lookups.append(host)
        return real("2606:4700::1111" if len(lookups) % 2 else "127.0.0.1", port, *arguments, **options)

    def dial(address: Any, timeout: float) -> Any:
        dialled.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket, "create_connection", dial)
    url = "https://rebind.example.org/hook"
    assert cast.alice.post("/api/webhooks", json={"url": url}).status == 201
    with pytest.raises(post.AddressRefused):
        post.post(url, b"{}", {}, seconds=5, any_network=False)
    assert dialled == []
    with pytest.raises(post.PostFailed):
        post.post(url, b"{}", {}, seconds=5, any_network=False)
    assert dialled == [("2606:4700::1111", 443)]
    assert len(lookups) == 3


@pytest.mark.on_one_database
def test_one_private_address_among_many_is_refused(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, 443)) for ip in ("8.8.8.8", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: addresses)
    reply = cast.alice.post("/api/webhooks", json={"url": "https://both.example.org/"})
    assert (reply.status, reply.broken) == (422, ["url"])
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: addresses[:1])
    assert cast.alice.post("/api/webhooks", json={"url": "https://both.example.org/"}).status == 201


@pytest.mark.on_one_database
def test_the_operator_may_switch_webhooks_off(db: Database, settings: Settings, clock: Clock) -> None:
    cast = Cast(Client(application(db, structs.replace(settings, webhooks="off"), clock)))
    assert cast.alice.post("/api/webhooks", json={"url": PUBLIC}).status == 403
    assert cast.alice.get("/api/webhooks").json["webhooks"] == []


@pytest.mark.on_one_database
def test_any_address_may_be_allowed_but_http_stays_on_this_machine(service: Service) -> None:
    for url in ("https://10.0.0.1/hook", "http://127.0.0.1:8080/hook", "http://[::1]/hook"):
        assert service.cast.alice.post("/api/webhooks", json={"url": url}).status == 201, url
    for url in ("http://10.0.0.1/hook", "http://[2606:4700::1111]/hook"):
        assert service.cast.alice.post("/api/webhooks", json={"url": url}).status == 422, url
