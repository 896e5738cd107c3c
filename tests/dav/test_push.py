"""WebDAV-Push: devices register with a push service of their own, and are told of changes by messages that only they can read."""

import os
import threading
import time
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from typing import Any

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from joserfc import jwt
from joserfc.jwk import ECKey
from msgspec import Struct, structs

from kalends.app.application import application
from kalends.core.settings import Settings, WrongSetting, load
from kalends.core.values import timestamps
from kalends.core.values.xml_tree import parse
from kalends.dav.push import sender, store, web_push
from kalends.dav.push.store import QUIET
from kalends.db import Database
from kalends.features.deliveries.steps import dispatcher
from kalends.http.context import Context
from tests.cast import Cast, Person, a_calendar, a_contact, an_event, shared
from tests.changes.follower import settle
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.contacts.providers.stand import Request, Stand
from tests.dav.clients import D, book_path, calendar_path, device, mkcol, propfind, responses, sync
from tests.dav.test_write import condition

P = "{https://bitfire.at/webdav-push}"
PROPERTIES = ("P:transports", "P:topic", "P:supported-triggers")
TRIGGER = "<P:content-update><D:depth>1</D:depth></P:content-update>"
# The longest that somebody waits for a message: the quiet time, a round of the worker, and the way.
LONGEST = 12


class Message(Struct):
    """What a device was told."""

    topic: str
    token: str
    headers: dict[str, str]


class PushService(Stand):
    """A push service (RFC 8030) with one device behind it, which decrypts its messages with another library (RFC 8291)."""

    def __init__(self) -> None:
        super().__init__(self._receive)
        self.key, self.secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        self.status = 201
        self.messages: list[Message] = []
        self.arrived = threading.Event()

    @property
    def public_key(self) -> str:
        return web_push.encode(self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))

    def body(self, *, path: str = "/device", trigger: str = TRIGGER, expires: str = "", **fields: str | None) -> str:
        """What the device registers; a field that is None is left out."""
        values: dict[str, str | None] = {
            "push-resource": self.url + path,
            "content-encoding": "aes128gcm",
            "subscription-public-key": self.public_key,
            "auth-secret": web_push.encode(self.secret),
        }
        values |= {name.replace("_", "-"): value for name, value in fields.items()}
        inner = "".join(f"<P:{name}>{value}</P:{name}>" for name, value in values.items() if value is not None)
        subscription = f"<P:subscription><P:web-push-subscription>{inner}</P:web-push-subscription></P:subscription>"
        rest = f"<P:trigger>{trigger}</P:trigger>" + (f"<P:expires>{expires}</P:expires>" if expires else "")
        return f'<P:push-register xmlns:P="{P[1:-1]}" xmlns:D="DAV:">{subscription}{rest}</P:push-register>'

    def _receive(self, request: Request) -> None:
        if self.status < 300:
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in request.head.split("\r\n")[1:])}
            assert (request.method, headers["content-encoding"], headers["ttl"]) == ("POST", "aes128gcm", "86400")
            content = http_ece.decrypt(request.body, private_key=self.key, auth_secret=self.secret, version="aes128gcm")
            root = parse(content, 100)
            assert root.tag == f"{P}push-message"
            token = root.findtext(f"{P}content-update/{D}sync-token")
            self.messages.append(Message(str(root.findtext(f"{P}topic")), str(token), headers))
            self.arrived.set()
        request.reply(self.status, Location=f"{self.url}/other")


class Service(Struct):
    """The service, and its worker, which runs when the test says so."""

    db: Database
    settings: Settings
    cast: Cast
    receiver: PushService

    def register(self, actor: Person, path: str, body: str | None = None, **headers: str) -> Reply:
        fields = {"Content-Type": "application/xml", **headers}
        return actor.request("POST", path, body=self.receiver.body() if body is None else body, headers=fields)

    def send(self, later: int = QUIET + 1) -> int:
        """Send all that is due in some seconds; returns the number of attempts."""
        settle(self.cast.anonymous)
        due = sender.claim_due(Context(self.db, self.settings, timestamps.now() + later), 100)
        for subscription in due:
            sender.send(self.db, self.settings, subscription)
        return len(due)

    def count(self) -> int:
        with self.db.read() as tx:
            return int(tx.value("SELECT count(*) FROM push_subscriptions"))


@pytest.fixture
def receiver() -> Iterator[PushService]:
    with PushService() as server:
        yield server


