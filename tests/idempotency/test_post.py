"""Idempotency-Key with POST: a request that is sent again is done once and gets the reply of the first, unless that held a secret."""

import hmac
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from msgspec import structs

from kalends.app.application import ENDPOINTS, application
from kalends.app.worker import expire_replies
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.idempotency import store
from kalends.http.context import Context
from tests.cast import PASSWORD, Cast, a_calendar, a_contact, a_response, a_webhook, an_event, last_change
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.contacts.providers.stand import Stand
from tests.http.multipart import multipart
from tests.pictures.files import SMALL_PICTURE
from tests.site.administrator import Admin
from tests.sources.server import a_source
from tests.test_policy import ADMINS, TABLE, Scene, content_of

AT_ONCE = 5
DAY = 86_400
ICS = b"""BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:a
DTSTART:20260601T200000Z
SUMMARY:Jazz
END:VEVENT
END:VCALENDAR
"""
OUTLOOK = {"value": [{"displayName": "Ana", "emailAddresses": [{"address": "ana@example.org"}]}]}

Sample = Callable[[Cast, Clock], tuple[Client, dict[str, Any]]]


def _user(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    name = f"new-{uuid4().hex[:10]}"
    return cast.anonymous, {"json": {"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD}}


def _password(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    return cast.anonymous, {"json": {"user_name": cast.alice.user_name, "password": PASSWORD}}


def _wkey(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    return cast.anonymous, {"json": {"wkey": cast.alice.post("/api/keys", json={"name": "a program"}).json["wkey"]}}


def _undo(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    last_change(cast.alice, an_event(cast.alice))
    return cast.alice, {}


def _webhook(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    a_webhook(cast.alice)
    return cast.alice, {"json": {}}


def _redelivery(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    a_webhook(cast.alice)
    return cast.alice, {"json": {"since": "2026-05-11T15:00:00Z"}}


def _comment(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    event = an_event(cast.alice, public=True)
    return cast.anonymous, {"json": {"event_id": event["id"], "comment": "Yes!", "email_address": "g@example.org", "response": "YES"}}


def _report(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    return cast.anonymous, {"json": {"event_id": an_event(cast.alice, public=True)["id"], "reason": "spam"}}


def _account_invitation(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    return Admin(cast.anonymous, "ada"), {"json": {"email_address": f"{uuid4().hex}@example.org"}}


def _event_question(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    an_event(cast.alice)
    return cast.alice, {"json": {"label": "Vegan?", "kind": "yes_no"}}


def _picture(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    an_event(cast.alice)
    return cast.alice, multipart(files=[("file", "a.png", SMALL_PICTURE)])


def _event_reminder(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    an_event(cast.alice)
    return cast.alice, {"json": {"before": 60}}


def _cohost(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    an_event(cast.alice)
    return cast.alice, {"json": {"user_name": "dana@example.org"}}


def _ownership_offer(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    a_calendar(cast.alice)
    return cast.alice, {"json": {"user_name": cast.bob.user_name}}


def _invitation(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    an_event(cast.alice)
    return cast.alice, {"json": {"addresses": ["g@example.org"]}}


def _message(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    a_response(cast.anonymous, an_event(cast.alice, public=True), email_address="g@example.org")
    return cast.alice, {"json": {"to": ["going"], "subject": "Hello", "text": "Bring a chair."}}


def _response(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    event = an_event(cast.alice, public=True)
    return cast.anonymous, {"json": {"event_id": event["id"], "response": "YES", "email_address": "g@example.org"}}


def _response_link(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    return cast.anonymous, {"json": {"event_id": an_event(cast.alice, public=True)["id"], "email_address": "g@example.org"}}


def _import(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    return cast.alice, {"json": {"service": "outlook", "access_token": "token"}}


def _keep(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    imported = cast.alice.post("/api/contacts/import", **_import(cast, clock)[1])
    assert imported.status == 201, imported
    return cast.alice, {"json": {}}


def _source_run(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    a_source(cast.alice)
    return cast.alice, {"json": {}}


def _delete_all(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
    a_contact(cast.alice)
    return cast.alice, {"json": {}}


def _by_the_permission_table(path: str) -> Sample:
    """The request that the permission table has, by one who may: the owner of the records, or an admin."""

    def sample(cast: Cast, clock: Clock) -> tuple[Client, dict[str, Any]]:
        name, scene = f"POST {path}", Scene(cast, Settings(), "private")
        who = Admin(cast.anonymous, "ada") if TABLE[name] == {"": ADMINS} else cast.alice
        return who, content_of(name, scene)

    return sample


def _of_table(path: str, table: str | None) -> tuple[str, Sample, str | None]:
    return path, _by_the_permission_table(path), table


# Each POST of the API in each of its forms: the client, the request, and the table that gets one record.
REPLAYED: dict[str, tuple[str, Sample, str | None]] = {
    "users": ("/api/users", _user, "users"),
    "verification of an address": ("/api/users/{user_id}/verify", lambda cast, clock: (cast.alice, {"json": {}}), "deliveries"),
    "many events": ("/api/events", lambda cast, clock: (cast.alice, {"json": [{"title": "Jazz", "start_time": "2026-06-01"}]}), "events"),
    "events from a file": ("/api/events/import", lambda cast, clock: (cast.alice, multipart(files=[("file", "a.ics", ICS)])), "events"),
    "comments": ("/api/comments", _comment, "comments"),
    "reports": ("/api/reports", _report, "reports"),
    "blocked senders": (
        "/api/blocked_senders",
        lambda cast, clock: (Admin(cast.anonymous, "ada"), {"json": {"sender": f"{uuid4().hex}.example"}}),
        "blocked_senders",
    ),
    "test messages": ("/api/admin/test_mail", lambda cast, clock: (Admin(cast.anonymous, "ada"), {"json": {}}), "deliveries"),
    "invitations to make an account": ("/api/admin/invitations", _account_invitation, "account_invitations"),
    "questions": ("/api/events/{event_id}/questions", _event_question, "questions"),
    "invitations": ("/api/events/{event_id}/invitations", _invitation, "invitations"),
    "messages": ("/api/events/{event_id}/messages", _message, "messages"),
    "pictures": ("/api/events/{event_id}/image", _picture, "pictures"),
    "reminders": ("/api/events/{event_id}/reminders", _event_reminder, "reminders"),
    "co-hosts": ("/api/events/{event_id}/cohosts", _cohost, "cohosts"),
    "ownership offers": ("/api/calendars/{calendar_id}/ownership_offers", _ownership_offer, "ownership_offers"),
    "reminders of a calendar": (
        "/api/calendars/{calendar_id}/reminders",
        lambda cast, clock: (cast.alice, {"json": {"before": 60}}),
        "reminders",
    ),
    "questions of a calendar": (
        "/api/calendars/{calendar_id}/questions",
        lambda cast, clock: (cast.alice, {"json": {"label": "Vegan?", "kind": "yes_no"}}),
        "questions",
    ),
    "undo": ("/api/changes/{seq}/undo", _undo, "changes"),
    "responses": ("/api/responses", _response, "responses"),
    "personal link": ("/api/responses/link", _response_link, "deliveries"),
    "contacts from a file": (
        "/api/contacts/import_file",
        lambda cast, clock: (cast.alice, multipart(files=[("file", "a.vcf", b"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana\r\nEND:VCARD\r\n")])),
        "contacts",
    ),
    "contacts from a service": ("/api/contacts/import", _import, "contacts"),
    "ping": ("/api/webhooks/{webhook_id}/ping", _webhook, "webhook_deliveries"),
    "redelivery": ("/api/webhooks/{webhook_id}/redeliver", _redelivery, None),
    "options of a new passkey": _of_table("/api/passkeys/options", None),
    "options of a login with a passkey": _of_table("/api/session/passkey_options", None),
    "events of an address": _of_table("/api/sources/imports", None),
    "runs of a source": ("/api/sources/{source_id}/runs", _source_run, "source_runs"),
    "kept contacts": ("/api/contacts/keep", _keep, None),
    "deleted contacts": ("/api/contacts/delete_all", _delete_all, None),
}
# Their replies hold a credential: a token or a key.
NOT_REPLAYED: dict[str, tuple[str, Sample, str | None]] = {
    "session by password": ("/api/session", _password, "sessions"),
    "session by key": ("/api/session", _wkey, "sessions"),
    "keys": ("/api/keys", lambda cast, clock: (cast.alice, {"json": {"name": "a program"}}), "keys"),
    "webhooks": ("/api/webhooks", lambda cast, clock: (cast.alice, {"json": {"url": "https://[2606:4700::1111]/hook"}}), "webhooks"),
    "codes of an app": _of_table("/api/users/{user_id}/totp", "totp"),
    "codes turned on": _of_table("/api/users/{user_id}/totp/confirmation", None),
    "recovery codes": _of_table("/api/users/{user_id}/totp/recovery_codes", "deliveries"),
    "new secret": ("/api/webhooks/{webhook_id}/rotate_secret", _webhook, None),
}
POSTS = {endpoint.path for endpoint in ENDPOINTS if endpoint.method == "POST" and endpoint.in_api}


# Any other POST creates a record in the table of its name.
REPLAYED |= {
    path.removeprefix("/api/"): (path, _by_the_permission_table(path), path.removeprefix("/api/"))
    for path in sorted(POSTS - {path for path, _, _ in (REPLAYED | NOT_REPLAYED).values()} | {"/api/events"})
}
SAMPLES = REPLAYED | NOT_REPLAYED


@pytest.fixture(scope="module")
def with_outlook(app: tuple[Any, Clock], db: Database, settings: Settings) -> Iterator[Client]:
    """A guest of a service whose Outlook has one contact."""
    with Stand(lambda request: request.reply(200, json.dumps(OUTLOOK))) as stand:
        with_graph = structs.replace(settings, graph_url=stand.settings.graph_url)
        yield Client(application(db, with_graph, app[1]))


@pytest.fixture
def cast(with_outlook: Client) -> Cast:
    return Cast(with_outlook)


def send(who: Client, path: str, key: str, **options: Any) -> Reply:
    options = dict(options)
    headers = options.pop("headers", {}) | {"Idempotency-Key": key}
    return Client(who.app, who.token).post(path, headers=headers, **options)


def insist(who: Client, path: str, key: str, **options: Any) -> Reply:
    """Send it again while the service is busy: the number of concurrent imports is limited, and a source that is read for the first time is
    there before the reply is."""
    reply = send(who, path, key, **options)
    for _ in range(100):
        if reply.status != 503 and (reply.status, path.split("/")[2]) not in ((409, "sources"), (429, "sources")):
            break
        time.sleep(0.02)
        reply = send(who, path, key, **options)
    return reply


def forget_replies(db: Database) -> None:
    """Those of other tests."""
    with db.write() as tx:
        tx.run("DELETE FROM idempotent_responses")


def rows(db: Database, table: str | None) -> int:
    with db.read() as tx:
        return int(tx.value(f"SELECT count(*) FROM {table}")) if table else 0


def _path(template: str, cast: Cast, db: Database) -> str:
    user_id = cast.alice.id
    tables = (("seq", "changes"), ("webhook_id", "webhooks"), ("event_id", "events"), ("source_id", "sources"))
    with db.read() as tx:
        newest = {name: tx.value(f"SELECT max(id) FROM {table}") for name, table in tables}
        calendar_id = tx.value("SELECT max(id) FROM calendars WHERE owner_id = :id", id=user_id)
        return template.format(user_id=user_id, calendar_id=calendar_id, **newest)


def test_every_post_of_the_api_has_a_sample() -> None:
    assert {path for path, _, _ in SAMPLES.values()} == POSTS
    assert {"calendars", "contacts", "events", "hidden_events"} <= REPLAYED.keys()


def test_a_login_is_checked_each_time(cast: Cast, settings: Settings, db: Database, clock: Clock) -> None:
    """Else passwords could be guessed under a known key without being counted."""
    guest = Client(application(db, structs.replace(settings, rate_limits="on"), clock))
    knock = partial(send, guest, "/api/session", "key-of-a-login", remote_addr="address-of-a-login")
    right = {"user_name": cast.alice.user_name, "password": PASSWORD}
    first = knock(json=right)
    assert first.status == 201
    for _ in range(10):
        assert knock(json=right | {"password": "wrong"}).status == 401
    assert knock(json=right).status == 429
    clock.ahead(61)
    again = knock(json=right)
    assert (again.status, "Set-Cookie" in again.headers) == (409, False)


def test_another_site_gets_no_cookie_by_the_key_of_this_one(cast: Cast) -> None:
    right = {"user_name": cast.alice.user_name, "password": PASSWORD}
    assert send(cast.anonymous, "/api/session", "key-of-this-site", json=right).status == 201
    other = send(cast.anonymous, "/api/session", "key-of-this-site", json=right, headers={"Sec-Fetch-Site": "cross-site"})
    assert (other.status, other.headers.get("Set-Cookie")) == (422, None)


def test_a_digest_works_once_with_a_key_too(cast: Cast, clock: Clock, db: Database) -> None:
    key = cast.alice.post("/api/keys", json={"name": "a program"}).json
    signature = hmac.new(key["shared_secret"].encode(), str(clock.now).encode(), "sha256").hexdigest()
    fields = {"digest": f"{key['id']}.{signature}", "timestamp": str(clock.now)}
    before = rows(db, "sessions")
    with ThreadPoolExecutor(AT_ONCE) as clients:
        replies = list(clients.map(lambda _: send(cast.anonymous, "/api/session", "key-of-a-digest", json=fields), range(AT_ONCE)))
    assert sorted(reply.status for reply in replies) == [201, *[401] * (AT_ONCE - 1)]
    assert rows(db, "sessions") == before + 1


def test_a_wrong_token_does_not_get_the_reply_of_a_guest(cast: Cast) -> None:
    _, options = _response(cast, Clock())
    assert send(cast.anonymous, "/api/responses", "key-of-a-guest", **options).status == 201
    assert send(cast.anonymous.signed_in("wrong"), "/api/responses", "key-of-a-guest", **options).status == 401


@pytest.mark.parametrize("name", NOT_REPLAYED)
def test_a_reply_with_a_secret_is_not_replayed_and_the_request_is_done_once(cast: Cast, clock: Clock, db: Database, name: str) -> None:
    path, sample, table = NOT_REPLAYED[name]
    client, request = sample(cast, clock)
    path = _path(path, cast, db)
    before, key = rows(db, table), uuid4().hex
    with ThreadPoolExecutor(AT_ONCE) as clients:
        replies = list(clients.map(lambda _: insist(client, path, key, **request), range(AT_ONCE)))
    assert sorted(reply.status for reply in replies) == [201 if table else 200, *[409] * (AT_ONCE - 1)], replies
    assert rows(db, table) == before + (1 if table else 0)
    again = send(client, path, key, **request)
    assert (again.status, "with a new Idempotency-Key" in again.json["detail"]) == (409, True)


@pytest.mark.parametrize("name", REPLAYED)
def test_a_post_repeated_concurrently_under_one_key_runs_once(cast: Cast, clock: Clock, db: Database, name: str) -> None:
    path, sample, table = REPLAYED[name]
    who, options = sample(cast, clock)
    path = _path(path, cast, db)
    before, key = rows(db, table), uuid4().hex
    with ThreadPoolExecutor(AT_ONCE) as clients:
        replies = list(clients.map(lambda _: insist(who, path, key, **options), range(AT_ONCE)))
    assert {(reply.status, reply.content, reply.headers.get("Location"), reply.headers.get("Set-Cookie")) for reply in replies} == {
        (replies[0].status, replies[0].content, replies[0].headers.get("Location"), replies[0].headers.get("Set-Cookie"))
    }
    assert replies[0].status in (200, 201, 202), replies[0]
    assert sorted(reply.headers.get("Idempotency-Replayed", "") for reply in replies) == ["", *["true"] * (AT_ONCE - 1)]
    assert rows(db, table) == before + (1 if table else 0)
    assert send(who, path, key, **options).content == replies[0].content


@pytest.mark.parametrize("name", SAMPLES)
def test_a_post_without_a_key_runs_each_time(cast: Cast, clock: Clock, db: Database, name: str) -> None:
    path, sample, _ = SAMPLES[name]
    who, options = sample(cast, clock)
    path = _path(path, cast, db)
    for _ in range(2):
        assert "Idempotency-Replayed" not in who.post(path, **options).headers


def test_another_request_under_the_same_key_is_refused_and_not_done(cast: Cast) -> None:
    key = uuid4().hex
    assert send(cast.alice, "/api/contacts", key, json={"first_name": "Ana"}).status == 201
    for path, fields in [
        ("/api/contacts", {"first_name": "Ben"}),
        ("/api/contacts", {"first_name": "Ana", "last_name": "Lee"}),
        ("/api/calendars", {"name": "Jazz"}),
    ]:
        refused = send(cast.alice, path, key, json=fields)
        assert (refused.status, refused.broken) == (422, ["Idempotency-Key"]), refused
    assert {calendar["name"] for calendar in cast.alice.get("/api/calendars").json["calendars"]} == {"Alice"}
    assert len(cast.alice.get("/api/contacts").json["contacts"]) == 1


def test_the_format_of_the_parameters_does_not_matter(cast: Cast) -> None:
    key = uuid4().hex
    reply = send(cast.alice, "/api/contacts", key, json={"first_name": "Ana"})
    assert send(cast.alice, "/api/contacts", key, data={"first_name": "Ana"}).content == reply.content
    assert send(cast.alice, "/api/contacts", f'"{key}"', **multipart({"contact[first_name]": "Ana"})).content == reply.content


def test_two_users_may_use_the_same_key(cast: Cast) -> None:
    key = uuid4().hex
    hers = send(cast.alice, "/api/calendars", key, json={"name": "Jazz"})
    his = send(cast.bob, "/api/calendars", key, json={"name": "Jazz"})
    assert (hers.status, his.status) == (201, 201)
    assert hers.json["id"] != his.json["id"]


def test_a_request_that_failed_may_be_corrected_under_its_key(cast: Cast) -> None:
    key = uuid4().hex
    assert send(cast.alice, "/api/calendars", key, json={"name": ""}).status == 422
    assert send(cast.anonymous, "/api/calendars", key, json={"name": "Jazz"}).status == 401
    assert send(cast.alice, "/api/calendars", key, json={"name": "Jazz"}).status == 201


def test_a_session_that_ended_gets_no_stored_reply(cast: Cast) -> None:
    key = uuid4().hex
    assert send(cast.alice, "/api/contacts", key, json={"first_name": "Ana"}).status == 201
    cast.alice.delete("/api/session/current")
    assert send(cast.alice, "/api/contacts", key, json={"first_name": "Ana"}).status == 401


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 256, '"', '"a', 'a"b'])
@pytest.mark.on_one_database
def test_a_malformed_key_is_refused(cast: Cast, key: str) -> None:
    assert send(cast.alice, "/api/calendars", key, json={"name": "Jazz"}).status == 400


def test_after_a_day_the_key_is_free_again(cast: Cast, clock: Clock, db: Database, settings: Settings) -> None:
    key = uuid4().hex
    first = send(cast.alice, "/api/contacts", key, json={"first_name": "Ana"})
    clock.ahead(DAY - 1)
    assert send(cast.alice, "/api/contacts", key, json={"first_name": "Ana"}).content == first.content
    clock.ahead(1)
    second = send(cast.alice, "/api/contacts", key, json={"first_name": "Ana"})
    assert second.json["id"] != first.json["id"]
    clock.ahead(DAY)
    expire_replies(Context(db, settings, clock.now))
    assert rows(db, "idempotent_responses") == 0


def test_expired_replies_are_deleted_in_batches_and_others_stay(
    cast: Cast, clock: Clock, db: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BATCH", 2)
    forget_replies(db)
    keys = [uuid4().hex for _ in range(5)]
    for key in keys:
        send(cast.alice, "/api/contacts", key, json={"first_name": "Ana"})
        clock.ahead(60)
    ctx = Context(db, settings, clock.now + DAY - 90)
    with ctx.write():
        assert store.delete_expired(ctx)
    assert rows(db, "idempotent_responses") == 3
    expire_replies(ctx)
    assert rows(db, "idempotent_responses") == 1
    assert send(cast.alice, "/api/contacts", keys[-1], json={"first_name": "Ana"}).headers["Idempotency-Replayed"] == "true"


def test_no_credential_is_stored(cast: Cast, db: Database) -> None:
    """A stolen database must not hold the tokens and keys that were sent."""
    forget_replies(db)
    key = send(cast.alice, "/api/keys", "idempotency-key-1", json={"name": "canary-name"}).json
    login = {"user_name": cast.alice.user_name, "password": PASSWORD}
    session = send(cast.anonymous, "/api/session", "idempotency-key-2", json=login).json
    with db.read() as tx:
        stored = tx.rows("SELECT * FROM idempotent_responses")
    secrets = (key["wkey"], key["shared_secret"], session["token"], PASSWORD, "idempotency-key")
    assert all(secrets)
    assert len(stored) == 2
    assert [secret for secret in secrets if secret in repr(stored)] == []
