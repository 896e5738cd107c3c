"""The status of events in feeds and imported files."""

import re

import pytest

from tests.cast import Cast, a_calendar, an_event
from tests.events.importing import a_file, an_entry, counts, events, imported, remarks
from tests.events.series import five_mondays

pytestmark = pytest.mark.on_one_database


def _entries(content: bytes) -> list[str]:
    return re.sub(r"\r\n[ ]", "", content.decode()).split("BEGIN:VEVENT")[1:]


def test_a_cancelled_event_says_so_in_feeds_with_a_higher_sequence(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)["id"]
    event = an_event(cast.alice, calendar_id=calendar)["id"]
    assert "STATUS:" not in cast.alice.get(f"/api/events/{event}.ics").text
    cast.alice.put(f"/api/events/{event}", json={"status": "cancelled", "status_note": "Ill, sorry"})
    for path in (f"/api/events/{event}.ics", f"/api/calendars/{calendar}.ics"):
        lines = cast.alice.get(path).text.split("\r\n")
        assert {"STATUS:CANCELLED", "COMMENT:Ill\\, sorry", "SEQUENCE:1"} <= set(lines)


def test_a_postponed_event_is_tentative_in_feeds(cast: Cast) -> None:
    event = an_event(cast.alice, status="postponed", status_note="In autumn")["id"]
    lines = cast.alice.get(f"/api/events/{event}.ics").text.split("\r\n")
    assert {"STATUS:TENTATIVE", "X-KALENDS-STATUS:POSTPONED", "COMMENT:In autumn"} <= set(lines)


def test_a_cancelled_date_of_a_series_is_an_exception_to_its_rule(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)["id"]
    ids = five_mondays(cast.alice, calendar_id=calendar)
    cast.alice.put(f"/api/events/{ids[1]}", json={"status": "cancelled"})
    rule, exception = _entries(cast.alice.get(f"/api/calendars/{calendar}.ics").content)
    assert "RRULE:" in rule
    assert "STATUS:" not in rule
    assert "RECURRENCE-ID;TZID=Europe/Paris:20270308T100000" in exception
    assert "STATUS:CANCELLED" in exception


def test_a_file_keeps_its_status_and_note(cast: Cast) -> None:
    cancelled = an_entry("a", "DTSTART:20260601T180000Z", "STATUS:CANCELLED", "COMMENT:Ill")
    postponed = an_entry("b", "DTSTART:20260602T180000Z", "STATUS:TENTATIVE", "X-KALENDS-STATUS:postponed", "COMMENT:In autumn")
    confirmed = an_entry("c", "DTSTART:20260603T180000Z", "STATUS:CONFIRMED", "COMMENT:Bring a friend")
    result = imported(cast.alice, a_file(cancelled, postponed, confirmed))
    assert (counts(result), remarks(result)) == ((3, 0, 0, 0), [])
    expected = [("cancelled", "Ill"), ("postponed", "In autumn"), ("planned", None)]
    assert [(event["status"], event["status_note"]) for event in events(cast.alice)] == expected


def test_a_tentative_event_of_another_program_is_planned(cast: Cast) -> None:
    """Outlook and Google mean that it is not confirmed yet, and one that another program confirmed is postponed no more."""
    tentative = an_entry("a", "DTSTART:20260601T180000Z", "STATUS:tentative", "COMMENT:Perhaps")
    confirmed = an_entry("b", "DTSTART:20260602T180000Z", "STATUS:CONFIRMED", "X-KALENDS-STATUS:POSTPONED")
    result = imported(cast.alice, a_file(tentative, confirmed))
    assert (counts(result), remarks(result)) == ((2, 0, 0, 0), [(3, "file")])
    assert [(event["status"], event["status_note"]) for event in events(cast.alice)] == [("planned", None)] * 2


def test_a_later_file_cancels_an_event_and_plans_it_again(cast: Cast) -> None:
    entry = an_entry()
    imported(cast.alice, a_file(entry))
    cancelled = a_file(entry.replace("END:", "STATUS:CANCELLED\nEND:"))
    for content, result, status in [
        (cancelled, (0, 1, 0, 0), "cancelled"),
        (cancelled, (0, 0, 1, 0), "cancelled"),
        (a_file(entry), (0, 1, 0, 0), "planned"),
    ]:
        assert counts(imported(cast.alice, content)) == result
        assert [event["status"] for event in events(cast.alice)] == [status]


def test_an_exported_series_keeps_the_status_of_its_dates(cast: Cast) -> None:
    source, copy = (a_calendar(cast.alice)["id"] for _ in range(2))
    ids = five_mondays(cast.alice, calendar_id=source)
    cast.alice.put(f"/api/events/{ids[0]}", json={"status": "postponed", "scope": "all", "status_note": "In summer"})
    cast.alice.put(f"/api/events/{ids[1]}", json={"status": "cancelled", "status_note": "Ill"})
    cast.alice.put(f"/api/events/{ids[2]}", json={"status": "planned"})
    result = imported(cast.alice, cast.alice.get(f"/api/calendars/{source}.ics").content, calendar_id=copy)
    assert result["remarks"] == []
    expected = [("postponed", "In summer"), ("cancelled", "Ill"), ("planned", None), *[("postponed", "In summer")] * 2]
    assert [(event["status"], event["status_note"]) for event in events(cast.alice, calendar_id=copy)] == expected


def test_the_sequence_of_a_series_grows_with_every_change_of_it(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)["id"]
    event = an_event(cast.alice, calendar_id=calendar)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 6})
    dates = [each["id"] for each in cast.alice.get(f"/api/events?calendar_id={calendar}").json["events"]]

    def sequence() -> int:
        numbers = re.findall(rb"\r\nSEQUENCE:(\d+)\r\n", cast.alice.get(f"/api/calendars/{calendar}.ics").content)
        assert len(set(numbers)) == 1, "all components of a series have the same"
        return int(numbers[0])

    seen = [sequence()]
    for method, path, fields in (
        ("PUT", f"{dates[1]}", {"status": "cancelled"}),
        ("PUT", f"{dates[2]}", {"status": "cancelled"}),
        ("DELETE", f"{dates[2]}", None),
        ("PUT", f"{dates[0]}/repeat", {"frequency": "DAILY", "count": 9}),
        ("PUT", f"{dates[0]}", {"title": "Other", "scope": "all"}),
    ):
        assert cast.alice.request(method, f"/api/events/{path}", json=fields).status == 200
        seen.append(sequence())
    assert seen == sorted(set(seen)), seen
