"""`kalends doctor` explains in one line what is wrong with a provider."""

from collections.abc import Iterator
from typing import Any

import pytest

from kalends.cli.checks import find_problems
from kalends.core.oidc_providers import read
from kalends.core.settings import Settings, WrongSetting, load
from tests.identities.provider import HostileProvider

pytestmark = pytest.mark.on_one_database


@pytest.fixture
def provider() -> Iterator[HostileProvider]:
    with HostileProvider() as provider:
        yield provider


def _problem(provider: HostileProvider, **more: Any) -> str | None:
    return find_problems(Settings(oidc=provider.table(**more)))["sign-in with Club account"]


def test_a_provider_that_works_is_ok(provider: HostileProvider) -> None:
    assert _problem(provider) is None


@pytest.mark.parametrize(
    ("discovery", "words"),
    [
        ({"issuer": "https://id.example.org/"}, "is that of the issuer https://id.example.org/. Write the issuer exactly so"),
        ({"jwks_uri": None}, "is no discovery document"),
        ({"token_endpoint": "http://id.example.org/token"}, "has a token_endpoint without https"),
        ({"jwks_uri": "http://127.0.0.1:9/keys"}, "http://127.0.0.1:9/keys cannot be read"),
    ],
)
def test_the_line_says_what_is_wrong(provider: HostileProvider, discovery: dict[str, Any], words: str) -> None:
    provider.discovery = discovery
    problem = _problem(provider)
    assert problem
    assert words in problem
    assert "\n" not in problem
    assert problem.endswith("Correct [club] in KALENDS_OIDC, or ask who runs the provider.")


def test_an_issuer_without_a_document_is_named(provider: HostileProvider) -> None:
    problem = _problem(provider, issuer=f"{provider.issuer}/realms/none")
    assert problem
    assert "/realms/none/.well-known/openid-configuration replies with status 404. Check the issuer." in problem


def test_without_passwords_it_asks_for_a_way_in() -> None:
    assert "names no provider" in str(find_problems(Settings(passwords="off"))["passwords off"])
    oidc = '[club]\nissuer = "https://127.0.0.1:9"\nclient_id = "kalends"\n'
    assert "KALENDS_EMERGENCY_ADMIN" in str(find_problems(Settings(passwords="off", oidc=oidc))["passwords off"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("club", "is no TOML"),
        ("[Club]\nissuer = 'https://a.example'", "must have a table such as [keycloak]"),
        ("[club]\nissuer = 'https://a.example'", "is wrong in [club]"),
        ("[club]\nissuer = 'http://a.example'\nclient_id = 'k'", "the issuer must begin with https://"),
        ("[club]\nissuer = 'https://a.example'\nclient_id = 'k'\nscopes = 'email'", "scopes must have openid"),
        ("[club]\nissuer = 'https://a.example'\nclient_id = 'k'\nsecret = 's'", "unknown field"),
        ("[club]\nissuer = 'https://a.example'\nclient_id = 'k'\nclient_secret_file = '/nowhere'", "/nowhere cannot be read"),
    ],
)
def test_a_wrong_setting_stops_the_start(text: str, words: str) -> None:
    with pytest.raises(WrongSetting, match="KALENDS_OIDC") as wrong:
        load({"oidc": text})
    assert words in str(wrong.value)


def test_the_secret_may_be_in_a_file(tmp_path: Any) -> None:
    file = tmp_path / "secret"
    file.write_text("s3cret\n")
    provider = read(f"[club]\nissuer = 'https://a.example'\nclient_id = 'k'\nclient_secret_file = '{file}'")["club"]
    assert (provider.client_secret, provider.label, provider.sign_up) == ("s3cret", "club", "no")
