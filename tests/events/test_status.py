"""The status of an event: planned, cancelled or postponed, of one event, of several, and of dates of a series."""

import pytest

from tests.cast import Cast, Person, a_calendar, an_event
from tests.events.listing import listed
from tests.events.series import events_of_series, five_mondays, repeat


def _statuses(owner: Person, event_id: int) -> list[tuple[str, str | None]]:
    return [(event["status"], event["status_note"]) for event in events_of_series(owner, event_id)]


def test_an_event_is_planned_by_default(cast: Cast) -> None:
    event = an_event(cast.alice)
    assert (event["status"], event["status_note"]) == ("planned", None)
    fields = cast.alice.get(f"/api/events/{event['id']}/edit").json
    assert (fields["status"], fields["status_note"]) == ("planned", None)


def test_create_show_and_index_have_status_and_note(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, status="cancelled", status_note="The hall is flooded.")
    detail = cast.anonymous.get(f"/api/events/{event['id']}").json
    [item] = cast.alice.get(f"/api/events?ids={event['id']}").json["events"]
    for reply in (event, detail, item):
        assert (reply["status"], reply["status_note"]) == ("cancelled", "The hall is flooded.")


def test_a_change_of_status_raises_the_version_and_planned_removes_the_note(cast: Cast) -> None:
    event = an_event(cast.alice)
    path = f"/api/events/{event['id']}"
    cancelled = cast.alice.put(path, json={"status": "cancelled", "status_note": "Ill"}).json
    assert (cancelled["status"], cancelled["status_note"], cancelled["start_time"]) == ("cancelled", "Ill", event["start_time"])
    assert b"SEQUENCE:1\r\n" in cast.alice.get(f"{path}.ics").content
    planned = cast.alice.put(path, json={"status": "planned"}).json
    assert (planned["status"], planned["status_note"]) == ("planned", None)


@pytest.mark.parametrize("fields", [{"status_note": "Why"}, {"status": "planned", "status_note": "Why"}])
def test_a_note_without_a_status_to_explain_is_refused(cast: Cast, fields: dict[str, str]) -> None:
    event = an_event(cast.alice)
    replies = [
        cast.alice.put(f"/api/events/{event['id']}", json=fields),
        cast.alice.post("/api/events", json={"title": "Concert", "start_time": "2026-06-01T20:00"} | fields),
    ]
    for reply in replies:
        assert reply.status == 422
        assert [(error["field"], error["code"]) for error in reply.json["errors"]] == [("status_note", "conflict")]


def test_an_unknown_status_is_refused(cast: Cast) -> None:
    reply = cast.alice.put(f"/api/events/{an_event(cast.alice)['id']}", json={"status": "tentative"})
    assert (reply.status, reply.json["errors"][0]["code"]) == (422, "not_a_choice")


def test_a_new_start_makes_a_postponed_event_planned(cast: Cast) -> None:
    event = an_event(cast.alice, status="postponed", status_note="A new date follows.")
    path = f"/api/events/{event['id']}"
    same = cast.alice.put(path, json={"start_time": event["start_time"], "title": "Concert, later"}).json
    assert (same["status"], same["status_note"]) == ("postponed", "A new date follows.")
    moved = cast.alice.put(path, json={"start_time": "2026-07-01T20:00"}).json
    assert (moved["status"], moved["status_note"]) == ("planned", None)


def test_a_new_start_with_a_status_leaves_it_at_that(cast: Cast) -> None:
    path = f"/api/events/{an_event(cast.alice, status='postponed')['id']}"
    assert cast.alice.put(path, json={"start_time": "2026-07-01T20:00", "status": "postponed"}).json["status"] == "postponed"
    assert cast.alice.put(path, json={"status": "cancelled"}).json["status"] == "cancelled"
    assert cast.alice.put(path, json={"start_time": "2026-08-01T20:00"}).json["status"] == "cancelled"


@pytest.mark.parametrize(("scope", "cancelled"), [("this", [1]), ("following", [1, 2, 3, 4]), ("all", [0, 1, 2, 3, 4])])
def test_the_scope_says_which_dates_of_a_series_are_cancelled(cast: Cast, scope: str, cancelled: list[int]) -> None:
    ids = five_mondays(cast.alice)
    reply = cast.alice.put(f"/api/events/{ids[1]}", json={"status": "cancelled", "status_note": "Ill", "scope": scope})
    assert reply.status == 200
    events = [cast.alice.get(f"/api/events/{event_id}").json for event_id in ids]
    assert [n for n, event in enumerate(events) if (event["status"], event["status_note"]) == ("cancelled", "Ill")] == cancelled


def test_a_date_that_was_cancelled_alone_stays_so_when_the_series_changes(cast: Cast) -> None:
    ids = five_mondays(cast.alice)
    cast.alice.put(f"/api/events/{ids[1]}", json={"status": "cancelled"})
    assert cast.alice.put(f"/api/events/{ids[0]}", json={"title": "Choir", "scope": "all"}).status == 200
    assert [status for status, _ in _statuses(cast.alice, ids[0])] == ["planned", "cancelled", "planned", "planned", "planned"]


def test_new_dates_of_a_rule_do_not_take_the_status_of_one_date(cast: Cast) -> None:
    ids = five_mondays(cast.alice)
    cast.alice.put(f"/api/events/{ids[1]}", json={"status": "cancelled"})
    repeat(cast.alice, ids[1], frequency="WEEKLY", start_date="2027-03-01", end_date="2027-04-12")
    assert [status for status, _ in _statuses(cast.alice, ids[0])] == ["planned", "cancelled", *["planned"] * 5]


def test_several_events_are_cancelled_at_once(cast: Cast) -> None:
    ids = [an_event(cast.alice)["id"] for _ in range(3)]
    reply = cast.alice.put(f"/api/events/{ids[0]}", json={"ids": ids[1:], "status": "cancelled"})
    assert [event["status"] for event in reply.json["events"]] == ["cancelled"] * 3


def test_index_filters_by_status(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)["id"]
    planned = an_event(cast.alice, calendar_id=calendar, title="Rareword planned")["id"]
    cancelled = an_event(cast.alice, calendar_id=calendar, title="Rareword", status="cancelled")["id"]
    postponed = an_event(cast.alice, calendar_id=calendar, title="Rareword", status="postponed")["id"]
    for reader, query in [
        (cast.alice, {}),
        (cast.alice, {"calendar_id": calendar}),
        (cast.anonymous, {"calendar_id": calendar}),
        (cast.anonymous, {"text": "rareword"}),
        (cast.alice, {"start_time": "2026-05-01", "end_time": "2026-07-01", "overlaps": "true"}),
    ]:
        assert listed(reader, **query, status="planned") == [planned]
        assert listed(reader, **query, status="cancelled") == [cancelled]
        assert listed(reader, **query, status="postponed") == [postponed]
        assert sorted(listed(reader, **query)) == sorted([planned, cancelled, postponed])
    public = cast.anonymous.get("/api/events?status=cancelled&count=true&limit=500").json
    assert cancelled in [event["id"] for event in public["events"]]
    assert {event["status"] for event in public["events"]} == {"cancelled"}
