"""What goes on to work when a calendar was handed over: feeds, links, series, placements, cursors, sync tokens, sources and undo."""

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import (
    PASSWORD,
    Cast,
    a_calendar,
    a_cohost,
    a_comment,
    a_question,
    a_reminder,
    a_response,
    an_event,
    an_invitation,
    handed_over,
    shared,
)
from tests.changes.follower import Follower
from tests.dav.clients import calendar_path, sync
from tests.responses.mail import a_response_token
from tests.sources.server import a_source


def test_feeds_and_links_stay(cast: Cast, settings: Settings) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time="2037-06-01T20:00", visibility="link")
    feed = cast.alice.get(f"/api/calendars/{calendar['id']}").json["feed_url"].partition("//")[2].partition("/")[2]
    link = cast.alice.get(f"/api/events/{event['id']}").json["link_url"].rpartition("/")[2]
    a_response(cast.anonymous, event, email_address="ines@example.org", link=link)
    [response] = cast.alice.get("/api/responses", query={"event_id": event["id"]}).json["responses"]
    token = a_response_token(settings, response["id"])
    handed_over(cast.alice, calendar, cast.bob)
    assert event["uid"] in cast.anonymous.get(f"/{feed}").text
    assert cast.anonymous.get(f"/api/events/{event['id']}?link={link}").status == 200
    changed = cast.anonymous.put(f"/api/responses/{response['id']}", json={"response": "NO", "token": token})
    assert (changed.status, changed.json["response"]) == (200, "NO")
    assert cast.bob.get(f"/api/calendars/{calendar['id']}").json["feed_url"].endswith(feed)
    assert [each["response"] for each in cast.bob.get("/api/responses", query={"event_id": event["id"]}).json["responses"]] == ["NO"]


def test_series_questions_reminders_cohosts_and_placements_stay(cast: Cast) -> None:
    calendar, other = a_calendar(cast.alice), a_calendar(cast.alice)
    shared(cast.alice, other, cast.dave, "viewer")
    first = an_event(cast.alice, calendar_id=calendar["id"], start_time="2037-06-01T20:00")
    a_question(cast.alice, f"/api/calendars/{calendar['id']}")
    a_reminder(cast.alice, f"/api/calendars/{calendar['id']}")
    assert cast.alice.put(f"/api/events/{first['id']}/repeat", json={"frequency": "WEEKLY", "count": 5}).status == 200
    placed = an_event(cast.alice, calendar_id=calendar["id"])
    a_cohost(cast.alice, placed, cast.vera.user_name)
    assert cast.alice.put(f"/api/events/{placed['id']}/add", json={"calendar_id": other["id"]}).status == 200
    handed_over(cast.alice, calendar, cast.bob)
    changed = cast.bob.put(f"/api/events/{first['id']}", json={"title": "Late concert", "scope": "all"})
    assert changed.status == 200, changed
    listed = cast.bob.get("/api/events", query={"calendar_id": calendar["id"], "title": "Late"}).json["events"]
    assert len(listed) == 5
    assert {cast.bob.get(f"/api/events/{each['id']}").json["owner"]["id"] for each in listed} == {cast.bob.id}
    assert len(cast.bob.get(f"/api/calendars/{calendar['id']}/questions").json["questions"]) == 1
    assert len(cast.bob.get(f"/api/calendars/{calendar['id']}/reminders").json["reminders"]) == 1
    assert cast.dave.get(f"/api/events/{placed['id']}").status == 200
    assert cast.vera.put(f"/api/events/{placed['id']}", json={"title": "Jam"}).status == 200


@pytest.mark.parametrize("recipient_was", ["", "viewer", "editor"])
def test_cursors_of_everybody_show_the_calendar_as_it_is(cast: Cast, recipient_was: str) -> None:
    """Also of who was a stranger before."""
    calendar = a_calendar(cast.alice)
    if recipient_was:
        shared(cast.alice, calendar, cast.bob, recipient_was)
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    a_comment(cast.alice, event)
    a_response(cast.alice, event, email_address="ines@example.org")
    followers = [Follower(person) for person in (cast.alice, cast.bob, cast.vera)]
    handed_over(cast.alice, calendar, cast.bob)
    an_event(cast.bob, calendar_id=calendar["id"])
    for follower in followers:
        follower.follow()
        assert follower.records == follower.listing()
        assert ("event", event["id"]) in follower.records


