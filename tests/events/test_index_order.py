"""GET /api/events: its order, its fields, its scope, and wildcards in whole values."""

from typing import Any

import pytest

from tests.cast import Cast, a_calendar, an_event
from tests.client import Client
from tests.events.listing import listed


def _ten(cast: Cast) -> list[int]:
    """Ten events of Alice's, on two calendars, in the order of their start; two begin at the same time."""
    other = a_calendar(cast.alice)["id"]
    days = [1, 2, 3, 4, 5, 6, 7, 8, 8, 9]
    calendars = [cast.alice.primary_calendar_id, other] * 5
    return [
        an_event(cast.alice, title=f"Jazz {day}", start_time=f"2027-06-0{day}T20:00Z", calendar_id=calendar, public=True)["id"]
        for day, calendar in zip(days, calendars, strict=True)
    ]


def _paged(who: Client, **query: Any) -> list[int]:
    """The ids of all pages, by `next`."""
    page, ids = who.get("/api/events", query=query).json, []
    while True:
        ids += [event["id"] for event in page["events"]]
        if page["next"] is None:
            return ids
        page = who.get(page["next"]).json


@pytest.mark.parametrize("more", [{}, {"one": True}, {"text": "jazz"}, {"scope": "public", "text": "jazz"}, {"offset": 2}])
def test_the_latest_come_first_on_every_page(cast: Cast, more: dict[str, Any]) -> None:
    ids = _ten(cast)
    query = {name: value for name, value in more.items() if name != "one"}
    if "one" in more:
        query["calendar_id"] = cast.alice.primary_calendar_id
        ids = ids[::2]
    if "scope" in more:
        query["start_time"] = "2027-06-01"
    listed_ids = [each for each in _paged(cast.alice, limit=3, order="-start_time", **query) if each in ids]
    assert listed_ids == ids[::-1][more.get("offset", 0) :]
    assert [each for each in _paged(cast.alice, limit=3, order="start_time", **query) if each in ids] == ids[more.get("offset", 0) :]


@pytest.mark.parametrize("order", ["title", "updated_at", "start_time,id", "-start"])
@pytest.mark.on_one_database
def test_an_unknown_order_is_refused_with_the_choices(cast: Cast, order: str) -> None:
    refused = cast.alice.get("/api/events", query={"order": order})
    assert (refused.status, refused.broken) == (422, ["order"])
    assert "start_time, -start_time" in refused.json["errors"][0]["message"]


def test_overlapping_events_have_one_order(cast: Cast) -> None:
    refused = cast.alice.get("/api/events?overlaps=true&start_time=2027-06-01&order=-start_time")
    assert (refused.status, refused.json["errors"][0]["code"]) == (422, "conflict")


def test_a_list_says_where_the_page_of_an_event_is_and_when_it_changed(cast: Cast) -> None:
    event = an_event(cast.alice)
    (item,) = [each for each in cast.alice.get("/api/events").json["events"] if each["id"] == event["id"]]
    assert (item["url"], item["updated_at"]) == (event["url"], event["updated_at"])


def test_only_the_requested_fields_are_returned(cast: Cast) -> None:
    event = an_event(cast.alice, title="Jazz")["id"]
    assert cast.alice.get(f"/api/events?ids={event}&fields=title,start_time").json["events"] == [
        {"id": event, "title": "Jazz", "start_time": cast.alice.get(f"/api/events/{event}").json["start_time"]}
    ]
    assert cast.alice.get(f"/api/events/{event}?fields=title&fields=comments_count").json == {
        "id": event,
        "title": "Jazz",
        "comments_count": 0,
    }
    assert "description" in cast.alice.get(f"/api/events/{event}?fields=").json


@pytest.mark.parametrize("path", ["/api/events", "/api/events/{}", "/api/events.ics"])
@pytest.mark.on_one_database
def test_unknown_fields_are_named(cast: Cast, path: str) -> None:
    refused = cast.alice.get(path.format(an_event(cast.alice)["id"]) + "?fields=title,colour")
    assert (refused.status, refused.broken) == (422, ["fields"])
    assert path.endswith("ics") or "colour" in refused.json["errors"][0]["message"]


def test_a_signed_in_user_may_search_public_events(cast: Cast) -> None:
    public, private = (an_event(cast.alice, title="Coltrane evening", public=flag)["id"] for flag in (True, False))
    assert listed(cast.bob, text="coltrane evening") == []
    event_ids = listed(cast.bob, text="coltrane evening", scope="public")
    assert (public in event_ids, private in event_ids) == (True, False)
    assert listed(cast.alice, ids=f"{public},{private}", scope="public") == [public]
    refused = cast.bob.get(f"/api/events?scope=public&calendar_id={cast.bob.primary_calendar_id}")
    assert (refused.status, refused.broken) == (422, ["scope"])


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ({"zip": "100*"}, True),
        ({"zip": "*12"}, True),
        ({"zip": "1*2"}, True),
        ({"zip": "100"}, False),
        ({"zip": "*99"}, False),
        ({"state": "New*"}, True),
        ({"country": "*states*"}, True),
        ({"tags": "jaz*"}, True),
        ({"tags": "*azz,tri*"}, True),
        ({"tags": "*zz*"}, True),
        ({"tags": "jaz"}, False),
        ({"tags": "azz*"}, False),
    ],
)
def test_a_star_stands_for_any_characters_of_a_whole_value(cast: Cast, query: dict[str, str], matches: bool) -> None:
    where = {"city": "New York", "state": "New York", "zip": "10012", "country": "United States"}
    event = an_event(cast.alice, tag_list="jazz,trio", **where)["id"]
    assert listed(cast.alice, **query) == ([event] if matches else [])


def test_a_star_inside_a_tag_is_refused(cast: Cast) -> None:
    assert cast.alice.get("/api/events?tags=j*z").broken == ["tags"]
