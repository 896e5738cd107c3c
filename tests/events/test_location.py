"""Where an event is: the parts follow from a location whose shape is clear, and a location from its parts."""

from typing import Any

import pytest

from tests.cast import Cast, an_event

pytestmark = pytest.mark.on_one_database

PARTS = ("location_name", "street", "city", "state", "zip", "country")
BLUE_NOTE = "Blue Note, 131 W 3rd St, New York, NY 10012, USA"


def _parts(event: dict[str, Any]) -> tuple[str | None, ...]:
    return tuple(event[part] for part in PARTS)


@pytest.mark.parametrize(
    ("location", "parts"),
    [
        (BLUE_NOTE, ("Blue Note", "131 W 3rd St", "New York", "NY", "10012", "USA")),
        ("131 W 3rd St, New York, NY 10012", (None, "131 W 3rd St", "New York", "NY", "10012", None)),
        ("Blue Note, New York, NY 10012-1234, USA", ("Blue Note", None, "New York", "NY", "10012-1234", "USA")),
        ("New York, NY 10012", (None, None, "New York", "NY", "10012", None)),
        ("Le Sunset, 60 rue des Lombards, 75001 Paris, France", ("Le Sunset", "60 rue des Lombards", "Paris", None, "75001", "France")),
        ("Marktplatz 1, 4051 Basel", (None, "Marktplatz 1", "Basel", None, "4051", None)),
        ("the big house by the lake", (None,) * 6),
        ("Paris", (None,) * 6),
        ("Room 5, floor 3, building 12", (None,) * 6),
        (",, NY 10012", (None,) * 6),
        ("a, b, c, d, New York, NY 10012, USA", (None,) * 6),
        ("New York, NY 10012, USA, Earth", (None,) * 6),
        ("x" * 201 + ", New York, NY 10012", (None,) * 6),
        ("x" * 200 + ", New York, NY 10012", ("x" * 200, None, "New York", "NY", "10012", None)),
        ("New York, ny 10012", (None,) * 6),
    ],
)
def test_parts_are_derived_where_the_shape_allows(cast: Cast, location: str, parts: tuple[str | None, ...]) -> None:
    created = an_event(cast.alice, location=location)
    assert (created["location"], _parts(created)) == (location, parts)
    event = an_event(cast.alice, location="Grand Palais", city="Paris", country="France")["id"]
    changed = cast.alice.put(f"/api/events/{event}", json={"location": location}).json
    assert (changed["location"], _parts(changed)) == (location, parts)


@pytest.mark.parametrize(
    ("parts", "location"),
    [
        ({"city": "Paris"}, "Paris"),
        ({"location_name": "Grand Palais", "city": "Paris", "country": "France"}, "Grand Palais, Paris, France"),
        ({"state": "NY", "city": "New York"}, "New York, NY"),
        ({"zip": "10012"}, "10012"),
        (dict(zip(PARTS, ("Blue Note", "131 W 3rd St", "New York", "NY", "10012", "USA"), strict=True)), BLUE_NOTE),
    ],
)
def test_a_location_is_composed_of_parts_that_come_alone(cast: Cast, parts: dict[str, str], location: str) -> None:
    created = an_event(cast.alice, **parts)
    assert created["location"] == location
    assert _parts(created) == tuple(parts.get(part) for part in PARTS)
    event = an_event(cast.alice)["id"]
    assert cast.alice.put(f"/api/events/{event}", json=parts).json["location"] == location


def test_location_and_parts_are_stored_as_sent(cast: Cast) -> None:
    event = an_event(cast.alice, location=BLUE_NOTE, city="Manhattan")
    assert (event["location"], _parts(event)) == (BLUE_NOTE, (None, None, "Manhattan", None, None, None))
    changed = cast.alice.put(f"/api/events/{event['id']}", json={"location": "Upstairs", "street": "3rd St"}).json
    assert (changed["location"], _parts(changed)) == ("Upstairs", (None, "3rd St", "Manhattan", None, None, None))


def test_an_empty_part_of_a_location_is_null(cast: Cast) -> None:
    event = an_event(cast.alice, location=BLUE_NOTE, city="", street=None)
    assert event["city"] == "New York"
    event = an_event(cast.alice, location=" ", city="Paris")
    assert event["location"] == "Paris"


def test_a_part_that_changes_changes_the_location(cast: Cast) -> None:
    event = f"/api/events/{an_event(cast.alice, location=BLUE_NOTE)['id']}"
    changed = cast.alice.put(event, json={"location_name": "Village Vanguard", "street": "178 7th Ave S"}).json
    assert changed["location"] == "Village Vanguard, 178 7th Ave S, New York, NY 10012, USA"
    changed = cast.alice.put(event, json={"location_name": "", "country": None}).json
    assert changed["location"] == "178 7th Ave S, New York, NY 10012"
    assert _parts(changed) == (None, "178 7th Ave S", "New York", "NY", "10012", None)


def test_clearing_the_location_clears_its_parts_and_the_other_way(cast: Cast) -> None:
    event = f"/api/events/{an_event(cast.alice, location=BLUE_NOTE)['id']}"
    cleared = cast.alice.put(event, json={"location": ""}).json
    assert (cleared["location"], _parts(cleared)) == (None, (None,) * 6)
    assert cast.alice.put(event, json={"city": "Paris"}).json["location"] == "Paris"
    cleared = cast.alice.put(event, json={"city": ""}).json
    assert (cleared["location"], _parts(cleared)) == (None, (None,) * 6)


def test_other_changes_leave_the_location_alone(cast: Cast) -> None:
    event = an_event(cast.alice, location="Somewhere, New York, NY 10012, USA", city="Brooklyn")
    changed = cast.alice.put(f"/api/events/{event['id']}", json={"title": "Moved"}).json
    assert (changed["location"], _parts(changed)) == (event["location"], _parts(event))


def test_parts_that_are_too_long_together_are_refused(cast: Cast) -> None:
    parts = {"location_name": "x" * 200, "street": "y" * 200, "city": "z" * 96}
    event = an_event(cast.alice, **parts)
    assert len(event["location"]) == 500
    replies = [
        cast.alice.post("/api/events", json={"title": "x", "start_time": "2026-06-01"} | parts | {"city": "z" * 97}),
        cast.alice.put(f"/api/events/{event['id']}", json={"city": "z" * 97}),
    ]
    for reply in replies:
        assert (reply.status, reply.broken) == (422, ["location"])
