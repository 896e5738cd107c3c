"""DELETE /api/users/<id>: who gets the calendars of an account that is deleted, and what goes on to work there."""

from typing import Any

import pytest

from kalends.db import Database
from tests.cast import PASSWORD, Cast, Person, a_calendar, a_comment, a_response, an_event, shared
from tests.site.administrator import Admin


def _delete(person: Person, **fields: Any) -> dict[str, Any]:
    reply = person.delete(f"/api/users/{person.id}", json={"current_password": PASSWORD} | fields)
    assert reply.status == 200, reply
    deletion: dict[str, Any] = reply.json
    return deletion


def _role(person: Person, calendar: dict[str, Any]) -> str:
    role: str = person.get(f"/api/calendars/{calendar['id']}").json["role"]
    return role


def test_a_calendar_goes_to_the_editor_who_has_shared_it_for_the_longest_time(cast: Cast, db: Database) -> None:
    calendar, alone = a_calendar(cast.alice, name="Choir"), a_calendar(cast.alice, name="Diary")
    for person, role in ((cast.vera, "viewer"), (cast.dave, "editor"), (cast.bob, "editor")):
        shared(cast.alice, calendar, person, role)
    with db.write() as tx:
        sql = "UPDATE calendar_shares SET created_at = 1000 WHERE calendar_id = :id AND user_id = :bob"
        tx.run(sql, id=calendar["id"], bob=cast.bob.id)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    of_editor = an_event(cast.dave, calendar_id=calendar["id"])
    preview = cast.alice.delete(f"/api/users/{cast.alice.id}", json={"current_password": PASSWORD, "dry_run": True})
    deletion = _delete(cast.alice)
    assert preview.json["calendars"] == deletion["calendars"]
    assert deletion["calendars"] == [
        {"calendar_id": cast.alice.primary_calendar_id, "name": "Alice", "user_name": None},
        {"calendar_id": calendar["id"], "name": "Choir", "user_name": cast.bob.user_name},
        {"calendar_id": alone["id"], "name": "Diary", "user_name": None},
    ]
    assert [_role(person, calendar) for person in (cast.bob, cast.dave, cast.vera)] == ["owner", "editor", "viewer"]
    shares = cast.bob.get(f"/api/calendars/{calendar['id']}").json["shares"]
    assert {share["user_name"] for share in shares} == {cast.dave.user_name, cast.vera.user_name}
    for each in (event, of_editor):
        assert cast.bob.put(f"/api/events/{each['id']}", json={"title": "Rehearsal"}).status == 200
    assert cast.bob.get(f"/api/events/{event['id']}").json["owner"]["id"] == cast.bob.id


def test_a_primary_calendar_that_others_edit_is_another_one_of_theirs(cast: Cast) -> None:
    shared(cast.alice, {"id": cast.alice.primary_calendar_id}, cast.bob, "editor")
    event = an_event(cast.alice)
    _delete(cast.alice)
    calendars = {each["id"]: each for each in cast.bob.get("/api/calendars").json["calendars"]}
    assert {each: calendars[each]["primary"] for each in calendars} == {
        cast.bob.primary_calendar_id: True,
        cast.alice.primary_calendar_id: False,
    }
    assert cast.bob.get(f"/api/events/{event['id']}").status == 200
    assert cast.bob.delete(f"/api/calendars/{cast.alice.primary_calendar_id}").status == 200


def test_events_on_the_calendar_of_somebody_else_stay_there(cast: Cast) -> None:
    calendar = a_calendar(cast.bob)
    shared(cast.bob, calendar, cast.alice, "editor")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    a_comment(cast.bob, event)
    deleted = an_event(cast.alice, calendar_id=calendar["id"])
    assert cast.alice.delete(f"/api/events/{deleted['id']}").status == 200
    _delete(cast.alice)
    assert cast.bob.get(f"/api/events/{event['id']}").json["owner"]["id"] == cast.bob.id
    [entry] = cast.bob.get("/api/trash").json["trash"]
    assert cast.bob.post(f"/api/changes/{entry['seq']}/undo").status == 200
    assert cast.bob.get(f"/api/events/{deleted['id']}").json["owner"]["id"] == cast.bob.id


