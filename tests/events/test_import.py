"""POST /api/events with a file: files of calendar programs are imported once, with remarks on what is not supported."""

from typing import Any

import pytest

from tests.cast import Cast, a_calendar, shared
from tests.events.importing import CORPUS, a_file, an_entry, counts, events, imported, remarks, starts, uploaded

pytestmark = pytest.mark.on_one_database

PARIS: dict[str, Any] = {"time_zone": "Europe/Paris"}

# The contents of each program's file: start, end, zone and title of every event.
HELD = {
    "google": [
        ("2026-06-02T09:00:00-04:00", "2026-06-02T09:30:00-04:00", "America/New_York", "Stand-up"),
        ("2026-06-09T09:00:00-04:00", "2026-06-09T09:30:00-04:00", "America/New_York", "Stand-up"),
        ("2026-06-11T20:00:00+02:00", "2026-06-11T21:30:00+02:00", "Europe/Paris", "Soirée jazz"),
        ("2026-06-23T09:00:00-04:00", "2026-06-23T09:30:00-04:00", "America/New_York", "Stand-up"),
        ("2026-06-30T11:30:00-04:00", "2026-06-30T12:00:00-04:00", "America/New_York", "Stand-up (late)"),
        ("2026-07-07T09:00:00-04:00", "2026-07-07T09:30:00-04:00", "America/New_York", "Stand-up"),
        ("2026-07-14", None, "Europe/Paris", "Fête nationale"),
        ("2026-07-14T09:00:00-04:00", "2026-07-14T09:30:00-04:00", "America/New_York", "Stand-up"),
    ],
    "outlook": [
        ("2026-03-09T10:00:00+01:00", "2026-03-09T11:00:00+01:00", "Europe/Berlin", "Budget"),
        ("2026-03-16T10:00:00+01:00", "2026-03-16T11:00:00+01:00", "Europe/Berlin", "Budget"),
        ("2026-03-23T10:00:00+01:00", "2026-03-23T11:00:00+01:00", "Europe/Berlin", "Budget"),
        ("2026-03-30T10:00:00+02:00", "2026-03-30T11:00:00+02:00", "Europe/Berlin", "Budget"),
        ("2026-04-06T10:00:00+02:00", "2026-04-06T11:00:00+02:00", "Europe/Berlin", "Budget"),
        ("2026-08-17", None, "Asia/Tokyo", "Holiday"),
    ],
    "exchange": [
        ("2026-07-09T09:00:00+00:00", "2026-07-09T09:30:00+00:00", "UTC", "In UTC"),
        ("2026-07-09T09:00:00-07:00", "2026-07-09T10:00:00-07:00", "America/Los_Angeles", "Review in summer"),
        ("2026-10-12T14:00:00+02:00", "2026-10-12T15:00:00+02:00", "Europe/Berlin", "Point du lundi"),
        ("2026-10-19T14:00:00+02:00", "2026-10-19T15:00:00+02:00", "Europe/Berlin", "Point du lundi"),
        ("2026-10-26T14:00:00+01:00", "2026-10-26T15:00:00+01:00", "Europe/Berlin", "Point du lundi"),
        ("2026-10-28T09:00:00-07:00", "2026-10-28T09:30:00-07:00", "America/Los_Angeles", "Shift change"),
        ("2026-11-02T14:00:00+01:00", "2026-11-02T15:00:00+01:00", "Europe/Berlin", "Point du lundi"),
        ("2026-11-04T09:00:00-08:00", "2026-11-04T09:30:00-08:00", "America/Los_Angeles", "Shift change"),
        ("2026-11-11T09:00:00-08:00", "2026-11-11T09:30:00-08:00", "America/Los_Angeles", "Shift change"),
        ("2026-12-03T09:00:00-08:00", "2026-12-03T10:00:00-08:00", "America/Los_Angeles", "Review in winter"),
    ],
    "apple": [
        ("2020-02-29", None, "Asia/Tokyo", "Leap birthday"),
        ("2024-02-29", None, "Asia/Tokyo", "Leap birthday"),
        ("2026-05-10T09:00:00+09:00", "2026-05-10T10:30:00+09:00", "Asia/Tokyo", "Brunch wherever we are"),
        ("2026-06-14T09:00:00+09:00", "2026-06-14T10:30:00+09:00", "Asia/Tokyo", "Brunch wherever we are"),
        ("2026-07-12T09:00:00+09:00", "2026-07-12T10:30:00+09:00", "Asia/Tokyo", "Brunch wherever we are"),
        ("2026-10-25T01:30:00+02:00", "2026-10-25T03:30:00+01:00", "Europe/Berlin", "The night of the clocks"),
        ("2028-02-29", None, "Asia/Tokyo", "Leap birthday"),
    ],
    "thunderbird": [
        ("2026-04-20T10:00:00+05:30", "2026-04-20T11:00:00+05:30", "Asia/Kolkata", "Call with Pune"),
        ("2026-04-20T10:00:00-03:00", "2026-04-20T11:00:00-03:00", "America/Argentina/Buenos_Aires", "From Evolution"),
        ("2026-10-22T20:00:00+02:00", "2026-10-22T22:00:00+02:00", "Europe/Paris", "Rehearsal"),
        ("2026-10-24T20:00:00+02:00", "2026-10-24T22:00:00+02:00", "Europe/Paris", "Rehearsal"),
        ("2026-10-28T20:00:00+01:00", "2026-10-28T22:00:00+01:00", "Europe/Paris", "Rehearsal"),
        ("2026-10-30T20:00:00+01:00", "2026-10-30T22:00:00+01:00", "Europe/Paris", "Rehearsal"),
    ],
    "nextcloud": [
        ("2026-05-18T18:00:00+02:00", "2026-05-18T19:00:00+02:00", "Europe/Paris", "Yoga"),
        ("2026-05-19T18:00:00+02:00", "2026-05-19T19:00:00+02:00", "Europe/Paris", "Nothing"),
        ("2026-05-21T20:30:00+02:00", "2026-05-21T21:30:00+02:00", "Europe/Paris", "Yoga (evening)"),
        ("2026-05-25T18:00:00+02:00", "2026-05-25T19:00:00+02:00", "Europe/Paris", "Yoga"),
        ("2026-05-28T18:00:00+02:00", "2026-05-28T19:00:00+02:00", "Europe/Paris", "Yoga"),
        ("2026-06-01T18:00:00+02:00", "2026-06-01T19:00:00+02:00", "Europe/Paris", "Yoga"),
        ("2026-06-04T18:00:00+02:00", "2026-06-04T19:00:00+02:00", "Europe/Paris", "Yoga"),
        ("2026-06-20T18:00:00+02:00", "2026-06-20T19:00:00+02:00", "Europe/Paris", "Yoga"),
    ],
}

