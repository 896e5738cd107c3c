"""The documents that a provider publishes: its endpoints (OpenID Connect Discovery) and its keys."""

from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from kalends.core.net.get import GetFailed, get
from kalends.core.net.post import AddressRefused
from kalends.core.oidc_providers import Provider, is_safe

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

# How long a document is used, and how long nobody asks again for one that did not come.
MAX_AGE, PAUSE = 3600, 10
# Somebody waits for the reply.
SECONDS = 10

# The documents by URL, each with the time when it was read, or the reason why it was not.
_documents: dict[str, tuple[float, bytes | str]] = {}
_lock = Lock()


class ProviderFailed(Exception):
    """The provider does not answer, or not as OpenID Connect says. The text is a sentence for the operator."""


class Endpoints(Struct, frozen=True):
    """What is needed of the discovery document."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    authorization_response_iss_parameter_supported: bool = False


def discovery_url(provider: Provider) -> str:
    return f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration"


def find_endpoints(provider: Provider) -> Endpoints:
    """The endpoints of the provider."""
    url = discovery_url(provider)
    try:
        endpoints = msgspec.json.decode(_read(url), type=Endpoints)
    except msgspec.DecodeError as error:
        raise ProviderFailed(f"{url} is no discovery document: {error}.") from None
    if endpoints.issuer != provider.issuer:
        raise ProviderFailed(f"{url} is that of the issuer {endpoints.issuer}. Write the issuer exactly so, also a slash at its end.")
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        if not is_safe(getattr(endpoints, name)):
            raise ProviderFailed(f"{url} has a {name} without https.")
    return endpoints


def find_keys(endpoints: Endpoints, *, anew: bool = False) -> "KeySet":
    """The keys of the provider; anew: not those that are known."""
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    try:
        keys: Any = msgspec.json.decode(_read(endpoints.jwks_uri, anew=anew))
        return KeySet.import_key_set(keys)
    except (msgspec.DecodeError, JoseError, ValueError, KeyError, TypeError):
        raise ProviderFailed(f"{endpoints.jwks_uri} has no keys that can be used.") from None


def forget() -> None:
    """Read all documents anew."""
    with _lock:
        _documents.clear()


def _read(url: str, *, anew: bool = False) -> bytes:
    with _lock:
        read_at, content = _documents.get(url, (0.0, ""))
    age = monotonic() - read_at
    if isinstance(content, bytes) and age < MAX_AGE and not anew:
        return content
    if isinstance(content, str) and content and age < PAUSE:
        raise ProviderFailed(content)
    content = _fetch(url)
    with _lock:
        _documents[url] = (monotonic(), content)
    if isinstance(content, str):
        raise ProviderFailed(content)
    return content


def _fetch(url: str) -> bytes | str:
    """The document, or why there is none. The operator chose the provider, which may be in their own network."""
    try:
        reply = get(url, {"Accept": "application/json"}, any_network=True, seconds=SECONDS)
    except (GetFailed, AddressRefused) as error:
        return f"{url} cannot be read: {error}"
    return reply.body if reply.status == 200 else f"{url} replies with status {reply.status}. Check the issuer."
