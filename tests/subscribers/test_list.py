"""The list of subscribers: opting in, reading, unsubscribing."""

import csv
import io
from collections.abc import Callable

import pytest

from kalends.core.settings import Settings
from kalends.features.deliveries.rules.recipient_links import short_unsubscribe_url, unsubscribe_url
from tests.cast import Cast, a_response, an_event


def test_opting_in_puts_the_address_on_the_event_owners_list_once(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, title="Concert")
    for address in ("gus@example.org", "GUS@example.org"):
        a_response(cast.anonymous, event, email_address=address, opt_in=True)
    a_response(cast.anonymous, event, email_address="other@example.org")
    (listed,) = cast.alice.get("/api/subscribers").json["subscribers"]
    assert (listed["channel"], listed["address"], listed["event_id"], listed["source"]) == (
        "email",
        "gus@example.org",
        event["id"],
        "response",
    )
    assert "Concert" in listed["consent"]
    assert listed["consented_at"].endswith("Z")
    assert cast.bob.get("/api/subscribers").json["subscribers"] == []


def test_the_list_is_exported_as_csv(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org", opt_in=True)
    (row,) = csv.DictReader(io.StringIO(cast.alice.get("/api/subscribers.csv").text))
    assert (row["address"], row["source"]) == ("gus@example.org", "response")


def test_the_owner_deletes_a_subscriber(cast: Cast) -> None:
    a_response(cast.anonymous, an_event(cast.alice, public=True), email_address="gus@example.org", opt_in=True)
    (listed,) = cast.alice.get("/api/subscribers").json["subscribers"]
    assert cast.bob.delete(f"/api/subscribers/{listed['id']}").status == 404
    assert cast.alice.delete(f"/api/subscribers/{listed['id']}").json == {"deleted": [listed["id"]]}
    assert cast.alice.get("/api/subscribers?count=yes").json["total"] == 0


@pytest.mark.parametrize("link", [unsubscribe_url, short_unsubscribe_url])
def test_one_click_unsubscribes_without_an_account(cast: Cast, settings: Settings, link: Callable[[Settings, int], str]) -> None:
    a_response(cast.anonymous, an_event(cast.alice, public=True), email_address="gus@example.org", opt_in=True)
    (listed,) = cast.alice.get("/api/subscribers").json["subscribers"]
    path = link(settings, listed["id"]).removeprefix(settings.url)
    assert "Unsubscribe" in cast.anonymous.get(path).text
    assert len(cast.alice.get("/api/subscribers").json["subscribers"]) == 1
    for _ in range(2):
        assert cast.anonymous.post(path, data={"List-Unsubscribe": "One-Click"}).status == 200
    assert cast.alice.get("/api/subscribers").json["subscribers"] == []


def test_a_forged_link_unsubscribes_nobody(cast: Cast, settings: Settings) -> None:
    a_response(cast.anonymous, an_event(cast.alice, public=True), email_address="gus@example.org", opt_in=True)
    (listed,) = cast.alice.get("/api/subscribers").json["subscribers"]
    good = unsubscribe_url(settings, listed["id"]).rsplit("/", 1)[1]
    for token in (good[:-1], good + "x", f"{listed['id']}-", f"{listed['id'] + 1}-{good.partition('-')[2]}", "x", "²-a"):
        assert cast.anonymous.post(f"/unsubscribe/{token}").status == 404
    assert len(cast.alice.get("/api/subscribers").json["subscribers"]) == 1