EXPECTED_REMARKS = {
    "google": [(26, "file"), (46, "file")],
    "outlook": [(24, "file")],
    "exchange": [(48, "file")],
    "apple": [(24, "file"), (24, "file")],
    "thunderbird": [(1, "file")],
    "nextcloud": [(26, "file")],
}


@pytest.mark.parametrize("program", HELD)
def test_a_file_of_each_program_is_imported_at_the_same_times_and_again_changes_nothing(cast: Cast, program: str) -> None:
    calendar = a_calendar(cast.alice, time_zone="Asia/Tokyo")
    content = (CORPUS / f"{program}.ics").read_bytes()
    came = imported(cast.alice, content, calendar_id=calendar["id"])
    assert remarks(came) == EXPECTED_REMARKS[program]
    held = events(cast.alice, calendar_id=calendar["id"])
    assert [(each["start_time"], each["end_time"], each["time_zone"], each["title"]) for each in held] == HELD[program]
    again = imported(cast.alice, content, calendar_id=calendar["id"])
    assert counts(again) == (0, 0, came["imported"], came["skipped"])
    assert again["events"] == came["events"]
    assert events(cast.alice, calendar_id=calendar["id"]) == held


def test_the_content_of_a_vevent_is_imported(cast: Cast) -> None:
    imported(cast.alice, (CORPUS / "google.ics").read_bytes())
    (soiree,) = events(cast.alice, text="soirée")
    assert soiree["description"] == "Bring <b>a friend</b>, and:\n- an umbrella;\n- a chair"
    assert (soiree["location_name"], soiree["city"], soiree["zip"]) == ("Le Sunset", "Paris", "75001")
    imported(cast.alice, (CORPUS / "nextcloud.ics").read_bytes())
    assert {each["image_url"] for each in events(cast.alice, text="yoga")} == {"https://example.org/yoga.png", None}
    imported(cast.alice, (CORPUS / "outlook.ics").read_bytes())
    assert events(cast.alice, text="budget")[0]["tags"] == ["Red Category", "Travel", "long"]
    imported(cast.alice, (CORPUS / "apple.ics").read_bytes())
    (night,) = events(cast.alice, text="clocks")
    assert night["location"] == "Quasimodo, Kantstraße 12a, 10623 Berlin, Germany"


