"""Whom a login by OpenID Connect signs in: a new account, the one that is linked, or the one with the same verified address."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import PASSWORD, Cast, Person
from tests.client import Client
from tests.conftest import Clock
from tests.identities.provider import START, Browser, HostileProvider, site
from tests.site.administrator import Admin
from tests.users.account_mail import mails


@pytest.fixture
def provider() -> Iterator[HostileProvider]:
    with HostileProvider() as provider:
        yield provider


@pytest.fixture
def guest(db: Database, settings: Settings, clock: Clock, provider: HostileProvider) -> Client:
    return site(db, settings, clock, provider.table())


def _browser_of(person: Person, client: Client) -> Browser:
    return Browser(client, {"kalends_session": str(person.token)})


def _link(browser: Browser, provider: HostileProvider) -> None:
    """Link the provider's account, as the page does."""
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in browser.cookies.items()), "Origin": "http://testserver"}
    page = browser.client.post("/account/identities/link/club", headers=headers, data={"x": "1"})
    assert page.status == 200, page
    browser.cookies |= page.cookies
    query = dict(pair.split("=") for pair in page.text.partition("/authorize?")[2].partition('"')[0].replace("&amp;", "&").split("&"))
    provider.nonce = query["nonce"]
    reply = browser.come_back({"state": query["state"], "code": uuid4().hex})
    assert (reply.status, reply.headers["Location"]) == (303, "/account/identities"), reply


def test_a_newcomer_gets_an_account_and_signs_in_to_it_again(guest: Client, provider: HostileProvider) -> None:
    browser = Browser(guest)
    reply = browser.sign_in(provider, f"{START}?next=/contacts")
    assert reply.headers["Location"] == "/contacts"
    me = browser.me
    assert me
    assert (me["name"], me["email_address"], me["verified"]) == ("Alice Club", provider.claims["email"], True)
    assert me["user_name"].startswith("alice.club")
    again = Browser(guest)
    provider.claims |= {"email": "new@club.example", "name": "Somebody Else"}
    again.sign_in(provider)
    assert again.me
    assert again.me["id"] == me["id"]
    [identity] = guest.signed_in(again.cookies["kalends_session"]).get("/api/identities").json["identities"]
    assert (identity["issuer"], identity["label"]) == (provider.issuer, "Club account")
    assert identity["last_used_at"]


def test_the_provider_gets_the_secret_the_verifier_and_the_registered_address(guest: Client, provider: HostileProvider) -> None:
    browser = Browser(guest)
    asked = browser.start()
    assert (asked["code_challenge_method"], asked["response_type"]) == ("S256", "code")
    assert asked["redirect_uri"] == "http://testserver/sign-in/oidc/club/callback"
    provider.nonce = asked["nonce"]
    browser.come_back({"state": asked["state"], "code": "a"})
    [sent] = provider.sent
    assert sent["redirect_uri"] == asked["redirect_uri"]
    assert len(sent["code_verifier"]) >= 43
    assert "Authorization: Basic" in sent["head"]


def test_a_user_name_that_is_taken_gets_a_number(guest: Client, provider: HostileProvider) -> None:
    names = []
    for _ in range(2):
        provider.claims = {"sub": uuid4().hex, "email": f"{uuid4().hex}@club.example", "preferred_username": "ann o'neil@club"}
        browser = Browser(guest)
        browser.sign_in(provider)
        assert browser.me
        names.append(browser.me["user_name"])
    assert len(set(names)) == 2
    assert all(name.startswith("ann-o-neil") for name in names)


def test_an_address_that_the_provider_has_not_verified_is_not_verified_here(guest: Client, provider: HostileProvider) -> None:
    provider.claims["email_verified"] = False
    browser = Browser(guest)
    browser.sign_in(provider)
    assert browser.me
    assert not browser.me["verified"]


def test_where_nobody_signs_up_there_is_no_account(db: Database, settings: Settings, clock: Clock, provider: HostileProvider) -> None:
    browser = Browser(site(db, settings, clock, provider.table(sign_up="no")))
    reply = browser.sign_in(provider)
    assert (reply.status, browser.me) == (403, None)
    assert "There is no account here for you yet." in reply.text


def test_who_needs_approval_waits_until_an_admin_agrees(db: Database, settings: Settings, clock: Clock, provider: HostileProvider) -> None:
    guest = site(db, settings, clock, provider.table(sign_up="approval"))
    browser = Browser(guest)
    assert browser.sign_in(provider).status == 403
    admin = Admin(guest, "ada")
    [waiting] = [
        each
        for each in admin.get("/api/admin/people?status=waiting&limit=100").json["people"]
        if each["email_address"] == provider.claims["email"]
    ]
    assert admin.put(f"/api/admin/people/{waiting['id']}/approve").status == 200
    assert browser.sign_in(provider).status == 303
    assert browser.me


@pytest.mark.parametrize("allowed", [True, False])
def test_the_same_address_links_only_where_the_operator_allows_it_and_both_have_verified_it(
    db: Database, settings: Settings, clock: Clock, provider: HostileProvider, allowed: bool
) -> None:
    guest = site(db, settings, clock, provider.table(link_by_email=allowed))
    alice = Cast(guest).alice
    provider.claims["email"] = alice.user["email_address"]
    for is_verified_there, is_verified_here, status in [(False, True, 409), (True, False, 409), (True, True, 303 if allowed else 409)]:
        with db.write() as tx:
            verified_at = clock.now if is_verified_here else None
            tx.run("UPDATE users SET verified_at = :verified_at WHERE id = :id", id=alice.id, verified_at=verified_at)
        provider.claims["email_verified"] = is_verified_there
        browser = Browser(guest)
        assert browser.sign_in(provider).status == status
        assert bool(browser.me) == (status == 303)
    assert ("sign-in was linked" in "".join(mails(db, settings, alice.id, "notice"))) == allowed


