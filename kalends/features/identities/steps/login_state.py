"""What is known of a login while the browser is at the provider: in a cookie that only this server can write and read."""

import hashlib
from base64 import urlsafe_b64encode
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from kalends.core.oidc_providers import Provider
from kalends.core.tokens import decrypt, encrypt, new_token
from kalends.features.identities.steps.provider_documents import Endpoints
from kalends.http.context import Context
from kalends.http.origin import HOST_PREFIX

COOKIE = "kalends_oidc"
SECONDS = 600
_PURPOSE = "OpenID Connect"


class LoginState(Struct, frozen=True):
    """One login, which begins and ends in the same browser."""

    provider: str
    state: str
    nonce: str
    # The secret of PKCE, whose hash the provider gets first.
    verifier: str
    issued_at: int
    next: str
    # The user who wants to link the identity; None: whoever signs in.
    user_id: int | None = None


def begin(ctx: Context, provider: Provider, endpoints: Endpoints, path: str, user_id: int | None = None) -> str:
    """Remember the login, and return the URL at the provider."""
    login = LoginState(provider.name, new_token(), new_token(), new_token(), ctx.now, path, user_id)
    ctx.set_cookie(_cookie_name(ctx), encrypt(ctx.settings, _PURPOSE, "", msgspec.json.encode(login).decode()), SECONDS)
    query = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": redirect_uri(ctx, provider),
        "scope": provider.scopes,
        "state": login.state,
        "nonce": login.nonce,
        "code_challenge": urlsafe_b64encode(hashlib.sha256(login.verifier.encode()).digest()).decode().rstrip("="),
        "code_challenge_method": "S256",
    }
    return f"{endpoints.authorization_endpoint}{'&' if '?' in endpoints.authorization_endpoint else '?'}{urlencode(query)}"


def redirect_uri(ctx: Context, provider: Provider) -> str:
    """The address that the operator registers with the provider."""
    return f"{ctx.settings.url}/sign-in/oidc/{provider.name}/callback"


def take(ctx: Context, provider: Provider) -> LoginState | None:
    """The login of this browser with this provider, whose cookie is cleared; None if there is none, or it took too long."""
    cookie = ctx.caller.cookie(_cookie_name(ctx))
    text = decrypt(ctx.settings, _PURPOSE, "", cookie) if cookie else None
    if text is None:
        return None
    ctx.set_cookie(_cookie_name(ctx), "", 0)
    login = msgspec.json.decode(text, type=LoginState)
    is_current = login.issued_at <= ctx.now < login.issued_at + SECONDS
    return login if is_current and login.provider == provider.name else None


def _cookie_name(ctx: Context) -> str:
    return HOST_PREFIX + COOKIE if ctx.settings.https else COOKIE
