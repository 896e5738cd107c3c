"""Dates of endless series for which there are no events yet: the service creates these for two years."""

from tests.cast import Cast, Person, a_calendar, an_event, shared
from tests.dav.clients import C, calendar_path, report, responses

FILTER = """<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range {span}/></C:comp-filter>
    </C:comp-filter></C:filter>"""


def expanded(person: Person, path: str, start: str, end: str) -> dict[str, list[str]]:
    """The starts of the dates between the days, by the name of the resource."""
    span = f'start="{start}T000000Z" end="{end}T000000Z"'
    inner = f"<D:prop><C:calendar-data><C:expand {span}/></C:calendar-data></D:prop>" + FILTER.format(span=span)
    by_name = responses(report(person, path, "C:calendar-query", inner))
    texts = {name: str(props[f"{C}calendar-data"].text) for name, (_, props) in by_name.items()}
    return {name: [line[8:] for line in text.splitlines() if line.startswith("DTSTART:")] for name, text in texts.items()}


def busy(person: Person, path: str, start: str, end: str) -> list[str]:
    inner = f'<C:time-range start="{start}T000000Z" end="{end}T000000Z"/>'
    return [line[9:] for line in report(person, path, "C:free-busy-query", inner).text.splitlines() if line.startswith("FREEBUSY:")]


def test_dates_without_events_are_expanded_and_busy(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="UTC")
    path = calendar_path(cast.alice, calendar["id"])
    times = {"start_time": "2026-06-01T20:00Z", "end_time": "2026-06-01T22:00Z", "time_zone": "UTC"}
    event = an_event(cast.alice, calendar_id=calendar["id"], **times)
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json={"rrule": "FREQ=WEEKLY", "except": "2036-06-09"}).status == 200
    series_id = cast.alice.get(f"/api/events/{event['id']}").json["series_id"]
    name = f"series-{series_id}.ics"
    assert expanded(cast.alice, path, "20360601", "20360620") == {name: ["20360602T200000Z", "20360616T200000Z"]}
    assert busy(cast.alice, path, "20360601", "20360605") == ["20360602T200000Z/20360602T220000Z"]
    dates = expanded(cast.alice, path, "20260601", "20360601")[name]
    assert (len(dates), len(set(dates))) == (522, 522)


def test_dates_are_not_found_on_a_calendar_that_has_one_date_alone(cast: Cast) -> None:
    home = a_calendar(cast.alice)
    shared(cast.alice, home, cast.bob, "viewer")
    event = an_event(cast.alice, calendar_id=home["id"])
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"rrule": "FREQ=WEEKLY"})
    assert cast.bob.put(f"/api/events/{event['id']}/add", json={"calendar_id": cast.bob.primary_calendar_id}).status == 200
    assert expanded(cast.bob, calendar_path(cast.bob), "20360601", "20360620") == {}
    assert len(expanded(cast.bob, calendar_path(cast.bob, home["id"]), "20360601", "20360620")) == 1