def test_sync_tokens_of_devices_stay_valid(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.vera, "viewer")
    an_event(cast.alice, calendar_id=calendar["id"])
    tokens = {person: sync(person, calendar_path(person, calendar["id"]))[1] for person in (cast.alice, cast.vera)}
    handed_over(cast.alice, calendar, cast.bob)
    an_event(cast.bob, calendar_id=calendar["id"])
    for person, token in tokens.items():
        changed, _ = sync(person, calendar_path(person, calendar["id"]), token)
        assert (len(changed), set(changed.values())) == (2, {200})
        assert sync(cast.bob, calendar_path(cast.bob, calendar["id"]))[0].keys() == changed.keys()


def test_changes_from_before_can_be_undone(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.dave, "editor")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    assert cast.dave.put(f"/api/events/{event['id']}", json={"title": "Wrong"}).status == 200
    seq = cast.dave.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"]
    handed_over(cast.alice, calendar, cast.bob)
    assert cast.bob.post(f"/api/changes/{seq}/undo").status == 200
    restored = cast.alice.get(f"/api/events/{event['id']}").json
    assert (restored["title"], restored["owner"]["id"], restored["can_edit"]) == ("Concert", cast.bob.id, True)
    with db.read() as tx:
        transfer = tx.value("SELECT max(id) FROM changes WHERE event_id = :id AND via = 'transfer'", id=event["id"])
    assert cast.bob.post(f"/api/changes/{transfer}/undo").status in (403, 404, 409)


def test_calendars_that_are_followed_are_followed_by_the_new_owner(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    source = a_source(cast.alice, calendar_id=calendar["id"])
    handed_over(cast.alice, calendar, cast.bob)
    assert cast.bob.delete(f"/api/users/{cast.alice.id}").status == 404
    assert cast.alice.delete(f"/api/users/{cast.alice.id}", json={"current_password": PASSWORD}).status == 200
    assert cast.bob.get(f"/api/sources/{source['id']}").status == 200


def test_what_the_former_owner_is_invited_to_stays_theirs(cast: Cast, db: Database) -> None:
    """What a device was invited to by another user here."""
    calendar, event = a_calendar(cast.alice), an_event(cast.carol)
    with db.write() as tx:
        tx.run(
            """INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, takes_days, grants, granted_by, by_invitation,
                   invited_key, created_at)
               SELECT event_id, :calendar_id, start_at, public, lasts, takes_days, TRUE, :carol, TRUE, :key, created_at
               FROM placements WHERE event_id = :event_id""",
            calendar_id=calendar["id"],
            event_id=event["id"],
            carol=cast.carol.id,
            key=cast.alice.email_address,
        )
    an_invitation(cast.carol, event, cast.alice.email_address)
    path = f"/api/events/{event['id']}"
    assert cast.alice.get(path).status == 200
    handed_over(cast.alice, calendar, cast.bob)
    assert (cast.alice.get(path).status, cast.bob.get(path).status) == (200, 404)


def test_what_the_former_owner_granted_ends_when_they_no_longer_manage_the_calendar(cast: Cast) -> None:
    alice, bob = cast.alice, cast.bob
    calendar, other = a_calendar(alice), a_calendar(alice)
    shared(alice, other, cast.dave, "viewer")
    event = an_event(alice, calendar_id=calendar["id"])
    path = f"/api/events/{event['id']}"
    assert alice.put(f"{path}/add", json={"calendar_id": other["id"]}).status == 200
    a_cohost(alice, event, cast.vera.user_name)
    handed_over(alice, calendar, bob)
    assert [each.get(path).status for each in (alice, cast.dave, cast.vera)] == [200, 200, 200]
    assert bob.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": alice.user_name}).status == 200
    assert [each.get(path).status for each in (alice, cast.dave, cast.vera, bob)] == [404, 404, 404, 200]


def test_what_an_owner_granted_stays_when_their_account_is_deleted(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "manager")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    a_cohost(cast.alice, event, cast.vera.user_name)
    assert cast.alice.delete(f"/api/users/{cast.alice.id}", json={"current_password": PASSWORD}).status == 200
    assert cast.vera.put(f"/api/events/{event['id']}", json={"title": "Concert"}).status == 200
    assert cast.bob.put(f"/api/calendars/{calendar['id']}", json={"name": "Ours"}).status == 200
