"""party_max, the limit on people in one response: of the event, else of its home calendar."""

from typing import Any

import pytest

from tests.cast import Cast, a_calendar, a_comment, a_response, an_event

GUS = {"email_address": "gus@example.org", "response": "YES"}


def _party(cast: Cast, event: dict[str, Any]) -> tuple[int, int]:
    (stored,) = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return stored["number"], stored["plus_n"]


@pytest.mark.parametrize(("calendar_max", "event_max", "limit"), [(None, None, None), (4, None, 4), (4, 2, 2), (None, 3, 3), (2, 6, 6)])
def test_the_events_limit_holds_before_its_calendars(
    cast: Cast, calendar_max: int | None, event_max: int | None, limit: int | None
) -> None:
    calendar = a_calendar(cast.alice, public=True, party_max=calendar_max)
    event = an_event(cast.alice, calendar_id=calendar["id"], party_max=event_max)
    assert (calendar["party_max"], event["party_max"]) == (calendar_max, limit)
    assert cast.alice.get(f"/api/events/{event['id']}/edit").json["party_max"] == event_max
    body = GUS | {"event_id": event["id"], "number": 1}
    if limit is None:
        assert cast.anonymous.post("/api/responses", json=body | {"plus_n": 9_000}).status == 201
        return
    refused = cast.anonymous.post("/api/responses", json=body | {"plus_n": limit})
    assert (refused.status, refused.broken) == (422, ["plus_n"])
    assert f"at most {limit}" in refused.json["errors"][0]["message"]
    assert cast.anonymous.post("/api/responses", json=body | {"plus_n": limit - 1}).status == 201


def test_the_limit_holds_on_pages_and_for_editors(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, party_max=3)
    page = cast.anonymous.post(f"/events/{event['id']}/respond", data=GUS | {"number": "4"})
    assert (page.status, "at most 3" in page.text) == (422, True)
    response = a_response(cast.alice, event, **GUS, number=3)
    assert cast.alice.put(f"/api/responses/{response['id']}", json={"plus_n": 1}).broken == ["plus_n"]
    a_comment(cast.anonymous, event, email_address="new@example.org", response="YES")
    assert cast.alice.get(f"/api/events/{event['id']}").json["responses"]["people"] == 4


def test_an_omitted_number_is_reduced_to_the_party_limit(cast: Cast) -> None:
    """An error would disclose the stored number to a guest."""
    event = an_event(cast.alice, public=True, party_max=4)
    a_response(cast.anonymous, event, **GUS, number=1, plus_n=3)
    a_response(cast.anonymous, event, **GUS, number=2)
    assert _party(cast, event) == (2, 2)
    a_response(cast.anonymous, event, **GUS, plus_n=3)
    assert _party(cast, event) == (1, 3)


def test_a_lower_limit_leaves_earlier_responses_alone(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    response = a_response(cast.alice, event, **GUS, number=9)
    cast.alice.put(f"/api/events/{event['id']}", json={"party_max": 2})
    a_response(cast.anonymous, event, email_address="gus@example.org", response="NO")
    assert cast.alice.put(f"/api/responses/{response['id']}", json={"name": "Gus"}).status == 200
    assert _party(cast, event) == (9, 0)


def test_copies_and_occurrences_have_the_limit(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, party_max=5)
    assert cast.alice.put(f"/api/events/{event['id']}/copy").json["party_max"] == 5
    series = cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-02"}).json["series_id"]
    occurrences = cast.alice.get(f"/api/events?series_id={series}").json["events"]
    assert [cast.alice.get(f"/api/events/{each['id']}").json["party_max"] for each in occurrences] == [5, 5]


@pytest.mark.parametrize("wrong", [0, -1, 20_001, "many"])
@pytest.mark.on_one_database
def test_an_invalid_party_max_is_refused(cast: Cast, wrong: Any) -> None:
    body = {"title": "Gig", "start_time": "2026-06-01", "party_max": wrong}
    assert cast.alice.post("/api/events", json=body).broken == ["party_max"]
    assert cast.alice.post("/api/calendars", json={"name": "Jazz", "party_max": wrong}).broken == ["party_max"]


def test_the_forms_of_event_and_calendar_have_the_limit(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, party_max=7)
    assert 'name="party_max" type="number" value="7"' in cast.alice.get(f"/calendars/{calendar['id']}/edit").text
    typed = {"title": "Gig", "start_time": "2026-06-01", "calendar_id": str(calendar["id"]), "party_max": "3"}
    reply = cast.alice.post("/events", data=typed)
    assert reply.status == 303
    assert 'name="party_max" type="number" value="3"' in cast.alice.get(f"{reply.headers['Location']}/edit").text
