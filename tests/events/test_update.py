"""PUT /api/events/<id>: only the fields that are sent change; with ids, all events change or none."""

from typing import Any

import pytest

from tests.cast import Cast, a_calendar, an_event, many_events, shared
from tests.client import Client
from tests.conftest import Clock
from tests.events.listing import listed

NOBODY = {"email": 0, "sms": 0, "skipped": 0}
FULL = {
    "title": "Blue Train",
    "description": "Doors at seven",
    "start_time": "2026-06-01T20:00:00+00:00",
    "end_time": "2026-06-01T22:00:00+00:00",
    "location": "Blue Note, 131 W 3rd St, New York, NY 10012, USA",
    "image_url": "https://example.org/blue.png",
    "tag_list": "jazz,live",
    "public": True,
}


def _load_events(reader: Client, *events: int) -> list[dict[str, Any]]:
    return [reader.get(f"/api/events/{event}").json for event in events]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "Giant Steps"),
        ("description", "Sold out"),
        ("start_time", "2026-06-01T19:30:00+00:00"),
        ("end_time", "2026-06-01T23:00:00+00:00"),
        ("image_url", "http://example.org/giant.png"),
        ("public", False),
    ],
)
def test_only_the_fields_that_are_sent_change(cast: Cast, clock: Clock, field: str, value: object) -> None:
    before = an_event(cast.alice, **FULL)
    clock.ahead(3600)
    reply = cast.alice.put(f"/api/events/{before['id']}", json={field: value})
    assert reply.status == 200
    picture = {"image": before["image"] | {"url": value}} if field == "image_url" else {}
    follows = {"visibility": "members"} if field == "public" else picture
    notified = {"notified": {"email": 0, "sms": 0, "skipped": 0}}
    after = before | follows | {field: value, "updated_at": "2026-05-28T21:26:40Z"}
    assert reply.json == after | notified
    assert _load_events(cast.alice, before["id"]) == [after]


@pytest.mark.parametrize("field", ["description", "end_time", "image_url", "location"])
@pytest.mark.parametrize("nothing", ["", None, "  "])
def test_an_optional_field_is_cleared_by_an_empty_value(cast: Cast, field: str, nothing: str | None) -> None:
    event = an_event(cast.alice, **FULL)["id"]
    assert cast.alice.put(f"/api/events/{event}", json={field: nothing}).json[field] is None
    assert listed(cast.alice, ids=event, location="blue") == ([] if field == "location" else [event])


@pytest.mark.parametrize("field", ["title", "start_time"])
@pytest.mark.parametrize("nothing", ["", None])
def test_a_required_field_is_not_cleared(cast: Cast, field: str, nothing: str | None) -> None:
    before = an_event(cast.alice, **FULL)
    reply = cast.alice.put(f"/api/events/{before['id']}", json={field: nothing})
    assert (reply.status, reply.broken) == (422, [field])
    assert _load_events(cast.alice, before["id"]) == [before]


def test_a_changed_event_is_found_by_its_new_text(cast: Cast) -> None:
    event = an_event(cast.alice, **FULL)["id"]
    assert (
        cast.alice.put(f"/api/events/{event}", json={"title": "Giant Steps", "start_time": "2026-07-01", "tag_list": "solo"}).status == 200
    )
    assert listed(cast.alice, title="train") == listed(cast.alice, tags="jazz") == listed(cast.alice, end_time="2026-06-30") == []
    assert listed(cast.alice, title="giant", tags="solo", start_time="2026-07-01", location="blue") == [event]


def test_an_event_that_becomes_private_or_public_does_so_in_every_list(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)["id"]
    event = an_event(cast.alice, calendar_id=calendar)["id"]
    for public, expected in ((False, []), (True, [event])):
        assert cast.alice.put(f"/api/events/{event}", json={"public": public}).status == 200
        assert listed(cast.anonymous, calendar_id=calendar) == listed(cast.carol, calendar_id=calendar) == expected
        assert listed(cast.anonymous, ids=event) == expected


def test_an_update_without_fields_changes_nothing(cast: Cast) -> None:
    before = an_event(cast.alice, **FULL)
    reply = cast.alice.put(f"/api/events/{before['id']}", json={})
    assert reply.json == {**before, "notified": NOBODY}


def test_the_end_may_not_come_before_the_start_that_stays(cast: Cast) -> None:
    before = an_event(cast.alice, **FULL)
    for fields in ({"end_time": "2026-06-01T19:00"}, {"start_time": "2026-06-01T22:00:01"}):
        reply = cast.alice.put(f"/api/events/{before['id']}", json=fields)
        assert (reply.status, reply.broken) == (422, ["end_time"])
    assert _load_events(cast.alice, before["id"]) == [before]


