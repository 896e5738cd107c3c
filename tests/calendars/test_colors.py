"""The colours of calendars: the next free one for a new calendar, and one of each reader for a shared calendar."""

from kalends.features.calendars.model import PALETTE
from tests.cast import Cast, Person, a_calendar, shared

WANTED = "#123456"


def color_in_calendar(reader: Person, calendar: dict[str, object]) -> str:
    """The colour of the calendar's box in the rail."""
    page = reader.get("/calendar", headers={"Accept": "text/html"}).text
    row = page.partition(f'name="calendar_ids[]" value="{calendar["id"]}"')[2]
    return row.partition(' color="')[2].partition('"')[0]


def test_a_new_calendar_has_the_next_free_colour(cast: Cast) -> None:
    assert cast.alice.get("/api/calendars/new").json["color"] == PALETTE[1]
    assert [a_calendar(cast.alice)["color"] for _ in PALETTE] == [*PALETTE[1:], PALETTE[0]]
    assert a_calendar(cast.alice, color=WANTED)["color"] == WANTED


def test_a_reader_sees_a_shared_calendar_in_a_colour_of_their_own(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "viewer")
    shared(cast.alice, calendar, cast.vera, "viewer")
    path = f"/api/calendars/{calendar['id']}/color"
    assert cast.bob.put(path, json={"color": WANTED}).json == {"color": WANTED}
    assert [color_in_calendar(person, calendar) for person in (cast.bob, cast.vera, cast.alice)] == [
        WANTED,
        calendar["color"],
        calendar["color"],
    ]
    assert cast.alice.get(f"/api/calendars/{calendar['id']}").json["color"] == calendar["color"]
    assert cast.bob.put(path, json={"color": None}).status == 200
    assert color_in_calendar(cast.bob, calendar) == calendar["color"]
    assert cast.bob.put(path, json={"color": "red"}).broken == ["color"]
