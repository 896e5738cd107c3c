"""DELETE /api/events/<id>: delete the event; with ids, all of them or none."""

import pytest

from tests.cast import Cast, a_calendar, an_event, many_events, shared
from tests.events.listing import listed

pytestmark = pytest.mark.on_one_database


def test_a_deleted_event_is_gone_everywhere(cast: Cast) -> None:
    event = an_event(cast.alice, title="Blue Train", public=True)["id"]
    other = a_calendar(cast.alice)["id"]
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": other}).status == 200
    reply = cast.alice.delete(f"/api/events/{event}")
    assert (reply.status, reply.json["deleted"]) == (200, [event])
    assert cast.alice.get(f"/api/events/{event}").status == 410
    assert cast.alice.delete(f"/api/events/{event}").status == 404
    assert listed(cast.alice) == listed(cast.alice, calendar_id=other) == listed(cast.alice, text="train") == []
    assert listed(cast.anonymous, ids=event) == []


def test_the_id_of_a_deleted_event_is_not_reused(cast: Cast) -> None:
    event = an_event(cast.alice)["id"]
    assert cast.alice.delete(f"/api/events/{event}").status == 200
    assert an_event(cast.alice)["id"] > event


def test_only_editors_of_an_event_may_delete_it(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = an_event(cast.alice, calendar_id=calendar["id"])["id"]
    for actor, status in ((cast.anonymous, 401), (cast.carol, 403), (cast.vera, 403), (cast.bob, 200)):
        assert actor.delete(f"/api/events/{event}").status == status


@pytest.mark.parametrize("carrier", ["json", "data", "query"])
def test_several_events_are_deleted_at_once(cast: Cast, carrier: str) -> None:
    first, second, third, stays = (an_event(cast.alice)["id"] for _ in range(4))
    reply = cast.alice.delete(f"/api/events/{first}", **{carrier: {"ids": f"{third},{second},{first},{third}"}})
    assert (reply.status, reply.json["deleted"]) == (200, [first, third, second])
    assert listed(cast.alice) == [stays]


@pytest.mark.parametrize("place", ["path", "first", "last"])
@pytest.mark.parametrize(("bad", "status"), [("missing", 404), ("hidden", 404), ("forbidden", 403)])
def test_one_missing_or_forbidden_event_fails_all_and_is_named(cast: Cast, bad: str, status: int, place: str) -> None:
    one, two = an_event(cast.alice)["id"], an_event(cast.alice)["id"]
    wrong = 2**62 if bad == "missing" else an_event(cast.carol, public=bad == "forbidden")["id"]
    path, ids = {"path": (wrong, [one, two]), "first": (one, [wrong, two]), "last": (one, [two, wrong])}[place]
    reply = cast.alice.delete(f"/api/events/{path}", json={"ids": ids})
    assert (reply.status, reply.broken) == (status, ["ids"])
    assert f"event {wrong}, which" in reply.json["errors"][0]["message"]
    assert listed(cast.alice) == [one, two]
    assert bad == "missing" or listed(cast.carol) == [wrong]


def test_at_most_500_events_may_be_named(cast: Cast) -> None:
    events = many_events(cast.alice, 502)
    reply = cast.alice.delete(f"/api/events/{events[0]}", json={"ids": events[1:]})
    assert (reply.status, reply.broken) == (422, ["ids"])
    assert cast.alice.get("/api/events", query={"count": "true"}).json["total"] == 502
    reply = cast.alice.delete(f"/api/events/{events[0]}", json={"ids": events[1:501]})
    assert (reply.status, reply.json["deleted"]) == (200, events[:501])
    assert listed(cast.alice) == events[501:]
