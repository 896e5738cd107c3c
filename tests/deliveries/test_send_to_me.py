"""PUT /api/events/<id>/send_to_me: deliveries, recipients and limits."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries import store
from kalends.features.deliveries.store import MAX_SENDS_PER_HOUR
from kalends.http.context import Context
from kalends.mail.sender import attempt
from tests.cast import Cast, an_event
from tests.client import Client
from tests.conftest import Clock

pytestmark = pytest.mark.on_one_database


def test_both_addresses_get_a_delivery(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    response = cast.anonymous.put(
        f"/api/events/{event['id']}/send_to_me", json={"email": "Gus@Example.org", "mobile_number": "+33 6 12 34 56 78"}
    )
    assert response.status == 202
    first, second = response.json["deliveries"]
    assert (first["channel"], first["address"], first["state"]) == ("email", "Gus@example.org", "queued")
    assert (second["channel"], second["address"], second["state"]) == ("sms", "+33612345678", "queued")
    listed = cast.alice.get("/api/deliveries").json["deliveries"]
    assert [delivery["id"] for delivery in listed] == [second["id"], first["id"]]


def test_at_least_one_address_is_needed(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    response = cast.anonymous.put(f"/api/events/{event['id']}/send_to_me")
    assert (response.status, response.broken) == (422, ["email"])


@pytest.mark.parametrize("number", ["06 12 34 56 78", "call me", "+33 6", "+999 123456789"])
def test_a_number_without_its_country_cannot_be_dialled(cast: Cast, number: str) -> None:
    event = an_event(cast.alice)
    response = cast.alice.put(f"/api/events/{event['id']}/send_to_me", json={"email": "gus@example.org", "mobile_number": number})
    assert (response.status, response.broken) == (422, ["mobile_number"])
    assert cast.alice.get("/api/deliveries").json["deliveries"] == []


@pytest.mark.parametrize(
    "number",
    ["+33 1 12 34 56 78", "+33 899 12 34 56", "+1 900 234 5678", "+44 7012 345678", "+881 3 0000 0001", "+870 773 111632"],
    ids=["fixed line", "premium rate", "premium rate in the US", "personal number", "satellite", "ship"],
)
def test_only_mobile_phones_of_a_country_get_sms(cast: Cast, number: str) -> None:
    event = an_event(cast.alice, public=True)
    for person in (cast.anonymous, cast.alice):
        response = person.put(f"/api/events/{event['id']}/send_to_me", json={"mobile_number": number})
        assert (response.status, response.broken) == (422, ["mobile_number"])
    # Where the number does not tell which phone it is.
    assert cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"mobile_number": "+1 212 555 0123"}).status == 202


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({"sms_countries": "FR,DE"}, ["+33612345678", "+491711234567"]),
        ({"sms_countries": "*"}, ["+33612345678", "+491711234567", "+12125550123"]),
        ({"time_zone": "America/New_York"}, ["+12125550123"]),
        ({"time_zone": "Europe/Berlin", "sms_countries": "FR"}, ["+33612345678"]),
        ({"sms": "twilio://a:b@127.0.0.1?from=+15005550006"}, []),
    ],
    ids=["set", "all", "of the time zone", "not of the time zone", "no country and a real gateway"],
)
def test_sms_go_to_the_allowed_countries(
    cast: Cast, db: Database, settings: Settings, clock: Clock, changes: dict[str, str], allowed: list[str]
) -> None:
    event = an_event(cast.alice, public=True)
    client = Client(application(db, structs.replace(settings, **changes), clock))
    sent = []
    for number in ("+33612345678", "+491711234567", "+12125550123"):
        response = client.put(f"/api/events/{event['id']}/send_to_me", json={"mobile_number": number})
        assert response.status == 202 or (response.status, response.broken) == (422, ["mobile_number"])
        sent += [number] if response.status == 202 else []
    assert sent == allowed


def test_an_sms_that_waits_is_not_sent_to_a_country_that_is_not_allowed(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    path = f"/api/events/{event['id']}/send_to_me"
    (queued,) = cast.anonymous.put(path, json={"mobile_number": "+491711234567"}).json["deliveries"]
    ctx = Context(db, settings, timestamps.now())
    with ctx.write() as tx:
        tx.run("UPDATE deliveries SET state = 'sending', attempts = 1 WHERE id = :id", id=queued["id"])
        delivery = store.get(ctx, queued["id"])
    assert delivery is not None
    attempt(db, structs.replace(settings, sms_countries="FR"), delivery)
    (listed,) = cast.alice.get(f"/api/deliveries?event_id={event['id']}").json["deliveries"]
    assert (listed["state"], listed["error"]) == ("failed", "SMS are sent to mobile phones in the allowed countries alone.")


def test_opting_in_is_recorded_for_each_address(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    addresses = {"email": "gus@example.org", "mobile_number": "+33612345678"}
    cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json=addresses)
    assert cast.alice.get("/api/subscribers").json["subscribers"] == []
    cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json=addresses | {"opt_in": "yes"})
    listed = cast.alice.get("/api/subscribers").json["subscribers"]
    assert [(s["channel"], s["address"], s["source"], s["event_id"]) for s in listed] == [
        ("email", "gus@example.org", "send_to_me", event["id"]),
        ("sms", "+33612345678", "send_to_me", event["id"]),
    ]


def test_deliveries_are_for_those_who_may_edit_the_event(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    cast.carol.put(f"/api/events/{event['id']}/send_to_me", json={"email": "canary@example.org"})
    assert "canary" not in cast.carol.get("/api/deliveries").text
    assert cast.carol.get(f"/api/deliveries?event_id={event['id']}").status == 403
    assert "canary" in cast.alice.get(f"/api/deliveries?event_id={event['id']}").text


def test_the_list_is_paged_and_filtered_by_state(cast: Cast) -> None:
    event = an_event(cast.alice)
    for number in range(3):
        cast.alice.put(f"/api/events/{event['id']}/send_to_me", json={"email": f"g{number}@example.org"})
    first = cast.alice.get("/api/deliveries?limit=2&count=true&state=queued").json
    assert ([d["address"] for d in first["deliveries"]], first["total"]) == (["g2@example.org", "g1@example.org"], 3)
    assert [d["address"] for d in cast.alice.get(first["next"]).json["deliveries"]] == ["g0@example.org"]
    assert cast.alice.get("/api/deliveries?state=sent").json["deliveries"] == []


def test_nobody_can_flood_an_address(cast: Cast, limited: Client, clock: Clock) -> None:
    event = an_event(cast.alice, public=True)
    path = f"/api/events/{event['id']}/send_to_me"
    victim = f"{cast.alice.user_name}@victim.example"
    for _ in range(MAX_SENDS_PER_HOUR):
        assert limited.put(path, json={"email": victim}).status == 202
    refused = limited.put(path, json={"email": victim.upper()})
    assert refused.status == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert limited.put(path, json={"email": f"other-{victim}"}).status == 202
    clock.ahead(3601)
    assert limited.put(path, json={"email": victim}).status == 202


@pytest.mark.parametrize(
    ("address", "same"),
    [
        ("gus{0}+a@example.org", "gus{0}+b+c@EXAMPLE.org"),
        ("gus{0}@münchen.example", "GUS{0}@xn--mnchen-3ya.example"),
        ("élodie{0}@example.org", "E\u0301LODIE{0}@example.org"),
    ],
)
def test_other_ways_to_write_an_address_reach_the_same_mailbox(cast: Cast, limited: Client, address: str, same: str) -> None:
    event = an_event(cast.alice, public=True)
    path = f"/api/events/{event['id']}/send_to_me"
    address, same = address.format(cast.alice.id), same.format(cast.alice.id)
    for _ in range(MAX_SENDS_PER_HOUR):
        assert limited.put(path, json={"email": address}).status == 202
    assert limited.put(path, json={"email": same}).status == 429


def test_concurrent_requests_cannot_exceed_the_limit_of_an_address(cast: Cast, limited: Client) -> None:
    event = an_event(cast.alice, public=True)
    address = f"busy{cast.alice.id}@example.org"
    with ThreadPoolExecutor(20) as threads:
        requests = [threads.submit(limited.put, f"/api/events/{event['id']}/send_to_me", json={"email": address}) for _ in range(20)]
    assert Counter(response.result().status for response in requests) == {202: MAX_SENDS_PER_HOUR, 429: 20 - MAX_SENDS_PER_HOUR}


def test_without_an_address_the_event_is_sent_to_the_users_own(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)["id"]
    reply = cast.bob.put(f"/api/events/{event}/send_to_me")
    assert (reply.status, [each["address"] for each in reply.json["deliveries"]]) == (202, [cast.bob.email_address])
    assert cast.anonymous.put(f"/api/events/{event}/send_to_me").broken == ["email"]
