"""A calendar elsewhere: a server on this machine that says what the test wants, and helpers to follow it."""

import gzip
from functools import cache
from typing import Any, Self
from uuid import uuid4

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.sources.steps.claim import claim_address
from kalends.features.sources.steps.reader import read_sources
from kalends.http.context import Context
from kalends.http.server import Application
from tests.client import Client, Reply
from tests.contacts.providers.stand import Behaviour, Request, Stand

# Later than the time of the tests, by weeks.
SOON = "20260620T180000Z"


def a_feed(*events: str, head: str = "") -> str:
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Club//EN\r\n{head}{''.join(events)}END:VCALENDAR\r\n"


def an_event_of_feed(uid: str, title: str = "", start: str = f"DTSTART:{SOON}", *lines: str) -> str:
    lines = ("BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20260101T000000Z", start, f"SUMMARY:{title or uid}", *lines, "END:VEVENT", "")
    return "\r\n".join(lines)


def events_of_feed(count: int, prefix: str = "gig") -> list[str]:
    return [an_event_of_feed(f"{prefix}-{i}@club.example", f"{prefix} {i}", f"DTSTART:202607{i % 28 + 1:02}T180000Z") for i in range(count)]


class Elsewhere:
    """A server with one calendar. `says` is what it replies."""

    def __init__(self, content: str = "") -> None:
        self.behaviour: Behaviour
        self.says(content)
        self.stand = Stand(lambda request: self.behaviour(request))

    def __enter__(self) -> Self:
        self.stand.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.stand.__exit__(*error)

    @property
    def url(self) -> str:
        return f"{self.stand.url}/events.ics"

    @property
    def requests(self) -> list[Request]:
        return self.stand.requests

    def says(self, content: str | bytes, status: int = 200, **headers: str) -> None:
        fields = {"Content_Type": "text/calendar"} | headers
        self.behaviour = lambda request: request.reply(status, content, **fields)

    def packs(self, content: bytes) -> None:
        self.says(gzip.compress(content), Content_Encoding="gzip")


def follow(who: Client, server: Elsewhere, **fields: Any) -> dict[str, Any]:
    reply = who.post("/api/sources", json={"url": server.url} | fields)
    assert reply.status == 201, reply
    source: dict[str, Any] = reply.json
    return source


@cache
def _club() -> Elsewhere:
    """A calendar that stays while this process lasts, for tests that need any source."""
    server = Elsewhere()
    full, empty = a_feed(*events_of_feed(3), head="X-WR-CALNAME:The Club\r\n"), a_feed()
    server.behaviour = lambda request: request.reply(200, empty if "empty" in request.target else full)
    return server.__enter__()


def any_address() -> str:
    """The address of a calendar with three events, another one each time."""
    return f"{_club().url}?{uuid4().hex}"


def a_source(who: Client, **fields: Any) -> dict[str, Any]:
    reply = who.post("/api/sources", json={"url": any_address()} | fields)
    assert reply.status == 201, reply
    source: dict[str, Any] = reply.json
    _change(who, source, "checked_at = 0")
    return source


def a_held_run(who: Client, source: dict[str, Any]) -> dict[str, Any]:
    """The source is empty now, and its last run is held back."""
    _change(who, source, "checked_at = 0, digest = '', feed_url = feed_url || 'empty'")
    run: dict[str, Any] = refresh(who, source).json
    assert run["state"] == "held", run
    return run


def _change(who: Client, source: dict[str, Any], assignments: str) -> None:
    if not isinstance(who.app, Application):
        # It is another process, where nobody asks again within the minute.
        return
    with who.app._services.db.write() as tx:
        tx.run(f"UPDATE sources SET {assignments} WHERE id = :id", id=source["id"])


def refresh(who: Client, source: dict[str, Any]) -> Reply:
    return who.post(f"/api/sources/{source['id']}/runs")


def read_address(db: Database, settings: Settings, address: str, now: int) -> int:
    """Do what a worker does with an address that is due; returns for how many sources."""
    ctx = Context(db, settings, now)
    with ctx.write():
        sources = claim_address(ctx, address)
    if sources:
        read_sources(db, settings, sources, now)
    return len(sources)


def titles(who: Client, source: dict[str, Any], **query: Any) -> list[str]:
    listed = who.get("/api/events", query={"calendar_id": source["calendar_id"], "limit": 500} | query).json["events"]
    return sorted(event["title"] for event in listed)


def the_event(who: Client, source: dict[str, Any], title: str) -> dict[str, Any]:
    listed = who.get("/api/events", query={"calendar_id": source["calendar_id"], "limit": 500}).json["events"]
    (event,) = [each for each in listed if each["title"] == title]
    detail: dict[str, Any] = who.get(f"/api/events/{event['id']}").json
    return detail
