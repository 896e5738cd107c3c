"""A calendar's feed, imported into an empty calendar, gives the same feed."""

import re
from typing import Any

import pytest
from hypothesis import Phase, example, given, settings

from tests.cast import Cast, a_calendar, an_event
from tests.client import Client, Reply
from tests.http.multipart import multipart
from tests.ical.test_series import _apply, event_fields, exceptions, listed, of_api, repeats


def imported(who: Client, calendar_id: int, content: bytes) -> Reply:
    return who.post("/api/events", **multipart({"calendar_id": str(calendar_id)}, [("file", "feed.ics", content)]))


def entries(content: bytes) -> list[str]:
    """The entries of a feed, without the properties that differ in a copy: timestamps, sequence and URL."""
    lines = re.sub(r"\r\n[ ]", "", content.decode()).split("\r\n")
    own = ("CREATED", "LAST-MODIFIED", "DTSTAMP", "SEQUENCE", "URL")
    foreign = "\n".join(line for line in lines if re.split("[:;]", line)[0] not in own)
    return sorted(foreign.removesuffix("END:VCALENDAR\n").split("BEGIN:VEVENT")[1:])


@example(
    single={"title": "Jazz", "start_time": "2026-11-01", "time_zone": "UTC"},
    first={"title": "Jazz", "start_time": "2026-03-08T01:30", "time_zone": "America/New_York", "end_time": "2026-03-08T02:00"},
    rule={"frequency": "WEEKLY", "interval": 2, "end_date": "2026-06-01"},
    changes=[],
)
# The first date of the series is moved by the change to summer time.
@example(
    single={"title": "Jazz", "start_time": "2026-11-01", "time_zone": "UTC"},
    first={"title": "Jazz", "start_time": "2026-03-08T02:30", "time_zone": "Europe/Paris", "end_time": "2026-03-10T04:30"},
    rule={"frequency": "YEARLY", "by_day": ["1MO"], "by_month": [3, 10], "end_date": "2027-04-10", "also": ["2026-03-29"]},
    changes=[("retitle", 27)],
)
# A series of one date is left, in the hour that the change to summer time skips.
@example(
    single={"title": "Jazz", "start_time": "2026-11-01", "time_zone": "UTC"},
    first={"title": "Jazz", "start_time": "2026-10-25T02:30", "time_zone": "Europe/Paris", "end_time": "2026-10-25T12:30"},
    rule={
        "frequency": "YEARLY",
        "by_day": ["1MO"],
        "by_month": [3, 10, 11],
        "end_date": "2028-03-01",
        "also": ["2026-03-29", "2027-01-05"],
    },
    changes=[("retitle following", 12), ("move following", 16)],
)
@pytest.mark.on_one_database
@settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(single=event_fields(), first=event_fields(), rule=repeats, changes=exceptions)
def test_an_imported_feed_gives_the_same_feed(
    cast: Cast, single: dict[str, Any], first: dict[str, Any], rule: dict[str, Any], changes: list[tuple[str, int]]
) -> None:
    source, copy = (a_calendar(cast.alice)["id"] for _ in range(2))
    an_event(cast.alice, **single, calendar_id=source, description="One,\ntwo; three\\", tag_list="a b,ç", location="Here, there")
    event = an_event(cast.alice, **first, calendar_id=source)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json=rule)
    for kind, number in changes:
        _apply(cast.alice, source, kind, number)
    exported = cast.alice.get(f"/api/calendars/{source}.ics").content
    reply = imported(cast.alice, copy, exported)
    assert (reply.status, reply.json["skipped"], reply.json["remarks"]) == (201, 0, []), reply.text
    assert of_api(listed(cast.alice, copy)) == of_api(listed(cast.alice, source))
    again = cast.alice.get(f"/api/calendars/{copy}.ics").content
    assert entries(again) == entries(exported)
    twice = imported(cast.alice, copy, exported)
    assert (twice.json["imported"], twice.json["updated"]) == (0, 0), twice.text
    assert cast.alice.get(f"/api/calendars/{copy}.ics").content == again
    for calendar_id in (source, copy):
        assert cast.alice.delete(f"/api/calendars/{calendar_id}").status == 200