@pytest.fixture
def service(db: Database, settings: Settings, clock: Clock, receiver: PushService) -> Service:
    """The journal has the time of the database, so the service has the real one."""
    clock.now = timestamps.now()
    with db.write() as tx:
        tx.run("DELETE FROM push_subscriptions")
    local = structs.replace(settings, push_servers=receiver.host)
    return Service(db, local, Cast(Client(application(db, local, clock))), receiver)


def properties(actor: Person, path: str) -> dict[str, Any]:
    names = [f'{name} xmlns:P="{P[1:-1]}"' for name in PROPERTIES]
    [(_, found)] = responses(propfind(actor, path, *names)).values()
    return found


def test_a_device_learns_how_it_can_be_told(service: Service) -> None:
    alice = service.cast.alice
    calendars = [calendar_path(alice), calendar_path(alice, a_calendar(alice)["id"]), book_path(alice)]
    topics = set()
    for path in calendars:
        found = properties(alice, path)
        key = found[f"{P}transports"].find(f"{P}web-push/{P}vapid-public-key")
        assert (key.get("type"), key.text) == ("p256ecdsa", web_push.public_key(service.settings))
        assert [each.tag for each in found[f"{P}supported-triggers"]] == [f"{P}content-update"]
        topics.add(found[f"{P}topic"].text)
        assert "webdav-push" in alice.request("OPTIONS", path).headers["DAV"]
    assert len(topics) == 3
    # Each who reads a calendar has the same topic.
    calendar = a_calendar(alice)
    shared(alice, calendar, service.cast.bob, "viewer")
    same = {properties(each, calendar_path(each, calendar["id"]))[f"{P}topic"].text for each in (alice, service.cast.bob)}
    assert len(same) == 1


def test_a_change_of_a_calendar_is_told_with_the_sync_token(service: Service) -> None:
    alice, bob, receiver = service.cast.alice, service.cast.bob, service.receiver
    calendar = a_calendar(alice)
    shared(alice, calendar, bob, "viewer")
    path = calendar_path(bob, calendar["id"])
    known, token = sync(bob, path)
    reply = service.register(bob, path)
    assert (reply.status, reply.content) == (204, b"")
    assert timestamps.parse_http_date(reply.headers["Expires"])
    assert service.send() == 0
    event = an_event(alice, calendar_id=calendar["id"])
    an_event(alice)
    # Not before ten seconds have passed; and all changes of these are one message.
    assert service.send(later=0) == 0
    alice.put(f"/api/events/{event['id']}", json={"title": "Matinee"})
    assert (service.send(), service.send()) == (1, 0)
    [message] = receiver.messages
    assert message.topic == properties(bob, path)[f"{P}topic"].text == message.headers["topic"]
    changed, _ = sync(bob, path, token)
    assert (known, len(changed)) == ({}, 1)
    # Whoever has synced up to the token of the message has missed nothing.
    assert sync(bob, path, message.token)[0] == {}


def test_the_push_service_knows_who_sends(service: Service) -> None:
    path = calendar_path(service.cast.alice)
    service.register(service.cast.alice, path)
    an_event(service.cast.alice)
    assert service.send() == 1
    scheme, _, rest = service.receiver.messages[0].headers["authorization"].partition(" ")
    values = dict(part.strip().split("=", 1) for part in rest.split(","))
    point = urlsafe_b64decode(values["k"] + "=")
    key: dict[str, str | list[str]] = {"kty": "EC", "crv": "P-256", "x": web_push.encode(point[1:33]), "y": web_push.encode(point[33:])}
    token = jwt.decode(values["t"], ECKey.import_key(key), algorithms=["ES256"])
    assert (scheme, token.claims["aud"], token.claims["sub"]) == ("vapid", service.receiver.url, "http://testserver")
    assert 0 < token.claims["exp"] - time.time() < 86_400


def test_address_books_are_told_each(service: Service) -> None:
    alice = service.cast.alice
    service.register(alice, book_path(alice))
    an_event(alice)
    assert service.send() == 0
    a_contact(alice)
    assert service.send() == 1
    assert sync(alice, book_path(alice), service.receiver.messages[0].token)[0] == {}
    own = f"/dav/users/{alice.id}/books/club/"
    assert alice.request("MKCOL", own, body=mkcol("Club")).status == 201
    assert service.register(alice, own, service.receiver.body(path="/club")).status == 204
    assert properties(alice, own)[f"{P}topic"].text != properties(alice, book_path(alice))[f"{P}topic"].text
    assert alice.request("DELETE", own).status == 204
    a_contact(alice)
    service.send()
    assert service.count() == 1


