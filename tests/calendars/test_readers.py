"""Which programs fetch the feed of a calendar: their names alone."""

import pytest

from kalends.features.calendars.rules.programs import program_of
from tests.cast import Cast, a_calendar, shared
from tests.client import Client
from tests.conftest import Clock


def _fetch(who: Client, calendar_id: int, program: str, status: int = 200, **headers: str) -> str:
    reply = who.request("GET", f"/api/calendars/{calendar_id}.ics", headers={"User-Agent": program} | headers)
    assert reply.status == status, reply
    return str(reply.headers.get("etag") or reply.headers.get("ETag"))


def test_the_owner_sees_which_programs_fetched_the_feed_when_and_how_often(cast: Cast, clock: Clock) -> None:
    calendar = a_calendar(cast.alice, public=True)
    path = f"/api/calendars/{calendar['id']}/readers"
    assert cast.alice.get(path).json == {"readers": []}
    tag = _fetch(cast.anonymous, calendar["id"], "Google-Calendar-Importer")
    # Within a minute it is counted once, and a feed that has not changed counts, too.
    _fetch(cast.anonymous, calendar["id"], "Google-Calendar-Importer")
    clock.ahead(3600)
    _fetch(cast.anonymous, calendar["id"], "Google-Calendar-Importer", 304, **{"If-None-Match": tag})
    clock.ahead(60)
    _fetch(cast.anonymous, calendar["id"], "iOS/18.0 (22A1) dataaccessd/1.0 of ana@example.org")
    readers = cast.alice.get(path).json["readers"]
    assert [(each["program"], each["fetches"]) for each in readers] == [("Apple Calendar (iOS)", 1), ("Google Calendar", 2)]
    assert readers[1]["first_at"] < readers[1]["last_at"] < readers[0]["last_at"]
    assert "ana" not in cast.alice.get(path).text


def test_only_the_owner_sees_them(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "editor")
    path = f"/api/calendars/{calendar['id']}/readers"
    assert [who.get(path).status for who in (cast.anonymous, cast.bob, cast.carol)] == [401, 403, 403]


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    ("user_agent", "program"),
    [
        ("Mozilla/5.0 (X11) Gecko/20100101 Thunderbird/128.0", "Thunderbird"),
        ("Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0)", "Outlook"),
        ("macOS/14.4 (23E214) CalendarAgent/1", "Apple Calendar (macOS)"),
        ("Kalends/0.2.0 (+https://other.example)", "Kalends"),
        ("Mozilla/5.0 (X11; Linux) Firefox/130.0", "A browser"),
        ("ana@example.org", "Other"),
        ("", "Other"),
        ("x" * 100_000, "Other"),
    ],
)
def test_a_program_has_one_of_a_few_names(user_agent: str, program: str) -> None:
    assert program_of(user_agent) == program
