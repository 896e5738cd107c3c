"""Calendars as eight programs write them, and web pages with JSON-LD: written by hand after their documented form."""

from pathlib import Path
from typing import Any

import pytest

from kalends.app.worker import extend_series
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.events.series import store as series_store
from kalends.features.sources.rules.interval import DAY, HOUR
from kalends.http.context import Context
from tests.cast import Cast
from tests.conftest import Clock
from tests.sources.server import Elsewhere, follow, refresh

pytestmark = pytest.mark.on_one_database

FOLDER = Path(__file__).parent / "forms"
BERLIN, LONDON, VIENNA, NEW_YORK = "Europe/Berlin", "Europe/London", "Europe/Vienna", "America/New_York"

# The name of each, and title, start, end, time zone and status of its first events.
EXPECTED: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "google.ics": (
        "Club nights",
        [
            ("Open stage", "2026-07-06T20:00:00+02:00", "2026-07-06T22:00:00+02:00", BERLIN, "planned"),
            ("Open stage, later", "2026-07-20T21:00:00+02:00", "2026-07-20T23:00:00+02:00", BERLIN, "planned"),
            ("Open stage", "2026-07-27T20:00:00+02:00", "2026-07-27T22:00:00+02:00", BERLIN, "planned"),
            ("Summer party", "2026-08-01", "2026-08-02", BERLIN, "planned"),
        ],
    ),
    "outlook.ics": (
        "Calendar",
        [
            ("Members' meeting", "2026-07-09T19:00:00+02:00", "2026-07-09T20:30:00+02:00", BERLIN, "planned"),
            ("Excursion", "2026-07-11", None, "UTC", "planned"),
        ],
    ),
    "apple.ics": ("Choir", [("Rehearsal", "2026-07-07T19:00:00-04:00", "2026-07-07T21:00:00-04:00", NEW_YORK, "planned")]),
    "meetup.ics": (
        "Events - Jazz Lovers",
        [("Listening evening", "2026-07-08T19:30:00+02:00", "2026-07-08T22:00:00+02:00", BERLIN, "planned")],
    ),
    "the-events-calendar.ics": (
        "Town Theatre",
        [
            ("The Tempest", "2026-07-04T19:30:00+01:00", "2026-07-04T21:30:00+01:00", LONDON, "planned"),
            ("Festival", "2026-07-11", "2026-07-12", "UTC", "planned"),
        ],
    ),
    "mobilizon.ics": ("Repair Café", [("Repair Café", "2026-07-10T16:00:00+00:00", "2026-07-10T19:00:00+00:00", "UTC", "planned")]),
    "gancio.ics": ("Gancio", [("Concert in the squat", "2026-07-05T19:00:00+00:00", "2026-07-05T22:00:00+00:00", "UTC", "planned")]),
    "nextcloud.ics": (
        "Allotment",
        [
            ("Weeding", "2026-06-12T17:00:00+02:00", "2026-06-12T19:00:00+02:00", VIENNA, "planned"),
            ("Seed swap", "2026-06-14T10:00:00+02:00", "2026-06-14T12:00:00+02:00", VIENNA, "cancelled"),
            ("Weeding", "2026-07-10T17:00:00+02:00", "2026-07-10T19:00:00+02:00", VIENNA, "planned"),
        ],
    ),
    "eventbrite.html": (
        "Pottery for beginners Tickets, Sat, Jul 4, 2026 at 10:00 AM | Eventbrite",
        [("Pottery for beginners", "2026-07-04T14:00:00+00:00", "2026-07-04T17:00:00+00:00", "UTC", "planned")],
    ),
    "venue.html": (
        "Kulturhaus – Programm",
        [
            ("Fotos & Filme", "2026-07-01", "2026-07-31", "UTC", "planned"),
            ("Metropolis", "2026-07-10T21:30:00+00:00", None, "UTC", "planned"),
            ("M", "2026-07-17T21:30:00+00:00", None, "UTC", "cancelled"),
        ],
    ),
}


def content_of(name: str) -> str:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return text.replace("\n", "\r\n") if name.endswith(".ics") else text


def events_of(people: Cast, source: dict[str, Any]) -> list[dict[str, Any]]:
    query = {"calendar_id": source["calendar_id"], "limit": 500}
    events: list[dict[str, Any]] = people.alice.get("/api/events", query=query).json["events"]
    return events


@pytest.mark.parametrize("name", EXPECTED)
def test_a_calendar_in_the_form_of_a_program_is_followed(people: Cast, elsewhere: Elsewhere, clock: Clock, name: str) -> None:
    elsewhere.says(content_of(name), Content_Type="text/html" if name.endswith(".html") else "text/calendar")
    source = follow(people.alice, elsewhere)
    title, expected = EXPECTED[name]
    assert source["name"] == title
    listed = [
        (each["title"], each["start_time"], each["end_time"], each["time_zone"], each["status"]) for each in events_of(people, source)
    ]
    assert listed[: len(expected)] == expected
    before = events_of(people, source)
    # What a program writes anew each time says nothing of an event.
    changed = content_of(name).replace("DTSTAMP:20260528", "DTSTAMP:20260529").replace("DTSTAMP:20260402", "DTSTAMP:20260529")
    elsewhere.says(changed)
    clock.ahead(HOUR)
    assert refresh(people.alice, source).json["state"] == "unchanged"
    assert events_of(people, source) == before


def test_an_endless_rule_of_a_source_has_dates_for_twelve_months(
    people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database, near: Settings
) -> None:
    elsewhere.says(content_of("nextcloud.ics"))
    source = follow(people.alice, elsewhere)
    dates = [each["start_time"][:10] for each in events_of(people, source) if each["title"] == "Weeding"]
    assert (len(dates), dates[-1]) == (13, "2027-06-11")
    # As time goes by, its dates are made for as long ahead, and those of ordinary series for longer.
    clock.ahead(60 * DAY)
    ctx = Context(db, near, clock.now)
    extend_series(ctx)
    with ctx.read() as tx:
        last = tx.value("SELECT max(slot) FROM events WHERE calendar_id = :id", id=source["calendar_id"])
        assert last == "2027-07-09"
        assert not [each for each in series_store.find_due(ctx) if series_store.is_followed(ctx, each)]


def test_a_script_in_a_description_is_not_on_the_page(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(content_of("gancio.ics").replace("Three bands", "Three <script>alert(1)</script><img src=x onerror=alert(2)> bands"))
    source = follow(people.alice, elsewhere, public=True)
    page = people.anonymous.get(f"/events/{events_of(people, source)[0]['id']}").text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
