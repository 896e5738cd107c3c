"""Replies that must not disclose whether an address is known are sent at a fixed time after the request, and no thread waits for it."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from kalends.app.application import ENDPOINTS
from kalends.http.input.fields import fields_of
from kalends.http.serving import edge
from kalends.http.serving.edge import FIXED_SECONDS
from tests.serve.prepared import Prepared
from tests.serve.running import Running, bearer

LONG_FIXED_SECONDS = 0.5

# The pages on which people without proof name an address, and the one on which owners share with an address.
PAGES = {
    "/reset",
    "/calendars/{calendar_id}/share",
    "/calendars/{calendar_id}/unshare",
    "/calendars/{calendar_id}/subscribe",
    "/events/{event_id}/cohosts",
    *(
        f"{event}/{action}"
        for event in ("/events/{event_id}", "/e/{event_link}")
        for action in ("respond", "respond/questions", "comment", "link")
    ),
}
SHARING = {"/api/calendars/{calendar_id}/share", "/api/calendars/{calendar_id}/unshare", "/api/events/{event_id}/cohosts"}
# A registration says that an address is taken; a report only stores it.
OTHERS = {"/api/users", "/api/reports"}


def test_actions_that_take_the_address_of_a_guest_have_a_fixed_time() -> None:
    declared = {endpoint.path for endpoint in ENDPOINTS if endpoint.fixed_time}
    takes_address = {
        endpoint.path
        for endpoint in ENDPOINTS
        if endpoint.guests
        and endpoint.method == "POST"
        and endpoint.params
        and "email_address" in {field.name for field in fields_of(endpoint.params)}
    }
    assert "/api/responses" in takes_address
    assert declared == takes_address - OTHERS | SHARING | PAGES


def _an_event(service: Running) -> dict[str, Any]:
    """A public event to which one address has responded with proof."""
    alice = bearer(service.sign_up("alice"))
    event: dict[str, Any] = service.post(
        "/api/events", {"title": "Choir", "start_time": "2099-06-01T20:00", "public": True, "capacity": 500}, headers=alice
    ).json
    _respond(service, event, "known@example.org", alice)
    return event


def _respond(service: Running, event: dict[str, Any], address: str, headers: dict[str, str] | None = None) -> None:
    fields = {"event_id": event["id"], "email_address": address, "response": "YES"}
    assert service.post("/api/responses", fields, headers=headers).status == 201


@pytest.mark.on_one_database
@pytest.mark.parametrize("address", ["known@example.org", "unknown@example.org"])
def test_a_reply_comes_no_sooner_than_the_fixed_time(service: Running, address: str) -> None:
    event = _an_event(service)
    began = time.monotonic()
    _respond(service, event, address)
    assert time.monotonic() - began >= FIXED_SECONDS


class LongFixedTime(Prepared):
    """Long enough that a busy machine serves forty requests in much less time than forty waits would take."""

    @staticmethod
    def prepare() -> None:
        Prepared.prepare()
        edge.FIXED_SECONDS = LONG_FIXED_SECONDS


def test_no_thread_waits_for_the_fixed_time(tmp_path: Path) -> None:
    """One thread serves forty replies in less time than forty waits would take."""
    service = LongFixedTime(tmp_path, "--no-work", threads=1, rate_limits="off").ready()
    event = _an_event(service)
    began = time.monotonic()
    with ThreadPoolExecutor(40) as clients:
        list(clients.map(lambda number: _respond(service, event, f"guest-{number}@example.org"), range(40)))
    assert time.monotonic() - began < 40 * LONG_FIXED_SECONDS
    service.stop()