def test_a_device_registers_once_and_unregisters(service: Service) -> None:
    alice, path = service.cast.alice, calendar_path(service.cast.alice)
    first, second = (service.register(alice, path) for _ in range(2))
    assert first.headers["Location"] == second.headers["Location"]
    assert service.count() == 1
    location = first.headers["Location"].removeprefix("http://testserver")
    assert service.cast.bob.request("DELETE", location).status == 404
    assert service.cast.anonymous.request("DELETE", location).status == 401
    other = location.replace(f"/users/{alice.id}/", f"/users/{service.cast.bob.id}/")
    assert service.cast.bob.request("DELETE", other).status == 404
    assert [alice.request("DELETE", location).status for _ in range(2)] == [204, 404]
    an_event(alice)
    assert (service.send(), service.count()) == (0, 0)


def test_a_subscription_ends_when_its_device_said_or_after_a_week(service: Service) -> None:
    alice, path, now = service.cast.alice, calendar_path(service.cast.alice), timestamps.now()
    for asked, days in {"": 7, timestamps.format_http_date(now + 3 * 86_400): 3, timestamps.format_http_date(now + 90 * 86_400): 7}.items():
        reply = service.register(alice, path, service.receiver.body(expires=asked))
        expires = timestamps.parse_http_date(reply.headers["Expires"])
        assert expires is not None
        assert abs(expires - now - days * 86_400) < 60
    an_event(alice)
    assert service.send(later=8 * 86_400) == 0


def test_what_makes_no_subscription(service: Service) -> None:
    alice, body = service.cast.alice, service.receiver.body
    path = calendar_path(alice)
    invalid = [
        body(push_resource=None), body(push_resource="https://push.example.org/device"), body(push_resource="ftp://x"),
        body(push_resource=f"{service.receiver.url}/{'x' * 2000}"), body(subscription_public_key=None), body(auth_secret=None),
        body(auth_secret="c2hvcnQ"), body(subscription_public_key=web_push.encode(b"\x04" + bytes(64))), body(content_encoding="aesgcm"),
    ]  # fmt: skip
    for text in invalid:
        reply = service.register(alice, path, text)
        assert (reply.status, condition(reply)) == (403, "invalid-subscription"), text
    reply = service.register(alice, path, body(trigger="<P:property-update><D:depth>0</D:depth></P:property-update>"))
    assert (reply.status, condition(reply)) == (403, "no-supported-trigger")
    assert [service.register(alice, path, text).status for text in ("<a", "<a/>", "")] == [400, 400, 400]
    # A name of an earlier draft.
    older = body(subscription_public_key=None, client_public_key=service.receiver.public_key)
    assert service.register(alice, path, older).status == 204


def test_who_may_follow(service: Service) -> None:
    cast = service.cast
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    people = (cast.alice, cast.bob, cast.vera, cast.carol)
    assert [service.register(each, calendar_path(each, calendar["id"])).status for each in people] == [204, 204, 204, 404]
    assert service.register(cast.carol, calendar_path(cast.alice, calendar["id"])).status == 404
    # An app password that only reads is told, too.
    password = cast.vera.post("/api/keys", json={"name": "tablet", "kind": "dav", "read_only": True}).json["wkey"]
    path, body = calendar_path(cast.vera, calendar["id"]), service.receiver.body(path="/tablet")
    assert cast.anonymous.request("POST", path, body=body, headers=device(cast.vera, password)).status == 204


def test_who_lost_the_calendar_or_the_device_is_told_no_more(service: Service) -> None:
    cast = service.cast
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "viewer")
    service.register(cast.bob, calendar_path(cast.bob, calendar["id"]))
    cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name})
    an_event(cast.alice, calendar_id=calendar["id"])
    service.send()
    assert (service.receiver.messages, service.count()) == ([], 0)
    key = cast.alice.post("/api/keys", json={"name": "phone", "kind": "dav"}).json
    path = calendar_path(cast.alice, calendar["id"])
    assert cast.anonymous.request("POST", path, body=service.receiver.body(), headers=device(cast.alice, key["wkey"])).status == 204
    assert service.count() == 1
    assert cast.alice.delete(f"/api/keys/{key['id']}").status == 200
    assert service.count() == 0


