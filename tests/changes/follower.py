"""A client that follows changes by cursor, and the fresh listing that it must agree with."""

import threading
from typing import Any
from urllib.parse import urlencode

from kalends.db import Database
from kalends.db.postgres.database import Postgres
from kalends.features.responses.model import ResponseItem
from tests.client import Client, Reply

ATTEMPTS, INTERVAL_SECONDS = 3_000, 0.02
Records = dict[tuple[str, int], dict[str, Any]]

# The whole record, as changes have it.
RESPONSE = ",".join(ResponseItem.__struct_fields__)


class Follower:
    """Holds the records of one client, of all calendars or of one, and of all kinds or of some."""

    def __init__(self, client: Client, calendar_id: int | None = None, kinds: tuple[str, ...] = ()):
        self.client = client
        self.calendar_id = calendar_id
        self.kinds = kinds
        self.cursor = find_cursor(client, urlencode(self._filter))
        self.records = self.listing()

    def listing(self) -> Records:
        """What it would have if it listed everything anew."""
        records = listing(self.client, self.calendar_id)
        return {key: record for key, record in records.items() if not self.kinds or key[0] in self.kinds}

    def follow(self, limit: int = 100, *, settles: bool = True) -> list[dict[str, Any]]:
        """Apply the changes since the cursor, and return them; settles: all that are committed by now, unless a transaction of the test
        itself is open."""
        if settles:
            settle(self.client)
        return self._read(limit)

    def __str__(self) -> str:
        return f"the follower of {self.calendar_id or 'all calendars'}, {self.kinds or 'all kinds'}"

    @property
    def _filter(self) -> dict[str, Any]:
        calendar = {} if self.calendar_id is None else {"calendar_id": self.calendar_id}
        return calendar | ({"kinds": ",".join(self.kinds)} if self.kinds else {})

    def _read(self, limit: int) -> list[dict[str, Any]]:
        applied = []
        more = True
        while more:
            reply = self._get(f"/api/changes?{urlencode(self._filter | {'cursor': self.cursor, 'limit': limit})}")
            for change in reply.json["changes"]:
                self._apply(change)
            applied += reply.json["changes"]
            self.cursor, more = reply.json["cursor"], reply.json["more"]
        return applied

    def _get(self, path: str) -> Reply:
        """The reply; where many threads of this process write, it may take too long to connect to PostgreSQL, and clients ask again."""
        for _ in range(ATTEMPTS):
            reply = self.client.get(path)
            if reply.status != 503:
                break
            threading.Event().wait(INTERVAL_SECONDS)
        assert reply.status == 200, reply
        return reply

    def _apply(self, change: dict[str, Any]) -> None:
        kind, record_id = change["kind"], change["id"]
        if change["op"] == "gone":
            self.records.pop((kind, record_id), None)
            if kind == "series":
                dates = [key for key, record in self.records.items() if key[0] == "event" and record["series_id"] == record_id]
                for key in dates:
                    del self.records[key]
        elif kind == "series":
            self.records |= {("event", event["id"]): event for event in change["series"]["events"]}
        else:
            self.records[kind, record_id] = change[kind]


def find_cursor(client: Client, query: str = "") -> str:
    """A cursor after all that is committed by now."""
    return str(read_changes(client, query)["cursor"])


def read_changes(client: Client, query: str) -> dict[str, Any]:
    """A page of changes, of all that are committed by now."""
    settle(client)
    reply = client.get(f"/api/changes?{query}")
    assert reply.status == 200, reply
    page: dict[str, Any] = reply.json
    return page


def settle(client: Client) -> None:
    """Wait until each reader is told of all that is committed by now. On PostgreSQL that is when all older transactions have ended, of
    this database or of one that another test process has on the same server: a reader cannot always tell these apart."""
    db: Database = vars(client.app)["_services"].db
    if not isinstance(db, Postgres):
        return
    with db.read() as tx:
        newest = tx.value("SELECT coalesce(max(tx), 0) FROM sync_entries")
    for _ in range(ATTEMPTS):
        with db.read() as tx:
            if newest < tx.value("SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)"):
                return
        threading.Event().wait(INTERVAL_SECONDS)
    raise AssertionError("an older transaction has not ended")


def listing(client: Client, calendar_id: int | None) -> Records:
    """What a client has that lists everything anew."""
    scope = f"?limit=500&calendar_id={calendar_id}" if calendar_id else "?limit=500"
    events = _list(client, f"/api/events{scope}", "events")
    records: Records = {("event", event["id"]): event for event in events}
    for event in events:
        records |= _by_id("comment", _list(client, f"/api/comments?event_id={event['id']}&limit=500", "comments"))
    if client.token:
        for event in events:
            records |= _by_id("response", _list(client, f"/api/responses?event_id={event['id']}&limit=500&fields={RESPONSE}", "responses"))
    if calendar_id is not None:
        return records | _by_id("calendar", [_limited(client.get(f"/api/calendars/{calendar_id}").json)])
    records |= _by_id("response", _list(client, f"/api/responses?limit=500&fields={RESPONSE}", "responses"))
    records |= _by_id("calendar", _list(client, "/api/calendars?limit=500", "calendars"))
    return records | _by_id("contact", _list(client, "/api/contacts?limit=500", "contacts"))


def _list(client: Client, path: str, name: str) -> list[dict[str, Any]]:
    """The items of all pages."""
    items: list[dict[str, Any]] = []
    following: str | None = path
    while following:
        reply = client.get(following)
        assert reply.status == 200, reply
        items += reply.json[name]
        following = reply.json["next"]
    return items


def _by_id(kind: str, items: list[dict[str, Any]]) -> Records:
    return {(kind, item["id"]): item for item in items}


def _limited(calendar: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "name", "color", "time_zone", "public", "primary", "role", "owner", "updated_at")
    return {name: calendar[name] for name in names}