def test_the_reply_lists_the_imported_events(cast: Cast) -> None:
    came = imported(cast.alice, (CORPUS / "google.ics").read_bytes())
    assert counts(came) == (3, 0, 0, 0)
    assert [(each["title"], each["start_time"], each["uid"]) for each in came["events"]] == [
        ("Soirée jazz", "2026-06-11T20:00:00+02:00", "1k2j3h4g5f6d7s8a@google.com"),
        ("Stand-up", "2026-06-02T09:00:00-04:00", "standup@google.com"),
        ("Fête nationale", "2026-07-14", "bastille@google.com"),
    ]
    for each in came["events"]:
        assert cast.alice.get(f"/api/events/{each['id']}").json["title"] == each["title"]


def test_a_series_of_a_file_is_a_series_here(cast: Cast) -> None:
    imported(cast.alice, (CORPUS / "google.ics").read_bytes())
    standups = events(cast.alice, title="stand-up")
    assert len({each["series_id"] for each in standups}) == 1
    assert (standups[0]["repeat"]["rrule"], standups[0]["repeat"]["start_date"]) == ("FREQ=WEEKLY;UNTIL=20260714", "2026-06-02")
    # Occurrences that were changed alone stay so when the rule is replaced, and excluded ones are not created.
    repeated = cast.alice.put(f"/api/events/{standups[0]['id']}/repeat", json={"frequency": "WEEKLY", "end_date": "2026-07-21"})
    assert repeated.json["occurrences"] == 7
    assert starts(cast.alice, title="late") == ["2026-06-30T11:30:00-04:00"]


def test_an_endless_series_goes_on(cast: Cast) -> None:
    imported(
        cast.alice, a_file(an_entry("e", "DTSTART;TZID=Europe/Paris:20260601T180000", "RRULE:FREQ=MONTHLY", "EXDATE:20290101T170000Z"))
    )
    held = events(cast.alice)
    assert (held[0]["start_time"], held[-1]["start_time"], len(held)) == ("2026-06-01T18:00:00+02:00", "2028-06-01T18:00:00+02:00", 25)
    assert held[0]["repeat"]["end_date"] is None


