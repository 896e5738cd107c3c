"""GET /api/events/<id>?as_of=: the event as it was, for those who may edit it."""

from typing import Any

from kalends.core.values.timestamps import format_utc
from tests.cast import Cast, a_calendar, an_event, shared
from tests.client import Client, Reply
from tests.conftest import Clock

DAY = 86_400
# The other fields are counts, or follow from these.
FIELDS = ("title", "start_time", "public", "calendar_ids", "calendars", "series_id", "uid", "repeat", "capacity", "tags")


def show(who: Client, event_id: int, moment: Any = None) -> Reply:
    return who.get(f"/api/events/{event_id}", query={} if moment is None else {"as_of": moment})


def newest(who: Client, event_id: int) -> int:
    seq: int = who.get(f"/api/events/{event_id}/changes").json["changes"][0]["seq"]
    return seq


def test_each_state_of_an_event_is_found_by_time_and_by_change(cast: Cast, clock: Clock) -> None:
    event, calendar = an_event(cast.alice, uid="one"), a_calendar(cast.alice)["id"]
    path = f"/api/events/{event['id']}"
    daily = {"frequency": "DAILY", "end_date": "2026-06-04"}
    steps: list[tuple[str, dict[str, Any]]] = [
        (path, {"title": "Concerto", "public": True, "tag": "late"}),
        (f"{path}/add", {"calendar_id": calendar}),
        (path, {"capacity": 9}),
        (f"{path}/repeat", daily),
        (f"{path}/repeat", daily | {"except": ["2026-06-02"]}),
        (path, {"start_time": "2026-06-01T19:00", "scope": "all"}),
        (f"{path}/remove", {"calendar_id": calendar}),
        (path, {"capacity": None}),
    ]
    states = [(clock.now, newest(cast.alice, event["id"]), event)]
    for target, fields in steps:
        clock.ahead(60)
        assert cast.alice.put(target, json=fields).status == 200
        states.append((clock.now, newest(cast.alice, event["id"]), show(cast.alice, event["id"]).json))
    for at, _, state in states:
        reply = show(cast.alice, event["id"], format_utc(at + 30))
        assert {name: reply.json[name] for name in FIELDS} == {name: state[name] for name in FIELDS}
    _, seq, state = states[1]
    assert show(cast.alice, event["id"], seq).json["title"] == state["title"] == "Concerto"
    assert show(cast.alice, event["id"], states[0][1]).json["title"] == "Concert"
    assert show(cast.alice, event["id"], format_utc(clock.now - DAY)).status == 404


def test_what_is_older_than_the_history_is_410(cast: Cast, clock: Clock) -> None:
    event = an_event(cast.alice)
    reply = show(cast.alice, event["id"], format_utc(clock.now - 91 * DAY))
    assert (reply.status, reply.json["type"]) == (410, "/docs/errors#history-expired")


def test_only_those_who_may_edit_the_event_now_see_it_as_it_was(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    for friend, role in ((cast.bob, "editor"), (cast.vera, "viewer")):
        shared(cast.alice, calendar, friend, role)
    event = an_event(cast.alice, calendar_id=calendar["id"], title="Secret", public=False)
    seq = newest(cast.alice, event["id"])
    cast.alice.put(f"/api/events/{event['id']}", json={"title": "Known", "public": True})
    people = (cast.alice, cast.bob, cast.vera, cast.carol, cast.anonymous)
    assert [show(who, event["id"], seq).status for who in people] == [200, 200, 403, 403, 401]
    assert show(cast.bob, event["id"], seq).json["title"] == "Secret"


def test_a_moment_is_a_time_or_a_number(cast: Cast) -> None:
    event = an_event(cast.alice)
    assert show(cast.alice, event["id"], "yesterday").broken == ["as_of"]
    assert cast.alice.get(f"/api/events/{event['id']}", query={"as_of": "2026-06-01", "comments": "true"}).broken == ["comments"]
