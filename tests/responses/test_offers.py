"""Offers of the waiting list: until when they are reserved, how they lapse, and the mail about places."""

import re
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.app.worker import lapse_offers
from kalends.core.settings import Settings
from kalends.core.values import datetimes, timestamps
from kalends.db import Database
from kalends.features.deliveries import store
from kalends.features.responses.rules.waiting_list import offer_end
from kalends.http.context import Context
from kalends.mail import mail, sender
from tests.cast import Cast, a_response, an_event, verified
from tests.conftest import Clock
from tests.responses.guest_browser import GuestBrowser
from tests.responses.mail import links_in, mails_about, text_of, token_of

pytestmark = pytest.mark.on_one_database

MORNING = 1_780_045_200  # 29 May 2026, 09:00 UTC
HOUR = 3600


@given(
    st.integers(0, 10**6), st.integers(1, 336), st.integers(2 * HOUR, 10**7), st.sampled_from(["UTC", "America/New_York", "Asia/Kolkata"])
)
def test_an_offer_ends_by_day_and_an_hour_before_the_start(later: int, hours: int, until_start: int, zone: str) -> None:
    now = MORNING + later
    start_at = now + until_start
    end = offer_end(now, hours, start_at, zone)
    assert now < end <= start_at - HOUR
    is_by_day = 8 <= datetimes.to_local(end, zone).hour < 22
    assert is_by_day or end == start_at - HOUR
    assert end >= min(now + hours * HOUR, start_at - HOUR)
    assert end <= now + (hours + 10) * HOUR


def _offered(cast: Cast, db: Database, clock: Clock, **fields: Any) -> dict[str, Any]:
    """An event whose only place is offered to Carol, and for which Dave waits."""
    clock.now = MORNING
    hall = {"public": True, "time_zone": "UTC", "start_time": "2026-06-01T20:00", "capacity": 1, "waiting_list": "offer", "offer_hours": 2}
    event = an_event(cast.alice, **(hall | fields))
    first = a_response(cast.alice, event)["id"]
    for person in (cast.carol, cast.dave):
        a_response(verified(db, person), event)
    assert cast.alice.delete(f"/api/responses/{first}").status == 200
    return event


def _places(cast: Cast, event: dict[str, Any]) -> list[str]:
    responses = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return [each["place"]["place"] for each in responses]


