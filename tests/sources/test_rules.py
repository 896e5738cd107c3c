"""What a source is asked for, when it is late, who is notified of its changes, and how often an account may look."""

from collections.abc import Callable

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.version import __version__
from kalends.db import Database
from kalends.features.sources.present import LATE_SECONDS
from kalends.features.sources.steps.follow import LOOK_UPS
from tests.cast import Cast, a_response
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.sources.server import (
    SOON,
    Elsewhere,
    a_feed,
    an_event_of_feed,
    events_of_feed,
    follow,
    read_address,
    refresh,
    the_event,
)

HOUR = 3600
JAZZ = an_event_of_feed("jazz@club.example", "Jazz")


def test_a_source_whose_fetch_is_overdue_is_late_until_it_is_fetched(
    people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database, near: Settings
) -> None:
    elsewhere.says(a_feed(JAZZ, head="REFRESH-INTERVAL;VALUE=DURATION:PT30M\r\n"))
    source = follow(people.alice, elsewhere)
    path = f"/api/sources/{source['id']}"

    def state() -> str:
        return str(people.alice.get(path).json["state"])

    # A tenth of the interval is left to chance.
    clock.ahead(27 * 60)
    assert state() == "fresh"
    clock.ahead(6 * 60 + LATE_SECONDS + 1)
    assert state() == "late"
    assert 'class="source late"' in people.alice.get(f"/sources/{source['id']}").text
    assert read_address(db, near, elsewhere.url, clock.now) == 1
    assert state() == "fresh"


def test_a_source_is_asked_without_cookies_by_an_honest_name(people: Cast, elsewhere: Elsewhere, clock: Clock, near: Settings) -> None:
    elsewhere.says(a_feed(JAZZ), Set_Cookie="id=1; Path=/")
    source = follow(people.alice, elsewhere)
    clock.ahead(HOUR)
    refresh(people.alice, source)
    assert len(elsewhere.requests) == 2
    for request in elsewhere.requests:
        assert f"User-Agent: Kalends/{__version__} (+{near.base_url})" in request.head
        assert not [name for name in ("cookie:", "referer:", "authorization:", "from:") if name in request.head.lower()]


def test_pictures_of_a_source_are_neither_fetched_nor_shown(people: Cast, elsewhere: Elsewhere) -> None:
    picture = f"{elsewhere.stand.url}/trio.png"
    lines = (f"IMAGE;VALUE=URI;DISPLAY=BADGE:{picture}", f"ATTACH;FMTTYPE=image/png:{picture}")
    elsewhere.says(a_feed(an_event_of_feed("jazz@club.example", "Jazz", f"DTSTART:{SOON}", *lines)))
    source = follow(people.alice, elsewhere, public=True)
    jazz = the_event(people.alice, source, "Jazz")
    assert (jazz["image_url"], len(elsewhere.requests)) == (None, 1)
    assert "<img" not in people.anonymous.get(f"/events/{jazz['id']}").text.partition("<main")[2].partition("</main")[0]


def test_guests_are_notified_of_another_time_and_not_of_other_words(people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database) -> None:
    elsewhere.says(a_feed(JAZZ, *events_of_feed(3)))
    source = follow(people.alice, elsewhere)
    a_response(people.alice, the_event(people.alice, source, "Jazz"), email_address="gus@example.org", response="YES")
    a_response(people.alice, the_event(people.alice, source, "Jazz"), email_address="nora@example.org", response="NO")
    a_response(people.alice, the_event(people.alice, source, "gig 0"), email_address="gil@example.org", response="YES")

    def notified(changed: str) -> list[tuple[str, str]]:
        """The recipients and kinds of what is queued by a run."""
        with db.write() as tx:
            tx.run("DELETE FROM deliveries")
        elsewhere.says(a_feed(changed, *events_of_feed(3)))
        clock.ahead(HOUR)
        assert refresh(people.alice, source).json["changed"] == 1
        with db.read() as tx:
            return sorted((address, kind) for address, kind in tx.rows("SELECT address, kind FROM deliveries"))

    assert notified(JAZZ.replace("SUMMARY:Jazz", "SUMMARY:Jazz\r\nDESCRIPTION:Bring a chair")) == []
    assert notified(JAZZ.replace(SOON, "20260620T190000Z")) == [("gus@example.org", "change")]


@pytest.mark.on_one_database
def test_an_account_looks_at_a_limited_number_of_addresses_an_hour(
    near: Settings, elsewhere: Elsewhere, clock: Clock, db: Database
) -> None:
    limited = Cast(Client(application(db, structs.replace(near, rate_limits="on"), clock)))
    elsewhere.says(a_feed(JAZZ))
    calendar_id = limited.alice.primary_calendar_id
    ways: list[Callable[[], Reply]] = [
        lambda: limited.alice.post("/api/sources", json={"url": elsewhere.url, "dry_run": True}),
        lambda: limited.alice.post("/api/sources/imports", json={"url": elsewhere.url}),
        lambda: limited.alice.post(f"/calendars/{calendar_id}/sources/preview", data={"url": elsewhere.url}),
    ]
    for number in range(LOOK_UPS.max_uses):
        assert ways[number % len(ways)]().status in (200, 201), number
    for way in ways:
        refused = way()
        assert (refused.status, "60 addresses an hour" in refused.text) == (429, True), refused
    assert len(elsewhere.requests) == LOOK_UPS.max_uses
    assert limited.bob.post("/api/sources", json={"url": elsewhere.url, "dry_run": True}).status == 201
    clock.ahead(2 * HOUR)
    assert ways[0]().status == 201
