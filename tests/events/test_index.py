"""GET /api/events: which events each parameter finds, alone and together, and among which it looks."""

from typing import Any

import pytest

from tests.cast import Cast, a_calendar, an_event, shared
from tests.client import Client
from tests.events.listing import listed

LIMITED = {
    *("id", "title", "start_time", "end_time", "all_day", "time_zone", "location", "image_url", "tag_list", "tags"),
    *("public", "calendar_ids", "series_id", "uid", "url", "updated_at", "status", "status_note"),
}

GIG = {
    "title": "Blue Train",
    "description": "A night of Coltrane",
    "start_time": "2026-06-01T20:00",
    "end_time": "2026-06-01T22:00",
    "location": "Blue Note, 131 W 3rd St, New York, NY 10012, USA",
    "tag_list": "jazz, Late Night",
}
FAIR = {
    "title": "Foire du livre",
    "description": "Old books, and a café",
    "start_time": "2026-06-02",
    "end_time": "2026-06-04",
    "location_name": "Grand Palais",
    "street": "3 avenue du Général Eisenhower",
    "city": "Paris",
    "state": "Île-de-France",
    "zip": "75008",
    "country": "France",
    "tag_list": "books",
}
WALK = {"title": "Walk", "start_time": "2026-06-03T09:00", "location": "along the river in Ghent", "tag_list": "outside,jazz"}
EVENTS = {"gig": GIG, "fair": FAIR, "walk": WALK}


def _scene(owner: Client) -> tuple[dict[int, str], int]:
    """The three events on a calendar of their own: the name of each id, and the calendar."""
    calendar = a_calendar(owner, time_zone="UTC")["id"]
    return {an_event(owner, calendar_id=calendar, **fields)["id"]: name for name, fields in EVENTS.items()}, calendar


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, "gig fair walk"),
        ({"text": "coltrane"}, "gig"),
        ({"text": "CAFE"}, "fair"),
        ({"text": "jazz"}, "gig walk"),
        ({"text": "tra"}, "gig"),
        ({"text": "night jazz"}, "gig"),
        ({"text": '"blue train"'}, "gig"),
        ({"text": '"train blue"'}, ""),
        ({"text": "bl*ain"}, "gig"),
        ({"text": "opera"}, ""),
        ({"text": "train opera"}, ""),
        ({"title": "train"}, "gig"),
        ({"title": "coltrane"}, ""),
        ({"description": "coltrane"}, "gig"),
        ({"description": "train"}, ""),
        ({"tags": "jazz"}, "gig walk"),
        ({"tags": "JAZZ,outside"}, "walk"),
        ({"tags": "late night"}, "gig"),
        ({"tags": "late"}, ""),
        ({"location": "blue note"}, "gig"),
        ({"location": "palais"}, "fair"),
        ({"location": "coltrane"}, ""),
        ({"location_name": "note"}, "gig"),
        ({"location_name": "palais"}, "fair"),
        ({"location_name": "paris"}, ""),
        ({"street": "3rd"}, "gig"),
        ({"street": "general"}, "fair"),
        ({"street": "paris"}, ""),
        ({"city": "new york"}, "gig"),
        ({"city": "par"}, "fair"),
        ({"city": "ghent"}, "walk"),
        ({"city": "ghen"}, ""),
        ({"city": "palais"}, ""),
        ({"state": "ny"}, "gig"),
        ({"state": "ile-de-france"}, "fair"),
        ({"state": "ile"}, ""),
        ({"zip": "10012"}, "gig"),
        ({"zip": "1001"}, ""),
        ({"country": "usa"}, "gig"),
        ({"country": "France"}, "fair"),
        ({"country": "Fran"}, ""),
        ({"start_time": "2026-06-02"}, "fair walk"),
        ({"start_time": "2026-06-03T09:00:01Z"}, ""),
        ({"end_time": "2026-06-01T22:00Z"}, "gig"),
        ({"end_time": "2026-06-01T21:59:59Z"}, ""),
        ({"start_time": "2026-06-01T21:00", "end_time": "2026-06-03", "overlaps": "true"}, "gig fair walk"),
        ({"start_time": "2026-06-03T09:00:01", "overlaps": "true"}, "fair"),
        ({"start_time": "2026-06-01T22:00", "time_zone": "Europe/Paris"}, "gig fair walk"),
        ({"start_time": "2026-06-01T22:00:01", "time_zone": "Europe/Paris"}, "fair walk"),
        ({"tags": "jazz", "title": "walk"}, "walk"),
        ({"tags": "jazz", "title": "walk", "city": "paris"}, ""),
        ({"text": "jazz", "country": "USA"}, "gig"),
        ({"text": "jazz", "start_time": "2026-06-02"}, "walk"),
        ({"text": "books", "description": "cafe", "zip": "75008", "end_time": "2026-06-04"}, "fair"),
        ({"text": "books", "description": "cafe", "zip": "75008", "end_time": "2026-06-03"}, ""),
    ],
)
def test_a_parameter_finds_what_it_says(cast: Cast, query: dict[str, str], expected: str) -> None:
    names, calendar = _scene(cast.alice)
    reply = cast.alice.get("/api/events", query={"calendar_id": calendar, "count": "true"} | query)
    assert [names[event["id"]] for event in reply.json["events"]] == expected.split()
    assert reply.json["total"] == len(expected.split())


