"""What becomes of what an editor has made on a calendar when it is no longer shared with them."""

from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.calendars import former_editor_store as former_editor
from tests.calendars.test_ex_editor import unshare
from tests.calendars.test_share import _verify
from tests.cast import PASSWORD, Cast, Person, a_calendar, a_response, an_event, an_invitation, shared, verified
from tests.client import Client
from tests.conftest import Clock
from tests.responses.mail import token_of


@pytest.fixture
def calendar(cast: Cast, db: Database) -> dict[str, Any]:
    """A calendar of alice's, which bob edits."""
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, verified(db, cast.bob), "editor")
    return calendar


def owner_of(alice: Person, event: dict[str, Any]) -> int:
    owner_id: int = alice.get(f"/api/events/{event['id']}").json["owner"]["id"]
    return owner_id


def listed(person: Person, calendar: dict[str, Any]) -> list[int]:
    reply = person.get("/api/events", query={"calendar_id": str(calendar["id"]), "past": "yes"})
    return [each["id"] for each in reply.json["events"]]


def test_the_owner_takes_over_what_the_editor_created(cast: Cast, calendar: dict[str, Any]) -> None:
    event, other = an_event(cast.bob, calendar_id=calendar["id"]), an_event(cast.alice, calendar_id=calendar["id"])
    elsewhere = an_event(cast.bob)
    left = unshare(cast.alice, calendar, cast.bob)["left"]
    assert ([each["id"] for each in left["events"]], left["events_total"]) == ([event["id"]], 1)
    assert (owner_of(cast.alice, event), owner_of(cast.alice, other)) == (cast.alice.id, cast.alice.id)
    assert cast.bob.get(f"/api/events/{elsewhere['id']}").json["owner"]["id"] == cast.bob.id


def test_a_dry_run_lists_what_the_editor_leaves_and_changes_nothing(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"], visibility="link")
    invitation = an_invitation(cast.bob, event)
    reply = cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name, "dry_run": True})
    assert reply.status == 200, reply
    left = reply.json["left"]
    assert [left["events_total"], left["invitations_total"], left["links_total"]] == [1, 1, 1]
    assert left["invitations"] == [{"id": invitation["id"], "event_id": event["id"], "series_id": None, "address": invitation["address"]}]
    assert [each["id"] for each in left["links"]] == [event["id"]]
    assert cast.bob.put(f"/api/events/{event['id']}", json={"title": "Still"}).status == 200
    assert owner_of(cast.alice, event) == cast.bob.id


def test_kept_events_have_the_name_of_their_creator_and_are_edited_by_the_owner(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"])
    unshare(cast.alice, calendar, cast.bob, events="keep")
    assert owner_of(cast.alice, event) == cast.bob.id
    assert cast.alice.put(f"/api/events/{event['id']}", json={"title": "Mine"}).status == 200


@pytest.mark.parametrize("end", ["keep", "viewer"])
def test_guests_opt_in_to_the_list_of_the_owner_at_events_of_an_ex_editor(
    cast: Cast, db: Database, calendar: dict[str, Any], end: str
) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"], public=True)
    if end == "keep":
        unshare(cast.alice, calendar, cast.bob, events="keep")
    else:
        shared(cast.alice, calendar, cast.bob, "viewer")
    assert owner_of(cast.alice, event) == cast.bob.id
    a_response(verified(db, cast.carol), event, opt_in=True)
    lists = [[each["address"] for each in who.get("/api/subscribers").json["subscribers"]] for who in (verified(db, cast.alice), cast.bob)]
    assert lists == [[cast.carol.email_address], []]
    assert cast.alice.put(f"/api/events/{event['id']}/announce").json["queued"] == 1


def test_removed_events_are_in_the_trash_of_the_owner(cast: Cast, calendar: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(former_editor, "BATCH", 2)
    own = an_event(cast.alice, calendar_id=calendar["id"])
    event = an_event(cast.bob, calendar_id=calendar["id"])
    cast.bob.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 5})
    unshare(cast.alice, calendar, cast.bob, events="remove")
    assert listed(cast.alice, calendar) == [own["id"]]
    assert len(cast.alice.get("/api/trash").json["trash"]) == 1
    assert cast.bob.get("/api/trash").json["trash"] == []


