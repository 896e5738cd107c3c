"""/reset: a new password for those who have forgotten theirs, and for nobody else."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries.store import MAX_ACCOUNT_MAILS_PER_HOUR, MAX_SENDS_PER_HOUR
from kalends.features.identities import store as identities
from kalends.features.users import store as users
from kalends.features.users.rules import passwords
from kalends.http.context import Context
from kalends.mail import sender
from tests.cast import PASSWORD, Cast, a_key, an_event, shared, verified
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.passkeys.authenticator import Authenticator, a_passkey, sign_in
from tests.users.account_mail import mailed, mails
from tests.users.second_factor import a_second_factor

pytestmark = pytest.mark.on_one_database

HOUR = 3600
RESETS_AN_HOUR = MAX_ACCOUNT_MAILS_PER_HOUR["reset"]
NEW = "a new password"


@pytest.fixture(autouse=True)
def one_clock(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers look at the clock that the test moves."""
    monkeypatch.setattr(timestamps, "now", clock)


def ask(client: Client, name: str) -> Reply:
    return client.post("/reset", data={"user_name": name})


def log_in(cast: Cast, password: str) -> int:
    return cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": password}).status


def the_link(cast: Cast, db: Database, settings: Settings) -> str:
    """Alice asks for a link, and gets it."""
    assert ask(cast.anonymous, cast.alice.user_name).status == 303
    return mailed(db, settings, cast.alice.id)[-1]


def count(db: Database, user_id: int) -> int:
    with db.read() as tx:
        return int(tx.value("SELECT count(*) FROM deliveries WHERE owner_id = :id AND kind = 'reset'", id=user_id))


def test_the_link_leads_to_a_new_password_and_ends_all_sessions_and_keys(cast: Cast, db: Database, settings: Settings) -> None:
    link = the_link(cast, db, settings)
    page = cast.anonymous.get(link)
    assert (page.status, page.headers["Cache-Control"]) == (200, "no-store")
    assert cast.alice.user_name in page.text
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    assert (cast.alice.get("/api/calendars").status, program.get("/api/calendars").status) == (200, 200)
    done = cast.anonymous.post(link, data={"password": NEW})
    assert done.redirect == ("/sign-in", "password")
    assert (cast.alice.get("/api/calendars").status, program.get("/api/calendars").status) == (401, 401)
    assert (log_in(cast, NEW), log_in(cast, PASSWORD)) == (201, 401)


def test_a_reset_removes_passkeys_and_keeps_the_codes_of_the_owner(cast: Cast, db: Database, settings: Settings) -> None:
    """Who was in the account for a moment may have added a passkey."""
    verified(db, cast.alice)
    phone = Authenticator()
    a_passkey(cast.alice, phone)
    a_second_factor(cast.alice)
    assert cast.anonymous.post(the_link(cast, db, settings), data={"password": NEW}).status == 303
    assert sign_in(cast.anonymous, phone).status == 401
    fields = {"user_name": cast.alice.user_name, "password": NEW}
    assert cast.anonymous.post("/api/session", json=fields).json["type"] == "/docs/errors#second-factor-required"


def test_a_reset_by_a_first_proof_leaves_somebody_else_no_way_to_sign_in(cast: Cast, db: Database, settings: Settings) -> None:
    """Who registered with another person's address may have added a passkey or an account elsewhere, and codes that keep its owner out."""
    phone = Authenticator()
    a_passkey(cast.alice, phone)
    a_second_factor(cast.alice)
    ctx = Context(db, settings, 0)
    with ctx.write():
        identities.insert(ctx, cast.alice.id, "https://id.example.org", cast.alice.user_name)
    assert cast.anonymous.post(the_link(cast, db, settings), data={"password": NEW}).status == 303
    assert sign_in(cast.anonymous, phone).status == 401
    assert log_in(cast, NEW) == 201
    with ctx.read():
        assert identities.count(ctx, cast.alice.id) == 0


def test_setting_a_password_by_the_link_verifies_the_address_and_notifies_the_user(cast: Cast, db: Database, settings: Settings) -> None:
    link = the_link(cast, db, settings)
    assert cast.anonymous.post(link, data={"password": NEW}).status == 303
    token = cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": NEW}).json["token"]
    assert cast.anonymous.signed_in(token).get("/api/users/current").json["verified"] is True
    (notice,) = mails(db, settings, cast.alice.id, "notice")
    assert "reset with a link" in notice.replace("=\n", "")


