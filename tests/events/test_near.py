"""near=lat,lon&km= on the events index, and the coordinates of events."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kalends.features.events.rules.coordinates import distance
from tests.cast import Cast, Person, an_event
from tests.events.importing import imported

EIFFEL = (48.858373, 2.294481)
CITIES = {"Eiffel": EIFFEL, "Notre-Dame": (48.852969, 2.349903), "Versailles": (48.804865, 2.120355), "Lyon": (45.764043, 4.835659)}


def placed(owner: Person, title: str, point: tuple[float, float], **fields: Any) -> int:
    return int(an_event(owner, title=title, latitude=point[0], longitude=point[1], **fields)["id"])


def found(reader: Any, point: tuple[float, float], km: int, **query: Any) -> list[str]:
    reply = reader.get("/api/events", query={"near": f"{point[0]:.6f},{point[1]:.6f}", "km": km, "limit": 500} | query)
    assert reply.status == 200, reply
    return [event["title"] for event in reply.json["events"]]


def test_events_are_found_by_their_distance(cast: Cast) -> None:
    for title, point in CITIES.items():
        placed(cast.alice, title, point)
    an_event(cast.alice, title="Nowhere")
    assert [found(cast.alice, EIFFEL, km) for km in (1, 5, 20, 500)] == [
        ["Eiffel"],
        ["Eiffel", "Notre-Dame"],
        ["Eiffel", "Notre-Dame", "Versailles"],
        ["Eiffel", "Notre-Dame", "Versailles", "Lyon"],
    ]
    assert found(cast.alice, EIFFEL, 20, text="versailles") == ["Versailles"]
    reply = cast.alice.get("/api/events", query={"near": "48.858373,2.294481", "km": 20, "count": "true", "limit": 1}).json
    assert (reply["total"], len(reply["events"])) == (3, 1)
    assert len(cast.alice.get("/api/events", query={"near": "48.858373,2.294481", "km": 20, "offset": 1}).json["events"]) == 2
    calendar = cast.alice.primary_calendar_id
    assert found(cast.alice, EIFFEL, 5, calendar_id=calendar, overlaps="true", start_time="2026-05-01", time_zone="UTC") == [
        "Eiffel",
        "Notre-Dame",
    ]


points = st.tuples(st.integers(-90_000_000, 90_000_000), st.integers(-180_000_000, 180_000_000)).map(lambda p: (p[0] / 1e6, p[1] / 1e6))
near_points = st.tuples(st.floats(-6, 6), st.floats(-6, 6))


@given(points, st.lists(near_points, min_size=1, max_size=5), st.integers(1, 500))
@example((-17.8, 179.99), [(0.0, 0.5), (0.0, -0.5)], 60)
@example((89.9, 10.0), [(0.05, 180.0), (-0.5, -90.0)], 100)
@example((-90.0, 0.0), [(0.5, 77.0)], 56)
def test_the_box_misses_nothing_and_the_distance_decides(
    cast: Cast, centre: tuple[float, float], offsets: list[tuple[float, float]], km: int
) -> None:
    owner = Person(cast.anonymous, "nora")
    others = [(max(-90.0, min(90.0, centre[0] + a)), (centre[1] + b + 180) % 360 - 180) for a, b in offsets]
    rounded = [(round(lat, 6), round(lon, 6)) for lat, lon in others]
    for i, point in enumerate(rounded):
        placed(owner, str(i), point)
    within = [str(i) for i, point in enumerate(rounded) if distance(centre, point) <= km]
    # A millimetre from the edge, the last digit of a number decides.
    if all(abs(distance(centre, point) - km) > 1e-6 for point in rounded):
        assert found(owner, centre, km) == within


def test_nobody_finds_an_exact_place_that_is_for_those_who_come(cast: Cast) -> None:
    placed(cast.alice, "Secret garden", EIFFEL, public=True, place_for="going")
    placed(cast.alice, "Open garden", EIFFEL, public=True)
    for reader in (cast.anonymous, cast.alice):
        assert "Secret garden" not in found(reader, EIFFEL, 500, scope="public")
    assert "Open garden" in found(cast.anonymous, EIFFEL, 1, scope="public")


@pytest.mark.on_one_database
@pytest.mark.parametrize("near", ["48.8", "north,east", "91,0", "0,181", "1e1,2", "nan,0", "", "1,2,3"])
def test_a_point_that_is_none_is_refused(cast: Cast, near: str) -> None:
    assert cast.anonymous.get("/api/events", query={"near": near}).status == (200 if near == "" else 422)
    assert cast.anonymous.get("/api/events", query={"near": "1,2", "km": 0}).status == 422


@pytest.mark.on_one_database
@pytest.mark.parametrize("fields", [{"latitude": 1}, {"longitude": 1}, {"latitude": 91, "longitude": 0}, {"latitude": "x", "longitude": 0}])
def test_coordinates_go_together_and_are_on_earth(cast: Cast, fields: dict[str, Any]) -> None:
    reply = cast.alice.post("/api/events", json={"title": "x", "start_time": "2026-06-01"} | fields)
    assert (reply.status, reply.json["errors"][0]["field"] in ("latitude", "longitude")) == (422, True)


def test_geo_is_exported_and_imported(cast: Cast) -> None:
    event = an_event(cast.alice, latitude=-0.5, longitude=-179.999999)
    file = cast.alice.get(f"/api/events/{event['id']}.ics").text
    assert "GEO:-0.500000;-179.999999" in file
    copy = cast.bob.get(f"/api/events/{imported(cast.bob, file)['events'][0]['id']}").json
    assert (copy["latitude"], copy["longitude"]) == (-0.5, -179.999999)


@pytest.mark.on_one_database
def test_a_new_place_forgets_the_coordinates_of_the_old_one(cast: Cast) -> None:
    path = f"/api/events/{placed(cast.alice, 'Picnic', EIFFEL, location='Champ de Mars')}"
    assert cast.alice.put(path, json={"title": "Tea"}).json["latitude"] == EIFFEL[0]
    assert cast.alice.put(path, json={"location": "Bois de Vincennes"}).json["latitude"] is None


@pytest.mark.on_one_database
def test_the_page_links_to_a_map(cast: Cast) -> None:
    page = cast.anonymous.get(f"/events/{placed(cast.alice, 'Picnic', EIFFEL, public=True)}").text
    assert 'href="geo:48.858373,2.294481"' in page
    assert "openstreetmap.org/?mlat=48.858373&amp;mlon=2.294481" in page
    assert '"@type": "GeoCoordinates"' in page
    assert '"latitude": 48.858373' in page


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    ("price", "is_free", "offered"),
    [("12 €", False, None), ("free", True, "0"), (" 0 ", True, "0"), ("Kostenlos", True, "0"), (None, None, None)],
)
def test_search_engines_learn_the_price(cast: Cast, price: str | None, is_free: bool | None, offered: str | None) -> None:
    event = an_event(cast.alice, public=True, price=price, ticket_url="https://tickets.example.org/1")
    page = cast.anonymous.get(f"/events/{event['id']}").text
    data = json.loads(page.partition('<script type="application/ld+json">')[2].partition("</script>")[0])
    assert (data.get("isAccessibleForFree"), data["offers"].get("price")) == (is_free, offered)
    assert data["offers"]["url"] == "https://tickets.example.org/1"
    assert 'href="https://tickets.example.org/1"' in page
    assert (price or "").strip() in page


@pytest.mark.on_one_database
@pytest.mark.parametrize("url", ["javascript:alert(1)", "ftp://x", "https://", "call me"])
@pytest.mark.parametrize("name", ["online_url", "ticket_url"])
def test_links_are_addresses_of_the_web(cast: Cast, name: str, url: str) -> None:
    reply = cast.alice.post("/api/events", json={"title": "x", "start_time": "2026-06-01", name: url})
    assert (reply.status, reply.json["errors"][0]["field"]) == (422, name)