def test_a_large_number_of_events_is_taken_over_in_parts(cast: Cast, calendar: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(former_editor, "BATCH", 2)
    ids = [an_event(cast.bob, calendar_id=calendar["id"], visibility="link")["id"] for _ in range(5)]
    unshare(cast.alice, calendar, cast.bob, reset_links=True)
    assert {owner_of(cast.alice, {"id": event_id}) for event_id in ids} == {cast.alice.id}


def test_invitations_of_the_editor_are_withdrawn_with_the_share(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.alice, calendar_id=calendar["id"])
    an_invitation(cast.bob, event, "one@example.org")
    an_invitation(cast.alice, event, "two@example.org")
    left = unshare(cast.alice, calendar, cast.bob, withdraw_invitations=True)["left"]
    assert [each["address"] for each in left["invitations"]] == ["one@example.org"]
    rows = cast.alice.get(f"/api/events/{event['id']}/invitations").json["invitations"]
    assert {row["address"]: row["state"] for row in rows} == {"one@example.org": "withdrawn", "two@example.org": "queued"}


def test_invitations_to_a_series_are_withdrawn_with_the_share(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"])
    cast.bob.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 3})
    assert cast.bob.post(f"/api/events/{event['id']}/invitations", json={"addresses": ["g@example.org"], "scope": "all"}).status == 202
    assert unshare(cast.alice, calendar, cast.bob, withdraw_invitations=True)["left"]["invitations_total"] == 1
    [row] = cast.alice.get(f"/api/events/{event['id']}/invitations").json["invitations"]
    assert row["state"] == "withdrawn"


@pytest.mark.parametrize("withdraws", [True, False])
@pytest.mark.parametrize("scope", ["this", "all"])
def test_guests_whom_the_editor_added_lose_the_event_with_the_share(
    cast: Cast, db: Database, settings: Settings, calendar: dict[str, Any], withdraws: bool, scope: str
) -> None:
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time="2027-06-01T20:00", title="SECRET")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 3})
    for editor, address in ((cast.bob, "one@example.org"), (cast.alice, "two@example.org")):
        a_response(editor, event, email_address=address, scope=scope)
    rows = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    paths = {row["email_address"]: f"/r/{token_of(db, settings, row['id'])}" for row in rows}
    assert {address: "SECRET" in cast.anonymous.get(path).text for address, path in paths.items()} == dict.fromkeys(paths, True)
    left = unshare(cast.alice, calendar, cast.bob, withdraw_invitations=withdraws)["left"]
    assert {guest["address"] for guest in left["guests"]} == {"one@example.org"}
    assert left["guests_total"] == (3 if scope == "all" else 1)
    is_seen = {address: "SECRET" in cast.anonymous.get(path).text for address, path in paths.items()}
    assert is_seen == {"one@example.org": not withdraws, "two@example.org": True}
    with db.read() as tx:
        assert not tx.rows("SELECT 1 FROM series_responses WHERE added_by = :id AND added", id=cast.bob.id) or not withdraws


@pytest.mark.parametrize("scope", ["this", "all"])
def test_a_withdrawn_invitation_ends_what_an_added_guest_sees(cast: Cast, db: Database, settings: Settings, scope: str) -> None:
    event = an_event(verified(db, cast.alice), start_time="2027-06-01T20:00", title="SECRET")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 3})
    a_response(cast.alice, event, email_address="g@example.org", scope=scope)
    path = f"/api/events/{event['id']}/invitations"
    assert cast.alice.post(path, json={"addresses": ["g@example.org"], "scope": scope}).status == 202
    [invitation] = cast.alice.get(path).json["invitations"]
    [response] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    link = f"/r/{token_of(db, settings, response['id'])}"
    assert "SECRET" in cast.anonymous.get(link).text
    assert cast.alice.delete(f"{path}/{invitation['id']}").status == 200
    assert "SECRET" not in cast.anonymous.get(link).text


@pytest.mark.parametrize("reset", [True, False])
def test_links_are_reset_with_the_share(cast: Cast, calendar: dict[str, Any], reset: bool) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"], visibility="link")
    path = "/e/" + event["link_url"].rsplit("/", 1)[1]
    unshare(cast.alice, calendar, cast.bob, reset_links=reset)
    assert cast.anonymous.get(path).status == (404 if reset else 200)
    link = cast.alice.get(f"/api/events/{event['id']}").json["link_url"]
    assert cast.anonymous.get("/e/" + link.rsplit("/", 1)[1]).status == 200


def test_an_editor_who_leaves_loses_the_events_to_the_owner(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"])
    reply = cast.bob.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name})
    assert (reply.status, "left" in reply.json) == (200, False)
    assert owner_of(cast.alice, event) == cast.alice.id


def test_someone_who_edits_the_calendar_by_another_share_keeps_the_events(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"])
    shared_with = {"user_name": cast.bob.email_address, "role": "editor"}
    assert cast.alice.put(f"/api/calendars/{calendar['id']}/share", json=shared_with).status == 200
    assert unshare(cast.alice, calendar, cast.bob)["left"]["events_total"] == 0
    assert owner_of(cast.alice, event) == cast.bob.id
    left = cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.email_address}).json["left"]
    assert (left["events_total"], owner_of(cast.alice, event)) == (1, cast.alice.id)