def test_the_worker_takes_back_offers_and_offers_the_place_to_the_next(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = _offered(cast, db, clock)
    assert _places(cast, event) == ["offered", "waiting"]
    lapse_offers(Context(db, settings, clock()))
    assert _places(cast, event) == ["offered", "waiting"]
    clock.ahead(2 * HOUR)
    lapse_offers(Context(db, settings, clock()))
    assert _places(cast, event) == ["lapsed", "offered"]


def test_no_place_is_offered_in_the_last_hour_and_whoever_asks_gets_it(cast: Cast, db: Database, clock: Clock) -> None:
    event = _offered(cast, db, clock, start_time="2026-05-29T11:30")
    clock.now = MORNING + int(1.6 * HOUR)
    assert _places(cast, event) == ["lapsed", "waiting"]
    assert a_response(cast.bob, event)["place"]["place"] == "held"
    assert _places(cast, event) == ["lapsed", "waiting", "held"]


def test_only_a_yes_takes_an_offer_or_a_new_place(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = _offered(cast, db, clock)
    response_id = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"][0]["id"]
    path = f"/api/responses/{response_id}"
    link = f"/r/{token_of(db, settings, response_id)}"
    form = {"number": "1", "plus_n": "0", "name": "Carol", "comment": "By the page"}
    for later, state in ((0, "offered"), (2 * HOUR, "lapsed")):
        clock.ahead(later)
        assert cast.carol.put(path, json={"comment": "Soon"}).json["place"]["place"] == state
        # No choice is made on the pages, so that only what was changed is saved.
        for page, client in ((link, cast.anonymous), (f"/responses/{response_id}/edit", cast.carol)):
            assert not re.search(r'name="response" value="\w+" checked', client.get(page).text), page
            assert client.post(page, data=form).status == 303
        stored = cast.carol.get(path).json
        assert (stored["comment"], stored["place"]["place"]) == ("By the page", state)
        assert 'value="YES">Yes, I’m coming' in cast.anonymous.get(f"{link}?response=YES").text
    lapse_offers(Context(db, settings, clock()))
    assert cast.carol.put(path, json={"response": "YES"}).json["place"]["place"] == "waiting"


def test_nothing_says_that_a_guest_goes_who_has_only_an_offer(
    cast: Cast, db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timestamps, "now", clock)
    event = _offered(cast, db, clock)
    mails_about(db, settings, event["id"])
    response_id = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"][0]["id"]
    link = f"/r/{token_of(db, settings, response_id)}"
    reserved = "a spot is reserved for you until 29 May 2026, 11:00 (UTC)"
    assert cast.anonymous.post(link, data={"name": "Hana", "number": "1", "plus_n": "0"}).status == 303
    (message,) = mails_about(db, settings, event["id"])
    assert message["Subject"] == "A spot is free for you: Concert"
    assert reserved in text_of(message)
    assert f"{link}?response=YES" in links_in(message)
    page = cast.anonymous.get(f"{link}?response=YES").text
    assert "Now: Going" not in page
    assert page.count("Not taken yet: 1 spot is reserved for you until 29 May 2026, 11:00 (UTC).") == 2

    assert cast.alice.put(f"/api/responses/{response_id}", json={"name": "Hanna"}).status == 200
    (message,) = mails_about(db, settings, event["id"])
    assert (message["Subject"], reserved in text_of(message)) == ("Your RSVP was changed: Concert", True)

    clock.ahead(2 * HOUR)
    assert cast.anonymous.post(link, data={"name": "Hana Voss"}).status == 303
    sent = [message["Subject"] for message in mails_about(db, settings, event["id"]) if message["To"] == cast.carol.email_address]
    assert set(sent) == {"Your reserved spot has expired: Concert"}
    assert "Now: Offer expired." in cast.anonymous.get(f"{link}?response=YES").text


def test_the_page_of_the_event_has_the_button_that_takes_the_offer(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = _offered(cast, db, clock)
    path = f"/events/{event['id']}"
    response_id = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"][0]["id"]
    link = f"/r/{token_of(db, settings, response_id)}"
    guest = GuestBrowser(cast.anonymous)
    guest.post(link, name="Carol")
    for page, action in ((guest.get(path).text, link), (cast.carol.get(path).text, f"{path}/respond")):
        ticket = page.partition('id="ticket"')[2].partition("</section>")[0]
        assert "Not taken yet: 1 spot is reserved for you until" in ticket
        [form] = re.findall(f'<form method="post" action="{action}">(.*?)</form>', ticket, re.DOTALL)
        assert 'name="response" value="YES">Yes, I’m coming' in form
    assert cast.carol.post(f"{path}/respond", data={"response": "YES"}).status == 303
    assert _places(cast, event) == ["held", "waiting"]
    assert "Yes, I’m coming" not in guest.get(path).text


def test_guests_are_notified_of_their_places(
    cast: Cast, db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timestamps, "now", clock)
    messages: list[EmailMessage] = []
    monkeypatch.setattr(mail, "send", lambda settings, message, address, **_: messages.append(message))
    event = _offered(cast, db, clock)
    clock.ahead(2 * HOUR)
    lapse_offers(Context(db, settings, clock()))
    a_response(cast.carol, event)
    ctx = Context(db, settings, clock())
    with ctx.read() as tx:
        ids = [row[0] for row in tx.rows("SELECT id FROM deliveries WHERE event_id = :id AND kind = 'notice' ORDER BY id", id=event["id"])]
        deliveries = [delivery for delivery in (store.get(ctx, each) for each in ids) if delivery]
    for delivery in deliveries:
        sender.attempt(db, settings, delivery)
    assert [(delivery.notice, delivery.address) for delivery in deliveries] == [
        ("place_offered", cast.carol.email_address),
        ("place_lapsed", cast.carol.email_address),
        ("place_offered", cast.dave.email_address),
    ]
    # The offer to Carol was over before it could be sent.
    assert [message["Subject"] for message in messages] == ["Your reserved spot has expired: Concert", "A spot is free for you: Concert"]
    body = messages[1].get_body(("plain",))
    assert body
    assert "a spot is reserved for you until 29 May 2026, 13:00" in " ".join(body.get_content().split())
    link = re.search(r"Take the spot: http://testserver(/r/[^?\s]+)", body.get_content())
    assert link
    page = cast.anonymous.get(link[1]).text
    assert page.count("Not taken yet: 1 spot is reserved for you until 29 May 2026, 13:00 (UTC).") == 2
    assert cast.anonymous.post(link[1], data={"response": "YES", "number": "1", "plus_n": "0"}).status == 303
    assert "1 spot is yours." in cast.anonymous.get(link[1]).text
    listed = cast.alice.get(f"/api/deliveries?event_id={event['id']}").json["deliveries"]
    assert [each["notice"] for each in listed if each["kind"] == "notice"] == ["place_offered", "place_lapsed", "place_offered"]


def test_an_offer_still_ends_after_an_editor_made_the_party_smaller(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    clock.now = MORNING
    hall = {"capacity": 4, "waiting_list": "offer", "offer_hours": 2}
    event = an_event(cast.alice, public=True, time_zone="UTC", start_time="2026-06-01T20:00", **hall)
    first = a_response(cast.alice, event, number=4)["id"]
    waiting = a_response(cast.carol, event, number=4)["id"]
    assert cast.alice.delete(f"/api/responses/{first}").status == 200
    until = cast.alice.get(f"/api/responses/{waiting}").json["place"]["offer_until"]
    place = cast.alice.put(f"/api/responses/{waiting}", json={"number": 3}).json["place"]
    assert (place["place"], place["offered"], place["offer_until"]) == ("offered", 3, until)
    assert cast.alice.get(f"/api/responses/{waiting}").json["place"] == place
    clock.ahead(2 * HOUR)
    lapse_offers(Context(db, settings, clock()))
    assert _places(cast, event) == ["lapsed"]
    assert cast.alice.get(f"/api/events/{event['id']}").json["places"]["free"] == 4


@pytest.mark.parametrize("capacity", [1, 5])
def test_strangers_change_nothing_of_an_offer(cast: Cast, db: Database, settings: Settings, clock: Clock, capacity: int) -> None:
    """They cause the statements of a newcomer, so that the time does not tell them whether an address has responded."""
    people = [verified(db, cast.carol), verified(db, cast.dave)]
    event = _offered(cast, db, clock)
    assert cast.alice.put(f"/api/events/{event['id']}", json={"capacity": capacity}).status == 200
    for later in (0, 2 * HOUR):
        clock.ahead(later)
        lapse_offers(Context(db, settings, clock()))
        before = _seats(db, event)
        for person in people:
            a_response(cast.anonymous, event, email_address=person.email_address)
        assert _seats(db, event) == before


def _seats(db: Database, event: dict[str, Any]) -> list[tuple[Any, ...]]:
    stored = "held, offered, offer_until, queued_at, queued_for, forced"
    with db.read() as tx:
        rows = tx.rows(f"SELECT {stored} FROM responses WHERE event_id = :id ORDER BY id", id=event["id"])
        return [*rows, *tx.rows("SELECT taken, waiting, ceiling FROM response_settings WHERE event_id = :id", id=event["id"])]