def test_a_link_proves_no_address_that_the_account_gets_while_it_is_used(
    cast: Cast, db: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, hashed = cast.alice, passwords.hash_password
    link = the_link(cast, db, settings)
    other = {"email_address": f"not-{alice.email_address}", "current_password": PASSWORD}

    def hashed_meanwhile(password: str) -> str:
        monkeypatch.setattr(passwords, "hash_password", hashed)
        assert alice.put(f"/api/users/{alice.id}", json=other).status == 200
        return hashed(password)

    monkeypatch.setattr(passwords, "hash_password", hashed_meanwhile)
    assert cast.anonymous.post(link, data={"password": NEW}).status == 404
    assert log_in(cast, PASSWORD) == 201
    user = alice.get("/api/users/current").json
    assert (user["email_address"], user["verified"]) == (other["email_address"], False)


def test_a_reset_by_a_first_proof_ends_what_somebody_else_may_have_shared(cast: Cast, db: Database, settings: Settings) -> None:
    """A user who registered with another person's address cannot read what its owner writes later."""
    alice, path = cast.alice, f"/api/calendars/{cast.alice.get('/api/users/current').json['primary_calendar_id']}"
    calendar = alice.get(path).json
    shared(alice, calendar, cast.bob, "viewer")
    assert alice.put(f"{path}/share", json={"user_name": "nobody-yet@example.org", "role": "editor"}).status == 200
    feed = calendar["feed_url"].removeprefix(settings.url)
    assert (cast.bob.get(path).status, cast.anonymous.get(feed).status) == (200, 200)

    def reset() -> None:
        assert cast.anonymous.post(the_link(cast, db, settings), data={"password": NEW}).status == 303
        alice.token = cast.anonymous.post("/api/session", json={"user_name": alice.user_name, "password": NEW}).json["token"]

    reset()
    assert (cast.bob.get(path).status, cast.anonymous.get(feed).status, alice.get(path).json["shares"]) == (404, 404, [])
    shared(alice, calendar, cast.bob, "viewer")
    reset()
    assert cast.bob.get(path).status == 200


def test_a_request_that_waited_for_longer_than_a_link_lasts_is_dropped(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    ask(cast.anonymous, cast.alice.user_name)
    clock.ahead(HOUR)
    sender.queue_resets(Context(db, settings, timestamps.now()))
    assert count(db, cast.alice.id) == 0


@pytest.mark.parametrize("name_or_address", ["{0.user_name}", "{0.email_address}"])
def test_a_reset_accepts_a_user_name_or_an_address(cast: Cast, db: Database, settings: Settings, name_or_address: str) -> None:
    ask(cast.anonymous, name_or_address.format(cast.alice).upper())
    assert len(mailed(db, settings, cast.alice.id)) == 1


def _noting(statements: list[str]) -> Callable[[Context, str], None]:
    real = users.insert_reset_request

    def insert(ctx: Context, name: str) -> None:
        statements.append("insert")
        real(ctx, name)

    return insert


def _never(ctx: Context, name: str) -> None:
    pytest.fail("the request itself looks for the user")


def test_a_reset_does_not_disclose_whether_a_user_exists(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """The request only stores the name; the worker looks up the user."""
    names = ("nobody-of-this-name", "nobody@example.org", cast.alice.user_name)
    work = []
    for name in names:
        statements: list[str] = []
        with monkeypatch.context() as patched:
            patched.setattr(users, "insert_reset_request", _noting(statements))
            patched.setattr(users, "find", _never)
            work.append((ask(cast.anonymous, name), statements))
    assert [statements for _, statements in work] == [["insert"]] * 3
    unknown, unknown_address, known = [reply for reply, _ in work]
    replies = {(reply.redirect, reply.content) for reply in (unknown, unknown_address, known)}
    assert replies == {(("/reset", "mailed"), b"")}


def test_ids_of_deliveries_do_not_tell_whether_a_reset_was_sent(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)

    def send() -> int:
        reply = cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": "gus@example.org"})
        delivery_id: int = reply.json["deliveries"][0]["id"]
        return delivery_id

    # What other tests have requested.
    sender.queue_resets(Context(db, settings, timestamps.now()))
    steps = []
    for name in (cast.bob.user_name, "nobody-of-this-name"):
        before = send()
        ask(cast.anonymous, name)
        sender.queue_resets(Context(db, settings, timestamps.now()))
        steps.append(send() - before)
    assert steps == [2, 2]


def test_an_empty_reset_form_shows_an_error(db: Database, settings: Settings) -> None:
    reply = ask(Client(application(db, structs.replace(settings, email="smtp://127.0.0.1:1"), timestamps.now)), " ")
    assert reply.status == 422
    assert 'aria-invalid="true"' in reply.text


def test_a_reset_link_works_once(cast: Cast, db: Database, settings: Settings) -> None:
    link = the_link(cast, db, settings)
    assert cast.anonymous.post(link, data={"password": NEW}).status == 303
    again = cast.anonymous.post(link, data={"password": "another password"})
    assert (again.status, cast.anonymous.get(link).status) == (404, 404)
    assert "older than an hour" in again.text
    assert log_in(cast, NEW) == 201


def test_a_link_that_two_send_at_once_works_once(cast: Cast, db: Database, settings: Settings) -> None:
    link = the_link(cast, db, settings)
    with ThreadPoolExecutor(8) as threads:
        futures = {f"{NEW} {n}": threads.submit(cast.anonymous.post, link, data={"password": f"{NEW} {n}"}) for n in range(8)}
    (won,) = [password for password, reply in futures.items() if reply.result().status == 303]
    assert {reply.result().status for reply in futures.values()} == {303, 404}
    assert log_in(cast, won) == 201


def test_a_reset_link_works_for_an_hour(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    link = the_link(cast, db, settings)
    clock.ahead(HOUR - 1)
    assert cast.anonymous.get(link).status == 200
    clock.ahead(1)
    assert cast.anonymous.get(link).status == 404
    assert cast.anonymous.post(link, data={"password": NEW}).status == 404
    assert log_in(cast, PASSWORD) == 201


@pytest.mark.parametrize(
    "changes",
    [
        {"password": "another password", "current_password": PASSWORD},
        {"email_address": "elsewhere-{}@example.org", "current_password": PASSWORD},
    ],
)
def test_a_reset_link_ends_when_the_address_or_password_changes(
    cast: Cast, db: Database, settings: Settings, changes: dict[str, str]
) -> None:
    """An abandoned mailbox opens no account."""
    link = the_link(cast, db, settings)
    values = {name: value.format(cast.alice.id) for name, value in changes.items()}
    assert cast.alice.put(f"/api/users/{cast.alice.id}", json=values).status == 200
    assert cast.anonymous.post(link, data={"password": NEW}).status == 404


def test_a_reset_link_opens_no_other_account(cast: Cast, db: Database, settings: Settings) -> None:
    link = the_link(cast, db, settings)
    number, issued, mac = link.removeprefix("/reset/").split("-", 2)
    forged = [
        f"{cast.bob.id}-{issued}-{mac}",
        f"{number}-{int(issued) + 1}-{mac}",
        f"{number}-{issued}-{mac[:-1]}",
        f"{number}-{issued}-",
        f"{number}-{issued}",
        f"{number}--{mac}",
        f"{'9' * 18}-{issued}-{mac}",
        f"{'9' * 30}-{issued}-{mac}",
        "-",
    ]
    for token in forged:
        assert cast.anonymous.get(f"/reset/{token}").status == 404, token
        assert cast.anonymous.post(f"/reset/{token}", data={"password": NEW}).status == 404, token
    assert cast.anonymous.get(link).status == 200


def test_a_too_short_password_is_reported_and_the_link_still_works(cast: Cast, db: Database, settings: Settings) -> None:
    link = the_link(cast, db, settings)
    short = cast.anonymous.post(link, data={"password": "short"})
    assert short.status == 422
    assert "at least 8 characters" in short.text
    assert cast.anonymous.post(link, data={"password": NEW}).status == 303


def test_a_reset_link_that_would_not_work_is_not_sent(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    ask(cast.anonymous, cast.alice.user_name)
    ask(cast.anonymous, cast.bob.user_name)
    sender.queue_resets(Context(db, settings, timestamps.now()))
    moved = {"email_address": f"new-{cast.bob.email_address}", "current_password": PASSWORD}
    assert cast.bob.put(f"/api/users/{cast.bob.id}", json=moved).status == 200
    assert mailed(db, settings, cast.bob.id) == []
    clock.ahead(HOUR)
    assert mailed(db, settings, cast.alice.id) == []


def test_links_are_no_deliveries_of_events(cast: Cast) -> None:
    an_event(cast.alice)
    ask(cast.anonymous, cast.alice.user_name)
    listed = cast.alice.get("/api/deliveries?count=true").json
    assert (listed["deliveries"], listed["total"]) == ([], 0)


def test_nobody_can_flood_a_mailbox_with_links_nor_keep_one_from_getting_them(
    cast: Cast, db: Database, settings: Settings, limited: Client, clock: Clock
) -> None:
    event = an_event(cast.alice, public=True)
    for _ in range(MAX_SENDS_PER_HOUR):
        limited.put(f"/api/events/{event['id']}/send_to_me", json={"email": cast.bob.email_address})
    for _ in range(RESETS_AN_HOUR + 1):
        reply = ask(limited, cast.bob.user_name)
        assert reply.redirect == ("/reset", "mailed")
        sender.queue_resets(Context(db, structs.replace(settings, rate_limits="on"), timestamps.now()))
    assert count(db, cast.bob.id) == RESETS_AN_HOUR
    clock.ahead(HOUR)
    ask(limited, cast.bob.user_name)
    sender.queue_resets(Context(db, structs.replace(settings, rate_limits="on"), timestamps.now()))
    assert count(db, cast.bob.id) == RESETS_AN_HOUR + 1


def test_a_guest_asks_a_limited_number_of_times_a_minute(limited: Client, db: Database, settings: Settings, clock: Clock) -> None:
    guest = Client(application(db, structs.replace(settings, rate_limits="on", guest_writes_per_minute=4), clock))
    assert [ask(guest, f"nobody-{n}").status for n in range(5)] == [303] * 4 + [429]
