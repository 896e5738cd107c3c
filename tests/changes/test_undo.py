"""Undo: every kind of change is put back as it was, or refused with 409 if someone changed it since."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Author, Database
from kalends.features.changes.rules import undo_order
from tests.cast import PASSWORD, Cast, Person, a_calendar, a_comment, a_contact, a_question, a_response, an_event, shared
from tests.changes.follower import listing
from tests.client import Client
from tests.conftest import Clock
from tests.events.series import assert_rule_agrees, events_of_series

# They tell when a record was changed last, which an undo is.
STAMPS = ("updated_at",)


@pytest.fixture(autouse=True, params=[undo_order.STEP_RECORDS, 1], ids=["at once", "in steps"])
def _steps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it holds for large requests, too, which are undone in several transactions."""
    monkeypatch.setattr(undo_order, "STEP_RECORDS", request.param)


def _show(person: Person, path: str) -> dict[str, Any]:
    reply = person.get(path)
    assert reply.status == 200, reply
    return {name: value for name, value in reply.json.items() if name not in STAMPS}


def _event(person: Person, event: dict[str, Any]) -> dict[str, Any]:
    detail = _show(person, f"/api/events/{event['id']}?comments=true")
    detail["responses of guests"] = person.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return detail


def _history(person: Person, event: dict[str, Any]) -> list[dict[str, Any]]:
    changes: list[dict[str, Any]] = person.get(f"/api/events/{event['id']}/changes").json["changes"]
    return changes


def _undo(person: Person, seq: int, status: int = 200) -> Any:
    reply = person.post(f"/api/changes/{seq}/undo")
    assert reply.status == status, reply
    return reply.json


def _last_deleted(person: Person) -> dict[str, Any]:
    item: dict[str, Any] = person.get("/api/trash").json["trash"][0]
    return item


def test_a_changed_event_gets_its_old_content(cast: Cast) -> None:
    event = an_event(cast.alice, description="Late", tag_list="jazz", location="Hall, Paris", public=True)
    before = _event(cast.alice, event)
    changes = {"title": "Moved", "start_time": "2026-07-01T20:00", "tag_list": "", "public": False, "description": "Early"}
    cast.alice.put(f"/api/events/{event['id']}", json=changes)
    newest = _history(cast.alice, event)[0]
    assert {"field": "title", "before": "Concert", "after": "Moved"} in newest["fields"]
    assert newest["actor"]["id"] == cast.alice.id
    _undo(cast.alice, newest["seq"])
    assert _event(cast.alice, event) == before
    assert cast.alice.get("/api/events?text=late").json["events"] != []


def test_an_undo_can_be_undone(cast: Cast) -> None:
    event = an_event(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}", json={"title": "Moved"})
    _undo(cast.alice, _history(cast.alice, event)[0]["seq"])
    _undo(cast.alice, _history(cast.alice, event)[0]["seq"])
    assert _event(cast.alice, event)["title"] == "Moved"


def test_a_deleted_event_comes_back_with_its_comments_responses_and_calendars(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    other = a_calendar(cast.alice, public=True)
    cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": other["id"]})
    a_comment(cast.bob, event)
    a_response(cast.bob, event, comment="Gladly", plus_n=2)
    before, listed = _event(cast.alice, event), listing(cast.alice, None)
    cast.alice.delete(f"/api/events/{event['id']}")
    assert cast.anonymous.get(f"/api/events/{event['id']}").status == 410
    deleted = _last_deleted(cast.alice)
    assert (deleted["id"], deleted["title"], deleted["events"]) == (event["id"], "Concert", 1)
    _undo(cast.alice, deleted["seq"])
    assert _event(cast.alice, event) == before
    assert listing(cast.alice, None).keys() == listed.keys()
    assert cast.anonymous.get(f"/api/events/{event['id']}").status == 200
    assert cast.alice.get("/api/trash").json["trash"] == []


def test_a_deleted_series_comes_back_whole(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 4})
    dates = cast.alice.get("/api/events").json["events"]
    a_response(cast.bob, dates[2])
    cast.alice.delete(f"/api/events/{dates[1]['id']}")
    before = [_event(cast.alice, each) for each in cast.alice.get("/api/events").json["events"]]
    assert len(before) == 3
    cast.alice.delete(f"/api/events/{dates[2]['id']}?scope=all")
    assert cast.alice.get("/api/events").json["events"] == []
    deleted = _last_deleted(cast.alice)
    assert deleted["events"] == 3
    _undo(cast.alice, deleted["seq"])
    assert [_event(cast.alice, each) for each in cast.alice.get("/api/events").json["events"]] == before
    assert cast.alice.get(f"/api/events/{dates[0]['id']}").json["repeat"]["except"] == [dates[1]["start_time"][:10]]


