"""An editor who is one no longer has no rights on the calendar, nor on what they created there."""

from typing import Any

import pytest

from kalends.db import Database
from tests.cast import PASSWORD, Cast, Person, a_calendar, a_cohost, a_comment, a_response, an_event, shared, verified


@pytest.fixture
def calendar(cast: Cast) -> dict[str, Any]:
    """A calendar of alice's, which bob edits."""
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    return calendar


def unshare(alice: Person, calendar: dict[str, Any], bob: Person, **fields: Any) -> dict[str, Any]:
    reply = alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": bob.user_name} | fields)
    assert reply.status == 200, reply
    answer: dict[str, Any] = reply.json
    return answer


def leave(alice: Person, calendar: dict[str, Any], bob: Person) -> None:
    assert bob.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": bob.user_name}).status == 200


def block(alice: Person, calendar: dict[str, Any], bob: Person) -> None:
    assert bob.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": bob.user_name, "block": True}).status == 200


def writes(bob: Person, event: dict[str, Any], calendar: dict[str, Any]) -> list[int]:
    path = f"/api/events/{event['id']}"
    return [
        bob.put(path, json={"title": "BUY PILLS"}).status,
        bob.put(f"{path}/repeat", json={"frequency": "DAILY", "count": 5}).status,
        bob.put(f"{path}/image", json={}).status,
        bob.post(f"{path}/invitations", json={"addresses": ["guest@example.org"]}).status,
        bob.post(f"{path}/messages", json={"to": ["going"], "subject": "Hello", "text": "Buy"}).status,
        bob.put(f"{path}/remove", json={"calendar_id": calendar["id"]}).status,
        bob.delete(path).status,
    ]


@pytest.mark.parametrize("end", [unshare, leave, block])
def test_an_ex_editor_does_not_see_or_change_a_private_event_that_they_created(cast: Cast, calendar: dict[str, Any], end: Any) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"])
    end(cast.alice, calendar, cast.bob)
    assert cast.bob.get(f"/api/events/{event['id']}").status == 404
    assert set(writes(cast.bob, event, calendar)) <= {404, 405}
    assert cast.bob.get("/api/events", query={"past": "yes"}).json["events"] == []
    assert cast.alice.get(f"/api/events/{event['id']}").json["title"] == event["title"]
    assert cast.alice.put(f"/api/events/{event['id']}", json={"title": "Alice's"}).status == 200


def test_an_ex_editor_does_not_change_a_public_event_that_they_created(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"], public=True)
    unshare(cast.alice, calendar, cast.bob)
    assert cast.bob.get(f"/api/events/{event['id']}").json["can_edit"] is False
    # They do not see the calendar from which it would be removed.
    assert writes(cast.bob, event, calendar) == [403, 403, 405, 403, 403, 404, 403]


def test_a_viewer_sees_what_they_created_as_an_editor_and_does_not_change_it(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"])
    shared(cast.alice, calendar, cast.bob, "viewer")
    assert cast.bob.get(f"/api/events/{event['id']}").status == 200
    assert set(writes(cast.bob, event, calendar)) <= {403, 405}


def test_an_ex_editor_restores_nothing_to_the_calendar(cast: Cast, calendar: dict[str, Any]) -> None:
    alice, bob = cast.alice, cast.bob
    event = an_event(bob, calendar_id=calendar["id"], public=True)
    bob.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 5})
    unshare(alice, calendar, bob, events="keep")
    assert alice.delete(f"/api/events/{event['id']}", json={"scope": "all"}).status == 200
    assert bob.get("/api/trash").json["trash"] == []
    [deleted] = alice.get("/api/trash").json["trash"]
    assert bob.post(f"/api/changes/{deleted['seq']}/undo").status in (403, 404)
    assert alice.get("/api/events", query={"calendar_id": str(calendar["id"]), "past": "yes"}).json["events"] == []
    assert alice.post(f"/api/changes/{deleted['seq']}/undo").status == 200
    assert len(alice.get("/api/events", query={"calendar_id": str(calendar["id"]), "past": "yes"}).json["events"]) == 5