def test_the_reply_is_the_same_for_an_address_that_nobody_has(cast: Cast, calendar: dict[str, Any]) -> None:
    replies = []
    for address in (cast.bob.email_address, "nobody@example.org"):
        cast.alice.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": address, "role": "viewer"})
        replies.append(cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": address}).json["left"])
    assert replies[0] == replies[1]


@pytest.mark.parametrize("choice", ["take_over", "keep"])
def test_events_stay_when_the_account_of_an_ex_editor_is_deleted(cast: Cast, calendar: dict[str, Any], choice: str) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"])
    unshare(cast.alice, calendar, cast.bob, events=choice)
    assert cast.bob.delete(f"/api/users/{cast.bob.id}", json={"current_password": PASSWORD}).status == 200
    assert owner_of(cast.alice, event) == cast.alice.id


def test_what_is_taken_over_may_exceed_a_quota(db: Database, settings: Settings, clock: Clock) -> None:
    """Nobody can prevent the end of their access by making many events."""
    cast = Cast(Client(application(db, structs.replace(settings, quota_events=1), clock)))
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    event = an_event(cast.bob, calendar_id=calendar["id"])
    an_event(cast.alice, calendar_id=calendar["id"])
    unshare(cast.alice, calendar, cast.bob)
    assert owner_of(cast.alice, event) == cast.alice.id
    assert cast.alice.post("/api/events", json={"title": "Gig", "start_time": "2026-05-11T20:00"}).status == 409


def test_the_page_lists_what_the_editor_leaves_and_does_what_is_chosen(cast: Cast, calendar: dict[str, Any]) -> None:
    event = an_event(cast.bob, calendar_id=calendar["id"], title="Trio of bob", visibility="link")
    an_invitation(cast.bob, event, "one@example.org")
    path = f"/calendars/{calendar['id']}/unshare"
    page = cast.alice.get(path, query={"user_name": cast.bob.user_name}).text
    assert all(each in page for each in ("Trio of bob", "one@example.org", 'name="reset_links"', 'value="take_over" checked'))
    fields = {"user_name": cast.bob.user_name, "events": "take_over", "withdraw_invitations": "true", "reset_links": "true"}
    assert cast.alice.post(path, data=fields).status == 303
    assert owner_of(cast.alice, event) == cast.alice.id
    [row] = cast.alice.get(f"/api/events/{event['id']}/invitations").json["invitations"]
    assert row["state"] == "withdrawn"
    assert cast.alice.get(f"/api/events/{event['id']}").json["link_url"] != event["link_url"]


def test_the_page_says_of_a_viewer_nothing_about_changes_and_links(cast: Cast, calendar: dict[str, Any]) -> None:
    an_event(cast.alice, calendar_id=calendar["id"], visibility="link")
    shared(cast.alice, calendar, cast.vera, "viewer")
    pages = [
        cast.alice.get(f"/calendars/{calendar['id']}/unshare", query={"user_name": person.user_name}).text
        for person in (cast.bob, cast.vera)
    ]
    assert [("change nothing on it" in page, 'name="reset_links"' in page) for page in pages] == [(True, True), (False, False)]


@pytest.mark.parametrize("has_moved", [False, True])
def test_a_share_by_address_ends_with_the_account(cast: Cast, db: Database, settings: Settings, has_moved: bool) -> None:
    """Also if the account has another address by then."""
    calendar, bob, carol = a_calendar(cast.alice), verified(db, cast.bob), cast.carol
    address = bob.email_address
    shared_with = {"user_name": address, "role": "editor"}
    assert cast.alice.put(f"/api/calendars/{calendar['id']}/share", json=shared_with).status == 200
    assert bob.get(f"/api/calendars/{calendar['id']}").json["role"] == "editor"
    if has_moved:
        fields = {"email_address": f"new-{address}", "current_password": PASSWORD}
        assert bob.put(f"/api/users/{bob.id}", json=fields).status == 200
    assert bob.delete(f"/api/users/{bob.id}", json={"current_password": PASSWORD}).status == 200
    assert carol.put(f"/api/users/{carol.id}", json={"email_address": address, "current_password": PASSWORD}).status == 200
    _verify(db, settings, carol)
    assert carol.get(f"/api/calendars/{calendar['id']}").status == 404
    assert cast.alice.put(f"/api/calendars/{calendar['id']}/share", json=shared_with).status == 200
    assert carol.get(f"/api/calendars/{calendar['id']}").status == 200
