"""The trash of 30 days for calendars that are deleted with an account: what comes back, for whom, and what does not."""

import threading
from typing import Any

import pytest
from msgspec import structs

from kalends.app import worker
from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import PASSWORD, Cast, Person, a_calendar, a_comment, a_contact, a_response, an_event, many_events, shared, verified
from tests.client import Client
from tests.conftest import Clock
from tests.site.administrator import Admin
from tests.stored_data import find_texts
from tests.users.account_mail import last_mails

DAY = 86_400
PATH = "/api/admin/deleted_calendars"


def _leave(person: Person, **fields: Any) -> None:
    reply = person.delete(f"/api/users/{person.id}", json={"current_password": PASSWORD} | fields)
    assert reply.status == 200, reply


def _listed(admin: Person) -> dict[int, dict[str, Any]]:
    return {each["id"]: each for each in admin.get(f"{PATH}?limit=100").json["deleted_calendars"]}


def _give(admin: Person, calendar_id: int, person: Person) -> Any:
    return admin.put(f"{PATH}/{calendar_id}", json={"user_name": person.user_name, "current_password": PASSWORD})


def _guests(person: Person, event: dict[str, Any]) -> list[str]:
    return [each["email_address"] for each in person.get(f"/api/responses?event_id={event['id']}").json["responses"]]


def test_an_admin_gives_the_calendar_of_a_deleted_account_to_somebody_else(cast: Cast) -> None:
    admin, diary = Admin(cast.anonymous, "ada"), a_calendar(cast.alice, name="Diary", description="Days")
    shared(cast.alice, diary, cast.vera, "viewer")
    # It is handed over, which nobody can undo.
    choir = a_calendar(cast.alice)
    shared(cast.alice, choir, cast.mona, "editor")
    an_event(cast.alice, calendar_id=choir["id"])
    event = an_event(cast.alice, calendar_id=diary["id"], start_time="2037-06-01T20:00", capacity=9, public=True)
    an_event(cast.alice, calendar_id=diary["id"], title="Weekly")
    cast.alice.put(f"/api/events/{event['id']}", json={"title": "Concert of the year"})
    a_response(cast.anonymous, event, email_address="ines@example.org", name="Ines")
    comment = a_comment(cast.vera, event, comment="At last")
    a_contact(cast.alice)
    _leave(cast.alice)
    assert cast.vera.get(f"/api/calendars/{diary['id']}").status == 404
    assert {(each, item["name"], item["events"]) for each, item in _listed(admin).items()} >= {(diary["id"], "Diary", 2)}
    given = _give(admin, diary["id"], cast.bob)
    assert (given.status, given.json) == (200, {"calendar_id": diary["id"], "user_name": cast.bob.user_name})
    calendar = cast.bob.get(f"/api/calendars/{diary['id']}").json
    assert (calendar["role"], calendar["primary"], calendar["description"]) == ("owner", False, "Days")
    assert [share["user_name"] for share in calendar["shares"]] == [cast.vera.user_name]
    restored = cast.bob.get(f"/api/events/{event['id']}").json
    assert (restored["title"], restored["owner"]["id"]) == ("Concert of the year", cast.bob.id)
    assert _guests(cast.bob, event) == ["ines@example.org"]
    assert cast.vera.get(f"/api/comments/{comment['id']}").status == 200
    assert cast.bob.put(f"/api/events/{event['id']}", json={"title": "Concert"}).status == 200
    assert diary["id"] not in _listed(admin)
    assert _give(admin, diary["id"], cast.dave).status == 404


