"""What a hostile provider, network or page tries with a login by OpenID Connect: each gets a sentence, and nothing is created."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from kalends.core.settings import Settings
from kalends.db import Database
from tests.client import Client, Reply
from tests.conftest import NOON, Clock
from tests.identities.provider import START, Browser, HostileProvider, rsa_key, site


@pytest.fixture
def provider() -> Iterator[HostileProvider]:
    with HostileProvider() as provider:
        yield provider


@pytest.fixture
def guest(db: Database, settings: Settings, clock: Clock, provider: HostileProvider) -> Client:
    return site(db, settings, clock, provider.table(), provider.table("other", issuer=provider.issuer, client_id="other"))


@pytest.fixture
def counted(db: Database) -> Iterator[None]:
    """Nothing is created."""
    before = _count(db)
    yield
    assert _count(db) == before


def _count(db: Database) -> list[int]:
    with db.read() as tx:
        return [int(tx.value(f"SELECT count(*) FROM {table}")) for table in ("users", "identities", "sessions")]


def _expect_refused(reply: Reply) -> None:
    assert reply.status == 400
    assert "Signing in with Club account didn’t work" in reply.text
    assert "include this number" in reply.text


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"iss": "https://elsewhere.example"},
        {"iss": None},
        {"aud": "another-client"},
        {"aud": ["kalends", "another-client"], "azp": "another-client"},
        {"aud": ["kalends", "another-client"]},
        {"exp": NOON - 61},
        {"exp": None},
        {"iat": NOON + 3600},
        {"sub": None},
        {"sub": 7},
        {"sub": "x" * 256},
    ],
    ids=str,
)
@pytest.mark.usefixtures("counted")
def test_a_token_for_something_else_signs_nobody_in(guest: Client, provider: HostileProvider, claims: dict[str, Any]) -> None:
    provider.claims |= claims
    browser = Browser(guest)
    _expect_refused(browser.sign_in(provider))
    assert browser.me is None


def _part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _claims_of(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return claims


@pytest.mark.parametrize("attack", ["none", "no signature", "shared secret", "public key as secret", "other key", "changed claims", "junk"])
@pytest.mark.usefixtures("counted")
def test_a_token_that_the_provider_did_not_sign_signs_nobody_in(guest: Client, provider: HostileProvider, attack: str) -> None:
    browser = Browser(guest)
    asked = browser.start()
    provider.nonce = asked["nonce"]
    genuine = provider.id_token()
    head, claims, signature = genuine.split(".")
    public = provider.key.as_pem(private=False)
    attacks: dict[str, Callable[[], str]] = {
        "none": lambda: f"{_part({'alg': 'none'})}.{claims}.",
        "no signature": lambda: f"{head}.{claims}.",
        "shared secret": lambda: jwt.encode({"alg": "HS256"}, _claims_of(genuine), OctKey.import_key("s3cret" * 8)),
        "public key as secret": lambda: _hs256(_claims_of(genuine), public),
        "other key": lambda: jwt.encode({"alg": "RS256", "kid": "first"}, _claims_of(genuine), rsa_key("other")),
        "changed claims": lambda: f"{head}.{_part(_claims_of(genuine) | {'sub': 'root'})}.{signature}",
        "junk": lambda: "junk",
    }
    provider.token = attacks[attack]()
    _expect_refused(browser.come_back({"state": asked["state"], "code": "a"}))


def _hs256(claims: dict[str, Any], secret: bytes) -> str:
    """The confusion of algorithms: signed with the published key as if it were a secret. The library refuses to make one."""
    import hashlib
    import hmac

    head = f"{_part({'alg': 'HS256', 'kid': 'first'})}.{_part(claims)}"
    signature = hmac.digest(secret, head.encode(), hashlib.sha256)
    return f"{head}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


@pytest.mark.usefixtures("counted")
def test_an_unknown_key_is_looked_for_once_and_signs_nobody_in(guest: Client, provider: HostileProvider) -> None:
    provider.header = {"kid": "unknown"}
    _expect_refused(Browser(guest).sign_in(provider))
    assert provider.count("/keys") == 2


def test_a_new_key_of_the_provider_is_found(guest: Client, provider: HostileProvider) -> None:
    assert Browser(guest).sign_in(provider).status == 303
    provider.key = rsa_key("second")
    provider.keys, provider.header = [provider.key], {"kid": "second"}
    browser = Browser(guest)
    assert browser.sign_in(provider).status == 303
    assert browser.me
    assert (provider.count("/keys"), provider.count("/.well-known")) == (2, 1)


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("state", ["wrong", "", "é"])
def test_a_state_that_this_browser_did_not_get_signs_nobody_in(guest: Client, provider: HostileProvider, state: str) -> None:
    browser = Browser(guest)
    browser.start()
    _expect_refused(browser.come_back({"state": state, "code": "a"}))
    assert provider.count("/token") == 0


@pytest.mark.usefixtures("counted")
def test_the_callback_in_another_browser_signs_nobody_in(guest: Client, provider: HostileProvider) -> None:
    asked = Browser(guest).start()
    provider.nonce = asked["nonce"]
    _expect_refused(Browser(guest).come_back({"state": asked["state"], "code": "a"}))
    forged = Browser(guest, {"kalends_oidc": "Z0FBQUFBQm1hZGUtdXA="})
    _expect_refused(forged.come_back({"state": asked["state"], "code": "a"}))


@pytest.mark.usefixtures("counted")
def test_a_login_that_took_ten_minutes_has_expired(guest: Client, provider: HostileProvider, clock: Clock) -> None:
    browser = Browser(guest)
    asked = browser.start()
    provider.nonce = asked["nonce"]
    clock.ahead(600)
    _expect_refused(browser.come_back({"state": asked["state"], "code": "a"}))


def test_a_code_and_a_state_work_once(guest: Client, provider: HostileProvider, db: Database) -> None:
    browser = Browser(guest)
    asked = browser.start()
    stolen = Browser(guest, browser.cookies)
    provider.nonce = asked["nonce"]
    assert browser.come_back({"state": asked["state"], "code": "once"}).status == 303
    before = _count(db)
    # The provider refuses the code, and one that forgets what it gave out still meets the state, which was used.
    _expect_refused(stolen.come_back({"state": asked["state"], "code": "once"}))
    _expect_refused(Browser(guest, stolen.cookies | {}).come_back({"state": asked["state"], "code": "fresh"}))
    assert _count(db) == before


@pytest.mark.usefixtures("counted")
def test_the_callback_of_another_provider_signs_nobody_in(guest: Client, provider: HostileProvider) -> None:
    browser = Browser(guest)
    asked = browser.start()
    provider.nonce = asked["nonce"]
    # The login was begun with `club`; its answer arrives at the address of `other`, and with the issuer of somebody else.
    assert browser.come_back({"state": asked["state"], "code": "a"}, "/sign-in/oidc/other").status == 400
    _expect_refused(Browser(guest).sign_in(provider, iss="https://elsewhere.example"))
    assert provider.count("/token") == 0


@pytest.mark.usefixtures("counted")
def test_a_provider_that_names_itself_must_do_so(guest: Client, provider: HostileProvider) -> None:
    provider.discovery = {"authorization_response_iss_parameter_supported": True}
    _expect_refused(Browser(guest).sign_in(provider))


@pytest.mark.usefixtures("counted")
def test_who_refuses_at_the_provider_is_not_signed_in(guest: Client, provider: HostileProvider) -> None:
    _expect_refused(Browser(guest).sign_in(provider, error="access_denied"))
    assert provider.count("/token") == 0


@pytest.mark.parametrize("path", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_a_login_leads_to_a_page_of_this_site_only(guest: Client, provider: HostileProvider, path: str) -> None:
    reply = Browser(guest).sign_in(provider, f"{START}?next={path}")
    assert reply.headers["Location"] == "/calendar"


@pytest.mark.usefixtures("counted")
def test_failed_logins_of_a_network_are_limited(db: Database, settings: Settings, clock: Clock, provider: HostileProvider) -> None:
    limited = site(db, settings, clock, provider.table(), rate_limits="on")
    provider.claims["nonce"] = "another"
    statuses = [Browser(limited).sign_in(provider).status for _ in range(12)]
    assert statuses == [400] * 10 + [429] * 2
    with db.write() as tx:
        tx.run("DELETE FROM failed_logins")


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(
    "wrong", [{"issuer": "https://elsewhere.example"}, {"token_endpoint": "http://203.0.113.7/token"}, {"jwks_uri": 7}]
)
def test_a_discovery_document_of_somebody_else_is_not_used(guest: Client, provider: HostileProvider, wrong: dict[str, Any]) -> None:
    provider.discovery = wrong
    reply = Browser(guest).get(START)
    assert reply.status == 503
    assert "Club account doesn’t answer" in reply.text


@pytest.mark.usefixtures("counted")
def test_a_provider_that_is_down_says_so(guest: Client, provider: HostileProvider) -> None:
    browser = Browser(guest)
    asked = browser.start()
    provider.stand.__exit__()
    reply = browser.come_back({"state": asked["state"], "code": "a"})
    assert reply.status == 503
    assert "doesn’t answer at the moment" in reply.text
    provider.stand.__exit__ = lambda *_: None  # type: ignore[method-assign]
