"""The welcome of a new account, and before it the three steps by which the first administrator sets up the site."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.i18n.catalogs import LANGUAGES, OFFERED
from kalends.core.limit_presets import REGISTRATION
from kalends.core.settings import variable
from kalends.core.values.datetimes import known_zones
from kalends.features.admin import api as admin_api
from kalends.features.site import api, store
from kalends.features.site.model import SiteInput
from kalends.features.users import store as users
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import site as sites
from kalends.web.accent_pages import DEFAULT_ACCENT
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

COLORS = {
    DEFAULT_ACCENT: gettext("Terracotta"),
    "#1d6b3f": gettext("Green"),
    "#26407c": gettext("Blue"),
    "#6b2f86": gettext("Purple"),
    "#8a5a00": gettext("Ochre"),
    "#1d1b19": gettext("Black"),
}


@page("GET", "/welcome")
def show(ctx: Context) -> Document:
    """What a new account can do first."""
    calendar_id = users.primary_calendar_id(ctx, policy.user(ctx).id)
    return render("welcome/show.html", ctx, title=gettext("Welcome"), calendar_id=calendar_id)


@page("GET", "/welcome/site")
def edit_site(ctx: Context, form: FormState | None = None) -> Document:
    """The first step: name, language, time zone and colour."""
    actor, stored = policy.admin(ctx), store.find_row(ctx)
    values = {
        "name": stored.name,
        "language": stored.language or ctx.locale.language,
        "time_zone": stored.time_zone or actor.time_zone,
        "accent_color": stored.accent_color or DEFAULT_ACCENT,
    }
    return render(
        "welcome/site.html",
        ctx,
        title=gettext("Set up your site"),
        form=filled(values, form),
        variables=_fixed(ctx),
        defaults=sites.DEFAULTS,
        languages={code: LANGUAGES[code] for code in OFFERED},
        zones=sorted(known_zones()),
        colors=COLORS,
    )


@page("POST", "/welcome/site", again=edit_site)
def update_site(ctx: Context, params: Form) -> Document:
    """Save the first step."""
    changes = params.changes(SiteInput)
    if changes.get("accent_color") == DEFAULT_ACCENT:
        changes.values["accent_color"] = None
    api.update(ctx, changes)
    return redirect(ctx, "/welcome/people")


@page("GET", "/welcome/people")
def edit_people(ctx: Context, form: FormState | None = None) -> Document:
    """The second step: who can create an account, and who sees public events."""
    policy.admin(ctx)
    stored = store.find_row(ctx)
    usual = REGISTRATION[ctx.settings.limits] if ctx.settings.limits else "invitation"
    values = {"registration": stored.registration or usual, "visibility": stored.visibility or "everyone"}
    return render("welcome/people.html", ctx, title=gettext("Who can join?"), form=filled(values, form), variables=_fixed(ctx))


@page("POST", "/welcome/people", again=edit_people)
def update_people(ctx: Context, params: Form) -> Document:
    """Save the second step."""
    api.update(ctx, params.changes(SiteInput))
    return redirect(ctx, "/welcome/mail")


@page("GET", "/welcome/mail")
def show_mail(ctx: Context, form: FormState | None = None) -> Document:
    """The third step: how email is sent, and a test."""
    mail = admin_api.mail(ctx)
    return render(
        "welcome/mail.html",
        ctx,
        title=gettext("Email"),
        form=form,
        mail=mail,
        failed=next((each for each in mail.failed if each.notice == "test_message"), None),
        variables={name: variable(name) for name in ("email", "email_from")},
    )


@page("POST", "/welcome/mail", again=show_mail)
def test_mail(ctx: Context, params: Form) -> Document:
    """Mail a test message to oneself."""
    admin_api.test_mail(ctx)
    return redirect(ctx, "/welcome/mail", done="test-sent")


def _fixed(ctx: Context) -> dict[str, str]:
    """What the server operator has set, with the names of the variables."""
    return {name: variable(sites.OPERATOR_SETTINGS[name]) for name in sites.fixed_values(ctx.settings)}
