"""Searching events: the same rows in the same order on both databases, as a plain oracle says."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cast import Cast, a_calendar, an_event
from tests.client import Client
from tests.events.oracle import folded, matches

FRAGMENTS = [
    "jazz",
    "Jazz",
    "JÄZZ",
    "café",
    "cafe",
    "blue note",
    "100%",
    "a_b",
    "a\\b",
    '"',
    "x",
    "ny",
    "NY",
    "10012",
    "straße",
    "é",
    "*",
    "o'hara",
    ",",
]
words = st.lists(st.sampled_from(FRAGMENTS) | st.text("abjzé%_\\ ", min_size=1, max_size=4), min_size=1, max_size=3).map(" ".join)
values = words.filter(lambda value: bool(value.strip()))
event_fields = st.fixed_dictionaries(
    {"title": values},
    optional={
        "description": values,
        "location": values | st.just("Blue Note, 131 W 3rd St, New York, NY 10012, USA"),
        "location_name": values,
        "street": values,
        "city": values,
        "state": st.sampled_from(["NY", "ny", "N Y", "Île"]),
        "zip": st.sampled_from(["10012", "100 12"]),
        "country": st.sampled_from(["USA", "usa", "Côte d'Ivoire"]),
        "tag_list": st.lists(st.sampled_from(["jazz", "Jazz Night", "café", "x", "100%"])).map(",".join),
        "start_time": st.sampled_from(["2026-05-11T17:00", "2026-05-12", "2026-05-11T16:00"]),
    },
)
queries = st.dictionaries(
    st.sampled_from(["text", "title", "description", "location", "location_name", "street", "city", "state", "zip", "country", "tags"]),
    values | st.sampled_from(["ja*zz", '"blue note"', '"jazz night"', "note*york", "jazz,x", "jaz*,*x", "10*2", "New York", "NY"]),
    min_size=1,
    max_size=3,
).filter(lambda query: all(sum(map(bool, folded(tag).split("*"))) < 2 for tag in query.get("tags", "").split(",")))


def _listed(client: Client, **query: Any) -> list[int]:
    reply = client.get("/api/events", query={"limit": 500} | query)
    assert reply.status == 200, reply
    return [event["id"] for event in reply.json["events"]]


@given(st.lists(event_fields, min_size=1, max_size=6), st.lists(queries, min_size=1, max_size=8))
@example([{"title": "x"}], [{"text": '"'}])
def test_a_search_finds_what_the_oracle_says(cast: Cast, samples: list[dict[str, Any]], sample_queries: list[dict[str, str]]) -> None:
    owner = cast.alice
    calendar = a_calendar(owner)
    events = {event["id"]: event for event in (an_event(owner, calendar_id=calendar["id"], **fields) for fields in samples)}
    everything = _listed(owner, calendar_id=calendar["id"])
    assert sorted(everything) == sorted(events)
    for query in sample_queries:
        expected = [event_id for event_id in everything if matches(events[event_id], query)]
        assert _listed(owner, calendar_id=calendar["id"], **query) == expected, query


@pytest.mark.parametrize("literal", ["%", "_", "\\", "100%", "a_b", "a\\b", "'", '"', "''; DROP TABLE events; --"])
def test_special_characters_in_a_search_are_ordinary(cast: Cast, literal: str) -> None:
    calendar = a_calendar(cast.alice)
    hit = an_event(cast.alice, calendar_id=calendar["id"], title=f"before {literal} after")
    an_event(cast.alice, calendar_id=calendar["id"], title="before x after aXb 100")
    assert _listed(cast.alice, calendar_id=calendar["id"], title=literal) == [hit["id"]]
    assert _listed(cast.alice, calendar_id=calendar["id"], text=literal) == [hit["id"]]


@pytest.mark.parametrize("long", ["a" * 100, "b " * 5_000, " ".join(f"w{i}" for i in range(20)), "é" * 100, "%" * 100, "*a" * 5])
def test_long_queries_are_text_too(cast: Cast, long: str) -> None:
    calendar = a_calendar(cast.alice)
    an_event(cast.alice, calendar_id=calendar["id"])
    assert _listed(cast.alice, calendar_id=calendar["id"], text=long) == []
    assert _listed(cast.alice, calendar_id=calendar["id"], title=long) == []


@pytest.mark.parametrize(("text", "order", "year"), [("ui", "start_time", 1931), ("ui", "-start_time", 1932), ("quiz", "start_time", 1933)])
def test_a_search_looks_at_a_bounded_number_of_public_events_in_order(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, text: str, order: str, year: int
) -> None:
    """No index finds two letters, or finds too many events that have the word. `next` goes on from there."""
    monkeypatch.setattr("kalends.features.events.listing.store.listing.MAX_EXAMINED", 4)
    monkeypatch.setattr("kalends.features.events.listing.store.listing.SELECTIVE", 0)
    titles = ["Concert"] * 3 + ["Quiz"] + ["Concert"] * 5 + ["Quiz"] + ["Concert"] * 3
    events = [
        an_event(cast.alice, title=title, start_time=f"{year}-05-{day:02}T20:00Z", public=True) for day, title in enumerate(titles, 1)
    ]
    times = f"start_time={year}-05-01T00:00Z&end_time={year}-05-31T00:00Z"
    path, pages = f"/api/events?text={text}&{times}&order={order}", []
    while path:
        reply = cast.anonymous.get(path).json
        pages.append([event["id"] for event in reply["events"]])
        path = reply["next"]
    quizzes = [event["id"] for event in events if event["title"] == "Quiz"]
    assert pages == ([quizzes[:1], [], quizzes[1:], []] if order == "start_time" else [quizzes[1:], [], quizzes[:1], []])


def test_a_search_looks_at_a_bounded_number_of_events_that_began_long_before(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kalends.features.events.listing.store.listing.MAX_EXAMINED", 4)
    monkeypatch.setattr("kalends.features.events.listing.store.listing.SELECTIVE", 0)
    titles = ["Concert"] * 5 + ["Quiz"] + ["Concert"] * 3
    long = [
        an_event(cast.alice, title=title, start_time=f"1934-01-{day:02}", end_time="1934-06-30", public=True)
        for day, title in enumerate(titles, 1)
    ]
    short = an_event(cast.alice, title="Quiz", start_time="1934-06-02T20:00Z", public=True)
    path, pages = "/api/events?text=quiz&start_time=1934-06-01T00:00Z&end_time=1934-06-03T00:00Z&overlaps=true", []
    while path:
        reply = cast.anonymous.get(path).json
        pages.append([event["id"] for event in reply["events"]])
        path = reply["next"]
    assert pages == [[], [long[5]["id"]], [short["id"]]]
