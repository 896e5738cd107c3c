"""PUT /api/calendars/<id>/share and /unshare."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database, Transaction
from kalends.features.users import store as users
from kalends.http.context import Context
from tests.cast import Cast, Person, a_block, a_calendar, a_response, an_event, shared
from tests.client import Client, Reply
from tests.conftest import NOON, Clock
from tests.events.listing import listed


def _verify(db: Database, settings: Settings, person: Person) -> None:
    """Mark the person's address as verified."""
    ctx = Context(db, settings, NOON)
    with ctx.write():
        users.verify(ctx, users.get(ctx, person.id))


def _share(owner: Person, calendar: dict[str, Any], name: str, role: str = "viewer", **fields: Any) -> Reply:
    return owner.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": name, "role": role} | fields)


def _unshare(who: Person, calendar: dict[str, Any], name: str, **fields: Any) -> Reply:
    return who.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": name} | fields)


def test_a_shared_calendar_appears_in_the_other_users_list(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, name="Jazz")
    assert cast.bob.get(f"/api/calendars/{calendar['id']}").status == 404
    shared(cast.alice, calendar, cast.bob, "viewer")
    listed = cast.bob.get("/api/calendars").json["calendars"]
    assert {(c["name"], c["role"]) for c in listed} == {("Bob", "owner"), ("Jazz", "viewer")}


def test_sharing_again_changes_the_role(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "viewer")
    shared(cast.alice, calendar, cast.bob, "editor")
    shares = cast.alice.get(f"/api/calendars/{calendar['id']}").json["shares"]
    assert shares == [{"role": "editor", "user_name": cast.bob.user_name, "name": "Bob"}]


def test_only_the_owner_sees_with_whom_it_is_shared(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    assert "shares" not in cast.bob.get(f"/api/calendars/{calendar['id']}").json


def test_unsharing_hides_a_private_calendar(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "viewer")
    gone = cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name})
    assert (gone.status, gone.json["shares"]) == (200, [])
    assert cast.bob.get(f"/api/calendars/{calendar['id']}").status == 404


@pytest.mark.parametrize(("fields", "status", "broken"), [({"user_name": "nobody-at-all"}, 404, ["user_name"]), ({}, 422, ["user_name"])])
def test_sharing_requires_a_known_user_and_role(cast: Cast, fields: dict[str, str], status: int, broken: list[str]) -> None:
    calendar = a_calendar(cast.alice)
    response = cast.alice.put(f"/api/calendars/{calendar['id']}/share", json=fields)
    assert (response.status, response.broken) == (status, broken)


