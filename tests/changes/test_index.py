"""GET /api/changes: what changed since a cursor, as the caller may see it now."""

from collections import Counter
from typing import Any

import pytest

from kalends.app.worker import prune_history
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import Cast, a_calendar, a_comment, a_contact, a_response, an_event, shared
from tests.changes.follower import Follower, find_cursor, listing, read_changes
from tests.client import Client
from tests.conftest import Clock

DAY = 86_400


def _start(client: Client, query: str = "") -> str:
    assert client.get(f"/api/changes{query}").json["changes"] == []
    return find_cursor(client, query.removeprefix("?"))


def _ops(changes: list[dict[str, Any]]) -> list[tuple[str, str, int]]:
    return [(change["op"], change["kind"], change["id"]) for change in changes]


def test_a_guest_without_a_calendar_is_led_to_one(cast: Cast) -> None:
    reply = cast.anonymous.get("/api/changes")
    assert (reply.status, "calendar_id" in reply.json["detail"]) == (401, True)


def test_a_new_event_is_put_as_lists_show_it(cast: Cast) -> None:
    follower = Follower(cast.alice)
    event = an_event(cast.alice)
    [change] = follower.follow()
    assert _ops([change]) == [("put", "event", event["id"])]
    assert change["event"] == cast.alice.get("/api/events").json["events"][0]
    assert follower.follow() == []


def test_a_record_that_changed_often_is_listed_once(cast: Cast) -> None:
    event = an_event(cast.alice)
    follower = Follower(cast.alice)
    for number in range(5):
        cast.alice.put(f"/api/events/{event['id']}", json={"title": f"Concert {number}"})
    [change] = follower.follow()
    assert change["event"]["title"] == "Concert 4"


def test_a_deleted_event_is_gone_with_its_comments_and_responses(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    comment, response = a_comment(cast.alice, event), a_response(cast.bob, event)
    follower = Follower(cast.alice)
    assert ("response", response["id"]) in follower.records
    cast.alice.delete(f"/api/events/{event['id']}")
    gone = _ops(follower.follow())
    assert sorted(gone) == [("gone", "comment", comment["id"]), ("gone", "event", event["id"]), ("gone", "response", response["id"])]


def test_a_series_is_one_record_with_its_dates(cast: Cast) -> None:
    event = an_event(cast.alice)
    follower = Follower(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 5})
    [change] = follower.follow()
    assert change["kind"] == "series"
    assert change["series"]["repeat"]["count"] == 5
    assert len(change["series"]["events"]) == 5
    assert follower.records == listing(cast.alice, None)


def test_a_changed_rule_alone_is_listed(cast: Cast) -> None:
    event = an_event(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 5})
    follower = Follower(cast.alice)
    last = cast.alice.get("/api/events").json["events"][-1]
    cast.alice.delete(f"/api/events/{last['id']}")
    changes = follower.follow()
    assert {(change["op"], change["kind"]) for change in changes} == {("put", "series"), ("gone", "event")}
    assert changes[0]["series"]["repeat"]["except"] == [last["start_time"][:10]]


def test_a_share_brings_the_calendar_with_its_events_and_ending_it_takes_them_away(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    comment = a_comment(cast.alice, event)
    follower = Follower(cast.bob)
    shared(cast.alice, calendar, cast.bob, "viewer")
    brought = {("calendar", calendar["id"]), ("event", event["id"]), ("comment", comment["id"])}
    assert {(change["kind"], change["id"]) for change in follower.follow()} == brought
    assert brought <= follower.records.keys()
    cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name})
    assert {(change["kind"], change["id"]) for change in follower.follow() if change["op"] == "gone"} == brought
    assert follower.records == listing(cast.bob, None)


def test_what_was_deleted_before_a_share_ended_is_gone_too(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    shared(cast.alice, calendar, cast.bob, "viewer")
    follower = Follower(cast.bob)
    cast.alice.delete(f"/api/events/{event['id']}")
    cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name})
    follower.follow()
    assert follower.records == listing(cast.bob, None)