def test_each_calendar_of_an_account_comes_back_alone_and_a_primary_one_as_another(cast: Cast) -> None:
    admin, diary = Admin(cast.anonymous, "ada"), a_calendar(cast.alice, name="Diary")
    mine, other = an_event(cast.alice, title="Mine"), an_event(cast.alice, calendar_id=diary["id"], title="Other")
    _leave(cast.alice)
    assert _give(admin, cast.alice.primary_calendar_id, cast.bob).status == 200
    calendars = {each["id"]: each for each in cast.bob.get("/api/calendars").json["calendars"]}
    assert {each: (item["name"], item["primary"]) for each, item in calendars.items()} == {
        cast.bob.primary_calendar_id: ("Bob", True),
        cast.alice.primary_calendar_id: ("Calendar", False),
    }
    assert [cast.bob.get(f"/api/events/{each['id']}").status for each in (mine, other)] == [200, 404]
    assert _give(admin, diary["id"], cast.dave).status == 200
    assert cast.dave.get(f"/api/events/{other['id']}").status == 200


def test_an_event_that_others_have_on_a_calendar_stays_as_it_is(cast: Cast) -> None:
    admin, diary, choir = Admin(cast.anonymous, "ada"), a_calendar(cast.alice), a_calendar(cast.alice)
    shared(cast.alice, choir, cast.bob, "editor")
    kept, gone = (an_event(cast.alice, calendar_id=diary["id"], title=title) for title in ("Kept", "Gone"))
    assert cast.alice.put(f"/api/events/{kept['id']}/add", json={"calendar_id": choir["id"]}).status == 200
    _leave(cast.alice)
    assert cast.bob.put(f"/api/events/{kept['id']}", json={"title": "Rehearsal"}).status == 200
    assert _give(admin, diary["id"], cast.dave).status == 200
    assert [cast.dave.get(f"/api/events/{each['id']}").status for each in (gone, kept)] == [200, 404]
    assert cast.bob.get(f"/api/events/{kept['id']}").json["title"] == "Rehearsal"


@pytest.mark.parametrize("erase", [False, True])
def test_nothing_in_the_trash_has_the_name_or_the_address_of_the_account(cast: Cast, db: Database, settings: Settings, erase: bool) -> None:
    admin, yola = Admin(cast.anonymous, "ada"), verified(db, Person(cast.anonymous, "yola"))
    assert yola.put(f"/api/users/{yola.id}", json={"name": "Yolanda Underhill"}).status == 200
    diary = a_calendar(yola, name="Yolanda Underhill’s days", description=f"Write to {yola.email_address}")
    event = an_event(yola, calendar_id=diary["id"], start_time="2037-06-01T20:00", public=True)
    named = an_event(yola, calendar_id=diary["id"], title="Ask", description=f"Write to {yola.email_address.upper()}", public=True)
    for each in (event, named):
        a_response(yola, each, name="Yolanda Underhill")
        a_comment(yola, each, name="Yolanda Underhill")
        a_comment(cast.anonymous, each, email_address=yola.email_address, name="Yolanda Underhill")
    a_response(cast.anonymous, event, email_address="ines@example.org", name="Ines")
    _leave(yola, erase=erase)
    assert len(last_mails(db, settings)) == 1
    assert find_texts(db, yola.email_address, "Yolanda Underhill", yola.user_name) == set()
    assert _listed(admin)[diary["id"]] | {"deleted_at": "", "expires_at": ""} == {
        "id": diary["id"],
        "name": "Calendar",
        "events": 1,
        "deleted_at": "",
        "expires_at": "",
    }
    assert _give(admin, diary["id"], cast.bob).status == 200
    assert [cast.bob.get(f"/api/events/{each['id']}").status for each in (event, named)] == [200, 404]
    # An erased response is counted still.
    assert _guests(cast.bob, event) == [*([""] if erase else []), "ines@example.org"]
    assert cast.bob.get(f"/api/comments?event_id={event['id']}").json["comments"] == []