def test_a_deleted_date_of_a_series_comes_back(cast: Cast) -> None:
    event = an_event(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 3})
    date = cast.alice.get("/api/events").json["events"][1]
    before = _event(cast.alice, date)
    cast.alice.delete(f"/api/events/{date['id']}")
    _undo(cast.alice, _last_deleted(cast.alice)["seq"])
    assert _event(cast.alice, date) == before


def test_a_repeated_event_is_alone_again(cast: Cast) -> None:
    event = an_event(cast.alice)
    before = _event(cast.alice, event)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 3})
    _undo(cast.alice, _history(cast.alice, event)[0]["seq"])
    assert _event(cast.alice, event) == before
    assert len(cast.alice.get("/api/events").json["events"]) == 1


def test_a_changed_series_gets_its_old_content(cast: Cast) -> None:
    event = an_event(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 6})
    dates = cast.alice.get("/api/events").json["events"]
    before = [_event(cast.alice, each) for each in dates]
    changes = {"title": "Other", "start_time": "2026-06-16T21:00", "scope": "following"}
    assert cast.alice.put(f"/api/events/{dates[2]['id']}", json=changes).status == 200
    _undo(cast.alice, _history(cast.alice, dates[2])[0]["seq"])
    assert [_event(cast.alice, each) for each in cast.alice.get("/api/events").json["events"]] == before


@pytest.mark.parametrize("day", ["2027-03-08", "2027-03-10"])
def test_a_series_that_was_moved_to_the_next_date_moves_back_and_there_again(cast: Cast, day: str) -> None:
    event = an_event(cast.alice, start_time="2027-03-09T20:00")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 4})
    before = events_of_series(cast.alice, event["id"])
    assert cast.alice.put(f"/api/events/{event['id']}", json={"start_time": f"{day}T20:00", "scope": "all"}).status == 200
    moved = [each["start_time"] for each in events_of_series(cast.alice, event["id"])]
    _undo(cast.alice, _history(cast.alice, event)[0]["seq"])
    assert [each["start_time"] for each in events_of_series(cast.alice, event["id"])] == [each["start_time"] for each in before]
    assert_rule_agrees(cast.alice, event["id"])
    _undo(cast.alice, _history(cast.alice, event)[0]["seq"])
    assert [each["start_time"] for each in events_of_series(cast.alice, event["id"])] == moved
    assert_rule_agrees(cast.alice, event["id"])


