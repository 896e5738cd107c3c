"""Administration: the settings of the site, followed calendars, whether the service is well, e-mail with a test message, the log of what
admins did, and the addresses that get no more messages."""

from msgspec import structs

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.i18n.catalogs import LANGUAGES, OFFERED
from kalends.core.records.administration import AuditAction
from kalends.core.settings import variable
from kalends.core.values.datetimes import known_zones
from kalends.features.admin import api as admin_api
from kalends.features.admin.audit import api as audit_api
from kalends.features.admin.suppressions import api as suppression_api
from kalends.features.admin.suppressions.api import SiteSuppressionQuery
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
AUDIT_ACTIONS: dict[AuditAction, str] = {
    "account_created": gettext("made an account"),
    "account_approved": gettext("approved a registration"),
    "account_refused": gettext("refused a registration"),
    "account_suspended": gettext("suspended an account"),
    "account_activated": gettext("lifted the suspension of an account"),
    "account_deleted": gettext("deleted an account"),
    "role_changed": gettext("changed the role of an account"),
    "sending_changed": gettext("changed whether an account may send"),
    "password_set": gettext("set the password of an account"),
    "factors_removed": gettext("turned off the second factor of an account"),
    "account_invited": gettext("invited someone to create an account"),
    "invitation_withdrawn": gettext("withdrew an invitation"),
    "site_changed": gettext("changed settings of the site"),
    "event_hidden": gettext("hid an event"),
    "event_shown": gettext("showed an event again"),
    "sender_blocked": gettext("blocked a sender"),
    "sender_accepted": gettext("accepted a sender again"),
    "suppression_lifted": gettext("lifted the end of messages to an address"),
    "report_closed": gettext("closed a report"),
    "report_opened": gettext("opened a report again"),
    "calendar_given": gettext("gave a deleted account’s calendar to someone"),
    "calendar_erased": gettext("erased a deleted account’s calendar for good"),
}
AUDIT_WAYS = {
    "page": gettext("on a page"),
    "api": gettext("by the API"),
    "key": gettext("with an API key"),
    "command": gettext("with a command"),
}


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


@page("GET", "/admin/audit")
def show_audit(ctx: Context, params: Paging) -> Document:
    """What admins and the operator did, the newest first."""
    return render("admin/audit.html", ctx, title=gettext("Log"), index=audit_api.audit(ctx, params), actions=AUDIT_ACTIONS, ways=AUDIT_WAYS)


@page("GET", "/admin/suppressions")
def show_suppressions(ctx: Context, params: SiteSuppressionQuery) -> Document:
    """The addresses that get no more messages of an organiser, or of all."""
    listed = suppression_api.site_suppressions(ctx, params)
    events = policy.visible_events(ctx, [each.event_id for each in listed.suppressions])
    form = filled({"address": params.address})
    return render("admin/suppressions.html", ctx, title=gettext("Addresses that get no messages"), index=listed, events=events, form=form)


@page("POST", "/admin/suppressions/{suppression_id}/lift")
def lift_suppression(ctx: Context, suppression_id: int, params: Form) -> Document:
    """Send to the address again."""
    suppression_api.lift_suppression(ctx, suppression_id)
    return redirect(ctx, "/admin/suppressions", done="saved")
