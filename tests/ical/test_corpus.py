"""Round trip: what a file of each program says comes out of the feed with the same occurrences, read by two independent readers."""

import warnings
from functools import cache
from typing import Any

import icalendar
import pytest

from tests.cast import Cast, a_calendar
from tests.client import Client
from tests.events.importing import CORPUS, counts, imported
from tests.ical.calendars import CALENDARS
from tests.ical.producers import PRODUCERS
from tests.ical.readers import Occurrence, read_by_first, read_by_second
from tests.ical.test_series import listed

pytestmark = pytest.mark.on_one_database

ZONE = "Asia/Tokyo"
FILES = CALENDARS | {path.stem: path.read_bytes() for path in sorted(CORPUS.glob("*.ics"))}
# Neither reader reads a zone with a colon, which Exchange does not quote.
READABLE = {name: content.replace(b"TZID=tzone://Microsoft/Utc:", b'TZID="tzone://Microsoft/Utc":') for name, content in FILES.items()}
# A series has one date a day: the second is an event of its own.
FLATTENED = {"thunderbird-a-date-and-another-on-its-day": 1}


@cache
def expected(name: str) -> list[Occurrence]:
    """What both readers find in the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = read_by_first(READABLE[name], ZONE), read_by_second(READABLE[name], ZONE)
    assert first == second
    assert first
    return first


def count_single_events(content: bytes) -> int:
    """How many events of the file do not repeat: those without a rule or dates, and changed dates of a series that is not in it."""
    entries: list[Any] = [entry for calendar in icalendar.Calendar.from_ical(content, multiple=True) for entry in calendar.walk("VEVENT")]
    series = {entry["UID"] for entry in entries if "RRULE" in entry or "RDATE" in entry}
    return sum(1 for entry in entries if entry["UID"] not in series)


def count_flattened(who: Client, calendar_id: int, content: bytes) -> int:
    """How many events are on the calendar that repeat in the file and do not repeat here."""
    single = sum(1 for event in listed(who, calendar_id) if event["series_id"] is None)
    return single - count_single_events(content)


def test_the_corpus_has_files_of_every_program() -> None:
    assert len(FILES) >= 60
    assert len(set(CALENDARS.values())) == len(CALENDARS)
    assert {name.split("-")[0] for name in FILES} == PRODUCERS.keys()


@pytest.mark.on_one_database
@pytest.mark.parametrize("name", FILES)
def test_the_feed_has_the_occurrences_of_the_file(cast: Cast, name: str) -> None:
    calendar_id = a_calendar(cast.alice, time_zone=ZONE)["id"]
    came = imported(cast.alice, FILES[name], calendar_id=calendar_id)
    assert came["skipped"] == 0
    feed = cast.alice.get(f"/api/calendars/{calendar_id}.ics").content
    assert read_by_first(feed) == expected(name)
    assert read_by_second(feed) == expected(name)
    assert count_flattened(cast.alice, calendar_id, READABLE[name]) == FLATTENED.get(name, 0)
    again = imported(cast.alice, FILES[name], calendar_id=calendar_id)
    assert counts(again) == (0, 0, came["imported"], 0)
    assert cast.alice.get(f"/api/calendars/{calendar_id}.ics").content == feed


def test_all_files_together_have_their_occurrences_in_one_feed(cast: Cast) -> None:
    calendar_id = a_calendar(cast.alice, time_zone=ZONE)["id"]
    for content in FILES.values():
        imported(cast.alice, content, calendar_id=calendar_id)
    feed = cast.alice.get(f"/api/calendars/{calendar_id}.ics").content
    assert read_by_first(feed) == sorted(occurrence for name in FILES for occurrence in expected(name))
