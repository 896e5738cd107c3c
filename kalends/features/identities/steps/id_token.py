"""The ID token: exchanged for the code of the callback, and verified by the library joserfc, which the first such request imports."""

from base64 import b64encode
from typing import Any
from urllib.parse import quote_plus

import msgspec
from msgspec import Struct

from kalends.core.net.get import GetFailed, post_form
from kalends.core.net.post import AddressRefused
from kalends.core.oidc_providers import Provider
from kalends.features.identities.steps.provider_documents import SECONDS, Endpoints, ProviderFailed, find_keys

# Of keys that only the provider has: neither `none` nor those of a secret that is shared.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
# By how many seconds the clocks of the two may differ.
LEEWAY = 60
MAX_SUBJECT = 255


class WrongToken(Exception):
    """The provider refused the code, or the token is not one for this login. The text is for the log."""


class Claims(Struct, frozen=True):
    """What the provider says about the person."""

    subject: str
    email_address: str
    is_verified: bool
    name: str
    user_name: str
    groups: frozenset[str]


class _TokenReply(Struct):
    id_token: str


def exchange(provider: Provider, endpoints: Endpoints, code: str, verifier: str, redirect_uri: str) -> str:
    """The ID token for a code, which works once."""
    fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri, "code_verifier": verifier}
    headers = {"Accept": "application/json"}
    if provider.client_secret and "client_secret_basic" in endpoints.token_endpoint_auth_methods_supported:
        pair = f"{quote_plus(provider.client_id)}:{quote_plus(provider.client_secret)}"
        headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
    else:
        fields |= {"client_id": provider.client_id} | ({"client_secret": provider.client_secret} if provider.client_secret else {})
    try:
        reply = post_form(endpoints.token_endpoint, fields, headers, any_network=True, seconds=SECONDS)
    except (GetFailed, AddressRefused) as error:
        raise ProviderFailed(f"{endpoints.token_endpoint} cannot be asked: {error}") from None
    if reply.status >= 500:
        raise ProviderFailed(f"{endpoints.token_endpoint} replies with status {reply.status}.")
    if reply.status != 200:
        raise WrongToken(f"the token endpoint replies with status {reply.status}")
    try:
        return msgspec.json.decode(reply.body, type=_TokenReply).id_token
    except msgspec.DecodeError:
        raise WrongToken("the token endpoint sent no ID token") from None


def verify(provider: Provider, endpoints: Endpoints, id_token: str, nonce: str, now: int) -> Claims:
    """The claims of the token, if the provider issued it for this client and this login, and it has not expired."""
    from joserfc.errors import JoseError
    from joserfc.jwt import JWTClaimsRegistry

    rules = JWTClaimsRegistry(
        now=now,
        leeway=LEEWAY,
        iss={"essential": True, "value": provider.issuer},
        aud={"essential": True, "value": provider.client_id},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        claims = _decode(endpoints, id_token)
        rules.validate(claims)
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise WrongToken(f"{type(error).__name__}: {error}") from None
    audience = claims["aud"]
    if isinstance(audience, list) and len(audience) > 1 and claims.get("azp") != provider.client_id:
        raise WrongToken("it is for several clients, of which another one asked for it")
    if len(claims["sub"]) > MAX_SUBJECT:
        raise WrongToken("its subject is too long")
    return _read(provider, claims)


def _decode(endpoints: Endpoints, id_token: str) -> dict[str, Any]:
    """The claims, if the signature is right. A key that is not known may be new, so the keys are read once more."""
    from joserfc.errors import InvalidKeyIdError
    from joserfc.jws import JWSRegistry
    from joserfc.jwt import decode

    registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
    try:
        return decode(id_token, find_keys(endpoints), registry=registry).claims
    except InvalidKeyIdError:
        return decode(id_token, find_keys(endpoints, anew=True), registry=registry).claims


def _read(provider: Provider, claims: dict[str, Any]) -> Claims:
    groups = claims.get(provider.groups_claim)
    return Claims(
        subject=claims["sub"],
        email_address=_text(claims, "email"),
        is_verified=claims.get("email_verified") is True,
        name=_text(claims, "name"),
        user_name=_text(claims, "preferred_username"),
        groups=frozenset(str(group) for group in groups)
        if isinstance(groups, list)
        else frozenset([str(groups)])
        if groups
        else frozenset(),
    )


def _text(claims: dict[str, Any], name: str) -> str:
    value = claims.get(name)
    return value if isinstance(value, str) else ""
