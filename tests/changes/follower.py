"""A client that follows changes by cursor, and the fresh listing that it must agree with."""

import threading
from typing import Any
from urllib.parse import urlencode

from kalends.db import Database
from tests.client import Client

ATTEMPTS, INTERVAL_SECONDS = 100, 0.02
Records = dict[tuple[str, int], dict[str, Any]]


class Follower:
    """Holds the records of one client, of all calendars or of one, and of all kinds or of some."""

    def __init__(self, client: Client, calendar_id: int | None = None, kinds: tuple[str, ...] = ()):
        self.client = client
        self.calendar_id = calendar_id
        self.kinds = kinds
        self.cursor = self._get()["cursor"]
        self.records = self.listing()

    def listing(self) -> Records:
        """What it would have if it listed everything anew."""
        records = listing(self.client, self.calendar_id)
        return {key: record for key, record in records.items() if not self.kinds or key[0] in self.kinds}

    def follow(self, limit: int = 100, *, settles: bool = True) -> list[dict[str, Any]]:
        """Apply the changes since the cursor, and return them; settles: all that are committed by now."""
        if settles:
            settle(self.client)
        applied = []
        more = True
        while more:
            reply = self._get(cursor=self.cursor, limit=limit)
            for change in reply["changes"]:
                self._apply(change)
            applied += reply["changes"]
            self.cursor, more = reply["cursor"], reply["more"]
        return applied

    def _get(self, **params: Any) -> dict[str, Any]:
        if self.calendar_id is not None:
            params["calendar_id"] = self.calendar_id
        if self.kinds:
            params["kinds"] = ",".join(self.kinds)
        reply = self.client.get(f"/api/changes?{urlencode(params)}")
        assert reply.status == 200, reply
        body: dict[str, Any] = reply.json
        return body

    def _apply(self, change: dict[str, Any]) -> None:
        kind, record_id = change["kind"], change["id"]
        if change["op"] == "gone":
            self.records.pop((kind, record_id), None)
        elif kind == "series":
            self.records |= {("event", event["id"]): event for event in change["series"]["events"]}
        else:
            self.records[kind, record_id] = change[kind]


def settle(client: Client) -> None:
    """Wait until what is committed is final. Transactions of other tests, in other databases of the server, may delay that."""
    db: Database = vars(client.app)["_services"].db
    with db.read() as tx:
        [(_, next_tx)] = tx.rows(db.newest_sync_entry())
    for _ in range(ATTEMPTS):
        with db.read() as tx:
            [(final_tx, _)] = tx.rows(db.last_sync_entry())
        if final_tx >= next_tx:
            return
        threading.Event().wait(INTERVAL_SECONDS)
    # A transaction of the test itself is open.


def listing(client: Client, calendar_id: int | None) -> Records:
    """What a client has that lists everything anew."""
    scope = f"?limit=500&calendar_id={calendar_id}" if calendar_id else "?limit=500"
    events = _list(client, f"/api/events{scope}", "events")
    found: Records = {("event", event["id"]): event for event in events}
    for event in events:
        found |= _by_id("comment", _list(client, f"/api/comments?event_id={event['id']}&limit=500", "comments"))
    if client.token:
        for event in events:
            found |= _by_id("response", _list(client, f"/api/responses?event_id={event['id']}&limit=500", "responses"))
    if calendar_id is not None:
        return found | _by_id("calendar", [_limited(client.get(f"/api/calendars/{calendar_id}").json)])
    found |= _by_id("response", _list(client, "/api/responses?limit=500", "responses"))
    found |= _by_id("calendar", _list(client, "/api/calendars?limit=500", "calendars"))
    return found | _by_id("contact", _list(client, "/api/contacts?limit=500", "contacts"))


def _list(client: Client, path: str, name: str) -> list[dict[str, Any]]:
    reply = client.get(path)
    assert reply.status == 200, reply
    items: list[dict[str, Any]] = reply.json[name]
    return items


def _by_id(kind: str, items: list[dict[str, Any]]) -> Records:
    return {(kind, item["id"]): item for item in items}


def _limited(calendar: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "name", "color", "time_zone", "public", "primary", "role", "owner")
    return {name: calendar[name] for name in names}