def test_the_list_has_limited_fields_in_an_envelope(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="Europe/Paris")["id"]
    created = an_event(cast.alice, calendar_id=calendar, **GIG, image_url="https://example.org/blue.png")
    reply = cast.alice.get("/api/events", query={"calendar_id": calendar})
    event = {name: created[name] for name in LIMITED}
    assert reply.json == {"events": [event], "limit": 50, "offset": 0, "next": None}
    assert event["start_time"] == "2026-06-01T20:00:00+02:00"
    assert event["tags"] == ["jazz", "Late Night"]
    assert event["calendar_ids"] == [calendar]


def test_events_are_sorted_by_start_then_by_id(cast: Cast) -> None:
    starts = ["2026-06-02T10:00", "2026-06-01T10:00", "2026-06-02T10:00", "2026-05-01"]
    late, early, late_too, first = (an_event(cast.alice, start_time=start)["id"] for start in starts)
    assert listed(cast.alice) == [first, early, late, late_too]


def test_ids_select_events_and_skip_invisible_ones(cast: Cast) -> None:
    mine, other = an_event(cast.alice)["id"], an_event(cast.alice)["id"]
    hidden, public = an_event(cast.carol)["id"], an_event(cast.carol, public=True)["id"]
    ids = f"{public},{hidden},, {mine},{mine},{2**62}"
    reply = cast.alice.get("/api/events", query={"ids": ids, "count": "true"})
    assert ([event["id"] for event in reply.json["events"]], reply.json["total"]) == ([mine, public], 2)
    assert listed(cast.alice, ids=str(hidden)) == []
    assert listed(cast.anonymous, ids=ids) == [public]
    assert listed(cast.alice, ids=f"{mine},{other}", title="concert", calendar_id=cast.alice.primary_calendar_id) == [mine, other]
    assert listed(cast.alice, ids=f"{public}", calendar_id=cast.alice.primary_calendar_id) == []
    assert listed(cast.alice, ids=f"{mine}", title="opera") == []


def test_more_than_500_ids_are_refused(cast: Cast) -> None:
    assert cast.alice.get("/api/events", query={"ids": ",".join(map(str, range(1, 501)))}).status == 200
    reply = cast.alice.get("/api/events", query={"ids": ",".join(map(str, range(1, 502)))})
    assert (reply.status, reply.broken) == (422, ["ids"])


def test_signed_in_all_own_and_shared_calendars_are_searched(cast: Cast) -> None:
    jazz, choir = a_calendar(cast.bob), a_calendar(cast.bob, public=True)
    shared(cast.bob, jazz, cast.alice, "viewer")
    own = an_event(cast.alice)["id"]
    second = an_event(cast.alice, calendar_id=a_calendar(cast.alice)["id"])["id"]
    visible = an_event(cast.bob, calendar_id=jazz["id"])["id"]
    elsewhere = [an_event(cast.bob, calendar_id=choir["id"])["id"], an_event(cast.bob)["id"]]
    assert listed(cast.alice) == [own, second, visible]
    assert not set(listed(cast.alice, text="concert")) & set(elsewhere)


def test_a_guest_searches_all_public_events(cast: Cast) -> None:
    word = f"word{cast.alice.id}"
    public, also = an_event(cast.alice, title=word, public=True)["id"], an_event(cast.bob, title=word, public=True)["id"]
    an_event(cast.alice, title=word)
    assert listed(cast.anonymous, title=word) == [public, also]
    assert cast.anonymous.get("/api/events", query={"title": word, "count": "true"}).json["total"] == 2
    assert public in listed(cast.anonymous, ids=str(public))


def test_calendar_id_and_calendar_ids_are_combined(cast: Cast) -> None:
    first, second, third = (a_calendar(cast.alice)["id"] for _ in range(3))
    one, two, three = (an_event(cast.alice, calendar_id=calendar)["id"] for calendar in (first, second, third))
    assert listed(cast.alice, calendar_id=first) == [one]
    assert listed(cast.alice, calendar_ids=f"{first},{third}") == [one, three]
    assert listed(cast.alice, calendar_id=first, calendar_ids=f"{second},{first}") == [one, two]
    assert listed(cast.alice, calendar_ids=f"{first}, ,{first}") == [one]