@pytest.mark.parametrize(("status", "kept"), [(404, False), (410, False), (302, True), (403, True), (429, True), (500, True)])
def test_what_the_push_service_refuses(service: Service, status: int, kept: bool) -> None:
    alice = service.cast.alice
    service.register(alice, calendar_path(alice))
    an_event(alice)
    service.receiver.status = status
    assert service.send() == 1
    assert service.count() == kept
    # A redirect is not followed.
    assert len(service.receiver.requests) == 1
    service.receiver.status = 201
    # It is tried again, though not at once.
    assert (service.send(later=1), service.send(later=60)) == (0, int(kept))
    assert len(service.receiver.messages) == kept


def test_messages_go_to_allowed_servers_alone(service: Service, clock: Clock, db: Database) -> None:
    alice = service.cast.alice
    service.register(alice, calendar_path(alice))
    an_event(alice)
    # The operator allows another one by now.
    service.settings = structs.replace(service.settings, push_servers="ntfy.sh")
    assert (service.send(), service.count(), service.receiver.requests) == (1, 0, [])
    everywhere = structs.replace(service.settings, push_servers="*")
    cast = Cast(Client(application(db, everywhere, clock)))
    service = Service(db, everywhere, cast, service.receiver)
    path = calendar_path(cast.alice)
    assert service.register(cast.alice, path).status == 403
    for number, url in enumerate(("https://127.0.0.1/device", "https://localhost:8443/device", "https://[::1]/device")):
        assert service.register(cast.alice, path, service.receiver.body(push_resource=url)).status == 204
        an_event(cast.alice, title=f"Gig {number}")
        assert (service.send(), service.count()) == (1, 0)


def test_a_service_without_push_says_so(db: Database, settings: Settings, clock: Clock, receiver: PushService) -> None:
    local = structs.replace(settings, push_servers="")
    cast = Cast(Client(application(db, local, clock)))
    service, path = Service(db, local, cast, receiver), calendar_path(cast.alice)
    assert properties(cast.alice, path) == {}
    assert "webdav-push" not in cast.alice.request("OPTIONS", path).headers["DAV"]
    reply = service.register(cast.alice, path)
    assert (reply.status, condition(reply)) == (403, "push-not-available")


@pytest.mark.parametrize("value", ["https://ntfy.sh", "ntfy.sh/x", "NTFY.sh", "a b"])
def test_a_push_server_is_a_host(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KALENDS_PUSH_SERVERS", value)
    with pytest.raises(WrongSetting, match="KALENDS_PUSH_SERVERS"):
        load()


# The statuses of the owner, of a viewer or somebody else, and of a stranger.
STATUSES = {("POST", "calendar"): (204, 204, 404), ("POST", "book"): (204, 404, 404), ("DELETE", "push"): (204, 404, 404)}


@pytest.mark.parametrize(("method", "kind"), STATUSES)
def test_permissions(service: Service, method: str, kind: str) -> None:
    cast = service.cast
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "viewer")
    location = service.register(cast.alice, book_path(cast.alice)).headers["Location"].removeprefix("http://testserver")
    statuses = []
    for actor in (cast.bob, cast.carol, cast.alice):
        path = {"calendar": calendar_path(actor, calendar["id"]), "book": book_path(cast.alice), "push": location}[kind]
        assert cast.anonymous.request(method, path, body=service.receiver.body()).status == 401
        statuses.append(actor.request(method, path, body=service.receiver.body()).status)
    assert (statuses[2], *statuses[:2]) == STATUSES[method, kind]


@pytest.mark.on_one_database
def test_a_change_reaches_the_device_within_twelve_seconds(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker waits for two seconds here instead of ten, and looks more often."""
    quiet, way = 2, 1
    assert QUIET + dispatcher.PAUSE + way == LONGEST
    monkeypatch.setattr(store, "QUIET", quiet)
    monkeypatch.setattr(dispatcher, "PAUSE", 0.1)
    alice, stopping = service.cast.alice, threading.Event()
    service.register(alice, calendar_path(alice))
    worker = threading.Thread(target=sender.PushSender(service.db, service.settings).run, args=(stopping,))
    worker.start()
    try:
        began = time.monotonic()
        an_event(alice)
        assert service.receiver.arrived.wait(60)
        # The journal counts whole seconds.
        assert quiet - 1 <= time.monotonic() - began <= quiet + 1 + way
    finally:
        stopping.set()
        worker.join()
    assert [message.topic for message in service.receiver.messages] == [properties(alice, calendar_path(alice))[f"{P}topic"].text]
