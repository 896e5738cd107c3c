"""Pages of the owner's list of subscribers."""

import pytest

from tests.cast import Cast, a_response, an_event

pytestmark = pytest.mark.on_one_database


def test_the_list_shows_who_opted_in_and_to_what(cast: Cast) -> None:
    event = an_event(cast.alice, title="R&B night", public=True)
    gone = an_event(cast.alice, title="Cancelled", public=True)
    a_response(cast.anonymous, event, email_address="dana@example.org", opt_in=True)
    a_response(cast.anonymous, gone, email_address="eve@example.org", opt_in=True)
    cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"mobile_number": "+33612345678", "opt_in": True})
    cast.alice.delete(f"/api/events/{gone['id']}")
    page = cast.alice.get("/subscribers").text
    for text in ["3 subscribers", "dana@example.org", "R&amp;B night", "+33612345678", "text message", "eve@example.org", "“Cancelled”"]:
        assert text in page
    assert 'href="/api/subscribers.csv"' in page
    assert "dana@example.org" not in cast.carol.get("/subscribers").text


def test_an_empty_list_says_what_it_is_for(cast: Cast) -> None:
    assert 'class="empty"' in cast.alice.get("/subscribers").text


def test_removing_a_subscriber_asks_for_confirmation(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="dana@example.org", opt_in=True)
    listed = cast.alice.get("/api/subscribers").json["subscribers"]
    path = f"/subscribers/{listed[0]['id']}/delete"
    assert path in cast.alice.get("/subscribers").text
    assert "Remove dana@example.org?" in cast.alice.get(path).text
    assert len(cast.alice.get("/api/subscribers").json["subscribers"]) == 1
    assert cast.alice.post(path).redirect == ("/subscribers", "removed")
    assert cast.alice.get("/api/subscribers").json["subscribers"] == []
    assert cast.alice.get(path).status == 404
