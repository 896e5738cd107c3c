"""DELETE /api/users/<id> with and without erase=true: which rows still have the person's name or address."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from kalends.core.settings import Settings
from tests.cast import PASSWORD, Cast, Person, a_calendar, a_comment, a_response, an_event, shared, verified
from tests.http.stored_rows import FreshService, fresh_service
from tests.responses.mail import mails_about
from tests.stored_data import find_texts

NAME = "Zebedee Quixote"


@pytest.fixture(scope="module")
def apart(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FreshService]:
    """A service on a database of its own, since all of it is read."""
    with fresh_service(settings, tmp_path_factory.mktemp("erase")) as service:
        yield service


def _a_life(apart: FreshService) -> Person:
    """Someone who was invited, responded, commented, subscribed, got messages, and shares a calendar."""
    cast, db = Cast(apart.guest), apart.db
    zeb = verified(db, Person(cast.anonymous, "zeb"))
    assert zeb.put(f"/api/users/{zeb.id}", json={"name": NAME}).status == 200
    verified(db, cast.alice)
    calendar = a_calendar(cast.alice, public=True, moderation="none")
    shared(cast.alice, calendar, zeb, "editor")
    assert cast.alice.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": zeb.email_address, "role": "viewer"}).status == 200
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time="2037-06-01T20:00", capacity=9, waiting_list="auto")
    invited = cast.alice.post(f"/api/events/{event['id']}/invitations", json={"addresses": [zeb.email_address], "message": "Come"})
    assert invited.status in (200, 201, 202), invited
    a_response(zeb, event, name=NAME, comment="With pleasure", opt_in=True)
    response = a_response(zeb, event, name=NAME, comment="With more pleasure")
    cast.alice.put(f"/api/responses/{response['id']}", json={"comment": "Corrected"})
    comment = a_comment(zeb, event, name=NAME, comment="See you")
    zeb.put(f"/api/comments/{comment['id']}", json={"comment": "See you there"})
    deleted = a_comment(zeb, event, name=NAME, comment="Sorry")
    assert zeb.delete(f"/api/comments/{deleted['id']}").status == 200
    a_comment(cast.anonymous, event, email_address=zeb.email_address, name=NAME)
    a_response(cast.anonymous, event, email_address=zeb.email_address, response="NO")
    assert cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": zeb.email_address}).status == 202
    sent = cast.alice.post(f"/api/events/{event['id']}/messages", json={"to": ["going"], "subject": "Chairs", "text": "Bring one."})
    assert sent.status == 202, sent
    mails_about(db, apart.settings, event["id"])
    own = an_event(zeb, title="Mine", public=True)
    a_comment(zeb, own, name=NAME)
    for sender in (zeb, cast.alice):
        yes = {"event_id": event["id"], "email_address": zeb.email_address, "name": NAME, "response": "YES"}
        stored = sender.post("/api/responses", json=yes, headers={"Idempotency-Key": uuid4().hex})
        assert (stored.status, stored.json["name"]) == (200, NAME), stored
    zeb.post("/api/contacts", json={"first_name": "Zebedee", "last_name": "Quixote", "email_address": zeb.email_address})
    return zeb


def _delete(person: Person, **fields: Any) -> None:
    reply = person.delete(f"/api/users/{person.id}", json={"current_password": PASSWORD} | fields)
    assert reply.status == 200, reply


def test_an_erased_account_leaves_no_row_with_its_name_or_address(apart: FreshService) -> None:
    zeb = _a_life(apart)
    assert len(find_texts(apart.db, zeb.email_address, NAME)) > 10
    _delete(zeb, erase=True)
    assert find_texts(apart.db, zeb.email_address, zeb.user_name) == set()
    assert find_texts(apart.db, NAME) == set()


def test_a_deleted_account_leaves_only_what_it_wrote_elsewhere(apart: FreshService) -> None:
    zeb = _a_life(apart)
    _delete(zeb)
    assert {table for table, _ in find_texts(apart.db, NAME)} == {"comments", "responses"}
    assert {table for table, _ in find_texts(apart.db, zeb.email_address)} == {"comments", "responses"}


def test_who_has_not_verified_an_address_erases_nothing_of_it(apart: FreshService) -> None:
    cast = Cast(apart.guest)
    event = an_event(cast.alice, public=True)
    mallory = Person(cast.anonymous, "mallory")
    a_response(cast.anonymous, event, email_address=mallory.email_address, name="The real one")
    a_comment(cast.anonymous, event, email_address=mallory.email_address, name="The real one")
    _delete(mallory, erase=True)
    assert {table for table, _ in find_texts(apart.db, "The real one")} >= {"comments", "responses"}


@pytest.mark.on_one_database
def test_the_page_offers_to_erase_everything(apart: FreshService) -> None:
    zeb = _a_life(apart)
    assert 'name="erase"' in zeb.get("/account/delete").text
    assert zeb.post("/account/delete", data={"current_password": PASSWORD, "erase": "true"}).status == 303
    assert find_texts(apart.db, zeb.email_address) == set()
