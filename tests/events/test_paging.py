"""Pages of events: no gap and no repeat, however many start at the same moment and whatever happens in between."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from kalends.features.events.listing.store import listing as service_listing
from tests.cast import Cast, a_calendar, an_event, shared
from tests.client import Client
from tests.conftest import Clock
from tests.events.listing import listed, page, paged

STARTS = ["2026-06-01T20:00Z"] * 9 + ["2026-06-02"] * 3 + ["2026-06-01T19:00Z", "2026-06-03T08:00Z"] + ["2026-06-01T20:00Z"] * 4


class Scene:
    """Public events of alice's on three calendars, one of which is bob's, and some on several; they alone have the title."""

    def __init__(self, cast: Cast):
        self.cast = cast
        self.word = f"word{cast.alice.id}"
        bobs = a_calendar(cast.bob, public=True)
        shared(cast.bob, bobs, cast.alice, "editor")
        self.calendars: list[int] = [a_calendar(cast.alice, public=True)["id"], a_calendar(cast.alice)["id"], bobs["id"]]
        self.events: list[dict[str, Any]] = []
        for i, start in enumerate(STARTS):
            self.events.append(self.more(start, self.calendars[i % 3], self.calendars[(i + 1) % 3] if i % 4 == 0 else None))

    def more(self, start: str, calendar: int, also: int | None = None) -> dict[str, Any]:
        event = an_event(self.cast.alice, title=self.word, start_time=start, calendar_id=calendar, public=True, time_zone="UTC")
        if also:
            assert self.cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": also}).status == 200
        return event

    @property
    def ids(self) -> list[int]:
        order = {"2026-06-01T19:00:00+00:00": 0, "2026-06-01T20:00:00+00:00": 1, "2026-06-02": 2, "2026-06-03T08:00:00+00:00": 3}
        return [event["id"] for event in sorted(self.events, key=lambda event: (order[event["start_time"]], event["id"]))]

    def on(self, *calendars: int) -> list[int]:
        held: set[int] = set()
        for calendar in calendars:
            held |= set(listed(self.cast.alice, calendar_id=calendar))
        return [event_id for event_id in self.ids if event_id in held]


@pytest.fixture
def scene(cast: Cast) -> Scene:
    return Scene(cast)


@pytest.fixture(scope="module")
def still(app: tuple[Any, Clock]) -> Scene:
    """A scene that tests only look at."""
    return Scene(Cast(Client(app[0])))


List = Callable[[Scene], tuple[Client, dict[str, Any], list[int]]]

LISTS: dict[str, List] = {
    "one calendar": lambda scene: (scene.cast.alice, {"calendar_id": scene.calendars[0]}, scene.on(scene.calendars[0])),
    "several calendars": lambda scene: (
        scene.cast.alice,
        {"calendar_ids": f"{scene.calendars[0]},{scene.calendars[1]}"},
        scene.on(*scene.calendars[:2]),
    ),
    "all of a user's": lambda scene: (scene.cast.alice, {}, scene.ids),
    "all public": lambda scene: (scene.cast.anonymous, {"title": scene.word}, scene.ids),
    "a stranger's view of a calendar": lambda scene: (
        scene.cast.carol,
        {"calendar_id": scene.calendars[2]},
        scene.on(scene.calendars[2]),
    ),
    "a search in a user's": lambda scene: (scene.cast.alice, {"text": scene.word[:-1], "title": scene.word}, scene.ids),
    "a search without letters": lambda scene: (scene.cast.alice, {"title": "w* o"}, scene.ids),
    "ids": lambda scene: (scene.cast.anonymous, {"ids": ",".join(map(str, scene.ids))}, scene.ids),
    "what overlaps": lambda scene: (scene.cast.alice, {"start_time": "2026-06-01T20:00Z", "overlaps": "true"}, scene.ids[1:]),
    "within times": lambda scene: (scene.cast.alice, {"start_time": "2026-06-01T20:00Z", "end_time": "2026-06-02"}, scene.ids[1:-1]),
}


@pytest.mark.parametrize("name", LISTS)
def test_pages_follow_without_gap_or_repeat(still: Scene, name: str) -> None:
    reader, query, expected = LISTS[name](still)
    assert len(expected) > 6
    for size in (1, 2, 5, len(expected) - 1):
        assert paged(reader, f"/api/events?{urlencode(query | {'limit': size})}") == expected
    assert page(reader, f"/api/events?{urlencode(query | {'limit': len(expected)})}") == (expected, None)


@pytest.mark.parametrize("name", LISTS)
def test_offset_counts_through_the_same_list(still: Scene, name: str) -> None:
    reader, query, expected = LISTS[name](still)
    for offset in range(len(expected) + 2):
        reply = reader.get("/api/events", query=query | {"limit": 3, "offset": offset, "count": "true"}).json
        assert [event["id"] for event in reply["events"]] == expected[offset : offset + 3]
        assert (reply["limit"], reply["offset"], reply["total"]) == (3, offset, len(expected))
        assert (reply["next"] is None) == (offset + 3 >= len(expected))


@pytest.mark.parametrize("name", ["one calendar", "several calendars", "all of a user's", "all public", "a search in a user's"])
def test_events_that_come_and_go_before_the_cursor_move_nothing(scene: Scene, name: str) -> None:
    reader, query, expected = LISTS[name](scene)
    listed, following = page(reader, f"/api/events?{urlencode(query | {'limit': 4})}")
    for i in range(20):
        assert following, "the pages ended too soon"
        scene.more("2026-06-01T18:00Z", scene.calendars[i % 3], scene.calendars[0])
        if i == 0:
            assert scene.cast.alice.delete(f"/api/events/{expected[0]}").status == 200
        ids, following = page(reader, following)
        listed += ids
        if following is None:
            break
    assert listed == expected


@pytest.mark.parametrize("scope", ["one calendar", "several calendars", "all of a user's", "all public", "a search"])
def test_pages_of_overlapping_events_begin_with_those_that_began_long_ago(scene: Scene, scope: str) -> None:
    """The events are in a year of their own, since guests list the public events of all tests."""
    year = 3000 + scene.cast.alice.id % 6000
    fields = {"title": scene.word, "public": True, "time_zone": "UTC"}
    spans = [
        *((f"{year - 3}-0{month}-01", f"{year}-06-15") for month in (1, 2, 3, 3, 3)),
        *((f"{year}-05-{day:02}", f"{year}-06-{day:02}") for day in (5, 10, 20)),
        *((f"{year}-06-{start}Z", f"{year}-06-10T04:00Z") for start in ("08T20:00", "09T00:00", "09T00:01", "09T20:00")),
        *((f"{year}-06-10T{hour:02}:00Z", f"{year}-06-10T23:00Z") for hour in (8, 8, 9)),
    ]
    event_ids = []
    for i, (start, end) in enumerate(spans):
        event = an_event(scene.cast.alice, start_time=start, end_time=end, calendar_id=scene.calendars[i % 2], **fields)["id"]
        assert scene.cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": scene.calendars[0]}).status == 200
        event_ids.append(event)
    del event_ids[5]
    window: dict[str, Any] = {"start_time": f"{year}-06-10T00:00Z", "end_time": f"{year}-06-11T00:00Z", "overlaps": "true"}
    reader = scene.cast.anonymous if scope in ("all public", "a search") else scene.cast.alice
    scopes: dict[str, dict[str, Any]] = {
        "one calendar": {"calendar_id": scene.calendars[0]},
        "several calendars": {"calendar_ids": f"{scene.calendars[0]},{scene.calendars[1]}"},
        "a search": {"title": scene.word},
    }
    window |= scopes.get(scope, {})
    for size in (1, 2, 4, 5, 6, 500):
        paged_ids = paged(reader, f"/api/events?{urlencode(window | {'limit': size})}")
        assert [event for event in paged_ids if event in event_ids] == event_ids
        assert scope == "all public" or paged_ids == event_ids
    everything = listed(reader, **window)
    total = reader.get("/api/events", query=window | {"count": "true"}).json["total"]
    assert total == len(everything)
    for offset in range(total + 1):
        assert listed(reader, **window, offset=offset, limit=3) == everything[offset : offset + 3]


def test_a_guest_pages_through_all_public_events(scene: Scene) -> None:
    year = 3000 + scene.cast.alice.id % 6000
    event_ids = [scene.more(f"{year}-06-01T20:00Z", scene.calendars[i % 3])["id"] for i in range(9)]
    listed = paged(scene.cast.anonymous, f"/api/events?start_time={year}-06-01T20:00Z&end_time={year}-06-01T20:00Z&limit=2")
    assert [event for event in listed if event in event_ids] == event_ids


def test_the_list_is_the_same_however_far_one_goes(still: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Far from the beginning, the database alone counts the pages."""
    monkeypatch.setattr(service_listing, "DEEP_OFFSET", 2)
    for name in LISTS:
        reader, query, expected = LISTS[name](still)
        for offset in (2, 3, len(expected) - 1, len(expected)):
            assert listed(reader, **query, offset=offset, limit=4) == expected[offset : offset + 4], name


