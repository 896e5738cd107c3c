"""A postponed event with a new date: those who said yes or maybe are asked again, within the limits on messages."""

import re
from typing import Any

import pytest
from msgspec import structs

from kalends.app import application
from kalends.context import Context
from kalends.db import Database
from kalends.deliveries import message, sender, store
from kalends.settings import Settings
from tests.cast import PASSWORD, Cast, a_response, an_event
from tests.client import Client
from tests.conftest import Clock
from tests.deliveries.samples import a_delivery, a_row
from tests.events.series import events_of_series

NEW_DATE = {"start_time": "2027-07-01T20:00"}


def a_postponed_event(cast: Cast, *names: str, **fields: Any) -> dict[str, Any]:
    """An event to which people of these names have responded YES, before it was postponed."""
    event = an_event(cast.alice, public=True, **fields)
    for name in names:
        a_response(cast.anonymous, event, email_address=f"{name}-{event['id']}@example.org")
    assert cast.alice.put(f"/api/events/{event['id']}", json={"status": "postponed"}).status == 200
    return event


def asked(owner: Client, event: dict[str, Any]) -> list[str]:
    """The names of those whom a notice is for."""
    listed = owner.get(f"/api/deliveries?event_id={event['id']}").json["deliveries"]
    return sorted(each["address"].partition("-")[0] for each in listed if each["kind"] == "notice")


def replan(owner: Client, event: dict[str, Any], **fields: Any) -> int:
    return owner.put(f"/api/events/{event['id']}", json=NEW_DATE | fields).status


