"""POST /api/comments."""

from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, Person, a_calendar, a_comment, a_response, an_event, shared, verified
from tests.conftest import NOON
from tests.responses.mail import a_proposal_token


def test_a_guests_comment_waits_until_the_event_owner_approves_it(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    comment = a_comment(cast.anonymous, event, email_address="gus@example.org", name="Gus")
    assert (comment["approved"], comment["is_approved"], "email_address" in comment) == ("false", False, False)
    path = f"/api/comments?event_id={event['id']}"
    assert cast.anonymous.get(path).json["comments"] == []
    assert [c["email_address"] for c in cast.alice.get(path).json["comments"]] == ["gus@example.org"]
    assert cast.alice.put(f"/api/comments/{comment['id']}", json={"approved": "yes"}).json["approved"] == "true"
    (listed,) = cast.anonymous.get(path).json["comments"]
    assert (listed["name"], listed["comment"], "email_address" in listed) == ("Gus", "See you there", False)


@pytest.mark.parametrize(
    ("moderation", "guest", "user", "editor"),
    [("none", "true", "true", "true"), ("guests", "false", "true", "true"), ("all", "false", "false", "true")],
)
def test_moderation_decides_whose_comments_wait(cast: Cast, moderation: str, guest: str, user: str, editor: str) -> None:
    calendar = a_calendar(cast.alice, public=True, moderation=moderation)
    shared(cast.alice, calendar, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    assert a_comment(cast.anonymous, event, email_address="gus@example.org")["approved"] == guest
    assert a_comment(cast.carol, event)["approved"] == user
    assert a_comment(cast.bob, event)["approved"] == editor


def test_a_comment_with_a_response_also_responds_with_the_same_text(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_comment(cast.anonymous, event, email_address="gus@example.org", response="MAYBE", comment="If it is dry")
    path = f"/api/responses?event_id={event['id']}"
    (first,) = cast.alice.get(path).json["responses"]
    assert (first["response"], first["comment"]) == ("MAYBE", "If it is dry")
    a_comment(cast.anonymous, event, email_address="GUS@example.org", response="YES", comment="It is dry")
    (second,) = cast.alice.get(path).json["responses"]
    assert (second["id"], second["response"], second["comment"]) == (first["id"], "YES", "It is dry")
    assert len(cast.alice.get(f"/api/comments?event_id={event['id']}").json["comments"]) == 2


def test_a_comment_that_waits_for_approval_does_not_change_the_name_of_a_response(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_comment(cast.anonymous, event, email_address="gus@example.org", response="YES", name="Gus")
    a_comment(cast.anonymous, event, email_address="gus@example.org", response="NO", name="A clown", comment="Ha")
    (response,) = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert (response["name"], response["response"], response["comment"]) == ("Gus", "NO", "Ha")


def test_a_comment_leaves_a_proven_response_as_it_is(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True)
    a_response(verified(db, cast.carol), event, comment="Mine")
    a_comment(cast.anonymous, event, email_address=cast.carol.email_address, response="NO", comment="Not mine")
    (response,) = cast.carol.get("/api/responses").json["responses"]
    assert (response["response"], response["comment"]) == ("YES", "Mine")


@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        ({"comment": ""}, "comment"),
        ({"comment": "x" * 20_001}, "comment"),
        ({"email_address": None}, "email_address"),
        ({"email_address": "nonsense"}, "email_address"),
        ({"response": "PERHAPS"}, "response"),
        ({"event_id": 0}, "event_id"),
    ],
)
@pytest.mark.on_one_database
def test_invalid_values_name_their_fields_and_store_nothing(cast: Cast, fields: dict[str, Any], broken: str) -> None:
    event = an_event(cast.alice, public=True)
    good = {"event_id": event["id"], "email_address": "gus@example.org", "comment": "Hello", "response": "YES"}
    reply = cast.anonymous.post("/api/comments", json=good | fields)
    assert (reply.status, reply.broken) == (422, [broken])
    detail = cast.alice.get(f"/api/events/{event['id']}").json
    assert (detail["comments_count"], detail["responses"]["yes"]) == (0, 0)


def test_only_visible_events_can_be_commented_on(cast: Cast) -> None:
    event = an_event(cast.alice)
    for stranger in (cast.carol, cast.anonymous):
        fields = {"event_id": event["id"], "comment": "Hello", "email_address": "x@example.org"}
        assert stranger.post("/api/comments", json=fields).status == 404


def test_the_author_sees_their_comment_while_it_waits(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True, moderation="all")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    comment = a_comment(cast.carol, event)

    def visible_ids(by: Person) -> list[int]:
        return [c["id"] for c in by.get(f"/api/comments?event_id={event['id']}").json["comments"]]

    assert (visible_ids(cast.carol), visible_ids(cast.bob)) == ([comment["id"]], [])


def test_editors_see_no_response_at_a_comment_that_the_address_has_not_confirmed_and_others_what_was_sent(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice, public=True, moderation="none")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    a_response(verified(db, cast.carol), event)
    sent = a_comment(cast.anonymous, event, email_address=cast.carol.email_address, response="MAYBE", comment="Not mine")
    assert sent["response"] == "MAYBE"
    path = f"/api/comments?event_id={event['id']}"
    assert [each.get(path).json["comments"][0]["response"] for each in (cast.alice, cast.anonymous)] == [None, "MAYBE"]
    shown = cast.alice.get(f"/api/events/{event['id']}?comments=true").json
    assert shown["comments"][0]["response"] is None


def test_a_comment_has_no_response_for_editors_until_that_is_confirmed(cast: Cast, settings: Settings) -> None:
    calendar = a_calendar(cast.alice, public=True, confirm_responses="always")
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time="2027-06-01T20:00")
    a_comment(cast.anonymous, event, email_address="gus@example.org", response="YES", comment="Mine")
    path = f"/api/comments?event_id={event['id']}"
    assert cast.alice.get(path).json["comments"][0]["response"] is None
    assert cast.anonymous.post(f"/r/confirm/{a_proposal_token(settings, NOON)}").status == 303
    assert cast.alice.get(path).json["comments"][0]["response"] == "YES"