def test_a_series_that_was_split_gets_its_later_exceptions_back(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-03-09T20:00")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 6, "except": "2027-03-12"})
    before, second = _event(cast.alice, event), events_of_series(cast.alice, event["id"])[1]
    day = {"start_time": "2027-03-11T20:00", "scope": "following"}
    assert cast.alice.put(f"/api/events/{second['id']}", json=day).status == 200
    _undo(cast.alice, _history(cast.alice, second)[0]["seq"])
    assert _event(cast.alice, event) == before
    assert_rule_agrees(cast.alice, second["id"])


def test_a_created_event_is_deleted(cast: Cast) -> None:
    event = an_event(cast.alice)
    _undo(cast.alice, _history(cast.alice, event)[0]["seq"])
    assert cast.alice.get(f"/api/events/{event['id']}").status == 404


def test_a_removed_placement_comes_back(cast: Cast) -> None:
    event, other = an_event(cast.alice), a_calendar(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": other["id"]})
    before = _event(cast.alice, event)
    cast.alice.put(f"/api/events/{event['id']}/remove", json={"calendar_id": event["calendars"][0]["id"]})
    assert _event(cast.alice, event) != before
    _undo(cast.alice, _history(cast.alice, event)[0]["seq"])
    assert _event(cast.alice, event) == before


@pytest.mark.parametrize("change", ["update", "delete"])
def test_comments_and_responses_get_their_old_content(cast: Cast, change: str) -> None:
    event = an_event(cast.alice, public=True)
    comment, response = a_comment(cast.bob, event), a_response(cast.bob, event)
    before = _event(cast.alice, event)
    if change == "update":
        cast.alice.put(f"/api/comments/{comment['id']}", json={"comment": "Other", "approved": True})
        cast.alice.put(f"/api/responses/{response['id']}", json={"response": "NO"})
    else:
        cast.alice.delete(f"/api/comments/{comment['id']}")
        cast.alice.delete(f"/api/responses/{response['id']}")
    for row in _history(cast.alice, event)[:2]:
        _undo(cast.alice, row["seq"])
    after = _event(cast.alice, event)
    for detail in (before, after):
        for item in (*detail["comments"], *detail["responses of guests"]):
            del item["updated_at"]
    assert after == before


def test_a_deleted_calendar_comes_back_with_its_events_and_shares(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, description="Nights")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    shared(cast.alice, calendar, cast.bob, "editor")
    before = _show(cast.alice, f"/api/calendars/{calendar['id']}")
    cast.alice.delete(f"/api/calendars/{calendar['id']}")
    assert cast.bob.get(f"/api/events/{event['id']}").status == 404
    _undo(cast.alice, _last_deleted(cast.alice)["seq"])
    after = _show(cast.alice, f"/api/calendars/{calendar['id']}")
    assert after.pop("feed_url") != before.pop("feed_url"), "an old secret URL must not become valid again"
    assert after == before
    assert cast.bob.get(f"/api/events/{event['id']}").status == 200


def test_the_trash_lists_each_request_once_however_much_it_deleted(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    first, second = (an_event(cast.alice, title=title, calendar_id=calendar["id"]) for title in ("First", "Second"))
    restored = an_event(cast.alice)
    for event in (first, restored, second):
        assert cast.alice.delete(f"/api/events/{event['id']}").status == 200
    _undo(cast.alice, next(each["seq"] for each in cast.alice.get("/api/trash").json["trash"] if each["id"] == restored["id"]))
    deletion = f"FROM changes h WHERE h.event_id = {first['id']} AND h.kind = 'event' AND h.op = 'delete'"
    names = "set_id, at, actor_id, via, kind, record_id, event_id, owner_id, calendar_id, op, before"
    with db.write() as tx:
        rows = tx.rows(f"SELECT {names} {deletion}")
        row = dict(zip(names.split(", "), rows[0], strict=True))
        copies = [row | {"record_id": -i, "event_id": -i} for i in range(10_000)]
        tx.many(f"INSERT INTO changes ({names}) VALUES ({', '.join(f':{name}' for name in row)})", copies)
    for person in (cast.alice, cast.bob):
        reply = person.get("/api/trash")
        assert reply.status == 200, reply
        assert [each["title"] for each in reply.json["trash"]] == ["Second", "First"]
        assert [each["events"] for each in reply.json["trash"]] == [1, 10_001]
        assert [each["title"] for each in person.get("/api/trash?limit=1&offset=1").json["trash"]] == ["First"]


def test_somebody_elses_later_change_is_a_conflict(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    cast.alice.put(f"/api/events/{event['id']}", json={"title": "Mine"})
    seq = _history(cast.alice, event)[0]["seq"]
    cast.bob.put(f"/api/events/{event['id']}", json={"title": "His"})
    conflict = _undo(cast.alice, seq, 409)
    assert {"title": "His"}.items() <= _event(cast.alice, event).items()
    [error] = conflict["errors"]
    assert error["field"] == "title"
    assert "Concert" in error["message"]
    assert "His" in error["message"]


def _moved_to_a_new_calendar(person: Person, event: dict[str, Any]) -> int:
    """Make a public calendar for the event as the page does; the number of a change of that request."""
    made = person.post("/calendars", data={"name": "Concerts", "public": "true", "event_id": event["id"], "remind": "true"})
    assert made.status == 303, made
    return int(_history(person, event)[0]["seq"])


def test_a_calendar_that_was_made_for_an_event_goes_and_the_event_moves_back(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    before = _event(cast.alice, event)
    seq = _moved_to_a_new_calendar(cast.alice, event)
    made = _event(cast.alice, event)["calendar_ids"][0]
    _undo(cast.alice, seq)
    assert _event(cast.alice, event) == before
    assert cast.alice.get(f"/api/calendars/{made}").status == 404


def test_a_calendar_that_has_other_events_since_stays(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    seq = _moved_to_a_new_calendar(cast.alice, event)
    other = an_event(cast.alice, calendar_id=_event(cast.alice, event)["calendar_ids"][0])
    before = _event(cast.alice, event), _event(cast.alice, other)
    assert _undo(cast.alice, seq, 409)["detail"].startswith("Other events are on the new calendar now")
    assert (_event(cast.alice, event), _event(cast.alice, other)) == before


def test_a_refused_undo_says_whether_you_changed_it_yourself(cast: Cast) -> None:
    event = an_event(cast.alice)
    for title in ("First", "Second"):
        cast.alice.put(f"/api/events/{event['id']}", json={"title": title})
    assert _undo(cast.alice, _history(cast.alice, event)[1]["seq"], 409)["detail"].startswith("You’ve changed this since")


def test_a_new_event_with_comments_of_others_is_not_deleted(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    seq = _history(cast.alice, event)[-1]["seq"]
    a_comment(cast.bob, event)
    _undo(cast.alice, seq, 409)
    assert cast.alice.get(f"/api/events/{event['id']}").status == 200


def test_only_those_who_may_change_it_undo_a_change(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    cast.alice.put(f"/api/events/{event['id']}", json={"title": "Moved"})
    seq = _history(cast.alice, event)[0]["seq"]
    _undo(cast.carol, seq, 403)
    cast.alice.delete(f"/api/events/{event['id']}")
    seq = _last_deleted(cast.alice)["seq"]
    _undo(cast.carol, seq, 404)
    assert cast.carol.get("/api/trash").json["trash"] == []


def test_a_stranger_learns_nothing_of_hidden_changes_that_cannot_be_undone(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    invited = {"user_name": "nobody@example.org", "role": "viewer"}
    assert cast.alice.put(f"/api/calendars/{calendar['id']}/share", json=invited).status == 200
    event = an_event(cast.bob, calendar_id=calendar["id"])
    with db.write() as tx:
        tx.author = lambda: Author(event["id"], 0, None, "moderation", None)
        tx.run("UPDATE events SET title = 'Moderated' WHERE id = :id", id=event["id"])
    with db.read() as tx:
        rows = tx.rows("SELECT id, kind, via FROM changes WHERE calendar_id = :id ORDER BY id", id=calendar["id"])
    seqs = [seq for seq, _, _ in rows]
    assert {"calendar", "share", "invitation", "event"} <= {kind for _, kind, _ in rows}
    for query in ("", "?dry_run=true"):
        assert {cast.carol.post(f"/api/changes/{seq}/undo{query}").status for seq in seqs} == {404}
    refused = [seq for seq, kind, via in rows if kind in ("share", "invitation") or via == "moderation"]
    assert {cast.alice.post(f"/api/changes/{seq}/undo").status for seq in refused} == {409}


def test_contacts_are_undone_by_their_owner_alone(cast: Cast, db: Database) -> None:
    contact = a_contact(cast.alice, last_name="Bell", tag_list="choir")
    before = _show(cast.alice, f"/api/contacts/{contact['id']}")
    cast.alice.delete(f"/api/contacts/{contact['id']}")
    with db.read() as tx:
        seq = tx.value("SELECT max(id) FROM changes")
    _undo(cast.bob, seq, 404)
    _undo(cast.alice, seq)
    assert _show(cast.alice, f"/api/contacts/{contact['id']}") == before
    assert [each["id"] for each in cast.alice.get("/api/contacts?text=bell").json["contacts"]] == [contact["id"]]


def test_an_author_does_not_undo_what_an_editor_did(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    comment = a_comment(cast.bob, event)
    cast.alice.put(f"/api/comments/{comment['id']}", json={"approved": False, "comment": "Moderated"})
    hidden = _history(cast.alice, event)[0]
    assert (hidden["kind"], hidden["op"]) == ("comment", "update")
    _undo(cast.bob, hidden["seq"], 403)
    _undo(cast.alice, hidden["seq"])


def test_an_event_is_not_put_on_the_calendar_of_others_again(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    calendar = a_calendar(cast.bob)
    cast.bob.put(f"/api/events/{event['id']}/add", json={"calendar_id": calendar["id"]})
    cast.bob.put(f"/api/events/{event['id']}/remove", json={"calendar_id": calendar["id"]})
    removed = _history(cast.alice, event)[0]
    assert (removed["kind"], removed["op"]) == ("placement", "delete")
    _undo(cast.alice, removed["seq"], 404)
    assert cast.bob.get(f"/api/events?calendar_id={calendar['id']}").json["events"] == []


def test_the_owner_does_not_undo_that_somebody_left(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "viewer")
    leave = {"user_name": cast.bob.user_name, "block": True}
    assert cast.bob.put(f"/api/calendars/{calendar['id']}/unshare", json=leave).status == 200
    with db.read() as tx:
        seq = tx.value("SELECT max(id) FROM changes")
    _undo(cast.alice, seq, 409)
    assert cast.bob.get(f"/api/calendars/{calendar['id']}").status == 404


def test_what_referred_to_deleted_accounts_and_calendars_comes_back_without_them(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    other = a_calendar(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": other["id"]})
    comment, response = a_comment(cast.bob, event), a_response(cast.bob, event)
    cast.alice.delete(f"/api/events/{event['id']}")
    assert cast.bob.delete(f"/api/users/{cast.bob.id}", json={"current_password": PASSWORD}).status == 200
    cast.alice.delete(f"/api/calendars/{other['id']}")
    deleted = next(each for each in cast.alice.get("/api/trash").json["trash"] if each["id"] == event["id"])
    _undo(cast.alice, deleted["seq"])
    restored = _event(cast.alice, event)
    assert [each["id"] for each in restored["comments"]] == [comment["id"]]
    assert [each["id"] for each in restored["responses of guests"]] == [response["id"]]
    assert restored["calendar_ids"] == [event["calendars"][0]["id"]]


def test_an_event_whose_home_was_deleted_since_is_a_conflict(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    cast.alice.delete(f"/api/events/{event['id']}")
    deleted = _last_deleted(cast.alice)
    cast.alice.delete(f"/api/calendars/{calendar['id']}")
    assert "event’s calendar" in _undo(cast.alice, deleted["seq"], 409)["detail"]


def test_a_change_that_is_committed_meanwhile_is_a_conflict(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}", json={"title": "Mine"})
    seq = _history(cast.alice, event)[0]["seq"]
    with ThreadPoolExecutor(1) as thread:
        with db.write() as tx:
            tx.author = lambda: Author(1, 0, None, "database", None)
            tx.run("UPDATE events SET title = 'Theirs' WHERE id = :id", id=event["id"])
            undo = thread.submit(cast.alice.post, f"/api/changes/{seq}/undo")
            # It waits for the lock, or has not begun yet; neither may overwrite the change.
            Event().wait(0.2)
        assert undo.result(30).status == 409
    assert _event(cast.alice, event)["title"] == "Theirs"


def test_a_quota_is_not_exceeded_by_an_undo(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    full = Client(application(db, structs.replace(settings, quota_events=1), clock), cast.alice.token)
    event = an_event(full)
    full.delete(f"/api/events/{event['id']}")
    deleted = _last_deleted(cast.alice)
    an_event(full)
    refused = full.post(f"/api/changes/{deleted['seq']}/undo")
    assert (refused.status, "limit of 1 events" in refused.json["detail"]) == (409, True), refused


def test_an_unknown_change_is_not_found(cast: Cast) -> None:
    _undo(cast.alice, 999_999, 404)


def test_an_undo_tells_nothing_of_a_response_that_the_owner_of_its_address_took_over(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    question = a_question(cast.alice, f"/api/events/{event['id']}")
    response = a_response(cast.bob, event, answers=[{"question_id": question["id"], "answer": "yes"}])
    own = [_history(cast.alice, event)[0]["seq"]]
    assert cast.bob.put(f"/api/responses/{response['id']}", json={"response": "MAYBE", "comment": "x"}).status == 200
    own.append(_history(cast.alice, event)[0]["seq"])
    a_response(cast.alice, event, email_address=cast.bob.email_address, name="Gus", plus_n=3, comment="PRIVATE")
    assert cast.bob.get(f"/api/responses/{response['id']}").status == 404
    for seq in own:
        assert "PRIVATE" not in str(_undo(cast.bob, seq, 404))
        assert "PRIVATE" in str(_undo(cast.alice, seq, 409)["errors"]) or seq == own[0]


def test_an_undo_restores_no_answer_to_a_response_that_the_owner_of_its_address_took_over(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True)
    question = a_question(cast.alice, f"/api/events/{event['id']}")
    response = a_response(cast.bob, event, answers=[{"question_id": question["id"], "answer": "yes"}])
    assert cast.bob.put(f"/api/responses/{response['id']}", json={"answers": []}).status == 200
    with db.read() as tx:
        seq = tx.value("SELECT id FROM changes WHERE event_id = :id AND kind = 'answer' AND op = 'delete'", id=event["id"])
    a_response(cast.alice, event, email_address=cast.bob.email_address)
    _undo(cast.bob, seq, 404)
