"""Importing once: from an address, and from archives as Google Takeout makes them."""

import struct
import time
from collections.abc import Callable
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import pytest

from kalends.ical.archive import MAX_BYTES, MAX_FILES, join_calendars
from tests.cast import Cast, a_calendar
from tests.http.multipart import multipart
from tests.sources.server import Elsewhere, a_feed, an_event_of_feed, events_of_feed, titles

pytestmark = pytest.mark.on_one_database


def _zip(files: dict[str, str | bytes], method: int = ZIP_DEFLATED) -> bytes:
    with ZipFile(stored := BytesIO(), "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stored.getvalue()


TAKEOUT: dict[str, str | bytes] = {
    "Takeout/Calendar/club.ics": a_feed(*events_of_feed(2)),
    "Takeout/Calendar/family.ics": a_feed(an_event_of_feed("f@google.com", "Family")),
    "Takeout/archive_browser.html": "<html>",
}


def test_an_address_is_imported_once_and_its_events_are_ours(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(a_feed(*events_of_feed(2)))
    calendar = a_calendar(people.alice, name="Town")
    for imported, unchanged in ((2, 0), (0, 2)):
        reply = people.alice.post("/api/sources/imports", json={"url": elsewhere.url, "calendar_id": calendar["id"]})
        assert (reply.status, reply.json["imported"], reply.json["unchanged"]) == (201, imported, unchanged)
    assert people.alice.get("/api/sources", query={"calendar_id": calendar["id"]}).json["sources"] == []
    event = people.alice.get("/api/events", query={"calendar_id": calendar["id"]}).json["events"][0]
    assert people.alice.put(f"/api/events/{event['id']}", json={"title": "Mine"}).status == 200


def test_what_is_no_calendar_is_not_imported_and_the_error_names_the_address(people: Cast, elsewhere: Elsewhere) -> None:
    for content in ("<html>", "hello", a_feed()):
        elsewhere.says(content)
        reply = people.alice.post("/api/sources/imports", json={"url": elsewhere.url})
        assert (reply.status, reply.broken) == (422, ["url"]), reply


def test_all_calendars_of_an_archive_are_imported(people: Cast, elsewhere: Elsewhere) -> None:
    calendar = a_calendar(people.alice, name="Town")
    body = multipart({"calendar_id": str(calendar["id"])}, files=[("file", "takeout.zip", _zip(TAKEOUT))])
    reply = people.alice.request("POST", "/api/events/import", **body)
    assert (reply.status, reply.json["imported"]) == (201, 3)
    assert titles(people.alice, {"calendar_id": calendar["id"]}) == ["Family", "gig 0", "gig 1"]
    elsewhere.says(_zip(TAKEOUT), Content_Type="application/zip")
    reply = people.alice.post("/api/sources/imports", json={"url": elsewhere.url, "calendar_id": calendar["id"]})
    assert (reply.status, reply.json["unchanged"]) == (201, 3)


def _large_directory() -> bytes:
    return _zip({f"{i:050}.txt": b"" for i in range(12_000)})


def _longer_than_said() -> bytes:
    """A file that says in the directory that it is small."""
    content = bytearray(_zip({"a.ics": b" " * (MAX_BYTES + 1)}))
    at = content.rfind(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 10)
    return bytes(content)


@pytest.mark.parametrize(
    ("archive", "said"),
    [
        (lambda: _zip({"a.txt": "x"}), "without .ics files"),
        (lambda: _zip({"inner.zip": _zip(TAKEOUT)}), "without .ics files"),
        (lambda: _zip(TAKEOUT)[:-30], "damaged"),
        (lambda: _zip(TAKEOUT)[:80], "damaged"),
        (lambda: _zip({"a.ics": b" " * (MAX_BYTES + 1)}), "more than 10 MiB"),
        (lambda: _zip({f"{i}.ics": b" " * (MAX_BYTES // 4) for i in range(5)}), "more than 10 MiB"),
        (lambda: _zip({f"{i}.ics": b"" for i in range(MAX_FILES + 1)}), "calendars; at most"),
        (lambda: _zip({"a.ics": a_feed()}, ZIP_LZMA), "damaged or encrypted"),
        (_large_directory, "too many files"),
        (_longer_than_said, "damaged"),
        (lambda: b"PK\x03\x04" + b"PK\x06\x07" + b"\0" * 16 + b"PK\x05\x06" + b"\0" * 18, "too many files"),
    ],
    ids=["other", "nested", "cut", "head", "bomb", "bombs", "many", "lzma", "directory", "lies", "large"],
)
def test_an_archive_that_cannot_be_read_is_refused_soon(archive: Callable[[], bytes], said: str) -> None:
    content = archive()
    began = time.process_time()
    with pytest.raises(ValueError, match=said):
        join_calendars(content)
    assert time.process_time() - began < 5


def test_what_is_no_archive_stays_as_it_is() -> None:
    assert join_calendars(b"BEGIN:VCALENDAR") == b"BEGIN:VCALENDAR"