def test_an_event_on_two_calendars_stays_on_the_one_that_is_kept(cast: Cast) -> None:
    diary, choir = a_calendar(cast.alice, name="Diary"), a_calendar(cast.alice, name="Choir")
    shared(cast.alice, choir, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=diary["id"])
    assert cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": choir["id"]}).status == 200
    _delete(cast.alice)
    assert cast.bob.put(f"/api/events/{event['id']}", json={"title": "Rehearsal"}).status == 200


def test_feeds_links_cursors_and_undo_go_on_to_work(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time="2037-06-01T20:00", visibility="link")
    feed = cast.alice.get(f"/api/calendars/{calendar['id']}").json["feed_url"].partition("//")[2].partition("/")[2]
    link = cast.alice.get(f"/api/events/{event['id']}").json["link_url"].rpartition("/")[2]
    a_response(cast.anonymous, event, email_address="ines@example.org", link=link)
    cast.bob.put(f"/api/events/{event['id']}", json={"title": "Wrong"})
    seq = cast.bob.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"]
    cursor = cast.bob.get("/api/changes").json["cursor"]
    _delete(cast.alice)
    assert event["uid"] in cast.anonymous.get(f"/{feed}").text
    assert cast.anonymous.get(f"/api/events/{event['id']}?link={link}").status == 200
    changed = cast.bob.get(f"/api/changes?cursor={cursor}").json["changes"]
    assert {(each["kind"], each["id"], each["op"]) for each in changed} >= {
        ("calendar", calendar["id"], "put"),
        ("event", event["id"], "put"),
    }
    assert cast.bob.post(f"/api/changes/{seq}/undo").status == 200
    restored = cast.bob.get(f"/api/events/{event['id']}").json
    assert (restored["title"], restored["owner"]["id"]) == ("Concert", cast.bob.id)


@pytest.mark.on_one_database
def test_a_change_of_owner_cannot_be_undone(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    _delete(cast.alice)
    with db.read() as tx:
        seq = tx.value("SELECT max(id) FROM changes WHERE event_id = :id AND via = 'transfer'", id=event["id"])
    assert cast.bob.post(f"/api/changes/{seq}/undo").status in (403, 404, 409)
    assert cast.bob.get(f"/api/events/{event['id']}").json["owner"]["id"] == cast.bob.id


def test_an_erased_person_leaves_no_name_in_a_calendar_that_others_keep(cast: Cast, db: Database) -> None:
    calendar_id = cast.alice.primary_calendar_id
    shared(cast.alice, {"id": calendar_id}, cast.bob, "editor")
    _delete(cast.alice, erase=True)
    assert cast.bob.get(f"/api/calendars/{calendar_id}").json["name"] == "Calendar"
    with db.read() as tx:
        history = tx.rows("SELECT before FROM changes WHERE kind = 'calendar' AND record_id = :id", id=calendar_id)
    assert not any("Alice" in (before or "") for (before,) in history)


@pytest.mark.on_one_database
def test_an_admin_names_who_gets_all_calendars(cast: Cast) -> None:
    admin, diary = Admin(cast.anonymous, "ada"), a_calendar(cast.alice, name="Diary")
    path = f"/api/admin/people/{cast.alice.id}"
    wrong = admin.delete(path, json={"current_password": PASSWORD, "give_to": cast.alice.user_name})
    assert (wrong.status, wrong.broken) == (422, ["give_to"])
    assert admin.delete(path, json={"current_password": PASSWORD, "give_to": cast.bob.user_name}).status == 200
    assert {_role(cast.bob, each) for each in (diary, {"id": cast.alice.primary_calendar_id})} == {"owner"}


@pytest.mark.on_one_database
def test_the_page_says_who_gets_which_calendar(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, name="Choir")
    a_calendar(cast.alice, name="Diary")
    shared(cast.alice, calendar, cast.bob, "editor")
    text = cast.alice.get("/account/delete").text
    kept, deleted = text.partition("Calendars that others keep")[2].split("Calendars that are deleted")
    assert "Choir goes to Bob." in kept
    assert "Diary" in deleted
    assert "Choir" not in deleted