def test_an_editor_learns_of_responses_that_a_viewer_may_not_see(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, calendar_id=calendar["id"], public=True)
    shared(cast.alice, calendar, cast.bob, "viewer")
    follower = Follower(cast.bob)
    response = a_response(cast.carol, event)
    assert _ops(follower.follow()) == [("gone", "response", response["id"])]
    shared(cast.alice, calendar, cast.bob, "editor")
    assert ("put", "response", response["id"]) in _ops(follower.follow())
    shared(cast.alice, calendar, cast.bob, "viewer")
    assert ("gone", "response", response["id"]) in _ops(follower.follow())


def test_a_guest_follows_one_public_calendar(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    follower = Follower(cast.anonymous, calendar["id"])
    an_event(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"], public=True)
    assert _ops(follower.follow()) == [("put", "event", event["id"])]
    cast.alice.put(f"/api/events/{event['id']}", json={"public": False})
    assert _ops(follower.follow()) == [("gone", "event", event["id"])]


def test_strangers_do_not_learn_of_what_was_never_public(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    public_event = an_event(cast.alice, calendar_id=calendar["id"], public=True)
    followers = [Follower(cast.anonymous, calendar["id"]), Follower(cast.carol, calendar["id"])]
    hidden = an_event(cast.alice, calendar_id=calendar["id"], public=False)
    cast.alice.put(f"/api/events/{hidden['id']}", json={"title": "Still hidden"})
    a_comment(cast.anonymous, public_event, email_address="guest@example.org")
    a_response(cast.bob, public_event)
    cast.alice.delete(f"/api/events/{hidden['id']}")
    assert [follower.follow() for follower in followers] == [[], []]
    member = Follower(cast.alice, calendar["id"])
    cast.alice.put(f"/api/events/{public_event['id']}", json={"title": "New title"})
    assert [_ops(follower.follow()) for follower in [*followers, member]] == [[("put", "event", public_event["id"])]] * 3


def test_guests_do_not_learn_of_responses_that_are_deleted(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, public=True, calendar_id=calendar["id"])
    guest, member = Follower(cast.anonymous, calendar["id"]), Follower(cast.alice, calendar["id"])
    response = a_response(cast.carol, event)
    assert cast.carol.delete(f"/api/responses/{response['id']}").status == 200
    assert (guest.follow(), _ops(member.follow())) == ([], [("gone", "response", response["id"])])


@pytest.mark.parametrize("loss", ["delete", "unshare", "remove"])
def test_strangers_learn_that_what_they_saw_by_another_calendar_is_gone(cast: Cast, loss: str) -> None:
    public, home, other = a_calendar(cast.alice, public=True), a_calendar(cast.alice), a_calendar(cast.alice)
    shared(cast.alice, other, cast.bob, "viewer")
    event = an_event(cast.alice, calendar_id=home["id"])
    path = f"/api/events/{event['id']}"
    for calendar in (public, other):
        cast.alice.put(f"{path}/add", json={"calendar_id": calendar["id"]})
    follower = Follower(cast.bob, public["id"])
    assert ("event", event["id"]) in follower.records
    if loss == "delete":
        cast.alice.delete(path)
    elif loss == "unshare":
        cast.alice.put(f"/api/calendars/{other['id']}/unshare", json={"user_name": cast.bob.user_name})
    else:
        cast.alice.put(f"{path}/remove", json={"calendar_id": other["id"]})
    assert ("gone", "event", event["id"]) in _ops(follower.follow())
    assert follower.records == follower.listing()


@pytest.mark.parametrize("was_member", [False, True])
@pytest.mark.parametrize("loss", ["private", "removed"])
def test_strangers_learn_that_their_comments_and_responses_are_gone_with_the_event(cast: Cast, loss: str, was_member: bool) -> None:
    """Those of others, too, if they were public. What was never changed has no earlier state in the history."""
    public = a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, public=True)
    path = f"/api/events/{event['id']}"
    cast.alice.put(f"{path}/add", json={"calendar_id": public["id"]})
    if was_member:
        shared(cast.alice, public, cast.bob, "viewer")
    follower = Follower(cast.bob, public["id"])
    for person in (cast.alice, cast.bob):
        person.post("/api/comments", json={"event_id": event["id"], "comment": "Hi"})
        a_response(person, event)
    if was_member:
        cast.alice.put(f"/api/calendars/{public['id']}/unshare", json={"user_name": cast.bob.user_name})
    follower.follow()
    assert Counter(kind for kind, _ in follower.records) == {"calendar": 1, "event": 1, "comment": 2, "response": 1}
    if loss == "private":
        cast.alice.put(path, json={"public": False})
    else:
        cast.alice.put(f"{path}/remove", json={"calendar_id": public["id"]})
    follower.follow()
    assert follower.records == follower.listing()
    assert len(follower.records) == 1


def test_a_guest_must_name_a_calendar(cast: Cast) -> None:
    assert cast.anonymous.get("/api/changes").status == 401


def test_a_private_calendar_is_not_found_by_strangers(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    assert cast.carol.get(f"/api/changes?calendar_id={calendar['id']}").status == 404


def test_contacts_are_listed_to_their_owner_alone(cast: Cast) -> None:
    alice, bob = Follower(cast.alice), Follower(cast.bob)
    contact = a_contact(cast.alice)
    assert _ops(alice.follow()) == [("put", "contact", contact["id"])]
    assert bob.follow() == []
    cast.alice.delete(f"/api/contacts/{contact['id']}")
    assert _ops(alice.follow()) == [("gone", "contact", contact["id"])]


def test_only_the_kinds_that_are_asked_for_are_listed(cast: Cast) -> None:
    cursor = _start(cast.alice, "?kinds=contact,calendar")
    an_event(cast.alice)
    contact = a_contact(cast.alice)
    changes = read_changes(cast.alice, f"kinds=contact,calendar&cursor={cursor}")["changes"]
    assert _ops(changes) == [("put", "contact", contact["id"])]


def test_a_cursor_of_other_filters_is_refused(cast: Cast) -> None:
    cursor = _start(cast.alice, "?kinds=contact")
    reply = cast.alice.get(f"/api/changes?cursor={cursor}")
    assert (reply.status, reply.json["errors"][0]["field"]) == (422, "cursor")


def test_pages_of_changes_lose_nothing(cast: Cast) -> None:
    follower = Follower(cast.alice)
    for _ in range(7):
        an_event(cast.alice)
    first = read_changes(cast.alice, f"limit=2&cursor={follower.cursor}")
    assert (len(first["changes"]), first["more"]) == (2, True)
    assert len(follower.follow(limit=2)) == 7
    assert follower.records == listing(cast.alice, None)


@pytest.mark.on_sqlite
def test_entries_that_were_read_are_not_read_again(db: Database) -> None:
    """SQLite searches an index by one column of a comparison of rows only, and would read the whole history of a calendar each time."""
    sql = f"EXPLAIN QUERY PLAN SELECT id FROM sync_entries s WHERE s.calendar_id = :calendar_id AND {db.is_between_positions}"
    with db.read() as tx:
        [plan] = tx.rows(sql, calendar_id=1, id=1, end_id=2)
    assert plan[3].endswith("(calendar_id=? AND tx=? AND id>? AND id<?)")


@pytest.mark.parametrize("cursor", ["x", "1.2.3", "1.2.3.zzzzzzzz", "1.2.3.00000000.4", "99999999999999999999.1.1.00000000"])
@pytest.mark.on_one_database
def test_a_malformed_cursor_names_the_field(cast: Cast, cursor: str) -> None:
    reply = cast.alice.get(f"/api/changes?cursor={cursor}")
    assert (reply.status, reply.json["errors"][0]["field"]) == (422, "cursor")


def test_a_cursor_from_before_a_restore_has_expired(cast: Cast, db: Database) -> None:
    cursor = _start(cast.alice)
    with db.write() as tx:
        tx.run("UPDATE journal SET epoch = epoch + 1")
    reply = cast.alice.get(f"/api/changes?cursor={cursor}")
    assert (reply.status, reply.json["type"].rsplit("/", 1)[-1].rsplit("#", 1)[-1]) == (410, "cursor-expired")
    assert "/api/changes" in reply.json["detail"]


def test_a_cursor_from_the_future_has_expired(cast: Cast) -> None:
    """The database was restored from a copy of its files."""
    epoch, tx, entry_id, digest = _start(cast.alice).split(".")
    future = f"{epoch}.{int(tx) + 100_000 if int(tx) else 0}.{int(entry_id) + 100_000}.{digest}"
    assert cast.alice.get(f"/api/changes?cursor={future}").status == 410


def test_a_cursor_older_than_the_history_has_expired(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    follower = Follower(cast.alice)
    an_event(cast.alice)
    with db.read() as tx:
        newest = tx.value("SELECT max(at) FROM (SELECT at FROM sync_entries UNION ALL SELECT at FROM changes) AS history")
    prune_history(Context(db, settings, max(newest, clock()) + 91 * DAY))
    with db.read() as tx:
        assert (tx.value("SELECT count(*) FROM sync_entries"), tx.value("SELECT count(*) FROM changes")) == (0, 0)
    assert cast.alice.get(f"/api/changes?cursor={follower.cursor}").status == 410
    follower = Follower(cast.alice)
    event = an_event(cast.alice)
    assert _ops(follower.follow()) == [("put", "event", event["id"])]


def _a_series(cast: Cast, **fields: Any) -> list[dict[str, Any]]:
    event = an_event(cast.alice, **fields)
    reply = cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 5})
    assert reply.status == 200, reply
    series_id = cast.alice.get(f"/api/events/{event['id']}").json["series_id"]
    dates: list[dict[str, Any]] = cast.alice.get("/api/events", query={"series_id": series_id}).json["events"]
    return dates


def test_a_deleted_series_is_one_record_that_is_gone(cast: Cast) -> None:
    dates = _a_series(cast)
    follower = Follower(cast.alice)
    assert cast.alice.delete(f"/api/events/{dates[1]['id']}", query={"scope": "all"}).status == 200
    expected = [("gone", "series", dates[0]["series_id"]), ("gone", "event", dates[0]["id"])]
    assert _ops(follower.follow()) == expected, "the first date was an event of its own"
    assert follower.records == listing(cast.alice, None)


def test_an_event_that_became_a_series_and_was_deleted_is_gone_for_who_knew_the_event(cast: Cast) -> None:
    event = an_event(cast.alice)
    follower = Follower(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 5})
    cast.alice.delete(f"/api/events/{event['id']}", query={"scope": "all"})
    assert ("gone", "event", event["id"]) in _ops(follower.follow(limit=1))
    assert follower.records == listing(cast.alice, None)


def test_a_follower_of_series_alone_gets_new_ones_changed_dates_and_deletions(cast: Cast) -> None:
    follower = Follower(cast.alice, kinds=("series",))
    single = an_event(cast.alice)
    assert follower.follow() == []
    dates = _a_series(cast, title="Weekly")
    series_id = dates[0]["series_id"]
    [change] = follower.follow()
    assert (change["op"], change["kind"], change["id"], len(change["series"]["events"])) == ("put", "series", series_id, 5)
    cast.alice.put(f"/api/events/{dates[2]['id']}", json={"title": "Other"})
    [change] = follower.follow()
    assert (change["id"], [each["title"] for each in change["series"]["events"]]) == (series_id, ["Other"])
    cast.alice.delete(f"/api/events/{dates[3]['id']}")
    assert _ops(follower.follow()) == [("put", "series", series_id)]
    cast.alice.delete(f"/api/events/{single['id']}")
    assert follower.follow() == []
    cast.alice.delete(f"/api/events/{dates[0]['id']}", query={"scope": "all"})
    assert _ops(follower.follow()) == [("gone", "series", series_id)]


def test_a_follower_of_events_alone_gets_each_date(cast: Cast) -> None:
    dates = _a_series(cast)
    follower = Follower(cast.alice, kinds=("event",))
    cast.alice.delete(f"/api/events/{dates[0]['id']}", query={"scope": "all"})
    assert sorted(_ops(follower.follow())) == sorted(("gone", "event", each["id"]) for each in dates)


def test_a_series_that_is_made_private_is_gone_for_strangers(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    dates = _a_series(cast, calendar_id=calendar["id"], public=True)
    hidden = _a_series(cast, calendar_id=calendar["id"], public=False)
    follower = Follower(cast.anonymous, calendar["id"])
    cast.alice.put(f"/api/events/{dates[0]['id']}", json={"public": False, "scope": "all"})
    cast.alice.delete(f"/api/events/{hidden[0]['id']}", query={"scope": "all"})
    changes = _ops(follower.follow())
    assert ("gone", "series", dates[0]["series_id"]) in changes
    assert not {("gone", "series", hidden[0]["series_id"]), ("gone", "event", hidden[0]["id"])} & set(changes)
    assert follower.records == follower.listing()
