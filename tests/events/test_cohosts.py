"""Co-hosts of an event: they edit it, and neither its calendar nor who else edits it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.db import Author, Database
from kalends.features.users import store as users
from kalends.http.context import Context
from tests.cast import Cast, Person, a_calendar, a_cohost, a_response, an_event, an_invitation, shared, verified
from tests.client import Client
from tests.events.listing import listed
from tests.test_policy import ACTORS, CHANGES_PEOPLE, TABLE, Scene, content_of, name_of
from tests.users.account_mail import mails

EDITOR, STRANGER = ACTORS.index("editor"), ACTORS.index("stranger")


def _cohosts(reader: Client, event: dict[str, Any]) -> list[str]:
    reply = reader.get(f"/api/events/{event['id']}/cohosts")
    assert reply.status == 200, reply
    return [each["user_name"] or each["email_address"] for each in reply.json["cohosts"]]


def _may_edit(person: Person, event_id: int) -> bool:
    return person.get(f"/api/events/{event_id}/edit").status == 200


def test_a_cohost_edits_the_event_and_not_its_calendar(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    event, other = an_event(cast.alice, calendar_id=calendar["id"]), an_event(cast.alice, calendar_id=calendar["id"])
    a_cohost(cast.alice, event, cast.carol.user_name)
    path = f"/api/events/{event['id']}"
    assert cast.carol.put(path, json={"title": "Late concert"}).status == 200
    assert cast.carol.get(path).json["can_edit"] is True
    a_response(cast.alice, event)
    assert cast.carol.get("/api/responses", query={"event_id": event["id"]}).status == 200
    assert cast.carol.post(f"{path}/invitations", json={"addresses": ["ines@example.org"]}).status == 202
    assert cast.carol.get(f"/api/events/{other['id']}").status == 404
    assert cast.carol.get(f"/api/calendars/{calendar['id']}").status == 404
    assert listed(cast.carol) == []
    assert _cohosts(cast.carol, event) == [cast.carol.user_name]


def test_a_cohost_neither_deletes_nor_moves_the_event_nor_chooses_other_cohosts(cast: Cast) -> None:
    event = an_event(cast.alice)
    a_cohost(cast.alice, event, cast.carol.user_name)
    bobs = a_cohost(cast.alice, event, cast.bob.user_name)
    path = f"/api/events/{event['id']}"
    replies = [
        cast.carol.delete(path),
        cast.carol.put(path, json={"calendar_id": cast.carol.primary_calendar_id}),
        cast.carol.post(f"{path}/cohosts", json={"user_name": cast.dave.user_name}),
        cast.carol.delete(f"{path}/cohosts/{bobs['id']}"),
        cast.carol.get(f"/events/{event['id']}/delete"),
    ]
    assert [reply.status for reply in replies] == [403] * 5
    assert cast.carol.put(f"{path}/remove", json={"calendar_id": cast.alice.primary_calendar_id}).status == 403
    assert cast.alice.get(path).json["calendar_ids"] == [cast.alice.primary_calendar_id]


def test_a_cohost_makes_and_deletes_no_dates_by_a_rule(cast: Cast) -> None:
    """They would be on a calendar that is closed to the co-host."""
    event, series = an_event(cast.alice), an_event(cast.alice, start_time="2026-07-01T20:00")
    path = f"/api/events/{series['id']}/repeat"
    assert cast.alice.put(path, json={"frequency": "DAILY", "count": 3}).status == 200
    for each in (event, series):
        a_cohost(cast.alice, each, cast.carol.user_name, scope="all")
    for each in (event, series):
        assert cast.carol.put(f"/api/events/{each['id']}/repeat", json={"frequency": "DAILY", "count": 2}).status == 403
        assert cast.carol.get(f"/events/{each['id']}/repeat").status == 403
    assert len(listed(cast.alice)) == 4
    for page in ("edit", "cohosts"):
        text = cast.carol.get(f"/events/{event['id']}/{page}").text
        assert [f'href="/events/{event["id"]}/{action}"' in text for action in ("repeat", "delete", "questions")] == [False, False, True]
    assert f'href="/events/{event["id"]}/repeat"' in cast.alice.get(f"/events/{event['id']}/edit").text


def test_what_a_cohost_could_do_ends_with_the_cohosting(cast: Cast) -> None:
    event = an_event(cast.alice)
    cohost = a_cohost(cast.alice, event, cast.carol.user_name)
    shown = a_calendar(cast.carol)
    assert cast.carol.put(f"/api/events/{event['id']}/add", json={"calendar_id": shown["id"]}).status == 200
    assert cast.carol.put(f"/api/calendars/{shown['id']}/share", json={"user_name": cast.dave.user_name}).status == 200
    assert cast.dave.get(f"/api/events/{event['id']}").status == 200
    assert cast.alice.delete(f"/api/events/{event['id']}/cohosts/{cohost['id']}").json["deleted"] == [cohost["id"]]
    assert [person.get(f"/api/events/{event['id']}").status for person in (cast.carol, cast.dave)] == [404, 404]


def test_removing_a_cohost_lists_the_guests_whom_they_invited_and_withdraws_them_if_asked(cast: Cast) -> None:
    event = an_event(cast.alice)
    path = f"/api/events/{event['id']}"
    cohost = a_cohost(cast.alice, event, cast.carol.user_name)
    by_carol, by_alice = (an_invitation(person, event, f"by-{person.user_name}@example.org") for person in (cast.carol, cast.alice))
    added = a_response(cast.carol, event, email_address="added@example.org")
    listed_first = cast.alice.delete(f"{path}/cohosts/{cohost['id']}", query={"dry_run": "true"}).json["left"]
    removed = cast.alice.delete(f"{path}/cohosts/{cohost['id']}", json={"withdraw_invitations": True})
    assert removed.json["left"] == listed_first
    assert [each["id"] for each in removed.json["left"]["invitations"]] == [by_carol["id"]]
    assert [each["id"] for each in removed.json["left"]["guests"]] == [added["id"]]
    states = {each["id"]: each["state"] for each in cast.alice.get(f"{path}/invitations").json["invitations"]}
    assert (states[by_carol["id"]], states[by_alice["id"]] == "withdrawn") == ("withdrawn", False)


def test_invitations_of_a_removed_cohost_stay_unless_asked(cast: Cast) -> None:
    event = an_event(cast.alice)
    cohost = a_cohost(cast.alice, event, cast.carol.user_name)
    an_invitation(cast.carol, event, "guest@example.org")
    assert cast.alice.delete(f"/api/events/{event['id']}/cohosts/{cohost['id']}").json["left"]["invitations_total"] == 1
    [kept] = cast.alice.get(f"/api/events/{event['id']}/invitations").json["invitations"]
    assert kept["state"] != "withdrawn"


def test_the_page_removes_a_cohost_with_the_invitations_and_the_link(cast: Cast) -> None:
    event = an_event(cast.alice, visibility="link")
    cohost = a_cohost(cast.alice, event, cast.carol.user_name)
    path = f"/events/{event['id']}/cohosts"
    assert "withdraw_invitations" not in cast.alice.get(path).text
    an_invitation(cast.carol, event, "guest@example.org")
    link = cast.carol.get(f"/api/events/{event['id']}").json["link_url"].rpartition("/")[2]
    page = cast.alice.get(path).text
    assert all(name in page for name in ("withdraw_invitations", "reset_links"))
    fields = {"withdraw_invitations": "true", "reset_links": "true"}
    assert cast.alice.post(f"{path}/{cohost['id']}/delete", data=fields).redirect == (path, "cohost-removed")
    [withdrawn] = cast.alice.get(f"/api/events/{event['id']}/invitations").json["invitations"]
    assert withdrawn["state"] == "withdrawn"
    assert cast.carol.get(f"/api/events/{event['id']}", query={"link": link}).status == 404


def test_a_cohost_leaves(cast: Cast) -> None:
    event = an_event(cast.alice)
    cohost = a_cohost(cast.alice, event, cast.carol.user_name)
    path = f"/events/{event['id']}/cohosts"
    assert "Remove" in cast.carol.get(path).text
    assert cast.carol.post(f"{path}/{cohost['id']}/delete", data={}).redirect == ("/my-events?show=hosting", "cohost-removed")
    assert cast.carol.get(path).status == 404


def test_an_address_waits_for_the_account_that_verifies_it(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice)
    with_account, without = (
        cast.alice.post(f"/api/events/{event['id']}/cohosts", json={"user_name": address})
        for address in (verified(db, cast.carol).email_address, "nobody@example.org")
    )
    assert with_account.json.keys() == without.json.keys()
    assert (with_account.json["user_name"], without.json["user_name"]) == (None, None)
    assert _may_edit(cast.carol, event["id"])
    late = Person(cast.anonymous, "late", user_name="late-comer", email_address="late@example.org")
    a_cohost(cast.alice, event, "late@example.org")
    assert not _may_edit(late, event["id"])
    ctx = Context(db, settings, 0)
    with ctx.write():
        users.verify(ctx, users.get(ctx, late.id))
    assert _may_edit(late, event["id"])


@pytest.mark.parametrize(("scope", "edited"), [("this", 1), ("following", 2), ("all", 3)])
def test_a_cohost_of_a_series_edits_the_dates_of_the_scope(cast: Cast, scope: str, edited: int) -> None:
    event = an_event(cast.alice, start_time="2026-07-01T20:00")
    path = f"/api/events/{event['id']}"
    assert cast.alice.put(f"{path}/repeat", json={"frequency": "DAILY", "count": 3}).status == 200
    dates = listed(cast.alice, series_id=cast.alice.get(path).json["series_id"])
    cohost = a_cohost(cast.alice, {"id": dates[1]}, cast.carol.user_name, scope=scope)
    assert [_may_edit(cast.carol, each) for each in dates].count(True) == edited
    reply = cast.alice.delete(f"/api/events/{dates[1]}/cohosts/{cohost['id']}", json={"scope": scope})
    assert len(reply.json["deleted"]) == edited
    assert not any(_may_edit(cast.carol, each) for each in dates)


def test_later_dates_of_a_series_have_the_cohosts_of_all_its_dates(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2026-07-01T20:00")
    a_cohost(cast.alice, event, cast.carol.user_name)
    path = f"/api/events/{event['id']}"
    assert cast.alice.put(f"{path}/repeat", json={"frequency": "DAILY", "count": 3}).status == 200
    a_cohost(cast.alice, event, cast.bob.user_name, scope="this")
    assert cast.alice.put(f"{path}/repeat", json={"frequency": "DAILY", "count": 5}).status == 200
    dates = listed(cast.alice, series_id=cast.alice.get(path).json["series_id"])
    assert [_may_edit(cast.carol, each) for each in dates] == [True] * 5
    assert [_may_edit(cast.bob, each) for each in dates] == [True] + [False] * 4


def test_the_event_is_among_what_the_cohost_hosts(cast: Cast) -> None:
    event = an_event(cast.alice, visibility="link")
    a_cohost(cast.alice, event, cast.carol.user_name)
    hosting = cast.carol.get("/api/my_events", query={"show": "hosting"}).json["events"]
    assert [(each["id"], each["can_edit"]) for each in hosting] == [(event["id"], True)]


def test_adding_and_removing_are_undone_by_those_who_may_do_them(cast: Cast) -> None:
    event = an_event(cast.alice)
    cohost = a_cohost(cast.alice, event, cast.carol.user_name)
    a_cohost(cast.alice, event, cast.bob.user_name)
    assert cast.alice.delete(f"/api/events/{event['id']}/cohosts/{cohost['id']}").status == 200
    seq = next(each["seq"] for each in cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"] if each["kind"] == "cohost")
    assert cast.bob.post(f"/api/changes/{seq}/undo").status == 403
    assert cast.alice.post(f"/api/changes/{seq}/undo").status == 200
    assert _may_edit(cast.carol, event["id"])


def test_a_deleted_event_comes_back_with_its_cohosts(cast: Cast) -> None:
    event = an_event(cast.alice)
    a_cohost(cast.alice, event, cast.carol.user_name)
    assert cast.alice.delete(f"/api/events/{event['id']}").status == 200
    seq = next(each["seq"] for each in cast.alice.get("/api/trash").json["trash"] if each["id"] == event["id"])
    assert cast.alice.post(f"/api/changes/{seq}/undo").status == 200
    assert _cohosts(cast.alice, event) == [cast.carol.user_name]


def test_a_cohost_gets_mail_once(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, title="Board games")
    for _ in range(2):
        a_cohost(cast.alice, event, cast.carol.user_name)
    [mail] = mails(db, settings, cast.carol.id, "notice")
    assert "a co-host" in mail
    assert f"/events/{event['id']}" in mail


def test_oneself_and_strangers_to_the_site_are_refused(cast: Cast) -> None:
    event = an_event(cast.alice)
    path = f"/api/events/{event['id']}/cohosts"
    own, unknown = (cast.alice.post(path, json={"user_name": name}) for name in (cast.alice.user_name, "nobody-at-all"))
    assert (own.status, own.broken, unknown.status, unknown.broken) == (409, ["user_name"], 404, ["user_name"])


# What needs the right to edit the event's calendar, which co-hosts do not have.
OF_HOME = {
    "DELETE /api/events/{event_id}",
    "PUT /api/events/{event_id}/remove",
    "PUT /api/events/{event_id}/repeat",
    "GET /events/{event_id}/repeat",
    "POST /events/{event_id}/repeat",
    "GET /events/{event_id}/delete",
    "POST /events/{event_id}/delete",
    "POST /api/events/{event_id}/cohosts",
    "DELETE /api/events/{event_id}/cohosts/{cohost_id}",
    "POST /events/{event_id}/cohosts",
    "POST /events/{event_id}/cohosts/{cohost_id}/delete",
}


@pytest.mark.on_one_database
@pytest.mark.parametrize("visibility", ["private", "public"])
def test_the_permission_table_of_a_cohost_and_of_a_former_one(client: Client, settings: Settings, visibility: str) -> None:
    """A co-host has the permissions of an editor at each endpoint of the event, except what concerns its calendar; a former one those of a
    stranger."""
    cast = Cast(client)
    wrong = {}
    endpoints = [
        each for each in ENDPOINTS if "{event_id}" in each.url and "private" in TABLE[name_of(each)] and not CHANGES_PEOPLE.search(each.url)
    ]
    for endpoint in endpoints:
        name = name_of(endpoint)
        row = TABLE[name].get(visibility)
        if row is None:
            continue
        for column, is_former in ((EDITOR, False), (STRANGER, True)):
            scene = Scene(cast, settings, visibility)
            cohost = a_cohost(cast.alice, scene.event, cast.dave.user_name)
            if is_former:
                assert cast.alice.delete(f"/api/events/{scene.event['id']}/cohosts/{cohost['id']}").status == 200
            status = cast.dave.request(endpoint.method, scene.path(endpoint.url), **content_of(name, scene)).status
            expected = 403 if name in OF_HOME and not is_former else row[column]
            if status != expected:
                wrong[name, is_former] = (status, expected)
    assert wrong == {}
    assert len(endpoints) > 40


def test_an_editor_whose_role_ends_meanwhile_adds_no_cohost(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    path, name = f"/api/events/{event['id']}/cohosts", cast.carol.user_name
    with ThreadPoolExecutor(1) as thread:
        with db.write() as tx:
            tx.author = lambda: Author(1, 0, None, "database", None)
            tx.advisory_lock(f"calendar {calendar['id']}")
            for table in ("calendar_invitations", "calendar_shares"):
                tx.run(f"DELETE FROM {table} WHERE calendar_id = :id", id=calendar["id"])
            adding = thread.submit(cast.bob.post, path, json={"user_name": name})
            # It waits for the lock, or has not begun yet.
            threading.Event().wait(0.3)
        assert adding.result(30).status == 404
    assert cast.alice.get(path).json["cohosts"] == []