def test_sharing_with_yourself_is_a_conflict(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    response = cast.alice.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": cast.alice.user_name})
    assert response.status == 409


@pytest.mark.parametrize("end", ["unshare", "leave", "viewer", "delete the account"])
def test_an_editors_grants_end_with_their_share(cast: Cast, end: str) -> None:
    home, foreign = a_calendar(cast.alice), a_calendar(cast.carol)
    bobs = a_calendar(cast.bob)
    shared(cast.alice, home, cast.bob, "editor")
    shared(cast.carol, foreign, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    for calendar in (bobs, foreign):
        assert cast.bob.put(f"/api/events/{event}/add", json={"calendar_id": calendar["id"]}).status == 200
    assert listed(cast.carol, calendar_id=foreign["id"]) == [event]
    ended = {
        "unshare": lambda: _unshare(cast.alice, home, cast.bob.user_name),
        "leave": lambda: _unshare(cast.bob, home, cast.bob.user_name),
        "viewer": lambda: _share(cast.alice, home, cast.bob.user_name, "viewer"),
        "delete the account": lambda: cast.bob.delete(f"/api/users/{cast.bob.id}", json={"current_password": "correct horse battery"}),
    }[end]()
    assert ended.status == 200, ended
    assert cast.carol.get(f"/api/events/{event}").status == 404
    assert listed(cast.carol, calendar_id=foreign["id"]) == []
    assert cast.alice.get(f"/api/events/{event}").json["calendar_ids"] == [home["id"]]
    if end in ("unshare", "leave"):
        assert cast.bob.get(f"/api/events/{event}").status == 404
        assert listed(cast.bob, calendar_id=bobs["id"]) == []


def test_the_owners_grants_stay_when_an_editor_is_removed(cast: Cast) -> None:
    """Placements by the editor on other calendars of the owner stay, too."""
    home, other, foreign = a_calendar(cast.alice), a_calendar(cast.alice), a_calendar(cast.carol)
    for calendar in (home, other):
        shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, other, cast.vera, "viewer")
    shared(cast.carol, foreign, cast.alice, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": foreign["id"]}).status == 200
    assert cast.bob.put(f"/api/events/{event}/add", json={"calendar_id": other["id"]}).status == 200
    assert _unshare(cast.alice, home, cast.bob.user_name).status == 200
    assert (listed(cast.carol, calendar_id=foreign["id"]), listed(cast.vera, calendar_id=other["id"])) == ([event], [event])


@pytest.mark.parametrize(("role", "stops"), [("editor", True), ("viewer", False)])
def test_removing_an_editor_invalidates_the_feed_url(cast: Cast, role: str, stops: bool) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, role)
    old = cast.alice.get(f"/api/calendars/{calendar['id']}").json["feed_url"]
    new = _unshare(cast.alice, calendar, cast.bob.user_name).json["feed_url"]
    assert (old != new) is stops
    assert cast.anonymous.get(old.removeprefix("http://testserver")).status == (404 if stops else 200)
    assert cast.anonymous.get(new.removeprefix("http://testserver")).status == 200


def test_a_member_leaves_a_calendar(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "viewer")
    shared(cast.alice, calendar, cast.vera, "viewer")
    assert _unshare(cast.bob, calendar, cast.vera.user_name).status == 403
    response = _unshare(cast.bob, calendar, cast.bob.user_name)
    assert (response.status, response.json["role"], response.json["feed_url"]) == (200, None, None)
    assert "shares" not in response.json
    assert cast.bob.get(f"/api/calendars/{calendar['id']}").status == 404
    assert [share["user_name"] for share in cast.alice.get(f"/api/calendars/{calendar['id']}").json["shares"]] == [cast.vera.user_name]
    assert _unshare(cast.carol, a_calendar(cast.alice, public=True), cast.carol.user_name).status == 403


def test_shares_by_a_blocked_owner_have_no_effect_and_look_normal_to_them(cast: Cast) -> None:
    first, second = a_calendar(cast.alice), a_calendar(cast.alice)
    for calendar in (first, second):
        shared(cast.alice, calendar, cast.bob, "editor")
    assert _unshare(cast.alice, first, cast.bob.user_name, block=True).broken == ["block"]
    assert _unshare(cast.bob, first, cast.bob.user_name, block=True).status == 200
    assert [c["id"] for c in cast.bob.get("/api/calendars").json["calendars"]] == [cast.bob.primary_calendar_id]
    response = _share(cast.alice, first, cast.bob.user_name, "editor")
    assert (response.status, response.json["shares"]) == (200, [{"role": "editor", "user_name": cast.bob.user_name, "name": "Bob"}])
    assert cast.bob.get(f"/api/calendars/{first['id']}").status == 404
    blocks = cast.bob.get("/api/blocks", query={"count": "true"}).json
    assert (blocks["total"], blocks["blocks"][0]["user_id"], blocks["blocks"][0]["name"]) == (1, cast.alice.id, "Alice")
    assert cast.bob.delete(f"/api/blocks/{cast.alice.id}").json == {"deleted": [cast.alice.id]}
    assert cast.bob.get(f"/api/calendars/{first['id']}").status == 404
    assert _share(cast.alice, first, cast.bob.user_name).status == 200
    assert cast.bob.get(f"/api/calendars/{first['id']}").status == 200


def test_sharing_with_an_address_does_not_disclose_whether_it_has_an_account(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice)
    _verify(db, settings, cast.bob)
    a_block(cast.dave, cast.alice)
    _verify(db, settings, cast.dave)
    nobody = f"nobody-{cast.alice.user_name}@example.org"
    for address in (cast.bob.email_address, cast.carol.email_address, cast.dave.email_address, nobody):
        response = _share(cast.alice, calendar, address, "editor")
        assert (response.status, response.json["shares"][-1]) == (200, {"role": "editor", "email_address": address})
    assert [who.get(f"/api/calendars/{calendar['id']}").status for who in (cast.bob, cast.carol, cast.dave)] == [200, 404, 404]
    # Carol proves later that the address is hers.
    _verify(db, settings, cast.carol)
    assert cast.carol.get(f"/api/calendars/{calendar['id']}").json["role"] == "editor"
    for address in (cast.bob.email_address, cast.carol.email_address, nobody):
        before = cast.alice.get(f"/api/calendars/{calendar['id']}").json["feed_url"]
        response = _unshare(cast.alice, calendar, address)
        assert (response.status, response.json["feed_url"] != before) == (200, True)
    assert [who.get(f"/api/calendars/{calendar['id']}").status for who in (cast.bob, cast.carol)] == [404, 404]


def test_sharing_with_an_address_takes_the_same_work_with_and_without_an_account(
    cast: Cast, db: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same statements write as many rows, and none depends on how much the user has granted."""
    calendar = a_calendar(cast.alice)
    _verify(db, settings, cast.bob)
    addresses = (cast.bob.email_address, f"nobody-{cast.alice.user_name}@example.org")
    known, unknown = [_work(db, monkeypatch, partial(_share, cast.alice, calendar, address)) for address in addresses]
    assert [statement for statement, _ in known] == [statement for statement, _ in unknown]
    assert not any("granted_by" in statement for statement, _ in known)
    known, unknown = [_work(db, monkeypatch, partial(_unshare, cast.alice, calendar, address)) for address in addresses]
    assert [statement for statement, _ in known] == [statement for statement, _ in unknown]
    assert any("e.calendar_id = :calendar_id AND p.grants" in statement for statement, _ in known)


def test_no_history_discloses_whether_an_address_has_an_account(cast: Cast, db: Database, settings: Settings) -> None:
    """Bob has the address, Carol has it and the calendar by name, Dave blocks the owner, Vera leaves; nobody has the last one."""
    calendar = a_calendar(cast.alice)
    for each in (an_event(cast.alice, calendar_id=calendar["id"], public=True) for _ in range(2)):
        a_response(cast.bob, each)
    for person in (cast.bob, cast.carol, cast.dave, cast.vera):
        _verify(db, settings, person)
    a_block(cast.dave, cast.alice)
    _share(cast.alice, calendar, cast.carol.user_name)
    people = [each.email_address for each in (cast.bob, cast.carol, cast.dave, cast.vera)]
    addresses = [*people, f"nobody-{cast.alice.user_name}@example.org"]
    for step in (partial(_share, role="viewer"), partial(_share, role="editor"), partial(_share, role="editor"), _unshare, _unshare):
        seen = [_seen_by_owner(db, cast.alice, partial(step, cast.alice, calendar, address)) for address in addresses]
        assert all(each == seen[-1] for each in seen), seen
        _unshare(cast.vera, calendar, cast.vera.user_name)


def _seen_by_owner(db: Database, owner: Person, request: Callable[..., Reply]) -> tuple[Any, ...]:
    """What a dry run lists, what the owner's changes list, and how many entries and changes were written."""
    dry_run = request(dry_run=True).json["would_change"]
    cursor = owner.get("/api/changes").json["cursor"]
    before = _counters(db)
    assert request().status == 200
    written = [after - first for after, first in zip(_counters(db), before, strict=True)]
    listed = owner.get("/api/changes", query={"cursor": cursor}).json["changes"]
    return [(each["kind"], each["op"]) for each in dry_run], [(each["kind"], each["op"]) for each in listed], written


def _counters(db: Database) -> list[int]:
    with db.read() as tx:
        return [tx.value(f"SELECT count(*) FROM {table}") for table in ("changes", "sync_entries")] + [
            tx.value("SELECT sum(revision) FROM calendars")
        ]


def _work(db: Database, monkeypatch: pytest.MonkeyPatch, request: Callable[[], Reply]) -> list[tuple[str, int]]:
    """The statements that write, and how many rows each writes."""
    with db.read() as tx:
        transaction = type(tx)
    run, work = transaction.run, []

    def record(self: Transaction, sql: str, /, **params: Any) -> int:
        work.append((sql, run(self, sql, **params)))
        return work[-1][1]

    with monkeypatch.context() as patched:
        patched.setattr(transaction, "run", record)
        assert request().status == 200
    return work


def test_shares_by_name_and_by_address_are_separate(cast: Cast, db: Database, settings: Settings) -> None:
    """Neither discloses the other: the stronger role applies, and each ends separately."""
    calendar = a_calendar(cast.alice)
    _verify(db, settings, cast.bob)
    _share(cast.alice, calendar, cast.bob.user_name, "viewer")
    shares = _share(cast.alice, calendar, cast.bob.email_address, "editor").json["shares"]
    assert shares == [
        {"role": "viewer", "user_name": cast.bob.user_name, "name": "Bob"},
        {"role": "editor", "email_address": cast.bob.email_address},
    ]
    path = f"/api/calendars/{calendar['id']}"
    assert cast.bob.get(path).json["role"] == "editor"
    assert _unshare(cast.alice, calendar, cast.bob.email_address).status == 200
    assert cast.bob.get(path).json["role"] == "viewer"
    assert _unshare(cast.alice, calendar, cast.bob.user_name).status == 200
    assert cast.bob.get(path).status == 404


def test_sharing_with_an_invalid_address_is_refused(cast: Cast) -> None:
    response = _share(cast.alice, a_calendar(cast.alice), "no @ address")
    assert (response.status, response.broken) == (422, ["user_name"])


def test_sharing_is_rate_limited_and_unknown_names_count(db: Database, settings: Settings, clock: Clock) -> None:
    cast = Cast(Client(application(db, structs.replace(settings, rate_limits="on", guest_writes_per_minute=1_000), clock)))
    calendar = a_calendar(cast.alice)
    statuses = [_share(cast.alice, calendar, f"guess-{n}").status for n in range(60)]
    assert statuses == [404] * 60
    refused = _share(cast.alice, calendar, cast.bob.user_name)
    assert (refused.status, int(refused.headers["Retry-After"]) > 0) == (429, True)
    page = cast.alice.post(f"/calendars/{calendar['id']}/share", json={"user_name": cast.bob.user_name})
    assert (page.status, "60 times an hour" in page.text) == (429, True)
    assert _share(cast.bob, a_calendar(cast.bob), cast.alice.user_name).status == 200
    clock.ahead(2 * 3600)
    assert _share(cast.alice, calendar, cast.bob.user_name).status == 200
