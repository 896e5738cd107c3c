"""Forgetting a guest: what is erased with the response, and what stays."""

from typing import Any
from uuid import uuid4

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_comment, a_response, an_event, verified
from tests.responses.mail import mails_about, token_of
from tests.stored_data import find_texts

GUS = "gus-the-guest@example.org"


def _guest(cast: Cast, db: Database, settings: Settings) -> tuple[dict[str, Any], int]:
    """A guest who was invited, responded, commented, subscribed and got messages."""
    verified(db, cast.alice)
    event = an_event(cast.alice, public=True, start_time="2037-06-01T20:00")
    assert cast.alice.post(f"/api/events/{event['id']}/invitations", json={"addresses": [GUS]}).status in (200, 201, 202)
    a_response(cast.anonymous, event, email_address=GUS, name="Gus Guest", comment="Yes", opt_in=True)
    a_comment(cast.anonymous, event, email_address=GUS, name="Gus Guest", comment="See you")
    assert cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": GUS}).status == 202
    mails_about(db, settings, event["id"])
    (response,) = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return event, response["id"]


def test_forgetting_with_comments_leaves_nothing_of_the_guest(cast: Cast, db: Database, settings: Settings) -> None:
    event, response_id = _guest(cast, db, settings)
    link = f"/r/{token_of(db, settings, response_id)}"
    assert 'name="erase_comments"' in cast.anonymous.get(link).text
    reply = cast.anonymous.post(f"{link}/forget", data={"erase_comments": "true"})
    assert (reply.status, "Your comments on this event are deleted, too." in reply.text) == (200, True)
    assert find_texts(db, GUS, "Gus Guest") == set()
    history = cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"]
    assert not [each for each in history if each["kind"] in ("comment", "response")]
    # A hash of the address stays, so that the organiser cannot invite it again.
    again = cast.alice.post(f"/api/events/{event['id']}/invitations", json={"addresses": [GUS]})
    assert again.json["skipped"] == 1
    assert find_texts(db, GUS) == set()
    assert cast.alice.get(f"/events/{event['id']}/invitations").status == 200


def test_comments_stay_unless_the_guest_says_so(cast: Cast, db: Database, settings: Settings) -> None:
    _, response_id = _guest(cast, db, settings)
    token = token_of(db, settings, response_id)
    assert cast.alice.delete(f"/api/responses/{response_id}", json={"erase": True}).status == 403
    assert cast.anonymous.delete(f"/api/responses/{response_id}", json={"token": token, "erase": True}).status == 200
    assert {table for table, _ in find_texts(db, GUS, "Gus Guest")} == {"comments"}


def test_the_page_says_that_comments_stay(cast: Cast, db: Database, settings: Settings) -> None:
    _, response_id = _guest(cast, db, settings)
    reply = cast.anonymous.post(f"/r/{token_of(db, settings, response_id)}/forget", data={})
    assert (reply.status, "Comments that you wrote on this event stay" in reply.text) == (200, True)


@pytest.mark.parametrize("by", ["page", "api"])
def test_forgetting_erases_all_dates_of_a_series(cast: Cast, db: Database, settings: Settings, by: str) -> None:
    gus, other = f"gus-{uuid4().hex}@example.org", f"{uuid4().hex}@example.org"
    event = an_event(verified(db, cast.alice), public=True, start_time="2037-06-01T20:00")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 4})
    a_response(cast.anonymous, event, email_address=gus, comment="Yes", scope="all")
    a_response(cast.anonymous, event, email_address=other, scope="all")
    mails_about(db, settings, event["id"])
    assert (_dates(db, gus), _dates(db, other)) == (4, 4)
    rows = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    [response_id] = [row["id"] for row in rows if row["email_address"] == gus]
    token = token_of(db, settings, response_id)
    if by == "page":
        assert cast.anonymous.post(f"/r/{token}/forget", data={}).status == 200
    else:
        assert cast.anonymous.delete(f"/api/responses/{response_id}", json={"token": token, "erase": True}).status == 200
    assert find_texts(db, gus) == set()
    assert (_dates(db, gus), _dates(db, other)) == (0, 4)


def _dates(db: Database, address: str) -> int:
    with db.read() as tx:
        return int(tx.value("SELECT count(*) FROM responses WHERE email_address = :address", address=address))
