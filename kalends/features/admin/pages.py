"""Administration: the settings of the site, followed calendars, whether the service is well, and e-mail with a test message."""

from msgspec import structs

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.i18n.catalogs import LANGUAGES, OFFERED
from kalends.core.settings import variable
from kalends.core.values.datetimes import known_zones
from kalends.features.admin import api as admin_api
from kalends.features.pictures.steps.add import add_picture
from kalends.features.site import api, store
from kalends.features.site.model import SiteInput
from kalends.features.sources import item_store as source_items
from kalends.features.sources import present as source_present
from kalends.features.sources import store as source_store
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging, paginate
from kalends.policy import site as sites
from kalends.web.accent_pages import DEFAULT_ACCENT
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

FILE, REMOVE = "file", "remove_logo"
# Below this share of free space, the page warns.
LITTLE = 0.1
GIBIBYTE = 1024**3


@page("GET", "/admin")
def show(ctx: Context, form: FormState | None = None) -> Document:
    """The settings of the site, with those that the operator has set."""
    policy.admin(ctx)
    stored = structs.asdict(store.find_row(ctx))
    variables = {name: variable(sites.OPERATOR_SETTINGS[name]) for name in sites.fixed_values(ctx.settings)}
    return render(
        "admin/site.html",
        ctx,
        title=gettext("Administration"),
        form=filled(stored | {"accent_color": stored["accent_color"] or DEFAULT_ACCENT}, form),
        variables=variables,
        defaults=sites.DEFAULTS,
        languages={code: name for code, name in LANGUAGES.items() if code in (*OFFERED, sites.get(ctx).language)},
        zones=sorted(known_zones()),
    )


@page("POST", "/admin", again=show, pool="file")
def update(ctx: Context, params: Form) -> Document:
    """Change the settings of the site, and its logo."""
    with ctx.read():
        policy.admin(ctx)
    upload = params.file(FILE)
    logo = add_picture(ctx, upload) if upload else None
    changes = params.without(FILE, REMOVE).changes(SiteInput)
    if changes.get("accent_color") == DEFAULT_ACCENT:
        changes.values["accent_color"] = None
    with ctx.write():
        api.update(ctx, changes)
        if logo or params.text(REMOVE) == "true":
            store.update_logo(ctx, logo)
        return redirect(ctx, "/admin", done="saved")


@page("GET", "/admin/sources")
def show_sources(ctx: Context, params: Paging) -> Document:
    """All followed calendars of the site, and how each is."""
    policy.admin(ctx)
    rows, next_page = paginate(ctx, params, source_store.index_all(ctx, params))
    sources = [source_present.item(ctx, row) for row in rows]
    counts = source_items.count_by_source(ctx, [source.id for source in sources])
    title = gettext("Calendars from elsewhere")
    return render("admin/sources.html", ctx, title=title, sources=sources, counts=counts, offset=params.offset, next=next_page)


@page("GET", "/admin/health")
def show_health(ctx: Context) -> Document:
    """Version, database, worker, queue, backup and disk."""
    health = admin_api.find_health(ctx)
    is_full = health.disk_free < LITTLE * health.disk_total
    gibibytes = {"free": round(health.disk_free / GIBIBYTE), "total": round(health.disk_total / GIBIBYTE)}
    return render("admin/health.html", ctx, title=gettext("Health"), health=health, is_full=is_full, gibibytes=gibibytes)


@page("GET", "/admin/mail")
def show_mail(ctx: Context, form: FormState | None = None) -> Document:
    """How e-mail is sent, what waits, and what could not be sent lately."""
    return render("admin/mail.html", ctx, title=gettext("Email"), form=form, mail=admin_api.mail(ctx), variable=variable("email"))


@page("POST", "/admin/mail/test", again=show_mail)
def test(ctx: Context, params: Form) -> Document:
    """Mail a test message to oneself."""
    admin_api.test_mail(ctx)
    return redirect(ctx, "/admin/mail", done="test-sent")