def test_an_ex_editor_undoes_no_change_of_their_event(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"], public=True)
    cast.bob.put(f"/api/events/{event['id']}", json={"title": "Second"})
    seq = cast.bob.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"]
    unshare(cast.alice, calendar, cast.bob, events="keep")
    assert cast.bob.post(f"/api/changes/{seq}/undo").status == 403


def test_what_an_ex_editor_put_on_their_own_calendar_goes_from_there(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"])
    assert cast.bob.put(f"/api/events/{event['id']}/add").status == 200
    unshare(cast.alice, calendar, cast.bob)
    assert cast.bob.get(f"/api/events/{event['id']}").status == 404
    assert cast.bob.get("/api/events", query={"past": "yes"}).json["events"] == []


def test_the_events_of_a_calendar_that_somebody_deletes_are_in_the_trash_of_its_owner_alone(cast: Cast, calendar: dict[str, Any]) -> None:
    an_event(cast.bob, calendar_id=calendar["id"])
    an_event(cast.alice, calendar_id=calendar["id"])
    unshare(cast.alice, calendar, cast.bob, events="keep")
    assert cast.alice.delete(f"/api/calendars/{calendar['id']}").status == 200
    assert cast.bob.get("/api/trash").json["trash"] == []
    [deleted] = cast.alice.get("/api/trash").json["trash"]
    assert cast.alice.post(f"/api/changes/{deleted['seq']}/undo").status == 200


def test_an_ex_editor_reads_no_comments_and_responses_to_their_event(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"], public=True)
    unshare(cast.alice, calendar, cast.bob, events="keep")
    a_comment(cast.carol, event, comment="secret")
    response = a_response(cast.carol, event)
    assert cast.bob.get("/api/comments").json["comments"] == []
    assert cast.bob.get("/api/responses").json["responses"] == []
    assert cast.bob.get(f"/api/responses/{response['id']}").status == 404
    assert cast.bob.get("/api/deliveries").json["deliveries"] == []


def test_the_owner_of_the_calendar_hears_of_guests_of_an_event_that_an_ex_editor_created(
    cast: Cast, calendar: dict[str, Any], db: Database
) -> None:
    event = an_event(verified(db, cast.bob), calendar_id=calendar["id"], public=True)
    a_response(cast.carol, event)
    assert recipients_of_news(db, event) == [cast.bob.id]
    unshare(verified(db, cast.alice), calendar, cast.bob, events="keep")
    a_response(cast.anonymous, event, email_address="guest@example.org")
    assert recipients_of_news(db, event) == [cast.bob.id, cast.alice.id]


def recipients_of_news(db: Database, event: dict[str, Any]) -> list[int]:
    sql = "SELECT n.owner_id FROM organiser_news n JOIN responses r ON r.id = n.response_id WHERE r.event_id = :id ORDER BY n.id"
    with db.read() as tx:
        return [user_id for (user_id,) in tx.rows(sql, id=event["id"])]


@pytest.mark.parametrize("end", [unshare, leave, block, lambda alice, calendar, bob: shared(alice, calendar, bob, "viewer")])
def test_the_cohosts_of_an_ex_editor_end_with_the_role_and_others_stay(cast: Cast, calendar: dict[str, Any], end: Any) -> None:
    alice, bob, carol = cast.alice, cast.bob, cast.carol
    event = an_event(bob, calendar_id=calendar["id"])
    path, other = f"/api/events/{event['id']}", a_calendar(carol)
    a_cohost(bob, event, carol.user_name)
    a_cohost(bob, event, "second@example.org")
    a_cohost(alice, event, cast.vera.user_name)
    shared(carol, other, cast.dave, "viewer")
    assert carol.put(f"{path}/add", json={"calendar_id": other["id"]}).status == 200
    assert [each.get(path).status for each in (carol, cast.dave, cast.vera)] == [200, 200, 200]
    end(alice, calendar, bob)
    assert carol.put(path, json={"title": "BUY PILLS"}).status == 404
    assert [each.get(path).status for each in (carol, cast.dave, cast.vera)] == [404, 404, 200]
    assert [each["user_name"] for each in alice.get(f"{path}/cohosts").json["cohosts"]] == [cast.vera.user_name]


def test_unsharing_lists_the_cohosts_that_end(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"])
    a_cohost(cast.bob, event, cast.carol.user_name)
    a_cohost(cast.bob, event, "second@example.org")
    page = cast.alice.get(f"/calendars/{calendar['id']}/unshare", query={"user_name": cast.bob.user_name}).text
    assert all(text in page for text in ("2 co-hosts whom they added", cast.carol.user_name, "second@example.org"))
    left = unshare(cast.alice, calendar, cast.bob)["left"]
    assert [(each["event_id"], each["user_name"], each["email_address"]) for each in left["cohosts"]] == [
        (event["id"], cast.carol.user_name, None),
        (event["id"], None, "second@example.org"),
    ]
    assert left["cohosts_total"] == 2


def test_the_cohosts_of_an_editor_whose_account_is_deleted_end(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"])
    a_cohost(cast.bob, event, cast.carol.user_name)
    assert cast.bob.delete(f"/api/users/{cast.bob.id}", json={"current_password": PASSWORD}).status == 200
    assert cast.carol.put(f"/api/events/{event['id']}", json={"title": "BUY PILLS"}).status == 404