def test_pages_do_not_depend_on_how_the_search_is_done(still: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rare word is searched with the text index, a frequent one by reading in order."""
    monkeypatch.setattr(service_listing, "SELECTIVE", 3)
    for name in ("all public", "a search in a user's"):
        reader, query, expected = LISTS[name](still)
        assert paged(reader, f"/api/events?{urlencode(query | {'limit': 4})}") == expected
    calendar = still.calendars[0]
    assert paged(still.cast.alice, f"/api/events?calendar_id={calendar}&text={still.word}&limit=2") == still.on(calendar)


def test_one_calendar_of_many_may_have_all_the_events(cast: Cast) -> None:
    """The number of events that a page needs of each calendar is not known before it is read."""
    calendars = [a_calendar(cast.alice)["id"] for _ in range(12)]
    event_ids = [an_event(cast.alice, calendar_id=calendars[0])["id"] for _ in range(60)]
    event_ids += [an_event(cast.alice, calendar_id=calendar, start_time="2026-06-02")["id"] for calendar in calendars]
    for size in (7, 30, 50, 71):
        assert paged(cast.alice, f"/api/events?limit={size}") == event_ids
    assert listed(cast.alice, offset=40, limit=25) == event_ids[40:65]


def test_the_next_page_asks_for_the_same(cast: Cast) -> None:
    for title in ("Blue & green 100% +1", "Blue & green 100% +1", "Red"):
        an_event(cast.alice, title=title)
    reply = cast.alice.get("/api/events", query={"title": '"& green 100% +1"', "limit": 1, "count": "yes"})
    assert (len(reply.json["events"]), reply.json["total"]) == (1, 2)
    reply = cast.alice.get(reply.json["next"])
    assert ([event["title"] for event in reply.json["events"]], reply.json["total"]) == (["Blue & green 100% +1"], 2)
    assert reply.json["offset"] == 1
    assert reply.json["next"] is None


def test_the_limit_of_a_page_may_be_zero_and_is_at_most_500(cast: Cast) -> None:
    event_ids = [an_event(cast.alice)["id"] for _ in range(3)]
    empty = cast.alice.get("/api/events", query={"limit": 0, "count": "true"})
    assert empty.json == {"events": [], "limit": 0, "offset": 0, "next": None, "total": 3, "total_is_exact": True}
    for much in (501, 10**6, 2**63 - 1):
        reply = cast.alice.get("/api/events", query={"limit": much})
        assert ([event["id"] for event in reply.json["events"]], reply.json["limit"]) == (event_ids, 500)


def test_a_page_has_50_events_by_default(cast: Cast) -> None:
    event_ids = [an_event(cast.alice)["id"] for _ in range(51)]
    first, following = page(cast.alice, "/api/events")
    assert first == event_ids[:50]
    assert following
    assert page(cast.alice, following) == (event_ids[50:], None)


@pytest.mark.parametrize("name", LISTS)
def test_an_offset_beyond_the_end_is_an_empty_page(still: Scene, name: str) -> None:
    reader, query, expected = LISTS[name](still)
    for offset in (len(expected), 10**5, 10**9, 2**62, 2**63 - 1):
        for limit in (1, 500):
            reply = reader.get("/api/events", query=query | {"offset": offset, "limit": limit, "count": "true"})
            assert reply.status == 200, reply
            assert (reply.json["events"], reply.json["next"], reply.json["total"]) == ([], None, len(expected))
