"""GET /api/events/<id>/edit: the editable fields, which can be sent again as they are."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cast import Cast, an_event, shared
from tests.events.test_new import FIELDS
from tests.values.test_datetimes import ZONES

pytestmark = pytest.mark.on_one_database

words = st.text(min_size=1, max_size=30)
walls = st.datetimes().map(lambda moment: moment.isoformat())
moments = st.builds(lambda wall, offset: wall + offset, walls, st.sampled_from(["", "", "Z", "+05:45", "-12:00", "+14:00", "[Asia/Tokyo]"]))
times = moments | st.dates().map(lambda day: day.isoformat())
events = st.fixed_dictionaries(
    {"title": words, "start_time": times},
    optional={
        "end_time": times,
        "all_day": st.booleans(),
        "time_zone": st.sampled_from(ZONES),
        "description": words,
        "location": words | st.sampled_from(["Blue Note, 131 W 3rd St, New York, NY 10012, USA", "x" * 300 + ", Paris, NY 10012"]),
        "location_name": words,
        "street": words | st.just("y" * 200),
        "city": words | st.just("z" * 200),
        "state": words,
        "zip": words,
        "country": words,
        "image_url": words | st.sampled_from(["http://a", "https://example.org/%20?q=é#x"]),
        "tag_list": words | st.lists(words),
        "public": st.booleans(),
        "online_url": st.sampled_from(["https://call.example.org/a?b=c#d", "mailto:x"]),
        "online_for": st.sampled_from(["everyone", "going", "members"]),
        "place_for": st.sampled_from(["everyone", "going", "members"]),
        "latitude": st.floats(-90, 90),
        "longitude": st.floats(-180, 180),
        "price": words,
    },
)


@given(events)
@example({"title": "x", "start_time": "1900-01-01T00:00:00", "time_zone": "Africa/Monrovia"})
@example({"title": "x", "start_time": "1900-01-01T00:00:00", "time_zone": "Europe/Paris"})
@example({"title": "x", "start_time": "9999-12-31T23:59:59", "time_zone": "Asia/Tokyo"})
@example({"title": "x", "start_time": "9999-12-31T23:59:59", "time_zone": "America/New_York"})
@example({"title": "x", "start_time": "9999-12-31T23:00:00Z", "time_zone": "Asia/Tokyo"})
@example({"title": "x", "start_time": "9999-12-31T23:00:00Z", "all_day": True, "time_zone": "Asia/Tokyo"})
@example({"title": "x", "start_time": "1900-01-01T00:00:00+14:00", "all_day": True, "time_zone": "UTC"})
@example({"title": "x", "start_time": "2011-12-30", "end_time": "2011-12-30", "time_zone": "Pacific/Apia"})
@example({"title": "x", "start_time": "2026-06-01", "end_time": "2026-06-01", "all_day": False})
@example({"title": "x", "start_time": "2026-06-01", "location": "y" * 400 + ", New York, NY 10012"})
@example({"title": "x", "start_time": "2026-06-01", "street": "y" * 200, "city": "z" * 200, "country": "c" * 200})
@example({"title": "x", "start_time": "2026-06-01", "tag_list": ["ǅ", "ǆ", "a,b", " "]})
def test_update_accepts_the_fields_of_edit(cast: Cast, fields: dict[str, Any]) -> None:
    """Created, read for editing, and updated with exactly that, an event is the same."""
    created = cast.alice.post("/api/events", json=fields)
    assert created.status in (201, 422), created
    if created.status == 201:
        event = f"/api/events/{created.json['id']}"
        editable = cast.alice.get(f"{event}/edit").json
        again = cast.alice.put(event, json=editable, headers={"Prefer": "handling=strict"})
        assert again.status == 200, (editable, again)
        assert again.json | {"updated_at": ""} == created.json | {"updated_at": "", "notified": again.json["notified"]}
        copied = cast.alice.put(f"{event}/copy")
        assert cast.alice.get(f"/api/events/{copied.json['id']}/edit").json == editable | {"public": False, "visibility": "members"}


def test_edit_returns_the_editable_fields(cast: Cast) -> None:
    event = an_event(cast.alice, title="Blue Train", tag_list="jazz,live", city="Paris", start_time="2026-06-01", description="Doors")
    fields = cast.alice.get(f"/api/events/{event['id']}/edit").json
    assert set(fields) == FIELDS
    assert fields == {name: event[name] for name in FIELDS - {"image_alt"}} | {"image_alt": None}
    assert (fields["all_day"], fields["start_time"], fields["tag_list"]) == (True, "2026-06-01", "jazz,live")


@pytest.mark.parametrize("form", ["json", "data"])
def test_edit_can_be_sent_as_json_or_as_a_form(cast: Cast, form: str) -> None:
    event = an_event(
        cast.alice, location="Le Sunset, 60 rue des Lombards, 75001 Paris, France", tag_list="a,b", end_time="2026-06-01T21:00"
    )
    fields = cast.alice.get(f"/api/events/{event['id']}/edit").json
    encoded = fields if form == "json" else {name: "" if value is None else value for name, value in fields.items()}
    again = cast.alice.put(f"/api/events/{event['id']}", **{form: encoded})
    assert again.json == event | {"notified": again.json["notified"]}


def test_edit_is_for_those_who_may_change_the_event(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    calendar = {"id": cast.alice.primary_calendar_id}
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    replies = [actor.get(f"/api/events/{event['id']}/edit").status for actor in (cast.bob, cast.vera, cast.carol, cast.anonymous)]
    assert replies == [200, 403, 403, 401]
