"""A series for the tests of its changes, and helpers that read it."""

from typing import Any

from tests.cast import Person, an_event

WEEKLY = {"frequency": "WEEKLY", "start_date": "2027-03-01", "end_date": "2027-03-29"}


def five_mondays(owner: Person, **fields: Any) -> list[int]:
    """Five Mondays in Paris, 10:00 to 11:00."""
    times = {"start_time": "2027-03-01T10:00", "end_time": "2027-03-01T11:00", "time_zone": "Europe/Paris"}
    event = an_event(owner, **(times | fields))
    assert repeat(owner, event["id"], **WEEKLY)["occurrences"] == 5
    return ids_of_series(owner, event["id"])


def repeat(owner: Person, event_id: int, **rule: Any) -> dict[str, Any]:
    reply = owner.put(f"/api/events/{event_id}/repeat", json=rule)
    assert reply.status == 200, reply
    result: dict[str, Any] = reply.json
    return result


def events_of_series(owner: Person, event_id: int) -> list[dict[str, Any]]:
    series_id = owner.get(f"/api/events/{event_id}").json["series_id"]
    events: list[dict[str, Any]] = owner.get(f"/api/events?series_id={series_id}&limit=500").json["events"]
    return events


def ids_of_series(owner: Person, event_id: int) -> list[int]:
    return [event["id"] for event in events_of_series(owner, event_id)]


def load_times(owner: Person, ids: list[int]) -> list[tuple[str, str | None]]:
    events = [owner.get(f"/api/events/{event_id}").json for event_id in ids]
    return [(event["start_time"], event["end_time"]) for event in events]


def assert_rule_agrees(owner: Person, event_id: int) -> None:
    """Repeating by the event's own rule changes nothing."""
    before = ids_of_series(owner, event_id)
    rule = owner.get(f"/api/events/{event_id}").json["repeat"]
    repeat(owner, event_id, **{name: rule[name] for name in ("rrule", "start_date", "also", "except")})
    fields = {name: value for name, value in rule.items() if name not in ("rrule", "text") and value is not None}
    assert repeat(owner, event_id, **fields)["repeat"] == rule
    assert ids_of_series(owner, event_id) == before
