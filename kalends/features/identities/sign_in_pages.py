"""Signing in with OpenID Connect: to the provider, and back with a code that is exchanged for an ID token."""

import hmac
from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core import errors, oidc_providers
from kalends.core.i18n import fill, gettext
from kalends.core.log import get_logger
from kalends.core.oidc_providers import Provider
from kalends.core.records.people import User
from kalends.db import Retry, UniqueViolation
from kalends.features.identities.steps import admission, id_token, login_state
from kalends.features.identities.steps.id_token import Claims, WrongToken
from kalends.features.identities.steps.login_state import LoginState
from kalends.features.identities.steps.provider_documents import ProviderFailed, find_endpoints
from kalends.features.sessions import store as sessions
from kalends.features.sessions.steps import credentials, login_attempts
from kalends.http import login_cookies
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.origin import network
from kalends.web.page import page
from kalends.web.redirects import Destination, local_path, redirect

log = get_logger(__name__)

ATTEMPTS = 3
FAILED = gettext("Signing in with %(label)s didn’t work, or took more than ten minutes. Start again.")
DOWN = gettext("%(label)s doesn’t answer at the moment. Try again in a minute, or sign in another way.")


class Callback(Struct, kw_only=True):
    """What a provider sends back with the browser. Anything else in the query is ignored."""

    code: Annotated[str, Meta(max_length=8_000)] | None = None
    state: Annotated[str, Meta(max_length=200)] | None = None
    iss: Annotated[str, Meta(max_length=1_000)] | None = None
    error: Annotated[str, Meta(max_length=200)] | None = None


@page("GET", "/sign-in/oidc/{provider_name}", guests=True, pool="upload")
def start(ctx: Context, provider_name: str, params: Destination) -> Document:
    """Go to the provider."""
    provider = oidc_providers.read(ctx.settings.oidc).get(provider_name)
    if provider is None:
        raise errors.NotFound
    try:
        endpoints = find_endpoints(provider)
    except ProviderFailed as failure:
        raise report_down(provider, failure) from None
    ctx.headers["Cache-Control"] = "no-store"
    return redirect(ctx, login_state.begin(ctx, provider, endpoints, local_path(params.next)))


@page("GET", "/sign-in/oidc/{provider_name}/callback", guests=True, pool="upload")
def finish(ctx: Context, provider_name: str, params: Callback) -> Document:
    """Come back from the provider, signed in."""
    provider = oidc_providers.read(ctx.settings.oidc).get(provider_name)
    if provider is None:
        raise errors.NotFound
    login = login_state.take(ctx, provider)
    if login is None or not hmac.compare_digest((params.state or "").encode(), login.state.encode()):
        raise _refuse(ctx, provider, "the state is not that of this browser")
    attempt = login_attempts.begin(ctx, [credentials.network_subject(ctx)])
    try:
        claims = _ask(ctx, provider, login, params)
    except ProviderFailed as failure:
        login_attempts.end(ctx, attempt)
        raise report_down(provider, failure) from None
    except WrongToken as wrong:
        raise _refuse(ctx, provider, str(wrong)) from None
    login_attempts.end(ctx, attempt)
    if admission.lacks_group(provider, claims):
        with ctx.write():
            admission.suspend_former_member(ctx, provider, claims)
        raise errors.Forbidden(fill(admission.NOT_ALLOWED, label=provider.label))
    return _admit(ctx, provider, login, claims)


def report_down(provider: Provider, failure: ProviderFailed) -> errors.Unavailable:
    """The error for people; the log has the reason."""
    log.warning("oidc_provider_failed", provider=provider.name, reason=str(failure))
    return errors.Unavailable(fill(DOWN, label=provider.label))


def _refuse(ctx: Context, provider: Provider, reason: str) -> errors.SignInFailed:
    client = network(ctx.caller.address) if ctx.settings.log_addresses == "on" else None
    log.warning("login_failed", kind="oidc", account=None, provider=provider.name, reason=reason, network=client)
    return errors.SignInFailed(fill(FAILED, label=provider.label))


def _ask(ctx: Context, provider: Provider, login: LoginState, params: Callback) -> Claims:
    """The verified claims for the code of the callback."""
    endpoints = find_endpoints(provider)
    needs_issuer = endpoints.authorization_response_iss_parameter_supported
    if (params.iss or (provider.issuer if not needs_issuer else "")) != provider.issuer:
        raise WrongToken("the callback is that of another provider")
    if params.error or not params.code:
        raise WrongToken(f"the provider says {params.error or 'nothing'}")
    token = id_token.exchange(provider, endpoints, params.code, login.verifier, login_state.redirect_uri(ctx, provider))
    return id_token.verify(provider, endpoints, token, login.nonce, ctx.now)


def _admit(ctx: Context, provider: Provider, login: LoginState, claims: Claims) -> Document:
    """Link the identity, or open a session for its user. The code works once, so that only this is tried again."""
    for _ in range(ATTEMPTS):
        try:
            with ctx.write():
                if not sessions.use_digest(ctx, f"oidc {login.state}"):
                    raise _refuse(ctx, provider, "the state was used before")
                if login.user_id is not None:
                    return _link(ctx, provider, login, claims)
                user = admission.admit(ctx, provider, claims)
                if user.status == "active":
                    return _open(ctx, user, login)
            # What was created stays, also where the person has to wait.
            policy.require_active(user)
        except (Retry, UniqueViolation):
            continue
    raise errors.Unavailable(gettext("Too many people changed this at once. Try again."))


def _link(ctx: Context, provider: Provider, login: LoginState, claims: Claims) -> Document:
    if policy.user(ctx).id != login.user_id:
        raise _refuse(ctx, provider, "somebody else is signed in now")
    admission.link(ctx, provider, claims, login.user_id)
    return redirect(ctx, "/account/identities", done="identity-linked")


def _open(ctx: Context, user: User, login: LoginState) -> Document:
    """The provider's page sent the browser here, so its cookies are set without asking where it comes from: the state proves it."""
    _, token = sessions.insert(ctx, user.id, None)
    login_cookies.set_device(ctx, user.id)
    login_cookies.set_session(ctx, token)
    return redirect(ctx, local_path(login.next))
