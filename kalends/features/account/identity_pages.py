"""Linked sign-ins on pages: which accounts at OpenID Connect providers sign one in, linking one, and unlinking."""

from kalends import policy
from kalends.core import errors, oidc_providers
from kalends.core.i18n import gettext
from kalends.features.identities import api
from kalends.features.identities.sign_in_pages import report_down
from kalends.features.identities.steps import login_state
from kalends.features.identities.steps.provider_documents import ProviderFailed, find_endpoints
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import MAX_PAGE, Paging
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

BACK = "/account/identities"


@page("GET", "/account/identities")
def identities(ctx: Context, form: FormState | None = None) -> Document:
    """The accounts that sign one in, and the providers of which one can be linked."""
    policy.user(ctx)
    linked = api.index(ctx, Paging(limit=MAX_PAGE)).identities
    issuers = {each.issuer for each in linked}
    return render(
        "account/identities.html",
        ctx,
        title=gettext("Linked sign-ins"),
        identities=linked,
        providers=[each for each in oidc_providers.read(ctx.settings.oidc).values() if each.issuer not in issuers],
        form=form or FormState(),
        is_recent=policy.is_recent(ctx),
    )


def _again(ctx: Context, form: FormState, **variables: str) -> Document:
    return identities(ctx, form)


@page("POST", "/account/identities/link/{provider_name}", again=_again, pool="upload")
def link(ctx: Context, provider_name: str, params: Form) -> Document:
    """Begin to link an account. The page leads on to the provider: browsers do not let a form do that."""
    provider = oidc_providers.read(ctx.settings.oidc).get(provider_name)
    if provider is None:
        raise errors.NotFound
    with ctx.read():
        session = policy.recent_session(ctx)
    try:
        endpoints = find_endpoints(provider)
    except ProviderFailed as failure:
        raise report_down(provider, failure) from None
    ctx.headers["Cache-Control"] = "no-store"
    url = login_state.begin(ctx, provider, endpoints, BACK, session.user_id)
    with ctx.read():
        return render("account/identity_link.html", ctx, title=gettext("Link your account"), provider=provider, url=url)


@page("POST", "/account/identities/{identity_id}/delete", again=_again)
def destroy(ctx: Context, identity_id: str, params: Form) -> Document:
    """Unlink an account."""
    api.destroy(ctx, identity_id)
    return redirect(ctx, BACK, done="identity-unlinked")