def test_a_public_calendar_may_be_searched_by_everyone(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)["id"]
    public = an_event(cast.alice, calendar_id=calendar)["id"]
    private = an_event(cast.alice, calendar_id=calendar, public=False)["id"]
    assert listed(cast.alice, calendar_id=calendar) == [public, private]
    assert listed(cast.carol, calendar_id=calendar) == listed(cast.anonymous, calendar_id=calendar) == [public]
    assert listed(cast.carol, calendar_ids=f"{calendar},{cast.carol.primary_calendar_id}") == [public]


def test_searching_an_invisible_calendar_is_404(cast: Cast) -> None:
    hidden, own = a_calendar(cast.alice)["id"], cast.carol.primary_calendar_id
    for query in ({"calendar_id": hidden}, {"calendar_ids": f"{own},{hidden}"}, {"calendar_id": own, "calendar_ids": hidden}):
        assert cast.carol.get("/api/events", query=query).status == 404
    assert cast.anonymous.get("/api/events", query={"calendar_id": hidden}).status == 404
    assert cast.carol.get("/api/events", query={"calendar_id": 2**62}).status == 404


def test_start_time_and_limit_return_the_next_events(cast: Cast) -> None:
    days = [an_event(cast.alice, start_time=f"2026-06-{day:02}T20:00Z")["id"] for day in range(1, 8)]
    reply = cast.alice.get("/api/events", query={"start_time": "2026-06-03T20:00Z", "limit": 2})
    assert [event["id"] for event in reply.json["events"]] == days[2:4]
    reply = cast.alice.get("/api/events", query={"start_time": "2026-06-03T20:00:01Z", "limit": 2})
    assert [event["id"] for event in reply.json["events"]] == days[3:5]


@pytest.mark.parametrize("name", ["text", "title", "tags", "city", "zip", "ids", "calendar_id", "calendar_ids", "start_time", "end_time"])
def test_an_empty_parameter_is_ignored(cast: Cast, name: str) -> None:
    event_id = an_event(cast.alice)["id"]
    assert listed(cast.alice, **{name: " "}) == [event_id]


@pytest.mark.parametrize(
    "query",
    [
        *({"limit": value} for value in ("-1", "x", "1.5", str(2**63))),
        *({"offset": value} for value in ("-1", "x", str(2**63))),
        *({"calendar_id": value} for value in ("0", "-5", "x", str(2**63))),
        *({"ids": value} for value in ("0", "1;2", "x", str(2**63), "-1")),
        *({"start_time": value} for value in ("tomorrow", "2026-13-01", "1899-12-31", "12:00")),
        *({"end_time": value} for value in ("2026-02-30", "0")),
        *({name: "perhaps"} for name in ("overlaps", "count")),
        *({"time_zone": value} for value in ("Mars/Olympus", "+02:00", "localtime")),
        *({"after": value} for value in ("x", "1", "1.", ".1", "1.2.3", "1e5.2", f"{2**63}.1", f"1.{2**63}", "--1.1")),
        *({name: "x" * 10_001} for name in ("text", "title", "country")),
    ],
    ids=lambda query: str(query)[:40],
)
@pytest.mark.on_one_database
def test_an_invalid_search_parameter_is_named(cast: Cast, query: dict[str, Any]) -> None:
    reply = cast.alice.get("/api/events", query=query)
    assert (reply.status, reply.broken) == (422, list(query))


def test_a_list_of_one_calendar_names_all_calendars_that_the_reader_sees(cast: Cast) -> None:
    jazz, private = a_calendar(cast.alice, public=True)["id"], a_calendar(cast.alice, name="Private")["id"]
    event = an_event(cast.alice, calendar_id=jazz, public=True)
    for person, calendar in ((cast.alice, private), (cast.bob, cast.bob.primary_calendar_id)):
        assert person.put(f"/api/events/{event['id']}/add", json={"calendar_id": calendar}).status == 200
    readers = {cast.anonymous: [jazz], cast.carol: [jazz], cast.alice: [jazz, private], cast.bob: [jazz, cast.bob.primary_calendar_id]}
    for reader, ids in readers.items():
        [item] = reader.get(f"/api/events?calendar_id={jazz}").json["events"]
        assert item["calendar_ids"] == sorted(ids)


def test_a_list_of_an_empty_calendar_is_empty_for_those_who_see_it(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)["id"]
    assert cast.alice.get(f"/api/events?calendar_id={calendar}").json["events"] == []
    assert cast.carol.get(f"/api/events?calendar_id={calendar}").status == 404
    assert cast.anonymous.get(f"/api/events?calendar_id={calendar}").status == 404