def test_a_name_links_nothing(guest: Client, provider: HostileProvider) -> None:
    alice = Cast(guest).alice
    provider.claims["preferred_username"] = alice.user["user_name"]
    browser = Browser(guest)
    browser.sign_in(provider)
    assert browser.me
    assert browser.me["id"] != alice.id


def test_a_signed_in_user_links_an_account_and_unlinks_it(
    guest: Client, provider: HostileProvider, db: Database, settings: Settings
) -> None:
    alice = Cast(guest).alice
    _link(_browser_of(alice, guest), provider)
    browser = Browser(guest)
    browser.sign_in(provider)
    assert browser.me
    assert browser.me["id"] == alice.id
    [identity] = alice.get("/api/identities").json["identities"]
    assert alice.delete(f"/api/identities/{identity['id']}").status == 200
    subjects = "".join(mails(db, settings, alice.id, "notice"))
    assert "A sign-in was linked" in subjects
    assert "A sign-in was unlinked" in subjects


def test_an_account_at_the_provider_is_linked_to_one_user(guest: Client, provider: HostileProvider) -> None:
    cast = Cast(guest)
    _link(_browser_of(cast.alice, guest), provider)
    headers = {"Cookie": f"kalends_session={cast.bob.token}", "Origin": "http://testserver"}
    page = guest.post("/account/identities/link/club", headers=headers, data={"x": "1"})
    query = dict(pair.split("=") for pair in page.text.partition("/authorize?")[2].partition('"')[0].replace("&amp;", "&").split("&"))
    provider.nonce = query["nonce"]
    bob = Browser(guest, {"kalends_session": str(cast.bob.token)} | page.cookies)
    assert bob.come_back({"state": query["state"], "code": "b"}).status == 409
    # The same answer in the browser of somebody else links nothing either.
    carol = Browser(guest, {"kalends_session": str(cast.carol.token)} | page.cookies)
    assert carol.come_back({"state": query["state"], "code": "c"}).status == 400
    assert cast.carol.get("/api/identities").json["identities"] == []


def test_linking_needs_a_recent_login(guest: Client, provider: HostileProvider, clock: Clock) -> None:
    alice = Cast(guest).alice
    clock.ahead(3700)
    headers = {"Cookie": f"kalends_session={alice.token}", "Origin": "http://testserver"}
    assert guest.post("/account/identities/link/club", headers=headers, data={"x": "1"}).status in (401, 403)


def test_the_only_way_to_sign_in_cannot_be_unlinked(guest: Client, provider: HostileProvider) -> None:
    browser = Browser(guest)
    browser.sign_in(provider)
    person = guest.signed_in(browser.cookies["kalends_session"])
    [identity] = person.get("/api/identities").json["identities"]
    refused = person.delete(f"/api/identities/{identity['id']}")
    assert refused.status == 409
    assert "only way" in refused.json["detail"]


def test_who_leaves_the_required_group_is_suspended(db: Database, settings: Settings, clock: Clock, provider: HostileProvider) -> None:
    guest = site(db, settings, clock, provider.table(required_group="members"))
    assert Browser(guest).sign_in(provider).status == 403
    provider.claims["groups"] = ["members"]
    browser = Browser(guest)
    assert browser.sign_in(provider).status == 303
    provider.claims["groups"] = ["others"]
    reply = Browser(guest).sign_in(provider)
    assert reply.status == 403
    assert "isn’t allowed to use this site" in reply.text
    assert browser.get("/account").status == 303
    provider.claims["groups"] = ["members"]
    assert Browser(guest).sign_in(provider).status == 403


def test_the_group_of_admins_gives_the_role_and_takes_it(db: Database, settings: Settings, clock: Clock, provider: HostileProvider) -> None:
    guest = site(db, settings, clock, provider.table(admin_group="admins"))
    Admin(guest, "ada")
    roles = []
    for groups in ([], ["admins"], "admins", []):
        provider.claims["groups"] = groups
        browser = Browser(guest)
        browser.sign_in(provider)
        assert browser.me
        roles.append(browser.me["role"])
    assert roles == ["member", "admin", "admin", "member"]


def test_without_passwords_only_the_emergency_admin_signs_in_with_one(
    db: Database, settings: Settings, clock: Clock, provider: HostileProvider, cast: Cast
) -> None:
    ada, alice = Admin(cast.anonymous, "ada"), cast.alice
    guest = site(db, settings, clock, provider.table(), passwords="off", emergency_admin=ada.user["user_name"])
    page = guest.get("/sign-in", headers={"Accept": "text/html"}).text
    assert 'name="password"' not in page
    assert "Sign in with Club account" in page
    assert 'name="password"' in guest.get("/sign-in/emergency", headers={"Accept": "text/html"}).text
    statuses = [
        guest.post("/api/session", json={"user_name": each.user["user_name"], "password": PASSWORD}).status for each in (ada, alice)
    ]
    assert statuses == [201, 401]
    account = {"user_name": uuid4().hex, "email_address": f"{uuid4().hex}@example.org", "password": PASSWORD}
    assert guest.post("/api/users", json=account).status == 403
    assert guest.get("/reset", headers={"Accept": "text/html"}).status == 403
    assert guest.get("/api/site").json["registration"] == "closed"
    changed = guest.signed_in(str(alice.token)).put(
        f"/api/users/{alice.id}", json={"password": "a new pass phrase", "current_password": PASSWORD}
    )
    assert changed.status == 403
    assert Browser(guest).sign_in(provider).status == 303