def test_those_who_said_yes_or_maybe_are_asked_once_about_the_new_date(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    for name, response in {"gus": "YES", "hal": "MAYBE", "ida": "NO"}.items():
        a_response(cast.anonymous, event, email_address=f"{name}-{event['id']}@example.org", response=response)
    path = f"/api/events/{event['id']}"
    for changes in ({"start_time": "2027-06-02T20:00"}, {"status": "postponed"}, {"title": "Later"}, {"status": "planned"}):
        assert cast.alice.put(path, json=changes).status == 200
        assert asked(cast.alice, event) == []
    assert cast.alice.put(path, json={"status": "postponed"}).status == 200
    assert replan(cast.alice, event) == 200
    assert asked(cast.alice, event) == ["gus", "hal"]
    assert replan(cast.alice, event, start_time="2027-07-02T20:00") == 200
    assert asked(cast.alice, event) == ["gus", "hal"]
    everything = cast.alice.get("/api/deliveries").json["deliveries"]
    assert [each["event_id"] for each in everything if each["kind"] == "notice"] == [event["id"]] * 2
    assert "has a new date" in cast.alice.get("/deliveries").text


def test_a_date_of_a_series_asks_only_those_who_responded_to_it(cast: Cast) -> None:
    first = an_event(cast.alice, public=True, start_time="2027-03-09T20:00")
    assert cast.alice.put(f"/api/events/{first['id']}/repeat", json={"frequency": "WEEKLY", "count": 3}).status == 200
    series = cast.alice.get(f"/api/events/{first['id']}").json["series_id"]
    dates = cast.alice.get(f"/api/events?series_id={series}").json["events"]
    for date, name in zip(dates, ("gus", "hal", "ida"), strict=True):
        a_response(cast.anonymous, date, email_address=f"{name}-{date['id']}@example.org")
    assert cast.alice.put(f"/api/events/{first['id']}", json={"status": "postponed", "scope": "all"}).status == 200
    assert replan(cast.alice, dates[1], start_time="2027-03-17T20:00") == 200
    assert [asked(cast.alice, date) for date in dates] == [[], ["hal"], []]


@pytest.mark.parametrize(("scope", "planned"), [("all", [0, 1, 2]), ("following", [1, 2])])
def test_a_postponed_series_that_moves_is_planned_again_and_asks_the_guests_of_each_date(
    cast: Cast, scope: str, planned: list[int]
) -> None:
    first = an_event(cast.alice, public=True, start_time="2027-03-09T20:00")
    assert cast.alice.put(f"/api/events/{first['id']}/repeat", json={"frequency": "WEEKLY", "count": 4}).status == 200
    dates = events_of_series(cast.alice, first["id"])
    for date, name in zip(dates, ("gus", "hal", "ida", "jon"), strict=True):
        a_response(cast.anonymous, date, email_address=f"{name}-{date['id']}@example.org")
    assert cast.alice.put(f"/api/events/{first['id']}", json={"status": "postponed", "scope": "all", "status_note": "Flood"}).status == 200
    assert cast.alice.put(f"/api/events/{dates[3]['id']}", json={"status": "cancelled"}).status == 200
    assert replan(cast.alice, dates[1], start_time="2027-03-17T20:00", scope=scope) == 200
    after = [cast.alice.get(f"/api/events/{date['id']}").json for date in dates]
    assert [i for i, date in enumerate(after) if (date["status"], date["status_note"]) == ("planned", None)] == planned
    assert after[3]["status"] == "cancelled"
    assert [i for i, date in enumerate(dates) if asked(cast.alice, date)] == planned


def test_a_postponed_date_stays_so_if_the_series_moves_by_another_one(cast: Cast) -> None:
    first = an_event(cast.alice, public=True, start_time="2027-03-09T20:00")
    assert cast.alice.put(f"/api/events/{first['id']}/repeat", json={"frequency": "WEEKLY", "count": 2}).status == 200
    later = events_of_series(cast.alice, first["id"])[1]
    assert cast.alice.put(f"/api/events/{later['id']}", json={"status": "postponed"}).status == 200
    assert replan(cast.alice, first, start_time="2027-03-09T21:00", scope="all") == 200
    assert cast.alice.get(f"/api/events/{later['id']}").json["status"] == "postponed"


def test_each_of_several_events_asks_its_own_guests(cast: Cast) -> None:
    events = [a_postponed_event(cast, name) for name in ("gus", "hal")]
    assert replan(cast.alice, events[0], ids=[events[1]["id"]]) == 200
    assert [asked(cast.alice, event) for event in events] == [["gus"], ["hal"]]


def test_the_page_asks_too_and_a_date_in_the_past_asks_nobody(cast: Cast) -> None:
    event, past = a_postponed_event(cast, "gus"), a_postponed_event(cast, "hal")
    assert replan(cast.alice, past, start_time="2026-01-01T20:00") == 200
    assert asked(cast.alice, past) == []
    path = f"/events/{event['id']}"
    version = re.search('name="version" value="([^"]+)"', cast.alice.get(f"{path}/edit").text)
    assert version
    form = {"version": version[1], "status": "postponed", "start_time": "2027-07-01", "start_clock": "20:00"}
    assert cast.alice.post(path, data=form).redirect[1] == "saved"
    assert asked(cast.alice, event) == ["gus"]
    assert cast.alice.get(f"/api{path}").json["status"] == "planned"


def test_the_mail_asks_to_respond_again_unless_the_event_is_cancelled_meanwhile() -> None:
    settings = Settings(base_url="https://calendar.example.org", secret="s" * 32)
    delivery = a_delivery(kind="notice", subscriber_id=None)
    mail = message.mail(settings, delivery, a_row())
    body = mail.get_body(("plain",))
    assert body
    assert mail["Subject"] == "New date: Jazz"
    assert "This event has a new date. Can you come? Please respond again" in body.get_content()
    assert "somebody responded to this event with this address" in body.get_content()
    cancelled = message.mail(settings, delivery, a_row(status="cancelled"))
    text = cancelled.get_body(("plain",))
    assert text
    assert (cancelled["Subject"], "new date" in text.get_content()) == ("Cancelled: Jazz", False)


def test_the_worker_sends_the_notice_and_drops_that_of_a_deleted_event(cast: Cast, db: Database, settings: Settings) -> None:
    events = [a_postponed_event(cast, name) for name in ("gus", "hal")]
    for event in events:
        assert replan(cast.alice, event) == 200
    with db.read() as tx:
        ids = [int(tx.value("SELECT id FROM deliveries WHERE event_id = :id AND kind = 'notice'", id=event["id"])) for event in events]
    assert cast.alice.delete(f"/api/events/{events[1]['id']}").status == 200
    ctx = Context(db, settings, 0)
    with ctx.write():
        ctx.tx.run(f"UPDATE deliveries SET state = 'sending' WHERE id {db.in_list('ids')}", ids=ids)
        deliveries = [store.get(ctx, delivery_id) for delivery_id in ids]
    for delivery in deliveries:
        assert delivery
        sender.attempt(db, settings, delivery)
    with ctx.read():
        outcomes = [store.get(ctx, delivery_id) for delivery_id in ids]
    assert [(each.state, each.error) for each in outcomes if each] == [
        ("sent", None),
        ("failed", "The event was deleted before it was sent."),
    ]


def test_a_new_date_beyond_the_limit_on_announcements_is_not_saved(
    cast: Cast, db: Database, settings: Settings, clock: Clock, limited: Client
) -> None:
    event = a_postponed_event(cast, "gus", "hal")
    strict = structs.replace(settings, rate_limits="on", account_announcements_per_day=1)
    assert replan(Client(application(db, strict, clock), cast.alice.token), event) == 429
    assert (cast.alice.get(f"/api/events/{event['id']}").json["status"], asked(cast.alice, event)) == ("postponed", [])
    real = structs.replace(settings, email="smtp://127.0.0.1:1")
    assert replan(Client(application(db, real, clock), cast.alice.token), event) == 403


def test_a_flooded_address_is_not_asked_and_still_gets_notices_about_its_account(cast: Cast, db: Database, limited: Client) -> None:
    alice, bob = limited.signed_in(str(cast.alice.token)), limited.signed_in(str(cast.bob.token))
    event = an_event(cast.alice, public=True)
    a_response(cast.bob, event, email_address=cast.bob.email_address)
    path = f"/api/events/{event['id']}"
    for day in range(1, 13):
        assert alice.put(path, json={"status": "postponed"}).status == 200
        assert alice.put(path, json={"start_time": f"2027-07-{day:02}T20:00"}).status == 200
    assert len(asked(cast.alice, event)) == store.MAX_SENDS_PER_HOUR
    new_password = {"password": "another good one", "current_password": PASSWORD}
    assert bob.put(f"/api/users/{cast.bob.id}", json=new_password).status == 200
    with db.read() as tx:
        assert tx.value("SELECT notice FROM deliveries WHERE owner_id = :id AND notice IS NOT NULL", id=cast.bob.id) == "password_changed"
