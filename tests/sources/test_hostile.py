"""Servers that fail, lie or attack: no event changes, one sentence says why, and a good reply afterwards applies once."""

import gzip
import socket
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.net import get as net
from kalends.core.net.get import GetFailed, get, unpack
from kalends.core.net.post import AddressRefused
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.sources.rules.interval import PAUSED_AFTER
from tests.cast import Cast
from tests.client import Client
from tests.conftest import Clock
from tests.contacts.providers.stand import Request
from tests.sources.server import SOON, Elsewhere, a_feed, an_event_of_feed, events_of_feed, follow, refresh, titles

FEED = a_feed(*events_of_feed(12))
INSIDE = ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "fd00::1", "64:ff9b::a00:1"]


def _redirect(location: str) -> Callable[[Request], None]:
    return lambda request: request.reply(302, Location=location)


def _says(content: str | bytes, status: int = 200, **headers: str) -> Callable[[Request], None]:
    return lambda request: request.reply(status, content, Content_Type="text/calendar", **headers)


def _half(request: Request) -> None:
    """Fewer bytes than announced."""
    request.connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + FEED.encode()[:800])


def _bomb() -> bytes:
    return gzip.compress(b"BEGIN:VCALENDAR\r\n" + b" " * 60_000_000)


# What the server does, and the words of the reason.
HOSTILE: dict[str, tuple[Callable[[Request], None], str]] = {
    "refused": (_says("no", 403), "refuses access (status 403)"),
    "sign in": (_says("no", 401), "refuses access (status 401)"),
    "not found": (_says("no", 404), "nothing at this address any more"),
    "broken": (_says("no", 500), "a problem of its own (status 500)"),
    "slow down": (_says("no", 429, Retry_After="7200"), "asks to wait"),
    "strange": (_says("no", 204), "replied with status 204"),
    "a page": (_says("<!DOCTYPE html><html><body>Sign in"), "a web page where the calendar was"),
    "cut off": (_says(FEED[: len(FEED) // 2]), "is cut off"),
    "half": (_half, "no whole HTTP response"),
    "text": (_says("Hello"), "is no iCalendar file"),
    "nothing": (_says(""), "is no iCalendar file"),
    "empty": (_says(a_feed()), "The calendar is empty now."),
    "all new": (_says(a_feed(*events_of_feed(12, "other"))), "all of them are new"),
    "most gone": (_says(a_feed(*events_of_feed(6))), "6 of 12 upcoming events are not there any more."),
    "bomb": (_says(_bomb(), Content_Encoding="gzip"), "far too large when it is unpacked"),
    "not gzip": (_says("hello", Content_Encoding="gzip"), "cannot be unpacked"),
    "brotli": (_says("hello", Content_Encoding="br"), "a coding that was not asked for"),
    "ten MiB": (_says(b" " * (net.MAX_BYTES + 1)), "more than 10 MiB"),
    "to a file": (_redirect("file:///etc/passwd"), "no address"),
    "nowhere": (_redirect(""), "no address"),
    "to itself": (lambda request: request.reply(302, Location=request.target), "redirected more than 3 times"),
    "with a password": (_redirect("http://ana:geheim@127.0.0.1/x"), "must be an address"),
    "no HTTP": (lambda request: request.connection.sendall(b"\0" * 500), "no whole HTTP response"),
    "many header fields": (
        lambda request: request.connection.sendall(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 5000),
        "no whole HTTP response",
    ),
}


def test_no_hostile_reply_changes_an_event_and_a_good_one_applies_once(
    people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database
) -> None:
    elsewhere.says(FEED, ETag='"one"')
    source = follow(people.alice, elsewhere)
    before = _state(db, source)
    for name, (behaviour, words) in HOSTILE.items():
        elsewhere.behaviour = behaviour
        clock.ahead(61)
        run = refresh(people.alice, source).json
        assert run["state"] in ("held", "failed"), (name, run)
        assert words in run["reason"], (name, run)
        assert run["reason"].endswith("."), (name, run)
        shown = people.alice.get(f"/api/sources/{source['id']}").json
        assert (shown["state"], shown["reason"]) == ({"held": "held", "failed": "failing"}[run["state"]], run["reason"])
        assert _state(db, source) == before, name
    elsewhere.says("", 304)
    clock.ahead(61)
    assert refresh(people.alice, source).json["state"] == "unchanged"
    elsewhere.says(a_feed(*events_of_feed(13)))
    for expected in ("applied", "unchanged"):
        clock.ahead(61)
        assert refresh(people.alice, source).json["state"] == expected
    assert len(titles(people.alice, source)) == 13
    assert people.alice.get(f"/api/sources/{source['id']}").json["state"] == "fresh"
    assert _mails(db, people.alice.email_address) == ["source_held"]


def test_a_slow_drip_ends_at_the_deadline(
    people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere.says(FEED)
    source = follow(people.alice, elsewhere)
    before = _state(db, source)
    monkeypatch.setattr(net, "SECONDS", 0.3)

    def drip(request: Request) -> None:
        request.connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nBEGIN:VCALENDAR\r\n")
        elsewhere.stand.drip(request, b"X")

    for behaviour in (drip, elsewhere.stand.hang):
        elsewhere.behaviour = behaviour
        clock.ahead(61)
        run = refresh(people.alice, source).json
        assert (run["state"], "no whole HTTP response within 0.3 seconds" in run["reason"]) == ("failed", True)
    assert _state(db, source) == before


def test_an_empty_calendar_that_is_accepted_is_applied(people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database) -> None:
    elsewhere.says(FEED)
    source = follow(people.alice, elsewhere)
    elsewhere.says(a_feed(*events_of_feed(2), *events_of_feed(3, "new")))
    clock.ahead(61)
    held = refresh(people.alice, source).json
    assert (held["state"], held["can_accept"]) == ("held", True)
    assert people.carol.put(f"/api/sources/{source['id']}/runs/{held['id']}", json={"accepted": True}).status == 404
    # What was held back is applied, whatever is there by now.
    elsewhere.says("", 500)
    for _ in range(2):
        accepted = people.alice.put(f"/api/sources/{source['id']}/runs/{held['id']}", json={"accepted": True})
        assert accepted.status == 200, accepted
        run = accepted.json
        assert (run["state"], run["created"], run["removed"], run["can_accept"]) == ("applied", 3, 10, False)
    assert titles(people.alice, source) == ["gig 0", "gig 1", "new 0", "new 1", "new 2"]
    assert people.alice.get(f"/api/sources/{source['id']}").json["state"] == "fresh"


def test_what_a_later_run_has_replaced_cannot_be_accepted(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    elsewhere.says(FEED)
    source = follow(people.alice, elsewhere)
    elsewhere.says(a_feed())
    clock.ahead(61)
    held = refresh(people.alice, source).json
    elsewhere.says(FEED)
    clock.ahead(61)
    assert refresh(people.alice, source).json["state"] == "unchanged"
    assert people.alice.put(f"/api/sources/{source['id']}/runs/{held['id']}", json={"accepted": True}).status == 409
    assert len(titles(people.alice, source)) == 12


def test_many_changes_of_events_with_guests_are_held_back(people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database) -> None:
    elsewhere.says(a_feed(*events_of_feed(21)))
    source = follow(people.alice, elsewhere)
    listed = people.alice.get("/api/events", query={"calendar_id": source["calendar_id"], "limit": 50}).json["events"]
    for event in listed:
        fields = {"event_id": event["id"], "response": "YES", "email_address": "gus@example.org"}
        assert people.alice.post("/api/responses", json=fields).status in (200, 201)
    elsewhere.says(a_feed(*events_of_feed(21)).replace("T180000Z", "T190000Z"))
    clock.ahead(61)
    run = refresh(people.alice, source).json
    assert (run["state"], run["reason"]) == ("held", "21 events with RSVPs would change.")


def test_a_source_that_fails_for_a_week_is_paused_and_its_owner_learns_so(
    people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database
) -> None:
    elsewhere.says(FEED)
    source = follow(people.alice, elsewhere)
    elsewhere.says("", 500)
    for _ in range(3):
        clock.ahead(PAUSED_AFTER // 2)
        refresh(people.alice, source)
    shown = people.alice.get(f"/api/sources/{source['id']}").json
    assert (shown["state"], shown["paused"], shown["next_at"]) == ("paused", "failing", None)
    assert _mails(db, people.alice.email_address) == ["source_held", "source_paused"]
    assert len(titles(people.alice, source)) == 12
    elsewhere.says(FEED)
    assert people.alice.put(f"/api/sources/{source['id']}", json={"paused": False}).json["paused"] is None
    clock.ahead(61)
    assert refresh(people.alice, source).json["state"] == "unchanged"


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "fd00::1", "64:ff9b::a00:1"]
)
def test_an_inside_address_is_not_asked_at_first_nor_after_a_redirect(
    people: Cast, settings: Settings, db: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    asked: list[Any] = []

    def resolve(host: str, port: int, **options: Any) -> list[Any]:
        return [(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    def connect(target: Any, *options: Any, **more: Any) -> socket.socket:
        asked.append(target)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)
    public = Cast(Client(application(db, structs.replace(settings, sources="public"), clock)))
    reply = public.alice.post("/api/sources", json={"url": "https://club.example/a.ics"})
    assert (reply.status, reply.broken) == (422, ["url"])
    assert "not public" in reply.json["errors"][0]["message"]
    assert asked == []


@pytest.mark.on_one_database
@pytest.mark.parametrize("location", ["https://inside.example/x", "http://inside.example/x", "https://[::1]/", "https://10.0.0.1/x"])
def test_a_redirect_is_checked_like_the_address_itself(monkeypatch: pytest.MonkeyPatch, location: str) -> None:
    """The first server is faked: its name is public, and what it sends is a redirect."""
    asked: list[str] = []

    def request(deadline: Any, url: str, headers: Any, *, any_network: bool) -> Any:
        if url == "https://club.example/a.ics":
            return net.GetReply(302, {"location": location}, b"", url)
        asked.append(url)
        return real(deadline, url, headers, any_network=any_network)

    real = net._request
    monkeypatch.setattr(net, "_request", request)
    inside = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: inside)
    monkeypatch.setattr(socket, "create_connection", lambda *args, **options: pytest.fail("it connected"))
    with pytest.raises((AddressRefused, GetFailed)) as refusal:
        get("https://club.example/a.ics", {}, any_network=False)
    assert ("from https to http" in str(refusal.value)) if location.startswith("http:") else ("not public" in str(refusal.value))
    assert asked == ([] if location.startswith("http:") else [location])


@pytest.mark.on_one_database
def test_a_password_is_not_sent_to_the_host_of_a_redirect(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, str | None]] = []

    def request(deadline: Any, url: str, headers: Any, *, any_network: bool) -> Any:
        sent.append((url, headers.get("Authorization")))
        following = {"https://a.example/": "/b", "https://a.example/b": "https://b.example/"}.get(url, "")
        return net.GetReply(302 if following else 200, {"location": following}, b"", url)

    monkeypatch.setattr(net, "_request", request)
    get("https://ana:geheim@a.example/", {}, any_network=False)
    token = "Basic YW5hOmdlaGVpbQ=="
    assert sent == [("https://a.example/", token), ("https://a.example/b", token), ("https://b.example/", None)]


@pytest.mark.on_one_database
def test_sources_that_are_turned_off_are_refused(settings: Settings, db: Database, clock: Clock, elsewhere: Elsewhere) -> None:
    off = Cast(Client(application(db, structs.replace(settings, sources="off"), clock)))
    assert off.alice.post("/api/sources", json={"url": elsewhere.url}).status == 403
    assert elsewhere.requests == []


@pytest.mark.on_one_database
@pytest.mark.parametrize("form", ["seconds", "date", "nonsense"])
def test_a_server_that_asks_to_wait_is_left_alone_for_so_long(people: Cast, elsewhere: Elsewhere, clock: Clock, form: str) -> None:
    elsewhere.says(FEED)
    source = follow(people.alice, elsewhere)
    asked = {"seconds": "18000", "date": timestamps.format_http_date(timestamps.now() + 18_010), "nonsense": "Soon, 99 Foo"}
    elsewhere.says("", 429, Retry_After=asked[form])
    clock.ahead(61)
    assert refresh(people.alice, source).json["state"] == "failed"
    following = datetime.fromisoformat(people.alice.get(f"/api/sources/{source['id']}").json["next_at"]).timestamp()
    assert (following - clock.now >= 18_000) == (form != "nonsense")


@pytest.mark.on_one_database
def test_what_ends_early_is_not_unpacked() -> None:
    packed = gzip.compress(FEED.encode())
    assert unpack(packed) == FEED.encode()
    with pytest.raises(GetFailed, match="ends early"):
        unpack(packed[:-12])


def _state(db: Database, source: dict[str, Any]) -> list[Any]:
    with db.read() as tx:
        sql = "SELECT id, title, start_at, status, version, updated_at FROM events WHERE calendar_id = :id ORDER BY id"
        items = tx.rows("SELECT uid, digest FROM source_items WHERE source_id = :id ORDER BY uid", id=source["id"])
        return [*map(tuple, tx.rows(sql, id=source["calendar_id"])), *map(tuple, items)]


def _mails(db: Database, address: str) -> list[str]:
    with db.read() as tx:
        sql = "SELECT notice FROM deliveries WHERE address = :address AND notice LIKE 'source%' ORDER BY id"
        return [notice for (notice,) in tx.rows(sql, address=address)]


def test_a_feed_of_too_many_dates_fails_with_a_reason_that_everyone_can_read(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    elsewhere.says(FEED)
    source = follow(people.alice, elsewhere)
    daily = [an_event_of_feed(f"daily-{i}@club.example", "", f"DTSTART:{SOON}", "RRULE:FREQ=DAILY;COUNT=900") for i in range(25)]
    elsewhere.says(a_feed(*daily))
    clock.ahead(61)
    run = refresh(people.alice, source).json
    assert run["state"] == "failed"
    assert run["reason"] == "What is there contains more than 20,000 events, counting repeats. Import it in parts."
    page = people.alice.get(f"/sources/{source['id']}", headers={"Accept-Language": "de"})
    assert "contains more than" not in page.text


def test_the_reason_is_in_the_language_of_its_reader(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    elsewhere.says(FEED)
    source = follow(people.alice, elsewhere)
    elsewhere.says("Gone", 404)
    clock.ahead(61)
    assert refresh(people.alice, source).json["reason"] == "There is nothing at this address any more (status 404)."
    page = people.alice.get(f"/sources/{source['id']}", headers={"Accept-Language": "de"})
    assert "Unter dieser Adresse gibt es nichts mehr (Status 404)." in page.text