def test_after_30_days_nothing_of_it_is_left(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    admin, diary = Admin(cast.anonymous, "ada"), a_calendar(cast.alice, name="Diary of nobody else")
    an_event(cast.alice, calendar_id=diary["id"], title="Seldom heard of")
    _leave(cast.alice)
    clock.ahead(30 * DAY - 2)
    fresh = Admin(cast.anonymous, "ada")
    worker.empty_trash(Context(db, settings, clock()))
    assert find_texts(db, "Seldom heard of") == {("changes", "before")}
    assert diary["id"] in _listed(fresh)
    clock.ahead(2)
    assert diary["id"] not in _listed(fresh)
    assert _give(fresh, diary["id"], admin).status == 404
    worker.empty_trash(Context(db, settings, clock()))
    assert find_texts(db, "Seldom heard of", "Diary of nobody else") == set()


def test_an_admin_erases_a_calendar_at_once(cast: Cast, db: Database) -> None:
    admin, diary = Admin(cast.anonymous, "ada"), a_calendar(cast.alice, name="Diary of one day")
    an_event(cast.alice, calendar_id=diary["id"], title="Never again")
    _leave(cast.alice)
    assert cast.bob.delete(f"{PATH}/{diary['id']}").status == 403
    assert admin.delete(f"{PATH}/{diary['id']}").status == 200
    assert find_texts(db, "Never again", "Diary of one day") == set()
    assert admin.delete(f"{PATH}/{diary['id']}").status == 404


def test_an_empty_calendar_is_deleted_at_once(cast: Cast) -> None:
    admin, empty = Admin(cast.anonymous, "ada"), a_calendar(cast.alice)
    _leave(cast.alice)
    assert not {empty["id"], cast.alice.primary_calendar_id} & _listed(admin).keys()


def test_it_needs_a_recent_sign_in_and_an_active_account(cast: Cast, clock: Clock) -> None:
    admin, event = Admin(cast.anonymous, "ada"), an_event(cast.alice)
    assert event
    _leave(cast.alice)
    path = f"{PATH}/{cast.alice.primary_calendar_id}"
    wrong = admin.put(path, json={"user_name": cast.alice.user_name})
    assert (wrong.status, wrong.broken) == (422, ["user_name"])
    clock.ahead(901)
    stale = admin.put(path, json={"user_name": cast.bob.user_name})
    assert (stale.status, stale.broken) == (403, ["current_password"])
    assert cast.bob.put(path, json={"user_name": cast.bob.user_name}).status == 403


def test_a_full_account_gets_nothing_and_the_trash_keeps_it(db: Database, settings: Settings, clock: Clock) -> None:
    cast = Cast(Client(application(db, structs.replace(settings, quota_events=4), clock)))
    admin, event = Admin(cast.anonymous, "ada"), an_event(cast.alice)
    _leave(cast.alice)
    many_events(cast.bob, 4)
    assert _give(admin, cast.alice.primary_calendar_id, cast.bob).status == 409
    assert cast.bob.get("/api/trash").json["trash"] == []
    assert _give(admin, cast.alice.primary_calendar_id, cast.dave).status == 200
    assert cast.dave.get(f"/api/events/{event['id']}").status == 200


def test_someone_who_becomes_an_editor_meanwhile_gets_the_calendar(cast: Cast) -> None:
    """The share and the deletion are sent at the same time: the calendar is the editor's or in the trash, and never lost."""
    admin = Admin(cast.anonymous, "ada")
    for _ in range(6):
        owner, editor = Person(cast.anonymous, "owner"), Person(cast.anonymous, "editor")
        calendar = a_calendar(owner)
        event = an_event(owner, calendar_id=calendar["id"])
        sharing = {"user_name": editor.user_name, "role": "editor"}
        thread = threading.Thread(target=lambda: owner.put(f"/api/calendars/{calendar['id']}/share", json=sharing))  # noqa: B023
        thread.start()
        _leave(owner)
        thread.join()
        if editor.get(f"/api/events/{event['id']}").status == 404:
            assert _give(admin, calendar["id"], editor).status == 200
        assert editor.put(f"/api/events/{event['id']}", json={"title": "Kept"}).status == 200
