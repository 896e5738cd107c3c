"""A postponed event with a new date: those who said yes or maybe are asked again, within the limits on messages."""

import re
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.deliveries import store
from tests.cast import PASSWORD, Cast, a_response, an_event
from tests.client import Client
from tests.conftest import Clock
from tests.events.series import events_of_series
from tests.responses.mail import mails_about, text_of

pytestmark = pytest.mark.on_one_database

NEW_DATE = {"start_time": "2027-07-01T20:00"}


def a_postponed_event(cast: Cast, *names: str, **fields: Any) -> dict[str, Any]:
    """An event to which people of these names have responded YES, before it was postponed."""
    event = an_event(cast.alice, public=True, **fields)
    for name in names:
        a_response(cast.anonymous, event, email_address=f"{name}-{event['id']}@example.org")
    assert cast.alice.put(f"/api/events/{event['id']}", json={"status": "postponed", "notify": "none"}).status == 200
    return event


def asked(owner: Client, event: dict[str, Any]) -> list[str]:
    """The names of those who are notified of a change."""
    listed = owner.get(f"/api/deliveries?event_id={event['id']}").json["deliveries"]
    return sorted(each["address"].partition("-")[0] for each in listed if each["kind"] == "change")


def replan(owner: Client, event: dict[str, Any], **fields: Any) -> int:
    return owner.put(f"/api/events/{event['id']}", json=NEW_DATE | fields).status


def test_those_who_said_yes_or_maybe_are_asked_to_respond_again(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    for name, response in {"gus": "YES", "hal": "MAYBE", "ida": "NO"}.items():
        a_response(cast.anonymous, event, email_address=f"{name}-{event['id']}@example.org", response=response)
    assert cast.alice.put(f"/api/events/{event['id']}", json={"status": "postponed", "notify": "none"}).status == 200
    assert replan(cast.alice, event) == 200
    assert asked(cast.alice, event) == ["gus", "hal"]
    mails = [mail for mail in mails_about(db, settings, event["id"]) if mail["Subject"] == "New date: Concert"]
    assert len(mails) == 2
    assert "Please RSVP again" in text_of(mails[0])
    assert "changed" in cast.alice.get("/deliveries").text


def test_a_date_of_a_series_asks_only_those_who_responded_to_it(cast: Cast) -> None:
    first = an_event(cast.alice, public=True, start_time="2027-03-09T20:00")
    assert cast.alice.put(f"/api/events/{first['id']}/repeat", json={"frequency": "WEEKLY", "count": 3}).status == 200
    series = cast.alice.get(f"/api/events/{first['id']}").json["series_id"]
    dates = cast.alice.get(f"/api/events?series_id={series}").json["events"]
    for date, name in zip(dates, ("gus", "hal", "ida"), strict=True):
        a_response(cast.anonymous, date, email_address=f"{name}-{date['id']}@example.org")
    assert cast.alice.put(f"/api/events/{first['id']}", json={"status": "postponed", "scope": "all", "notify": "none"}).status == 200
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
    postponed = {"status": "postponed", "scope": "all", "status_note": "Flood", "notify": "none"}
    assert cast.alice.put(f"/api/events/{first['id']}", json=postponed).status == 200
    assert cast.alice.put(f"/api/events/{dates[3]['id']}", json={"status": "cancelled", "notify": "none"}).status == 200
    assert replan(cast.alice, dates[1], start_time="2027-03-17T20:00", scope=scope) == 200
    after = [cast.alice.get(f"/api/events/{date['id']}").json for date in dates]
    assert [i for i, date in enumerate(after) if (date["status"], date["status_note"]) == ("planned", None)] == planned
    assert after[3]["status"] == "cancelled"
    assert [i for i, date in enumerate(dates[:3]) if asked(cast.alice, date)] == planned


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
    first = cast.alice.post(path, data=form)
    assert (first.status, "Email 1 person about the new time?" in first.text) == (200, True)
    assert asked(cast.alice, event) == []
    assert cast.alice.post(path, data=form | {"notify": "auto", "message": "At last"}).redirect[1] == "event-saved.1"
    assert asked(cast.alice, event) == ["gus"]
    assert cast.alice.get(f"/api{path}").json["status"] == "planned"


def test_a_new_date_beyond_the_limit_on_announcements_is_not_saved(
    cast: Cast, db: Database, settings: Settings, clock: Clock, limited: Client
) -> None:
    event = a_postponed_event(cast, "gus", "hal")
    strict = structs.replace(settings, rate_limits="on", account_announcements_per_day=1)
    assert replan(Client(application(db, strict, clock), cast.alice.token), event) == 429
    assert (cast.alice.get(f"/api/events/{event['id']}").json["status"], asked(cast.alice, event)) == ("postponed", [])
    real = structs.replace(settings, email="smtp://127.0.0.1:1")
    reply = Client(application(db, real, clock), cast.alice.token).put(f"/api/events/{event['id']}", json=NEW_DATE)
    assert reply.json["notified"] == {"email": 0, "sms": 0, "skipped": 2}
    assert replan(Client(application(db, real, clock), cast.alice.token), event, title="Told", notify="going") == 403


def test_a_flooded_address_is_not_notified_and_still_gets_notices_about_its_account(cast: Cast, db: Database, limited: Client) -> None:
    alice, bob = limited.signed_in(str(cast.alice.token)), limited.signed_in(str(cast.bob.token))
    notified = []
    for _ in range(store.MAX_SENDS_PER_HOUR + 2):
        event = an_event(cast.alice, public=True)
        a_response(cast.bob, event, email_address=cast.bob.email_address)
        notified.append(alice.put(f"/api/events/{event['id']}", json={"start_time": "2027-07-01T20:00"}).json["notified"])
    assert [each["email"] for each in notified] == [1] * store.MAX_SENDS_PER_HOUR + [0] * 2
    assert notified[-1]["skipped"] == 1
    new_password = {"password": "another good one", "current_password": PASSWORD}
    assert bob.put(f"/api/users/{cast.bob.id}", json=new_password).status == 200
    with db.read() as tx:
        assert tx.value("SELECT notice FROM deliveries WHERE owner_id = :id AND notice IS NOT NULL", id=cast.bob.id) == "password_changed"