class TestSeveral:
    """With ids."""

    def test_all_named_events_are_updated_and_returned(self, cast: Cast) -> None:
        first, second, third = (an_event(cast.alice, title=title)["id"] for title in ("One", "Two", "Three"))
        reply = cast.alice.put(f"/api/events/{first}", json={"ids": f"{third},{second}", "description": "Cancelled", "tag": "late"})
        assert reply.status == 200
        assert reply.json == {"events": _load_events(cast.alice, first, third, second), "notified": NOBODY}
        assert [event["title"] for event in reply.json["events"]] == ["One", "Three", "Two"]
        assert {(event["description"], event["tag_list"]) for event in reply.json["events"]} == {("Cancelled", "late")}

    def test_an_event_that_is_named_twice_is_updated_once(self, cast: Cast) -> None:
        first, second = an_event(cast.alice, tag_list="a")["id"], an_event(cast.alice)["id"]
        reply = cast.alice.put(f"/api/events/{first}", json={"ids": [first, second, second, first], "title": "Both"})
        assert [event["id"] for event in reply.json["events"]] == [first, second]

    def test_the_total_text_of_an_update_is_bounded(self, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("kalends.features.events.store.MAX_TEXT", 1_000)
        first, *others = (an_event(cast.alice)["id"] for _ in range(6))
        refused = cast.alice.put(f"/api/events/{first}", json={"ids": others, "description": "x" * 200})
        assert (refused.status, refused.broken) == (422, ["ids"])
        assert cast.alice.put(f"/api/events/{first}", json={"ids": others, "description": "x" * 20}).status == 200

    def test_ids_make_the_reply_a_list(self, cast: Cast) -> None:
        event = an_event(cast.alice)["id"]
        assert len(cast.alice.put(f"/api/events/{event}", json={"ids": str(event), "title": "x"}).json["events"]) == 1
        assert cast.alice.put(f"/api/events/{event}", json={"ids": "", "title": "x"}).json["id"] == event

    @pytest.mark.parametrize("place", ["path", "first", "last"])
    @pytest.mark.parametrize(("bad", "status"), [("missing", 404), ("hidden", 404), ("forbidden", 403)])
    def test_one_missing_or_forbidden_event_fails_all_and_is_named(self, cast: Cast, bad: str, status: int, place: str) -> None:
        before = [an_event(cast.alice, title=title) for title in ("One", "Two")]
        one, two = (event["id"] for event in before)
        wrong = 2**62 if bad == "missing" else an_event(cast.carol, public=bad == "forbidden")["id"]
        path, ids = {"path": (wrong, [one, two]), "first": (one, [wrong, two]), "last": (one, [two, wrong])}[place]
        reply = cast.alice.put(f"/api/events/{path}", json={"ids": ids, "title": "Changed"})
        assert (reply.status, reply.broken) == (status, ["ids"])
        assert f"event {wrong}, which" in reply.json["errors"][0]["message"]
        assert _load_events(cast.alice, one, two) == before

    def test_one_invalid_change_fails_all_updates(self, cast: Cast) -> None:
        early, late = an_event(cast.alice), an_event(cast.alice, start_time="2026-08-01T20:00")
        reply = cast.alice.put(f"/api/events/{early['id']}", json={"ids": late["id"], "end_time": "2026-07-01T20:00"})
        assert (reply.status, reply.broken) == (422, ["end_time"])
        assert _load_events(cast.alice, early["id"], late["id"]) == [early, late]

    def test_each_event_retains_its_own_zone_and_other_fields(self, cast: Cast) -> None:
        paris = an_event(cast.alice, title="Paris", time_zone="Europe/Paris")["id"]
        tokyo = an_event(cast.alice, title="Tokyo", time_zone="Asia/Tokyo")["id"]
        reply = cast.alice.put(f"/api/events/{paris}", json={"ids": tokyo, "start_time": "2026-06-02T10:00"})
        starts = [(event["title"], event["start_time"]) for event in reply.json["events"]]
        assert starts == [("Paris", "2026-06-02T10:00:00+02:00"), ("Tokyo", "2026-06-02T10:00:00+09:00")]

    def test_at_most_500_events_may_be_named(self, cast: Cast) -> None:
        events = many_events(cast.alice, 501)
        reply = cast.alice.put(f"/api/events/{events[0]}", json={"ids": events[1:], "title": "All"})
        assert (reply.status, len(reply.json["events"])) == (200, 501)
        assert {event["title"] for event in reply.json["events"]} == {"All"}
        reply = cast.alice.put(f"/api/events/{events[0]}", json={"ids": events, "title": "More"})
        assert (reply.status, reply.broken) == (422, ["ids"])
        assert cast.alice.get("/api/events", query={"title": "all", "count": "true"}).json["total"] == 501

    def test_editors_change_several_of_different_owners(self, cast: Cast) -> None:
        calendar = a_calendar(cast.alice)
        shared(cast.alice, calendar, cast.bob, "editor")
        events = [an_event(owner, calendar_id=calendar["id"])["id"] for owner in (cast.alice, cast.bob)]
        for editor in (cast.alice, cast.bob):
            assert editor.put(f"/api/events/{events[0]}", json={"ids": events[1], "title": "Ours"}).status == 200
