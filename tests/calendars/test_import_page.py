"""The page that imports a calendar file, with remarks on omitted values."""

import re

import pytest

from tests.cast import Cast, a_calendar, shared
from tests.client import Client, Reply
from tests.http.multipart import multipart

pytestmark = pytest.mark.on_one_database

FILE = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:one
DTSTART:20260601T180000Z
SUMMARY:R&B <night>
END:VEVENT
BEGIN:VEVENT
UID:two
DTSTART;VALUE=DATE:20260602
SUMMARY:Fair
END:VEVENT
BEGIN:VEVENT
UID:three
DTSTART:never
SUMMARY:No day at all
END:VEVENT
END:VCALENDAR
"""


def uploaded(who: Client, calendar_id: int, content: str, filename: str = "events.ics", **fields: str) -> Reply:
    return who.post(f"/calendars/{calendar_id}/import", **multipart(fields, [("file", filename, content.encode())]))


def test_the_events_of_a_file_come_onto_the_calendar_and_the_page_counts_them(cast: Cast) -> None:
    jazz = a_calendar(cast.alice)
    shared(cast.alice, jazz, cast.bob, "editor")
    page = uploaded(cast.bob, jazz["id"], FILE)
    assert page.status == 200
    assert "2 new, 0 updated, 0 unchanged, 1 skipped" in page.text
    assert "R&amp;B &lt;night&gt;</a>" in page.text
    assert "Tuesday, 2 June 2026<" in page.text
    assert re.search(r"<tr><td>\d+</td><td>[\w ]+</td><td>", page.text)
    again = uploaded(cast.alice, jazz["id"], FILE)
    assert "0 new, 0 updated, 2 unchanged" in again.text
    assert len(cast.alice.get(f"/api/events?calendar_id={jazz['id']}").json["events"]) == 2


def test_imported_events_may_be_public_on_a_private_calendar(cast: Cast) -> None:
    jazz = a_calendar(cast.alice)
    assert uploaded(cast.alice, jazz["id"], FILE, public="true").status == 200
    assert [event["public"] for event in cast.alice.get(f"/api/events?calendar_id={jazz['id']}").json["events"]] == [True, True]


@pytest.mark.parametrize(("content", "filename"), [("BEGIN:NONSENSE", "events.ics"), ("", "")])
def test_a_file_that_cannot_be_read_names_the_field(cast: Cast, content: str, filename: str) -> None:
    jazz = a_calendar(cast.alice)
    page = uploaded(cast.alice, jazz["id"], content, filename, public="false")
    assert page.status == 422
    assert 'href="#file"' in page.text
    assert re.search(r'id="file"[^>]*aria-invalid="true" aria-describedby="file-about"', page.text)
    assert 'value="false" selected' in page.text


def test_viewers_cannot_import_events(cast: Cast) -> None:
    jazz = a_calendar(cast.alice)
    shared(cast.alice, jazz, cast.vera, "viewer")
    assert uploaded(cast.vera, jazz["id"], FILE).status == 403
    assert uploaded(cast.carol, jazz["id"], FILE).status == 404
    assert cast.alice.get(f"/api/events?calendar_id={jazz['id']}").json["events"] == []
