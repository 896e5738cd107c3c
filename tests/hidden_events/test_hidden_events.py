"""/api/hidden_events: admins hide an event from everybody but its editors, and show it again."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.events.series.steps import occurrences
from kalends.http.context import Context
from tests.cast import Cast, Person, a_calendar, a_comment, a_response, an_event, an_invitation, shared
from tests.changes.follower import find_cursor, read_changes
from tests.client import Client
from tests.conftest import Clock
from tests.dav.clients import calendar_path, device, report
from tests.events.series import five_mondays, ids_of_series, repeat
from tests.events.test_link_secrecy import is_named, places_of
from tests.http.multipart import multipart
from tests.responses.mail import a_response_token, an_invitation_token, mails_about
from tests.serve.running import eventually
from tests.site.administrator import Admin, a_hidden_event


class Scene:
    """A public event on a public calendar of alice, with bob as its editor and carol as a viewer."""

    def __init__(self, cast: Cast, **fields: Any) -> None:
        self.ada, self.word = Admin(cast.anonymous, "ada"), f"word{uuid4().hex[:12]}"
        self.calendar = a_calendar(cast.alice, public=fields.get("public", True) is not False)
        shared(cast.alice, self.calendar, cast.bob, "editor")
        shared(cast.alice, self.calendar, cast.carol, "viewer")
        visible = {"calendar_id": self.calendar["id"], "public": True, "tag_list": "secret"} | fields
        self.event = an_event(cast.alice, title=self.word, **visible)
        self.path = f"/api/events/{self.event['id']}"

    def hide(self) -> dict[str, Any]:
        return a_hidden_event(self.ada, self.event, "It sells pills.")

    def show(self, hidden: dict[str, Any]) -> None:
        assert self.ada.delete(f"/api/hidden_events/{hidden['id']}").status == 200

    def traces(self, reader: Client) -> list[str]:
        return [place for place in places_of(self.event, self.calendar["id"], self.word) if is_named(reader, place, self.word)]


def test_a_hidden_event_leaves_no_trace_but_for_its_editors_and_comes_back_as_it_was(cast: Cast) -> None:
    scene = Scene(cast)
    a_comment(cast.alice, scene.event, comment=scene.word)
    for person in (cast.bob, cast.dave):
        assert person.put(f"{scene.path}/add", json={"calendar_id": a_calendar(person)["id"]}).status == 200
    before = cast.alice.get(scene.path).json
    cursor = find_cursor(cast.carol, "kinds=event")
    hidden = scene.hide()
    for reader in (cast.carol, cast.dave, cast.anonymous, scene.ada):
        assert scene.traces(reader) == []
    assert scene.word not in cast.dave.get("/api/events?limit=1000").text
    changes = read_changes(cast.carol, f"cursor={cursor}&kinds=event")["changes"]
    assert [(change["op"], change["id"]) for change in changes] == [("gone", scene.event["id"])]
    for editor in (cast.alice, cast.bob):
        assert "It sells pills." in editor.get(f"/events/{scene.event['id']}").text
        assert scene.word in editor.get(f"/api/events?calendar_id={scene.calendar['id']}").text
    scene.show(hidden)
    after = cast.alice.get(scene.path).json
    assert after | {"updated_at": None} == before | {"updated_at": None}
    for reader in (cast.carol, cast.dave, cast.anonymous):
        assert len(scene.traces(reader)) > 10


def test_a_private_event_is_hidden_from_the_viewers_of_its_calendar(cast: Cast) -> None:
    scene = Scene(cast, public=False)
    feed = cast.alice.get(f"/api/calendars/{scene.calendar['id']}").json["feed_url"].partition("/api/")[2]

    def readers() -> list[bool]:
        texts = [cast.anonymous.get(f"/api/{feed}").text, *(on_device(person, scene.calendar) for person in (cast.carol, cast.bob))]
        return [cast.carol.get(scene.path).status == 200, *(scene.word in text for text in texts)]

    assert readers() == [True, True, True, True]
    hidden = scene.hide()
    assert readers() == [False, False, False, True]
    scene.show(hidden)
    assert readers() == [True, True, True, True]
    assert cast.alice.get(scene.path).json["visibility"] == "members"


def test_links_of_guests_do_not_open_a_hidden_event(cast: Cast, settings: Settings) -> None:
    scene = Scene(cast, public=None, visibility="link", start_time="2030-06-01T20:00")
    link = cast.alice.get(scene.path).json["link_url"].removeprefix(settings.url)
    response = a_response(cast.alice, scene.event, email_address="gus@example.org")
    invitation = an_invitation(cast.alice, scene.event)
    paths = [link, f"/r/{a_response_token(settings, response['id'])}", f"/i/{an_invitation_token(settings, invitation['id'])}"]
    assert [is_named(cast.anonymous, path, scene.word) for path in paths] == [True, True, True]
    hidden = scene.hide()
    assert [is_named(cast.anonymous, path, scene.word) for path in paths] == [False, False, False]
    scene.show(hidden)
    assert [is_named(cast.anonymous, path, scene.word) for path in paths] == [True, True, True]


def test_the_editors_get_mail_and_guests_get_none(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    scene = Scene(cast, start_time="2030-06-01T20:00")
    a_response(cast.alice, scene.event, email_address="gus@example.org")
    mails_about(db, settings, scene.event["id"], clock.now)
    hidden = scene.hide()
    mails = mails_about(db, settings, scene.event["id"], clock.now)
    assert sorted(mail["To"] for mail in mails) == sorted([cast.alice.email_address, cast.bob.email_address])
    assert all(scene.word in mail["Subject"] and "It sells pills." in mail.as_string() for mail in mails)
    scene.show(hidden)
    mails = mails_about(db, settings, scene.event["id"], clock.now)
    assert len(mails) == 2
    assert all(scene.word in mail["Subject"] and "pills" not in mail.as_string() for mail in mails)


def test_editors_cannot_change_a_hidden_event_and_can_delete_it_which_stays_hidden(cast: Cast) -> None:
    scene = Scene(cast)
    hidden = scene.hide()
    refused = [
        cast.alice.put(scene.path, json={"public": True}),
        cast.bob.put(scene.path, json={"title": "Not pills"}),
        cast.alice.put(f"{scene.path}/add", json={"calendar_id": a_calendar(cast.alice)["id"]}),
        cast.alice.put(f"{scene.path}/repeat", json={"frequency": "DAILY", "end_date": "2026-12-31"}),
        cast.alice.put(f"{scene.path}/announce"),
    ]
    assert [reply.status for reply in refused] == [403] * 5
    assert cast.bob.delete(scene.path).status == 200
    assert scene.ada.delete(f"/api/hidden_events/{hidden['id']}").status == 409
    [seq] = [each["seq"] for each in cast.alice.get("/api/trash").json["trash"] if scene.word in str(each)]
    assert cast.alice.post(f"/api/changes/{seq}/undo").status == 200
    assert (cast.carol.get(scene.path).status, cast.alice.put(scene.path, json={"public": True}).status) == (404, 403)
    scene.show(hidden)
    assert cast.carol.get(scene.path).status == 200


def test_what_an_admin_did_is_not_undone_by_an_editor(cast: Cast) -> None:
    scene = Scene(cast)
    scene.show(scene.hide())
    change = cast.alice.get(f"{scene.path}/changes").json["changes"][0]
    assert change["via"] == "moderation"
    assert cast.alice.post(f"/api/changes/{change['seq']}/undo").status == 409


def test_all_dates_of_a_series_are_hidden_and_an_import_leaves_them(cast: Cast) -> None:
    scene = Scene(cast)
    ids = five_mondays(cast.alice, calendar_id=scene.calendar["id"], public=True)
    file = cast.alice.get(f"/api/calendars/{scene.calendar['id']}.ics").content
    hidden = a_hidden_event(scene.ada, {"id": ids[2]})
    assert {cast.carol.get(f"/api/events/{event_id}").status for event_id in ids} == {404}
    upload = multipart({"calendar_id": str(scene.calendar["id"]), "public": "true"}, files=[("file", "a.ics", file)])
    assert cast.alice.post("/api/events/import", **upload).status == 201
    assert {cast.carol.get(f"/api/events/{event_id}").status for event_id in ids} == {404}
    again = a_hidden_event(scene.ada, {"id": ids[0]}, "Another reason.")
    assert (again["id"], again["reason"]) == (hidden["id"], "Another reason.")
    assert again in scene.ada.get("/api/hidden_events?limit=1000").json["hidden_events"]
    scene.show(hidden)
    assert {cast.carol.get(f"/api/events/{event_id}").status for event_id in ids} == {200}


def test_an_endless_series_goes_on_when_it_is_shown_again(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    scene = Scene(cast)
    repeat(cast.alice, scene.event["id"], frequency="MONTHLY")
    known = len(ids_of_series(cast.alice, scene.event["id"]))
    series_id = cast.alice.get(scene.path).json["series_id"]
    ctx = Context(db, settings, clock.now + 200 * 86_400)
    hidden = scene.hide()
    with ctx.write():
        occurrences.extend(ctx, series_id)
    assert len(ids_of_series(cast.alice, scene.event["id"])) == known
    scene.show(hidden)
    with ctx.write():
        occurrences.extend(ctx, series_id)
    assert len(ids_of_series(cast.bob, scene.event["id"])) > known


def on_device(person: Person, calendar: dict[str, Any]) -> str:
    """What a phone of the user reads of the calendar."""
    inner = '<D:prop><C:calendar-data/></D:prop><C:filter><C:comp-filter name="VCALENDAR"/></C:filter>'
    reply = report(person, calendar_path(person, calendar["id"]), "C:calendar-query", inner, **device(person))
    assert reply.status == 207, reply
    return reply.text


@pytest.mark.on_postgres
def test_an_event_that_is_deleted_meanwhile_is_not_shown(cast: Cast, db: Database) -> None:
    scene = Scene(cast)
    hidden = scene.hide()

    def is_waiting() -> bool:
        with db.read() as tx:
            sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            return bool(tx.rows(sql))

    with ThreadPoolExecutor(1) as threads:
        with db.write() as tx:
            tx.run("DELETE FROM events WHERE id = :id", id=scene.event["id"])
            showing = threads.submit(scene.ada.delete, f"/api/hidden_events/{hidden['id']}")
            eventually(is_waiting)
        assert showing.result(30).status == 409
