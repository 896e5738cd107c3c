"""PUT /api/events/<id>/send_to_me: deliveries, recipients and limits."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from kalends.deliveries.store import MAX_SENDS_PER_HOUR
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
