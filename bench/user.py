"""A user who is signed in to a started service, and their requests."""

import http.client
import json
import sys
from typing import Any

from bench.load import PASSWORD
from bench.wrk import Request
from kalends.http.origin import COOKIE

NOON = "2026-12-01T12:00:00Z"


class User:
    """One connection to the service, a token, and a private calendar with an event on it. `known` is the user as signed in before."""

    def __init__(self, port: int, known: "User | None" = None):
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.token: str = known.token if known else self._signed_in()
        self.calendar_id: int = known.calendar_id if known else self._calendar()
        self.event_id: int = known.event_id if known else self._event()

    @property
    def authorization(self) -> str:
        return f"Bearer {self.token}"

    @property
    def requests(self) -> dict[str, Request]:
        """The four that goals are set for; the first two ask for what is private."""
        after = f"start_time={NOON}&limit=50"
        fields: dict[str, str | int] = {"title": "Rehearsal", "start_time": NOON, "calendar_id": self.calendar_id, "tag_list": "jazz,trio"}
        return {
            "show": Request(f"/api/events/{self.event_id}"),
            "index": Request(f"/api/events?calendar_id={self.calendar_id}&{after}"),
            "text": Request("/api/events?text=zanzibar&limit=50"),
            "create": Request("/api/events", fields),
        }

    def json(self, request: Request) -> Any:
        return json.loads(self.ask(request))

    def ask(self, request: Request, *, method: str = "", guest: bool = False, cookie: bool = False, or_late: bool = False) -> bytes:
        """The body of the reply. `method` replaces POST. A page needs a cookie. or_late: a search may exceed its time (503)."""
        body = json.dumps(request.fields) if request.fields else None
        headers = {"Content-Type": "application/json"} if body else {}
        if cookie:
            headers["Cookie"] = f"{COOKIE}={self.token}"
        elif not guest:
            headers["Authorization"] = self.authorization
        self._http.request(method or ("POST" if body else "GET"), request.path, body, headers)
        response = self._http.getresponse()
        content = response.read()
        if response.status >= 300 and not (or_late and response.status == 503):
            sys.exit(f"{request.path} returned {response.status}: {content.decode()}")
        return content

    def _signed_in(self) -> str:
        credentials = Request("/api/session", {"user_name": "user0", "password": PASSWORD})
        return str(json.loads(self.ask(credentials, guest=True))["token"])

    def _calendar(self) -> int:
        calendars = self.json(Request("/api/calendars"))["calendars"]
        return int(next(each["id"] for each in calendars if not each["public"] and not each["primary"]))

    def _event(self) -> int:
        return int(self.json(Request(f"/api/events?calendar_id={self.calendar_id}&limit=1"))["events"][0]["id"])
