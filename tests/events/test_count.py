"""The total of a list of events: exact while few may match, else a lower bound."""

import pytest

from tests.cast import Cast, a_calendar, an_event

MOST = 4


@pytest.fixture(autouse=True)
def few_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kalends.features.events.listing.store.counting.MAX_COUNTED", MOST)
    monkeypatch.setattr("kalends.features.events.listing.store.counting.MAX_SEARCHED", MOST)


def test_up_to_the_bound_a_total_is_exact_and_beyond_it_says_that_it_is_not(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)["id"]
    for event_count in range(1, MOST + 3):
        an_event(cast.alice, calendar_id=calendar)
        for someone in (cast.alice, cast.anonymous):
            result = someone.get("/api/events", query={"calendar_id": calendar, "count": "true", "limit": 0}).json
            assert (result["total_is_exact"], result["total"] >= min(event_count, MOST), result["total"] <= event_count) == (
                event_count <= MOST,
                True,
                True,
            )


# PostgreSQL goes by its planner's estimate, which so small a bound would leave to chance.
@pytest.mark.on_sqlite
def test_a_word_that_few_events_have_is_counted_exactly_among_many(cast: Cast) -> None:
    for title in ("Xylophones", "Xylophones, again", *["Concert"] * (MOST + 1)):
        an_event(cast.alice, title=title, public=True, start_time="1999-06-01")
    result = cast.alice.get("/api/events", query={"text": "xylophones", "count": "true"}).json
    assert (result["total"], result["total_is_exact"]) == (2, True)


def test_a_count_looks_at_no_more_events_than_the_bound(cast: Cast) -> None:
    for title in (*["Concert"] * (MOST + 1), "Qz"):
        an_event(cast.alice, title=title, start_time="1999-06-01")
    result = cast.alice.get("/api/events", query={"text": "qz", "count": "true"}).json
    assert len(result["events"]) == 1
    assert (result["total"], result["total_is_exact"]) == (0, False)


def test_an_event_on_two_calendars_is_counted_once(cast: Cast) -> None:
    event = an_event(cast.alice)
    other = a_calendar(cast.alice)["id"]
    cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": other})
    result = cast.alice.get("/api/events", query={"count": "true"}).json
    assert (result["total"], result["total_is_exact"]) == (1, True)


def test_a_series_and_selected_events_are_counted_exactly(cast: Cast) -> None:
    events = [an_event(cast.alice, public=True)["id"] for _ in range(MOST + 2)]
    repeated = cast.alice.put(f"/api/events/{events[0]}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-03"}).json
    for query in ({"series_id": repeated["series_id"]}, {"ids": ",".join(map(str, events[:3]))}):
        for someone in (cast.alice, cast.anonymous):
            result = someone.get("/api/events", query={"count": "true", **query}).json
            assert (result["total"], result["total_is_exact"]) == (3, True)


def test_before_a_large_calendar_is_deleted_its_page_says_at_least_how_many_events_it_holds(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)["id"]
    for _ in range(MOST + 1):
        an_event(cast.alice, calendar_id=calendar)
    page = cast.alice.get(f"/calendars/{calendar}/delete")
    assert f"at least {MOST + 1} events" in page.text