def test_an_occurrence_that_no_rule_makes_is_an_event_of_its_own(cast: Cast) -> None:
    weekly = an_entry("s", "DTSTART:20260601T180000Z", "RRULE:FREQ=WEEKLY;COUNT=2")
    odd = an_entry("s", "DTSTART:20260703T180000Z", "RECURRENCE-ID:20260702T180000Z", title="Odd")
    orphan = an_entry("t", "DTSTART:20260801T180000Z", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260801T180000Z", title="Orphan")
    came = imported(cast.alice, a_file(weekly, odd, orphan))
    assert (counts(came), remarks(came)) == ((3, 0, 0, 0), [(9, "repeat"), (15, "repeat")])
    assert [each["series_id"] is None for each in events(cast.alice)] == [False, False, True, True]
    assert counts(imported(cast.alice, a_file(weekly, odd, orphan))) == (0, 0, 3, 0)


def test_floating_times_use_the_zone_of_the_request_the_file_or_the_calendar(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="Asia/Tokyo")["id"]
    floating = an_entry("f", "DTSTART:20260601T180000")
    zones = [
        ({}, "", "2026-06-01T18:00:00+09:00"),
        ({}, "America/New_York", "2026-06-01T18:00:00-04:00"),
        (PARIS, "America/New_York", "2026-06-01T18:00:00+02:00"),
    ]
    for fields, zone, start in zones:
        imported(cast.alice, a_file(floating, zone=zone), calendar_id=calendar, **fields)
        assert starts(cast.alice, calendar_id=calendar) == [start]


def test_events_are_as_visible_as_the_calendar_unless_the_file_or_the_request_says_otherwise(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)["id"]
    content = a_file(an_entry("a"), an_entry("b", "DTSTART:20260602T180000Z", "CLASS:PRIVATE"))
    imported(cast.alice, content, calendar_id=calendar)
    assert [each["public"] for each in events(cast.alice, calendar_id=calendar)] == [True, False]
    assert counts(imported(cast.alice, content, calendar_id=calendar, public="no")) == (0, 1, 1, 0)
    assert starts(cast.anonymous, calendar_id=calendar) == []


def test_an_event_that_a_later_file_marks_as_private_is_hidden(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)["id"]
    weekly = "RRULE:FREQ=WEEKLY;COUNT=3"
    for mark, expected in (((), 4), (("CLASS:CONFIDENTIAL",), 0), ((), 0)):
        content = a_file(an_entry("a", "DTSTART:20260601T180000Z", *mark), an_entry("b", "DTSTART:20260602T180000Z", weekly, *mark))
        imported(cast.alice, content, calendar_id=calendar)
        assert (len(starts(cast.anonymous, calendar_id=calendar)), len(starts(cast.alice, calendar_id=calendar))) == (expected, 4)
    imported(cast.alice, content, calendar_id=calendar, public="yes")
    assert len(starts(cast.anonymous, calendar_id=calendar)) == 4


def test_a_broken_event_is_reported_and_the_others_are_imported(cast: Cast) -> None:
    came = imported(
        cast.alice,
        a_file(
            "BEGIN:VEVENT\nUID:a\nSUMMARY:No start\nEND:VEVENT\n",
            an_entry("b", "DTSTART:16000101T000000Z"),
            an_entry("c", "DTSTART:20260231T000000Z"),
            an_entry("d", "DTSTART:20260601T180000Z", "DTEND:20260601T170000Z"),
            an_entry("e", title="x" * 300),
            "BEGIN:VEVENT\nUID:f\nDTSTART:20260601\nIMAGE;VALUE=URI:ftp://example.org/a\nCATEGORIES:" + "y" * 201 + "\nEND:VEVENT\n",
        ),
    )
    assert counts(came) == (3, 0, 0, 3)
    expected = [(3, "start_time"), (7, "start_time"), (12, "start_time"), (17, "end_time"), (23, "title")]
    assert remarks(came) == [*expected, (28, "title"), (28, "image_url"), (28, "tag_list")]
    held = events(cast.alice)
    assert [len(each["title"]) for each in held if each["title"].startswith("x")] == [200]
    assert ("Untitled", True) in [(each["title"], each["all_day"]) for each in held]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "not a calendar",
        "BEGIN:VCARD\nFN:Ana\nEND:VCARD\n",
        "BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n",
        "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:Task\nEND:VTODO\nEND:VCALENDAR\n",
        a_file(an_entry(), an_entry("two")).removesuffix("END:VCALENDAR\n"),
        a_file(an_entry())[:60],
        a_file(an_entry()).replace("END:VEVENT\n", ""),
        a_file(an_entry()).replace("BEGIN:VEVENT\n", "BEGIN:VEVENT\nBEGIN:VALARM\n"),
        a_file("BEGIN:VEVENT\nUID:a\nSUMMARY:No start\nEND:VEVENT\n"),
        a_file(an_entry(title="x" * 200_001)),
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        b"BEGIN:VCALENDAR\r\n\x00\x00\xff\xfe",
    ],
)
def test_a_broken_file_is_refused_and_changes_nothing(cast: Cast, content: str | bytes) -> None:
    reply = uploaded(cast.alice, content)
    assert (reply.status, reply.broken) == (422, ["file"]), reply
    assert starts(cast.alice) == []


def test_a_file_comes_without_the_fields_of_an_event(cast: Cast) -> None:
    reply = uploaded(cast.alice, a_file(an_entry()), title="Another")
    assert (reply.status, reply.broken) == (422, ["file"])
    assert cast.alice.post("/api/events", json={}).broken == ["title", "start_time"]
    assert cast.alice.post("/api/events", json={"title": "", "start_time": ""}).broken == ["title", "start_time"]
    reply = cast.alice.post("/api/events", json={"file": "BEGIN:VCALENDAR"})
    assert (reply.status, reply.broken) == (422, ["file"])


def test_editors_of_a_calendar_may_import_into_it(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    content = a_file(an_entry())
    statuses = [uploaded(who, content, calendar_id=calendar["id"]).status for who in (cast.anonymous, cast.vera, cast.carol, cast.bob)]
    assert statuses == [401, 403, 404, 201]
    assert uploaded(cast.anonymous, "nonsense").status == 401
    assert uploaded(cast.carol, "nonsense", calendar_id=calendar["id"]).status == 404
    assert counts(imported(cast.alice, content, calendar_id=calendar["id"])) == (0, 0, 1, 0)
