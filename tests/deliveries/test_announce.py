"""PUT /api/events/<id>/announce: to everyone on the owner's list, once."""

from kalends.core.settings import Settings
from tests.cast import Cast, a_calendar, a_response, an_event, shared
from tests.subscribers.confirmations import confirmed


def test_everyone_on_the_owners_list_gets_the_event_once(cast: Cast, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org", opt_in=True)
    cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"mobile_number": "+33612345678", "opt_in": True})
    other = an_event(cast.bob, public=True)
    a_response(cast.anonymous, other, email_address="elsewhere@example.org", opt_in=True)

    confirmed(cast.alice, settings, "gus@example.org", "+33612345678")
    confirmed(cast.bob, settings, "elsewhere@example.org")

    announced = cast.alice.put(f"/api/events/{event['id']}/announce")
    assert (announced.status, announced.json) == (202, {"queued": 2})
    assert cast.alice.put(f"/api/events/{event['id']}/announce").json == {"queued": 0}
    a_response(cast.anonymous, event, email_address="late@example.org", opt_in=True)
    confirmed(cast.alice, settings, "late@example.org")
    assert cast.alice.put(f"/api/events/{event['id']}/announce").json == {"queued": 1}

    listed = cast.alice.get(f"/api/deliveries?event_id={event['id']}").json["deliveries"]
    assert sorted((d["kind"], d["channel"], d["address"]) for d in listed if d["kind"] not in ("confirm", "response")) == [
        ("announce", "email", "gus@example.org"),
        ("announce", "email", "late@example.org"),
        ("announce", "sms", "+33612345678"),
        ("send_to_me", "sms", "+33612345678"),
    ]


def test_an_editor_announces_to_the_list_of_the_events_owner(cast: Cast, settings: Settings) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=calendar["id"], public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org", opt_in=True)
    confirmed(cast.alice, settings, "gus@example.org")
    assert cast.bob.put(f"/api/events/{event['id']}/announce").json == {"queued": 1}
    assert cast.bob.get("/api/deliveries").json["deliveries"] == []
    assert cast.alice.get("/api/deliveries").json["deliveries"][0]["address"] == "gus@example.org"


def test_events_are_not_announced_to_unsubscribed_addresses(cast: Cast, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org", opt_in=True)
    confirmed(cast.alice, settings, "gus@example.org")
    [subscriber] = cast.alice.get("/api/subscribers").json["subscribers"]
    cast.alice.delete(f"/api/subscribers/{subscriber['id']}")
    assert cast.alice.put(f"/api/events/{event['id']}/announce").json == {"queued": 0}


def test_an_event_that_the_public_cannot_see_is_not_announced(cast: Cast, settings: Settings) -> None:
    a_response(cast.anonymous, an_event(cast.alice, public=True), email_address="gus@example.org", opt_in=True)
    confirmed(cast.alice, settings, "gus@example.org")
    dentist = an_event(cast.alice, title="Dentist", public=False)
    path = f"/events/{dentist['id']}"
    refused = cast.alice.put(f"/api{path}/announce")
    assert (refused.status, "Make this event public" in refused.json["detail"]) == (409, True)
    assert "Only public events can be announced" in cast.alice.get(f"{path}/announce").text
    assert cast.alice.post(f"{path}/announce").status == 409
    assert f'class="button" href="{path}/announce"' not in cast.alice.get(path).text
    assert cast.alice.get(f"/api/deliveries?event_id={dentist['id']}").json["deliveries"] == []


def test_the_page_shows_a_preview_and_the_number_of_recipients(cast: Cast, settings: Settings) -> None:
    event = an_event(cast.alice, title="R&B night", location="Blue Note", public=True)
    for name in ("gus", "hal", "ida"):
        a_response(cast.anonymous, event, email_address=f"{name}@example.org", opt_in=True)
    confirmed(cast.alice, settings, "gus@example.org", "hal@example.org")
    path = f"/events/{event['id']}/announce"
    page = cast.alice.get(path).text
    for text in (
        "Send to 2 people?",
        "R&amp;B night",
        "Blue Note",
        f"{settings.url}/events/{event['id']}",
        "subscribed to events by Alice",
    ):
        assert text in page
    assert len([d for d in cast.alice.get("/api/deliveries").json["deliveries"] if d["kind"] == "announce"]) == 0
    assert cast.alice.post(path).redirect == (f"/events/{event['id']}", "announced.2")
    assert "Nobody to send it to" in cast.alice.get(path).text
    assert cast.alice.post(path).redirect == (f"/events/{event['id']}", "announced.0")
