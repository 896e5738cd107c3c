"""/verify: proving that an address is one's own, and what depends on it."""

import pytest
from msgspec import structs

from kalends import policy
from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries.store import MAX_ACCOUNT_MAILS_PER_HOUR
from kalends.http.context import Context
from tests.cast import PASSWORD, Cast, Person, Registered, an_event
from tests.client import Client
from tests.conftest import NOON, Clock
from tests.users.account_mail import link_in, mailed, mails

WEEK = 7 * 86_400


@pytest.fixture
def cast(client: Client) -> Cast:
    return Cast(client, Registered)


@pytest.fixture(autouse=True)
def one_clock(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers look at the clock that the test moves."""
    monkeypatch.setattr(timestamps, "now", clock)


def the_link(person: Person, db: Database, settings: Settings) -> str:
    return link_in(mails(db, settings, person.id, "verify")[-1])


def account(person: Person) -> tuple[bool, str | None]:
    user = person.get("/api/users/current").json
    return user["verified"], user["verified_at"]


def test_a_registration_mails_a_link_that_verifies_the_address(cast: Cast, db: Database, settings: Settings) -> None:
    alice = cast.alice
    an_event(alice)  # Creating does not wait for it.
    link = the_link(alice, db, settings)
    assert account(alice) == (False, None)
    page = cast.anonymous.get(link)
    assert (page.status, alice.email_address in page.text, page.headers["Cache-Control"]) == (200, True, "no-store")
    assert account(alice) == (False, None)
    assert cast.anonymous.post(link).redirect == ("/account", "verified")
    assert account(alice) == (True, timestamps.format_utc(NOON))
    assert f"{alice.email_address} is confirmed" in alice.get("/account").text


def test_a_link_verifies_one_address_of_one_account_for_a_week(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    link = the_link(cast.alice, db, settings)
    number, issued, mac = link.removeprefix("/verify/").split("-", 2)
    for token in (f"{cast.bob.id}-{issued}-{mac}", f"{number}-{int(issued) + 1}-{mac}", f"{number}-{issued}-", "-", f"{'9' * 30}-1-x"):
        assert cast.anonymous.post(f"/verify/{token}").status == 404
    clock.ahead(WEEK)
    over = cast.anonymous.post(link)
    assert (over.status, "older than a week" in over.text) == (404, True)
    clock.ahead(-1)
    moved = {"email_address": f"new-{cast.alice.email_address}", "current_password": PASSWORD}
    assert cast.alice.put(f"/api/users/{cast.alice.id}", json=moved).status == 200
    assert cast.anonymous.get(link).status == 404
    assert account(cast.alice) == (False, None)


def test_a_new_address_needs_the_password_and_verification_and_the_old_one_is_notified(
    cast: Cast, db: Database, settings: Settings
) -> None:
    alice, path = cast.alice, f"/api/users/{cast.alice.id}"
    cast.anonymous.post(the_link(alice, db, settings))
    new = {"email_address": f"new-{alice.email_address}"}
    for values, status in ((new, 422), (new | {"current_password": "not hers"}, 403)):
        refused = alice.put(path, json=values)
        assert (refused.status, refused.broken) == (status, ["current_password"])
    assert account(alice)[0] is True
    assert alice.put(path, json={"email_address": alice.email_address.upper()}).json["verified"] is True
    assert alice.put(path, json=new | {"current_password": PASSWORD}).json["verified"] is False
    (notice,) = mails(db, settings, alice.id, "notice")
    assert f"To: {alice.user_name.upper()}@example.org" in notice
    assert "now uses a different email address" in notice.replace("=\n", "")
    link = the_link(alice, db, settings)
    assert cast.anonymous.post(link).status == 303
    assert account(alice)[0] is True


def test_the_link_is_sent_again_a_few_times_an_hour(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    limited = Client(application(db, structs.replace(settings, rate_limits="on"), clock)).signed_in(str(cast.alice.token))
    path = f"/api/users/{cast.alice.id}/verify"
    # The first went out with the registration.
    assert [limited.post(path).status for _ in range(MAX_ACCOUNT_MAILS_PER_HOUR["verify"])] == [202, 202, 202, 202, 429]
    refused = limited.post("/account/verify")
    assert (refused.status, "in its folder outbox" in refused.text) == (429, True)
    clock.ahead(3600)
    assert limited.post("/account/verify").redirect == ("/account", "verification-sent")
    cast.anonymous.post(the_link(cast.alice, db, settings))
    assert limited.post(path).status == 409


def test_nobody_is_found_by_an_address_that_is_not_verified(cast: Cast, db: Database, settings: Settings) -> None:
    """This is about other users; a login accepts the user's own unverified address."""
    bob = cast.bob

    def is_known(name: str) -> bool:
        ctx = Context(db, settings, NOON)
        with ctx.read():
            return policy.other_user(ctx, name) is not None

    assert (is_known(bob.user_name), is_known(bob.email_address)) == (True, False)
    login = {"user_name": bob.email_address, "password": PASSWORD}
    assert cast.anonymous.post("/api/session", json=login).status == 201
    cast.anonymous.post(the_link(bob, db, settings))
    assert (is_known(bob.user_name), is_known(bob.email_address), is_known("nobody@example.org")) == (True, True, False)


def test_the_owner_of_an_address_takes_over_an_account_registered_with_it(cast: Cast, db: Database, settings: Settings) -> None:
    """The key and the session that a squatter made beforehand end with the reset."""
    squatter = cast.alice
    key = squatter.post("/api/keys", json={"name": "backdoor"}).json
    cast.anonymous.post("/reset", data={"user_name": squatter.email_address})
    (link,) = mailed(db, settings, squatter.id)
    assert cast.anonymous.post(link, data={"password": "carols own password"}).status == 303
    assert cast.anonymous.signed_in(key["wkey"]).get("/api/events").status == 401
    assert cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).status == 401
    assert squatter.get("/api/events").status == 401


def test_an_announcement_by_real_mail_needs_a_verified_address(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    path = f"/api/events/{an_event(cast.alice, public=True)['id']}/announce"
    sends = Client(application(db, structs.replace(settings, email="smtp://127.0.0.1:1"), clock)).signed_in(str(cast.alice.token))
    refused = sends.put(path)
    assert (refused.status, "Confirm your email address" in refused.text) == (403, True)
    assert cast.alice.put(path).status in (200, 202)
    cast.anonymous.post(the_link(cast.alice, db, settings))
    assert sends.put(path).status in (200, 202)


def test_the_banner_says_whether_the_link_was_mailed(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    sends = Client(application(db, structs.replace(settings, email="smtp://127.0.0.1:1"), clock)).signed_in(str(cast.alice.token))
    assert f"We’ve emailed a link to {cast.alice.email_address}." in sends.get("/calendar").text
    page = cast.alice.get("/calendar").text
    assert ("This site sends no email." in page, "We’ve emailed a link" in page) == (True, False)


def test_the_page_of_the_link_knows_who_is_signed_in(cast: Cast, db: Database, settings: Settings) -> None:
    link = the_link(cast.alice, db, settings)
    assert 'href="/sign-in"' in cast.anonymous.get(link).text
    page = cast.alice.get(link).text
    assert ('href="/sign-in"' in page, "Yes, it’s mine" in page) == (False, True)
