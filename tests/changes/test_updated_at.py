"""`updated_at` of records in lists, and the ETag of calendars: what tells a program that a copy is old."""

from typing import Any, get_args, get_type_hints

from kalends.app.application import ENDPOINTS
from tests.cast import Cast, a_calendar, an_event, shared
from tests.client import Client
from tests.conftest import Clock

# Records that are never changed, or only closed, and lists of what happened at a time of its own. Questions are part of their event or
# calendar.
WITHOUT = {
    *("BlockItem", "KeyItem", "SubscriberItem", "QuestionItem", "TrashItem", "Change", "ReportDetail", "BlockedSenderItem"),
    *("HiddenEventItem", "OfferItem", "PasskeyItem", "IdentityItem"),
}


def test_the_items_of_every_list_have_updated_at() -> None:
    results = [endpoint.result for endpoint in ENDPOINTS if endpoint.in_api and endpoint.action == "index"]
    hints = [hint for result in results for hint in get_type_hints(result).values()]
    items = [item for hint in hints for item in get_args(hint) if hasattr(item, "__struct_fields__")]
    assert {item.__name__ for item in items if "updated_at" not in item.__struct_fields__} <= WITHOUT
    assert {"EventItem", "CalendarItem", "CommentItem", "ResponseSummary", "ContactItem"} <= {item.__name__ for item in items}


def _updated_at(who: Client, event: dict[str, Any]) -> str:
    value: str = who.get(f"/api/events/{event['id']}").json["updated_at"]
    return value


def test_updated_at_of_an_event_moves_with_its_calendars(cast: Cast, clock: Clock) -> None:
    event, calendar = an_event(cast.alice), a_calendar(cast.alice)["id"]
    seen = [_updated_at(cast.alice, event)]
    for action in ("add", "remove"):
        clock.ahead(60)
        assert cast.alice.put(f"/api/events/{event['id']}/{action}", json={"calendar_id": calendar}).status == 200
        seen.append(_updated_at(cast.alice, event))
        clock.ahead(60)
        cast.alice.put(f"/api/events/{event['id']}/{action}", json={"calendar_id": calendar})
        assert _updated_at(cast.alice, event) == seen[-1], "the second time, nothing changes"
    cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": calendar})
    seen.append(_updated_at(cast.alice, event))
    clock.ahead(60)
    assert cast.alice.delete(f"/api/calendars/{calendar}").status == 200
    seen.append(_updated_at(cast.alice, event))
    assert seen == sorted(set(seen))


def test_updated_at_of_an_event_moves_with_its_series(cast: Cast, clock: Clock) -> None:
    event = an_event(cast.alice)
    path = f"/api/events/{event['id']}"
    seen = [event["updated_at"]]
    last = {"frequency": "DAILY", "end_date": "2026-06-05"}
    for rule in ({"frequency": "DAILY", "end_date": "2026-06-04"}, last):
        clock.ahead(60)
        assert cast.alice.put(f"{path}/repeat", json=rule).status == 200
        seen.append(_updated_at(cast.alice, event))
    ids = [item["id"] for item in cast.alice.get(f"/api/events?uid={cast.alice.get(path).json['uid']}").json["events"]]
    clock.ahead(60)
    assert cast.alice.delete(f"/api/events/{ids[3]}", json={"scope": "following"}).status == 200
    seen.append(_updated_at(cast.alice, event))
    assert seen == sorted(set(seen))


def test_the_etag_of_a_calendar_changes_with_its_events(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "viewer")
    path = f"/api/calendars/{calendar['id']}"
    readers = (cast.alice, cast.bob, cast.carol, cast.anonymous)

    def changed(etags: list[str]) -> list[bool]:
        return [reader.get(path, headers={"If-None-Match": etag}).status == 200 for reader, etag in zip(readers, etags, strict=True)]

    def read() -> list[str]:
        return [reader.get(path).headers["ETag"] for reader in readers]

    etags = read()
    assert changed(etags) == [False] * 4
    hidden = an_event(cast.alice, calendar_id=calendar["id"], public=False)
    assert changed(etags) == [True, True, False, False], "strangers do not learn of private events"
    etags = read()
    assert cast.alice.put(f"/api/events/{hidden['id']}", json={"public": True}).status == 200
    assert changed(etags) == [True] * 4
    etags = read()
    assert cast.alice.delete(f"/api/events/{hidden['id']}").status == 200
    assert changed(etags) == [True] * 4
